"""Excessive protection against Definition 8 of Tian and Zhang 2009, transcribed in fractions."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from tests.small_tables import TREE, UNBALANCED, column, tables
from voile.core.bags import Bags
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import ParameterError
from voile.measuring import parse_measures
from voile.metrics.excessive_protection import ExcessiveProtection
from voile.models.tau_l_diversity import TauLDiversity


def literal(frequencies, tau, ell):
    """Definition 8 of one group, from the frequencies of all base values."""
    total, cumulated = Fraction(0), Fraction(0)
    for k, frequency in enumerate(sorted(frequencies, reverse=True), 1):
        cumulated += frequency
        psi = tau + (1 - tau) * Fraction(k - 1, ell - 1) if k < ell else Fraction(1)
        total += abs(psi - cumulated)
    return total


def over(figures):
    return {"min": min(figures), "mean": sum(figures) / len(figures), "max": max(figures)}


lines = st.sampled_from([(Fraction(1, 2), 3), (Fraction(3, 10), 6), (Fraction(1), 2), (Fraction(1, 10), 12)])


def drawn_groups(data, n):
    group = np.array([data.draw(st.integers(-1, 2)) for _ in range(n)])
    group[0] = 0
    used = sorted(set(group[group >= 0].tolist()))
    return np.array([used.index(g) if g >= 0 else -1 for g in group.tolist()]), len(used)


@pytest.mark.slow
@given(tables(most=30), lines, st.data())
def test_figures_equal_the_definition(table, line, data):
    group, groups = drawn_groups(data, table.n)
    values = sorted(set(table.sensitive[0].codes.tolist()))
    figures = []
    for g in range(groups):
        held = Counter(table.sensitive[0].codes[group == g].tolist())
        figures.append(literal([Fraction(held[v], held.total()) for v in values], *line))
    boxes = Boxes.around(table, Partition(group))
    for name, figure in over(figures).items():
        measured = ExcessiveProtection(tau=line[0], l=line[1], over=name).measure(boxes)
        assert measured == pytest.approx(float(figure), abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), lines, st.data())
def test_generalised_values_count_by_what_they_induce(codes, line, data):
    weight = np.array([data.draw(st.integers(0, 3)) for _ in range(4)])
    weight[codes] = np.maximum(1, weight[codes])
    table = Table([column("tree", TREE, [0] * len(codes)), column("s", UNBALANCED, codes, Role.SENSITIVE)])
    group, groups = drawn_groups(data, table.n)
    node = []
    for code in table.sensitive[0].codes.tolist():
        node.append(code)
        while UNBALANCED.parent[node[-1]] >= 0 and data.draw(st.booleans()):
            node[-1] = int(UNBALANCED.parent[node[-1]])
    partition = Partition(group, node=np.array(node), weight=weight)
    figures = []
    for g in range(groups):
        rows = np.flatnonzero(group == g).tolist()
        frequencies = [Fraction(0)] * 4
        for row in rows:
            under = range(UNBALANCED.low[node[row]], UNBALANCED.high[node[row]] + 1)
            for leaf in under:
                frequencies[leaf] += Fraction(int(weight[leaf]), int(weight[under].sum())) / len(rows)
        figures.append(literal([f for f, w in zip(frequencies, weight, strict=True) if w], *line))
    measured = ExcessiveProtection(tau=line[0], l=line[1], over="mean").measure(Boxes.around(table, partition))
    assert measured == pytest.approx(float(over(figures)["mean"]), abs=1e-9)


def test_examples_1_to_3_have_none(sweep_cases):
    """F and psi of the paper's own group are one line."""
    case = next(case for case in sweep_cases if case["kind"] == "example1_3")
    above = case["sa_parent"]
    tree = Hierarchy.from_lines([[leaf, above[leaf], "*"] for leaf in case["f"]])
    node = np.array([tree.labels.index(label) for label in case["ec"]])
    table = Table([column("tree", TREE, [0] * 4), column("s", tree, tree.low[np.sort(node)], Role.SENSITIVE)])
    boxes = Boxes.around(table, Partition(np.zeros(4, int), node=node, weight=np.ones(4, int)))
    for name in ("min", "max"):
        measured = ExcessiveProtection(tau=Fraction(case["tau"]), l=case["l"], over=name).measure(boxes)
        assert measured == pytest.approx(0)
    tighter = ExcessiveProtection(tau=Fraction(case["tau"]), l=case["l"] - 1).measure(boxes)
    assert tighter == pytest.approx(0.25)


def test_the_promise_says_all_three():
    group, codes = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([1, 1, 2, 3, 1, 2, 3])
    details = TauLDiversity(tau=Fraction(1, 2), l=3).details(Bags.of(group, [codes]))
    assert details == {"excessive_protection": {"min": 0, "mean": 0.125, "max": 0.25}}
    nobody = Bags.of(np.empty(0, int), [np.empty(0, int)])
    assert TauLDiversity(tau=Fraction(1, 2), l=3).details(nobody) == {"excessive_protection": {}}


def test_several_values_of_a_person_stop_at_one():
    """Two persons with two values each: F(1) is 1 already."""
    bags = Bags.of(np.zeros(4, int), [np.array([1, 2, 1, 2])], subject=np.array([0, 0, 1, 1]))
    details = TauLDiversity(tau=Fraction(1, 2), l=3).details(bags)
    assert details["excessive_protection"] == {"min": 0.75, "mean": 0.75, "max": 0.75}


def test_counterfeits_are_published_values():
    table = Table([column("tree", TREE, [0, 1, 2]), column("s", TREE, [0, 0, 1], Role.SENSITIVE)])
    partition = Partition(np.zeros(3, int), counterfeit_group=np.array([0]), counterfeit_value=np.array([2]))
    measured = ExcessiveProtection(tau=Fraction(1, 2), l=3).measure(Boxes.around(table, partition))
    assert measured == pytest.approx(0)


def patients(n=40):
    frame = pl.DataFrame({"age": [20 + i for i in range(n)], "disease": [f"d{i % 5}" for i in range(n)]})
    return voile.read(frame, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})


def test_measured_when_asked_for():
    words = "excessive_protection[tau=0.5, l=2]"
    release = voile.anonymize(patients(), "elig", l=5, measure=words)
    assert release.private_record["measured"][words] == pytest.approx(
        float(literal([Fraction(1, 5)] * 5, Fraction(1, 2), 2))
    )
    assert "excessive_protection" not in release.certificate["utility"]
    assert "um" in release.certificate["utility"]


@pytest.mark.parametrize("words", ["excessive_protection", "excessive_protection[tau=0.5]"])
def test_needs_its_line(words):
    with pytest.raises(ParameterError, match=r"needs .*excessive_protection\[(tau|l)=\.\.\.\]"):
        parse_measures(words)


@pytest.mark.parametrize("inner", ["tau=0.5, l=1", "tau=0, l=3", "tau=0.5, l=3, over=median"])
def test_refuses_what_is_no_line(inner):
    with pytest.raises(ParameterError, match="not an accepted value"):
        parse_measures(f"excessive_protection[{inner}]")


def test_nobody():
    table = Table([column("tree", TREE, [0, 1]), column("s", TREE, [0, 1], Role.SENSITIVE)])
    assert (
        ExcessiveProtection(tau=Fraction(1, 2), l=3).measure(Boxes.around(table, Partition(np.full(2, -1)))) == 0
    )
