"""The next release of a series, audited and remembered: `voile publish` for the page."""

import contextlib
import re
from pathlib import Path
from typing import Any

from voile.errors import LedgerRefused
from voile.ledger import Ledger
from voile.output.writers import write_bytes
from voile.series.publishing import Series
from voile.web.child import Report
from voile.web.fingerprint import refuse_changed
from voile.web.tasks.series_preview import described, table_of

PREVIEWED = "what is published was previewed"
HIERARCHY = re.compile(r"hierarchy-[0-9]+\.csv")


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The certificate and what the plan was; the files are in `out`."""
    ledger, number = Path(arguments["ledger"]), int(arguments["number"])
    _refuse_moved_on(ledger, number)
    refuse_changed(arguments, "the preview", PREVIEWED, "preview it again")
    table = table_of(arguments, report)
    options = {**arguments["parameters"], "all_new": bool(arguments["all_new"])}
    plan, found = Series(ledger).publish(
        table, arguments["out"], format=arguments["format"], report=report, with_report=True, **options
    )
    with contextlib.suppress(Exception):  # the release is out: a convenience must not make it look refused
        _keep_spec(Path(arguments["spec"]), ledger)
    return {**described(plan), "certificate": dict(plan.release.certificate), "met": list(found.met)}


def _refuse_moved_on(ledger: Path, number: int) -> None:
    """What was previewed is what is published: not if another release came between, a second click for one."""
    now = Ledger.read(ledger).next_release
    if now != number:
        raise LedgerRefused(
            f"release {number} was previewed, but the next one is {now}",
            where=f"ledger {ledger.name}",
            rule=PREVIEWED,
            remedy="preview it again",
        )


def _keep_spec(spec: Path, ledger: Path) -> None:
    """The spec of the first release beside the ledger, where the command line and the next release look for it.
    Never in place of something that is there."""
    target = ledger.with_suffix(".toml")
    files = [path for path in spec.parent.iterdir() if HIERARCHY.fullmatch(path.name)]
    if any((ledger.parent / name).exists() for name in (target.name, *(path.name for path in files))):
        return
    for path in files:
        write_bytes(path.read_bytes(), ledger.parent / path.name)
    write_bytes(spec.read_bytes(), target)
