"""What `glass`, `symb` and `blind_cut` look at when they decide: bags and quasi-identifiers, never who has what
(docs/algorithms/blind_cut.md, the checklist)."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algorithms.tree_transcripts import blind_tree, drawn_by, glass_tree, towards, transcript
from tests.oracle.every_draw import distribution
from tests.small_tables import column, table_from
from voile.algorithms.blind_cut import BlindCut
from voile.algorithms.glass import Glass
from voile.algorithms.streamliner.rda import Rda
from voile.algorithms.symb import Symb
from voile.algorithms.tree_levels import rows_along_curve
from voile.core.draws import InsecureDraws
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.errors import Infeasible
from voile.kernels.blind_cut import certain
from voile.kernels.blind_cuts import cut_of, new_room
from voile.kernels.glass import APART, NEVER_CUT, planned, seat_of, skimmed
from voile.kernels.skim import FAILED, skim_quotas

ALL = [Glass, Symb, BlindCut]


def small(numbers, secret, others=None):
    n = len(numbers)
    return table_from(list(numbers), list(others or [0] * n), [0] * n, [0] * n, list(secret))


def random_table(chance, n, spread=9, values=8):
    numbers, others = chance.integers(0, spread, n).tolist(), chance.integers(0, spread, n).tolist()
    secret = np.minimum(chance.integers(0, values, n), chance.integers(0, values, n))
    return small(numbers, secret.tolist(), others)


def with_second_column(chance, table):
    """The same with another sensitive column."""
    second = chance.integers(0, 9, table.n)
    return Table([*table.columns, column("second", Hierarchy.flat(list("abcdefghi")), second, Role.SENSITIVE)])


# 1: an order that does not know values


def test_rows_that_look_alike_stand_in_every_order_equally_often():
    table = small([3, 3, 3, 7], [0, 1, 2, 0])
    value = table.sensitive[0].codes
    found = distribution(lambda draws: tuple(rows_along_curve(table, value, draws)[0].matrix[:, -2].tolist()))
    alike = {order for order in found if order[3] == 0} or {order for order in found if order[0] == 0}
    assert len(found) == len(alike) == 6 and set(found.values()) == {Fraction(1, 6)}


def test_rows_that_differ_stand_where_their_quasi_identifiers_say():
    chance = np.random.default_rng(1)
    table = random_table(chance, 60)
    orders = []
    for _ in range(3):
        secret = chance.permutation(table.sensitive[0].codes)
        columns = [
            c if c.role != Role.SENSITIVE else Column(c.name, c.role, c.domain, secret) for c in table.columns
        ]
        mixed = Table(columns)
        rows, _ = rows_along_curve(mixed, mixed.sensitive[0].codes, InsecureDraws(3))
        orders.append(rows.matrix[:, :-2].tolist())
    assert orders[0] == orders[1] == orders[2]


def test_layers_are_dealt_by_person_alone(adult_three_records):
    table = adult_three_records
    rows, roots = rows_along_curve(table, table.sensitive[0].codes, InsecureDraws(1))
    for first, after in pairwise(roots):
        assert np.unique(table.persons[rows.order[first:after]]).size == after - first, "a person once a layer"
    assert np.diff(roots).max() - np.diff(roots).min() <= 1


# 2: what is chosen with the help of values is a leaf of its own


@pytest.mark.parametrize("spread", [1, 3, 50], ids=["all alike", "many alike", "few alike"])
@pytest.mark.parametrize("plant", [glass_tree, blind_tree])
def test_skimmed_rows_never_share_a_group_with_others(plant, spread):
    chance, skims, alone = np.random.default_rng(5), 0, 0
    for seed in range(60):
        table = random_table(chance, int(chance.integers(20, 300)), spread)
        rule = NEVER_CUT._replace(tau=(3, 5), limit=(4, 5), least=3, exact=seed % 2 == 0)
        tree = plant(table, rule, InsecureDraws(seed))
        if np.bincount(table.sensitive[0].codes).max() * 2 > table.n:
            continue
        nodes = transcript(tree, drawn_by(InsecureDraws(seed)))
        group = tree.filled.group if plant is glass_tree else tree.filled
        bucket = tree.filled.bucket if plant is glass_tree else tree.filled
        for node in nodes:
            skims += bool(node.skimmed)
            alone += bool(node.skimmed) and not node.parts
            inside = np.zeros(table.n, bool)
            inside[list(node.skimmed)] = True
            assert not set(group[inside]) & set(group[~inside])
            assert not set(bucket[inside]) & set(bucket[~inside])
            assert sorted(node.members) == sorted([*node.skimmed, *sum(node.parts, ())]) or not node.parts
    assert skims >= 5
    if plant is glass_tree:
        assert alone >= 1, "also where nothing was cut after the skim"
    else:
        assert alone == 0, "nothing is skimmed unless the cut is certain"


# 3: decisions see bags and quasi-identifiers


def test_a_cut_does_not_see_values():
    chance = np.random.default_rng(2)
    for seed in range(40):
        table = random_table(chance, int(chance.integers(8, 200)))
        rows, _ = rows_along_curve(table, table.sensitive[0].codes, InsecureDraws(seed))
        d = rows.matrix.shape[1] - 2
        for exact in (True, False):
            cuts = []
            for _ in range(3):
                rows.matrix[:, d] = chance.permutation(rows.matrix[:, d])
                cuts.append(cut_of(rows.loss, new_room(), rows.matrix, 0, table.n, d, exact, 2))
            assert cuts[0] == cuts[1] == cuts[2]


def exchanged(tree, one, other):
    """Let two rows have each other's value."""
    places = {int(row[-1]): i for i, row in enumerate(tree.rows.matrix)}
    matrix, (a, b) = tree.rows.matrix, (places[one], places[other])
    matrix[a, -2], matrix[b, -2] = int(matrix[b, -2]), int(matrix[a, -2])


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 2])
def test_exchanging_two_persons_of_a_group_changes_no_node_and_no_group(columns):
    """`blind_cut`: for every group there are draws that lead to the same tree and the same groups after two of its
    persons exchanged their values. Which draws is known at every step, so nothing else can have mattered."""
    chance, deep = np.random.default_rng(columns), 0
    for seed in range(25):
        table = random_table(chance, int(chance.integers(20, 200)))
        table = with_second_column(chance, table) if columns == 2 else table
        rule = NEVER_CUT._replace(tau=(1, 2), limit=(17, 20), least=2)
        if max(np.bincount(c.codes).max() for c in table.sensitive) * 2 > table.n:
            continue
        tree = blind_tree(table, rule, InsecureDraws(seed))
        nodes = transcript(tree, drawn_by(InsecureDraws(seed)))
        group = tree.filled.copy()
        deep += len(nodes) > 3
        for _ in range(6):
            one = int(chance.integers(table.n))
            other = int(chance.choice(np.flatnonzero(group == group[one])))
            again = blind_tree(table, rule, InsecureDraws(seed))
            exchanged(again, one, other)
            assert transcript(again, towards(again, nodes, group, rule.ell)) == nodes
            assert (again.filled == group).all()
    assert deep >= 5, "trees with several cuts"


