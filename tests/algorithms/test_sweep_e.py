"""SWEEP-E: its promise on true values, and equality of its steps with the second implementation."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.oracle.sweep_e_literal import plan_of_table
from tests.oracle.sweep_literal import Requirement, Sensitive, eligible, tree_of, weights_of
from tests.small_tables import column, table_from
from tests.small_taxonomies import tables
from voile import catalog
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible
from voile.models.tau_l_diversity import TauLDiversity

TAUS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 10)]
requirements = st.integers(2, 5).flatmap(
    lambda ell: st.tuples(st.sampled_from([*TAUS, Fraction(1, ell)]), st.just(ell))
)


def algorithm(tau, ell, **options):
    return catalog.algorithm("sweep_e").configure({"tau": tau, "l": ell, **options})


def classes(partition):
    found = {}
    for row, group in enumerate(partition.group.tolist()):
        found.setdefault(group, []).append(row)
    return list(found.values())


def check_against_literal(table, tau, ell):
    """The same values published, the same classes kept, the others' rows grouped as they should be."""
    expected = plan_of_table(table, tau, ell)
    if expected is None:
        event("infeasible")
        with pytest.raises(Infeasible):
            algorithm(tau, ell).partition(table)
        return
    partition = algorithm(tau, ell).partition(table)
    cut = expected.published != table.sensitive[0].codes.tolist()
    event(
        f"cut {cut}, different values {bool(expected.different)}, dissolved {len(expected.kept) < expected.swept}"
    )
    node = partition.node if partition.generalises else table.sensitive[0].codes
    assert node.tolist() == expected.published
    groups = classes(partition)
    assert all(rows in groups for rows in expected.kept)
    anew = [rows for rows in groups if rows not in expected.kept]
    assert sorted(row for rows in anew for row in rows) == expected.residue
    for rows in anew:
        repeated = max(Counter(node[row] for row in rows).values()) > 1
        assert len(rows) >= expected.different and not (expected.different and repeated)
    assert expected.different or len(anew) <= 1


PLACES = Hierarchy.from_lines([[f"p{i}", f"pair {i // 2}", f"four {i // 4}", "*"] for i in range(12)])
SECRETS = Hierarchy.from_lines([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])


@settings(max_examples=30)
@given(st.permutations([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 3]))
def test_a_residue_of_a_cut_is_grouped_by_what_is_published(values):
    """Two nodes of two values each: both together keep the line of (3/10, 4), which plain values cross."""
    table = Table([column("place", PLACES, range(12)), column("secret", SECRETS, values, Role.SENSITIVE)])
    check_against_literal(table, Fraction(3, 10), 4)
    partition = algorithm(Fraction(3, 10), 4).partition(table)
    assert {SECRETS.labels[node] for node in partition.node} == {"ab", "cd"}
    assert all(len({int(partition.node[row]) for row in rows}) == 2 for rows in classes(partition))


@pytest.mark.slow
@settings(max_examples=300)
@given(st.one_of(tables(least=8, most=24, skew=0), tables(least=12, most=30, values=10, skew=1)), requirements)
def test_steps_equal_the_literal(table, requirement):
    check_against_literal(table, *requirement)


@given(tables(most=60), requirements)
def test_the_line_is_kept_on_true_values_wherever_the_table_keeps_it(table, requirement):
    tau, ell = requirement
    model = TauLDiversity(tau=tau, l=ell)
    tree, values = tree_of(table.sensitive[0].domain), table.sensitive[0].codes.tolist()
    weight = weights_of("present", tree, values)
    if not eligible(weight, Requirement(tau, ell)):
        with pytest.raises(Infeasible):
            algorithm(tau, ell).partition(table)
        return
    partition = algorithm(tau, ell).partition(table)
    assert partition.suppressed == partition.counterfeits == 0
    assert model.check(table.bags(partition.group, partition)).ok
    itself = Requirement(tau, ell).holds(Sensitive(tree, weight).frequencies(values))
    assert itself != partition.generalises
    if itself:
        assert model.check(table.bags(partition.group)).ok
        assert algorithm(tau, ell, ineligible="refuse").partition(table).group.tolist() == partition.group.tolist()
    else:
        with pytest.raises(Infeasible):
            algorithm(tau, ell, ineligible="refuse").partition(table)


@given(tables(least=6, most=40), requirements)
def test_a_cut_is_one_for_the_whole_table(table, requirement):
    """Rows of one value are published alike, and rows published as one node are all that lie under it."""
    try:
        partition = algorithm(*requirement).partition(table)
    except Infeasible:
        return
    if not partition.generalises:
        return
    tree = table.sensitive[0].domain
    shown = set(zip(table.sensitive[0].codes.tolist(), partition.node.tolist(), strict=True))
    assert len(dict(shown)) == len(shown)
    for node in set(partition.node.tolist()):
        under = {value for value, _ in shown if tree.low[node] <= value <= tree.high[node]}
        assert under == {value for value, other in shown if other == node}


@pytest.mark.parametrize("ell", [4, 2 * 10**9])
def test_a_refusal_names_what_works_however_large_l_is(ell):
    table = table_from(list(range(9)), [0] * 9, [0] * 9, [0] * 9, [0] * 5 + [1, 1, 2, 3])
    with pytest.raises(Infeasible, match=r"possible are \(0.5556, 3\) or \(0.6667, 4\)") as refusal:
        algorithm(Fraction(1, 2), ell, ineligible="refuse").partition(table)
    assert refusal.value.largest_l == 1
    for tau, works in (("0.5556", 3), ("0.6667", 4)):
        assert algorithm(Fraction(tau), works, ineligible="refuse").partition(table).groups
