"""Killed before every call that would write: creating a ledger, its first release, the next, a new key."""

import pytest

from tests.crash.aftermath import aftermath
from tests.crash.stage import ACTS

CHUNKS = 6
# every second call of a release; of the other acts, whose steps are the same, every sixth; all at night
DAILY = {"next": (0, 2, 4), "create": (0,), "rotate": (0,), "first": (0,)}
TRIED = [
    pytest.param(act, chunk, marks=[] if chunk in DAILY[act] else pytest.mark.nightly)
    for act in ACTS
    for chunk in range(CHUNKS)
]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tracing")]


@pytest.mark.parametrize("act, chunk", TRIED)
def test_nothing_is_lost_wherever_a_run_is_killed(stage, act, chunk):
    found = []
    for point in stage.plan(act)[chunk::CHUNKS]:
        outcome = stage.spoil(act, point, "signal=KILL")
        assert outcome.code == -9, (point, outcome)
        found += [(*point.place, violation) for violation in aftermath(stage.scene, stage.warm)]
    assert found == []
