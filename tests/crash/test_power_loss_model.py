"""The disk that loses power, on little programs whose worst cases are known."""

import random

from tests.crash.power_loss import PAGE, Disk, Entry, File, Folder, build, losses, tree_of
from tests.crash.system_calls import Call


def call(name, target, arguments="", result=0, texts=(), number=0):
    return Call(number, 1, name, arguments, result, tuple(texts), (target,) if target else ())


def named(name, path, arguments="", result=0):
    return Call(0, 1, name, arguments, result, (path.encode(),), ())


def outcomes(things, cuts=300):
    rng = random.Random(7)
    return {repr(things.left(lambda last: rng.randint(0, last))) for _ in range(cuts)}


def test_pages_are_lost_one_by_one_and_holes_are_zeros():
    file = File(b"a" * PAGE, [(PAGE, b"b" * PAGE), (2 * PAGE, b"c" * PAGE)])
    assert file.now() == b"a" * PAGE + b"b" * PAGE + b"c" * PAGE
    assert file.left(lambda last: 0) == b"a" * PAGE
    seen = outcomes(file)
    assert repr(b"a" * PAGE + bytes(PAGE) + b"c" * PAGE) in seen
    assert repr(b"a" * PAGE + b"b" * PAGE + bytes(PAGE)) in seen
    file.sync()
    assert outcomes(file) == {repr(file.now())}


def test_writes_to_one_page_are_lost_from_the_end():
    file = File(b"....", [(0, b"A"), (1, b"B"), (2, b"C")])
    assert outcomes(file) == {repr(t) for t in (b"....", b"A...", b"AB..", b"ABC.")}


def test_a_cut_and_what_came_after():
    file = File(b"x" * 10, [(4, None), (6, b"y")])
    assert file.now() == b"xxxx\0\0y"
    assert file.left(lambda last: min(last, 1)) == b"xxxx"


def test_names_are_lost_but_a_rename_is_whole():
    one, two = File(b"1"), File(b"2")
    folder = Folder({"w": one}, [Entry(two, new="t"), Entry(two, old="t", new="w"), Entry(one, new="z")])
    names = {frozenset((n, f.synced) for n, f in folder.left(cut).items()) for cut in map(_at, range(3))}
    assert frozenset({("w", b"1")}) in names
    assert frozenset({("w", b"2"), ("z", b"1")}) in names
    assert all(len([n for n, _ in state if n == "w"]) == 1 for state in names)


def _at(count):
    return lambda last: min(last, count)


def protocol(root, synced):
    """Write a file under another name, sync it, rename it, sync the folder."""
    temporary, final = f"{root}/t", f"{root}/f"
    calls = [named("openat", temporary, "O_WRONLY|O_CREAT", 5), call("write", temporary, "5, , 3", 3, [b"new"])]
    if synced:
        calls.append(call("fsync", temporary, "5"))
    calls.append(Call(0, 1, "rename", "", 0, (temporary.encode(), final.encode()), ()))
    return [*calls, call("fsync", str(root), "6")]


def test_only_the_synced_protocol_never_shows_a_torn_file(tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    for synced in (True, False):
        shown = {loss.left["f"] for loss in losses(protocol(tmp_path, synced), Disk(tmp_path), 20, 3)}
        assert shown == ({b"old", b"new"} if synced else {b"old", b"new", b"", b"\0\0\0"})


def test_a_tree_is_built_as_it_was(tmp_path):
    tree = {"a": None, "a/b": b"1", "c": b""}
    build(tree, tmp_path)
    assert tree_of(tmp_path) == tree
    assert Disk(tmp_path).now() == tree
