"""Audit: what any published table promises, computed from its bytes."""

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile import catalog
from voile.core.bags import Bags
from voile.core.order import dense_rank, distinct_values
from voile.core.schema import GROUP, ColumnSpec, FileOptions, Missing, Role, Schema, Type
from voile.core.verdict import Verdict
from voile.errors import InputError, ParameterError, SpecError, counted
from voile.intake.columns import coded, factorised
from voile.intake.spec_file import read_spec
from voile.intake.table_reader import read_frame, refuse_undeclared

STAR = "*"
_REQUIREMENT = re.compile(r"\s*([a-z_]+)\s*>=\s*([0-9]+(?:\.[0-9]+|/[1-9][0-9]*)?)\s*")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")


@dataclass(frozen=True)
class AuditReport:
    """What was found in a published table."""

    rows: int
    groups: int
    suppressed: int  # rows published as * throughout
    achieved: Mapping[str, Verdict]  # by model key
    identifying: tuple[str, ...]  # columns that should not be there
    known: tuple[str, ...]  # insensitive columns that are published: taken as known to the adversary
    bags: Bags = field(repr=False)
    certificate: Mapping[str, Any] | None = None
    digest_matches: bool | None = None  # None: no certificate
    failures: tuple[str, ...] = field(default=())
    judged: bool = False  # whether anything was promised or required

    @property
    def ok(self) -> bool:
        """Whether nothing that was promised or required is broken."""
        return not self.failures

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "groups": self.groups,
            "suppressed": self.suppressed,
            "achieved": {key: verdict.shown() for key, verdict in self.achieved.items()},
            "digest_matches": self.digest_matches,
            "failures": list(self.failures),
        }


def audit(source: str | Path, spec: str | Path | Schema, require: str = "") -> AuditReport:
    """Audit a table file, or a folder that `voile anonymize` wrote.

    `require` is for example "l>=4, k>=5"; l is frequency l-diversity, the confidence bound.
    """
    schema = spec if isinstance(spec, Schema) else read_spec(spec)
    requirements = parse_requirements(require)
    path, certificate, problem = _locate(Path(source))
    if path != Path(source) or certificate is not None:  # ours: UTF-8 and commas, whatever the source was
        schema = replace(schema, file=FileOptions())
    frame = read_frame(path, schema)
    report = audit_frame(frame, schema)
    if certificate is not None:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        matches = certificate["files"].get(path.name) == digest
        report = replace(report, certificate=certificate, digest_matches=matches)
    failures = (*problem, *_failures(report, requirements))
    return replace(report, failures=failures, judged=bool(certificate or requirements))


def audit_frame(frame: pl.DataFrame, schema: Schema) -> AuditReport:
    """Audit published rows: any table in which the spec's columns appear."""
    schema.require_roles()
    refuse_undeclared(frame, schema, also=(GROUP,))
    quasi, sensitive = (schema.with_role(r) for r in (Role.QUASI_IDENTIFYING, Role.SENSITIVE))
    for column in (*quasi, *sensitive):
        if column.name not in frame.columns:
            raise SpecError(
                f"the table has no column {column.name}", where="header", rule="all declared columns are published"
            )
    suppressed = _suppressed(frame, quasi, sensitive)
    if suppressed.any():
        frame = frame.filter(~pl.Series(suppressed))
    group = _classes(frame, schema)
    bags = Bags.of(group, [_sensitive_codes(frame[c.name], c, schema) for c in sensitive])
    achieved = {key: Verdict(True, *model.achieved(bags)) for key, model in catalog.models().items()}
    identifying = tuple(
        c.name for c in schema if c.role in (Role.IDENTIFYING, Role.SUBJECT) and c.name in frame.columns
    )
    known = tuple(c.name for c in schema.with_role(Role.INSENSITIVE) if c.name in frame.columns)
    return AuditReport(frame.height, bags.sizes.size, int(suppressed.sum()), achieved, identifying, known, bags)


def _locate(source: Path) -> tuple[Path, dict[str, Any] | None, tuple[str, ...]]:
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
    with contextlib.suppress(OSError, ValueError):
        certificate = json.loads((source / "certificate.json").read_text(encoding="utf-8"))
    if not _is_certificate(certificate):
        return found[0], None, ("the certificate is damaged, or of another version",)
    return found[0], certificate, ()


def _is_certificate(document: Any) -> bool:
    """Whether a document has what the audit relies on."""
    if not isinstance(document, dict) or not isinstance(document.get("files"), dict):
        return False
    promise = document.get("promise")
    if not isinstance(promise, dict) or promise.get("model") not in catalog.models():
        return False
    parameters = promise.get("parameters")
    return isinstance(parameters, dict) and [type(bound) for bound in parameters.values()] == [int]


