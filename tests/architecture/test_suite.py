"""A broken collection cannot pass silently."""


def test_enough_tests_were_collected(request):
    if request.config.option.file_or_dir or request.config.option.markexpr or request.config.option.keyword:
        return  # a part was asked for
    assert len(request.session.items) >= 400
