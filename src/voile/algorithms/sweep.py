"""SWEEP: rows move along one order of all generalizations until their classes keep the line (Tian and Zhang 2009).

Every combination of levels of the quasi-identifiers is an *item*; items are ordered by the information they
retain, then by the importance of the attributes (Definition 6). On each item the rows that are still active form
classes by their nodes on those levels; a class closes with what the greedy removal leaves of it, the rest goes on.
On the last item, where everything is *, sensitive values are raised to their parents until the line is kept; and
before the first, if the whole table does not keep it. Corrections and ties as in docs/facts/sweep.md B2: exact
rationals, padded trees, only k below l can bind, eligibility decided before starting.

What is raised gives itself away (docs/facts/sweep.md B3): a value is raised because it is too frequent, so whoever
knows the algorithm can tell which one it was. SWEEP-E (sweep_e.py) keeps the line on true values.
"""

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.base_values import LARGEST, BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.level_vectors import ordered_items
from voile.core.order import canonical_order
from voile.core.parameters import AUTO, in_decimals, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.core.tau_l_line import TauLLine, least_tau, line_of, usable_tau
from voile.core.taxonomy import Taxonomy
from voile.errors import Infeasible, ParameterError, SpecError, counted
from voile.kernels.sweep import MOST_WORDS, WORD, Classes, Runs, Values, sweep_items
from voile.kernels.tau_l import raised

CHUNK = 60  # items between two reports of progress
_ODD = 0x9E3779B97F4A7C15  # keys that do not fit 62 bits are mixed; a clash joins two classes, and harms none


