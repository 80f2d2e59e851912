"""Audit: what any published table promises, computed from its bytes."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.asked import Asked, demanded
from voile.certified import asked_in, held, shortfall
from voile.core.attack import Finding
from voile.core.bags import Bags, Crowds, Domain
from voile.core.base_values import BaseValues
from voile.core.order import dense_rank, row_counts
from voile.core.parameters import in_decimals
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import COUNTERFEITS, GROUP, TWO_TABLES, Role, Schema
from voile.core.verdict import Verdict
from voile.errors import InputError, SpecError, counted
from voile.exposure import exact_findings, verdicts
from voile.intake import true_values
from voile.intake.columns import factorised, indexed
from voile.intake.counterfeits import read_counterfeits
from voile.intake.published_values import base_values_in, sensitive_codes, stated_nodes, weights_as_said
from voile.intake.sensitive_table import joined
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import refuse_undeclared
from voile.release_files import ReadRelease, as_certified, plain, promised, read_release
from voile.requirements import parse_requirements

STAR = "*"


@dataclass(frozen=True)
class AuditReport:
    """What was found in a published table."""

    rows: int
    groups: int
    suppressed: int  # rows published as * throughout
    generalised: int  # rows whose sensitive value is published as a node above several
    achieved: Mapping[str, Verdict]  # by model key
    identifying: tuple[str, ...]  # columns that should not be there
    known: tuple[str, ...]  # insensitive columns that are published: taken as known to the adversary
    bags: Bags = field(repr=False)
    certificate: Mapping[str, Any] | None = None
    digest_matches: bool | None = None  # None: no certificate
    failures: tuple[str, ...] = field(default=())
    met: tuple[str, ...] = field(default=())  # promises and requirements, each with its figure
    findings: tuple[Finding, ...] = field(default=())  # what attacks found
    promises: tuple[PrivacyModel, ...] = field(default=())  # of the certificate, and what was required

    @property
    def judged(self) -> bool:
        """Whether anything was promised or required."""
        return bool(self.certificate or self.failures or self.met)

    @property
    def ok(self) -> bool:
        """Whether nothing that was promised or required is broken."""
        return not self.failures

    @property
    def in_two_tables(self) -> bool:
        """Whether quasi-identifiers are published as they are, apart from the sensitive values of their group."""
        return self.bags.alike is not None

    @property
    def true_values(self) -> Mapping[str, Any] | None:
        """What the certificate says of the promise before values were generalised: no reader can check it."""
        return None if self.certificate is None else self.certificate.get("true_values")

    @property
    def base_values(self) -> Mapping[str, Mapping[str, int]]:
        """By column the values that a node may stand for and their weights, as the certificate states."""
        return {} if self.certificate is None else base_values_in(self.certificate)

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "groups": self.groups,
            **({"published": TWO_TABLES} if self.in_two_tables else {}),
            "suppressed": self.suppressed,
            "generalised": self.generalised,
            "achieved": {key: verdict.shown() for key, verdict in self.achieved.items()},
            **({} if self.true_values is None else {"true_values": dict(self.true_values)}),
            "digest_matches": self.digest_matches,
            "failures": list(self.failures),
            "met": list(self.met),
            "attacks": [finding.document() for finding in self.findings],
        }


def audit(
    source: str | Path, spec: Spec, require: str = "", *, against: str | None = None, strong: bool = False
) -> AuditReport:
    """Audit a table file, or a folder that `voile anonymize` wrote.

    `require` is for example "l>=4, k>=5, t<=0.2, c[l=3]<4"; l is frequency l-diversity, the
    confidence bound. `against` ("release", "series" or "algorithm", this also `strong`) is who the certificate's
    promise must hold against.
    """
    schema = schema_of(spec)
    requirements = parse_requirements(require)
    return audited(read_release(Path(source), schema), requirements, demanded(against, strong))


def audited(release: ReadRelease, requirements: list[PrivacyModel], demands: Sequence[Asked] = ()) -> AuditReport:
    """What a release achieves, and which promises and requirements it breaks; `demands` are readers whom the
    promise must hold against, beside those whom the certificate says it was asked for."""
    path, certificate = release.path, release.certificate
    auxiliary = path.parent / f"{COUNTERFEITS}.csv"
    stated = read_counterfeits(auxiliary) if certificate is not None and auxiliary.is_file() else {}
    values = {} if certificate is None else base_values_in(certificate)
    shown = plain(release)
    report = audit_frame(shown.frame, shown.schema, stated, values, shown.sensitive)
    if certificate is not None:
        matches = as_certified(release)
        told = (
            certificate.get("table", {}).get("counterfeits")
            if isinstance(certificate.get("table"), dict)
            else None
        )
        matches = matches and told in (None, sum(stated.values()))
        report = replace(report, certificate=certificate, digest_matches=matches)
    promises = promised(certificate) + requirements
    failures, met = _judged(report, promises)
    readers = dict.fromkeys([*asked_in(certificate), *demands])
    short = [line for asked in readers if (line := shortfall(certificate, asked, bool(report.known)))]
    failures += short
    met += [] if failures else [held(certificate, asked) for asked in readers]
    made = (certificate or {}).get("algorithm")
    key = made.get("key") if isinstance(made, dict) else None
    found = exact_findings(report.bags, dict(report.achieved), promises, key)
    told = {"failures": (*release.problem, *failures), "met": tuple(met)}
    return replace(report, **told, findings=tuple(found), promises=tuple(promises))


def audit_frame(
    frame: pl.DataFrame,
    schema: Schema,
    counterfeits: Mapping[int, int] | None = None,
    stated: Mapping[str, Mapping[str, int]] | None = None,
    sensitive: pl.DataFrame | None = None,
) -> AuditReport:
    """Audit published rows: any table in which the spec's columns appear. `counterfeits` are rows per group number
    that stand for nobody; `stated` are the base values of generalised sensitive columns and their weights.
    `sensitive`: the values of each group, where they have a table of their own and `frame` has the rest."""
    schema.require_roles()
    refuse_undeclared(frame, schema, also=(GROUP,))
    stated = stated or {}
    secrets = schema.with_role(Role.SENSITIVE)
    for column in (*schema.with_role(Role.QUASI_IDENTIFYING), *(secrets if sensitive is None else ())):
        if column.name not in frame.columns:
            raise SpecError(
                f"the table has no column {column.name}", where="header", rule="all declared columns are published"
            )
    if not set(stated) <= {column.name for column in secrets} or (sensitive is not None and stated):
        raise SpecError(
            "not the spec of this release",
            where="spec",
            rule="the column that the certificate calls sensitive and generalised",
            remedy="give the spec it was made with",
        )
    suppressed = 0
    if sensitive is not None:
        bags, generalised = _bags_of_two(frame, sensitive, schema)
    else:
        stars = suppressed_rows(frame, schema) & (not stated)  # where values are generalised, * is one of them
        suppressed = int(stars.sum())
        frame = frame.filter(~pl.Series(stars)) if suppressed else frame
        bags, generalised = _bags_of_one(frame, schema, counterfeits or {}, stated)
    identifying = tuple(
        c.name for c in schema if c.role in (Role.IDENTIFYING, Role.SUBJECT) and c.name in frame.columns
    )
    known = tuple(c.name for c in schema.with_role(Role.INSENSITIVE) if c.name in frame.columns)
    return AuditReport(
        frame.height, bags.sizes.size, suppressed, generalised, verdicts(bags), identifying, known, bags
    )


Held = tuple[NDArray[np.int64], Domain | BaseValues]  # the codes of a sensitive column, and what they mean


def _bags_of_one(
    frame: pl.DataFrame, schema: Schema, counterfeits: Mapping[int, int], stated: Mapping[str, Mapping[str, int]]
) -> tuple[Bags, int]:
    """The values of each class of rows, and how many of them are nodes above several."""
    with ThreadPoolExecutor(1) as beside:
        classes = beside.submit(classes_of, frame, schema)
        held: list[Held] = [
            stated_nodes(frame[c.name], c, stated[c.name])
            if c.name in stated
            else sensitive_codes(frame[c.name], c, schema)
            for c in schema.with_role(Role.SENSITIVE)
        ]
        group = classes.result()
    fakes = _fakes(frame, group, counterfeits) if counterfeits else None
    return _bags(group, held, _persons(frame, schema), fakes)


def _bags_of_two(frame: pl.DataFrame, sensitive: pl.DataFrame, schema: Schema) -> tuple[Bags, int]:
    """The values of each group as the second table has them; and how many rows of the first are alike."""
    secrets = schema.with_role(Role.SENSITIVE)
    if len(secrets) > 1:
        raise SpecError(
            f"{len(secrets)} sensitive columns",
            where="spec",
            rule="a table of sensitive values by group has one",
            remedy="give the spec it was made with",
        )
    tables = joined(frame, sensitive, secrets[0].name)
    with ThreadPoolExecutor(1) as beside:
        alike = beside.submit(_alike, frame, schema)
        codes, meaning = sensitive_codes(sensitive[secrets[0].name], secrets[0], schema)
        lines = tables.lines()
        bags, generalised = _bags(tables.line_group[lines], [(codes[lines], meaning)])
        return replace(bags, alike=alike.result()), generalised


def _alike(frame: pl.DataFrame, schema: Schema) -> Crowds:
    """How many rows are equal in all that is published of them, group numbers aside: by these nobody is known."""
    with ThreadPoolExecutor(2) as pair:
        codes = pair.map(lambda name: _text_codes(frame[name]), _known_columns(frame, schema))
        return Crowds.of(row_counts(list(codes)))


def _known_columns(frame: pl.DataFrame, schema: Schema) -> list[str]:
    """What an adversary can know of a row."""
    roles = (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)
    return [c.name for c in schema if c.role in roles and c.name in frame.columns]


def _bags(
    group: NDArray[np.int64],
    held: list[Held],
    persons: NDArray[np.int64] | None = None,
    fakes: NDArray[np.int64] | None = None,
) -> tuple[Bags, int]:
    bags = Bags.of(
        group,
        [codes for codes, _ in held],
        subject=persons,
        domains=[None if isinstance(meaning, BaseValues) else meaning for _, meaning in held],
        base_values=[meaning if isinstance(meaning, BaseValues) else None for _, meaning in held],
        counterfeits=fakes,
    )
    return bags, sum(meaning.generalised(codes) for codes, meaning in held if isinstance(meaning, BaseValues))


def _fakes(frame: pl.DataFrame, group: NDArray[np.int64], stated: Mapping[int, int]) -> NDArray[np.int64]:
    """Of each class the rows that stand for nobody; each class leaves somebody."""
    number = frame[GROUP].cast(pl.Int64, strict=False).fill_null(-1).to_numpy() if GROUP in frame.columns else None
    sizes = np.bincount(group)
    fakes = np.zeros_like(sizes)
    if number is not None:
        fakes[group] = pl.Series(number).replace_strict(dict(stated), default=0, return_dtype=pl.Int64).to_numpy()
    if fakes.sum() != sum(stated.values()) or (fakes >= sizes).any():
        raise InputError(
            "does not fit the data",
            where=f"{COUNTERFEITS}.csv",
            rule="a number per published group, less than its rows",
            remedy="use the file that was published with it",
        )
    return fakes


def suppressed_rows(frame: pl.DataFrame, schema: Schema) -> NDArray[np.bool_]:
    """Which rows say nothing at all. A row of stars with a visible sensitive value says something:
    it stays a member of a group (of all rows like it) and is judged with it."""
    quasi, sensitive = (schema.with_role(r) for r in (Role.QUASI_IDENTIFYING, Role.SENSITIVE))
    stars = frame.select(pl.all_horizontal(pl.col(c.name).cast(pl.String) == STAR for c in quasi))
    flags = stars.to_series().fill_null(False).to_numpy()
    if flags.any():
        for column in sensitive:
            shown = frame[column.name].cast(pl.String)
            flags = flags & ((shown == STAR) | shown.is_null()).fill_null(True).to_numpy()
    return np.asarray(flags, bool)


def classes_of(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64]:
    """Rows an adversary cannot tell apart: equal in all that is published but the sensitive.

    A group number splits groups of equal labels, never joins different ones. Rows of a release
    stand group by group, so runs of equal rows are the classes; any other table is sorted out.
    """
    names = _known_columns(frame, schema)
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
    if series.dtype.is_integer() and series.null_count() == 0:
        return series.cast(pl.Int64).to_numpy()
    return indexed(series.cast(pl.String))[1]


def _persons(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64] | None:
    """The person of each row, where the table says it: several rows of one person are no crowd."""
    for spec in schema.with_role(Role.SUBJECT):
        if spec.name in frame.columns:
            cells = factorised(spec, frame[spec.name].cast(pl.String), schema.file.missing)
            if cells.rows_with(cells.distinct.is_null()):
                raise InputError(
                    "rows without a person",
                    where=cells.first_row(cells.distinct.is_null()),
                    rule="a subject column names the person of every row",
                    remedy="fill the cells in, or audit the table without this column",
                )
            labels = cells.distinct.drop_nulls().unique()
            person = cells.distinct.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
            return person.to_numpy()[cells.index]
    return None


def _judged(report: AuditReport, promises: list[PrivacyModel]) -> tuple[list[str], list[str]]:
    """What is broken and what is met, in words."""
    met: list[str] = []
    failures = [f"identifying column {name} is published" for name in report.identifying]
    if report.digest_matches is False:
        failures.append("the data is not what its certificate was made for (digest differs)")
    failures += _contradictions(report)
    for promise in promises:
        verdict = promise.check(report.bags)
        bound, shown = promise.threshold(), verdict.shown()
        others = ", ".join(f"{n} = {v}" for n, v in promise.settings().items() if n != promise.bound)
        title, required = (
            promise.title + (f" ({others})" if others else ""),
            f"{promise.sense} {in_decimals(bound)}",
        )
        if verdict.ok:
            figure = "nothing is published" if shown is None else f"achieved {shown}"
            met.append(f"{title}: {figure}, required {required}")
            continue
        groups, rows = promise.failing(report.bags)
        apart = promise.sizes_only and report.in_two_tables
        judged, of_all = ("set", " of rows that look alike") if apart else ("group", f" of {report.groups}")
        achieved = verdict.achieved if shown != "infinite" and Fraction(str(shown)) == bound else shown
        failures.append(
            f"{title}: achieved {achieved}, required {required}; "
            f"{counted(groups, judged)}{of_all} with {counted(rows, 'row')} "
            f"{'below' if promise.sense == '>=' else 'above'}"
        )
    return failures, met


def _contradictions(report: AuditReport) -> list[str]:
    """Where a certificate's lines on generalised values do not fit each other, or the data."""
    certificate, section = report.certificate, report.true_values
    if certificate is None:
        return []
    found = []
    if "asked" in certificate and not asked_in(certificate):
        found.append("the certificate does not say against whom a promise was asked for")
    if not weights_as_said(certificate, report.base_values):
        found.append("the certificate's weights are not what it says")
    promise = promised(certificate)[0]
    if section is None and (report.base_values or report.generalised):
        found.append("values are generalised, but the certificate has no line on true values")
    elif section is not None and not true_values.fits(
        section, promise, promise.check(report.bags), report.generalised
    ):
        found.append("the certificate's line on true values does not fit the data")
    return found
