"""SWEEP: the worked cases, and equality with the second implementation on any little table."""

from fractions import Fraction

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.oracle.sweep_literal import Requirement, Tree, eligible, sweep_table, tree_of, weights_of
from tests.small_tables import column
from tests.small_taxonomies import tables
from voile import catalog
from voile.algorithms.sweep import items_of, taxonomies
from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.core.table import Table
from voile.errors import Infeasible
from voile.models.tau_l_diversity import TauLDiversity

TAUS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 10)]
requirements = st.integers(2, 5).flatmap(
    lambda ell: st.tuples(st.sampled_from([*TAUS, Fraction(1, ell)]), st.just(ell))
)
weightings = st.sampled_from(["present", "all", "table"])
rules = st.sampled_from(["first", "spread"])


def algorithm(tau, ell, **options):
    return catalog.algorithm("sweep").configure({"tau": tau, "l": ell, **options})


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
        for levels in items_of(taxa).levels.tolist()
    ]
    assert vectors == case["order"]
    partition = chosen.partition(table)
    assert classes(partition) == sorted(ec["rows"] for ec in case["ecs"])
    labels = table.sensitive[0].domain.labels
    assert [labels[node] for node in published(partition, table)] == case["sa_out"]


@settings(max_examples=300)
@given(tables(least=6), requirements, weightings, rules, st.randoms(use_true_random=False))
def test_equals_the_literal(table, requirement, weights, raised, random):
    order = random.sample(range(len(table.quasi)), len(table.quasi))
    names = "+".join(table.quasi[c].name for c in order)
    expected = sweep_table(table, *requirement, weights=weights, raised=raised, order=order)
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
    chosen = algorithm(tau, ell, weights=weights, raised=raised)
    if not feasible:
        with pytest.raises(Infeasible):
            chosen.partition(table)
        return
    partition = chosen.partition(table)
    assert partition.suppressed == partition.counterfeits == 0
    assert TauLDiversity(tau=tau, l=ell).check(table.bags(partition.group, partition)).ok
    assert all(node in tree.path(value) for node, value in zip(published(partition, table), values, strict=True))
