"""Moving a ledger: everything arrives, the old one ends, and at no moment can two be written."""

import json
import shutil

import pytest

from tests.ledger.clinic import FLU, HIV, begin, known, people_of, publish, session
from voile.cli.main import run
from voile.errors import LedgerRefused
from voile.ledger import ERASED, Ledger
from voile.ledger.copying import copy_ledger
from voile.ledger.home import home_of
from voile.ledger.recovery import recover, verify

pytestmark = pytest.mark.slow  # many worlds
DIRECTIONS = [("file", "server"), ("server", "file"), ("file", "file"), ("server", "server")]


@pytest.fixture
def moving(request, tmp_path, address):
    """Where it is, with some history, and where it shall be."""
    places = {"file": tmp_path / "{}.ledger", "server": f"{address}_{{}}"}
    source, target = (
        type(places[kind])(str(places[kind]).format(name))
        for kind, name in zip(request.param, ("old", "new"), strict=True)
    )
    Ledger.create(source)
    with Ledger.open(source) as ledger:
        publish(ledger, ["ann", "bob"], FLU)
        publish(ledger, ["carl"], HIV)
        publish(ledger, ["dora"], ("Quincke", "Weil"))
        ledger.erase(people_of(ledger, ["dora"]))
        ledger.rotate()
        begin(ledger, ["emil"], folder=tmp_path / "r4")  # interrupted: that moves, too
    return source, target


def copied(source, target):
    return copy_ledger(home_of(source), home_of(target))


def writable(place):
    """Whether a publisher may open it."""
    try:
        Ledger.open(place).close()
    except LedgerRefused:
        return False
    return True


def assert_moved(source, target, before, tmp_path):
    """Everything is in the new place, which goes on; the old one does not."""
    assert not writable(source)
    view = Ledger.read(target)
    assert view.chain[: len(before.chain)] == before.chain and view.id == before.id
    assert [record.kind for record in view.chain[len(before.chain) :]] == ["moved", "arrived"]
    assert view.content.digest() == before.content.digest() and view.signatures() == before.signatures()
    with Ledger.open(target) as ledger:
        assert known(ledger, ["ann", "carl", "dora", "emil"]) == [FLU, tuple(sorted(HIV)), ERASED, FLU]
        assert [o.result for o in recover(ledger, [4])] == ["abandoned"]
        publish(ledger, ["fred"])
        ledger.rotate()
    assert all(finding.ok is not False for finding in verify(target))
    with pytest.raises(LedgerRefused, match="was moved"):
        Ledger.open(source)
    for attest in (False, True):
        with pytest.raises(LedgerRefused):
            Ledger.open(source, attest_current=attest)
    assert any(finding.ok is False and "moved" in finding.what for finding in verify(source))


@pytest.mark.parametrize("moving", DIRECTIONS, indirect=True, ids="-".join)
def test_everything_arrives(moving, tmp_path):
    source, target = moving
    before = Ledger.read(source)
    copied(source, target)
    head = Ledger.read(target).head
    assert copied(source, target).head == head  # once more: nothing is left to do
    assert_moved(source, target, before, tmp_path)


@pytest.mark.parametrize("moving", [("file", "server"), ("server", "file")], indirect=True, ids="-".join)
def test_there_and_back(moving, tmp_path):
    source, target = moving
    home = tmp_path / "home.ledger"
    copied(source, target)
    session(target, ["gina"])
    copied(target, home)
    assert [writable(place) for place in (source, target, home)] == [False, False, True]
    with Ledger.open(home) as ledger:
        assert known(ledger, ["ann", "gina"]) == [FLU, FLU]


class Killed(BaseException):
    """The process ends here."""


# durable by then: nothing, the copy (twice), the end of the old one (twice, once unheard of by the witness), all
STEPS = ["create", "read", "retire", "retired", "arrive", "arrived"]


