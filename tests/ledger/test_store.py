"""The life of a ledger: who is remembered, in which state a release is, what is refused."""

import stat

import numpy as np
import polars as pl
import pytest

from tests.ledger.clinic import FLU, HIV, begin, known, people_of, publish, session
from voile.errors import InputError, LedgerRefused
from voile.ledger import ERASED, ONCE, UNKNOWN, Ledger
from voile.ledger import database as sqlite_part
from voile.ledger.chain import Record, link, parse_chain
from voile.ledger.witness import Witness, witness_of


def modes(*folders):
    return {stat.S_IMODE(p.stat().st_mode) for folder in folders for p in folder.iterdir() if p.is_file()}


def test_a_series(place):
    with Ledger.open(place) as ledger:
        assert ledger.next_release == 1
        first = publish(ledger, ["ann", "bob"], FLU)
        second = publish(ledger, ["carl"], HIV)
        assert (first.release, second.release, ledger.next_release) == (1, 2, 3)
        assert known(ledger, ["bob", "dora", "carl", "bob"]) == [FLU, UNKNOWN, tuple(sorted(HIV)), FLU]
        published = ledger.releases()
        assert [r.state for r in published] == ["published", "published"]
        assert published[0].record == first.record and published[1].previous == second.previous
        head = ledger.head
    with Ledger.open(place) as ledger:
        assert ledger.head == head
        assert known(ledger, ["ann", "carl"]) == [FLU, tuple(sorted(HIV))]