def _suppressed(
    frame: pl.DataFrame, quasi: tuple[ColumnSpec, ...], sensitive: tuple[ColumnSpec, ...]
) -> NDArray[np.bool_]:
    """Rows that say nothing at all. A row of stars with a visible sensitive value says something:
    it stays a member of a group (of all rows like it) and is judged with it."""
    stars = frame.select(pl.all_horizontal(pl.col(c.name).cast(pl.String) == STAR for c in quasi))
    flags = stars.to_series().fill_null(False).to_numpy()
    if flags.any():
        for column in sensitive:
            shown = frame[column.name].cast(pl.String)
            flags = flags & ((shown == STAR) | shown.is_null()).fill_null(True).to_numpy()
    return np.asarray(flags, bool)


def _classes(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64]:
    """Rows an adversary cannot tell apart: equal in all that is published but the sensitive.

    A group number splits groups of equal labels, never joins different ones. Rows of a release
    stand group by group, so runs of equal rows are the classes; any other table is sorted out.
    """
    roles = (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)
    names = [c.name for c in schema if c.role in roles and c.name in frame.columns]
    if GROUP in frame.columns:
        number = frame[GROUP]
        names = [GROUP, *names]
        if number.dtype == pl.String:
            number = number.cast(pl.Int64, strict=False)
        if number.null_count() == 0 and number.is_sorted():
            changes = pl.any_horizontal(pl.col(n).ne_missing(pl.col(n).shift()) for n in names)
            new = frame.select(changes).to_series().to_numpy().astype(np.int64)
            if new.sum() == number.n_unique():  # all rows of a group agree, so runs are classes
                return np.cumsum(new) - 1
    return dense_rank([_text_codes(frame[name]) for name in names])


def _text_codes(series: pl.Series) -> NDArray[np.int64]:
    text = series.cast(pl.String)
    labels = text.unique().drop_nulls()
    return text.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


def _sensitive_codes(series: pl.Series, spec: ColumnSpec, schema: Schema) -> NDArray[np.int64]:
    """Values as the spec means them: spellings merged, 1 and 1.0 one number, missing one value."""
    spec = replace(spec, hierarchy=None, missing=Missing.DROP_ROW, order=(), grid=None, min_width=None)
    if spec.type == Type.CATEGORY:
        part = coded(spec, series.cast(pl.String), schema.file.missing, None)
        return distinct_values(np.where(part.missing, -1, part.codes))[1]
    cells = factorised(spec, series.cast(pl.String), schema.file.missing)
    number: dict[object, int] = {}
    codes = [number.setdefault(_meant(cell), len(number)) for cell in cells.distinct.to_list()]
    return np.array(codes, np.int64)[cells.index]


def _meant(cell: str | None) -> object:
    """A number where the cell is one; other cells (generalised ones) as they are."""
    return Fraction(cell) if cell is not None and _NUMBER.fullmatch(cell) else cell


def parse_requirements(text: str) -> list[tuple[str, Fraction]]:
    """Model keys and bounds from "l>=4, k>=5".

    >>> parse_requirements("l>=4")
    [('frequency_l_diversity', Fraction(4, 1))]
    """
    names = {model.symbol: key for key, model in catalog.models().items()}
    names |= {key: key for key in catalog.models()}
    wanted = []
    for part in filter(None, (p.strip() for p in re.split(r",|\band\b", text))):
        match = _REQUIREMENT.fullmatch(part)
        if match is None or match.group(1) not in names:
            raise ParameterError(
                "not a requirement",
                where="--require",
                rule=f"NAME>=NUMBER with NAME one of {', '.join(names)}",
                remedy='for example "l>=4, k>=5"',
            )
        wanted.append((names[match.group(1)], Fraction(match.group(2))))
    return wanted


def _failures(report: AuditReport, requirements: list[tuple[str, Fraction]]) -> list[str]:
    failures = [f"identifying column {name} is published" for name in report.identifying]
    if report.digest_matches is False:
        failures.append("the data is not what its certificate was made for (digest differs)")
    if report.certificate is not None:
        promise = report.certificate["promise"]
        (bound,) = promise["parameters"].values()
        requirements = [(promise["model"], Fraction(bound)), *requirements]
    for key, bound in requirements:
        achieved = report.achieved[key].achieved
        if achieved is not None and achieved < bound:
            model = catalog.models()[key]
            groups, rows = model.below(report.bags, bound)
            failures.append(
                f"{model.title}: achieved {report.achieved[key].shown()}, required {bound}; "
                f"{counted(groups, 'group')} of {report.groups} with {counted(rows, 'row')} below"
            )
    return failures
