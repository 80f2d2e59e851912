"""A release becomes visible: written privately, audited from what is read again, then revealed."""

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from voile.auditing import AuditReport, audit, audited
from voile.core.release import Release
from voile.core.schema import CERTIFICATE, COUNTERFEITS, SENSITIVE_TABLE
from voile.errors import PromiseBroken
from voile.output.database_target import DatabaseTarget
from voile.output.staging import Staging
from voile.output.writers import set_dates, write_counterfeits, write_data, write_document, write_private
from voile.release_files import release_in
from voile.reporting.pages import draft, is_wanted, write_reports
from voile.sql.digest import table_digest


def write_audited(
    release: Release,
    staging: Staging,
    format: str,
    register: Callable[[dict[str, str]], None] | None = None,
    with_report: bool | None = None,
    target: DatabaseTarget | None = None,
) -> AuditReport:
    """Write, audit what is read again, and reveal; `register` learns the digests before the world does. With a
    `target` the rows go there, and the folder gets the rest. Reports are drawn meanwhile."""
    with staging.writing(), ThreadPoolExecutor(1) as meanwhile:
        drawing = meanwhile.submit(draft, release) if is_wanted(with_report) else None
        if target is None:
            digests, found = _in_files(release, staging.path, format)
        else:
            digests, found = _in_tables(release, staging.path, target)
        truth = {} if drawing is None else drawing.result().truth
        write_private({**release.private_record, **truth}, staging.path / "private")
        if drawing is not None and found.ok:
            write_reports(drawing.result(), found, release.private_record, staging.path)
        set_dates(staging.path, str(release.certificate["date"]))
    if not found.ok or found.rows != release.frame.height or not found.digest_matches:
        raise PromiseBroken(
            "the written release failed its audit; nothing was revealed",
            where="data",
            rule="; ".join(found.failures) or "rows and digest as written",
            remedy="check the disk; if it persists, please report it",
        )
    if register is not None:
        register(digests)
    if target is not None:  # first what the world sees; if the folder fails now, the tables have their certificate
        target.reveal()
    staging.reveal()
    return found


def _in_files(release: Release, folder: Path, format: str) -> tuple[dict[str, str], AuditReport]:
    """The release in a private folder: digests of its files, and what they hold."""
    written = [write_data(release.frame, folder, format)]
    if release.sensitive is not None:
        written.append(write_data(release.sensitive, folder, format, SENSITIVE_TABLE))
    if release.counterfeits is not None:
        written.append(write_counterfeits(release.counterfeits, folder))
    files = {path.name: sha256_of(path) for path in written}
    certificate = write_document({**release.certificate, "files": files}, folder / "certificate.json")
    return {**files, certificate.name: sha256_of(certificate)}, audit(folder, release.schema)


def _in_tables(release: Release, folder: Path, target: DatabaseTarget) -> tuple[dict[str, str], AuditReport]:
    """The release in tables that nobody else sees, its certificate in one of them and in the folder."""
    parts = {"data": release.frame, SENSITIVE_TABLE: release.sensitive, COUNTERFEITS: release.counterfeits}
    # whole numbers stay numbers; all else is text, as in a CSV: no database has all types of another
    text = (~cs.integer()).cast(pl.String)
    tables = {name: part.with_columns(text) for name, part in parts.items() if part is not None}
    document: dict[str, Any] = {
        **release.certificate,
        "files": {name: table_digest(table) for name, table in tables.items()},
    }
    certificate = write_document(document, folder / "certificate.json")
    stated = pl.DataFrame({CERTIFICATE: [json.dumps(document, ensure_ascii=False)]})
    connection = target.write({**tables, CERTIFICATE: stated})
    found = audited(release_in(connection, target.source, release.schema), [])
    return {**document["files"], certificate.name: sha256_of(certificate)}, found


def sha256_of(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
