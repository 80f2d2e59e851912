"""What parts of a release say of themselves, and what that comes to: figures that are worst of all, and sums.

A part has whole groups, so what a model says of a group is said where the group is; values are compared with
those of the whole table, which every part is told. Sizes of groups and cells of columns travel as counts of equal
ones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile import catalog
from voile.core.attack import Finding, View
from voile.core.bags import Bag, Bags, Crowds
from voile.core.boxes import Boxes, Side, Source
from voile.core.order import dense_rank, places_among, value_counts
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Column
from voile.core.verdict import Verdict
from voile.spark.spread import Codes, merged_tallies

Figure = Fraction | float | None
Tallied = tuple[Codes, Codes]


@dataclass(frozen=True, repr=False, eq=False)
class SummedSide(Side):
    """A column of all boxes where equal cells are one, with how many rows have it."""

    different: Codes = None  # type: ignore[assignment]  # values that a group with this cell holds
    is_set: NDArray[np.bool_] = None  # type: ignore[assignment]  # published as a set of them
    values: Tallied = None  # type: ignore[assignment]  # of the source

    @cached_property
    def held(self) -> Bag:
        """How many values groups hold; not which."""
        none = np.zeros(int(self.different.sum()), np.int64)
        return Bag(np.concatenate([[0], np.cumsum(self.different)]), none, none)

    @cached_property
    def source(self) -> Source:
        """By the counts of the whole table."""
        return Source(self.values[1], *places_among(self.values[0], self.low, self.high))

    @cached_property
    def listed(self) -> Codes:
        """Cells that are sets."""
        return np.flatnonzero(self.is_set)


@dataclass(frozen=True, repr=False, eq=False)
class SummedBoxes(Boxes):
    """Boxes of groups of which only counts are known."""

    mixed: list[Tallied] = None  # type: ignore[assignment]


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """Counts and figures of some groups, as plain data that travels."""

    rows: int
    fakes: int
    sizes: Tallied  # how many groups have so many real rows
    crowds: Tallied  # how many sets of so many persons cannot be told apart
    figures: dict[str, list[int] | None]  # of each model: numerator and denominator (0: infinite)
    sides: list[list[list[int]]]  # of each quasi-identifier: low, high, node, width, different, is set, rows
    values: list[Tallied]  # of each quasi-identifier
    found: dict[str, list[int]]  # of each attack: trials, successes, highest, warning
    failing: list[list[int]]  # of each promise: groups that break it, and rows in them
    mixed: list[Tallied]  # of each sensitive column: rows in groups of so many different values
    separate: bool = False  # in two tables: crowds are rows that look alike, not groups

    def document(self) -> dict[str, Any]:
        """As JSON."""
        pairs = [[keys.tolist(), counts.tolist()] for keys, counts in self.values]
        return {
            "rows": self.rows,
            "fakes_in_all": self.fakes,
            "sizes": [part.tolist() for part in self.sizes],
            "crowds": [part.tolist() for part in self.crowds],
            "figures": self.figures,
            "sides": self.sides,
            "values": pairs,
            "found": self.found,
            "failing": self.failing,
            "mixed": [[part.tolist() for part in pair] for pair in self.mixed],
        }

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Summary":
        """From JSON."""
        return cls(
            document["rows"],
            document["fakes_in_all"],
            _pair(document["sizes"]),
            _pair(document["crowds"]),
            document["figures"],
            document["sides"],
            [_pair(pair) for pair in document["values"]],
            document["found"],
            document["failing"],
            [_pair(pair) for pair in document["mixed"]],
        )

    @classmethod
    def merged(cls, parts: Sequence["Summary"]) -> "Summary":
        """What parts come to."""
        figures = {key: _worst(key, [part.figures[key] for part in parts]) for key in parts[0].figures}
        sides = [_summed([part.sides[j] for part in parts]) for j in range(len(parts[0].sides))]
        values = [merged_tallies([part.values[j] for part in parts]) for j in range(len(parts[0].values))]
        found = {key: _together([part.found[key] for part in parts]) for key in parts[0].found}
        return cls(
            sum(part.rows for part in parts),
            sum(part.fakes for part in parts),
            merged_tallies([part.sizes for part in parts]),
            merged_tallies([part.crowds for part in parts]),
            figures,
            sides,
            values,
            found,
            np.sum([part.failing for part in parts], axis=0).tolist(),
            [merged_tallies([part.mixed[j] for part in parts]) for j in range(len(parts[0].mixed))],
        )

    @cached_property
    def people(self) -> Bags:
        """All that models of sizes look at: 8 bytes for each group, on the driver."""
        sizes = np.repeat(*(self.sizes if self.separate else self.crowds))
        return Bags(sizes, (), sizes, alike=Crowds(*self.crowds) if self.separate else None)

    def verdicts(self) -> dict[str, Verdict]:
        """What every model says."""
        return {key: Verdict(True, self._figure(model), None) for key, model in catalog.models().items()}

    def _figure(self, model: type[PrivacyModel]) -> Figure:
        if model.sizes_only:
            return model.achieved(self.people)[0]
        return _fraction(self.figures[model.key])

    def judge(self, promise: PrivacyModel, number: int) -> tuple[Verdict, tuple[int, int]]:
        """What a promise, the number-th that parts were told of, says with its own parameters; how many groups
        break it, with how many rows."""
        if promise.sizes_only:
            return promise.check(self.people), promise.failing(self.people)
        achieved = _fraction(self.figures[f"{promise.sense}{number}"])
        groups, rows = self.failing[number]
        return Verdict(promise.kept_by(achieved), achieved, None), (groups, rows)

    def boxes(self, columns: Sequence[Column], sensitive: Sequence[Column]) -> Boxes:
        """For metrics: cells of columns with their rows, and the sizes of all groups."""
        sides = tuple(
            _summed_side(column, own, values)
            for column, own, values in zip(columns, self.sides, self.values, strict=True)
        )
        sizes = np.repeat(*self.sizes)
        none = np.empty(0, np.int64)
        fakes = np.zeros(self.fakes, np.int64)
        shown = (tuple(sensitive), fakes, fakes)
        return SummedBoxes(sides, sizes, 0, none, *shown, separate=self.separate, mixed=self.mixed)


def summary_of(boxes: Boxes | None, bags: Bags, fakes: int = 0, promises: Sequence[PrivacyModel] = ()) -> Summary:
    """What a part says; bags know the values of the whole release. Without boxes, nothing is measured."""
    figures = {key: _figure_of(model, bags) for key, model in catalog.models().items() if not model.sizes_only}
    figures |= {f"{p.sense}{i}": _ratio(p.check(bags).achieved) for i, p in enumerate(promises)}
    sides = () if boxes is None else boxes.sides
    return Summary(
        int(bags.rows.sum()) - fakes,
        fakes,
        value_counts(bags.rows if boxes is None else boxes.sizes),
        value_counts(bags.persons),
        figures,
        [_cells(side) for side in sides],
        [value_counts(side.column.codes) for side in sides],
        _attacked(bags, promises),
        [list(p.failing(bags)) for p in promises],
        [] if boxes is None or not boxes.separate else boxes.mixed,
    )


def within(bags: Bags, published: Sequence[Tallied]) -> Bags:
    """Bags of a part that know the values of the whole."""
    columns = tuple(replace(bag, table=table) for bag, table in zip(bags.columns, published, strict=True))
    return replace(bags, columns=columns)


def _figure_of(model: type[PrivacyModel], bags: Bags) -> list[int] | None:
    return _ratio(model.achieved(bags)[0])


def _ratio(figure: Figure) -> list[int] | None:
    if figure is None:
        return None
    return [1, 0] if figure == math.inf else [Fraction(figure).numerator, Fraction(figure).denominator]


def _fraction(ratio: list[int] | None) -> Figure:
    if ratio is None:
        return None
    return Fraction(*ratio) if ratio[1] else math.inf


def _worst(key: str, figures: Sequence[list[int] | None]) -> list[int] | None:
    """The worst of what parts achieve, exactly; the key is a model's, or a promise's sense and number."""
    known = [_fraction(figure) for figure in figures if figure is not None]
    if not known:
        return None
    model = catalog.models().get(key)
    upper = (key if model is None else model.sense)[0] == "<"
    values = [value for value in known if value is not None]
    return _ratio(max(values) if upper else min(values))


def _attacked(bags: Bags, promises: Sequence[PrivacyModel]) -> dict[str, list[int]]:
    """Attacks that need the bags alone: how many were told, and the best guess."""
    view, found = View(bags, promises=tuple(promises)), {}
    for key, attack in catalog.attacks().items():
        if attack.graded or attack.releases != 1 or key == "reidentification":
            continue
        finding = attack().run(view)
        ratio = _ratio(finding.highest) or [0, 1]
        found[key] = [finding.trials, finding.successes, *ratio, int(finding.warning)]
    return found


def _together(found: Sequence[list[int]]) -> list[int]:
    best = max(found, key=lambda one: Fraction(one[2], max(1, one[3])))
    return [sum(one[0] for one in found), sum(one[1] for one in found), *best[2:4], max(one[4] for one in found)]


def findings(summary: Summary, promises: Sequence[PrivacyModel]) -> list[Finding]:
    """What attacks found in all parts together, in words that fit any of them."""
    view = View(summary.people, promises=tuple(promises), achieved=summary.verdicts())
    told = []
    for key, attack in catalog.attacks().items():
        if key == "reidentification":
            told.append(attack().run(view))
        elif key in summary.found:
            trials, successes, top, bottom, warning = summary.found[key]
            highest = Fraction(top, max(1, bottom))
            words = f"{successes} of {trials} persons are told or concerned; the best guess is right with "
            words += f"{float(highest):.1%} (counted part by part on the cluster)"
            told.append(attack().found(words, trials, successes, highest=highest, warning=bool(warning)))
    return told


def _pair(document: list[list[int]]) -> Tallied:
    return np.array(document[0], np.int64), np.array(document[1], np.int64)


def _cells(side: Side) -> list[list[int]]:
    """The different cells of a column, with how many rows have each."""
    node = np.full(side.low.size, -1) if side.node is None else np.asarray(side.node)
    is_set = np.zeros(side.low.size, np.int64)
    is_set[side.listed] = 1
    fields = [side.low, side.high, node, side.widths, side.held.distinct(), is_set]
    return _added_up(fields, side.rows)


def _summed(parts: Sequence[list[list[int]]]) -> list[list[int]]:
    *fields, rows = np.concatenate([np.array(part, np.int64) for part in parts], axis=1)
    return _added_up(fields, rows)


def _added_up(fields: Sequence[NDArray[Any]], rows: Codes) -> list[list[int]]:
    """The different lines of these fields, in canonical order, and the rows of each.

    >>> _added_up([np.array([5, 3, 5]), np.array([0, 1, 0])], np.array([2, 4, 1]))
    [[3, 5], [1, 0], [4, 3]]
    """
    which = dense_rank(fields)
    many = int(which.max()) + 1 if which.size else 0
    one, sums = np.empty(many, np.int64), np.zeros(many, np.int64)
    one[which] = np.arange(which.size)
    np.add.at(sums, which, rows)
    return [*(np.asarray(field)[one].tolist() for field in fields), sums.tolist()]


def _summed_side(column: Column, own: list[list[int]], values: Tallied) -> SummedSide:
    low, high, node, widths, different, is_set, rows = (np.array(line, np.int64) for line in own)
    nodes = None if (node < 0).all() else node
    group = np.empty(0, np.int64)
    return SummedSide(column, low, high, nodes, widths, group, rows, False, different, is_set > 0, values)
