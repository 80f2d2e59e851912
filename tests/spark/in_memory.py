"""A spread table in memory, in several parts: drivers and executors run as they do on a cluster, draws are
injected."""

import numpy as np

from voile.core.axis import Axis
from voile.core.draws import SECRET
from voile.core.order import dense_rank, value_counts
from voile.core.schema import Role
from voile.core.table import Column
from voile.spark.cells import table_of_cell
from voile.spark.coding import CURVE, curve_of
from voile.spark.spread import Layout, Spread, joined, merged_tallies

_ROW = "row"


class InMemory(Spread):
    """The rows of a Table in so many parts."""

    def __init__(self, table, parts=2, draws=SECRET):
        columns = [c for c in table.columns if c.role != Role.SUBJECT]
        bare = tuple(Column(c.name, c.role, c.domain, np.empty(0, np.int64), c.weight, c.prior) for c in columns)
        ends = [
            (c.domain.low, c.domain.high) if isinstance(c.domain, Axis) else (0, c.domain.leaves - 1)
            for c in columns
        ]
        least, most = ({f"c{i}": end[k] for i, end in enumerate(ends)} for k in (0, 1))
        self.layout = Layout(bare, table.n, least, most)
        whole = {f"c{i}": c.codes for i, c in enumerate(columns)}
        whole[CURVE] = curve_of(self.layout)(whole)
        whole[_ROW] = np.arange(table.n)
        self.parts = [{n: c[k::parts] for n, c in whole.items()} for k in range(parts)]
        self.draws = draws

    def tally(self, keys):
        return merged_tallies([value_counts(keys(part)) for part in self.parts])

    def some(self, rows):
        return joined([rows(part) for part in self.parts])

    def draw(self, among):
        """An order of the rows of each class, drawn when somebody asks for it."""
        number = None

        def drawn(batch):
            nonlocal number
            if number is None:
                whole = joined(self.parts)
                classes = dense_rank([among(whole)])
                order = np.argsort(classes, kind="stable")
                start = np.searchsorted(classes[order], np.arange(classes.max() + 2))
                number = np.empty(classes.size, np.int64)
                number[whole[_ROW][order]] = self.draws.shuffled(start)
            return number[batch[_ROW]]

        return drawn

    def grouped(self, planned, draws=None):
        """The group of each row, and the cell: what executors would make of it."""
        group, cell, groups = np.empty(self.layout.n, np.int64), np.empty(self.layout.n, np.int64), 0
        whole = joined(self.parts)
        cell[whole[_ROW]] = np.concatenate([planned.cell_of(part) for part in self.parts])
        order = np.argsort(whole[_ROW])
        whole = {name: codes[order] for name, codes in whole.items()}
        for number in np.unique(cell):
            rows = np.flatnonzero(cell == number)
            # a table sorts its rows: the whole one is sorted, so the rows of a cell are
            table = table_of_cell(self.layout, {name: codes[rows] for name, codes in whole.items()})
            found = planned.work(int(number), table, draws or self.draws)
            group[rows] = found.group + groups
            groups += found.groups
        return group, cell
