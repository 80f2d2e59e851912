"""`make peers`: runs everybody; writes results.json, results.md, a picture, and the figures of docs/comparison.md.

`python -m benchmarks.peers page` makes the texts and the picture again from results.json.
"""

import datetime
import json
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from benchmarks import adult
from benchmarks.peers.comparison import compared
from benchmarks.peers.environment import PEERS
from benchmarks.peers.page import write_pages

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
FINISHED = HERE.parents[1] / "build" / "peers"  # single runs, until all are there


def measured() -> dict[str, Any]:
    """One run of everybody; an interrupted one is resumed."""
    FINISHED.mkdir(parents=True, exist_ok=True)
    releases, audits = compared(FINISHED)
    shutil.rmtree(FINISHED)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "peers": PEERS,
        "releases": releases,
        "audits": audits,
    }


def main(again: bool) -> None:
    """Measure, unless there are figures already, and write them down."""
    if not again:
        if not adult.available():
            sys.exit("no data: `make data` gets it")
        RESULTS.write_text(json.dumps(measured(), indent=2) + "\n", encoding="utf-8")
    write_pages(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1:] == ["page"])
