"""SWEEP-E: SWEEP that keeps its word on true values (ours, docs/facts/sweep.md B3).

SWEEP leaves a residue that is one-sided, and raises sensitive values to hide it, which hides nothing. Here no
value is raised. The sweep closes the classes that keep the line; then the cheapest of them are dissolved into
the residue until it can be grouped; and the residue is grouped by ELIG, d different values to a group, under the
cost of the information utility. Every class then keeps (tau,l) on true values.

* First, rows of the residue, in order, join the class with room for them under the line where the total loss
  grows least (the first that closed, if several do), unless it grows as much as a row of stars loses (twice that,
  where the residue will be one class).
* d is the number of different values that keep the line whatever they are: max(l, 1/tau), fewer after a cut.
* Dissolved are, at the k where the residue crosses its line most, the classes with most room below it for the
  information that they lose: |E| psi(k) minus their rows of the residue's k most frequent values. Its line is
  that of d values of equal frequency.
* Where the most frequent value has more than 1/d of the table, groups of d different values cannot hold it: then
  classes are dissolved until the residue keeps the line of (tau,l) itself, and it stays one class.
* Where the table itself crosses the line, no grouping keeps it on true values: classes that all keep it would
  keep it together. Then one cut of the sensitive hierarchy, chosen before the sweep, is published for the whole
  table: a node tells no more than how frequent the values under it are there. Induced frequencies keep the line.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.elig import Elig, grouped, refined, seat_left_over
from voile.algorithms.sweep import above_of, base_values, kinds_of, refuse_beyond, swept, taxonomies, unit_of
from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.bags import Bag
from voile.core.base_values import BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.information_loss import utility_loss_of
from voile.core.order import canonical_order, distinct_values
from voile.core.parameters import AUTO, in_decimals, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.core.tau_l_line import TauLLine, least_tau, line_of, usable_tau
from voile.errors import Infeasible, counted
from voile.kernels.absorb import absorb, class_nodes
from voile.kernels.swaps import charge_groups, gathered
from voile.kernels.z_order import z_order

Codes = NDArray[np.int64]
LOOKS = 2**24  # at groups that rows may join: if all are too many, each row looks at some near it on a curve
MOST_FREQUENCIES = 2**24  # groups times values beyond which no row joins a group: they are kept in one array


@dataclass(frozen=True, kw_only=True)
class SweepE(Algorithm):
    """SWEEP's classes, and ELIG's for what the sweep leaves over; no sensitive value is generalised for a group.

    Guarantee: (tau,l)-diversity on true values, wherever the table itself keeps it.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> SweepE(tau=Fraction(3, 10), l=6).settings()
    {'tau': '3/10', 'l': 6, 'ineligible': 'cut', 'importance': 'auto'}
    """

    key = "sweep_e"
    title = "SWEEP-E"
    paper = "Voile 2026, after Tian and Zhang 2009"
    promise = "tau_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    generalises = True
    one_cut = True
    cost = "as sweep, and as elig for the rows that are left over"
    meaning = "sweep's classes, and groups of different values for the rest: kept on true values if the table can"

    tau: Fraction = parameter("largest share of a value in a group", places=0)  # noqa: RUF009
    l: int = parameter("values that share a group at least", minimum=2)  # noqa: E741 the paper's name
    ineligible: str = parameter(
        "when the table itself crosses the line: refuse, or cut = publish coarser sensitive values throughout",
        default="cut",
        choices=("cut", "refuse"),
    )
    importance: str = parameter(
        "quasi-identifying columns that keep detail longest first; auto = as in the spec",
        default=AUTO,
        text="column names joined by +",
    )

    def __post_init__(self) -> None:
        line_of(self.tau, self.l)

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Cut if it must be, sweep, dissolve, group the residue."""
        line = line_of(self.tau, self.l)
        column = table.single_sensitive(self.key)
        codes = distinct_values(column.codes)[1]
        counts = np.bincount(codes)
        if line.allows(counts) and table.n:
            return Partition(
                _grouped(table, self.importance, codes, BaseValues.plain(counts.size), line, progress)
            )
        if self.ineligible == "refuse" or not isinstance(column.domain, Hierarchy):
            refuse_crossed(line, counts, column.name, isinstance(column.domain, Hierarchy))
        values = base_values(table, "present")
        refuse_beyond(line, values, table.n, column.name)
        node = cut_of(column.codes, values, line)[column.codes]
        group = _grouped(table, self.importance, node, values, line, progress)
        return Partition(group, node=node, weight=values.weight)


