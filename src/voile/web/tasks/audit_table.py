"""What a published table achieves, and what attacks find: `voile audit --report` for the page."""

from pathlib import Path
from typing import Any

from voile.reporting.rebuilding import report as written
from voile.web.child import Report


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The audit as data; its page is in `out`, which is new."""
    report("reading and judging", 0)
    _, found = written(
        arguments["path"],
        arguments["spec"],
        Path(arguments["out"]),
        require=arguments.get("require", ""),
        against=arguments.get("against") or None,
        strong=bool(arguments.get("strong")),
    )
    largest = found.achieved["frequency_l_diversity"].achieved
    sizes = found.bags.rows
    return {
        **found.document(),
        "judged": found.judged,
        "certified": found.certificate is not None,
        "best_guess": float(1 / largest) if largest else None,
        "smallest": int(sizes.min()) if sizes.size else 0,
    }
