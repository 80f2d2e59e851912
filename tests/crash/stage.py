"""The scene as it was before each act, and the acts that are attacked."""

from dataclasses import replace
from pathlib import Path

from tests.crash.scene import Scene
from tests.crash.system_calls import Call, Fault, Point, calls, points, struck, traced
from tests.crash.warm_process import Outcome, WarmProcess

TRIES = 5
# act -> what the clinic has before it
ACTS = {"create": "bare", "first": "created", "next": "one", "rotate": "one"}


class Stage:
    """Sets the scene, and runs an act on it: creating the ledger, the first release, the next, a new key."""

    def __init__(self, scene: Scene, warm: WarmProcess, folder: Path) -> None:
        self.scene, self.warm, self.folder = scene, warm, folder
        self.log = folder / "log"
        self._plans: dict[tuple[str, str], list[Point]] = {}
        scene.lay_out()
        self._keep("bare")
        for name, command in (("created", scene.create()), ("one", scene.publish("t1"))):
            outcome = warm.warm(command, keys=scene.keys)
            assert outcome.code == 0, outcome
            self._keep(name)
        for command in (scene.publish("t2"), scene.rotate()):  # whatever compiles, compiles now
            warm.warm(command, keys=scene.keys)

    def _keep(self, name: str) -> None:
        self.scene.keep(self.folder / name)

    def set(self, act: str) -> Scene:
        """The clinic as before this act."""
        self.scene.restore(self.folder / ACTS[act])
        return self.scene

    def command(self, act: str) -> list[str]:
        return {
            "create": self.scene.create(),
            "first": self.scene.publish("t1"),
            "next": self.scene.publish("t2"),
            "rotate": self.scene.rotate(),
        }[act]

    def play(self, act: str, mutant: str = "", data: bool = False) -> Outcome:
        """Set the scene and run the act, traced."""
        return self._run(act, None, mutant, data)

    def spoil(self, act: str, point: Point, what: str, mutant: str = "") -> Outcome:
        """The same with a fault at one call."""
        tries = [point.index] * TRIES  # who takes which write, or loads what both need, threads decide anew
        for index in [*tries, *([1] if point.beside else [])]:
            outcome = self._run(act, Fault(replace(point, index=index), what), mutant)
            if struck(self.log) == point.place:
                return outcome
        raise AssertionError(f"the fault met another call than {point}")

    def _run(self, act: str, fault: Fault | None, mutant: str, data: bool = False) -> Outcome:
        self.set(act)
        arguments, keys = self.command(act), self.scene.keys
        return traced(self.warm, arguments, keys=keys, log=self.log, mutant=mutant, fault=fault, data=data)

    def plan(self, act: str, mutant: str = "") -> list[Point]:
        """Every call of an act that would write into the clinic's folder."""
        if (act, mutant) not in self._plans:
            outcome = self.play(act, mutant=mutant)
            assert outcome.code == 0, outcome
            self._plans[act, mutant] = points(self.log, self.scene.root)
        return self._plans[act, mutant]

    def recording(self, act: str, mutant: str = "") -> list[Call]:
        """All calls of an act, with their bytes."""
        outcome = self.play(act, mutant=mutant, data=True)
        assert outcome.code == 0, outcome
        return calls(self.log)
