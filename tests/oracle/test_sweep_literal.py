"""The second implementation of SWEEP against the paper's examples and the worked cases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.sweep_literal import (
    Requirement,
    Sensitive,
    Tree,
    cumulative,
    eligible,
    level_vectors,
    next_value,
    remove_from_class,
    sweep,
    sweep_table,
    tree_of,
    weights_of,
)
from tests.small_taxonomies import tables
from voile.core.partition import Partition
from voile.models.tau_l_diversity import TauLDiversity

A, B = Tree({"a1": "a0", "a2": "a0"}), Tree({"b1": "b0", "b2": "b0"})  # Figure 3
FIGURE_3 = [["a1", "a1", "a2", "a2"], ["b1", "b2", "b1", "b2"]]
RUNS, CLASSES = range(7), range(7)


def of_kind(cases, kind):
    return [case for case in cases if case["kind"] == kind]


def fractions(texts):
    return [Fraction(text) for text in texts]


def requirement_of(case):
    return Requirement(Fraction(case["tau"]), case["l"])


def run(case, **options):
    trees = [Tree(parents) for parents in case["qi_parents"]]
    columns = [[row["qi"][c] for row in case["rows"]] for c in range(len(trees))]
    values = [row["sa"] for row in case["rows"]]
    return sweep(trees, columns, Tree(case["sa_parent"]), values, requirement_of(case), **options)


def test_there_are_all_cases(sweep_cases):
    assert len(of_kind(sweep_cases, "sweep")) == len(RUNS)
    assert len(of_kind(sweep_cases, "ec_greedy")) == len(CLASSES)
    assert len(sweep_cases) == 17


def test_examples_1_to_3(sweep_cases):
    (case,) = of_kind(sweep_cases, "example1_3")
    tree = Tree(case["sa_parent"])
    found = Sensitive(tree, dict.fromkeys(tree.leaves, 1)).frequencies(case["ec"])
    requirement = requirement_of(case)
    assert found == {value: Fraction(share) for value, share in case["f"].items()}
    assert cumulative(found) == fractions(case["F"])
    assert [requirement.psi(k) for k in range(1, 5)] == fractions(case["psi"])
    assert requirement.holds(found) == case["diversified"]


def test_example_4(sweep_cases):
    (case,) = of_kind(sweep_cases, "example4")
    tens, pair = Tree({i: "*" for i in range(10)}), Tree({"hepatitis": "liver", "x": "liver"})
    information = tens.information("*") * 2 + pair.information("liver")
    assert information == sum(fractions(case["info"].split("+"))) == Fraction(str(case["value"]))


def test_examples_5_to_7(sweep_cases):
    (case,) = of_kind(sweep_cases, "example5_7")
    order = level_vectors([A, B], FIGURE_3)
    assert order == [(Fraction(kept), *levels) for kept, *levels in case["order"]]
    for base, after in case["next_of_a1b0"].items():
        assert "".join(next_value([A, B], (base[:2], base[2:]), order[1], order)) == after


@pytest.mark.parametrize("number", RUNS)
def test_run(sweep_cases, number):
    case = of_kind(sweep_cases, "sweep")[number]
    found = run(case)
    assert (found is not None) == case["feasible"]
    if found is None:
        return
    assert found.order == [(Fraction(kept), *levels) for kept, *levels in case["order"]]
    assert sorted(found.classes) == sorted((tuple(ec["qi"]), ec["rows"]) for ec in case["ecs"])
    assert found.sensitive == case["sa_out"]
    assert found.root_steps == case["root_sa_steps"]
    assert found.um == Fraction(case["um"])


@pytest.mark.parametrize("number", CLASSES)
def test_removal_from_one_class(sweep_cases, number):
    case = of_kind(sweep_cases, "ec_greedy")[number]
    tree = Tree({value: "*" for value in range(len(case["counts"]))})
    published = [value for value, count in enumerate(case["counts"]) for _ in range(count)]
    sensitive = Sensitive(tree, dict.fromkeys(tree.leaves, 1))
    stay, swept = remove_from_class(sensitive, requirement_of(case), range(len(published)), published)
    assert sorted(stay + swept) == list(range(len(published)))
    assert [sum(published[row] == value for row in stay) for value in tree.leaves] == case["kept"]


@pytest.mark.parametrize("number", RUNS)
def test_spread_raises_as_many_as_first(sweep_cases, number):
    """Before the sweep; after it, other classes may need other tuples of the root."""
    case = of_kind(sweep_cases, "sweep")[number]
    if not case["feasible"]:
        return
    alone = {**case, "qi_parents": []}  # one class, so that nothing is raised but by steps 1 and 2
    first, spread = run(alone), run(alone, raised="spread")
    assert sorted(first.sensitive) == sorted(spread.sensitive)
    assert first.root_steps == spread.root_steps == 0


TAUS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 10)]
requirements = st.integers(2, 5).flatmap(
    lambda ell: st.tuples(st.sampled_from([*TAUS, Fraction(1, ell)]), st.just(ell))
)
weightings = st.sampled_from(["present", "all", "table"])
rules = st.sampled_from(["first", "spread"])


@given(tables(), requirements, weightings, rules)
def test_every_class_is_diversified_and_nobody_is_lost(table, requirement, weights, raised):
    found = sweep_table(table, *requirement, weights=weights, raised=raised)
    tree, values = tree_of(table.sensitive[0].domain), table.sensitive[0].codes.tolist()
    sensitive = Sensitive(tree, weights_of(weights, tree, values))
    assert (found is not None) == eligible(sensitive.weight, Requirement(*requirement))
    if found is None:
        return
    assert sorted(row for _, rows in found.classes for row in rows) == list(range(table.n))
    for qi, rows in found.classes:
        assert Requirement(*requirement).holds(sensitive.frequencies([found.sensitive[row] for row in rows]))
        assert all(covers(table, row, qi) for row in rows)
    assert all(node in tree.path(value) for node, value in zip(found.sensitive, values, strict=True))


def covers(table, row, qi):
    return all(
        node in tree_of(column.domain).path(int(column.codes[row]))
        for node, column in zip(qi, table.quasi, strict=True)
    )


@given(tables())
def test_the_root_is_last_and_every_value_more_general_comes_later(table):
    """Theorem 2: ancestors of one base value stand in one order, which never gets more specific."""
    trees = [tree_of(column.domain) for column in table.quasi]
    order = level_vectors(trees, [column.codes.tolist() for column in table.quasi])
    assert len(set(order)) == len(order)
    assert order[-1][1:] == (0,) * len(trees)
    place = {item[1:]: i for i, item in enumerate(order)}
    for levels, at in place.items():
        for c, level in enumerate(levels):
            if level:
                assert place[(*levels[:c], level - 1, *levels[c + 1 :])] > at


@given(tables(), requirements)
def test_a_table_that_could_be_one_class_raises_nothing_before_the_sweep(table, requirement):
    """With the weights of the table that is the eligibility rule itself."""
    tree, values = tree_of(table.sensitive[0].domain), table.sensitive[0].codes.tolist()
    sensitive = Sensitive(tree, weights_of("table", tree, values))
    fits = Requirement(*requirement).holds(sensitive.frequencies(values))
    assert fits == eligible(sensitive.weight, Requirement(*requirement))


@given(tables(), requirements, weightings, st.randoms(use_true_random=False))
def test_the_model_counts_nodes_alike(table, requirement, weights, random):
    """(tau,l) of classes and nodes of any kind, by the product's bags and by fractions."""
    tau, ell = requirement
    tree, values = tree_of(table.sensitive[0].domain), table.sensitive[0].codes.tolist()
    sensitive = Sensitive(tree, weights_of(weights, tree, values))
    nodes = [random.choice(tree.path(value)) for value in values]
    group = [random.randrange(3) for _ in values]
    group = [sorted(set(group)).index(g) for g in group]
    weight = [sensitive.weight[leaf] for leaf in range(len(tree.leaves))]
    partition = Partition(np.array(group), node=np.array(nodes), weight=np.array(weight))
    each = [[node for node, g in zip(nodes, group, strict=True) if g == k] for k in range(max(group) + 1)]
    shares = [cumulative(sensitive.frequencies(some)) for some in each]
    found = TauLDiversity(tau=tau, l=ell).check(table.bags(partition.group, partition))
    assert found.ok == all(Requirement(tau, ell).holds(sensitive.frequencies(some)) for some in each)
    lines = [(s[k - 1] * (ell - 1) - (k - 1)) / (ell - k) for s in shares for k in range(1, min(ell, len(s) + 1))]
    assert found.achieved == max(lines)
