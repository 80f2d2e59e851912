"""um against Definition 5 of Tian and Zhang 2009 and its cases, with sensitive values published as nodes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import TREE, UNBALANCED, axis_of, column, tables
from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role, Type
from voile.core.table import Table
from voile.metrics.information_utility import InformationUtility


def um(table, group, node=(), weight=()):
    partition = Partition(np.array(group), node=np.array(node, int), weight=np.array(weight, int))
    return InformationUtility().measure(Boxes.around(table, partition))


def above(tree, leaf):
    """A leaf and its ancestors."""
    chain = [leaf]
    while tree.parent[chain[-1]] >= 0:
        chain.append(int(tree.parent[chain[-1]]))
    return chain


@given(tables(most=20, values=4), st.data())
def test_generalised_values_keep_one_over_their_leaves(table, data):
    secret = column("secret", UNBALANCED, table.sensitive[0].codes, Role.SENSITIVE)
    table = Table([*table.quasi, secret])
    node = [data.draw(st.sampled_from(above(UNBALANCED, code))) for code in table.sensitive[0].codes.tolist()]
    group = np.array([data.draw(st.sampled_from([0, -1])) for _ in node])
    group[0] = 0
    plain = um(table, group)
    shown = [Fraction(1, UNBALANCED.size(node[i])) for i in np.flatnonzero(group == 0)]
    lost = (len(shown) - sum(shown)) / (table.n * 5)
    assert um(table, group, node, [1, 1, 1, 1]) == plain - lost


def test_example_4():
    """Two cells of ten leaves each, and a sensitive value published as a node of two."""
    ten = Hierarchy.from_lines([[f"v{i}", f"h{i // 5}", "*"] for i in range(10)])
    secret = Hierarchy.from_lines([["hepatitis", "liver", "*"], ["x", "liver", "*"], ["y", "g", "*"]])
    columns = [column("a", ten, [0, 9]), column("b", ten, [9, 0]), column("s", secret, [0, 0], Role.SENSITIVE)]
    assert um(Table(columns), [0, 0], [3, 3], [1, 1, 1]) == Fraction(7, 10) / 3


def tree_of(parents):
    """A hierarchy from the parents of nodes, of any depth."""
    leaves = [name for name in parents if name not in parents.values()]
    chains = []
    for name in leaves:
        chains.append([name])
        while chains[-1][-1] in parents:
            chains[-1].append(parents[chains[-1][-1]])
    deepest = max(map(len, chains))
    return Hierarchy.from_lines([[c[0]] * (deepest - len(c)) + c for c in chains])


def test_cases(sweep_cases):
    """The published nodes are the case's own: those of a class may lie above the nearest node of its rows."""
    cases = [case for case in sweep_cases if "um" in case]
    for case in cases:
        trees = [tree_of(parents) for parents in (*case["qi_parents"], case["sa_parent"])]
        n, roles = len(case["rows"]), [Role.QUASI_IDENTIFYING] * len(case["qi_parents"]) + [Role.SENSITIVE]
        group = np.empty(n, int)
        for number, found in enumerate(case["ecs"]):
            group[found["rows"]] = number
        node = [trees[-1].labels.index(label) for label in case["sa_out"]]
        named = zip("abcdefg", trees, roles, strict=False)
        table = Table([column(name, tree, [0] * n, role) for name, tree, role in named])
        partition = Partition(group, node=np.array(node), weight=np.ones(trees[-1].leaves, int))
        boxes = Boxes.around(table, partition)
        nodes = [[tree.labels.index(found["qi"][j]) for found in case["ecs"]] for j, tree in enumerate(trees[:-1])]
        sides = [
            replace(side, low=tree.low[shown], high=tree.high[shown], node=np.array(shown))
            for side, tree, shown in zip(boxes.sides, trees, nodes, strict=False)
        ]
        assert InformationUtility().measure(replace(boxes, sides=tuple(sides))) == Fraction(case["um"])
    assert cases


def test_bounds():
    table = Table([column("tree", TREE, [0, 4]), column("s", TREE, [0, 1], Role.SENSITIVE)])
    assert um(table, [0, 1]) == 1
    assert um(table, [-1, -1]) == 0
    assert um(table, [-1, -1], [0, 1], [1] * 5) == 0
    assert um(Table([column("tree", TREE, [])]), np.empty(0, int)) == 0


def test_an_interval_counts_as_published():
    table = Table([column("age", Axis(Type.INTEGER, 12, 55, grid=10), [12, 18, 55, 55])])
    assert um(table, [0, 0, 1, 1]) == Fraction(1, 10)


def test_long_sets_are_everything():
    letters = Hierarchy.flat([f"{i:02}" for i in range(12)])
    table = Table([column("letter", letters, range(12))])
    assert um(table, [0] * 9 + [1] * 3) == Fraction(9, 12) / 12 + Fraction(3, 12) / 3


def test_hundreds_of_sizes_are_a_float():
    codes = np.concatenate([np.zeros(600, int), np.arange(600) ** 2])
    table = Table([column("wide", axis_of(codes.tolist()), np.sort(codes))])
    measured = um(table, np.concatenate([np.arange(600), np.arange(600)]))
    assert isinstance(measured, float)
    own = np.sort(codes)
    literal = sum(Fraction(2, int(b - a + 1)) for a, b in zip(own[:600], own[600:], strict=True)) / 1200
    assert measured == pytest.approx(float(literal))
