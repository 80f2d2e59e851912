"""Jobs in child processes: stopped without a trace at any moment, within their limits, and never without their
server."""

import asyncio
import contextlib
import os
import signal
import threading
from functools import partial

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.web.serving import LONG, Served, children_of, sent, served
from voile.hospital import write_hospital
from voile.web.fingerprint import fingerprint
from voile.web.jobs import CANCELLED, DONE, REFUSED, Jobs
from voile.web.sessions import Session

pytestmark = pytest.mark.slow  # starts processes
ENOUGH = 4 * 2**30
MOMENTS = ("starting", "reading", "grouping", "writing and auditing", "certificate.json")


def everything(folder):
    """All paths below, with those that a listing does not show."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def hospital(tmp_path):
    table, spec = write_hospital(tmp_path / "hospital")
    (tmp_path / "shelf").mkdir()
    return table, spec, tmp_path / "shelf"


def release(jobs, session, hospital, name="out", against="algorithm"):
    table, spec, shelf = hospital
    options = {"against": against, "l": 4}
    arguments = {"path": str(table), "spec": str(spec), "out": str(shelf / name), "format": "csv"}
    arguments |= {"algorithm": None, "options": options, "fingerprint": fingerprint(table, spec)}
    return jobs.start(session, "release", "Making", arguments, sweeps=shelf)


async def until(condition):
    async with asyncio.timeout(LONG):
        while not condition():
            await asyncio.sleep(0.005)


def awaited(coroutine):
    """Its result, from a thread of its own: in this one the browser of other tests may have a loop that runs."""
    ended = []
    thread = threading.Thread(target=lambda: ended.append(_ended(coroutine)))
    thread.start()
    thread.join()
    (result, error) = ended[0]
    if error is not None:
        raise error
    return result


def _ended(coroutine):
    try:
        return asyncio.run(coroutine), None
    except BaseException as error:
        return None, error


@contextlib.asynccontextmanager
async def some_jobs(**options):
    jobs = Jobs(**{"memory": ENOUGH, "seconds": LONG, **options})
    try:
        yield jobs
    finally:
        await jobs.close()


def is_at(moment, job, shelf, before):
    """Whether a job is in a stage, or has begun to write a file."""
    if "." not in moment:
        return moment in ("starting", job.stage)
    files = (os.path.join(place, name) for place, _, names in os.walk(shelf) for name in names)  # some may go away
    return any(path.endswith(moment) and os.path.relpath(path, shelf) not in before for path in files)


def test_cancelled_at_any_moment_nothing_is_left(hospital, tmp_path):
    """In the queue, while the process starts, at the first sign of each stage, and in between: the folder is as it
    was; or it came too late, and the release is whole."""
    shelf, session = hospital[2], Session("s", tmp_path / "session", 0.0)
    outcomes = []

    async def run():
        async with some_jobs(at_once=1) as jobs:
            whole = release(jobs, session, hospital, "whole")
            waits = release(jobs, session, hospital, "never")
            jobs.cancel(waits)
            assert waits.state == CANCELLED and waits not in jobs._queue
            stages = []
            await until(lambda: stages.append(whole.stage) or whole.over)
            assert whole.state == DONE and (shelf / "whole" / "certificate.json").is_file(), "control"
            before = everything(shelf)
            assert {"reading", "grouping", "writing and auditing"} <= set(stages)
            for moment in MOMENTS:
                job = release(jobs, session, hospital, "stopped")
                there = partial(is_at, moment, job, shelf, before)
                await until(lambda job=job, there=there: job.over or there())
                jobs.cancel(job)
                await until(lambda job=job: job.over)
                outcomes.append((moment, job.state))
                left = [name for name in everything(shelf) if name not in before]
                if job.state == DONE:
                    assert "stopped/certificate.json" in left and not any(name.startswith(".") for name in left)
                    before = everything(shelf)
                    (shelf / "stopped").rename(shelf / f"late-{len(outcomes)}")
                    before = everything(shelf)
                else:
                    assert job.state == CANCELLED and left == [], (moment, job.state, job.error, left)

    awaited(run())
    print(outcomes)
    assert sum(state == CANCELLED for *_, state in outcomes) >= 4


def test_a_job_that_needs_too_much_is_refused_in_words(tmp_path):
    """30 million cells that the footer may announce, in a child that may have 1 GiB."""
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10_000_000, np.int32)), pa.array(["x" * 100]))
    with pq.ParquetWriter(tmp_path / "large.parquet", pa.schema([("a", cells.type)])) as writer:
        for _ in range(3):
            writer.write_table(pa.table({"a": cells}))

    async def run():
        async with some_jobs(memory=2**30) as jobs:
            session = Session("s", tmp_path, 0.0)
            job = jobs.start(session, "inspect_table", "Looking", {"path": str(tmp_path / "large.parquet")})
            await until(lambda: job.over)
            assert job.state == REFUSED and "memory" in str(job.error) and "--memory" in job.error["remedy"]
            return job.error

    print(awaited(run()))


def test_a_job_that_takes_too_long_is_refused_in_words(hospital, tmp_path):
    shelf = hospital[2]

    async def run():
        async with some_jobs(seconds=0.6) as jobs:
            await jobs.warm()
            job = release(jobs, Session("s", tmp_path / "session", 0.0), hospital)
            await until(lambda: job.over)
            assert job.state == REFUSED and job.error["what"] == "given up after 0.01 minutes"
            assert "--minutes" in job.error["remedy"] and job.child is None

    awaited(run())
    assert everything(shelf) == []


TABLE = b"age,town,illness\n" + b"".join(b"%d,t%d,i%d\n" % (i % 90, i % 997, i % 13) for i in range(400_000))


def looking(client):
    """An upload that is being looked at."""
    return sent(client, "t.csv", TABLE)[1]


def test_a_killed_server_takes_its_children_along(tmp_path):
    app = Served(tmp_path)
    looking(app.client())
    children = children_of(app, 2)  # control: one works, one waits
    app.process.kill()
    app.process.wait()
    _, alive = psutil.wait_procs(children, timeout=LONG)
    assert alive == []
    app.stop()
    (left,) = tmp_path.glob(".voile-serve-*")
    assert list(left.rglob("table-*")), "control: what it left behind is a table"
    with served(tmp_path) as again:
        assert not left.exists()
        (own,) = tmp_path.glob(".voile-serve-*")
        with served(tmp_path) as other:
            assert own.exists(), "of a server that lives nothing is removed"
            assert other.port != again.port
    assert list(tmp_path.glob(".voile-*")) == []


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_stops_cleanly_in_the_middle_of_a_job(tmp_path, sent):
    """Ctrl-C, a polite kill, and a terminal that is closed."""
    app = Served(tmp_path)
    looking(app.client())
    children = children_of(app, 2)
    app.process.send_signal(sent)
    assert app.process.wait(LONG) == 0, app.said
    _, alive = psutil.wait_procs(children, timeout=LONG)
    assert alive == [] and list(tmp_path.glob(".voile-*")) == []
    app.stop()
    assert "stopped; what was uploaded is removed" in app.said and "Traceback" not in app.said
