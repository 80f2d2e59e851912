"""The power fails after every call, and of what was not synced any legal part is left."""

import random
import shutil
from functools import cache, partial

import pytest

from tests.crash.aftermath import aftermath
from tests.crash.ledger_book import read_book
from tests.crash.power_loss import Disk, Loss, build, losses, tree_of
from tests.crash.scene import sightings
from tests.crash.stage import ACTS
from tests.nights import NIGHT

CHUNKS = 6
TIMES = 8 if NIGHT else 1
REPLAYS = {"create": 18, "first": 18, "next": 60, "rotate": 18}  # of some thousands, others only every night
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tracing")]


def recorded(stage, act, mutant="", deaf_to=lambda call: False, draws=4):
    """What may be left of an act; first the disk must agree with what is really there."""
    stage.set(act)
    disk, model = (Disk(stage.scene.root, deaf_to) for _ in range(2))
    found = stage.recording(act, mutant)
    for call in found:
        model.play(call)
    assert model.now() == tree_of(stage.scene.root)
    return losses(found, disk, draws, seed=5)


def after(stage, loss):
    """The violations on a machine that starts again with what is left."""
    shutil.rmtree(stage.scene.root)
    stage.scene.root.mkdir(mode=0o700)
    build(loss.left, stage.scene.root)
    return aftermath(stage.scene, stage.warm, sightings(loss.seen))


@pytest.fixture(scope="module")
def possible(stage):
    """What may be left of each act: recorded once, for all its chunks."""
    return cache(partial(recorded, stage))


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("act", ACTS)
def test_nothing_is_lost_when_the_power_fails(stage, possible, act, chunk):
    found = []
    chosen = random.Random(11).sample(possible(act), min(TIMES * REPLAYS[act], len(possible(act))))
    for loss in chosen[chunk::CHUNKS]:
        found += [(loss.after.name, loss.after.target, violation) for violation in after(stage, loss)]
    assert found == []


@pytest.mark.parametrize("act", ACTS)
def test_what_is_done_stays_done(stage, act):
    """Power fails right after success was reported: everything is there and works."""
    stage.set(act)
    disk = Disk(stage.scene.root)
    for call in stage.recording(act):
        disk.play(call)
    left = disk.left(lambda last: 0)
    assert sightings(left) == sightings(disk.now())
    assert after(stage, Loss(call, left, disk.now())) == []
    book = read_book(stage.scene.ledger)
    settled = {"created", "reserved", "audited", "committed", "rotated"}  # there is nothing to recover
    assert {record.kind for record in book.records} <= settled
