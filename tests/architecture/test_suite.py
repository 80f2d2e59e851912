"""A broken collection cannot pass silently, and no control moves out of `make test`."""

import re

from tests.conftest import COLLECTED

FEWEST = 6500  # in `make test`; raise it with the suite
CONTROL = re.compile("control|mutant|caught")
EVERYTHING = "not nightly"  # what pytest is told without a word


def test_enough_tests_were_collected(request):
    options = request.config.option
    if options.file_or_dir or options.markexpr != EVERYTHING or options.keyword:
        return  # a part was asked for
    assert len(request.session.items) >= FEWEST


def is_control(item):
    return bool(CONTROL.search(item.nodeid.partition("::")[2].partition("[")[0]))


def test_every_control_and_mutant_is_in_make_test(request):
    collected = request.config.stash[COLLECTED]
    assert not [item.nodeid for item in collected if is_control(item) and item.get_closest_marker("nightly")]
