"""A ledger on a server: server or publisher killed before every statement, and eight publishers at once."""

import itertools
import random
import time

import pytest

from tests.crash.aftermath import aftermath, unspeakable
from tests.crash.invariants import violations
from tests.crash.ledger_book import read_book
from tests.crash.power_loss import tree_of
from tests.crash.scene import sightings
from tests.crash.server_stage import ServerStage
from tests.crash.statements import Statements
from tests.crash.test_publishers import kill_five, visible
from tests.crash.warm_process import PATIENCE, WarmProcess
from tests.ledger.clinic import FLU, HIV, begin, known, publish
from voile.errors import LedgerRefused
from voile.ledger import UNKNOWN, Ledger
from voile.ledger.recovery import dangling, recover

LOOKING = 16  # so many statements, and more, only look
EIGHT = [f"own{i}" for i in range(8)]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stage(postgresql, tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    warm = WarmProcess(folder)
    warm.environment = postgresql.environment
    with pytest.MonkeyPatch.context() as here:
        for name, value in postgresql.environment.items():
            here.setenv(name, value)
        yield ServerStage(folder, postgresql, warm)
    warm.close()


@pytest.fixture
def ledger(postgresql, tmp_path, monkeypatch):
    """One with a release, for publishers that have no tables."""
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    for name, value in postgresql.environment.items():
        monkeypatch.setenv(name, value)
    address = f"{postgresql.address()}#killed_{random.SystemRandom().randrange(10**9)}"
    Ledger.create(address)
    with Ledger.open(address) as opened:
        publish(opened, ["ann"])
    return address


def steps(ledger, number):
    """A whole publication, as far as the ledger hears of it; how far it came."""
    done = []
    with Ledger.open(ledger) as opened:
        begin(opened, [f"bob {number}"], HIV, f"nowhere/{number}")
        done.append("reserved")
        opened.audited(opened.next_release - 1, {"data.csv": "0" * 64})
        done.append("audited")
        opened.commit(opened.next_release - 1)
        done.append("committed")
    return done


def test_the_server_is_killed_before_every_statement(ledger, postgresql):
    """Nothing half-visible: each step is there with all it says, or not at all; the next run goes on."""
    with Statements() as counted:
        assert steps(ledger, 0) == ["reserved", "audited", "committed"]
    first = counted.sent.index("commit")  # the reading transaction of the opening; what comes before only looks
    assert counted.sent.count("commit") == 4
    for at in range(first + 1, len(counted.sent) + 1):
        before = read_book(ledger)
        with Statements(postgresql.kill, at), pytest.raises(LedgerRefused) as refusal:
            steps(ledger, at)
        assert refusal.value.remedy and refusal.value.__context__ is None
        postgresql.start()
        book = read_book(ledger)
        assert book.faults == [] and book.records[: len(before.records)] == before.records
        with Ledger.open(ledger) as opened:  # refuses what is damaged, and what the witness does not know
            new = [record.kind for record in opened.chain[len(before.records) :]]
            assert new == ["reserved", "audited", "committed"][: len(new)]
            assert known(opened, ["ann", f"bob {at}"]) == [FLU, tuple(sorted(HIV)) if new else UNKNOWN]
            recover(opened, [release.number for release in dangling(opened)])
            publish(opened, [f"carl {at}"])
            assert dangling(opened) == []
    view = Ledger.read(ledger)
    assert [release.number for release in view.releases()] == list(range(1, view.next_release))


def test_a_publisher_is_killed_before_every_statement(stage):
    """The whole command, tables and all; invariants I1 to I5 from the bytes alone."""
    found = []
    for at in itertools.chain([1], itertools.count(LOOKING)):
        scene = stage.set()
        outcome = stage.warm.run(scene.publish("t2"), keys=scene.keys, mutant=f"dies:{at}")
        if outcome.code == 0:
            break
        assert outcome.code == -9, (at, outcome)
        found += [(at, violation) for violation in aftermath(scene, stage.warm)]
    assert found == [] and at > 30  # so many statements there are


def test_the_harness_has_teeth(stage):
    """A publisher that notes the audit after the reveal is caught when it is killed between them."""
    for mutant, caught in (("", False), ("no_audit+", True)):
        scene = stage.set()
        mutant = f"{mutant}dies:{scene.out / 't2'}"
        assert stage.warm.run(scene.publish("t2"), keys=scene.keys, mutant=mutant).code == -9
        assert any(words.startswith("I2") for words in aftermath(scene, stage.warm)) == caught


def test_eight_publishers_at_once(stage):
    """One chain, none lost, none twice."""
    scene = stage.set()
    runs = [stage.warm.start(scene.publish(table), keys=scene.keys) for table in EIGHT]
    outcomes = [run.wait() for run in runs]
    assert [outcome.code for outcome in outcomes] == [0] * 8, outcomes
    assert [words for outcome in outcomes for words in unspeakable(outcome)] == []
    assert violations(scene, sightings(tree_of(scene.root))) == []
    book = read_book(scene.ledger)
    assert sorted(book.of_kind("committed")) == list(range(1, 10))
    assert sorted(s.folder for s in sightings(tree_of(scene.root))) == sorted([*EIGHT, "t1"])
    assert aftermath(scene, stage.warm) == []


@pytest.mark.parametrize("seed", range(3))
def test_some_of_eight_are_killed(stage, seed):
    scene = stage.set()
    runs = [stage.warm.start(scene.publish(table), keys=scene.keys) for table in EIGHT]
    kill_five(runs, scene.out, random.Random(seed))
    outcomes = [run.wait() for run in runs]
    assert {-9} <= {outcome.code for outcome in outcomes} <= {0, -9}
    assert [words for outcome in outcomes for words in unspeakable(outcome)] == []
    shown = {s.folder for s in sightings(tree_of(scene.root))}
    assert shown >= {t for t, outcome in zip(EIGHT, outcomes, strict=True) if outcome.code == 0}
    assert aftermath(scene, stage.warm) == []


def test_the_server_is_killed_under_eight_publishers(stage, postgresql):
    """Each has published or refuses with a reason; what is visible is remembered, and the next run goes on."""
    scene = stage.set()
    runs = [stage.warm.start(scene.publish(table), keys=scene.keys) for table in EIGHT]
    until = time.monotonic() + PATIENCE
    while len(visible(scene.out)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    postgresql.kill()
    postgresql.start()
    outcomes = [run.wait() for run in runs]
    assert {0} <= {outcome.code for outcome in outcomes} <= {0, 3}, outcomes
    assert [words for outcome in outcomes for words in unspeakable(outcome)] == []
    assert aftermath(scene, stage.warm) == []
