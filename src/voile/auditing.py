"""Audit: what any published table promises, computed from its bytes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import polars as pl

from voile.asked import Asked, demanded
from voile.certified import asked_in, held, shortfall
from voile.core.attack import Finding
from voile.core.bags import Bags
from voile.core.parameters import in_decimals
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import GROUP, TWO_TABLES, ColumnSpec, Role, Schema
from voile.core.verdict import Verdict
from voile.errors import SpecError, counted
from voile.exposure import exact_findings, verdicts
from voile.intake import true_values
from voile.intake.published_values import base_values_in, weights_as_said
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import refuse_undeclared
from voile.published_bags import bags_of_one, bags_of_two, suppressed_rows
from voile.release_files import ReadRelease, as_certified, plain, promised, read_release
from voile.requirements import parse_requirements


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
    source: Any, spec: Spec, require: str = "", *, against: str | None = None, strong: bool = False
) -> AuditReport:
    """Audit a table file, a folder that `voile anonymize` wrote, or a table of a database (`voile.database`).

    `require` is for example "l>=4, k>=5, t<=0.2, c[l=3]<4"; l is frequency l-diversity, the
    confidence bound. `against` ("release", "series" or "algorithm", this also `strong`) is who the certificate's
    promise must hold against.
    """
    schema = schema_of(spec)
    requirements = parse_requirements(require)
    return audited(read_release(source, schema), requirements, demanded(against, strong))


def audited(release: ReadRelease, requirements: list[PrivacyModel], demands: Sequence[Asked] = ()) -> AuditReport:
    """What a release achieves, and which promises and requirements it breaks; `demands` are readers whom the
    promise must hold against, beside those whom the certificate says it was asked for."""
    certificate = release.certificate
    stated = release.counterfeits() if certificate is not None else {}
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
    found = exact_findings(report.bags, dict(report.achieved), promises, made_by(certificate))

    def judge(promise: PrivacyModel) -> Judgement:
        return promise.check(report.bags), promise.failing(report.bags)

    return concluded(report, promises, judge, found, demands, release.problem)


Judgement = tuple[Verdict, tuple[int, int]]  # and how many groups fail, with how many rows


def made_by(certificate: Mapping[str, Any] | None) -> Any:
    """The key of the algorithm that a certificate names."""
    made = (certificate or {}).get("algorithm")
    return made.get("key") if isinstance(made, dict) else None


def concluded(
    report: AuditReport,
    promises: list[PrivacyModel],
    judge: Callable[[PrivacyModel], Judgement],
    found: Sequence[Finding],
    demands: Sequence[Asked] = (),
    problem: Sequence[str] = (),
) -> AuditReport:
    """A report with what is broken and what is met; `judge` says of a promise whether it holds, and where not."""
    certificate = report.certificate
    failures, met = _judged(report, promises, judge)
    readers = dict.fromkeys([*asked_in(certificate), *demands])
    failures += [line for asked in readers if (line := shortfall(certificate, asked, bool(report.known)))]
    met += [] if failures else [held(certificate, asked) for asked in readers]
    all_failures = (*problem, *failures)
    return replace(report, failures=all_failures, met=tuple(met), findings=tuple(found), promises=tuple(promises))


def audit_frame(
    frame: pl.DataFrame,
    schema: Schema,
    counterfeits: Mapping[int, int] | None = None,
    stated: Mapping[str, Mapping[str, int]] | None = None,
    sensitive: pl.DataFrame | None = None,
    whole: Mapping[str, pl.DataFrame] | None = None,
) -> AuditReport:
    """Audit published rows: any table in which the spec's columns appear. `counterfeits` are rows per group number
    that stand for nobody; `stated` are the base values of generalised sensitive columns and their weights.
    `sensitive`: the values of each group, where they have a table of their own and `frame` has the rest.
    `whole`: where these are but some groups of a release, all cells of each sensitive column, and their counts."""
    stated = stated or {}
    secrets = schema.with_role(Role.SENSITIVE)
    identifying, known = noted_columns(frame, schema, secrets if sensitive is None else ())
    if not set(stated) <= {column.name for column in secrets} or (sensitive is not None and stated):
        raise SpecError(
            "not the spec of this release",
            where="spec",
            rule="the column that the certificate calls sensitive and generalised",
            remedy="give the spec it was made with",
        )
    suppressed = 0
    if sensitive is not None:
        bags, generalised = bags_of_two(frame, sensitive, schema)
    else:
        stars = suppressed_rows(frame, schema) & (not stated)  # where values are generalised, * is one of them
        suppressed = int(stars.sum())
        frame = frame.filter(~pl.Series(stars)) if suppressed else frame
        bags, generalised = bags_of_one(frame, schema, counterfeits or {}, stated, whole or {})
    return AuditReport(
        frame.height, bags.sizes.size, suppressed, generalised, verdicts(bags), identifying, known, bags
    )


def noted_columns(
    frame: pl.DataFrame, schema: Schema, secrets: Sequence[ColumnSpec]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns that should not be published, and those that an adversary is taken to know; refuses a table that
    lacks a quasi-identifying column or one of `secrets`, or has one that the spec does not declare."""
    schema.require_roles()
    refuse_undeclared(frame, schema, also=(GROUP,))
    for column in (*schema.with_role(Role.QUASI_IDENTIFYING), *secrets):
        if column.name not in frame.columns:
            raise SpecError(
                f"the table has no column {column.name}", where="header", rule="all declared columns are published"
            )
    identifying = tuple(
        c.name for c in schema if c.role in (Role.IDENTIFYING, Role.SUBJECT) and c.name in frame.columns
    )
    return identifying, tuple(c.name for c in schema.with_role(Role.INSENSITIVE) if c.name in frame.columns)


def _judged(
    report: AuditReport, promises: list[PrivacyModel], judge: Callable[[PrivacyModel], Judgement]
) -> tuple[list[str], list[str]]:
    """What is broken and what is met, in words."""
    met: list[str] = []
    failures = [f"identifying column {name} is published" for name in report.identifying]
    if report.digest_matches is False:
        failures.append("the data is not what its certificate was made for (digest differs)")
    failures += _contradictions(report)
    for promise in promises:
        verdict, (groups, rows) = judge(promise)
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
