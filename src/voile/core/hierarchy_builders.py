"""Trees made from a column's values as a Recipe says.

Values are whole steps on an axis, so every bound is exact. Leaves are in the order of the axis
(codes: by length, then alphabetically), so depth-first numbers are ordered, too. Labels depend
on the public grid, never on the distance to a person's value.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy, Level, misleading
from voile.core.hierarchy_recipe import Recipe
from voile.core.order import distinct_values
from voile.core.schema import Type
from voile.errors import HierarchyError, SpecError, counted

Codes = NDArray[np.int64]
_FARTHEST = 10**17  # steps: bounds still fit 63 bits


def tree_on(axis: Axis, recipe: Recipe, codes: Codes, where: str = "hierarchy") -> tuple[Hierarchy, Codes]:
    """The tree over the values of an ordered column, and the leaf of each row.

    >>> ages = np.array([23, 37, 21, 24])
    >>> tree, leaf = tree_on(Axis(Type.INTEGER, 21, 37), Recipe.of({"intervals": [5, 10]}, "integer", ""), ages)
    >>> tree.labels, leaf.tolist()
    (('21', '23', '24', '37', '[20, 24]', '*'), [1, 3, 0, 2])
    """
    if recipe.kind == "groups":
        return _ordinal_tree(axis, recipe, where), codes
    values, leaf = distinct_values(codes)
    if recipe.kind == "dates":
        levels = _date_levels(recipe, values)
    else:
        numbers = [_steps(axis, number, where) for number in recipe.numbers]
        levels = (
            _interval_levels(axis, numbers[:-1], numbers[-1], values)
            if recipe.kind == "intervals"
            else _quantile_levels(axis, recipe.levels[0], numbers[0], values, codes)
        )
    return Hierarchy.from_levels([_plain(axis, code) for code in values.tolist()], levels, where=where), leaf


def tree_of_codes(recipe: Recipe, labels: Sequence[str], where: str = "hierarchy") -> tuple[Hierarchy, Codes]:
    """The tree of masked codes, and the leaf of each label.

    A code keeps its length, is masked from the right, and keeps its first character until all is `*`.

    >>> tree_of_codes(Recipe("mask", (1, 2)), ["81675", "81677", "81625", "12"])[0].labels
    ('12', '81625', '81675', '81677', '8167*', '816**', '*')
    """
    starred = sum(EVERYTHING in label for label in labels)
    if starred:
        raise HierarchyError(
            f"{counted(starred, 'value')} with a *",
            where=where,
            rule="in a masked code * is what is masked",
            remedy="rename them, or write the hierarchy as a file",
        )
    order = sorted(range(len(labels)), key=lambda i: (len(labels[i]), labels[i]))
    leaves = [labels[i] for i in order]
    levels: list[Level] = []
    for masked in recipe.levels:
        names = [code[: max(1, len(code) - masked)].ljust(len(code), EVERYTHING) for code in leaves]
        starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
        levels.append((np.array(starts, np.int64), [names[i] for i in starts]))
    leaf = np.empty(len(order), np.int64)
    leaf[order] = np.arange(len(order))
    return Hierarchy.from_levels(leaves, levels, where=where), leaf


def _ordinal_tree(axis: Axis, recipe: Recipe, where: str) -> Hierarchy:
    """All declared values are leaves, whether they occur or not: the order is public."""
    n = len(axis.names)
    levels: list[Level] = []
    for length in recipe.levels:
        starts = np.arange(0, n, min(length, n))
        ends = np.append(starts[1:], n) - 1
        names = [f"[{axis.names[a]}, {axis.names[b]}]" for a, b in zip(starts, ends, strict=True)]
        levels.append((starts, names))
    tree = Hierarchy.from_levels(axis.names, levels, where=where)
    if misleading(tree.lines()):
        raise SpecError(
            "numbers in another order than theirs",
            where=where,
            rule="labels say what they contain",
            remedy="correct order, or write the hierarchy as a file",
        )
    return tree


def _runs(keys: Codes, label: Callable[[int], str]) -> Level:
    """Runs of equal keys, each labelled by its key."""
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    return starts, [label(key) for key in keys[starts].tolist()]


def _interval_levels(axis: Axis, widths: list[int], origin: int, values: Codes) -> list[Level]:
    def label(key: int, width: int) -> str:
        return _interval(axis, key * width + origin, (key + 1) * width + origin)

    return [_runs((values - origin) // width, partial(label, width=width)) for width in widths]


def _quantile_levels(axis: Axis, groups: int, grid: int, values: Codes, codes: Codes) -> list[Level]:
    """Intervals with as equal numbers of rows as the grid allows; then pairs of neighbours, and so on."""
    if codes.size == 0:
        return []

    def label(key: int, ends: list[int]) -> str:
        return _interval(axis, ends[key], ends[key + 1])

    at = np.sort(codes)[np.arange(1, groups) * codes.size // groups]
    cuts = np.unique((2 * at + grid) // (2 * grid)) * grid  # the nearest multiples of the grid
    cuts = cuts[(cuts > values[0]) & (cuts <= values[-1])]
    ends = [int(values[0]) // grid * grid, *cuts.tolist(), (int(values[-1]) // grid + 1) * grid]
    levels = []
    while len(ends) > 2:  # one interval for all would tell the least and the greatest; `*` does not
        levels.append(_runs(np.searchsorted(ends, values, side="right") - 1, partial(label, ends=ends)))
        ends = [*ends[:-1:2], ends[-1]]
    return levels


_PERIODS: dict[str, tuple[int, Callable[[int], str]]] = {  # months, and the label of the nth since 1970
    "month": (1, lambda nth: f"{1970 + nth // 12:04d}-{nth % 12 + 1:02d}"),
    "quarter": (3, lambda nth: f"{1970 + nth // 4:04d}-Q{nth % 4 + 1}"),
    "year": (12, lambda nth: f"{1970 + nth:04d}"),
}


def _date_levels(recipe: Recipe, values: Codes) -> list[Level]:
    months = values.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    periods = [_PERIODS[period] for period in recipe.levels]
    return [_runs(months // length, label) for length, label in periods]


def _steps(axis: Axis, number: Fraction, where: str) -> int:
    """A number of the spec in steps of the axis."""
    steps = int(number * 10**axis.scale)
    if abs(steps) >= _FARTHEST:
        raise SpecError(
            "a width, origin or grid far beyond the column's precision",
            where=where,
            rule="numbers fit exact arithmetic",
            remedy="round the column, or choose smaller numbers",
        )
    return steps


def _plain(axis: Axis, code: int) -> str:
    """A value without zeros that say nothing."""
    text = axis.label(code)
    return text.rstrip("0").rstrip(".") if axis.scale else text


def _interval(axis: Axis, low: int, beyond: int) -> str:
    """From low to just below beyond: whole numbers have a last one, decimals have none."""
    if axis.type == Type.INTEGER:
        return f"[{low}, {beyond - 1}]"
    return f"[{_plain(axis, low)}, {_plain(axis, beyond)})"
