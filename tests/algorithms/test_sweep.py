"""SWEEP: the worked cases, and equality with the second implementation on any little table."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.oracle.sweep_literal import (
    Requirement,
    Sensitive,
    Tree,
    eligible,
    remove_from_class,
    sweep_table,
    tree_of,
    weights_of,
)
from tests.small_tables import column
from tests.small_taxonomies import tables
from voile import catalog
from voile.algorithms.sweep import taxonomies
from voile.core.bags import Bag, Bags
from voile.core.base_values import BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.level_vectors import ordered_items
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.core.table import Table
from voile.core.tau_l_line import line_of
from voile.core.taxonomy import Taxonomy
from voile.errors import Infeasible
from voile.kernels.tau_l import capped
from voile.models.tau_l_diversity import TauLDiversity

TAUS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 10)]
requirements = st.integers(2, 5).flatmap(
    lambda ell: st.tuples(st.sampled_from([*TAUS, Fraction(1, ell)]), st.just(ell))
)
weightings = st.sampled_from(["present", "all", "table"])
rules = st.sampled_from(["first", "spread"])


def algorithm(tau, ell, **options):
    return catalog.algorithm("sweep").configure({"tau": tau, "l": ell, **options})


def with_prior(table, weights):
    """A table whose readers know how frequent values are, and the product's word for that."""
    if weights != "table":
        return table, weights
    secret = table.sensitive[0]
    known = replace(secret, prior=np.bincount(secret.codes, minlength=secret.domain.leaves))
    return Table([*table.quasi, known], schema=table.schema), "prior"


def published(partition, table):
    """The node of each row."""
    return (partition.node if partition.generalises else table.sensitive[0].codes).tolist()


def classes(partition):
    found = {}
    for row, group in enumerate(partition.group.tolist()):
        found.setdefault(group, []).append(row)
    return sorted(found.values())


def hierarchy_of(tree):
    """The tree of a case, padded as a hierarchy file is."""
    levels = range(tree.height, -1, -1)
    return Hierarchy.from_lines([[tree.at_level(leaf, level) for level in levels] for leaf in tree.leaves])


def table_of_case(case):
    """Its rows as given: a Table of its own would sort them, and ties go to the lowest row."""
    columns = []
    for c, parents in enumerate(case["qi_parents"]):
        domain = hierarchy_of(Tree(parents))
        columns.append(column(f"q{c}", domain, [domain.labels.index(row["qi"][c]) for row in case["rows"]]))
    domain = hierarchy_of(Tree(case["sa_parent"]))
    codes = [domain.labels.index(row["sa"]) for row in case["rows"]]
    columns.append(column("secret", domain, codes, Role.SENSITIVE))
    table = Table(columns, schema=Schema(tuple(ColumnSpec(c.name, c.role, Type.CATEGORY) for c in columns)))
    table.columns = tuple(columns)
    return table


def in_order(table):
    return "+".join(column.name for column in table.quasi)


@pytest.mark.parametrize("number", range(7))
def test_case(sweep_cases, number):
    case = [case for case in sweep_cases if case["kind"] == "sweep"][number]
    table = table_of_case(case)
    chosen = algorithm(case["tau"], case["l"], importance=in_order(table), raised="first")
    if not case["feasible"]:
        with pytest.raises(Infeasible):
            chosen.partition(table)
        return
    taxa = taxonomies(table, in_order(table))
    kept = [taxonomy.information() for taxonomy in taxa]
    vectors = [
        [str(sum(part[j] for part, j in zip(kept, levels, strict=True)) / len(taxa)), *levels]
        for levels in ordered_items(taxa).levels.tolist()
    ]
    assert vectors == case["order"]
    partition = chosen.partition(table)
    assert classes(partition) == sorted(ec["rows"] for ec in case["ecs"])
    labels = table.sensitive[0].domain.labels
    assert [labels[node] for node in published(partition, table)] == case["sa_out"]


