"""After an interruption, and against releases the ledger should remember."""

import contextlib
import hashlib
import json
import os

import pytest

from tests.ledger.clinic import FLU, HIV, begin, known, publish
from voile.errors import LedgerRefused
from voile.ledger import UNKNOWN, Ledger
from voile.ledger.manifests import newer_than, series_of
from voile.ledger.recovery import dangling, recover, verify


def write_release(folder, ledger_id, reservation, data="a,b\n"):
    folder.mkdir(parents=True)
    (folder / "data.csv").write_text(data)
    series = {"ledger": ledger_id, "release": reservation.release, "record": reservation.record}
    (folder / "certificate.json").write_text(json.dumps({"series": series}))
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("data.csv", "certificate.json")
    }


def whole(ledger, names, folder, upto="commit", labels=FLU):
    """A publication with real files, up to a step."""
    reservation = begin(ledger, names, labels, folder)
    if upto != "reserve":
        ledger.audited(reservation.release, write_release(folder, ledger.id, reservation))
    if upto == "commit":
        ledger.commit(reservation.release)
    return reservation


def results(outcomes):
    return [(outcome.release, outcome.result) for outcome in outcomes]


def test_visible_with_the_audited_bytes_is_committed(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="audited")
    with Ledger.open(place) as ledger:
        assert [r.number for r in dangling(ledger)] == [1]
        assert results(recover(ledger)) == [(1, "committed")]
        assert ledger.releases()[0].state == "published" and not dangling(ledger)
        assert recover(ledger) == []


def test_absent_needs_a_word(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="reserve")
        assert results(recover(ledger)) == [(1, "open")]
        assert known(ledger, ["ann"]) == [FLU]
        assert results(recover(ledger, [1])) == [(1, "abandoned")]
        assert known(ledger, ["ann"]) == [UNKNOWN]


def test_an_empty_folder_is_absent(place, tmp_path):
    (tmp_path / "r1").mkdir()
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="reserve")
        assert results(recover(ledger, [1])) == [(1, "abandoned")]


@pytest.mark.parametrize("upto", ["reserve", "audited"])
def test_other_bytes_are_refused(place, tmp_path, upto):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto=upto)
        (tmp_path / "r1").mkdir(exist_ok=True)
        (tmp_path / "r1" / "data.csv").write_text("other")
        for attested in ([], [1]):
            assert results(recover(ledger, attested)) == [(1, "refused")]
        assert known(ledger, ["ann"]) == [FLU]


def test_what_is_visible_cannot_be_attested_away(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="audited")
        assert results(recover(ledger, [1])) == [(1, "refused")]