def test_order_of_labels_does_not_matter(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"], ("flu", "cold"))
        publish(ledger, ["bob"], ("cold", "flu"))
        assert ledger.signatures() == {1: ("cold", "flu")}


def test_everything_is_private(path, keys, tmp_path):
    with Ledger.open(path) as ledger:
        begin(ledger, ["ann"])
        assert modes(tmp_path, keys) == {0o600}
        assert len(list(tmp_path.glob("clinic.ledger*"))) == 4  # the file, its log, the log's index, the lock
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clinic.ledger", "clinic.ledger.lock", "keys"]


def test_pragmas_are_read_back(path):
    connection = sqlite_part.open_to_write(path)
    try:
        with pytest.raises(LedgerRefused, match="does not accept"):
            sqlite_part.pragma(connection, "synchronous", "off", 2)
    finally:
        connection.close()


def test_no_identifier_and_no_repr_tells(path, tmp_path):
    with Ledger.open(path) as ledger:
        publish(ledger, ["Evangeline-4711"], ("Quincke", "Weil"))
        shown = (
            f"{ledger!r} {ledger.releases()!r} {ledger.chain!r} {Ledger.read(path)!r} {ledger._content.memory!r}"
        )
        log = (tmp_path / "clinic.ledger-wal").read_bytes()
    assert "Quincke" not in shown and "Evangeline" not in shown
    assert b"Evangeline-4711" not in path.read_bytes() + log


def test_a_release_of_another_algorithm_is_once(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"], labels=None)
        assert known(ledger, ["ann"]) == [ONCE]


def test_nobody_new(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        publish(ledger, [])
        assert ledger.persons == 1 and len(ledger.releases()) == 2


def test_abandoned_is_as_if_never(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        begin(ledger, ["bob"])
        ledger.abandon(2, "disk full")
        assert known(ledger, ["ann", "bob"]) == [FLU, UNKNOWN]
        assert [r.state for r in ledger.releases()] == ["published", "abandoned"]
        assert begin(ledger, ["bob"], HIV).release == 3


def test_abandoned_too_late_stays_in_memory(place):
    """A later release saw these persons with that signature: it must not change."""
    with Ledger.open(place) as ledger:
        begin(ledger, ["ann"])
        publish(ledger, ["bob"], HIV)
        ledger.abandon(1, "nobody saw it")
        assert known(ledger, ["ann"]) == [FLU]
        assert [(r.state, r.remembered) for r in ledger.releases()] == [("abandoned", True), ("published", True)]


def test_reserved_counts_as_published(place):
    with Ledger.open(place) as ledger:
        begin(ledger, ["ann"])
    with Ledger.open(place) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
        assert ledger.next_release == 2


def test_withdrawn_is_remembered(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        ledger.withdraw(1, "a wrong column")
        assert known(ledger, ["ann"]) == [FLU]
        assert (ledger.releases()[0].state, ledger.releases()[0].reason) == ("withdrawn", "a wrong column")


def test_steps_out_of_turn_are_refused(place):
    with Ledger.open(place) as ledger:
        begin(ledger, ["ann"])
        for step in (lambda: ledger.commit(1), lambda: ledger.withdraw(1, ""), lambda: ledger.audited(2, {})):
            with pytest.raises(LedgerRefused, match="cannot be"):
                step()
        with pytest.raises(LedgerRefused, match="does not exist"):
            ledger.commit(0)
        ledger.audited(1, {})
        ledger.commit(1)
        with pytest.raises(LedgerRefused, match="is published"):
            ledger.abandon(1, "too late")


def test_reservations_that_contradict_the_memory_are_refused(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        people = people_of(ledger, ["bob", "carl"])
        bad = [
            (people_of(ledger, ["ann"]), [0], [HIV], "already"),
            (people_of(ledger, ["bob", "bob"]), [0, 0], [HIV], "twice"),
            (people, [0], [HIV], "differ in number"),
            (people, [0, 1], [HIV], "not among"),
            (people, [0, -1], [HIV], "not among"),
            (people, [0, 1], [], "not among"),
            (people, [0, 0], [()], "empty"),
            (people, [0, 0], [("flu", "flu")], "repeats"),
        ]
        for persons, chosen, sets, why in bad:
            with pytest.raises(LedgerRefused, match=why):
                ledger.reserve(persons, chosen, sets, {}, "out")
        assert ledger.next_release == 2 and ledger.persons == 1


def test_a_missing_person_is_refused(place):
    with Ledger.open(place) as ledger, pytest.raises(InputError):
        ledger.pseudonyms(pl.Series(["ann", None]))


def test_erased_is_recognised_and_no_more(place):
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann", "bob"])
        publish(ledger, ["carl"], labels=None)
        assert ledger.erase(people_of(ledger, ["ann", "dora", "ann", "carl"])) == 2
        assert known(ledger, ["ann", "bob", "carl", "dora"]) == [ERASED, FLU, ERASED, UNKNOWN]
        assert ledger.erase(people_of(ledger, ["ann", "dora"])) == 0
        assert [r.kind for r in ledger.chain][-1] == "erased"
        with pytest.raises(LedgerRefused, match="already"):
            begin(ledger, ["ann"])


def test_what_was_erased_cannot_be_tested_against_old_digests(place):
    """The chain keeps the digest from before; with the old salt gone, no guess reproduces it."""
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        before = dict(ledger._content.memory.pages)
        ledger.erase(people_of(ledger, ["ann"]))
        after = ledger._content.memory.pages
    assert all(before[number].salt != after[number].salt for number in before)


def test_sets_that_only_the_erased_had_are_forgotten(path):
    with Ledger.open(path) as ledger:
        publish(ledger, ["ann"], ("Quincke", "Weil"))
        publish(ledger, ["bob"], FLU)
        publish(ledger, ["carl"], ("Weil", "gout"))
        ledger.erase(people_of(ledger, ["ann"]))
        assert ledger.signatures() == {2: FLU, 3: ("Weil", "gout")}
        ledger.erase(people_of(ledger, ["carl"]))
    assert b"Quincke" not in path.read_bytes() and b"Weil" not in path.read_bytes()
    with Ledger.open(path) as ledger:
        assert ledger.signatures() == {2: FLU}
        publish(ledger, ["dora"], ("Quincke", "Weil"))  # the same set again: a new number
        publish(ledger, ["emil"], FLU)
        assert ledger.recall(people_of(ledger, ["ann", "bob", "carl", "dora", "emil"])).tolist() == [
            -2,
            2,
            -2,
            4,
            2,
        ]
    assert Ledger.read(path).signatures() == {2: FLU, 4: ("Quincke", "Weil")}


def test_a_look_changes_nothing(path):
    session(path, ["ann"])
    before = path.read_bytes()
    with Ledger.open(path) as ledger:
        known(ledger, ["ann"])
    view = Ledger.read(path)
    assert path.read_bytes() == before
    assert [r.state for r in view.releases()] == ["published"] and view.persons == 1


def test_read_while_somebody_writes(path):
    with Ledger.open(path) as ledger:
        begin(ledger, ["ann"])
        view = Ledger.read(path)
        assert view.head == ledger.head and view.seal is None
        publish(ledger, ["bob"])
    assert Ledger.read(path).persons == 2


def test_witness_sees_every_record_at_once(path):
    with Ledger.open(path) as ledger:
        begin(ledger, ["ann"])
        seen = Witness.read(witness_of(ledger.key_path), ledger.id)
        assert (seen.number, seen.head, seen.sha256) == (2, ledger.head, None)
    assert Witness.read(witness_of(ledger.key_path), ledger.id).sha256 is not None


def test_nothing_is_written_after_closing(place):
    with Ledger.open(place) as ledger:
        pass
    ledger.close()
    with pytest.raises(LedgerRefused, match="closed"):
        begin(ledger, ["ann"])


def test_another_program_that_writes_is_noticed(path):
    with Ledger.open(path) as ledger:
        begin(ledger, ["ann"])
        other = sqlite_part.open_to_write(path)
        other.execute("delete from chain where number = 2")
        other.close()
        with pytest.raises(LedgerRefused, match="another program"):
            ledger.audited(1, {})


def test_create_never_overwrites(path, tmp_path):
    before = path.read_bytes()
    with pytest.raises(LedgerRefused, match="exists"):
        Ledger.create(path)
    key = tmp_path / "own.key"
    key.write_text("precious")
    with pytest.raises(LedgerRefused, match="exists"):
        Ledger.create(tmp_path / "new.ledger", key)
    assert key.read_text() == "precious" and path.read_bytes() == before
    assert not (tmp_path / "new.ledger").exists()


def test_a_key_of_ones_own_choice(tmp_path, keys):
    key = tmp_path / "vault" / "own.key"
    Ledger.create(tmp_path / "a.ledger", key)
    session(tmp_path / "a.ledger", ["ann"], key=key)
    assert not keys.exists()
    assert sorted(p.name for p in key.parent.iterdir()) == ["own.key", "own.witness"]


def test_chain_that_does_not_hold_is_told():
    first = Record.after((), "created", {"ledger": "x"})
    row = (1, "created", '{"ledger":"x"}', first.previous, first.hash)
    assert parse_chain([row])[1] == ""
    assert "no beginning" in parse_chain([])[1]
    assert "continue" in parse_chain([row, row])[1]
    text = '{"release":1}'
    assert (
        "misses" in parse_chain([row, (2, "reserved", text, first.hash, link(2, "reserved", first.hash, text))])[1]
    )
    assert "unknown" in parse_chain([row, (2, "odd", text, first.hash, link(2, "odd", first.hash, text))])[1]
    torn = '{"ledger":'
    assert (
        "readable"
        in parse_chain([(1, "created", torn, first.previous, link(1, "created", first.previous, torn))])[1]
    )


def test_many_small_releases_stay_few_pages(place, monkeypatch):
    from voile.ledger import memory

    monkeypatch.setattr(memory, "PAGE", 8)
    monkeypatch.setattr(memory, "MANY", 3)
    with Ledger.open(place) as ledger:
        for i in range(30):
            publish(ledger, [f"p{i}", f"q{i}"], (f"a{i % 4}", "b"))
        pages = ledger._content.memory.pages
        assert len(pages) < 13 and max(len(p.people) for p in pages.values()) <= 8
        expected = [(f"a{i % 4}", "b") for i in range(30)]
        assert known(ledger, [f"p{i}" for i in range(30)]) == expected
    with Ledger.open(place) as ledger:
        assert known(ledger, [f"q{i}" for i in range(30)]) == expected


def test_open_releases_are_not_merged_away(place, monkeypatch):
    from voile.ledger import memory

    monkeypatch.setattr(memory, "MANY", 1)
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        publish(ledger, ["bob"])
        begin(ledger, ["carl"])  # merges the two before it
        ledger.abandon(3, "no")
        assert known(ledger, ["ann", "bob", "carl"]) == [FLU, FLU, UNKNOWN]
        assert len(ledger._content.memory.pages) == 1


def test_pages_of_interrupted_releases_are_never_merged(place, monkeypatch):
    """Merged into others their persons could not be forgotten any more."""
    from voile.ledger import memory

    monkeypatch.setattr(memory, "MANY", 1)
    with Ledger.open(place) as ledger:
        for number, name in enumerate(["ann", "bob", "carl"], 1):
            begin(ledger, [name])  # each with all before it still open
            assert {page.release for page in ledger._content.memory.pages.values()} == set(range(1, number + 1))
        for number in (3, 2, 1):
            ledger.abandon(number, "no")
        assert known(ledger, ["ann", "bob", "carl"]) == [UNKNOWN] * 3 and ledger.persons == 0


def test_large_release_fills_several_pages(place, monkeypatch):
    from voile.ledger import memory

    monkeypatch.setattr(memory, "PAGE", 100)
    names = [f"person {i}" for i in range(950)]
    with Ledger.open(place) as ledger:
        people = people_of(ledger, names)
        ledger.reserve(people, np.arange(950) % 3, [("a", str(i)) for i in range(3)], {}, "out")
        assert len(ledger._content.memory.pages) == 10
    with Ledger.open(place) as ledger:
        assert (ledger.recall(people_of(ledger, names)) == np.arange(950) % 3 + 1).all()


def test_relative_paths_outlive_a_change_of_folder(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Ledger.open("clinic.ledger") as ledger:
        monkeypatch.chdir("/")
        publish(ledger, ["ann"])
    with Ledger.open(path) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
    for odd in (".", "/", ""):
        for use in (Ledger.create, Ledger.open, Ledger.read):
            with pytest.raises(LedgerRefused):
                use(odd)


def test_what_is_no_json_changes_nothing(place):
    with Ledger.open(place) as ledger:
        with pytest.raises(TypeError):
            begin(ledger, ["ann"], body={"rows": np.int64(1)})
        assert publish(ledger, ["ann"]).release == 1
