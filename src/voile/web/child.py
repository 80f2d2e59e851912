"""One job in a process of its own: it has its own limits, ends when it is told to, and takes its table with it.

Standard input is one line of JSON, the job; it stays open while the server lives. Standard output: lines of JSON,
{"stage": ..., "share": ...} on the way, and at last {"done": document} or {"error": document}. The server starts a
child before there is a job, so that libraries are loaded when one comes.
"""

import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from voile.errors import VoileError, place_of
from voile.unix import bound_memory, forbid_core_dumps

Report = Callable[[str, float], None]
OFTEN = 0.2  # seconds between two reports of the same stage
LAST_WORDS = 5.0  # seconds to clean up in when the server is gone
COMPILING = "compiling, about 10 seconds, only this once"


def main() -> None:
    """Wait for the job, run it, and tell how it went."""
    forbid_core_dumps()
    signal.signal(signal.SIGTERM, lambda *_: _stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, who ends us
    os.umask(0o077)  # whoever writes a file, it is the steward's alone
    os.nice(10)  # pages come first
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print may quote cells
    _load()
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    job = json.loads(line)
    bound_memory(job["memory"])
    out = job["arguments"].get("out")
    if out:
        signal.signal(signal.SIGTERM, lambda *_: None if os.path.lexists(out) else _stop())  # visible: too late
    threading.Thread(target=_end_with_server, daemon=True).start()
    last = outcome_of(job["task"], job["arguments"], _reporting(said))
    said.write(json.dumps(last) + "\n")
    said.flush()
    os._exit(0)


def outcome_of(task: str, arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """What a task found, or why it was refused: in words that hold no cell."""
    try:
        run = importlib.import_module(f"voile.web.tasks.{task}").run
        return {"done": run(arguments, report)}
    except VoileError as error:
        return {"error": error.document()}
    except KeyboardInterrupt:
        return {"error": {"kind": "Cancelled", "what": "cancelled; nothing was published"}}
    except MemoryError:
        what = "needs more memory than a job may have"
        remedy = "voile serve --memory allows more; fewer columns need less"
        return {"error": {"kind": "MemoryError", "what": what, "remedy": remedy}}
    except BaseException as error:  # also what a library means as its end: its message may hold a cell
        what = f"a defect of Voile ({place_of(error)})"
        return {"error": {"kind": "Defect", "what": what, "remedy": "please report it; nothing was published"}}


def _stop() -> None:
    raise KeyboardInterrupt


def _load() -> None:
    for name in ("pipeline", "inspection.inspecting", "series.publishing", "reporting.pages"):
        importlib.import_module(f"voile.{name}")
    import numpy as np  # here, not above: by now we are polite

    from voile.kernels.compiled import kernels_are_cached
    from voile.kernels.csv_scan import scan

    if kernels_are_cached():  # the first thing that every job does
        scan(np.frombuffer(b"a,b\n", np.uint8), ord(","), 2**20)


def _end_with_server() -> None:
    sys.stdin.read()  # returns when the server is gone
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LAST_WORDS)
    os._exit(1)


def _reporting(said: Any) -> Report:
    from voile.kernels.compiled import kernels_are_cached

    lock = threading.Lock()
    last: list[Any] = ["", 0.0]

    def report(stage: str, share: float) -> None:
        now = time.monotonic()
        with lock:
            if stage == last[0] and now - float(last[1]) < OFTEN:
                return
            last[:] = [stage, now]
            said.write(json.dumps({"stage": stage, "share": share}) + "\n")
            said.flush()

    if not kernels_are_cached():
        report(COMPILING, 0)
    return report


if __name__ == "__main__":
    main()
