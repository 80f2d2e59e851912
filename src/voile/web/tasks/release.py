"""From a file to an audited release: `voile anonymize` for the page."""

from typing import Any

from voile.pipeline import publish
from voile.web.child import Report
from voile.web.fingerprint import refuse_changed

REMEDY = "look at the columns and the promise again, then make the release"


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The certificate and what only the steward may see; the files are in `out`."""
    refuse_changed(arguments, "you asked for the release", "what is published was on the page", REMEDY)
    release, found = publish(
        arguments["path"],
        arguments["spec"],
        arguments.get("algorithm"),
        arguments["out"],
        format=arguments["format"],
        report=report,
        with_report=True,
        **arguments["options"],
    )
    record = release.private_record
    return {
        "certificate": release.certificate,
        "read": {name: record[name] for name in ("rows_read", "rows_dropped_as_missing") if name in record},
        "met": list(found.met),
        "attacks": record.get("attacks", []),
    }
