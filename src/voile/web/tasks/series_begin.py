"""A new series: a folder of its own with a ledger in it, and the key elsewhere."""

import contextlib
import os
from pathlib import Path
from typing import Any

from voile.errors import OutputError
from voile.ledger import Ledger
from voile.series.publishing import Series
from voile.web.child import Report


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """`ledger` is a path in a folder that does not exist yet; a failure leaves nothing there."""
    report("making the ledger and its key", 0)
    ledger = Path(arguments["ledger"])
    problem = ""
    try:
        ledger.parent.mkdir(mode=0o700)
    except OSError as error:
        problem = os.strerror(error.errno or 0).lower()
    if problem:
        raise OutputError(
            f"cannot be made ({problem})", where=f"folder {ledger.parent.name}", remedy="choose another name"
        )
    try:
        Series.create(ledger)
    except BaseException:
        for left in (ledger.with_name(ledger.name + ".lock"), ledger):
            left.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            ledger.parent.rmdir()
        raise
    return {"key": str(Ledger.read(ledger).key_path)}
