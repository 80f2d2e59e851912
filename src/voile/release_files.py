"""A release as it lies on a disk: its files, what its certificate promises, whether they belong together."""

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from voile import catalog
from voile.core.parameters import exact_number
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import COUNTERFEITS, SENSITIVE_TABLE, TWO_TABLES, FileOptions, Role, Schema
from voile.errors import InputError, ParameterError
from voile.intake import true_values
from voile.intake.published_values import base_values_in, unquoted
from voile.intake.table_reader import read_frame
from voile.requirements import bounded, promise_with


@dataclass(frozen=True, repr=False, eq=False)
class ReadRelease:
    """A release as it lies on the disk: its rows, how to read them, and its certificate. Of a release in two
    tables the rows are those of the quasi-identifiers, and `sensitive` has the values of each group."""

    path: Path
    frame: pl.DataFrame
    schema: Schema  # with the options of this file
    ours: bool  # UTF-8 and commas, whatever the source was
    certificate: Mapping[str, Any] | None
    problem: tuple[str, ...]
    sensitive: pl.DataFrame | None = None

    def refuse_two_tables(self, what: str) -> None:
        """For what compares people with the boxes of groups: here everybody's own values are published."""
        if self.sensitive is not None:
            raise InputError(
                "published in two tables",
                where=f"release {self.path.parent.name}",
                rule=f"{what} is about generalised groups; here quasi-identifiers are published as they are",
                remedy="see what voile audit says of it",
            )


def read_release(source: Path, schema: Schema) -> ReadRelease:
    """Read a table file, or a folder that Voile wrote."""
    path, certificate, problem = locate(source)
    ours = path != source or certificate is not None
    if ours:
        schema = replace(schema, file=FileOptions())
    frame = read_frame(path, schema, may_be_empty=certificate is not None)
    sensitive = read_sensitive(path, certificate) if ours else None
    return ReadRelease(path, frame, schema, ours, certificate, problem, sensitive)


def read_sensitive(data: Path, certificate: Mapping[str, Any] | None) -> pl.DataFrame | None:
    """The table of sensitive values beside that of quasi-identifiers; None if the release is one table."""
    beside = data.with_name(SENSITIVE_TABLE + data.suffix)
    if not beside.is_file() if certificate is None else certificate["table"].get("published") != TWO_TABLES:
        return None
    return read_frame(beside, Schema(()), may_be_empty=certificate is not None)


def as_certified(release: ReadRelease) -> bool:
    """Whether all files of a release are those that its certificate names; false without one."""
    path, files = release.path, {} if release.certificate is None else release.certificate["files"]
    beside = [f"{COUNTERFEITS}.csv", *(SENSITIVE_TABLE + suffix for suffix in (".csv", ".parquet"))]
    names = {path.name, *files, *(name for name in beside if (path.parent / name).is_file())}
    return all(files.get(name) == _digest(path.parent, name) for name in names)


def _digest(folder: Path, name: str) -> str:
    """Of a file of the release; "" of what is none, or lies elsewhere."""
    if name not in {path.name for path in folder.iterdir()} or not (folder / name).is_file():
        return ""
    return hashlib.sha256((folder / name).read_bytes()).hexdigest()


def plain(release: ReadRelease) -> ReadRelease:
    """The release with its sensitive values as they were before our CSV quoted what a spreadsheet would run."""
    if not release.ours or release.path.suffix.lower() != ".csv":
        return release
    names = [c.name for c in release.schema.with_role(Role.SENSITIVE)]

    def bare(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(unquoted(frame[name]) for name in names if name in frame.columns)

    sensitive = None if release.sensitive is None else bare(release.sensitive)
    return replace(release, frame=bare(release.frame), sensitive=sensitive)


def locate(source: Path) -> tuple[Path, dict[str, Any] | None, tuple[str, ...]]:
    """The data file; of a Voile release also its certificate, or why that cannot be trusted."""
    ours = source.name in ("data.csv", "data.parquet") and (source.parent / "certificate.json").is_file()
    if source.is_file() and ours:
        source = source.parent
    if not source.is_dir():
        return source, None, ()
    found = [source / name for name in ("data.csv", "data.parquet") if (source / name).is_file()]
    if not found:
        raise InputError("no data.csv or data.parquet", where=source.name, remedy="name the table's file")
    if not (source / "certificate.json").exists():
        return found[0], None, ()
    certificate = None
    with contextlib.suppress(OSError, ValueError, RecursionError):
        certificate = json.loads((source / "certificate.json").read_text(encoding="utf-8"))
    if not _is_certificate(certificate):
        return found[0], None, ("the certificate is damaged, or of another version",)
    return found[0], certificate, ()


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