def test_examples_1_to_3(sweep_cases):
    (case,) = [case for case in sweep_cases if case["kind"] == "example1_3"]
    tree = hierarchy_of(Tree(case["sa_parent"]))
    nodes = np.array([tree.labels.index(label) for label in case["ec"]])
    bag = Bag.of(np.zeros(4, int), nodes, 1).induced(BaseValues(tree, np.ones(tree.leaves, int)))
    shares = [Fraction(count, bag.unit * 4) for count in bag.counts.tolist()]
    found = dict(zip((tree.labels[code] for code in bag.codes), shares, strict=True))
    assert found == {label: Fraction(share) for label, share in case["f"].items() if share != "0"}
    line = line_of(case["tau"], case["l"])
    assert [str(Fraction(int(limit), line.scale)) for limit in line.limit] == case["psi"][: case["l"] - 1]
    verdict = TauLDiversity(tau=line.tau, l=line.l).check(Bags(np.array([4]), (bag,), np.array([4])))
    assert (verdict.ok, verdict.achieved) == (case["diversified"], Fraction(case["tau"]))


def test_examples_5_to_7(sweep_cases):
    (case,) = [case for case in sweep_cases if case["kind"] == "example5_7"]
    trees = [Hierarchy.from_lines([[f"{x}1", f"{x}0"], [f"{x}2", f"{x}0"]]) for x in "ab"]
    taxa = [Taxonomy.of(column("q", tree, [0, 1])) for tree in trees]
    items = ordered_items(taxa)
    assert items.levels.tolist() == [levels for _, *levels in case["order"]]
    after = items.levels[2]
    for base, expected in case["next_of_a1b0"].items():
        leaves = [tree.labels.index(part) for tree, part in zip(trees, (base[:2], base[2:]), strict=True)]
        nodes = [items.node[c][after[c], leaf] for c, leaf in enumerate(leaves)]
        assert "".join(tree.labels[node] for tree, node in zip(trees, nodes, strict=True)) == expected


@pytest.mark.parametrize("number", range(7))
def test_case_of_one_class(sweep_cases, number):
    case = [case for case in sweep_cases if case["kind"] == "ec_greedy"][number]
    assert left(case["counts"], Fraction(case["tau"]), case["l"]) == case["kept"]


@given(st.lists(st.integers(0, 25), min_size=1, max_size=8).filter(any), requirements)
def test_removal_at_once_is_removal_one_by_one(counts, requirement):
    tree = Tree({value: "*" for value in range(len(counts))})
    rows = [value for value, count in enumerate(counts) for _ in range(count)]
    stay, _ = remove_from_class(
        Sensitive(tree, dict.fromkeys(tree.leaves, 1)), Requirement(*requirement), range(len(rows)), rows
    )
    assert left(counts, *requirement) == [sum(rows[row] == value for row in stay) for value in tree.leaves]


def left(counts, tau, ell):
    """What the closed form leaves of a class."""
    line, count = line_of(tau, ell), np.array(counts)
    capped(count, np.flatnonzero(count), line.limit, line.scale)
    return count.tolist()


@pytest.mark.slow
@settings(max_examples=300)
@given(tables(least=6), requirements, weightings, rules, st.randoms(use_true_random=False))
def test_equals_the_literal(table, requirement, weights, raised, random):
    order = random.sample(range(len(table.quasi)), len(table.quasi))
    names = "+".join(table.quasi[c].name for c in order)
    expected = sweep_table(table, *requirement, weights=weights, raised=raised, order=order)
    table, weights = with_prior(table, weights)
    chosen = algorithm(*requirement, weights=weights, raised=raised, importance=names)
    if expected is None:
        event("infeasible")
        with pytest.raises(Infeasible):
            chosen.partition(table)
        return
    partition = chosen.partition(table)
    event(f"{min(len(expected.classes), 3)} classes, raised at the root: {expected.root_steps > 0}")
    assert classes(partition) == sorted(rows for _, rows in expected.classes)
    assert published(partition, table) == expected.sensitive


@given(tables(most=60), requirements, weightings, rules)
def test_every_class_keeps_the_line(table, requirement, weights, raised):
    tau, ell = requirement
    tree, values = tree_of(table.sensitive[0].domain), table.sensitive[0].codes.tolist()
    feasible = eligible(weights_of(weights, tree, values), Requirement(tau, ell))
    table, weights = with_prior(table, weights)
    chosen = algorithm(tau, ell, weights=weights, raised=raised)
    if not feasible:
        with pytest.raises(Infeasible):
            chosen.partition(table)
        return
    partition = chosen.partition(table)
    assert partition.suppressed == partition.counterfeits == 0
    assert TauLDiversity(tau=tau, l=ell).check(table.bags(partition.group, partition)).ok
    assert all(node in tree.path(value) for node, value in zip(published(partition, table), values, strict=True))