def test_whether_a_node_is_cut_is_told_by_counts():
    """Above the bound never, at the bound always: 3 * 2 <= 12 // 2, and 11 // 2 is less."""
    quotas = np.empty(5, np.int64)
    rule = NEVER_CUT._replace(ell=2, tau=(1, 1))  # nothing may be skimmed
    assert certain(rule, np.array([3, 3, 2, 2, 2]), 12, quotas) == 0
    assert certain(rule, np.array([3, 2, 2, 2, 2]), 11, quotas) == FAILED


# 5: plans and quotas are functions of a bag; who gets which seat is uniform

bags = st.lists(st.integers(1, 9), min_size=2, max_size=9).map(lambda c: np.array(sorted(c, reverse=True)))


@given(counts=bags, ell=st.integers(2, 5))
def test_signatures_use_up_a_bag(counts, ell):
    if counts[0] * ell > counts.sum():
        return
    plan, used = planned(counts, np.zeros_like(counts), ell), Counter()
    for b, (first, after) in enumerate(pairwise(plan.start)):
        signature = plan.listed[first:after].tolist()
        assert plan.alpha[b] > 0 and ell <= len(signature) == len(set(signature))
        for v in signature:
            used[v] += plan.alpha[b]
    assert [used[v] for v in range(counts.size)] == counts.tolist()


