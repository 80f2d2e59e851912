"""RDA: the cases, the paper's plan, optimal DM, two columns, layers, blocks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import rda_literal, subjects
from tests.oracle.possible_worlds import canonical
from tests.small_tables import axis_of, column, table_from
from voile.algorithms.streamliner.rda import Rda, cells
from voile.core.draws import InsecureDraws
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, ParameterError, SpecError
from voile.kernels.most_frequent import plan_groups

counts_of_values = st.lists(st.integers(1, 12), min_size=1, max_size=9)


def eligible(counts, ell):
    return max(counts) * ell <= sum(counts)


@given(counts=counts_of_values, ell=st.integers(2, 5))
def test_plan_is_the_papers(counts, ell):
    """Table 6 on counts: the same groups in the same order, left-over rows where the transcription puts them."""
    if not eligible(counts, ell):
        return
    start = np.concatenate(([0], np.cumsum(counts)))
    group, groups = plan_groups(start, ell)
    planned = [[] for _ in range(groups)]
    for c in range(len(counts)):
        for place in range(start[c], start[c + 1]):
            planned[group[place]].append(c)
    assert [sorted(g) for g in planned] == [sorted(g) for g in rda_literal.plan(counts, ell)]


@given(counts=counts_of_values, ell=st.integers(2, 5))
def test_the_largest_colour_may_stay_first(counts, ell):
    """docs/facts/streamliner.md A5: keeping the first colour until it is exhausted gives as many groups of the
    same sizes."""
    if eligible(counts, ell):
        one, other = (rda_literal.plan(counts, ell, keep_first=keep) for keep in (False, True))
        assert sorted(map(len, one)) == sorted(map(len, other))


@given(counts=counts_of_values, ell=st.integers(2, 5))
def test_groups_are_as_many_as_can_be_and_below_2l(counts, ell):
    if not eligible(counts, ell):
        return
    group, groups = plan_groups(np.concatenate(([0], np.cumsum(counts))), ell)
    n = sum(counts)
    assert groups == n // ell
    assert np.bincount(group).max() <= ell + n % ell
    assert (group >= 0).all()


def discernibility(n, ell):
    """The least DM: floor(n / l) groups, the rest spread over them."""
    groups, rest = n // ell, n % ell
    return (groups - rest) * ell**2 + rest * (ell + 1) ** 2


def test_optimal_dm_of_the_cases(streamliner_cases):
    for case in streamliner_cases["dm_optimal"]["cases"]:
        n, ell = case["n"], case["l"]
        assert discernibility(n, ell) == case["opt"]
        sizes = np.full(20, n // 20)
        sizes[: n % 20] += 1
        group, _ = plan_groups(np.concatenate(([0], np.cumsum(sizes[sizes > 0]))), ell)
        assert (np.bincount(group) ** 2).sum() == case["opt"]


@pytest.mark.parametrize("ell", [6, 7])
def test_dm_on_adult_is_optimal(adult_table, ell):
    sizes = Rda(l=ell).partition(adult_table).sizes
    assert (sizes**2).sum() == discernibility(adult_table.n, ell)


def test_distributions_of_the_cases(streamliner_cases):
    for case in streamliner_cases["rda_distributions"]:
        found = subjects.catalog_algorithm("rda", l=case["l"])(tuple(case["t"]))
        expected = {canonical(groups): Fraction(chance) for groups, chance in case["rda_random_distribution"]}
        assert found == expected


def test_draws_decide_and_are_not_kept(adult_table):
    algorithm = Rda(l=6)
    one, same, other = (algorithm.partition(adult_table, draws=InsecureDraws(seed)).group for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert (algorithm.partition(adult_table).group != algorithm.partition(adult_table).group).any()


def test_two_sensitive_columns_differ_in_both(adult_two_sensitive):
    part = Rda(l=2).partition(adult_two_sensitive)
    assert part.groups == adult_two_sensitive.n // 2
    for mark in adult_two_sensitive.marks().values():
        assert np.unique(part.group * 100 + mark).size == adult_two_sensitive.n


def test_three_sensitive_columns_are_refused():
    tree = Hierarchy.flat(list("abcd"))
    codes = [0, 1, 2, 3]
    secrets = [column(name, tree, codes, Role.SENSITIVE) for name in ("s1", "s2", "s3")]
    with pytest.raises(SpecError, match="elig"):
        Rda(l=2).partition(Table([column("number", axis_of(codes), codes), *secrets]))


def test_rows_of_a_person_never_meet(adult_three_records):
    part = Rda(l=2).partition(adult_three_records)
    persons = adult_three_records.persons
    assert part.suppressed == 0
    assert np.unique(part.group * (persons.max() + 1) + persons).size == adult_three_records.n


def test_layers_too_small_are_refused_with_what_works(adult_three_records):
    with pytest.raises(Infeasible, match="3 layers") as refusal:
        Rda(l=7).partition(adult_three_records)
    assert refusal.value.largest_l == 2
    assert Rda(l="auto").resolve(adult_three_records).l == 2


def test_persons_who_repeat_across_blocks_need_no_layers():
    """Every year has each person once: blocks by year allow what the whole table, in layers, does not."""
    years, tree = [1] * 4 + [2] * 4, Hierarchy.flat(list("abcd"))
    table = Table(
        [
            column("year", axis_of(years), years),
            column("secret", tree, [0, 1, 2, 3] * 2, Role.SENSITIVE),
            column("person", tree, [0, 1, 2, 3] * 2, Role.SUBJECT),
        ]
    )
    assert Rda(l=4, blocks="year").partition(table).groups == 2
    with pytest.raises(Infeasible, match="layers"):
        Rda(l=4).partition(table)


def test_many_small_blocks_of_many_values():
    """Codes are renumbered inside a block: thousands of blocks cost no more than their rows."""
    n = 20_000
    codes = np.arange(n) // 2
    labels = Hierarchy.flat([str(i) for i in range(n)])
    table = Table([column("house", axis_of(codes), codes), column("secret", labels, np.arange(n), Role.SENSITIVE)])
    assert Rda(l=2, blocks="house").partition(table).groups == n // 2


@given(persons=st.lists(st.integers(0, 5), min_size=1, max_size=20), seed=st.integers(0, 5))
def test_layers_are_even_and_hold_a_person_once(persons, seed):
    codes = np.array(persons)
    layers = list(cells(np.zeros(codes.size, np.int64), codes, InsecureDraws(seed)))
    assert sorted(row for layer in layers for row in layer) == list(range(codes.size))
    assert max(map(len, layers)) - min(map(len, layers)) <= 1
    assert all(np.unique(codes[layer]).size == layer.size for layer in layers)


def test_groups_stay_in_their_block(adult_table):
    part = Rda(l=3, blocks="sex+age<40").partition(adult_table)
    (sex,), (age,) = ([c for c in adult_table.quasi if c.name == name] for name in ("sex", "age"))
    for codes in (sex.codes, age.codes < 40):
        assert np.unique(part.group * 2 + (codes == codes.max())).size == part.groups


def test_an_ineligible_block_refuses_the_whole_release(adult_table):
    with pytest.raises(Infeasible) as refusal:
        Rda(l=6, blocks="sex+age<40<50").partition(adult_table)
    text = str(refusal.value)
    assert "would tell who has what" in text
    assert "blocks=" in text or "no blocks" in text
    assert refusal.value.largest_l < 6


def test_blocks_may_be_a_list():
    assert Rda.configure({"l": 2, "blocks": ["sex", "age<40<60"]}) == Rda(l=2, blocks="sex+age<40<60")
    with pytest.raises(ParameterError, match="a plan such as"):
        Rda.configure({"l": 2, "blocks": [1]})


def test_largest_l_with_blocks(adult_table):
    ell = Rda(l="auto", blocks="sex").resolve(adult_table).l
    assert ell >= 2
    Rda(l=ell, blocks="sex").partition(adult_table)
    with pytest.raises(Infeasible):
        Rda(l=ell + 1, blocks="sex").partition(adult_table)


def test_an_ineligible_table_is_refused_without_offering_suppression():
    table = table_from([1, 2, 3, 4], [0] * 4, [0] * 4, [0] * 4, [0, 0, 0, 1])
    with pytest.raises(Infeasible) as refusal:
        Rda(l=2).partition(table)
    assert "suppress" not in str(refusal.value)
