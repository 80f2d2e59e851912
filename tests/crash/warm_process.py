"""`voile` started hundreds of times: one process imports everything, and forks for each run.

A child is the real command line in a process of its own, only without the seconds that imports
and loading of kernels cost. A child that had to load something reports what; the parent then loads
just that. The parent itself never runs a query: the threads of polars do not survive a fork.
"""

import atexit
import gc
import importlib
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 300.0  # seconds until a run is taken as hung; it is there long before
MUCH_PATIENCE = 1200.0  # of one that may have to compile, or compares a whole catalog


@dataclass(frozen=True)
class Outcome:
    """How a run ended: exit code (negative: killed by that signal) and all it said."""

    code: int
    out: str
    err: str


class Run:
    """A child that was started; `wait` ends it."""

    def __init__(self, server: "WarmProcess", pid: int, said: Path) -> None:
        self.server, self.pid, self.said = server, pid, said

    def wait(self, patience: float = PATIENCE) -> Outcome:
        code = self.server.ask(wait=self.pid, patience=patience)["code"]
        texts = []
        for suffix in (".out", ".err"):
            path = self.said.with_suffix(suffix)
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
            path.unlink()
        return Outcome(code, *texts)


class WarmProcess:
    """The client's side: `start` a run (perhaps held at a gate until a tracer is attached) or `run` it."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.started = 0
        self.environment: dict[str, str] = {}  # what a run finds beside what this process has
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.warm_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def ask(self, **request) -> dict:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def start(self, arguments, *, keys: Path, mutant: str = "", gate: Path | None = None) -> Run:
        """With every file for all to read: what is private must be made so, not left to the user's mask."""
        environment = {**self.environment, "VOILE_KEYS": str(keys)}
        return self._start(arguments, environment, mutant=mutant, gate=str(gate or ""), umask=0)

    def _start(self, arguments, environment, **more) -> Run:
        self.started += 1
        said = self.scratch / f"said-{self.started}"
        pid = self.ask(arguments=[str(a) for a in arguments], environment=environment, said=str(said), **more)
        return Run(self, pid["pid"], said)

    def run(self, arguments, *, keys: Path, mutant: str = "") -> Outcome:
        return self.start(arguments, keys=keys, mutant=mutant).wait()

    def warm(self, arguments, *, keys: Path) -> Outcome:
        """Run once, and load in the parent whatever that run had to load."""
        return self._learning(arguments, {**self.environment, "VOILE_KEYS": str(keys)}, umask=0)

    def typed(self, arguments, *, cwd: Path, environment: dict[str, str], given: str) -> Outcome:
        """Run as typed in a folder, with that environment alone and something to read; warmer for the next."""
        entered = self.scratch / "given"
        entered.write_text(given, encoding="utf-8")
        return self._learning(arguments, environment, cwd=str(cwd), given=str(entered))

    def _learning(self, arguments, environment, **more) -> Outcome:
        report = self.scratch / "needed.pickle"
        outcome = self._start(arguments, environment, report=str(report), **more).wait(MUCH_PATIENCE)
        if report.exists():
            self.ask(warm=str(report))
            report.unlink()
        return outcome

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def _kernels():
    """Every kernel of the product, by the place it is defined in."""
    from voile.kernels.compiled import Kernel

    for name, module in list(sys.modules.items()):
        if name.startswith("voile") and module is not None:
            for attribute, value in list(vars(module).items()):
                if isinstance(value, Kernel) and value.__module__ == name:
                    yield (name, attribute), value


def _loaded() -> tuple[set, set]:
    """The modules of this process, and the signatures of its kernels."""
    return set(sys.modules), {
        (place, signature) for place, kernel in _kernels() for signature in kernel.signatures
    }


def _report(path: str, modules: set, signatures: set) -> None:
    """What was loaded since, if anything was."""
    more, compiled = _loaded()
    if more - modules or compiled - signatures:
        Path(path).write_bytes(pickle.dumps((sorted(more - modules), compiled - signatures)))


def _load(path: str) -> None:
    """Modules and compiled kernels (from numba's cache) that a run needed."""
    modules, needed = pickle.loads(Path(path).read_bytes())
    for name in modules:
        if name not in sys.modules and not name.startswith("__"):
            try:
                importlib.import_module(name)
            except Exception:  # a module another one made up, a plug-in: it will be loaded when needed
                continue
    for (module, attribute), signature in needed:
        getattr(sys.modules[module], attribute).dispatcher().compile(signature)


def _forked(request: dict) -> int:
    """Start a child; with a gate, return when it stands there: a tracer counts the same calls every time."""
    gate = os.open(request["gate"], os.O_RDWR) if request.get("gate") else -1
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(request, gate, lambda: os.write(writer, b"."))
    os.close(writer)
    if gate >= 0:
        os.read(reader, 1)
        os.close(gate)
    os.close(reader)
    return pid


def _child(request: dict, gate: int, ready: Callable[[], object]) -> None:
    """The forked process becomes `voile ARGUMENTS`."""
    _sit_down(request)
    if "report" in request:
        atexit.register(_report, request["report"], *_loaded())
    if request.get("mutant"):
        from tests.crash.mutants import apply

        apply(request["mutant"])
    if request.get("gate"):
        tempfile._name_sequence = (f"draft{number}" for number in itertools.count())  # a tracer filters by path
        ready()
        os.read(gate, 1)  # until a tracer is attached
    from voile.cli.main import main

    sys.argv = ["voile", *request["arguments"]]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # the command line lets nothing through; if it does, the tests shall see it
        traceback.print_exc()
        code = 70
    threading._shutdown()  # all that ends a process, but not the freeing of half a gigabyte, piece by piece
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _sit_down(request: dict) -> None:
    """Streams, environment, folder and mask, as a shell would have set them."""
    said = request["said"]
    for handle, path in ((0, request.get("given", os.devnull)), (1, f"{said}.out"), (2, f"{said}.err")):
        opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, handle)
        os.close(opened)
    sys.stdin, sys.stdout = os.fdopen(0, "r", closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
    if "cwd" in request:
        os.chdir(request["cwd"])
        os.environ.clear()
        tempfile.tempdir = None  # it may be another one here
    os.environ.update(request["environment"])
    if "umask" in request:
        os.umask(request["umask"])


def _ended(pid: int, patience: float) -> int:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -99  # hung


def _serve() -> None:
    import click  # noqa: F401
    import numba  # noqa: F401
    import polars  # noqa: F401

    import voile.pipeline  # noqa: F401

    talk = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        if "wait" in request:
            answer = {"code": _ended(request["wait"], request["patience"])}
        elif "warm" in request:
            _load(request["warm"])
            gc.freeze()  # collections in the children would copy every page
            answer = {}
        else:
            answer = {"pid": _forked(request)}
        talk.write(json.dumps(answer) + "\n")
        talk.flush()


if __name__ == "__main__":
    _serve()