@given(
    counts=bags,
    ell=st.integers(2, 4),
    tau=st.sampled_from([(1, 1), (3, 4), (1, 2), (1, 3)]),
    share=st.integers(0, 20),
)
def test_a_skim_leaves_slack_and_is_diverse(counts, ell, tau, share):
    n = int(counts.sum())
    if counts[0] * ell > n:
        return
    quotas = np.empty(counts.size, np.int64)
    most = n * share // 20
    taken = skim_quotas(counts, ell, tau, most, quotas)
    if taken == FAILED:
        return
    rest = counts - quotas
    assert (rest >= 0).all() and quotas.sum() == taken <= max(most, 0) and taken % ell == 0
    assert quotas.max() * ell <= taken, "what is skimmed is l-diverse"
    assert rest.sum() > 0 and rest.max() * ell * tau[1] <= tau[0] * rest.sum()


def test_a_skim_stops_exactly_at_tau():
    quotas = np.empty(4, np.int64)
    assert skim_quotas(np.array([3, 3, 3, 3]), 2, (1, 2), 12, quotas) == 0  # 3 * 2 * 2 == 1 * 12
    assert skim_quotas(np.array([4, 3, 3, 2]), 2, (1, 2), 12, quotas) == 4  # 16 > 12, then 12 > 10, then 8 <= 8
    assert quotas.tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize("counts", [[1, 1], [2, 2], [1, 1, 1, 1]])
def test_a_skim_that_would_take_everything_fails(counts):
    quotas = np.empty(len(counts), np.int64)
    assert skim_quotas(np.array(counts), 2, (1, 3), sum(counts), quotas) == FAILED


def test_a_skim_fails_if_too_few_values_are_left():
    quotas = np.empty(3, np.int64)
    assert skim_quotas(np.array([5, 5, 1]), 3, (1, 2), 11, quotas) == FAILED
    assert skim_quotas(np.ones(5, np.int64), 3, (1, 2), 5, np.empty(5, np.int64)) == FAILED  # two would be left


def test_seats_are_uniform():
    """Every way to seat the rows of each value, and to skim some, has the same probability."""
    counts, quotas = np.array([3, 2, 2]), np.array([1, 1, 0])
    value = [0, 2, 0, 1, 1, 0, 2]

    def seated(draws):
        plan, left, found = planned(counts, quotas, 2), counts.copy(), []
        for v in value:
            number = draws.below(left[v : v + 1])[0]
            left[v] -= 1
            found.append(seat_of(plan, v, number))
        return tuple(found)

    found = distribution(seated)
    assert len(set(found.values())) == 1 and sum(found.values()) == 1
    for v in range(3):
        assert {tuple(s for s, w in zip(f, value, strict=True) if w == v).count(APART) for f in found} == {
            quotas[v]
        }


# 9: leaves of `blind_cut` are dealt as `rda` deals


@pytest.mark.parametrize("secret", [(0, 0, 1, 2), (0, 0, 1, 1, 2), (0, 1, 2, 3, 4)])
def test_a_leaf_is_dealt_as_rda_deals(secret):
    """The same distribution of groups, for every table of the same values. Persons differ, so that nobody's place
    along the curve is drawn."""
    uncut = BlindCut(l=2, tau=Fraction(1), limit=Fraction(1), least=99)

    def groups(table, algorithm, draws):
        part = algorithm.partition(table, lambda share: None, draws).group.tolist()
        return frozenset(frozenset(i for i, g in enumerate(part) if g == own) for own in part)

    for world in set(permutations(secret)):
        table = small(range(len(world)), world)
        found = [distribution(partial(groups, table, algorithm)) for algorithm in (uncut, Rda(l=2))]
        assert found[0] == found[1]