def interrupt(monkeypatch, step):
    """Die just before or after each durable step."""
    tell = Ledger._tell

    def die(*_, **__):
        raise Killed

    if step == "create":
        for kind in ("FileHome", "ServerHome"):
            module = "file_home" if kind == "FileHome" else "postgresql"
            monkeypatch.setattr(f"voile.ledger.{module}.{kind}.create", die)
    elif step == "read":
        monkeypatch.setattr("voile.ledger.copying._refuse_other", die)
    elif step in ("retire", "arrive"):
        monkeypatch.setattr(Ledger, step, die)
    else:  # the record is durable, the witness has not heard of it
        during = {"retired": "moved", "arrived": "arrived"}[step]

        def deaf(self, number, head, seal):
            if self.chain[-1].kind == during:
                raise Killed
            tell(self, number, head, seal)

        monkeypatch.setattr(Ledger, "_tell", deaf)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("moving", [("file", "server"), ("server", "file")], indirect=True, ids="-".join)
def test_interrupted_anywhere(moving, step, tmp_path, monkeypatch):
    source, target = moving
    before = Ledger.read(source)
    with monkeypatch.context() as there:
        interrupt(there, step)
        with pytest.raises(Killed):
            copied(source, target)
    can = [place for place in moving if writable(place)]
    expected = {"retire": [source], "read": [source], "create": [source], "arrived": [target]}
    assert can == expected.get(step, [])
    if step == "retired":
        with pytest.raises(LedgerRefused, match="same command again"):
            Ledger.open(source)
    copied(source, target)
    assert_moved(source, target, before, tmp_path)


@pytest.mark.parametrize("moving", [("file", "server"), ("server", "file")], indirect=True, ids="-".join)
def test_a_copy_that_was_overtaken_is_never_used(moving, monkeypatch):
    """Interrupted before the old one ended; it went on."""
    source, target = moving
    with monkeypatch.context() as there:
        interrupt(there, "retire")
        with pytest.raises(Killed):
            copied(source, target)
    session(source, ["gina"])
    with pytest.raises(LedgerRefused, match="not this ledger as it is now"):
        copied(source, target)
    assert [writable(place) for place in moving] == [True, False]


@pytest.mark.parametrize("moving", [("file", "server")], indirect=True, ids="-".join)
def test_nothing_is_written_over(moving, tmp_path, address):
    source, _ = moving
    other = tmp_path / "other.ledger"
    Ledger.create(other)
    Ledger.create(f"{address}_other")
    for taken in (other, f"{address}_other", source):
        with pytest.raises(LedgerRefused, match="not this ledger as it is now"):
            copied(source, taken)
    assert writable(source) and writable(other) and writable(f"{address}_other")


@pytest.mark.parametrize("moving", [("file", "server")], indirect=True, ids="-".join)
def test_a_second_copy_of_what_was_moved(moving, tmp_path):
    source, target = moving
    shutil.copy(source, tmp_path / "kept.ledger")
    copied(source, target)
    with pytest.raises(LedgerRefused, match="was moved"):
        copied(source, tmp_path / "third.ledger")
    with pytest.raises(LedgerRefused, match="old copy"):
        copied(tmp_path / "kept.ledger", tmp_path / "third.ledger")
    assert not (tmp_path / "third.ledger").exists() and writable(target)


@pytest.mark.parametrize("moving", [("server", "file")], indirect=True, ids="-".join)
def test_without_the_key_nothing_moves(moving, keys):
    source, target = moving
    next(keys.glob("*.key")).rename(keys / "away")
    with pytest.raises(LedgerRefused, match="does not exist"):
        copied(source, target)
    assert not target.exists()
    (keys / "away").rename(keys / f"{Ledger.read(source).id}.key")
    copied(source, target)


@pytest.mark.parametrize("moving", [("file", "server")], indirect=True, ids="-".join)
def test_the_command(moving, capsys):
    source, target = moving
    assert run(["ledger", "copy", str(source), target, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
    assert run(["ledger", "show", str(source)]) == 0
    assert "it goes on in PostgreSQL" in " ".join(capsys.readouterr().out.split())
    assert run(["ledger", "copy", str(source), target]) == 0
    assert "verified" in capsys.readouterr().out
    assert run(["ledger", "withdraw", str(source), "1", "--reason", "x"]) == 3
