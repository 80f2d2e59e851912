"""The suite has teeth: every publisher that breaks the protocol is caught by one of its checks."""

import random

import pytest

from tests.crash.aftermath import aftermath
from tests.crash.mutants import MUTANTS
from tests.crash.test_power_loss import after, recorded
from tests.crash.test_publishers import together

# mutant -> how its violations begin
KILLED = {
    "reveal_before_reserve": "I2",
    "commit_before_reveal": "I3",
    "memory_at_commit": "I5",
    "no_audit": "I2",
    "open_to_others": "mode",
}
ENDED = {"sequence_reused": "I4", "forgetful": "I1"}
UNPLUGGED = {"no_sync_of_the_release": "I2", "no_sync_of_the_ledger": "I2", "no_sync_of_small_files": "I5"}
OTHERS = ("no_lock", "no_sweeping")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tracing")]


def test_every_mutant_is_tried():
    assert sorted([*KILLED, *ENDED, *UNPLUGGED, *OTHERS]) == sorted(MUTANTS)


def caught(found, words):
    return any(line.startswith(words) for line in found)


def around_the_reveal(stage, mutant):
    """Kill points, those nearest to the moment of visibility first."""
    plan = stage.plan("next", mutant)
    shown = next(i for i, p in enumerate(plan) if p.name.startswith("rename") and p.target.endswith("/out/t2"))
    return [plan[i] for i in sorted(range(len(plan)), key=lambda i: abs(i - shown - 1))]


@pytest.mark.parametrize("mutant", KILLED)
def test_caught_when_killed(stage, mutant):
    for point in around_the_reveal(stage, mutant):
        stage.spoil("next", point, "signal=KILL", mutant)
        if caught(aftermath(stage.scene, stage.warm), KILLED[mutant]):
            return
    pytest.fail("survived every kill point")


@pytest.mark.parametrize("mutant", ENDED)
def test_caught_at_the_end(stage, mutant):
    scene = stage.set("next")
    stage.warm.run(stage.command("next"), keys=scene.keys, mutant=mutant)
    assert caught(aftermath(scene, stage.warm), ENDED[mutant])


@pytest.mark.parametrize("mutant", UNPLUGGED)
def test_caught_when_the_power_fails(stage, mutant):
    """Killing cannot find a missing sync: the system keeps what it was given."""
    found = recorded(stage, "next", mutant)
    random.Random(3).shuffle(found)
    for loss in found:
        if caught(after(stage, loss), UNPLUGGED[mutant]):
            return
    pytest.fail("survived every power loss")


def test_caught_by_eight_publishers(stage):
    found, outcomes = together(stage, "no_lock")
    assert found or any(outcome.code for outcome in outcomes)


def test_caught_by_what_is_left_behind(stage):
    point = next(p for p in around_the_reveal(stage, "") if p.name.startswith("rename"))
    stage.spoil("next", point, "signal=KILL")
    assert stage.scene.staging()
    scene = stage.scene
    stage.warm.run(scene.publish("t3"), keys=scene.keys, mutant="no_sweeping")
    assert scene.staging()
