"""A release as it lies on a disk or in a database: what belongs to it, and what its certificate promises."""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from voile import catalog
from voile.core.parameters import exact_number
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import CERTIFICATE, COUNTERFEITS, SENSITIVE_TABLE, TWO_TABLES, FileOptions, Role, Schema
from voile.errors import InputError, ParameterError
from voile.intake import true_values
from voile.intake.counterfeits import counterfeits_in, read_counterfeits
from voile.intake.header import sound_names
from voile.intake.part_files import read_parts, suffix_of
from voile.intake.published_values import base_values_in, unquoted
from voile.intake.table_reader import with_rows
from voile.requirements import bounded, promise_with
from voile.sql.connection import Connection, opened
from voile.sql.digest import table_digest
from voile.sql.source import DatabaseSource

DATA = "data"  # the folder of parts, where a cluster wrote them
_DATA = ("data.csv", "data.parquet", DATA)


@dataclass(frozen=True, repr=False, eq=False)
class ReadRelease:
    """A release as it was read: its rows, how to read them, and its certificate. Of a release in two
    tables the rows are those of the quasi-identifiers, and `sensitive` has the values of each group."""

    name: str  # of the file or table with the rows, or of the folder with its parts
    folder: Path | None  # None: it is in a database
    frame: pl.DataFrame
    schema: Schema  # with the options of this file
    ours: bool  # UTF-8 and commas, whatever the source was
    certificate: Mapping[str, Any] | None
    problem: tuple[str, ...]
    sensitive: pl.DataFrame | None = None
    auxiliary: pl.DataFrame | None = None  # of a database: the table of counterfeits

    @property
    def quoted(self) -> bool:
        """Whether it is our CSV: cells that a spreadsheet would run have a quote in front."""
        return self.ours and self.folder is not None and suffix_of(self.folder / self.name) == ".csv"

    def counterfeits(self) -> dict[int, int]:
        """Rows per group that stand for nobody, as stated beside the rows."""
        if self.folder is None:
            return {} if self.auxiliary is None else counterfeits_in(self.auxiliary)
        listed = self.folder / f"{COUNTERFEITS}.csv"
        return read_counterfeits(listed) if self.ours and listed.is_file() else {}

    def refuse_two_tables(self, what: str) -> None:
        """For what compares people with the boxes of groups: here everybody's own values are published."""
        if self.sensitive is not None:
            raise InputError(
                "published in two tables",
                where=f"release {self.folder.name if self.folder is not None else self.name}",
                rule=f"{what} is about generalised groups; here quasi-identifiers are published as they are",
                remedy="see what voile audit says of it",
            )


def read_release(source: Any, schema: Schema) -> ReadRelease:
    """Read a table file, a folder that Voile wrote (a cluster writes parts), or a table of a database with what
    belongs to it."""
    if isinstance(source, DatabaseSource):
        with opened(source.address) as connection:
            return release_in(connection, source, schema)
    source = Path(source)
    path, certificate, problem = locate(source)
    ours = path != source or certificate is not None
    if ours:
        schema = replace(schema, file=FileOptions())
    frame = read_parts(path, schema, may_be_empty=certificate is not None)
    sensitive = read_sensitive(path, certificate) if ours else None
    return ReadRelease(path.name, path.parent, frame, schema, ours, certificate, problem, sensitive)


def release_in(connection: Connection, source: DatabaseSource, schema: Schema) -> ReadRelease:
    """Read a release, or any table or query, through a connection: all its tables at one moment."""
    found = {"data": connection.frame(source.relation)}
    for name in (SENSITIVE_TABLE, COUNTERFEITS, CERTIFICATE):
        if source.table is not None and connection.has(beside := source.table.beside(name)):
            found[name] = connection.frame(beside.sql)
    for frame in found.values():
        frame.columns = sound_names(frame.columns)
    certificate, problem = _stated(found.pop(CERTIFICATE, None))
    if certificate is None:
        with_rows(found["data"], "table")
    else:
        schema = replace(schema, file=FileOptions())
    sensitive, auxiliary = found.get(SENSITIVE_TABLE), found.get(COUNTERFEITS)
    ours = certificate is not None
    return ReadRelease(source.name, None, found["data"], schema, ours, certificate, problem, sensitive, auxiliary)


