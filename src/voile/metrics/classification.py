"""Classification: how well a decision tree learns from the release (Tian and Zhang 2009, section IV.B)."""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.base_values import BaseValues
from voile.core.boxes import Boxes, Side
from voile.core.metric import Metric
from voile.core.order import dense_rank, distinct_values
from voile.core.parameters import parameter
from voile.core.table import Column
from voile.errors import ParameterError

Numbers = NDArray[np.int64]
FIRST = "first"


@dataclass(frozen=True, repr=False, eq=False)
class _Examples:
    """What a tree learns from: two ends per column and line, the value to learn, and how many rows say so."""

    cells: Numbers
    value: Numbers
    weight: NDArray[np.float64]

    def together(self) -> "_Examples":
        """Equal lines as one, in an order that does not tell where they came from."""
        which = dense_rank([*self.cells.T, self.value])
        some = np.empty(int(which.max(initial=-1)) + 1, np.int64)
        some[which] = np.arange(which.size)
        weight = np.asarray(np.bincount(which, weights=self.weight), np.float64)
        return _Examples(self.cells[some], self.value[some], weight)


@dataclass(frozen=True, kw_only=True)
class Classification(Metric):
    """Accuracy of a decision tree that learned from published cells, over that of one that learned from the
    original cells of the same rows; both are asked about the original cells of rows that were held out.

    A quasi-identifying column is two features: the low and the high end of its cell, numbered in the order of the
    source's values (of a tree: of its leaves, depth first, so that relatives are neighbours). In an original cell
    both are the value; a tree is asked about it by the nearest ends that it was taught. A generalised sensitive
    value teaches each base value under it by its induced frequency, a row whose value is published by group each
    value of its group by its share. Suppressed rows teach nothing, counterfeits
    what they say.
    """

    key = "classification"
    title = "classification accuracy ratio"
    paper = "Tian and Zhang 2009, section IV.B"
    best = "high"
    range = "0 upwards"
    meaning = "how well a decision tree learns a sensitive column from the release, against one from the source"
    private = True

    seed: int = parameter("which rows are held out, and ties of the tree", minimum=0, default=1)
    held_out: Fraction = parameter("share of rows to ask about", places=0, default=Fraction(1, 3))
    target: str = parameter("column to learn", text="a sensitive column", choices=(FIRST,), default=FIRST)
    smallest_leaf: int = parameter("rows that a leaf of the tree needs", minimum=1, default=10)

    def __post_init__(self) -> None:
        if not can_learn():  # said now: the run before the measuring may be long
            raise ParameterError(
                "scikit-learn is not installed",
                where=f"measure {self.key}",
                rule="it learns decision trees with it",
                remedy="install it: pip install 'voile[ml]'",
            )
        if self.held_out >= 1:
            raise ParameterError(
                "not an accepted value",
                where="parameter held_out",
                rule="a number above 0 and below 1",
                remedy="for example held_out=1/3",
            )

    def measure(self, boxes: Boxes) -> float:
        """A float: the ratio; 0 where there is nothing to learn from, or the source itself teaches nothing."""
        names = [column.name for column in boxes.sensitive]
        column = boxes.sensitive[names.index(chosen_target(names, self.target))]
        asked = self._held_out(boxes.rows)
        if asked.all() or not asked.any():
            return 0.0
        source = _originals(boxes, column)
        questions = _Examples(source.cells[asked], source.value[asked], source.weight[asked]).together()
        taught = _Examples(source.cells[~asked], source.value[~asked], source.weight[~asked])
        best = self._right(taught, questions)
        return self._right(_published(boxes, column, ~asked), questions) / best if best else 0.0

    def _held_out(self, rows: int) -> NDArray[np.bool_]:
        """Which rows are asked about; the table's order tells nothing of a person."""
        asked = np.zeros(rows, bool)
        asked[np.random.default_rng(self.seed).permutation(rows)[: round(self.held_out * rows)]] = True
        return asked

    def _right(self, taught: _Examples, questions: _Examples) -> float:
        """How many rows a tree that was taught so answers as they are."""
        from sklearn.tree import DecisionTreeClassifier

        if taught.value.size == 0:
            return 0.0
        lines = taught.together()
        least = (self.smallest_leaf - 0.5) / float(lines.weight.sum())  # a half: sums of parts are floats
        tree: Any = DecisionTreeClassifier(
            criterion="entropy", min_weight_fraction_leaf=min(0.5, least), random_state=self.seed
        )
        tree.fit(lines.cells.astype(np.float32), lines.value, sample_weight=lines.weight)
        right = tree.predict(_by_ends(lines.cells, questions.cells).astype(np.float32)) == questions.value
        return float(questions.weight[right].sum())


