"""ELIG: groups of nearest rows, forcing only what must be forced (ours, docs/facts/bsgi.md A6).

BSGI takes a row of each of the l largest buckets for every group. That is needlessly strict: with
K groups left it suffices that a group takes every *critical* value, one with K rows or more. Then
the values left keep sum min(n_i, K) >= K * l, so grouping never gets stuck and forms as many
groups as any method could:

* at most l critical values: each loses a row, and l rows go, so the sum falls by l;
* more than l of them: at least l values keep K - 1 rows, which is (K - 1) * l already.

Every other row of a group is simply the nearest one whose value is not in it yet. Outlying rows
begin, while there is still much to choose from. Swaps between groups then make the whole cheaper.

Several sensitive columns, and the person where one has several rows, are all *marks* that must
differ inside a group. Critical marks of each column are forced; with two columns the rows that
still find no group are seated along Kempe chains, so that the grouping is always complete
(docs/facts/safety.md section 10). With more columns some rows may remain, and are suppressed.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.eligibility import feasible_l, most_groups
from voile.core.information_loss import loss_of
from voile.core.order import canonical_order
from voile.core.parameters import AUTO, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.errors import Infeasible
from voile.kernels.compiled import kernel
from voile.kernels.kd_forest import CODES, LOWEST, NONE, ROW, plant, remove
from voile.kernels.kd_search import FAR, all_open, nearest_open
from voile.kernels.loss import grow_box, new_box, start_box
from voile.kernels.marks import begin_group, count_marks, set_bar, use
from voile.kernels.seating import assign, fill, seat_by_chain, seat_rows, seated
from voile.kernels.swaps import charge_groups, gathered, propose, settle
from voile.kernels.threads import Threads
from voile.kernels.z_order import z_order

SMALL = 125_000  # rows up to which no effort is spared; see `passes`, `outliers_first` and `refined`
BANDS = 128  # of outlyingness: in a larger table, rows of a band begin groups along a curve, for the cache
CHUNK = 4096  # groups between two reports of progress
PASSES = 12  # of refinement, at most, when it is left to us
LARGEST_SWAPPED = 4096  # rows of a group, beyond which a total loss may not fit 63 bits
NEAREST, NEAREST_OF_MANY = 40, 24  # rows that are considered in place of another
BLOCKS = 64  # of a pass: groups of a block are judged in one state, so threads can share them
FEW = 64  # groups that are not worth another thread
ENOUGH = 2000  # a pass that saves less than one part in so many is the last


@dataclass(frozen=True, kw_only=True)
class Elig(Algorithm):
    """Groups of l nearest rows of different values, only critical values forced, then swaps.

    Guarantee: unique distinct l-diversity for every sensitive column, no person twice in a group.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> Elig(l=2).settings()
    {'l': 2, 'ineligible': 'refuse', 'refine': 'auto'}
    """

    key = "elig"
    title = "ELIG"
    paper = "Voile 2026, after Ye et al. 2008"
    promise = "unique_distinct_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    cost = "about n log n; 1M rows in seconds, several times that with refine"
    meaning = "groups of l nearest rows of different values; BSGI's promise at a fraction of its loss"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )
    ineligible: str = parameter(
        "when a value is too frequent for l: refuse, or suppress rows; with one column the fewest that help",
        default="refuse",
        choices=("refuse", "suppress"),
    )
    refine: int | str = parameter(
        "passes of swaps that lower the loss; 0 = none, fastest; auto = until they no longer help, "
        "fewer above 125,000 rows",
        default=AUTO,
        minimum=0,
        choices=(AUTO,),
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as the least floor(n / n1) of all columns of marks (docs/facts/bsgi.md A4.3)."""
        sizes = {name: np.bincount(mark) for name, mark in table.marks().items()}
        wanted = None if self.l == AUTO else int(self.l)
        return replace(self, l=feasible_l(wanted, sizes, self.ineligible == "suppress"))

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Group, seat what is left over, refine."""
        ell = int(self.resolve(table).l)
        loss, values, _ = loss_of(table)
        marks = np.column_stack([mark.astype(np.int32) for mark in table.marks().values()])
        curve = z_order(values, values.max(axis=0, initial=0) + 1)
        passes = self.passes(table.n, ell)
        share = 1 / (1 + passes)
        group, groups = grouped(loss, values, marks, curve, ell, lambda done: progress(done * share))
        group = seat_left_over(loss, values, marks, group, groups, ell)
        if not (group >= 0).any():
            refuse_ungroupable(table.n, list(table.marks()), ell)
        if passes:
            group = refined(
                loss, values, marks, curve, group, passes, lambda done: progress(share + done * (1 - share))
            )
        return Partition(group)

    def passes(self, n: int, ell: int) -> int:
        """How many passes of refinement a table of n rows may have."""
        if self.refine == AUTO or ell > LARGEST_SWAPPED:
            return affordable_passes(n, ell)
        return int(self.refine)


def affordable_passes(n: int, ell: int) -> int:
    """How many passes of refinement n rows in groups of l may have; a row costs more in a large group."""
    if ell > LARGEST_SWAPPED:
        return 0
    return min(PASSES, max(ell <= 100, PASSES * SMALL * 8 // (max(n, 1) * max(ell, 8))))


def refuse_ungroupable(n, columns, ell):
    """Each column allows l by itself, but no l rows differ in all of them."""
    raise Infeasible(
        f"found no {ell} rows that differ in all of {len(columns)} columns",
        where=f"columns {', '.join(columns)}",
        largest_l=1,
        rows_to_suppress=n,
        rule="rows of a group differ in every sensitive column, and in the person",
        remedy="a smaller l, or fewer sensitive columns: two that allow l always have a complete grouping",
    )


def grouped(loss, values, marks, curve, ell, progress):
    """Group of each row, SUPPRESSED for the left over ones, and how many groups there are."""
    groups = min(most_groups(np.bincount(column), ell) for column in marks.T)
    order = outliers_first(loss, values, curve)
    forest = plant(loss, values[order], np.zeros(order.size, np.int64), marks[order])
    counted = count_marks(marks)
    group = np.full(order.size, SUPPRESSED, np.int64)
    for first in range(0, groups, CHUNK):
        last = min(groups, first + CHUNK)
        form_groups(forest, loss, counted, group, first, last, groups, ell)
        progress(last / groups)
    in_table = np.empty_like(group)
    in_table[order] = group
    return in_table, groups


def outliers_first(loss, values, curve):
    """Rows by descending distance from the centre; in a large table in bands, along a curve in each.

    The centre is the median of each axis and the mode of each tree.
    """
    axes, n = loss.step.size, values.shape[0]
    medians = np.partition(values[:, :axes], n // 2, axis=0)[n // 2]
    modes = [np.bincount(column).argmax() for column in values[:, axes:].T]
    distance = outlyingness(loss, values, np.array([*medians, *modes], np.int64))
    rank = np.empty(n, np.int64)
    rank[canonical_order([distance.max() - distance])] = np.arange(n)
    return canonical_order([rank if n <= SMALL else rank * BANDS // n, curve])


def outlyingness(loss, values, centre):
    """What a group of each row and the centre would cost, in the units of the loss."""
    distance, axes = np.zeros(values.shape[0], np.int64), loss.step.size
    for j in range(axes):
        distance += np.abs(values[:, j] - centre[j]) * loss.step[j]
    for t in range(loss.leaf.size):
        distance += costs_beside(loss, t, centre[axes + t])[values[:, axes + t]]
    return distance


def costs_beside(loss, t, code):
    """What each leaf of the t-th tree costs in a group with leaf `code`."""
    costs, node = np.zeros(loss.leaves[t], np.int64), loss.leaf[t] + code
    known = slice(code, code)
    while known != slice(0, costs.size):
        low, high = loss.low[node], loss.high[node] + 1
        costs[low : known.start] = costs[known.stop : high] = loss.cost[node]
        known, node = slice(low, high), loss.parent[node]
    return costs


@kernel
def form_groups(forest, loss, marks, group, first, last, groups, ell):
    """Form the groups from `first` up to `last` of `groups`: the lowest row, then the nearest ones."""
    box = new_box(loss)
    best, best_cost = np.empty(1, np.int64), np.empty(1, np.int64)
    columns, d = marks.pending.size, loss.step.size + loss.leaf.size
    for g in range(first, last):
        left = groups - g
        begin_group(marks, g, left)
        at = forest.place[forest.tree[forest.root[0], LOWEST]]
        start_box(loss, box, forest.rows, at, CODES)
        for i in range(ell):
            forced = False
            for c in range(columns):
                force = marks.pending[c] >= ell - i
                forced |= force
                set_bar(marks, c, left, force)
            if i > 0 or forced:
                found = nearest_open(forest, loss, forest.root[0], box, marks.open, FAR, best_cost, best)
                if found == 0 and forced:  # no row serves all columns: one that serves none will do
                    for c in range(columns):
                        set_bar(marks, c, left, False)
                    found = nearest_open(forest, loss, forest.root[0], box, marks.open, FAR, best_cost, best)
                if found == 0:
                    break
                at = best[0]
            if i == 0:
                start_box(loss, box, forest.rows, at, CODES)
            else:
                grow_box(loss, box, forest.rows, at, CODES)
            group[forest.rows[at, ROW]] = g
            for c in range(columns):
                use(marks, c, forest.rows[at, CODES + d + c], left)
            remove(forest, at)


def seat_left_over(loss, values, marks, group, groups, ell):
    """Put the rows without a group where they fit, fill groups that are too small, give up the rest."""
    seats, out = seated(group, groups, marks, ell)
    if out.size == 0:
        return group
    out = unseated(loss, values, seats, out, ell)
    for small in np.flatnonzero(seats.taken < ell):
        while seats.taken[small] < ell and fill(seats, small, ell):
            pass
    dissolved = seats.taken < ell
    if dissolved.any():  # only with more than two columns of marks, or when rows are given up anyway
        rows = seats.seat[dissolved]
        rows = rows[np.arange(rows.shape[1]) < seats.taken[dissolved, None]]
        seats = seats._replace(seat=seats.seat[~dissolved], taken=seats.taken[~dissolved])
        unseated(loss, values, seats, np.sort(np.concatenate([out, rows])), ell)
    final = np.full(group.size, SUPPRESSED, np.int64)
    assign(seats, final)
    return final


def unseated(loss, values, seats, rows, ell):
    """Seat rows, and return those for which there is no seat."""
    hopeless = seat_rows(loss, values, seats, rows, ell)
    hopeful = rows[~hopeless & (rows != NONE)]  # none, where one column of marks is all there is
    still = [row for row in hopeful if not seat_by_chain(seats, row, ell)]
    return np.concatenate([rows[hopeless], np.array(still, np.int64)])


def refined(loss, values, marks, curve, group, passes, progress, tree=None, nearest=None):
    """Group of each row after passes of swaps. Rows and groups stand along the curve, for the cache. Rows of
    different trees are never exchanged; None: there is one tree. `nearest` rows are considered in place of
    another; None: as many as a table of this size affords."""
    order = canonical_order([curve])
    order = order[group[order] >= 0]
    values, marks = values[order], marks[order]
    tree = np.zeros(order.size, np.int64) if tree is None else tree[order]
    nearest = nearest or (NEAREST if order.size <= SMALL else NEAREST_OF_MANY)
    groups = gathered(group[order], int(group.max()) + 1)
    charge_groups(loss, values, groups)
    turn = np.argsort(groups.member[groups.start[:-1]])
    blocks = min(BLOCKS, turn.size)
    partner = np.empty(groups.member.size, np.int64)
    total = float((groups.cost.astype(np.float64) * np.diff(groups.start)).sum())
    with _Searchers(loss, values, marks, tree, groups, nearest) as searchers:
        for done in range(passes):
            saved = 0.0
            for b in range(blocks):
                block = turn[b::blocks]
                block = block[groups.stale[block]]
                if block.size:
                    searchers.propose(block, partner)
                    saved += settle(loss, values, marks, groups, block, partner)
                progress((done + (b + 1) / blocks) / passes)
            total -= saved
            if saved * ENOUGH <= total:
                break
    in_table = group.copy()
    in_table[order] = groups.of
    return in_table


class _Searchers:
    """Threads that look for swaps in one forest; each has its own notes."""

    def __init__(self, loss, values, marks, tree, groups, nearest):
        forest = plant(loss, values, tree, marks)
        self.fixed = loss, values, marks, tree, groups
        self.nearest = nearest
        self.threads = Threads(len(values))
        self.notes = [
            (forest._replace(todo=forest.todo.copy(), todo_cost=forest.todo_cost.copy()), unbarred(marks))
            for _ in range(self.threads.number)
        ]

    def __enter__(self):
        self.threads.__enter__()
        return self

    def __exit__(self, *raised):
        self.threads.__exit__(*raised)

    def propose(self, block, partner):
        """Find the best swap of each row of some groups."""
        loss, values, marks, tree, groups = self.fixed
        parts = np.array_split(block, min(len(self.notes), 1 + block.size // FEW))
        jobs = [
            self.threads.submit(
                propose, forest, loss, values, marks, open_, tree, groups, part, partner, self.nearest
            )
            for (forest, open_), part in zip(self.notes, parts[1:], strict=False)
        ]
        own, open_ = self.notes[-1]
        propose(own, loss, values, marks, open_, tree, groups, parts[0], partner, self.nearest)
        for job in jobs:
            job.result()


def unbarred(marks):
    """Marks of which only the used ones are closed; there may be none."""
    if not marks.shape[1]:
        return all_open()
    open_ = count_marks(marks).open
    open_.bar[:] = 0
    return open_
