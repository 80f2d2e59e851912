"""counterfeits.csv: the auxiliary relation of a release (paper 001, Definition 3)."""

import csv
import re
from pathlib import Path

from voile.core.schema import COUNTERFEITS, GROUP
from voile.errors import InputError

_COUNT = re.compile(r"[0-9]{1,15}")


def read_counterfeits(path: Path) -> dict[int, int]:
    """Rows per group that stand for nobody."""
    found: dict[int, int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        sound = header == [GROUP, COUNTERFEITS] and all(_COUNT.fullmatch(n) for line in lines for n in line)
        found = {int(group): int(number) for group, number in lines} if sound else {}
        sound = sound and len(found) == len(lines)
    except (OSError, ValueError, csv.Error):
        sound = False
    if not sound:
        raise InputError(
            "cannot be read", where=path.name, rule="whole numbers under group,counterfeits, a line per group"
        )
    return found