def can_learn() -> bool:
    """Whether scikit-learn, an extra, is there; asked without loading it."""
    return importlib.util.find_spec("sklearn") is not None


def chosen_target(sensitive: Sequence[str], target: str) -> str:
    """The sensitive column that a parameter names.

    >>> chosen_target(["disease", "income"], "income"), chosen_target(["disease", "income"], "first")
    ('income', 'disease')
    """
    if target == FIRST and sensitive:
        return sensitive[0]
    if target not in sensitive:
        raise ParameterError(
            "not a sensitive column of this table",
            where="parameter target",
            rule=f"{FIRST}, or one of {', '.join(sensitive)}",
        )
    return target


def _originals(boxes: Boxes, column: Column) -> _Examples:
    """All rows as they are."""
    ranks = [distinct_values(side.column.codes)[1] for side in boxes.sides for _ in ("low", "high")]
    return _Examples(_beside(ranks, boxes.rows), column.codes, np.ones(boxes.rows))


def _published(boxes: Boxes, column: Column, some: NDArray[np.bool_]) -> _Examples:
    """These rows as published, and all counterfeits."""
    some = some & (boxes.group >= 0)
    if boxes.separate:
        return _apart(boxes, column, some)
    ends = _beside([end for side in boxes.sides for end in _ends(side)], boxes.sizes.size)
    if boxes.node.size == 0:
        group = np.concatenate([boxes.group[some], boxes.counterfeit_group])
        value = np.concatenate([column.codes[some], boxes.counterfeit_value])
        return _Examples(ends[group], value, np.ones(value.size))
    values, node = BaseValues(column.tree(), boxes.weight), boxes.node[some]
    many = (values.after - values.first)[node]
    of = np.repeat(np.arange(node.size), many)
    place = values.first[node[of]] + np.arange(of.size) - np.repeat(np.cumsum(many) - many, many)
    leaf = values.possible[place]
    return _Examples(ends[boxes.group[some][of]], leaf, values.weight[leaf] / values.total[node[of]])


def _apart(boxes: Boxes, column: Column, some: NDArray[np.bool_]) -> _Examples:
    """Rows as they are, each with all values of its group by their shares."""
    published = boxes.group >= 0
    group = boxes.group[some]
    shared = Bag.of(boxes.group[published], column.codes[published], boxes.sizes.size).gathered(group)
    ranks = [distinct_values(side.column.codes)[1][some] for side in boxes.sides for _ in ("low", "high")]
    cells = _beside(ranks, group.size)[shared.owner]
    return _Examples(cells, shared.codes, shared.counts / boxes.sizes[group][shared.owner])


def _ends(side: Side) -> tuple[Numbers, Numbers]:
    """The first and the last of the source's values in the cell of each group, by their rank."""
    low, high = side.source.first.copy(), side.source.after - 1
    if side.listed.size:
        values, _ = distinct_values(side.column.codes)
        start, codes = side.held.start, side.held.codes
        low[side.listed] = np.searchsorted(values, codes[start[side.listed]])
        high[side.listed] = np.searchsorted(values, codes[start[side.listed + 1] - 1])
    return low, high


def _by_ends(taught: Numbers, asked: Numbers) -> Numbers:
    """Cells by the ends that were taught: the last low at or below, the first high at or above.

    A tree splits halfway between two ends: from [0, 1] and [2, 9] it would learn that a high of 3 is of the first.
    """
    found = asked.copy()
    for j in range(0, asked.shape[1], 2):
        lows, highs = distinct_values(taught[:, j])[0], distinct_values(taught[:, j + 1])[0]
        found[:, j] = lows[np.maximum(np.searchsorted(lows, asked[:, j], "right") - 1, 0)]
        found[:, j + 1] = highs[np.minimum(np.searchsorted(highs, asked[:, j + 1]), highs.size - 1)]
    return found


def _beside(columns: Sequence[Numbers], lines: int) -> Numbers:
    """Columns as one matrix, also if there are none."""
    return np.column_stack([np.empty((lines, 0), np.int64), *columns])
