"""Evaluation of a search against the second implementation, on random tables: hundreds here, thousands in
`make nightly`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import k_jump_literal as literal
from tests.oracle.small_searches import NIGHTLY, SEEDS, SEQUENCES, Searched, kept, searches, turned_down
from tests.oracle.turned_down import TURNED_DOWN
from voile.theory.evaluation import disclosure_set, evaluate, permutation_set


def told(found, values):
    """Everybody's counts in a product's set, without values that are in no table."""
    lines = [found.counts[kind] for kind in found.kind.tolist()]
    return [{value: line[value] for value in sorted(set(values)) if line[value]} for line in lines]


def same(found, tables, holds, values):
    """A set of the product is the same as a set of tables: how many, everybody's counts, the verdict."""
    assert (found.size, found.holds) == (len(tables), holds)
    if tables:
        assert told(found, values) == literal.persons(tables)
        assert (found.highest, found.fewest) == (literal.highest(tables), literal.fewest(tables))


def compare(searched: Searched):
    """Outcome, path, and every set there is, whether the table comes there or not."""
    sequence, values, wanted, strategy = searched.product()
    search, t = searched.literal()
    found = evaluate(sequence, values, wanted, strategy)
    assert (list(found.path), found.outcome) == search.path(t)
    per = {i: permutation_set(sequence, values, wanted, i) for i in range(1, search.n + 1)}
    for i, each in per.items():
        same(each, search.per(i, t), search.p_per(i, t), t)
    ds = {i: disclosure_set(sequence, values, wanted, strategy, i) for i in range(1, search.n + 2)}
    for i, each in ds.items():
        same(each, search.ds(i, t), search.p_ds(i, t), t)
    for step in found.steps:
        assert contents(step.per) == contents(per[step.function])
        assert step.ds is None or contents(step.ds) == contents(ds[step.function])


def contents(tables):
    return tables.size, tables.counts, tables.kind.tolist(), tables.holds


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEQUENCES)
@settings(max_examples=45 * NIGHTLY, phases=SEEDS)
@given(data=st.data())
def test_evaluation_is_the_same(kind, data):
    compare(data.draw(searches(SEQUENCES[kind])))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nested", "cuts", "forest", "inside a third"])
@settings(max_examples=15 * NIGHTLY, phases=SEEDS)
@given(data=st.data())
def test_evaluation_of_more_rows_is_the_same(kind, data):
    """Ten to twelve rows of few values, where the engine is no longer looking at single tables."""
    compare(data.draw(searches(SEQUENCES[kind], 9, 12, most=2000)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({one[0] for one in TURNED_DOWN}))
def test_functions_that_are_turned_down(kind):
    """What comes after them depends on the verdicts of all their disclosure sets."""
    for number, (_, *text, functions) in enumerate(one for one in TURNED_DOWN if one[0] == kind):
        searched = kept(*text)
        assert turned_down(*searched.literal())[0] == functions, number
        compare(searched)


@settings(max_examples=45 * NIGHTLY, phases=SEEDS)
@given(searches(SEQUENCES["any"]))
def test_the_table_is_the_definition(searched):
    """Table 13 with k[j] gives the sets of Definition 3, and the permutation set the histogram of the group."""
    search, t = searched.literal()
    for i in range(1, search.n + 1):
        if search.kind != "jump" or search.p_per(i, t):
            assert search.ds(i, t) == search.ds_by_path(i, t)
        assert search.p_per(i, t) == search.p_of(i, search.per(i, t))
    nothing = {u for u in search.per(search.n + 1, t) if search.path(u)[1] is None}
    assert search.ds(search.n + 1, t) == nothing
