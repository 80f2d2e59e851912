"""Reports made from what lies on the disk: of a release, or of any published table."""

import contextlib
import itertools
import json
import os
from pathlib import Path
from typing import Any

from voile.asked import demanded
from voile.auditing import AuditReport, audited
from voile.errors import ParameterError
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import read_table
from voile.release_files import read_release
from voile.reporting.page_files import PRIVATE, refuse_occupied, refuse_published, write_page
from voile.reporting.pages import REPORT
from voile.reporting.private_report import private_drawings, private_report
from voile.reporting.release_report import drawings_of, release_report
from voile.reporting.source_file import refuse_other_source
from voile.reporting.true_columns import before_and_after
from voile.requirements import parse_requirements


def report(
    published: Any,
    spec: Spec,
    out: str | Path | None = None,
    *,
    source: Any = None,
    require: str = "",
    against: str | None = None,
    strong: bool = False,
) -> tuple[Path, AuditReport]:
    """Write the report of a release folder, or of any published table (a file, or `voile.database`); returns its
    path and the audit.

    `out` is report.html in the folder unless given; a file is never overwritten. With `source`, the table that the
    release was made of, the report is the steward's own: by default a new file in private/, and never published.
    `require`, `against` and `strong` as in `audit`.
    """
    schema = schema_of(spec)
    requirements, demands = parse_requirements(require), demanded(against, strong)
    target = _target(published, out, source is not None)
    release = read_release(published, schema)
    if source is None:
        found = audited(release, requirements, demands)
        return write_page(release_report(found, drawings_of(release)), target), found
    record: dict[str, Any] = {}
    if release.folder is not None:
        refuse_published(target, *([release.folder] if release.ours else []))
        record = _record(release.folder)
        refuse_other_source(source, record, release.folder / PRIVATE)
    found, drawn = audited(release, requirements, demands), drawings_of(release)
    record |= {"before_after": before_and_after(read_table(source, schema), drawn.shown)}
    return write_page(private_report(found, drawn, record, private_drawings(record)), target), found


def _target(published: Any, out: str | Path | None, private: bool) -> Path:
    is_folder = isinstance(published, str | os.PathLike) and Path(published).is_dir()
    if out is None and not is_folder:
        raise ParameterError(
            "no name for the report",
            where="out",
            rule="only a folder has a place for it",
            remedy="name a file with -o",
        )
    own = Path() if out is not None else Path(published) / PRIVATE
    if private and out is None and not own.is_dir():
        raise ParameterError(
            "no private folder in the release",
            where="out",
            rule="what compares with the source is the steward's alone",
            remedy="name a file outside of the release with -o",
        )
    target = Path(out) if out is not None else _free(own) if private else own.with_name(REPORT)
    refuse_occupied(target)
    return target


def _free(folder: Path) -> Path:
    """report.html, or report-2.html and so on: the one that was made with the release stays."""
    names = itertools.chain([REPORT], (REPORT.replace(".", f"-{i}.") for i in itertools.count(2)))
    return next(folder / name for name in names if not os.path.lexists(folder / name))


def _record(folder: Path) -> dict[str, Any]:
    """The private record of a release, where it is there and whole."""
    path = folder / PRIVATE / "record.json"
    with contextlib.suppress(OSError, ValueError, RecursionError):
        record = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(record, dict):
            return record
    return {}
