"""What follows a fault: look, publish again, recover where the ledger asks for it, and look again."""

import json

from tests.crash.invariants import exposed, forgotten, violations
from tests.crash.ledger_book import read_book
from tests.crash.power_loss import tree_of
from tests.crash.scene import Scene, Sighting, sightings
from tests.crash.warm_process import Outcome, WarmProcess

UNSPEAKABLE = ("Traceback", "defect of Voile", "database is locked", "sqlite3.", "OperationalError")


def unspeakable(outcome: Outcome) -> list[str]:
    """What no user may ever read."""
    return [f"said {words!r}" for words in UNSPEAKABLE if words in outcome.out + outcome.err]


def refusal(outcome: Outcome) -> list[str]:
    """A refusal of the ledger must be named and say what to do."""
    if outcome.code != 3:
        return []
    error = json.loads(outcome.out)["error"] if outcome.out.startswith("{") else {}
    named = error.get("kind") == "LedgerRefused" and error.get("what") and error.get("remedy")
    return [] if named else [f"I5: refused without a reason: {outcome}"]


def aftermath(scene: Scene, warm: WarmProcess, seen: list[Sighting] | None = None, table: str = "t3") -> list[str]:
    """Every violation after a fault and after the next publish; `seen` if more was visible than is now."""
    if seen is None:
        seen = sightings(tree_of(scene.root))
    found = violations(scene, seen) + exposed(scene)
    before = read_book(scene.ledger)
    outcome = warm.run(scene.publish(table), keys=scene.keys)
    found += unspeakable(outcome) + refusal(outcome)
    if outcome.code == 3:
        found += recovered(scene, warm, seen) if before.born else begun_again(scene, warm)
        outcome = warm.run(scene.publish(table), keys=scene.keys)
    if outcome.code:
        found.append(f"I5: the next publish ended with {outcome}")
    here = sightings(tree_of(scene.root))
    now = here + [lost for lost in seen if lost.folder not in {s.folder for s in here}]
    found += violations(scene, now) + exposed(scene) + forgotten(scene, before, seen)
    return found + [f"left behind: {name}" for name in scene.staging()]


def begun_again(scene: Scene, warm: WarmProcess) -> list[str]:
    """Creating a ledger that never came to be must work the second time."""
    outcome = warm.run(scene.create(), keys=scene.keys)
    found = unspeakable(outcome)
    return found if outcome.code == 0 else [*found, f"I5: creating it again ended with {outcome}"]


def recovered(scene: Scene, warm: WarmProcess, seen: list[Sighting]) -> list[str]:
    """An operator does what the refusal says, and attests only what is true."""
    book = read_book(scene.ledger)
    shown = {json.loads(s.files["certificate.json"])["series"]["release"] for s in seen}
    closed = book.of_kind("committed").keys() | book.of_kind("abandoned").keys()
    command = ["ledger", "recover", str(scene.ledger)]
    for release in book.of_kind("reserved"):
        if release not in closed | shown:
            command += ["--attest-not-published", str(release)]
    outcome = warm.run(command, keys=scene.keys)
    found = unspeakable(outcome)
    return found if outcome.code == 0 else [*found, f"I5: recovery ended with {outcome}"]
