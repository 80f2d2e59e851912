"""Jobs: what takes time, in child processes, a few at once; kept by id whatever the browser does meanwhile."""

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import voile
from voile.errors import place_of
from voile.output.staging import sweep
from voile.web.sessions import Session

WAITING, RUNNING, DONE, REFUSED, CANCELLED = "waiting", "running", "done", "refused", "cancelled"
GRACE = 3.0  # seconds in which a child may clean up; then it is killed, and we do
LONGEST_LINE = 2**26
AT_ONCE = 2
FINAL_STAGE = "writing and auditing"  # a release of a series is reserved here: no way back


@dataclass(eq=False, repr=False)
class Job:
    """One task with its arguments, how far it is, and what came of it."""

    id: str
    session: Session
    task: str
    title: str
    arguments: Mapping[str, Any]
    home: str = "/"  # the page that shows it
    sweeps: Path | None = None  # the folder in which it may leave something if it is killed
    final: bool = False  # whether it cannot be cancelled any more once it writes
    state: str = WAITING
    stage: str = ""
    share: float = 0.0
    began: float = 0.0  # of the stage
    started: float = 0.0
    seconds: float = 0.0
    document: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    then: Callable[["Job"], None] | None = None
    child: asyncio.subprocess.Process | None = None
    asked_to_stop: bool = False
    stopping: float = 0.0  # since when

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in (WAITING, RUNNING)

    @property
    def cancellable(self) -> bool:
        """Whether it can still be stopped without a trace."""
        return not self.over and not (self.final and self.stage == FINAL_STAGE)

    @property
    def cancelled(self) -> bool:
        """Whether a person stopped it: what the child says of that is no refusal."""
        return bool(self.stopping)

    @property
    def left(self) -> float | None:
        """Seconds until the stage ends, as far as it can be told."""
        if self.state != RUNNING or not 0.02 < self.share < 1:
            return None
        return (time.monotonic() - self.began) * (1 - self.share) / self.share


