"""Runs in child processes, some at a time; when the parent stops, so do they."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

import voile
from voile.comparing.plan import Run
from voile.core.table import Table
from voile.errors import OutputError

_CHILD = "voile.comparing.one_run"
ATTEMPTS = 3  # the first may compile kernels; the second may see others being compiled beside it


class Children:
    """`with Children(table, folder, ...) as children:` then `children.outcomes(runs)`.

    The table is written once, into a file without a name, which children inherit: it is gone when they and we are,
    however we end. It takes room on the disk of `folder`, or where temporary files go.
    """

    def __init__(self, table: Table, folder: Path | None, *, jobs: int, measure: str, limit: float | None) -> None:
        self._table = _nameless(table, folder)
        self._measure, self._limit = measure, limit
        self._pool = ThreadPoolExecutor(jobs)
        # waiting for a condition or a future, the lock can be lost to Ctrl-C; such a queue waits without
        self._done: SimpleQueue[tuple[Run, dict[str, Any]]] = SimpleQueue()
        self._guard = threading.Lock()
        self._alive: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._stopped = True
            for child in self._alive:
                child.kill()
        self._pool.shutdown(cancel_futures=True)
        self._table.close()

    def outcomes(self, runs: Sequence[Run]) -> Iterator[tuple[Run, dict[str, Any]]]:
        """Each run with its outcome, as it ends."""
        for run in runs:
            self._pool.submit(self._run, run)
        for _ in runs:
            yield self._done.get()

    def _run(self, run: Run) -> None:
        try:
            for attempt in range(ATTEMPTS):
                found = self._attempt(run, last=attempt == ATTEMPTS - 1)
                if "again" not in found:
                    break
        except Exception:  # whatever it is: who waits for an outcome must get one
            found = _failed("its process could not be started: perhaps the memory did not suffice")
        self._done.put((run, found))

    def _attempt(self, run: Run, last: bool) -> dict[str, Any]:
        child = self._started()
        if child is None:
            return _failed("interrupted")
        job = {
            "table": self._table.fileno(),
            "algorithm": run.algorithm,
            "parameters": dict(run.parameters),
            "measure": self._measure,
            "last": last,
        }
        try:
            said = self._asked(child, json.dumps(job).encode() + b"\n")
        finally:
            with self._guard:
                self._alive.discard(child)
        return _as_said(said, child.returncode, self._limit)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """A child; a session of its own keeps Ctrl-C for the parent, who ends it. What it says on its error stream
        is of libraries, which may quote cells."""
        home = str(Path(voile.__file__).parents[1])
        known = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        with self._guard:
            if self._stopped:
                return None
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": known},
                start_new_session=True,
                pass_fds=(self._table.fileno(),),
            )
            self._alive.add(child)
        return child

    def _asked(self, child: subprocess.Popen[bytes], job: bytes) -> bytes | None:
        """What the child says; None if it needs longer than it may."""
        assert child.stdin is not None and child.stdout is not None
        over = threading.Event()

        def give_up() -> None:
            over.set()
            child.kill()

        timer = threading.Timer(self._limit or 0, give_up)
        if self._limit is not None:
            timer.start()
        with child.stdin, child.stdout:  # its end stays open: that is how the child knows that we are there
            said = b""
            try:
                child.stdin.write(job)
                child.stdin.flush()
                said = child.stdout.read()
            except BrokenPipeError:  # it ended before it read
                pass
            child.wait()
        timer.cancel()
        return None if over.is_set() else said


def _nameless(table: Table, folder: Path | None) -> IO[bytes]:
    """A file that holds the table and is in no folder."""
    problem = ""
    try:
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 the children's: closed when they are done
        pickle.dump(table, file, 5)
        file.flush()
    except OSError as error:
        problem = os.strerror(error.errno or 0).lower()
    if problem:
        remedy = "free space or choose another folder"
        raise OutputError(f"cannot be written ({problem})", where="table for the runs", remedy=remedy)
    return file


def _as_said(said: bytes | None, code: int, limit: float | None) -> dict[str, Any]:
    if said is None:
        return _failed(f"given up after {limit:g} seconds; allow more, or leave it out")
    try:
        found = json.loads(said)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return _failed(
        f"its process was ended by signal {-code}: perhaps the memory did not suffice"
        if code < 0
        else "its process ended without a word: please report it"
    )


def _failed(what: str) -> dict[str, Any]:
    """Not an outcome of the run: it may succeed next time."""
    return {"refusal": what, "why": "failed"}
