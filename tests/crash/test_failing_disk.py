"""A full or failing disk at every call that would write: said, never half published, never forgotten."""

import errno
import os
import subprocess

import pytest

from tests.crash.aftermath import aftermath, unspeakable
from tests.crash.ledger_book import read_book
from tests.crash.power_loss import tree_of
from tests.crash.scene import Scene, sightings

CHUNKS = 6
DAILY = {"ENOSPC": (0, 4), "EIO": (2,)}
# every second call fails by day, in one of two ways; every call in both ways at night
FAILURES = [
    pytest.param(error, chunk, marks=[] if chunk in DAILY[error] else pytest.mark.nightly)
    for error in DAILY
    for chunk in range(CHUNKS)
]
# what may fail without failing the run, and why: (call, end of the path) -> reason
JUSTIFIED = {
    ("fdatasync", "/clinic"): "SQLite syncs the name of its log and ignores the result; were the log lost, the "
    "witness would tell",
}
# After the last record is durable the run only tidies up: log into file, digest to the witness. What fails there
# loses nothing, and the next opening checks everything.
pytestmark = pytest.mark.slow


def tidying(plan):
    """The points after the witness heard of the last record: its note at closing comes after that."""
    told = [
        number for number, point in enumerate(plan) if point.name == "fsync" and point.target.endswith("/keys")
    ]
    return set(plan[told[-2] + 1 :])


def complaints(scene, outcome, excused):
    """What is wrong with how a run ended when one call failed."""
    found = unspeakable(outcome)
    shown = [s.folder for s in sightings(tree_of(scene.root))]
    done = "t2" in shown and len(read_book(scene.ledger).of_kind("committed")) == 2
    if outcome.code == 0 and not (done and excused):
        found.append("the error was not noticed")
    if outcome.code not in (0, 2, 3):
        found.append(f"ended with {outcome}")
    if "t2" in shown and "nothing was" in outcome.out + outcome.err:
        found.append("says that nothing was published, and it was")
    return found


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("error, chunk", FAILURES)
def test_one_call_fails(stage, error, chunk):
    plan, found = stage.plan("next"), []
    for point in plan[chunk::CHUNKS]:
        outcome = stage.spoil("next", point, f"error={error}")
        excused = point in tidying(plan) or any(
            point.name == call and point.target.endswith(end) for call, end in JUSTIFIED
        )
        wrong = complaints(stage.scene, outcome, excused) + aftermath(stage.scene, stage.warm)
        found += [(*point.place, complaint) for complaint in wrong]
    assert found == []


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk: mounting works only as root")
    yield place
    subprocess.run(["umount", place], check=True)


def _fill(place, pages):
    """Leave only so many free pages."""
    with open(place / "ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC
        ballast.truncate(max(0, os.fstat(ballast.fileno()).st_size - 4096 * pages))


@pytest.mark.parametrize("free", range(0, 64, 4))
def test_a_disk_that_is_really_full(stage, small_disk, free):
    scene = Scene(small_disk / "clinic").lay_out()
    for command in (scene.create(), scene.publish("t1")):
        assert stage.warm.run(command, keys=scene.keys).code == 0
    _fill(small_disk, free)
    outcome = stage.warm.run(scene.publish("t2"), keys=scene.keys)
    assert unspeakable(outcome) == []
    (small_disk / "ballast").unlink()
    assert outcome.code in (0, 2, 3)
    committed = 2 in read_book(scene.ledger).of_kind("committed")
    assert committed or outcome.code != 0
    # what fails after the commit (the witness beside the key) is no refusal: it says that the release is visible
    assert outcome.code == 0 or not committed or "release 2 is visible" in outcome.err
    assert aftermath(scene, stage.warm) == []
