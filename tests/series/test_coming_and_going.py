"""Who is gone and who returns: against the tables themselves, and where nobody can know."""

import random
import stat

import pytest

import voile
from tests.series.clinic import TWO, table
from voile.ledger import Ledger
from voile.ledger.members import members_file
from voile.series.plan_words import coming_and_going, held_back
from voile.series.recollection import person_texts

DISEASES = ("flu", "cold", "gout", "asthma")


@pytest.fixture
def series(tmp_path, monkeypatch):
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    return voile.Series.create(tmp_path / "clinic.ledger")


def names(rows):
    return {row[0] for row in rows}


def test_counts_are_those_of_the_tables(series):
    draw = random.Random(7)
    everybody = [(f"p{i}", 20 + i % 60, DISEASES[i % 4]) for i in range(80)]
    known, last = set(), set()
    for number in range(1, 6):
        rows = draw.sample(everybody, 48)
        preview = series.preview(table(rows), **({"m": 2} if number == 1 else {}))
        plan, _ = series.publish(table(rows), **({"m": 2} if number == 1 else {}))
        for found in (preview, plan):
            assert found.counts["waiting"] == found.counts["changed"] == 0
            assert found.counts["new"] == len(names(rows) - known)
            assert found.gone == len(known - names(rows))
            assert found.returned == len((names(rows) & known) - last)
        known |= names(rows)
        last = names(rows)


def test_who_is_held_back_is_neither_gone_nor_returned(series):
    series.publish(table(TWO), m=2)
    changed = [("ann", 30, "asthma"), *TWO[1:]]
    plan, _ = series.publish(table(changed))
    assert (plan.counts["changed"], plan.gone, plan.returned) == (1, 0, 0)
    plan, _ = series.publish(table(TWO))
    assert (plan.counts["changed"], plan.gone, plan.returned) == (0, 0, 1), "not in the release before"


def test_a_first_release_has_nobody_to_miss(series):
    plan = series.preview(table(TWO), m=2)
    assert (plan.gone, plan.returned, coming_and_going(plan)) == (0, 0, [])
    assert held_back(plan.counts) == "nobody"


def test_the_note_is_private_and_holds_pseudonyms_alone(series):
    series.publish(table(TWO), m=2)
    note = members_file(series.path)
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    head, content = note.read_bytes().split(b"\n", 1)
    assert len(content) == 16 * len(TWO) and not any(name.encode() in head + content for name, *_ in TWO)
    with Ledger.open(series.path) as ledger:
        people = ledger.pseudonyms(person_texts(table(TWO)))
        assert sorted(people.tolist()) == ledger.members(1).tolist()


def test_a_preview_leaves_the_note_as_it_is(series):
    series.publish(table(TWO), m=2)
    before = members_file(series.path).read_bytes()
    series.preview(table(TWO[1:]))
    assert members_file(series.path).read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda note: note.unlink(),
        lambda note: note.write_bytes(note.read_bytes()[:-1]),
        lambda note: note.write_bytes(b"not a note"),
        lambda note: note.write_bytes(note.read_bytes().replace(b'"record": "', b'"record": "0')),
        lambda note: note.write_bytes(b"[]\n"),
    ],
)
def test_without_a_sound_note_it_is_not_known(series, spoil):
    series.publish(table(TWO), m=2)
    spoil(members_file(series.path))
    plan, _ = series.publish(table(TWO[1:]))
    assert plan.returned is None and plan.gone == 1
    assert "not known" in dict(coming_and_going(plan))["returned"]
    plan = series.preview(table(TWO))
    assert plan.returned == 1, "the next release has noted who was in it"


def test_rotating_and_erasing_leave_no_note(series):
    series.publish(table(TWO), m=2)
    with Ledger.open(series.path) as ledger:
        ledger.rotate()
    assert not members_file(series.path).exists()
    series.publish(table(TWO))
    with Ledger.open(series.path) as ledger:
        ledger.erase(ledger.pseudonyms(person_texts(table(TWO))[:1]))
    assert not members_file(series.path).exists()
    plan, _ = series.publish(table(TWO))
    assert (plan.counts["erased"], plan.gone, plan.returned) == (1, 0, None)


def test_a_release_on_a_full_disk_is_published_all_the_same(series, monkeypatch):
    series.publish(table(TWO), m=2)

    def full(path, content):
        raise OSError(28, "")

    monkeypatch.setattr("voile.ledger.file_home.replace_file", full)
    series.publish(table(TWO[1:]))
    monkeypatch.undo()
    monkeypatch.setenv("VOILE_KEYS", str(series.path.parent / "keys"))
    assert not members_file(series.path).exists()
    assert series.preview(table(TWO)).returned is None and series.history().height == 2
