"""Some lines of Python in a fresh process, so that peak memory is their own."""

import json
import signal
import subprocess
import sys
from typing import Any

_CHILD = """
import json, resource
{code}
print(json.dumps(result))
"""

# the limit counts from after the preparation: imports and compiling are not what is measured
_LIMITED = """
import time
{prepare}
used = time.process_time()
resource.setrlimit(resource.RLIMIT_CPU, (int(used + {seconds}) + 1,) * 2)
began = time.perf_counter()
{work}
result = {{
    "seconds": time.perf_counter() - began,
    "cpu_seconds": time.process_time() - used,
    "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    **found,
}}
"""


def measured(code: str) -> dict[str, Any]:
    """What the lines leave in `result`."""
    done = _run(code)
    if done.returncode:
        sys.exit(done.stderr)
    return _result(done)


def measured_within(seconds: float, prepare: str, work: str) -> dict[str, Any] | None:
    """Times and memory of the work, with what it leaves in `found`; None where it needs more CPU seconds."""
    done = _run(_LIMITED.format(prepare=prepare, work=work, seconds=seconds))
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    if done.returncode:
        sys.exit(done.stderr)
    return _result(done)


def _run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _CHILD.format(code=code)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
