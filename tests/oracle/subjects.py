"""What the oracle examines: every algorithm of the catalog, and controls that must be caught.

Each is a function of a world that returns the exact distribution of its groupings (see possible_worlds). Persons
stand on a line of different quasi-identifying values, so that everybody is known.
"""

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np

from tests.oracle.every_draw import distribution
from tests.oracle.gda_literal import gda
from tests.oracle.possible_worlds import Generalised, Node, canonical, certain
from tests.oracle.small_runs import small_runs
from tests.small_tables import axis_of, column, table_from
from voile import catalog
from voile.algorithms.streamliner.ria import colours_by_size, draw_candidates
from voile.core.algorithm import RandomisedAlgorithm
from voile.core.draws import Draws
from voile.core.family_set import merged_until
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, NothingDisclosed
from voile.kernels.independent import merged_groups
from voile.requirements import parse_requirements
from voile.theory.partitions import merged, set_partitions

POSITIONS = (0, 1, 3, 7, 8, 12, 20)  # on the line; distances among neighbours differ
OUTLIER = (0, 1, 2, 3, 4, 1000)  # all but one fall into one cell of the curve along which groups are merged


def table_of(world, positions=POSITIONS):
    """Persons of distinct positions with the values of a world; a person's row is found by its position."""
    n = len(world)
    return table_from(positions[:n], [0] * n, [0] * n, [0] * n, list(world), values=max(world) + 1)


def persons_of_rows(table, world):
    """The person of each row, numbered by position. Of those who look alike by their value: rows that are alike in
    that too are exchangeable, because their order is drawn."""
    positions = table.quasi[0].codes.tolist()
    if len(set(positions)) == table.n:
        return np.argsort(np.argsort(positions)).tolist()
    free = {}
    for person, look in enumerate(zip(sorted(positions), world, strict=True)):
        free.setdefault(look, []).append(person)
    return [free[look].pop(0) for look in zip(positions, table.sensitive[0].codes.tolist(), strict=True)]


def persons_in(partition, table, world=None):
    """The partition as groups of persons."""
    person = persons_of_rows(table, world)
    groups = {}
    for row, group in enumerate(partition.group.tolist()):
        if group >= 0:
            groups.setdefault(group, []).append(person[row])
    if not partition.generalises:
        return canonical(groups.values())
    nodes = dict(zip(person, partition.node.tolist(), strict=True))
    tree, weight = table.sensitive[0].domain, partition.weight.tolist()
    return Generalised(canonical(groups.values()), tuple(_shown(tree, weight, nodes[p]) for p in sorted(nodes)))


def _shown(tree, weight, node):
    """A published node, with what it induces."""
    under = [leaf for leaf in range(int(tree.low[node]), int(tree.high[node]) + 1) if weight[leaf]]
    return Node(node, tuple((leaf, Fraction(weight[leaf], sum(weight[a] for a in under))) for leaf in under))


def with_taxonomies(places, secrets):
    """Tables whose persons stand in the leaves of one tree and whose values are the leaves of another; both as
    lines of a hierarchy file, in which only as many places are used as there are persons."""

    def table(world):
        n = len(world)
        return Table(
            [
                column("place", Hierarchy.from_lines(places), list(range(n))),
                column("secret", Hierarchy.from_lines(secrets), list(world), Role.SENSITIVE),
            ]
        )

    return table


def on_crossing_halves(world):
    """A table with two ways to halve it that cross each other: AB|CDE and ABC|DE. Numbers, finer than *, leave
    somebody alone."""
    n = len(world)
    sides = Hierarchy.flat(["left", "right"])
    return Table(
        [
            column("number", axis_of(range(n)), range(n)),
            column("early", sides, [int(p > 1) for p in range(n)]),
            column("late", sides, [int(p > 2) for p in range(n)]),
            column(
                "secret", Hierarchy.flat([f"s{i}" for i in range(max(world) + 1)]), list(world), Role.SENSITIVE
            ),
        ]
    )


def catalog_algorithm(key, also="", table=table_of, **parameters):
    """An algorithm of the catalog as it is shipped, on every draw it can make."""
    chosen = catalog.algorithm(key).configure(parameters)
    further = parse_requirements(also)

    def of(world):
        rows = table(world)

        def run(*draws):
            try:
                partition = chosen.partition(rows, lambda share: None, *draws)
            except NothingDisclosed:  # of these draws
                return None
            return persons_in(merged_until(rows, partition, further, chosen.blocks_of(rows)), rows, world)

        try:
            with small_runs():
                return distribution(run) if isinstance(chosen, RandomisedAlgorithm) else {run(): Fraction(1)}
        except (Infeasible, NothingDisclosed):
            return {None: Fraction(1)}

    return of


SEARCHED = {  # the functions that are tried on so many persons; of six, those of Table 1 of Liu et al. 2015
    2: ["AB"],
    3: ["AB|C", "ABC"],
    4: ["AB|CD", "AC|BD", "ABCD"],
    5: ["ABC|DE", "AB|CDE", "ABCDE"],
    6: ["AB|CD|EF", "ABC|DEF", "ABCD|EF", "ABCDEF"],
}


def searching(key, searched=SEARCHED, **parameters):
    """An algorithm of the catalog that searches given functions of the persons on the line."""

    @cache
    def of_size(n):
        functions = [
            [{"number": [POSITIONS[ord(person) - ord("A")] for person in group]} for group in text.split("|")]
            for text in searched[n]
        ]
        return catalog_algorithm(key, sequence={"functions": functions}, utility="as_given", **parameters)

    return cache(lambda world: of_size(len(world))(world))