def refuse_crossed(line: TauLLine, counts: Codes, column: str, tree: bool) -> NoReturn:
    """The table as a whole crosses the line, and its values may not be generalised."""
    values, top = counts.size, int(counts.max(initial=0)) / max(1, int(counts.sum()))
    most = min(line.l, values)
    usable = {ell: usable_tau(least_tau(counts, ell), ell) for ell in range(max(2, most - 1), most + 1)}
    reached = [f"({in_decimals(tau)}, {ell})" for ell, tau in usable.items() if tau is not None]
    kept = bisect_left(range(2, most + 1), True, key=lambda ell: not TauLLine(line.tau, ell).allows(counts))
    remedy = f"possible are {' or '.join(reached)}" if reached else "no (tau,l) is possible on true values"
    remedy += "; or leave out ineligible=refuse" if tree else "; or give the column a hierarchy"
    raise Infeasible(
        f"the table itself crosses the line: {counted(values, 'value')}, one with {100 * top:.4g} % of rows",
        where=f"column {column}",
        largest_l=1 + kept,
        rows_to_suppress=int(counts.sum()),
        rule=f"(tau,l) = ({line.tau}, {line.l}) on true values",
        remedy=remedy,
    )


def cut_of(codes: Codes, values: BaseValues, line: TauLLine) -> Codes:
    """The node of each leaf in one cut of the tree, so coarse that the whole table keeps the line: as long as it
    does not, the node of the most frequent base value gives way to the one above it."""
    cut, above, unit = np.arange(values.tree.leaves), above_of(values), unit_of(values, codes.size, line)
    while True:
        bag = Bag.of(np.zeros(codes.size, np.int64), cut[codes], 1).induced(values, unit)
        if line.allows(bag.counts, codes.size * unit):
            return cut
        lower = np.flatnonzero(above[cut[bag.codes]] >= 0)
        dominant = bag.codes[lower[np.argmax(bag.counts[lower])]]
        higher = above[cut[dominant]]
        cut[values.tree.low[higher] : values.tree.high[higher] + 1] = higher