def test_only_interrupted_releases_can_be_attested(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1")
        for number in (1, 2):
            with pytest.raises(LedgerRefused, match="not interrupted"):
                recover(ledger, [number])


def test_several_at_once_the_last_first(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="reserve")
        whole(ledger, ["bob"], tmp_path / "r2", upto="reserve", labels=HIV)
        assert results(recover(ledger, [1, 2])) == [(1, "abandoned"), (2, "abandoned")]
        assert known(ledger, ["ann", "bob"]) == [UNKNOWN, UNKNOWN]
        whole(ledger, ["ann"], tmp_path / "r3", upto="reserve")
        whole(ledger, ["bob"], tmp_path / "r4")
        recover(ledger, [3])
        assert known(ledger, ["ann"]) == [FLU]  # release 4 was made knowing it


def findings(path, **options):
    return [finding.ok for finding in verify(path, **options)]


def test_verify_a_sound_ledger(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1")
    found = verify(place)
    assert [f.ok for f in found] == [True] * 6
    assert "4 records, 1 signature, 1 person" in found[0].what


def test_verify_says_what_it_could_not_see(place, tmp_path, keys):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1")
    (tmp_path / "r1").rename(tmp_path / "moved")
    assert findings(place)[-1] is None
    assert findings(place, releases=[tmp_path / "moved"])[-1] is True
    for file in keys.iterdir():
        file.unlink()
    assert findings(place)[1:3] == [None, None]


def test_verify_finds_what_is_wrong(path, tmp_path, keys):
    with Ledger.open(path) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1")
        whole(ledger, ["bob"], tmp_path / "r2", upto="reserve")
    assert findings(path)[-1] is False  # interrupted
    (tmp_path / "r1" / "data.csv").write_text("changed")
    assert findings(path)[-2] is False
    assert False in findings(path, releases=[keys])  # not a release
    key = next(keys.glob("*.key"))
    lines = key.read_text().splitlines()
    key.write_text("\n".join([*lines[:2], "00" * 32]) + "\n")
    assert findings(path)[1] is False
    note = json.loads(next(keys.glob("*.witness")).read_text())
    next(keys.glob("*.witness")).write_text(json.dumps({**note, "number": 99}))
    assert findings(path)[2] is False
    next(keys.glob("*.witness")).write_text(json.dumps({**note, "sha256": "0" * 64}))
    assert findings(path)[3] is False
    path.write_bytes(path.read_bytes()[:5000])
    assert findings(path) == [False]


def test_releases_the_ledger_does_not_remember(place, tmp_path):
    published = tmp_path / "published"
    with Ledger.open(place) as ledger:
        first = whole(ledger, ["ann"], published / "r1")
        newer_than(ledger, [published / "r2"])  # it need not exist
        newer_than(ledger, [tmp_path / "nowhere" / "r2"])
        later = type(first)(2, "0" * 64, "0" * 64)
        write_release(published / "r2", ledger.id, later)
        with pytest.raises(LedgerRefused, match="ends at 1") as refusal:
            newer_than(ledger, [published / "r3"])
        assert refusal.value.exit_code == 3
    with pytest.raises(LedgerRefused):
        newer_than(Ledger.read(place), [published / "r2"])
    assert False in findings(place)


def test_another_release_of_the_same_number(place, tmp_path):
    with Ledger.open(place) as ledger:
        first = whole(ledger, ["ann"], tmp_path / "a" / "r1")
        write_release(tmp_path / "a" / "fork", ledger.id, type(first)(1, "1" * 64, ""))
        with pytest.raises(LedgerRefused, match="does not know"):
            newer_than(ledger, [tmp_path / "a" / "r2"])


def test_an_abandoned_release_that_is_visible(place, tmp_path):
    with Ledger.open(place) as ledger:
        reservation = whole(ledger, ["ann"], tmp_path / "a" / "r1", upto="reserve")
        ledger.abandon(1, "no")
        write_release(tmp_path / "a" / "r1", ledger.id, reservation)
        with pytest.raises(LedgerRefused, match="never published"):
            newer_than(ledger, [tmp_path / "a" / "r1"])


def test_other_ledgers_drafts_and_odd_files_do_not_matter(place, tmp_path):
    around = tmp_path / "a"
    with Ledger.open(place) as ledger:
        publish(ledger, ["ann"])
        later = type(begin(ledger, ["bob"]))(9, "0" * 64, "")
        write_release(around / "other", "ab" * 16, later)
        write_release(around / ".voile-staging-x", ledger.id, later)
        for name, text in {"list": "[]", "torn": '{"series"', "odd": '{"series": 3}', "none": "{}"}.items():
            (around / name).mkdir()
            (around / name / "certificate.json").write_text(text)
            assert series_of(around / name) is None
        newer_than(ledger, [around / "new"])
        (around / "bad").mkdir()
        (around / "bad" / "certificate.json").write_text(
            json.dumps({"series": {"ledger": ledger.id, "release": "1"}})
        )
        with pytest.raises(LedgerRefused, match="no release number"):
            newer_than(ledger, [around / "new"])


def attested_away(ledger, folder, away):
    """Audited and revealed, then moved where the operator did not look."""
    reservation = whole(ledger, ["ann"], folder, upto="audited")
    folder.rename(away)
    assert results(recover(ledger, [reservation.release])) == [(reservation.release, "abandoned")]
    return reservation


def test_an_operator_who_erred_is_not_lost(place, tmp_path):
    """Abandoned on a word, and visible after all: nothing was forgotten, and recovery makes it published."""
    folder, away = tmp_path / "a" / "r1", tmp_path / "a" / "moved"
    with Ledger.open(place) as ledger:
        attested_away(ledger, folder, away)
        assert ledger.releases()[0].remembered and known(ledger, ["ann"]) == [FLU]
        with pytest.raises(LedgerRefused, match="never published") as refusal:
            newer_than(ledger, [tmp_path / "a" / "r2"])
        assert str(folder) in refusal.value.remedy and "recover" in refusal.value.remedy
        assert recover(ledger) == []  # not in its place
    away.rename(folder)
    with Ledger.open(place) as ledger:
        assert results(recover(ledger)) == [(1, "committed")]
        newer_than(ledger, [folder])
        ledger.withdraw(1, "it was not meant to be seen")
    with Ledger.open(place) as ledger:
        assert ledger.releases()[0].state == "withdrawn" and known(ledger, ["ann"]) == [FLU]


def test_changed_bytes_do_not_turn_up(place, tmp_path):
    folder, away = tmp_path / "r1", tmp_path / "moved"
    with Ledger.open(place) as ledger:
        attested_away(ledger, folder, away)
        away.rename(folder)
        (folder / "data.csv").write_text("changed")
        assert recover(ledger) == [] and ledger.releases()[0].state == "abandoned"


def test_what_its_publisher_abandoned_cannot_be_committed(place, tmp_path):
    with Ledger.open(place) as ledger:
        reservation = whole(ledger, ["ann"], tmp_path / "a" / "r1", upto="audited")
        ledger.abandon(1, "failed before it was revealed")
        assert not ledger.releases()[0].remembered and known(ledger, ["ann"]) == [UNKNOWN]
        assert recover(ledger) == []
        with pytest.raises(LedgerRefused, match="is abandoned"):
            ledger.commit(reservation.release)
        with pytest.raises(LedgerRefused) as refusal:
            newer_than(ledger, [tmp_path / "a" / "r1"])
        assert "remove the folder" in refusal.value.remedy


def test_what_an_attested_release_relied_on_is_kept(place, tmp_path):
    """The later one may still turn up, and was made knowing the earlier persons."""
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1", upto="reserve")
        whole(ledger, ["bob"], tmp_path / "r2", upto="audited", labels=HIV)
        (tmp_path / "r2").rename(tmp_path / "moved")
        assert results(recover(ledger, [1, 2])) == [(1, "abandoned"), (2, "abandoned")]
        assert [r.remembered for r in ledger.releases()] == [True, True]
        assert known(ledger, ["ann"]) == [FLU]


def test_a_place_that_another_release_has_taken_is_absent(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "out", upto="reserve")  # killed, and run again
        whole(ledger, ["bob"], tmp_path / "out")
        assert results(recover(ledger)) == [(1, "open")]
        assert results(recover(ledger, [1])) == [(1, "abandoned")]
        assert [r.state for r in ledger.releases()] == ["abandoned", "published"]


@contextlib.contextmanager
def out_of_reach(folder):
    """Nobody of our rights may look into a folder; the superuser becomes another user for that."""
    os.chmod(folder, 0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        os.chmod(folder, 0o700)


def test_what_nobody_may_look_at_is_not_absent(place, tmp_path):
    around = tmp_path / "a"
    around.mkdir()
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], around / "r1", upto="reserve")
        with out_of_reach(around):
            (outcome,) = recover(ledger, [1])
            with pytest.raises(LedgerRefused, match="permission denied"):
                newer_than(ledger, [around / "r2"])
        assert outcome.result == "refused" and "permission denied" in outcome.why
        (around / "r1").symlink_to("r1")  # leads to itself
        assert results(recover(ledger, [1])) == [(1, "refused")]
        assert known(ledger, ["ann"]) == [FLU]


def test_verify_goes_on_where_it_may_not_look(place, tmp_path):
    with Ledger.open(place) as ledger:
        whole(ledger, ["ann"], tmp_path / "r1")
    (tmp_path / "r1").rename(tmp_path / "moved")
    (tmp_path / "r1").symlink_to("r1")
    last = verify(place)[-1]
    assert last.ok is None and "not checked" in last.what


def test_verify_says_that_publishing_will_refuse(place, keys):
    next(keys.glob("*.witness")).unlink()
    found = verify(place)
    assert found[2].ok is None and "publishing will refuse" in found[2].what
    next(keys.glob("*.key")).unlink()
    found = verify(place)
    assert found[1].ok is None and "publishing will refuse" in found[1].what
