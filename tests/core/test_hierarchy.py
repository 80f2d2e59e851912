"""Hierarchies: depth-first codes, unbalanced trees, every import check with its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.hierarchy import Hierarchy
from voile.errors import HierarchyError


@st.composite
def arx_lines(draw):
    """Random trees as ARX lines, some levels repeated to fill, in any order."""
    levels = draw(st.integers(1, 3))
    leaves = draw(st.integers(1, 12))
    lines = []
    for leaf in range(leaves):
        path, group = [f"v{leaf}"], leaf
        for level in range(levels):
            group //= draw(st.just(2 + level))
            path.append(f"l{level}g{group}")
        lines.append([*path, "*"])
    return draw(st.permutations(lines))


@given(arx_lines())
def test_every_node_is_an_interval_and_lca_is_lowest(lines):
    tree = Hierarchy.from_lines(lines)
    code = {label: i for i, label in enumerate(tree.labels[: tree.leaves])}
    for level in range(len(lines[0])):
        for label in {line[level] for line in lines}:
            codes = sorted(code[line[0]] for line in lines if line[level] == label)
            assert codes == list(range(codes[0], codes[-1] + 1))
    for a in lines:
        for b in lines:
            low, high = sorted((code[a[0]], code[b[0]]))
            node = tree.ancestor(low, high)
            common = next(level for level in range(len(a)) if a[level] == b[level])
            under = [line for line in lines if line[common] == a[common]]
            assert tree.size(node) == len(under)
            assert tree.low[node] <= low and high <= tree.high[node]


@given(arx_lines())
def test_parents_enclose_their_children(lines):
    tree = Hierarchy.from_lines(lines)
    for node, parent in enumerate(tree.parent.tolist()):
        if parent == -1:
            assert tree.size(node) == tree.leaves
        else:
            assert tree.low[parent] <= tree.low[node] and tree.high[node] <= tree.high[parent]
            assert tree.size(parent) > tree.size(node)


def test_a_root_is_added_where_there_is_none():
    assert Hierarchy.from_lines([["a", "x"], ["b", "y"]]).labels == ("a", "b", "*")
    assert Hierarchy.from_lines([["a"]]).labels == ("a",)


def test_one_more_leaf():
    tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]]).with_leaf("new")
    assert tree.labels == ("a", "b", "c", "new", "x", "*")
    assert tree.labels[tree.ancestor(0, 1)] == "x"
    assert tree.labels[tree.ancestor(2, 3)] == "*"
    assert Hierarchy.flat(["a"]).with_leaf("new").labels == ("a", "new", "*")


@pytest.mark.parametrize(
    "lines, line, rule",
    [
        ([["a", "x", "*"], ["b", "*"]], 2, "equal width"),
        ([["a", "x", "*"], ["a", "y", "*"]], 2, "one line per value"),
        ([["a", "x", "p", "*"], ["b", "x", "q", "*"]], 2, "one parent per child"),
        ([["other", "more", "*"], ["a", "other", "*"], ["b", "other", "*"]], 2, "a label means one thing"),
        ([["18", "[18, 30)", "*"], ["30", "[18, 30)", "*"]], 2, "labels say what they contain"),
        ([["5", "0-4", "*"]], 1, "labels say what they contain"),
        ([["90", "<90", "*"]], 1, "labels say what they contain"),
        ([["60", "[50, 60[", "*"]], 1, "labels say what they contain"),
        ([["50", "]50, 60]", "*"]], 1, "labels say what they contain"),
        ([["1", "x"], ["2", "*"], ["3", "*"]], 0, "* means everything"),
        ([], 0, "write one line per value"),
    ],
)
def test_checks_name_the_line(lines, line, rule):
    with pytest.raises(HierarchyError) as refusal:
        Hierarchy.from_lines(lines)
    assert rule in str(refusal.value)
    assert not line or f"line {line}" in str(refusal.value)


def test_intervals_that_contain_their_leaf_are_fine():
    for leaf, label in [
        ("5", "0-9"),
        ("5", "[5, 6)"),
        ("-5", "-9--1"),
        ("2.5", "2..3"),
        ("91", ">90"),
        ("x", "0-9"),
    ]:
        assert Hierarchy.from_lines([[leaf, label, "*"]]).leaves == 1


def test_codes_are_intervals_of_integers():
    tree = Hierarchy.flat([str(i) for i in range(5)])
    assert tree.low.dtype == np.int64
    assert tree.size(5) == 5