def ria(ell, also="", positions=POSITIONS):
    """RIA on every draw, colour by colour: colours draw independently, groups are what hangs together, and their
    numbers, by which merging breaks ties, are in any order."""
    further = parse_requirements(also)

    def of(world):
        table = table_of(world, positions)
        rows, start = colours_by_size(table.sensitive[0].codes)
        found = {}
        for groups, chance in _links_of_all(tuple(start.tolist()), ell).items():
            orders = list(permutations(groups)) if further else [groups]
            for order in orders:
                group = np.empty(len(world), np.int64)
                for number, places in enumerate(order):
                    group[rows[list(places)]] = number
                published = persons_in(merged_until(table, Partition(group), further), table)
                found[published] = found.get(published, 0) + chance / len(orders)
        return found

    return of


def ria_in_order_of_rows(ell, also, positions):
    """The control: groups numbered by their first row in order of colour, as union-find leaves them."""
    further = parse_requirements(also)

    def of(world):
        table = table_of(world, positions)
        rows, start = colours_by_size(table.sensitive[0].codes)
        found = {}
        for groups, chance in _links_of_all(tuple(start.tolist()), ell).items():
            group = np.empty(len(world), np.int64)
            for number, places in enumerate(sorted(groups)):
                group[rows[list(places)]] = number
            published = persons_in(merged_until(table, Partition(group), further), table)
            found[published] = found.get(published, 0) + chance
        return found

    return of


@cache
def _links_of_all(start, ell):
    """The distribution of the groups among places: what the counts of the colours alone decide."""
    joined = {tuple((place,) for place in range(start[-1])): Fraction(1)}
    for i in range(len(start) - 1):
        joined = _joined(joined, _links_of_colour(start, ell, i))
    return joined


def _links_of_colour(start, ell, i):
    """The distribution of the groups that one colour's candidates make, among places."""

    def run(draws):
        root = np.arange(start[-1])
        draw_candidates(np.array(start), ell, np.array([i]), draws, root)
        group = merged_groups(root)
        return canonical(np.flatnonzero(group == g).tolist() for g in range(group.max() + 1))

    return distribution(run)


def _joined(one, other):
    """The distribution of what hangs together by either of two independent partitions."""
    found = {}
    for a, chance_a in one.items():
        for b, chance_b in other.items():
            key = _hanging_together(a, b)
            found[key] = found.get(key, 0) + chance_a * chance_b
    return found


@cache
def _hanging_together(a, b):
    return merged([*a, *b])


class LowestId(Draws):
    """The control: "any row" is the first one. Shuffles leave every row where it is."""

    def words(self, count, bits):
        raise AssertionError("nothing is drawn")

    def below(self, bounds):
        return bounds - 1


def lowest_id_rda(ell):
    """RDA whose random choices are public."""
    chosen = catalog.algorithm("rda").configure({"l": ell})

    def groups(world):
        table = table_of(world)
        try:
            return persons_in(chosen.partition(table, draws=LowestId()), table)
        except (Infeasible, NothingDisclosed):
            return None

    return certain(groups)


def literal_gda(ell):
    """GDA as the paper writes it; stuck is refused."""
    return certain(lambda world: gda(world, POSITIONS, ell, guarded=False))


def first_fit_mondrian(ell):
    """Halve the line of persons while both halves are diverse; the first cut that passes is taken."""

    def split(world, persons):
        for at in range(len(persons) // 2, 0, -1):
            left, right = persons[:at], persons[at:]
            if all(len(half) >= ell and diverse(world, half, ell) for half in (left, right)):
                return split(world, left) + split(world, right)
        return [persons]

    return certain(lambda world: split(world, list(range(len(world)))))


def diverse(world, persons, ell):
    """Whether no value has more than 1/l of some persons."""
    return all(ell * [world[p] for p in persons].count(v) <= len(persons) for v in set(world))


def cheapest_locally_safe(ell):
    """Of all partitions into l-diverse groups the one with the shortest intervals on the line."""

    def groups(world):
        safe = [p for p in set_partitions(len(world)) if all(diverse(world, group, ell) for group in p)]
        return min(safe, key=lambda p: (_length(p), p))

    return certain(groups)


def _length(partition):
    return sum(len(group) * (POSITIONS[group[-1]] - POSITIONS[group[0]]) for group in partition)


def blocks_with_fallback(ell):
    """RDA in two halves, and on the whole table where a half is ineligible: the fallback is the leak."""
    in_blocks = catalog_algorithm("rda", l=ell, blocks=f"number<{POSITIONS[3]}")
    whole = catalog_algorithm("rda", l=ell)

    def of(world):
        found = in_blocks(world)
        return whole(world) if None in found else found

    return of


def no_protection(ell):
    """Everybody published alone: even a reader who does not think knows all."""
    return certain(lambda world: [[p] for p in range(len(world))])


def two_columns(world):
    """A table of pairs of values."""
    n = len(world)
    return Table(
        [
            column("number", axis_of(POSITIONS[:n]), POSITIONS[:n]),
            column("first", Hierarchy.flat(list("abcdef")), [pair[0] for pair in world], Role.SENSITIVE),
            column("second", Hierarchy.flat(list("uvwxyz")), [pair[1] for pair in world], Role.SENSITIVE),
        ]
    )


def rows_of_persons(subject):
    """Tables in which row p belongs to person subject[p]."""

    def table(world):
        n = len(world)
        return Table(
            [
                column("number", axis_of(POSITIONS[:n]), POSITIONS[:n]),
                column("secret", Hierarchy.flat(list("abcdefg")), list(world), Role.SENSITIVE),
                column("person", Hierarchy.flat(list("mnopqrs")), list(subject), Role.SUBJECT),
            ]
        )

    return table
