"""`audit_series`: release by release, what an adversary learns who keeps them all."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from voile.attacks.candidate_sets import Integers, Intersections, score
from voile.attacks.intersection import Intersection, values_left
from voile.auditing import AuditReport, audited
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import Role, Schema
from voile.errors import InputError, ParameterError, counted
from voile.intake.spec_file import Spec, schema_of
from voile.models.m_uniqueness import MUniqueness
from voile.models.unique_distinct_l_diversity import UniqueDistinctLDiversity
from voile.release_files import ReadRelease, read_release
from voile.requirements import parse_requirements
from voile.series_auditing.chain import broken_links, left_out, promised_m
from voile.series_auditing.exact_risk import MOST_PERSONS, View, exact_risk
from voile.series_auditing.knowledge import (
    KnownTable,
    Persons,
    ShownRelease,
    Values,
    require_series,
)
from voile.series_auditing.report import ReleaseFigures, SeriesReport

Report = Callable[[str, float], None]
_M = re.compile(r"\s*m\s*>=\s*([0-9]{1,9})\s*")


def _silent(stage: str, share: float) -> None:
    """Report nothing."""


def audit_series(
    releases: Sequence[str | Path],
    spec: Spec,
    known: Sequence[Any] = (),
    require_m: int | None = None,
    *,
    require: str = "",
    report: Report = _silent,
) -> SeriesReport:
    """Judge releases together, ours or anyone's, in the order they were published.

    `releases` are folders or files. `known` are the source tables, one per release (files or data frames): from
    them the adversary knows who is in which release, and their quasi-identifiers; the sensitive values in them
    only grade the adversary's conclusions. A table must hold exactly the persons its release holds. `require_m`
    (or "m>=4" in `require`) is the number of values that must be left for everybody; other requirements, such as
    "l>=4", are asked of each release.
    """
    schema = schema_of(spec)
    require_series(schema)
    asked, requirements = _requirements(require)
    if known:
        schema.required_subject()
        if len(known) != len(releases):
            raise ParameterError(
                f"{counted(len(known), 'table')} for {counted(len(releases), 'release')}",
                where="known",
                rule="one source table per release, in the same order",
                remedy="name all of them, or none",
            )
    names = _names(releases)
    audit = _SeriesAudit(schema, names, require_m if asked is None else asked)
    for number, source in enumerate(releases):
        report(f"reading and judging release {number + 1} of {len(releases)}", number / len(releases))
        release = read_release(source, schema)
        release.refuse_two_tables("what a series tells")
        audit.add(release, audited(release, requirements), known[number] if known else None)
    report("counting", 0)
    return audit.finished(bool(known))


def _requirements(text: str) -> tuple[int | None, list[PrivacyModel]]:
    """The m that a series is asked for, and what each release is."""
    parts = [part for part in text.split(",") if part.strip()]
    of_series = [match for part in parts if (match := _M.fullmatch(part))]
    others = ",".join(part for part in parts if not _M.fullmatch(part))
    return max((int(match[1]) for match in of_series), default=None), parse_requirements(others)


def _names(releases: Sequence[str | Path]) -> list[str]:
    """Names of folders or files; with a number where one occurs twice."""
    names = [Path(source).name or str(source) for source in releases]
    return [name if names.count(name) == 1 else f"{i}: {name}" for i, name in enumerate(names, 1)]


class _SeriesAudit:
    """The audit while releases come in one after the other: only what is needed of each is kept."""

    def __init__(self, schema: Schema, names: list[str], m: int | None) -> None:
        self.schema, self.names, self.required = schema, names, m
        self.persons, self.values = Persons(), Values(schema.with_role(Role.SENSITIVE)[0])
        self.seen = Intersections(0)
        self.figures: list[ReleaseFigures] = []
        self.sizes: list[Integers] = []  # after each release, values left of each person
        self.truth: list[tuple[Integers, Integers]] = []
        self.views: list[View] | None = []  # None: too many persons to count
        self.certificates: list[Any] = []
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.met: list[str] = []
        self.signatures: set[bytes] = set()

    def add(self, release: ReadRelease, found: AuditReport, known: Any) -> None:
        """One more release, and the table of its persons where it is known."""
        name = self.names[len(self.figures)]
        if found.generalised:
            raise InputError(
                f"{counted(found.generalised, 'row')} with a generalised sensitive value",
                where=name,
                rule="a series is judged by the values that groups show",
                remedy="audit this release alone, without --series",
            )
        self.certificates.append(release.certificate)
        self.failures += [f"{name}: {failure}" for failure in found.failures]
        self.met += [f"{name}: {met}" for met in found.met]
        shown = ShownRelease.of(release, self.values)
        unique = UniqueDistinctLDiversity.achieved(found.bags)[0]
        mine = shown.signatures(self.values)
        old, self.signatures = len(mine & self.signatures), self.signatures | mine
        persons = self._see(shown, known, name) if known is not None else None
        self.figures.append(
            ReleaseFigures(
                name,
                shown.frame.height,
                shown.groups,
                int(shown.counterfeits.sum()),
                shown.suppressed,
                None if unique is None else int(unique),
                len(mine),
                old,
                persons,
            )
        )

    def _see(self, shown: ShownRelease, source: Any, name: str) -> int:
        known = KnownTable.read(source, self.schema, self.persons, self.values)
        real = shown.frame.height - int(shown.counterfeits.sum())
        if real != known.persons.size:
            self.notes.append(
                f"{name}: {counted(real, 'row')} of persons published, {known.persons.size} in its table: leave "
                "out of the table who is not in the release, else conclusions about them are wrong"
            )
        if not known.persons.size:
            self.seen.pass_by()
            self.sizes.append(self.seen.sizes.astype(np.int32))
            return 0
        groups, points = shown.seen_with(known, self.schema)
        self.seen.see(groups, points, known.persons, values=len(self.values))
        self.sizes.append(self.seen.sizes.astype(np.int32))
        self.truth.append((known.persons.astype(np.int32), known.truth.astype(np.int32)))
        if self.views is not None:
            self.views.append(
                View(groups, shown.counterfeits, shown.bag.counts, points, known.persons, known.truth)
            )
            self.views = self.views if len(self.persons) <= MOST_PERSONS else None
        return int(known.persons.size)

    def finished(self, known: bool) -> SeriesReport:
        """The report on all of them."""
        promised = promised_m(self.certificates)
        m = self.required if self.required is not None else promised
        self.failures += broken_links(self.certificates, self.names)
        self.notes += left_out(self.certificates, self.names)
        if m is not None:
            for each in self.figures:
                if each.m is not None and each.m < m:
                    self.failures.append(f"{each.name}: m-uniqueness: achieved {each.m}, required >= {m}")
        if not known:
            self.notes.append(
                "who is in which release is not known (--known): values left for persons, and their risk, need it"
            )
            return SeriesReport(tuple(self.figures), m, **self._said())
        return self._judged(m, promised is not None)

    def _said(self) -> dict[str, Any]:
        return {"notes": tuple(self.notes), "failures": tuple(self.failures), "met": tuple(self.met)}

    def _judged(self, m: int | None, invariant: bool) -> SeriesReport:
        seen = self.seen
        nobody = np.empty(0, np.int64)
        person, value = (
            np.concatenate([nobody, *(pair[i] for pair in self.truth)]).astype(np.int64) for i in (0, 1)
        )
        graded = score(seen, person, value)
        met = seen.first > 0  # persons of rows that were not read, for want of a value, are in no release
        left = met & (
            seen.sizes > 0
        )  # of whom nothing is left was not in all these releases: nothing is concluded
        below = None if m is None else int((left & (seen.sizes < m)).sum())
        changed = _changed(person, value, seen.sizes.size)
        exact = None if self.views is None else exact_risk(self.views, invariant=invariant)
        self._judge_below(m, below)
        if exact is None:
            self.notes.append(f"exact risk is counted for at most {MOST_PERSONS} persons: not here")
        elif exact.too_large:
            self.notes.append(
                f"{counted(exact.too_large, 'person')} share groups with too many others to be counted"
            )
        if exact is not None and m is not None and invariant and exact.highest > Fraction(1, m):
            self.failures.append(
                f"risk: somebody's value is told with probability {exact.highest}, promised 1/{m}"
            )
        if changed or graded.none:
            self.notes.append(
                "the adversary believes that values last, and intersects over all releases a person is in: whose "
                "value changed, or who was held back, is concluded about wrongly"
            )
        sizes = np.bincount(seen.sizes[met])
        return SeriesReport(
            tuple(self._after(m)),
            m,
            persons=int(met.sum()),
            told=graded.told,
            right=graded.right,
            none_left=graded.none,
            below=below,
            changed=changed,
            sizes={int(size): int(sizes[size]) for size in np.flatnonzero(sizes)},
            pairs=_pairs(seen),
            exact=exact,
            findings=(Intersection().run(values_left(seen, [] if m is None else [MUniqueness(m=m)])),),
            **self._said(),
        )

    def _judge_below(self, m: int | None, below: int | None) -> None:
        if m is None or below is None:
            return
        met = (self.seen.first > 0) & (self.seen.sizes > 0)
        least = int(self.seen.sizes[met].min(initial=m))
        if below:
            self.failures.append(
                f"{counted(below, 'person')} of {int(met.sum())} with fewer than {m} values left (fewest {least})"
            )
        else:
            self.met.append(f"at least {least} values are left for everybody, required >= {m}")

    def _after(self, m: int | None) -> list[ReleaseFigures]:
        """The figures of each release, with what was known after it."""
        found = []
        for number, (each, sizes) in enumerate(zip(self.figures, self.sizes, strict=True), 1):
            first = self.seen.first[: sizes.size]
            met = (first > 0) & (first <= number) & (sizes > 0)
            told = int((sizes == 1).sum())
            below = None if m is None else int(((sizes < m) & met).sum())
            newly = int((self.seen.told == number).sum())
            found.append(ReleaseFigures(**{**vars(each), "told": told, "newly_told": newly, "below": below}))
        return found


def _changed(person: Integers, value: Integers, persons: int) -> int:
    """How many persons have different values in different tables."""
    low, high = np.full(persons, np.iinfo(np.int64).max), np.full(persons, -1)
    np.minimum.at(low, person, value)
    np.maximum.at(high, person, value)
    return int((low < high).sum())


def _pairs(seen: Intersections) -> tuple[tuple[int, ...], ...]:
    """Persons told, by the first release they are in and the release that told."""
    told = seen.told > 0
    table = np.zeros((seen.releases, seen.releases), np.int64)
    np.add.at(table, (seen.first[told] - 1, seen.told[told] - 1), 1)
    return tuple(tuple(row) for row in table.tolist())
