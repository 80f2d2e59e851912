"""What Liu et al. 2015 say of all searches, on random ones, table by table; and two lemmas of our own.

Theorem 6 (safe and jump with k = 1 are incomparable for other properties) has no example among the properties we
have: see test_corollary_1_for_all_five.
"""

from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.k_jump_literal import Search, max_ratio, persons
from tests.oracle.small_searches import NIGHTLY, PROPERTIES, SEEDS, SEQUENCES, groups_of, searches
from voile.theory.search_plan import looks_alike

few = settings(max_examples=40 * NIGHTLY, phases=SEEDS)
mixed = partial(searches, SEQUENCES["straddling"], largest=7, most=400)
SET_MONOTONIC = ("distinct", "k_anonymity")


def by(searched, kind, k=1, functions=None):
    """The same table and property, with another strategy."""
    name, *bounds = searched.wanted
    functions = functions or [groups_of(line) for line in searched.labels]
    return Search(functions, PROPERTIES[name][1](*bounds), kind, k)


def everything(search, searched):
    return search.per(search.n + 1, tuple(searched.values))


@few
@given(mixed())
def test_section_4_2_2(searched):
    """ds_1 is per_1, and ds_2 does not depend on k."""
    t, one, drawn = tuple(searched.values), by(searched, "jump"), by(searched, "jump", searched.k)
    assert drawn.ds(1, t) == drawn.per(1, t)
    assert len(searched.labels) < 2 or drawn.ds(2, t) == one.ds(2, t)


@few
@given(mixed())
def test_lemmas_1_and_4(searched):
    """ds_3 under longer jumps, and under safe, is within ds_3 under k = 1."""
    if len(searched.labels) >= 3:
        t = tuple(searched.values)
        widest = by(searched, "jump").ds(3, t)
        assert by(searched, "jump", 2).ds(3, t) <= widest
        assert by(searched, "safe").ds(3, t) <= widest


@few
@given(mixed())
def test_lemma_2(searched):
    """Of three functions, with a set-monotonic property, longer jumps never disclose more."""
    if searched.wanted[0] in SET_MONOTONIC:
        functions = [groups_of(line) for line in searched.labels][:3]
        one, two = (by(searched, "jump", k, functions) for k in (1, 2))
        for t in everything(one, searched):
            assert (one.path(t)[1] or len(functions) + 1) <= (two.path(t)[1] or len(functions) + 1)


@few
@given(mixed())
def test_corollary_1_for_all_five(searched):
    """safe discloses what jump with k = 1 does: the paper says so of ratios and set-monotonic properties. It holds
    for any property that a mixture of distributions has if each of them has it, so for entropy and recursive, too:
    the histogram of a group is the mean of its persons' distributions in any set of tables with these groups."""
    safe, jump = by(searched, "safe"), by(searched, "jump")
    for t in everything(safe, searched):
        assert safe.path(t)[1] == jump.path(t)[1]
        assert all(safe.p_per(i, t) or not safe.p_ds(i, t) for i in range(1, safe.n + 1))  # Lemma 3


@few
@given(mixed())
def test_proposition_1(searched):
    """With a set-monotonic property and k = 1 a function that comes again discloses nothing more."""
    if searched.wanted[0] in SET_MONOTONIC:
        functions = [groups_of(line) for line in searched.labels]
        once = by(searched, "jump", 1, functions)
        again = by(searched, "jump", 1, [*functions, functions[0], functions[-1]])
        for t in everything(once, searched):
            assert once.path(t)[1] == again.path(t)[1]


@few
@given(searches(SEQUENCES["reused"], largest=7, most=400))
def test_a_reused_function_has_no_more_tables_with_k_1(searched):
    """Erratum 6: with longer jumps it may have."""
    search, t = by(searched, "jump"), tuple(searched.values)
    for late, labels in enumerate(searched.labels, 1):
        early = 1 + searched.labels.index(labels)
        assert search.ds(late, t) <= search.ds(early, t)


def test_a_second_search_because_the_first_failed_is_a_search_too():
    """l = 3 ends in nothing; l = 2 discloses, and is safe for who does not know of l = 3. Who does is certain."""
    functions, t = [[[0, 2], [1, 5], [3, 4]], [[0, 2, 4], [1, 3, 5]]], (0, 0, 1, 2, 1, 2)
    third, half = (Search(functions, max_ratio(Fraction(1, ell)), "jump") for ell in (3, 2))
    assert (third.path(t)[1], half.path(t)[1]) == (None, 1)
    left = [table for table in half.ds(1, t) if third.path(table)[1] is None]
    assert len(left) == 4
    assert sum(max(told.values()) == 4 for told in persons(left)) == 2


@pytest.mark.parametrize("kind", ["symmetric", "forest", "nested"])
@few
@given(data=st.data())
def test_transitivity(kind, data):
    """Where everybody in a group can stand for everybody else, all have the histogram of the group, and the
    disclosure set says what the permutation set says (docs/facts/k_jump.md section 4.7). The product decides where
    that is."""
    searched = data.draw(searches(SEQUENCES[kind], largest=8, most=400))
    search, t = by(searched, searched.kind, searched.k), tuple(searched.values)
    functions = searched.product()[0].functions
    for i in (i for i in range(1, search.n + 1) if looks_alike(functions[:i])):
        tables = search.ds(i, t)
        if tables:
            told = persons(tables)
            assert all(told[row] == told[group[0]] for group in search.groups[i] for row in group)
            assert search.p_ds(i, t) == search.p_per(i, t)