def _stated(table: pl.DataFrame | None) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The certificate in its table of one cell, or why it cannot be trusted."""
    if table is None:
        return None, ()
    text = str(table.item()) if table.shape == (1, 1) else ""
    return certificate_of(text)


def read_sensitive(data: Path, certificate: Mapping[str, Any] | None) -> pl.DataFrame | None:
    """The table of sensitive values beside that of quasi-identifiers; None if the release is one table."""
    beside = data.with_name(SENSITIVE_TABLE + data.suffix)
    if not beside.exists() if certificate is None else certificate["table"].get("published") != TWO_TABLES:
        return None
    return read_parts(beside, Schema(()), may_be_empty=certificate is not None)


def as_certified(release: ReadRelease) -> bool:
    """Whether all files of a release are those that its certificate names; false without one."""
    files = {} if release.certificate is None else release.certificate["files"]
    if release.folder is None:
        tables = {"data": release.frame, SENSITIVE_TABLE: release.sensitive, COUNTERFEITS: release.auxiliary}
        return bool(files == {name: table_digest(table) for name, table in tables.items() if table is not None})
    here = dict(_files(release.folder))
    beside = [f"{COUNTERFEITS}.csv", *(SENSITIVE_TABLE + suffix for suffix in (".csv", ".parquet"))]
    shown = {name for name in here if "/" in name or name in (release.name, *beside)}
    return all(name in here and files.get(name) == _digest(here[name]) for name in {*files, *shown})


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files that a certificate can name: those in the folder, and parts of a table."""
    for path in folder.iterdir():
        if path.is_file():
            yield path.name, path
    for parts in (folder / DATA, folder / SENSITIVE_TABLE):
        for path in parts.iterdir() if parts.is_dir() else ():
            yield f"{parts.name}/{path.name}", path


def _digest(path: Path) -> str:
    """Of a file; "" of what is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def plain(release: ReadRelease) -> ReadRelease:
    """The release with its sensitive values as they were before our CSV quoted what a spreadsheet would run."""
    if not release.quoted:
        return release
    names = [c.name for c in release.schema.with_role(Role.SENSITIVE)]

    def bare(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(unquoted(frame[name]) for name in names if name in frame.columns)

    sensitive = None if release.sensitive is None else bare(release.sensitive)
    return replace(release, frame=bare(release.frame), sensitive=sensitive)


def locate(source: Path) -> tuple[Path, dict[str, Any] | None, tuple[str, ...]]:
    """The data file, or the folder of its parts; of a Voile release also its certificate, or why that cannot be
    trusted."""
    inside = source.name in _DATA and not (source / "certificate.json").exists()
    if inside and source.exists() and (source.parent / "certificate.json").is_file():
        source = source.parent
    if not source.is_dir():
        return source, None, ()
    found = [source / name for name in _DATA if (source / name).exists()]
    if not found:
        raise InputError("no data.csv or data.parquet", where=source.name, remedy="name the table's file")
    return found[0], *read_certificate(source)


def read_certificate(folder: Path) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The certificate in a folder, or why it cannot be trusted; neither if there is none."""
    if not (folder / "certificate.json").exists():
        return None, ()
    text = ""
    with contextlib.suppress(OSError, ValueError):
        text = (folder / "certificate.json").read_text(encoding="utf-8")
    return certificate_of(text)


def certificate_of(text: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """A certificate from its text, or why it cannot be trusted."""
    certificate = None
    with contextlib.suppress(ValueError, RecursionError):
        certificate = json.loads(text)
    if not _is_certificate(certificate):
        return None, ("the certificate is damaged, or of another version",)
    return certificate, ()


def _is_certificate(document: Any) -> bool:
    """Whether a document has what the audit relies on."""
    if not isinstance(document, dict) or not isinstance(document.get("files"), dict):
        return False
    with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError, ParameterError):
        base_values_in(document)
        sound = "true_values" not in document or true_values.is_sound(document["true_values"])
        sound = sound and document["table"].get("published") in (None, TWO_TABLES)
        return sound and bool(promised(document))
    return False


def promised(certificate: Mapping[str, Any] | None) -> list[PrivacyModel]:
    """The models a certificate promises; raises KeyError, TypeError or ParameterError if it is not sound."""
    if certificate is None:
        return []
    models, promise = catalog.models(), certificate["promise"]
    found = [promise_with(models[promise["model"]], promise["parameters"])]
    for entry in certificate.get("also", []):
        model, given = models[entry["model"]], dict(entry["parameters"])
        bound = exact_number(given.pop(model.bound))
        if bound is None:
            raise TypeError
        found.append(bounded(model, bound, ", ".join(f"{name}={value}" for name, value in given.items())))
    return found