class Jobs:
    """A queue and its children."""

    def __init__(self, *, at_once: int = AT_ONCE, memory: int, seconds: float) -> None:
        self._memory, self._seconds, self._at_once = memory, seconds, at_once
        self._jobs: dict[str, Job] = {}
        self._queue: list[Job] = []
        self._running: set[asyncio.Task[None]] = set()
        self._spare: asyncio.subprocess.Process | None = None
        self._warming: asyncio.Task[None] | None = None  # kept: a loop forgets tasks that nobody holds
        self._closed = False

    def start(self, session: Session, task: str, title: str, arguments: Mapping[str, Any], **options: Any) -> Job:
        """Take a job; it runs as soon as there is room."""
        job = Job(secrets.token_hex(8), session, task, title, arguments, **options)
        self._jobs[job.id] = job
        self._queue.append(job)
        self._next()
        return job

    def of(self, session: Session, key: str) -> Job | None:
        """A job of this very session."""
        job = self._jobs.get(key)
        return job if job is not None and job.session is session else None

    def all_of(self, session: Session) -> list[Job]:
        """The jobs of a session, the newest first."""
        return [job for job in reversed(self._jobs.values()) if job.session is session]

    def place(self, job: Job) -> int:
        """How many are before a job that waits."""
        return self._queue.index(job) if job in self._queue else 0

    def cancel(self, job: Job) -> None:
        """Stop a job; it leaves nothing behind."""
        if not job.cancellable:
            return
        job.asked_to_stop = True
        job.stopping = job.stopping or time.monotonic()
        if job in self._queue:
            self._queue.remove(job)
            self._ended(job, CANCELLED)
        elif job.child is not None and job.child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                job.child.send_signal(signal.SIGTERM)

    def forget(self, session: Session) -> None:
        """The session has ended: so do its jobs."""
        for job in self.all_of(session):
            self.cancel(job)
            if job.over:
                self._jobs.pop(job.id, None)

    async def warm(self) -> None:
        """Start a child before there is a job for it."""
        if self._spare is not None or self._closed:
            return
        with contextlib.suppress(OSError):
            child = await _child()
            if self._spare is None and not self._closed:
                self._spare = child
            else:
                child.kill()

    async def close(self) -> None:
        """The server stops: all children end, and what they left is swept away."""
        self._closed = True
        for job in list(self._jobs.values()):
            self.cancel(job)
        if self._spare is not None and self._spare.returncode is None:
            self._spare.kill()
            await self._spare.wait()
        if self._running:
            await asyncio.wait(self._running, timeout=GRACE * 2)

    def _next(self) -> None:
        while self._queue and len(self._running) < self._at_once and not self._closed:
            task = asyncio.get_running_loop().create_task(self._run(self._queue.pop(0)))
            self._running.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._next()

    async def _run(self, job: Job) -> None:
        job.state, job.started, job.began = RUNNING, time.monotonic(), time.monotonic()
        child, self._spare = self._spare, None
        try:
            if child is None or child.returncode is not None:
                child = await _child()
            job.child = child
            if not self._queue:
                self._warming = asyncio.get_running_loop().create_task(self.warm())
            if not job.asked_to_stop:  # it can be cancelled while its process starts
                await self._followed(job, child)
        except OSError:
            job.error = {"kind": "Failed", "what": "its process could not be started", "remedy": "try again later"}
        except Exception as error:  # its message may hold what the child said
            what = f"a defect of Voile ({place_of(error)})"
            job.error = {"kind": "Defect", "what": what, "remedy": "please report it"}
        finally:
            if child is not None:
                await self._ending(job, child)
            self._ended(job, DONE if job.document else REFUSED if job.error and not job.cancelled else CANCELLED)

    async def _followed(self, job: Job, child: asyncio.subprocess.Process) -> None:
        """Give the job to a child, and listen until it ends, is stopped, or has had its time."""
        assert child.stdin is not None
        order = {"task": job.task, "arguments": dict(job.arguments), "memory": self._memory}
        with contextlib.suppress(ConnectionError):
            child.stdin.write(json.dumps(order).encode() + b"\n")
            await child.stdin.drain()
        listening = asyncio.get_running_loop().create_task(self._listen(job, child))
        try:
            await asyncio.wait_for(asyncio.shield(listening), self._seconds)
        except TimeoutError:
            job.asked_to_stop = True
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM)
            await asyncio.wait({listening}, timeout=GRACE)
            job.error = {
                "kind": "Failed",
                "what": f"given up after {self._seconds / 60:g} minutes",
                "remedy": "voile serve --minutes allows more; the command line has no limit",
            }
        finally:
            listening.cancel()

    async def _listen(self, job: Job, child: asyncio.subprocess.Process) -> None:
        assert child.stdout is not None
        while not job.stopping or time.monotonic() - job.stopping < GRACE:
            line = None
            with contextlib.suppress(TimeoutError):
                line = await asyncio.wait_for(child.stdout.readline(), 0.5)
            if line == b"":
                return
            if line is not None:
                self._heard(job, json.loads(line))

    def _heard(self, job: Job, message: Mapping[str, Any]) -> None:
        if "stage" in message:
            if message["stage"] != job.stage:
                job.began = time.monotonic()
            job.stage, job.share = str(message["stage"]), float(message["share"])
        job.document = message.get("done", job.document)
        job.error = message.get("error", job.error)

    async def _ending(self, job: Job, child: asyncio.subprocess.Process) -> None:
        """Nobody outlives its job; who was killed leaves a private folder, which is removed."""
        killed = False
        try:
            await asyncio.wait_for(child.wait(), GRACE if not job.asked_to_stop else 0.5)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            killed = True
            await child.wait()
        if (killed or child.returncode != 0) and job.sweeps is not None:
            sweep(job.sweeps)
        if not job.document and not job.error and not job.asked_to_stop:
            job.error = {
                "kind": "Failed",
                "what": f"its process was ended by signal {-(child.returncode or 0)}",
                "remedy": "perhaps the memory did not suffice: voile serve --memory allows more",
            }

    def _ended(self, job: Job, state: str) -> None:
        job.state, job.child = state, None
        job.seconds = time.monotonic() - job.started if job.started else 0.0
        if job.session.ended:
            self._jobs.pop(job.id, None)
            shutil.rmtree(job.session.folder, ignore_errors=True)  # it may have written after the log-out
        if job.then is not None:
            job.then(job)


async def _child() -> asyncio.subprocess.Process:
    """A process that waits for a job. Its error stream is of libraries, which may quote cells."""
    home = str(Path(voile.__file__).parents[1])
    known = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "voile.web.child"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": known},
        start_new_session=True,
        limit=LONGEST_LINE,
    )
