"""GDA: the cases, the literal transcription, the guard, weights."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import gda_literal
from tests.oracle.possible_worlds import canonical
from tests.small_tables import LETTERS, axis_of, column
from voile.algorithms.streamliner.gda import Gda, lined_up, weighted_rank
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.errors import Infeasible, SpecError
from voile.kernels.guided import append_to_nearest, guided_groups


def groups_of(world, rank, ell):
    """The kernels on persons of given ranks."""
    colour = np.unique(world, return_inverse=True)[1]
    rows, start, line = lined_up(colour, np.array(rank, np.int64))
    places, groups = guided_groups(start, line, ell)
    append_to_nearest(start, line, places, groups, ell)
    found = {}
    for place, g in enumerate(places.tolist()):
        found.setdefault(g, []).append(int(rows[place]))
    return canonical(found.values())


@pytest.mark.slow
def test_runs_of_the_cases(streamliner_cases):
    for case in streamliner_cases["gda_outputs"]:
        found = groups_of(case["t"], case["wr"], case["l"])
        assert found == canonical(case["gda_guarded"])
        assert canonical(gda_literal.gda(case["t"], case["wr"], case["l"])) == canonical(case["gda_guarded"])
        assert canonical(gda_literal.gda(case["t"], case["wr"], case["l"], guarded=False)) == canonical(
            case["gda_literal"]
        )


@st.composite
def ranked_worlds(draw):
    n, ell = draw(st.integers(2, 40)), draw(st.integers(2, 5))
    world = draw(st.lists(st.integers(0, draw(st.integers(1, 9))), min_size=n, max_size=n))
    rank = draw(st.lists(st.integers(1, draw(st.integers(1, 30))), min_size=n, max_size=n))
    return world, rank, ell


@given(case=ranked_worlds())
def test_equals_the_literal_transcription(case):
    world, rank, ell = case
    if max(map(world.count, world)) * ell > len(world):
        return
    assert groups_of(world, rank, ell) == canonical(gda_literal.gda(world, rank, ell))


def test_the_guard_prevents_what_gets_the_paper_stuck():
    """docs/facts/streamliner.md 0.3: the smallest table, n = 6, l = 3, counts (2, 2, 1, 1)."""
    world, rank = (0, 0, 2, 3, 1, 1), (1, 2, 3, 4, 5, 6)
    assert gda_literal.gda(world, rank, 3, guarded=False) is None
    groups = groups_of(world, rank, 3)
    assert all(len({world[p] for p in group}) == len(group) >= 3 for group in groups)


@given(case=ranked_worlds())
def test_as_many_groups_as_there_can_be(case):
    world, rank, ell = case
    if max(map(world.count, world)) * ell <= len(world):
        assert len(groups_of(world, rank, ell)) == len(world) // ell


def test_many_values_and_ties():
    """Thousands of values of one or two rows: neighbours come from the line, not from a scan of all."""
    rng = np.random.default_rng(3)
    world, rank = rng.integers(0, 3000, 5000).tolist(), rng.integers(1, 50, 5000).tolist()
    groups = groups_of(world, rank, 4)
    assert sum(map(len, groups)) == 5000
    assert all(len({world[p] for p in group}) == len(group) >= 4 for group in groups)


def weighted(weight, other=1):
    codes = [10, 20, 20, 50]
    letters = [3, 0, 1, 0]
    tree = Hierarchy.flat(list("wxyz"))
    number = column("number", axis_of(codes), codes)
    letter = column("letter", LETTERS, letters)
    return Table(
        [
            Column("number", number.role, number.domain, number.codes, Fraction(other)),
            Column("letter", letter.role, letter.domain, letter.codes, Fraction(weight)),
            column("secret", tree, [0, 1, 2, 3], Role.SENSITIVE),
        ]
    )


def test_weighted_rank_is_weight_times_rank_of_the_value():
    assert weighted_rank(weighted(1)).tolist() == [4, 3, 4, 4]
    assert weighted_rank(weighted("5/2")).tolist() == [2 + 15, 4 + 5, 4 + 10, 6 + 5]
    assert weighted_rank(weighted(10000, 10000)).tolist() == weighted_rank(weighted(1)).tolist()


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(SpecError, match="round"):
        weighted_rank(weighted(Fraction(10**13 + 1, 10**6), Fraction(1, 7**9)))


@pytest.mark.slow
@pytest.mark.parametrize("ell", [6, 7])
def test_adult(adult_table, ell):
    part = Gda(l=ell).partition(adult_table)
    secret = adult_table.marks()["occupation"]
    assert np.unique(part.group * 20 + secret).size == adult_table.n
    assert part.groups == adult_table.n // ell


def test_ineligible_is_refused():
    codes = [1, 2, 3]
    secret = column("secret", Hierarchy.flat(list("ab")), [0, 0, 1], Role.SENSITIVE)
    with pytest.raises(Infeasible, match="more than 1/2"):
        Gda(l=2).partition(Table([column("number", axis_of(codes), codes), secret]))