def test_every_numbered_deal_has_the_probability_that_counts_tell():
    """1 / (n_1! n_2! ...): a value stands in a group once, so each deal comes about in one way."""
    table = small(range(5), (0, 0, 1, 1, 2))
    rule = NEVER_CUT

    def numbered(draws):
        tree = blind_tree(table, rule, draws)
        transcript(tree, drawn_by(draws))
        return tuple(tree.filled.tolist())

    counts = np.bincount(table.sensitive[0].codes).tolist()
    assert set(distribution(numbered).values()) == {Fraction(1, prod(map(factorial, counts)))}


# 6 and 7: small tables on which earlier forms did not end, or raised


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    ("secret", "ell"),
    [((0, 1), 2), ((0, 1, 2, 3, 4), 3), ((0, 0, 1, 1), 2), ((0, 1, 2), 3), ((0, 0, 1, 1, 2, 2), 3)],
)
def test_tables_of_a_few_rows_end(make, secret, ell):
    loose = {"tau": Fraction(1, 2), "limit": Fraction(1), "least": 1} if make is not Symb else {}
    for numbers in (range(len(secret)), [0] * len(secret)):
        table = small(numbers, secret)
        part = make(l=ell, **loose).partition(table, draws=InsecureDraws(1))
        assert part.suppressed == 0 and part.sizes.min() >= ell
        assert np.unique(np.column_stack([part.group, table.sensitive[0].codes]), axis=0).shape[0] == table.n


# 12: refusals and l = auto are functions of the values alone


@pytest.mark.parametrize("make", ALL)
def test_refusal_and_l_do_not_depend_on_who_has_what(make):
    chance = np.random.default_rng(4)
    secret, numbers = [0] * 7 + [1] * 4 + [2] * 4 + [3] * 2, chance.integers(0, 9, 17).tolist()
    said, found = set(), set()
    for _ in range(8):
        table = small(numbers, chance.permutation(secret).tolist())
        found.add(make(l="auto").resolve(table).l)
        with pytest.raises(Infeasible) as refusal:
            make(l=3).partition(table)
        said.add(str(refusal.value))
    assert len(said) == 1 and found == {2}


def test_two_columns_are_refused_by_name_where_no_choice_is_left():
    table = with_second_column(np.random.default_rng(1), random_table(np.random.default_rng(1), 40))
    for make in (Glass, Symb):
        with pytest.raises(Exception, match="blind_cut"):
            make(l=2).partition(table)


# Limits: what the marginal rung does not promise


@pytest.mark.parametrize("algorithm", [Glass(l=2), Symb(l=2), Symb(l=2, match="fast")], ids=str)
def test_one_known_value_may_tell_the_others(algorithm):
    """Four persons on a line, two values: 02|13 is made only if the first two are alike. Everybody is at 1/2, but
    one value tells all."""
    worlds = sorted(set(permutations((0, 0, 1, 1))))
    made = []
    for world in worlds:
        group = algorithm.partition(small(range(4), world), draws=InsecureDraws(1)).group.tolist()
        if group[0] == group[2] and group[1] == group[3]:
            made.append(world)
    assert made == [(0, 0, 1, 1), (1, 1, 0, 0)]


# 3: `glass` decides on a skim by size and bag


def test_a_skim_makes_a_cut_certain_or_likely_or_is_none():
    rule = NEVER_CUT._replace(tau=(3, 4), limit=(2, 5), sure=(1, 5))
    for counts, expected in (
        ([2, 2, 2, 2], 0),  # certain as it is
        ([6, 4, 4, 4, 4], 2),  # certain after 2 of 22 rows
        ([10, 6, 5, 4, 1], 2),  # certain only after more than a fifth; likely after 2 of 26
        ([4, 3, 1], 0),  # not even likely without most of them: tested as it is
    ):
        quotas = np.ones(len(counts), np.int64)
        assert skimmed(rule, np.array(counts), sum(counts), quotas) == expected == quotas.sum()
