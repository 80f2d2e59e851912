"""The peers' own environment, and runs in it."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[1] / ".venv-peers"
PEERS = ("anjana==1.2.3", "anonypy==0.2.1", "anonypyx==0.2.11", "crowds==0.0.1", "pycanon==1.3.5")
NOT_RUN = {  # what the registry has besides, and why it is not here
    "pyARXaaS": "a client of a server that runs ARX; there is no server in the registry",
    "ai-privacy-toolkit": "k-anonymity guided by a trained model, for training another: another task",
    "mondrian, incognito, amnesia": "packages of these names do other things (logging, texts, web servers)",
}
CPU_SECONDS = 300  # of one run, imports included


def environment() -> Path:
    """The peers' Python, made on first use and when a peer is added."""
    python, note = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "peers.txt"
    if not note.is_file() or note.read_text(encoding="utf-8") != "\n".join(PEERS):
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS]
        subprocess.run(install, check=True)
        note.write_text("\n".join(PEERS), encoding="utf-8")
    return python


def why_ended(code: int) -> str:
    """Why a child left nothing; only the limit of CPU time is the peer's own doing.

    >>> why_ended(-signal.SIGXCPU), why_ended(-signal.SIGKILL), why_ended(1)
    ('more than 300 CPU seconds', 'ended from outside (SIGKILL)', 'exit code 1')
    """
    if code == -signal.SIGXCPU:
        return f"more than {CPU_SECONDS} CPU seconds"
    return f"ended from outside ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"


def peer_run(folder: Path, peer: str, promise: str, number: int = 0) -> dict[str, Any]:
    """What one run took, or the kind of its error; at once, if the folder has it from an interrupted run."""
    found = folder / f"{peer}-{promise}-{number}.json"
    if found.is_file():
        return {**json.loads(found.read_text(encoding="utf-8")), "apart": True}
    command = [environment(), HERE / "peer_child.py", folder, peer, promise, str(number)]
    done = subprocess.run(command, capture_output=True, check=False)
    if not found.is_file():
        return {"error": why_ended(done.returncode)}
    answer: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    return answer
