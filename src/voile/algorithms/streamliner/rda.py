"""RDA, random and dependent: groups of the l most frequent values, drawn at random (Liu and Wang 2012, Table 6).

The groups are planned from the counts of the values alone. Then the rows of each value are dealt to the
places of that value in a uniformly random order. So two persons of one group could be exchanged without
changing the probability of the grouping: the rule that makes an algorithm safe from whoever knows it, even
from one who knows the values of everybody outside the group (docs/facts/streamliner.md A4).

Two sensitive columns: the plan sees the counts of pairs of values, groups differ in both, and rows are dealt
within a pair. Several rows per person: rows are first dealt into layers by who they belong to alone, one row
of a person in each (docs/facts/safety.md section 10).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.streamliner.block_plan import block_of_rows, plan_of, refuse_plan
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.eligibility import feasible_l
from voile.core.order import dense_rank, distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, SpecError, counted
from voile.kernels.colours import place_runs, rows_by_colour
from voile.kernels.edge_colouring import matchings
from voile.kernels.most_frequent import plan_groups

Codes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Rda(RandomisedAlgorithm):
    """Groups of l rows of different values, who with whom drawn at random.

    Guarantee: no value has more than 1/l of a group, for every sensitive column (two at most), and nobody
    learns more by knowing the algorithm, its parameters and the values outside the victim's group.
    Not protected: the same table published twice.

    >>> Rda(l=3, blocks="gender").settings()
    {'l': 3, 'blocks': 'gender'}
    """

    key = "rda"
    title = "RDA"
    paper = "Liu and Wang 2012"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_STRONG
    cost = "n; 10M rows in seconds"
    meaning = "random groups of l different values: safe from who knows the algorithm; labels are wide"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )
    blocks: str = parameter(
        "columns or cuts that groups never cross, for example gender+age<40<60; fixed before the data is "
        "looked at, never tuned by result",
        default="",
        text="a plan such as gender+age<40<60+region@1",
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as the largest l that the table, and every block of the plan, allows."""
        columns = sensitive_columns(table, self.key)
        plan = plan_of(self.blocks)
        wanted = None if self.l == AUTO else int(self.l)
        whole = {name: np.bincount(codes) for name, codes in columns.items()}
        ell = feasible_l(wanted, whole, suppressing=None)

        def allowed(blocks: Codes) -> Codes:
            return largest_l_of_blocks(blocks, list(columns.values()), table.persons)

        reach = int(allowed(self.blocks_of(table)).min())
        if reach < (wanted or 2):
            if plan:
                refuse_plan(table, plan, wanted or 2, allowed)
            refuse_layers(table, wanted or 2, reach)  # without blocks and layers, the whole table allows l
        return replace(self, l=wanted or min(ell, reach))

    def limits(self, series: bool = False) -> list[str]:
        """Changing a plan because it failed is the fallback that leaks (block_plan.py)."""
        return (
            ["a reader who knows that these blocks were chosen because others had failed"] if self.blocks else []
        )

    def blocks_of(self, table: Table) -> Codes:
        """The block of each row, by the plan."""
        return block_of_rows(table, plan_of(self.blocks))

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Plan each cell from its counts, deal its rows at random."""
        ell = int(self.resolve(table).l)
        columns = list(sensitive_columns(table, self.key).values())
        group, groups = np.empty(table.n, np.int64), 0
        for rows in cells(self.blocks_of(table), table.persons, draws):
            own = columns if isinstance(rows, slice) else [dense_rank([codes[rows]]) for codes in columns]
            dealt, more = dealt_groups(own, ell, draws)
            group[rows] = dealt + groups
            groups += more
            progress(groups * ell / table.n)
        return Partition(group)


def sensitive_columns(table: Table, key: str) -> dict[str, Codes]:
    """The sensitive columns, numbered from 0: one or two."""
    if len(table.sensitive) > 2:
        raise SpecError(
            f"{len(table.sensitive)} sensitive columns",
            where="spec",
            rule=f"{key} protects one or two: with three, groups that differ in all may not exist",
            remedy="use the algorithm elig, which protects each of them (against a reader of the release), or "
            "declare the others identifying (dropped) or quasi-identifying",
        )
    return {column.name: distinct_values(column.codes)[1] for column in table.sensitive}


def dealt_groups(columns: list[Codes], ell: int, draws: Draws) -> tuple[Codes, int]:
    """The group of each row of a cell, and how many groups there are; codes are numbered from 0 in the cell."""
    colour = columns[0] if len(columns) == 1 else dense_rank(columns)
    rows, start = rows_by_colour(colour, int(colour.max()) + 1)
    if len(columns) == 1:
        places, groups = plan_groups(start, ell)
    else:
        pairs = np.column_stack([codes[rows] for codes in columns]).astype(np.int64)
        second, second_start = rows_by_colour(pairs[:, 1], int(pairs[:, 1].max()) + 1)
        groups = rows.size // ell
        places = matchings(pairs, second_start, second, groups)
    return place_runs(rows, draws.shuffled(start), places), groups


def cells(blocks: Codes, persons: Codes | None, draws: Draws) -> Iterator[slice | Codes]:
    """The rows of each block; where a person has several rows, of each layer of each block.

    Layers are dealt by person alone, like cards: consecutive rows of one person fall into different layers,
    and layers differ by at most one row. Which of a person's rows falls where is drawn.
    """
    if persons is None and blocks.max(initial=0) == 0:
        yield slice(None)
        return
    by_block, start = rows_by_colour(blocks, int(blocks.max(initial=0)) + 1)
    for first, after in pairwise(start.tolist()):
        rows = by_block[first:after]
        if persons is None:
            yield rows
        else:
            yield from (rows[layer] for layer in layers_of(dense_rank([persons[rows]]), draws))


def layers_of(persons: Codes, draws: Draws) -> list[Codes]:
    """The rows of each layer; persons are numbered from 0."""
    by_person, runs = rows_by_colour(persons, int(persons.max()) + 1)
    mixed = by_person[draws.shuffled(runs)]
    layers = int(np.diff(runs).max())
    return [mixed[layer::layers] for layer in range(layers)]


def largest_l_of_blocks(blocks: Codes, columns: list[Codes], persons: Codes | None) -> Codes:
    """Of each block, how often its most frequent value fits into its smallest layer. Looks at counts and
    persons only, so that neither a refusal nor l = auto tells who has what."""
    sizes = np.bincount(blocks)
    top = np.max([_most_in_block(blocks, codes) for codes in columns], axis=0)
    layers = 1 if persons is None else _most_in_block(blocks, persons)
    return np.asarray(sizes // layers // top)


def _most_in_block(blocks: Codes, codes: Codes) -> Codes:
    """Of each block the count of its most frequent code; blocks and codes are numbered from 0."""
    number, values = int(blocks.max(initial=0)) + 1, int(codes.max(initial=0)) + 1
    if number * values <= 4 * codes.size + 2**16:  # count without sorting
        counts = np.bincount(blocks * values + codes, minlength=number * values)
        return np.asarray(counts.reshape(number, values).max(axis=1))
    pair = dense_rank([blocks, codes])
    counts = np.bincount(pair)
    owner = np.empty(counts.size, np.int64)
    owner[pair] = blocks
    return np.maximum.reduceat(counts, np.flatnonzero(np.diff(owner, prepend=-1)))


def refuse_layers(table: Table, ell: int, largest: int) -> NoReturn:
    """Explain that layers of one row per person are too small for l, and what would work."""
    name = table.with_role(Role.SUBJECT)[0].name
    most = int(np.bincount(table.persons).max()) if table.persons is not None else 1
    works = f"l = {largest} works; or " if largest > 1 else ""
    raise Infeasible(
        f"a person has up to {counted(most, 'row')}, so rows are dealt to {most} layers, too small for l = {ell}",
        where=f"column {name}",
        largest_l=largest,
        rows_to_suppress=0,
        rule="the most frequent value has at most 1/l of the smallest layer; layers are made by person alone",
        remedy=f"{works}keep fewer rows of each person, or use elig (which holds against a reader of the release)",
    )
