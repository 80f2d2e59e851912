"""Mondrian: cut the table into boxes, widest column first, while both sides keep a promise (LeFevre et al. 2006).

Any promise that unions of good groups keep can stop the cutting. Which one is the parameter `property`; the papers
say "Mondrian" and mean one or another (docs/facts/bsgi.md A3), so name it.

Cuts that look at who has what tell a reader who knows the algorithm something: the rung is "release".
"""

from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.chosen_promise import ChosenPromise
from voile.algorithms.nearest_promise import require_of
from voile.core.algorithm import Progress, Rung
from voile.core.bags import Bag
from voile.core.information_loss import loss_of
from voile.core.order import value_counts
from voile.core.parameters import parameter
from voile.core.partition import Partition
from voile.core.table import Column, Table
from voile.core.tau_l_line import line_of
from voile.errors import BeyondReach
from voile.kernels.loss import Loss
from voile.kernels.mondrian import cut_rows, new_part
from voile.kernels.stop_rule import DISTANCE, DISTINCT, ENTROPY, LINE, RECURSIVE, SHARE, SIZE, StopRule
from voile.kernels.threads import Threads
from voile.models.t_closeness import spans_of

Codes = NDArray[np.int64]
KINDS = {
    "frequency": SHARE,
    "distinct": DISTINCT,
    "recursive": RECURSIVE,
    "entropy": ENTROPY,
    "tau_l": LINE,
    "t_closeness": DISTANCE,
    "alpha_k": SHARE,
    "k_anonymity": SIZE,
}
SHARED = 50_000  # rows, from which on threads share the work
STRETCHES = 32  # a thread cuts a smaller share of the table to the end by itself


@dataclass(frozen=True, kw_only=True)
class Mondrian(ChosenPromise):
    """Boxes of rows, cut in half along their widest column as long as both halves keep the promise.

    Guarantee: the model that `property` names.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> Mondrian(l=3).promised(), Mondrian(property="k_anonymity", k=5).promised()
    (('frequency_l_diversity', {'l': 3}), ('k_anonymity', {'k': 5}))
    """

    key = "mondrian"
    title = "Mondrian"
    paper = "LeFevre et al. 2006"
    rung = Rung.RELEASE
    deterministic = True
    cost = "about n log n; 1M rows in less time than reading and writing them"
    meaning = "boxes cut in half along their widest column as long as both halves keep the promise"

    mode: str = parameter(
        "strict: rows with equal values stay together; relaxed: exactly in half, equal values may be parted",
        default="strict",
        choices=("strict", "relaxed"),
    )
    cuts: str = parameter(
        "median: in the middle only, as published; free: where no column can be cut there, wherever it saves most",
        default="free",
        choices=("free", "median"),
    )

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Cut, or refuse where the table as a whole breaks the promise."""
        column = table.single_sensitive(self.key)
        present, counts = value_counts(column.codes)
        whole = Bag(np.array([0, counts.size]), present, counts, column.domain)
        require_of(self, whole, column.name)
        return self.partition_below(table, whole, progress)

    def partition_below(self, table: Table, whole: Bag, progress: Progress = lambda share: None) -> Partition:
        """Go on cutting where the rows of a table are a part that was cut off a whole one, all of whose values are
        counted: costs and the promise are those of the whole."""
        column = table.single_sensitive(self.key)
        value = np.searchsorted(whole.codes, column.codes)
        loss, codes, _ = loss_of(table, int(whole.counts.sum()))
        rule = self.stop_rule(replace(column, codes=whole.codes), whole.counts)
        rows = np.column_stack([codes, value.astype(np.int32), np.arange(table.n, dtype=np.int32)])
        ends = self._cut(loss, rule, rows, progress)
        group = np.empty(table.n, np.int64)
        group[rows[:, -1]] = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        return Partition(group)

    def _cut(self, loss: Loss, rule: StopRule, rows: NDArray[np.int32], progress: Progress) -> Codes:
        """Sort rows by group, and say where groups end. Threads share what is cut off: a large stretch is cut
        until parts are at most half of it, with which others go on; a part that stays larger cannot be cut."""
        n, spare, done, grouped = len(rows), np.empty_like(rows), [], 0

        def cut(begin: int, end: int) -> tuple[Codes, int]:
            """Where parts begin and end, and how small they were to be."""
            small = (end - begin) // 2 if end - begin >= max(SHARED, n // STRETCHES) else 0
            part = new_part(rows.shape[1] - 2, rule.whole.size, end - begin)
            ends = np.empty((end - begin) // rule.least + 1, np.int64)
            how = self.mode == "relaxed", self.cuts == "free", small
            ends = ends[: cut_rows(loss, rule, part, rows, spare[begin:end], begin, end, *how, ends)]
            return np.column_stack([np.append(begin, ends[:-1]), ends]), small

        with Threads(n) as threads:
            due = {threads.submit(cut, 0, n)}
            while due:
                ready, due = wait(due, return_when=FIRST_COMPLETED)
                for parts, small in (future.result() for future in ready):
                    final = parts[:, 1] - parts[:, 0] > small
                    done.append(parts[final, 1])
                    grouped += int((parts[final, 1] - parts[final, 0]).sum())
                    due |= {threads.submit(cut, *stretch) for stretch in parts[~final].tolist()}
                progress(grouped / n)
        return np.sort(np.concatenate(done))

    def stop_rule(self, column: Column, whole: Codes) -> StopRule:
        """What the kernels need to tell whether a group keeps the promise; the whole table has so many of each
        value."""
        bound, least, line = Fraction(1), 1, np.empty(0, np.int64)
        first = after = weight = line
        scale = 1
        if self.property == "tau_l":
            limits = line_of(self.tau, self.number())
            line, scale, least = limits.limit, limits.scale, limits.need
        elif self.property == "alpha_k":
            bound, least = Fraction(self.alpha), self.number()
        elif self.property == "t_closeness":
            bound = Fraction(self.t)
            first, after, weight, scale = spans_of(column.codes, column.domain)
            refuse_beyond_bits(2 * scale * int(weight.max(initial=1)) * int(whole.sum()) ** 2, column)
        else:
            least = self.number()
            bound = Fraction(self.c) if self.property == "recursive" else Fraction(least)
            bound = 1 / bound if self.property == "frequency" else bound
        top, bottom = bound.as_integer_ratio()
        kind, ell = KINDS[self.property], self.number()
        below = np.cumsum(whole)
        sums = (whole, below, np.concatenate(([0], np.cumsum(below))))
        return StopRule(kind, top, bottom, least, ell, scale, line, first, after, weight, *sums)


def refuse_beyond_bits(largest: int, column: Column) -> None:
    """Refuse a distance that 63 bits cannot hold."""
    if largest >= 2**62:
        raise BeyondReach(
            "too many rows and values to compare distances exactly",
            where=f"column {column.name}",
            rule="rows squared times steps between values stay below 2**62",
            remedy="use another property, or a coarser sensitive column",
        )