def different_values(node: Codes, values: BaseValues, line: TauLLine) -> int:
    """d: how many rows of different published values keep the line whatever they are; 0 if no number does.

    Those with the fewest base values under them are the worst case: their frequencies are the least even.
    """
    under, unit = np.sort((values.after - values.first)[np.unique(node)]), unit_of(values, node.size, line)
    parts = np.repeat(-(-unit // under), under)
    ends = np.cumsum(under)
    return next((d for d in range(1, under.size + 1) if line.allows(parts[: ends[d - 1]], d * unit)), 0)


def _grouped(
    table: Table, importance: str, node: Codes, values: BaseValues, line: TauLLine, progress: Progress
) -> Codes:
    """The group of each row; `node` is what is published of its sensitive value."""
    columns = taxonomies(table, importance)
    group, groups = swept(columns, node, values, line, lambda share: progress(share / 2))
    if (group >= 0).all():
        return group
    d = different_values(node, values, line)
    distinct = d > 1 and int(np.bincount(node).max()) * d <= node.size
    loss, leaf = utility_loss_of(columns), np.column_stack([column.leaf for column in columns]).astype(np.int32)
    absorbed(loss, leaf, node, group, groups, values, line, 1 if distinct else 2)
    if (group >= 0).all():
        return group
    parts = None if distinct else values
    goal = TauLLine(Fraction(1, d), d) if distinct else line
    lost = information_lost(loss, leaf, group, groups)
    gone = np.append(cheapest(group, node, lost, goal, parts), True)  # the residue is group -1
    group = np.where(gone[group], SUPPRESSED, (np.cumsum(~gone) - 1)[group])
    residue, kept = np.flatnonzero(group == SUPPRESSED), int((~gone).sum())
    group[residue] = kept
    if distinct:
        value = distinct_values(node[residue])[1]
        group[residue] += of_different(loss, leaf[residue], value, d, lambda share: progress((1 + share) / 2))
    return group


def cost_of_stars(loss):
    """What a row loses that is published as * throughout: the last node of each tree is its root."""
    return int(loss.cost[[*(loss.leaf[1:] - 1), -1]].sum())


def absorbed(loss, leaf, node, group, groups, values, line, price):
    """Let rows without a group join one that has room, where that loses less than `price` times what a row of
    stars loses. With many groups only those near on a curve are looked at."""
    if groups == 0 or groups * values.possible.size > MOST_FREQUENCIES:
        return
    curve = z_order(leaf, leaf.max(axis=0, initial=0) + 1)
    members, rows = gathered(group, groups), np.flatnonzero(group == SUPPRESSED)
    place, some = np.arange(groups), max(1, LOOKS // rows.size)
    if groups > some:  # along the curve
        place = canonical_order([curve[members.member[members.start[:-1]]]])
    rank = np.empty(groups, np.int64)
    rank[place] = np.arange(groups)
    on_curve = np.where(group >= 0, rank[group], SUPPRESSED)
    members = gathered(on_curve, groups)
    charge_groups(loss, leaf, members)
    near = np.searchsorted(curve[members.member[members.start[:-1]]], curve[rows])
    begin = np.clip(near - some // 2, 0, max(0, groups - some))
    end = np.minimum(begin + some, groups)
    nodes = class_nodes(loss, leaf, members)
    kind = np.full(values.total.size, -1)
    kind[np.unique(node)] = np.arange(np.unique(node).size)
    kinds = kinds_of(values, node.size, line)
    law, most = (line.limit, line.scale), price * cost_of_stars(loss)
    absorb(loss, leaf, node, rows, begin, end, nodes, members, kinds, kind, law, most, on_curve)
    group[rows] = np.where(on_curve[rows] >= 0, place[on_curve[rows]], SUPPRESSED)


def information_lost(loss, leaf, group, groups):
    """What all rows of each group would lose if they were published as *, in the units of the loss."""
    members = gathered(group, groups)
    charge_groups(loss, leaf, members)
    return (cost_of_stars(loss) - members.cost) * np.diff(members.start)


def cheapest(
    group: Codes, node: Codes, lost: Codes, line: TauLLine, values: BaseValues | None = None
) -> NDArray[np.bool_]:
    """Which groups are dissolved so that the rows without a group and theirs together keep a line, by induced
    frequencies if there are base values.

    >>> group, node = np.array([-1, -1, 0, 0, 1, 1]), np.array([0, 0, 1, 2, 0, 1])
    >>> cheapest(group, node, np.array([5, 5]), TauLLine(Fraction(1, 2), 2)).tolist()
    [True, False]
    """
    bag = Bag.of(group + 1, node, lost.size + 1)  # group 0 is the residue
    sizes, unit = bag.totals, 1
    if values is not None:
        unit = unit_of(values, node.size, line)
        bag = bag.induced(values, unit)
    gone = np.zeros(sizes.size, bool)
    gone[0] = True
    while True:
        mine = gone[bag.owner]
        count = np.zeros(int(bag.codes.max()) + 1, np.int64)
        np.add.at(count, bag.codes[mine], bag.counts[mine])
        whole = int(sizes[gone].sum()) * unit
        k = line.crossed(count, whole)
        if k == 0:
            return gone[1:]
        top = np.zeros(count.size, bool)
        top[np.argsort(-count, kind="stable")[:k]] = True
        limit = int(line.limit[k - 1])
        room = sizes * (unit * limit) - bag.fold(np.add, bag.counts * top[bag.codes]) * line.scale
        useful = np.flatnonzero((room > 0) & ~gone)
        order = useful[np.argsort(-(room[useful] / np.maximum(lost[useful - 1], 1)), kind="stable")]
        over = int(count[top].sum()) * line.scale - limit * whole
        gone[order[: int(np.searchsorted(np.cumsum(room[order]), over)) + 1]] = True


def of_different(loss, leaf, value, d, progress):
    """Groups of d rows of different values, by ELIG."""
    marks = value.astype(np.int32)[:, None]
    curve = z_order(leaf, leaf.max(axis=0, initial=0) + 1)
    group, groups = grouped(loss, leaf, marks, curve, d, lambda share: progress(share / 2))
    group = seat_left_over(loss, leaf, marks, group, groups, d)
    passes = Elig(l=d).passes(leaf.shape[0], d)
    return refined(loss, leaf, marks, curve, group, passes, lambda share: progress((1 + share) / 2))
