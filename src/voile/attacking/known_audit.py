"""The audit of one release by somebody who knows everybody's quasi-identifiers, and perhaps the truth."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.asked import demanded
from voile.attacking.known_persons import KnownPersons, single_sensitive
from voile.attacks.candidate_sets import PublishedGroups
from voile.auditing import AuditReport, audited
from voile.core.attack import View
from voile.core.bags import Bag, Bags
from voile.core.schema import Role
from voile.errors import BeyondReach, InputError, counted
from voile.exposure import graded_findings
from voile.intake.sensitive_table import joined
from voile.intake.spec_file import Spec, schema_of
from voile.kernels.seats import BLOCK, SortedBoxes, count_covers, take_seats
from voile.published_bags import classes_of
from voile.release_files import ReadRelease, plain, read_release
from voile.requirements import parse_requirements
from voile.series_auditing.knowledge import ShownRelease, Values

Integers = NDArray[np.int64]
MOST_PAIRS = 4_000_000_000  # of persons and published groups; a minute
MOST_PERSONS = 30_000  # whose values are guessed


def audit_with_known(
    source: str | Path,
    spec: Spec,
    known: Any,
    require: str = "",
    *,
    against: str | None = None,
    strong: bool = False,
) -> AuditReport:
    """Audit a release as `voile.audit` does, and guess the value of everybody whose quasi-identifiers are known.

    `known` is a file or a data frame with the quasi-identifying columns; with the sensitive one, the guesses are
    graded. That grade is a fact about who has what: it is for the steward, never to be published.
    """
    schema = schema_of(spec)
    schema.require_roles()
    values = Values(single_sensitive(schema))
    release = read_release(source, schema)
    report = audited(release, parse_requirements(require), demanded(against, strong))
    if report.generalised:
        raise InputError(
            f"{counted(report.generalised, 'row')} with a generalised sensitive value",
            where="release",
            rule="guesses are values, and are graded as such",
            remedy="audit this release without --known",
        )
    persons = KnownPersons.read(known, schema, values)
    view = _linked(release, persons, values)
    truth = None if persons.truth is None else [persons.truth]
    found = graded_findings(replace(view, promises=report.promises), truth, MOST_PERSONS)
    return replace(report, findings=(*report.findings, *found))


def _linked(release: ReadRelease, persons: KnownPersons, values: Values) -> View:
    """What the adversary makes of a release: everybody known, in a group that the person may be in."""
    if release.sensitive is None:
        shown = ShownRelease.of(release, values)
        group, bag = np.arange(shown.groups), shown.bag
    else:
        shown, group, bag = _of_two_tables(plain(release), values)
    boxes, points = shown.seen_with(persons.compared, release.schema)
    place = seated(boxes, points, np.bincount(shown.group, minlength=shown.groups))
    sizes = np.asarray(bag.totals)
    found = np.where(place < 0, -1, group[place]) if group.size else place
    return View(Bags(sizes, (bag,), sizes), found, tuple(column.codes for column in persons.compared.columns))


def _of_two_tables(release: ReadRelease, values: Values) -> tuple[ShownRelease, Integers, Bag]:
    """The rows of quasi-identifiers as boxes of their own, the group of each such box, and the groups' values."""
    name = release.schema.with_role(Role.SENSITIVE)[0].name
    sensitive = pl.DataFrame() if release.sensitive is None else release.sensitive
    tables = joined(release.frame, sensitive, name)
    lines = tables.lines()
    bag = Bag.of(tables.line_group[lines], values.codes(sensitive[name])[lines], tables.sizes.size)
    box = classes_of(release.frame, release.schema)
    boxes = int(box.max(initial=-1)) + 1
    group = np.empty(boxes, np.int64)
    group[box] = tables.row_group
    nothing = np.zeros(boxes, np.int64)
    return ShownRelease(release.frame, box, Bag.of(box, np.zeros_like(box), boxes), nothing, 0), group, bag


def seated(groups: PublishedGroups, points: NDArray[np.int32], seats: Integers) -> Integers:
    """A group for everybody, whose box covers the person; -1 where none does.

    Boxes overlap, so that often several do. Persons with the least choice choose first, and take the group with
    most seats left. Who is first of those with equal choice has nothing to do with their values: a fixed shuffle.
    """
    if len(points) * groups.groups > MOST_PAIRS:
        raise BeyondReach(
            f"{counted(len(points), 'person')} and {counted(groups.groups, 'group')}",
            where="known persons",
            rule=f"at most {MOST_PAIRS} pairs of them are compared",
            remedy="attack a release of a part of the table",
        )
    if not groups.groups:
        return np.full(len(points), -1)
    boxes, form, first, members = groups.boxes()
    widths = (boxes[:, 1::2].astype(np.int64) - boxes[:, ::2] + 1).sum(axis=0) / (
        points.max(axis=0, initial=0) + 1
    )
    lead = int(np.argmin(widths))
    sort = np.argsort(boxes[:, 2 * lead], kind="stable")
    highest = np.maximum.reduceat(boxes[sort, 2 * lead + 1], np.arange(0, sort.size, BLOCK))
    side = SortedBoxes(boxes[sort], form[sort], first, members, lead, highest)
    covers = np.zeros(len(points), np.int64)
    count_covers(side, points, covers)
    anybody = np.random.default_rng(0).permutation(len(points))
    order = anybody[np.argsort(covers[anybody], kind="stable")]
    place = np.full(len(points), -1)
    take_seats(side, points, order, seats[sort].astype(np.int64), place)
    return np.where(place < 0, -1, sort[place])