@dataclass(frozen=True, kw_only=True)
class Sweep(Algorithm):
    """Classes along an order of generalizations, and raised sensitive values where that is not enough.

    Guarantee: (tau,l)-diversity of the frequencies that published values induce.
    Not protected against: someone who knows that the most frequent values are the ones that are raised.

    >>> Sweep(tau=Fraction(3, 10), l=6).settings()
    {'tau': '3/10', 'l': 6, 'weights': 'present', 'importance': 'auto', 'raised': 'spread'}
    """

    key = "sweep"
    title = "SWEEP"
    paper = "Tian and Zhang 2009"
    promise = "tau_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    generalises = True
    cost = "rows times combinations of levels, by distinct rows; 1M rows in a second or two"
    meaning = (
        "classes along an order of generalizations; sensitive values are generalised where frequencies need it"
    )

    tau: Fraction = parameter("largest share of a value in a group", places=0)  # noqa: RUF009
    l: int = parameter("values that share a group at least", minimum=2)  # noqa: E741 the paper's name
    weights: str = parameter(
        "how likely a reader holds a value beforehand: present = all values of the table alike, all = all of the "
        "hierarchy alike, prior = as the spec's prior says",
        default="present",
        choices=("present", "all", "prior"),
    )
    importance: str = parameter(
        "quasi-identifying columns that keep detail longest first; auto = as in the spec",
        default=AUTO,
        text="column names joined by +",
    )
    raised: str = parameter(
        "which rows of a value that is too frequent in the whole table are generalised: spread, or the first",
        default="spread",
        choices=("spread", "first"),
    )

    def __post_init__(self) -> None:
        line_of(self.tau, self.l)

    def limits(self, series: bool = False) -> list[str]:
        """docs/facts/sweep.md B3, in plain words."""
        return [
            "what a generalised sensitive value was: frequent values are the ones raised, so it gives itself away"
        ]

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Raise what the whole table needs, sweep, raise what the last class needs."""
        line = line_of(self.tau, self.l)
        values = base_values(table, self.weights)
        codes = table.sensitive[0].codes
        refuse_beyond(line, values, table.n, table.sensitive[0].name)
        columns = taxonomies(table, self.importance)
        node = raised_in_table(codes, values, line, self.raised == "spread")
        group, groups = swept(columns, node, values, line, progress)
        last = np.flatnonzero(group == SUPPRESSED)
        if last.size:
            node[last] = raised_rows(node[last], values, line, table.n)
            group[last] = groups
        if (node == codes).all():
            return Partition(group)
        return Partition(group, node=node, weight=values.weight)


def base_values(table: Table, weights: str) -> BaseValues:
    """The tree of the sensitive column, and the weight of each of its leaves."""
    column = table.single_sensitive("sweep")
    if not isinstance(column.domain, Hierarchy):
        raise SpecError(
            "an ordered sensitive column without a hierarchy",
            where=f"column {column.name}",
            rule="sweep may have to publish sensitive values more generally",
            remedy="give it a hierarchy (a file, or intervals of numbers); or use sweep_e or elig",
        )
    if weights == "prior":
        if column.prior is None:
            raise ParameterError(
                "the spec has no prior",
                where="parameter weights",
                rule="prior = how likely readers hold each value",
                remedy=f"add it to column {column.name}: prior = {{ VALUE = 20, ... }}; values not named have 1",
            )
        return BaseValues(column.domain, column.prior)
    present = np.minimum(np.bincount(column.codes, minlength=column.domain.leaves), 1)
    return BaseValues(column.domain, np.ones_like(present) if weights == "all" else present)


def refuse_beyond(line: TauLLine, values: BaseValues, rows: int, column: str) -> None:
    """Generalising can reach the weights themselves, and no more (docs/facts/sweep.md B2.4)."""
    m = values.possible.size
    weight, unit = values.weight[values.possible], unit_of(values, rows, line)
    parts = -(-unit * weight // max(1, int(weight.sum())))  # as the kernels see a row of *
    if m and line.allows(weight) and line.allows(parts, unit):
        return
    if m < line.l:
        why, rule = f"l = {line.l} with {counted(m, 'possible value')}", "a group needs l different values"
        remedy = f"l = {m} is the largest possible" if m > 1 else "more needs values in finer detail"
    elif line.tau < Fraction(1, m):
        why, rule = f"tau = {line.tau} with {counted(m, 'possible value')}", "somebody has the most frequent one"
        remedy = f"tau = 1/{m} is the smallest possible; a smaller one needs values in finer detail"
    else:
        why, rule = "the weights alone cross the line", "a row of * counts for every value by its weight"
        least = max(least_tau(weight, line.l), least_tau(parts, line.l, unit))
        fits = usable_tau(least, line.l)
        remedy = "use other weights, or a smaller l"
        if fits is not None:
            remedy = f"with l = {line.l} and these weights, tau = {in_decimals(fits)} is the smallest possible"
    raise Infeasible(why, where=f"column {column}", largest_l=m, rows_to_suppress=rows, rule=rule, remedy=remedy)


def taxonomies(table: Table, importance: str) -> list[Taxonomy]:
    """The quasi-identifying columns, the most important first."""
    names = [column.name for column in table.quasi]
    wanted = [] if importance == AUTO else importance.split("+")
    if len(set(wanted)) < len(wanted) or not set(wanted) <= set(names):
        raise ParameterError(
            "not some of the quasi-identifying columns",
            where="parameter importance",
            rule="names of quasi-identifying columns, each once",
            remedy=f"some of {', '.join(names)}, joined by +",
        )
    order = [*wanted, *(name for name in names if name not in wanted)]
    return [Taxonomy.of(table.quasi[names.index(name)]) for name in order]


def swept(
    columns: list[Taxonomy],
    node: NDArray[np.int64],
    values: BaseValues,
    line: TauLLine,
    progress: Progress = lambda share: None,
) -> tuple[NDArray[np.int64], int]:
    """The group of each row that found one before the last item, else SUPPRESSED; and how many there are."""
    items = ordered_items(columns)
    kinds = kinds_of(values, node.size, line)
    runs = _runs(columns, node, values, kinds)
    group, groups = np.full(node.size, SUPPRESSED, np.int64), 0
    table = np.concatenate([levels.ravel() for levels in items.node]).astype(np.int32)
    begin = np.cumsum([0, *(levels.size for levels in items.node)])[:-1]
    width = np.array([levels.shape[1] for levels in items.node])
    offset = begin + items.levels * width
    stride = _strides([column.low.size for column in columns])
    classes = _room(runs.leaf.shape[0], runs.mask.shape[1])
    active = np.arange(runs.leaf.shape[0])
    plain = bool((kinds.after - kinds.first == 1)[runs.value].all())
    law = (line.limit, line.scale, line.need)
    last = items.levels.shape[0] - 1
    for first in range(0, last, CHUNK):
        chunk = (first, min(last, first + CHUNK))
        active, groups = sweep_items(
            runs, classes, kinds, active, table, offset, stride, chunk, law, plain, group, groups
        )
        progress(chunk[1] / last)
        if active.size == 0:
            break
    return group, groups


def _strides(radix: list[int]) -> NDArray[np.int64]:
    """Factors that make one key of a node per column."""
    strides, product = [], 1
    for size in radix:
        strides.append(product)
        product *= size
    if product >= 2**62:
        strides = [pow(_ODD, j + 1, 2**64) | 1 for j in range(len(radix))]
    return np.array([stride - 2**64 if stride >= 2**63 else stride for stride in strides], np.int64)


def _room(runs: int, words: int) -> Classes:
    slots = 1 << max(4, (2 * runs).bit_length())
    return Classes(
        key=np.empty(slots, np.int64),
        stamp=np.full(slots, -1, np.int32),
        number=np.empty(slots, np.int32),
        mask=np.empty((runs, words), np.uint64),
        of=np.empty(runs, np.int32),
        size=np.empty(runs, np.int64),
        member=np.empty(runs, np.int64),
    )


def _runs(columns: list[Taxonomy], node: NDArray[np.int64], values: BaseValues, kinds: Values) -> Runs:
    """Rows as runs and cells. Nodes that cover the same possible values count as the lowest of them."""
    n = node.size
    new = np.zeros(n, bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column.leaf[1:] != column.leaf[:-1]
    run = np.cumsum(new) - 1
    value = lowest_alike(values)[node]
    key = run * values.total.size + value
    row = np.arange(n) if (key[1:] >= key[:-1]).all() else canonical_order([run, value])
    key = key[row]
    start = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1]))) if n else np.arange(0)
    first = np.searchsorted(run[row[start]], np.arange(int(new.sum()) + 1))
    together = np.bitwise_or if kinds.bits else np.add
    mask = together.reduceat(kinds.cover[value[row[start]]], first[:-1], axis=0) if n else kinds.cover[:0]
    leaf = np.column_stack([column.leaf[new] for column in columns]).astype(np.int32)
    left = np.diff(np.append(start, n))
    return Runs(leaf, first, mask, value[row[start]], start, left, row)


def lowest_alike(values: BaseValues) -> NDArray[np.int64]:
    """Of each node the lowest node that covers the same possible values."""
    key = values.first * (values.possible.size + 1) + values.after
    _, lowest, which = np.unique(key, return_index=True, return_inverse=True)
    return np.asarray(lowest[which])


def kinds_of(values: BaseValues, rows: int, line: TauLLine) -> Values:
    """What the kernels need to know of the sensitive values, in a table of so many rows."""
    words = max(1, -(-values.possible.size // WORD))
    bits = words <= MOST_WORDS
    cover = (values.after - values.first).astype(np.uint64)[:, None]
    if bits:
        cover = np.zeros((values.total.size, words), np.uint64)
        for node, (first, after) in enumerate(zip(values.first.tolist(), values.after.tolist(), strict=True)):
            for word in range(first // WORD, -(-after // WORD)):
                low, high = max(first - word * WORD, 0), min(after - word * WORD, WORD)
                cover[node, word] = ((1 << high) - 1) ^ ((1 << low) - 1)
    weight, total = values.weight[values.possible], np.maximum(values.total, 1)
    return Values(values.first, values.after, total, weight, cover, unit_of(values, rows, line), bits)


def unit_of(values: BaseValues, rows: int, line: TauLLine) -> int:
    """Parts of a person: the sums that the kernels compare, times the scale of the line, fit 63 bits."""
    return values.unit(rows, min(LARGEST, 2**60 // line.scale))


def above_of(values: BaseValues) -> NDArray[np.int64]:
    """Of each node the nearest one above that covers more possible values, -1 at the top."""
    parent, above = values.tree.parent, np.full(values.total.size, -1)
    for node in range(values.total.size - 1, -1, -1):  # parents come after their children
        higher = parent[node]
        if higher >= 0:
            above[node] = higher if values.total[higher] > values.total[node] else above[higher]
    return above


def moves_until(node: NDArray[np.int64], values: BaseValues, line: TauLLine, rows: int) -> NDArray[np.int64]:
    """The nodes from which rows must be raised, in turn, until all together keep the line, in the parts of a table
    of so many `rows`."""
    count, kinds = np.bincount(node, minlength=values.total.size), kinds_of(values, rows, line)
    moves: NDArray[np.int64] = raised(count, kinds, above_of(values), line.limit, line.scale)
    if moves.size and moves[-1] < 0:
        raise ValueError("a table that keeps the line at the root cannot be stuck")
    return moves


def raised_in_table(
    codes: NDArray[np.int64], values: BaseValues, line: TauLLine, spread: bool
) -> NDArray[np.int64]:
    """The node of each row so that the whole table keeps the line (Tian and Zhang 2009, Figure 4, steps 1 and 2).

    Which rows are raised is not said there: those spread over the order of the quasi-identifiers lose least
    (docs/facts/sweep.md B2.8).
    """
    if not spread:
        return raised_rows(codes, values, line, codes.size)
    node, above = codes.copy(), above_of(values)
    leaving = np.bincount(moves_until(codes, values, line, codes.size), minlength=values.total.size)
    for v in np.flatnonzero(leaving):
        here = np.flatnonzero(node == v)
        turn = np.arange(here.size + 1) * int(leaving[v]) // max(1, here.size)
        node[here[turn[1:] > turn[:-1]]] = above[v]
    return node


def raised_rows(node: NDArray[np.int64], values: BaseValues, line: TauLLine, rows: int) -> NDArray[np.int64]:
    """The same, the lowest row of the value first; these may be some of the table's `rows`."""
    node, above = node.copy(), above_of(values)
    moves = moves_until(node, values, line, rows).tolist()
    waiting = {v: np.flatnonzero(node == v).tolist() for v in set(moves)}
    for v in moves:
        row = heapq.heappop(waiting[v])
        node[row] = above[v]
        if int(above[v]) in waiting:
            heapq.heappush(waiting[int(above[v])], row)
    return node
