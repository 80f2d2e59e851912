"""Some lines of Python in a fresh process, so that peak memory is their own."""

import json
import subprocess
import sys
from typing import Any

_CHILD = """
import json, resource
{code}
print(json.dumps(result))
"""


def measured(code: str) -> dict[str, Any]:
    """What the lines leave in `result`."""
    command = [sys.executable, "-c", _CHILD.format(code=code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
