"""Built-in hierarchies: each label against the plain meaning of its words, value by value."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy, misleading
from voile.core.hierarchy_builders import tree_of_codes, tree_on
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import Type
from voile.errors import HierarchyError, SpecError

EPOCH = datetime.date(1970, 1, 1)
INTERVAL = re.compile(r"\[(-?[0-9.]+), (-?[0-9.]+)([\])])")


def recipe(options, type_):
    return Recipe.of(options, type_, "spec, column x")


def same_tree(a, b):
    """Equal leaves in equal order, equal nodes; inner nodes may be numbered differently."""

    def nodes(tree):
        names = (*tree.labels, None)
        parents = [names[p] for p in tree.parent]  # -1 is the last: None
        return sorted(zip(tree.labels, tree.low.tolist(), tree.high.tolist(), map(str, parents), strict=True))

    return a.leaves == b.leaves and nodes(a) == nodes(b)


def sound(tree):
    """Every node is the union of its children, and the lines read back are the same tree."""
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            assert tree.low[parent] <= tree.low[node] <= tree.high[node] <= tree.high[parent]
            assert tree.size(parent) > tree.size(node)
    roots = np.flatnonzero(tree.parent < 0)
    assert roots.size == min(tree.leaves, 1)
    if tree.leaves:
        assert tree.size(int(roots[0])) == tree.leaves
        assert len({len(line) for line in tree.lines()}) == 1
        assert all(line[-1] == "*" for line in tree.lines())
        assert same_tree(tree, Hierarchy.from_lines(tree.lines()))


def members(tree, node):
    return tree.labels[tree.low[node] : tree.high[node] + 1]


def inside(label, value):
    low, high, closing = INTERVAL.fullmatch(label).groups()
    return Decimal(low) <= Decimal(value) and (
        Decimal(value) <= Decimal(high) if closing == "]" else Decimal(value) < Decimal(high)
    )


def check_numbers(tree, values):
    sound(tree)
    assert [Decimal(label) for label in tree.labels[: tree.leaves]] == sorted(set(values))
    for node in range(tree.leaves, len(tree.labels)):
        if tree.labels[node] != "*":  # exactly those values that the label says
            meant = [label for label in tree.labels[: tree.leaves] if inside(tree.labels[node], label)]
            assert meant == list(members(tree, node))
    assert misleading(tree.lines()) is None


widths = st.lists(st.integers(2, 4), min_size=0, max_size=3)


@given(st.lists(st.integers(-60, 60), max_size=30), st.integers(1, 7), widths, st.integers(-9, 9))
def test_integer_intervals(values, first, factors, origin):
    levels = [first]
    for factor in factors:
        levels.append(levels[-1] * factor)
    axis = Axis(Type.INTEGER, min(values, default=0), max(values, default=0))
    chosen = recipe({"intervals": levels, "origin": origin}, "integer")
    tree, leaf = tree_on(axis, chosen, np.array(values, np.int64))
    check_numbers(tree, values)
    assert [int(tree.labels[code]) for code in leaf] == values
    for label in tree.labels[tree.leaves :]:
        if label != "*":
            low, high = map(int, re.findall(r"-?\d+", label))
            assert (low - origin) % (high - low + 1) == 0 and high - low + 1 in levels


@given(st.lists(st.integers(-9000, 9000), max_size=30), st.sampled_from(["0.25", "0.1", "2", "12.5"]))
def test_decimal_intervals_are_exact(steps, width):
    axis = Axis(Type.DECIMAL, min(steps, default=0), max(steps, default=0), scale=2)
    chosen = recipe({"intervals": [width, str(Decimal(width) * 3)], "origin": "-0.05"}, "decimal")
    tree, _ = tree_on(axis, chosen, np.array(steps, np.int64))
    check_numbers(tree, [Decimal(step) / 100 for step in steps])


@given(st.lists(st.integers(-500, 500), max_size=40), st.integers(2, 9), st.integers(1, 90))
def test_quantiles_cut_on_the_grid(values, groups, grid):
    axis = Axis(Type.INTEGER, min(values, default=0), max(values, default=0))
    chosen = recipe({"quantiles": groups, "grid": grid}, "integer")
    tree, leaf = tree_on(axis, chosen, np.array(values, np.int64))
    check_numbers(tree, values)
    assert [int(tree.labels[code]) for code in leaf] == values
    for label in tree.labels[tree.leaves :]:
        if label != "*":
            low, high = map(int, re.findall(r"-?\d+", label))
            assert low % grid == 0 and (high + 1) % grid == 0


def test_quantiles_hold_about_equally_many_rows():
    values = np.random.default_rng(3).lognormal(8, 1, 4000).astype(np.int64)
    axis = Axis(Type.INTEGER, int(values.min()), int(values.max()))
    tree, _ = tree_on(axis, recipe({"quantiles": 8, "grid": 10}, "integer"), values)
    level = {line[1] for line in tree.lines()}
    sizes = [sum(inside(label, str(v)) for v in values.tolist()) for label in level]
    assert len(level) == 8 and all(450 <= size <= 550 for size in sizes)
    halves = [line[3] for line in tree.lines()]
    assert len(set(halves)) == 2  # eight, four, two, all


@given(st.lists(st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)), max_size=25))
def test_dates(days):
    days = [*days, datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)]
    codes = np.array([(day - EPOCH).days for day in days], np.int64)
    axis = Axis(Type.DATE, int(codes.min()), int(codes.max()))
    chosen = recipe({"dates": ["month", "quarter", "year"]}, "date")
    tree, leaf = tree_on(axis, chosen, codes)
    sound(tree)
    assert [tree.labels[code] for code in leaf] == [day.isoformat() for day in days]
    for node in range(tree.leaves, len(tree.labels)):
        label = tree.labels[node]
        for day in map(datetime.date.fromisoformat, members(tree, node)):
            names = (f"{day:%Y}".zfill(4), day.isoformat()[:7], f"{day.isoformat()[:4]}-Q{(day.month + 2) // 3}")
            assert label == "*" or label in names


@given(st.sets(st.text(st.sampled_from("018A-"), min_size=1, max_size=6), max_size=25), st.integers(1, 7))
def test_masks(codes, most):
    tree, leaf = tree_of_codes(recipe({"mask": most}, "category"), sorted(codes))
    sound(tree)
    assert [tree.labels[code] for code in leaf] == sorted(codes)
    for node in range(tree.leaves, len(tree.labels)):
        label = tree.labels[node]
        if label != "*":
            shown = label.rstrip("*")
            assert shown and len(label) - len(shown) <= most
            meant = {code for code in codes if len(code) == len(label) and code.startswith(shown)}
            assert meant == set(members(tree, node))


def test_shorter_codes_keep_their_length():
    tree, _ = tree_of_codes(recipe({"mask": [1, 3]}, "category"), ["81675", "81677", "817", "8", "9"])
    assert tree.lines() == [
        ["8", "8", "*"],
        ["9", "9", "*"],
        ["817", "817", "*"],
        ["81675", "8167*", "*"],
        ["81677", "8167*", "*"],
    ]
    assert tree.labels[tree.leaves :] == ("8167*", "*")


def test_a_star_in_a_code_is_refused():
    with pytest.raises(HierarchyError, match="1 value with a"):
        tree_of_codes(recipe({"mask": 2}, "category"), ["8167*", "81675"])


@given(st.integers(1, 12), st.integers(1, 3), st.integers(2, 3))
def test_ordinal_groups(n, first, factor):
    names = tuple(f"w{i:02d}" for i in range(n))
    chosen = recipe({"groups": [first, first * factor]}, "ordinal")
    tree, leaf = tree_on(Axis(Type.ORDINAL, 0, n - 1, names=names), chosen, np.array([n - 1, 0]))
    sound(tree)
    assert tree.labels[: tree.leaves] == names and leaf.tolist() == [n - 1, 0]
    for node in range(tree.leaves, len(tree.labels)):
        if tree.labels[node] != "*":
            low, high = tree.labels[node].strip("[]").split(", ")
            assert [low, high] == [members(tree, node)[0], members(tree, node)[-1]]


def test_numbers_in_another_order_are_refused():
    axis = Axis(Type.ORDINAL, 0, 3, names=("1", "9", "3", "2"))
    with pytest.raises(SpecError, match="another order"):
        tree_on(axis, recipe({"groups": [4]}, "ordinal"), np.array([0]))


def test_a_root_that_is_an_interval_stays_true_beside_missing_values():
    """`[0, 99]` covers all numbers, but not what is missing."""
    tree, _ = tree_on(Axis(Type.INTEGER, 3, 9), recipe({"intervals": [100]}, "integer"), np.array([3, 9]))
    assert tree.labels == ("3", "9", "[0, 99]")
    more = tree.with_leaf("(missing)")
    assert more.labels == ("3", "9", "(missing)", "[0, 99]", "*")
    sound(more)
    assert more.labels[more.ancestor(0, 1)] == "[0, 99]" and more.labels[more.ancestor(1, 2)] == "*"


@pytest.mark.parametrize(
    "type_, options, words",
    [
        ("integer", {}, "one of intervals"),
        ("integer", {"intervals": [5], "mask": 2}, "one of intervals"),
        ("integer", {"widths": [5]}, "one of intervals"),
        ("integer", {"intervals": [5], "grid": 2}, "intervals: intervals, origin"),
        ("integer", {"intervals": 5}, "for example intervals"),
        ("integer", {"intervals": []}, "for example intervals"),
        ("integer", {"intervals": [5, 12]}, "multiple"),
        ("integer", {"intervals": [5, 5]}, "multiple"),
        ("integer", {"intervals": [10, 5]}, "multiple"),
        ("integer", {"intervals": [0, 5]}, "multiple"),
        ("integer", {"intervals": [-5]}, "multiple"),
        ("integer", {"intervals": [2.5]}, "whole numbers"),
        ("integer", {"intervals": [5], "origin": 0.5}, "whole numbers"),
        ("integer", {"intervals": [True]}, "not a number"),
        ("integer", {"intervals": ["nan"]}, "not a number"),
        ("decimal", {"intervals": ["1/3"]}, "at most 15 digits"),
        ("decimal", {"intervals": [10**15]}, "at most 15 digits"),
        ("integer", {"quantiles": 8}, "public grid"),
        ("integer", {"quantiles": 8, "grid": 0}, "public grid"),
        ("integer", {"quantiles": 1, "grid": 5}, "2 to 10000"),
        ("integer", {"quantiles": [4], "grid": 5}, "2 to 10000"),
        ("integer", {"mask": 2}, "type = category"),
        ("category", {"intervals": [5]}, "type = integer or decimal"),
        ("category", {"mask": 0}, "for example mask"),
        ("category", {"mask": [2, 1]}, "masks more"),
        ("category", {"mask": "prefix"}, "for example mask"),
        ("category", {"mask": True}, "for example mask"),
        ("category", {"mask": 10**9}, "for example mask"),
        ("date", {"dates": ["year", "month"]}, "in this order"),
        ("date", {"dates": ["day"]}, "in this order"),
        ("date", {"dates": [["month"]]}, "in this order"),
        ("ordinal", {"groups": [2, 3]}, "multiple"),
        ("ordinal", {"groups": [1.5]}, "whole numbers"),
    ],
)
def test_contradictions_are_refused(type_, options, words):
    more = {"order": ["a", "b"]} if type_ == "ordinal" else {}
    with pytest.raises(SpecError, match=re.escape(words)) as refusal:
        voile.Schema.of({"x": {"role": "qi", "type": type_, "hierarchy": options, **more}})
    assert refusal.value.where == "spec, column x"


def test_a_grid_is_no_hierarchy():
    with pytest.raises(SpecError, match="publishes its nodes"):
        voile.Schema.of({"x": {"role": "qi", "type": "integer", "hierarchy": {"intervals": [5]}, "grid": 5}})


def test_numbers_of_the_spec_are_exact():
    assert recipe({"intervals": [0.1, 0.3], "origin": -0.7}, "decimal").numbers == (
        Fraction(1, 10),
        Fraction(3, 10),
        Fraction(-7, 10),
    )


def test_a_width_beyond_arithmetic_is_refused():
    axis = Axis(Type.DECIMAL, 0, 5, scale=9)
    with pytest.raises(SpecError, match="exact arithmetic"):
        tree_on(axis, recipe({"intervals": [10**12]}, "decimal"), np.array([0, 5]))


def test_two_hundred_thousand_values_are_soon_done():
    """No loop per node that looks at all leaves: this would take minutes."""
    values = np.arange(200_000) * 7
    tree, _ = tree_on(Axis(Type.INTEGER, 0, 1_400_000), recipe({"intervals": [14, 140]}, "integer"), values)
    assert tree.leaves == 200_000
    assert tree.labels[tree.ancestor(0, 1)] == "[0, 13]"
    assert all(a < b for a, b in pairwise(tree.low[tree.leaves : tree.leaves + 1000].tolist()))
