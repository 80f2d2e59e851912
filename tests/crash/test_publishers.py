"""Eight publishers at once, some of them killed: nothing lost, nothing twice."""

import os
import random
import signal
import time

import pytest

from tests.crash.aftermath import aftermath, unspeakable
from tests.crash.invariants import violations
from tests.crash.ledger_book import read_book
from tests.crash.power_loss import tree_of
from tests.crash.scene import sightings
from tests.crash.warm_process import PATIENCE

EIGHT = [f"own{i}" for i in range(8)]
pytestmark = pytest.mark.slow


def started(stage, mutant=""):
    scene = stage.set("next")
    return [stage.warm.start(scene.publish(t), keys=scene.keys, mutant=mutant) for t in EIGHT]


def together(stage, mutant=""):
    """All eight to the end, and what is wrong then."""
    outcomes = [run.wait() for run in started(stage, mutant)]
    scene = stage.scene
    found = [words for outcome in outcomes for words in unspeakable(outcome)]
    found += violations(scene, sightings(tree_of(scene.root)))
    published = read_book(scene.ledger).of_kind("committed")
    if len(published) != 1 + sum(outcome.code == 0 for outcome in outcomes):
        found.append(f"{len(published)} releases are committed")
    return found, outcomes


def test_eight_publishers_at_once(stage):
    found, outcomes = together(stage)
    assert found == []
    assert [outcome.code for outcome in outcomes] == [0] * 8
    assert sorted(s.folder for s in sightings(tree_of(stage.scene.root))) == sorted([*EIGHT, "t1"])
    assert aftermath(stage.scene, stage.warm) == []


def kill_five(runs, out, rng):
    """One when it has begun, others when one or two more releases are to be seen: three of eight come through."""
    before = len(visible(out))
    for number, run in enumerate(rng.sample(runs, 5)):
        until = time.monotonic() + PATIENCE
        while len(visible(out)) < before + number // 2 or not run.said.with_suffix(".err").exists():
            assert time.monotonic() < until, "nobody publishes"
            time.sleep(0.005)
        os.kill(run.pid, signal.SIGKILL)


def visible(out):
    return [name for name in os.listdir(out) if not name.startswith(".")]


@pytest.mark.parametrize("seed", range(4))
def test_some_are_killed(stage, seed):
    runs = started(stage)
    kill_five(runs, stage.scene.out, random.Random(seed))
    outcomes = [run.wait() for run in runs]
    assert {outcome.code for outcome in outcomes} <= {0, -9}
    assert [words for outcome in outcomes for words in unspeakable(outcome)] == []
    shown = {s.folder for s in sightings(tree_of(stage.scene.root))}
    assert shown >= {t for t, outcome in zip(EIGHT, outcomes, strict=True) if outcome.code == 0}
    assert aftermath(stage.scene, stage.warm) == []
