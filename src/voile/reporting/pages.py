"""Both reports of a release: begun beside its writing, finished when it is audited."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.auditing import AuditReport
from voile.core.release import Release
from voile.output.writers import write_bytes
from voile.reporting.markup import Markup
from voile.reporting.private_report import private_drawings, private_report
from voile.reporting.release_report import Drawings, drawings, release_report

REPORT = "report.html"
SETTING = "VOILE_REPORT"  # "no" in the environment: releases have no report unless one is asked for


@dataclass(frozen=True, repr=False, eq=False)
class Draft:
    """What takes time, before the audit has spoken: charts, and what compares with the source."""

    drawn: Drawings
    truth: Mapping[str, Any]
    private: Markup


def is_wanted(asked: bool | None) -> bool:
    """Whether a release gets its reports: as asked, or else as the environment says.

    >>> is_wanted(False)
    False
    """
    return os.environ.get(SETTING, "").casefold() != "no" if asked is None else asked


def draft(release: Release) -> Draft:
    """Count and draw what the reports of a release show."""
    drawn = drawings(release.frame, release.schema, release.certificate, release.sensitive)
    truth = release.truth(drawn.shown) if release.truth is not None else {}
    return Draft(drawn, truth, private_drawings({**release.private_record, **truth}))


def write_reports(draft: Draft, found: AuditReport, record: Mapping[str, Any], folder: Path) -> None:
    """report.html for everybody, and private/report.html for the steward."""
    write_bytes(release_report(found, draft.drawn).encode(), folder / REPORT)
    text = private_report(found, draft.drawn, {**record, **draft.truth}, draft.private)
    write_bytes(text.encode(), folder / "private" / REPORT)
