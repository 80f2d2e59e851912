"""`glass`, `symb` and `blind_cut` are their literals: the same draws, the same groups."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.blind_cut_literal import BlindCut
from tests.oracle.every_draw import Script
from tests.oracle.glass_literal import Glass, Symb
from tests.oracle.possible_worlds import canonical
from tests.oracle.safe_blocks_literal import Looks, Rule
from tests.oracle.small_runs import small_runs
from tests.small_tables import tables
from voile import catalog
from voile.algorithms.tree_levels import rows_along_curve
from voile.core.axis import Axis
from voile.core.draws import InsecureDraws
from voile.core.information_loss import loss_of
from voile.core.order import distinct_values
from voile.errors import Infeasible

SHARES = st.sampled_from([Fraction(1), Fraction(3, 4), Fraction(13, 20), Fraction(1, 2), Fraction(1, 3)])


class Repeated(Script):
    """What another generator drew, again and again."""

    def __init__(self, seed):
        super().__init__()
        self.generator = InsecureDraws(seed)

    def below(self, bounds):
        return self.generator.below(np.array(bounds, np.int64))


def looks_along(table, order):
    """What literals see of a table whose rows are taken in some order."""
    charged = sorted(table.quasi, key=lambda column: not isinstance(column.domain, Axis))
    columns = [(column.domain, column.codes[order].tolist()) for column in charged]
    return Looks(columns, [column.weight for column in charged], loss_of(table)[2])


def literally(kind, table, rule, seed):
    """The groups of a literal, as rows of the table, and what happened on the way."""
    draws = Repeated(seed)
    value = distinct_values(table.sensitive[0].codes)[1]
    rows, roots = rows_along_curve(table, value, draws)
    tree = kind(looks_along(table, rows.order), value[rows.order].tolist(), rule, draws)
    groups = tree.groups([range(a, b) for a, b in itertools.pairwise(roots)])
    return canonical([[int(rows.order[r]) for r in group] for group in groups]), tree.events


def shipped(key, table, seed, **parameters):
    """The groups of the algorithm that is shipped; None if it refuses."""
    with small_runs():
        try:
            found = catalog.algorithm(key).configure(parameters).partition(table, draws=Repeated(seed))
        except Infeasible:
            return None
    return canonical([np.flatnonzero(found.group == g).tolist() for g in range(found.group.max() + 1)])


rules = st.builds(
    Rule,
    st.sampled_from([2, 2, 3]),
    st.integers(1, 3),
    SHARES,
    SHARES,
    st.booleans(),
    SHARES | st.just(Fraction(0)),
)
TABLES = tables(least=2, most=40, values=9)


def compared(key, kind, examples):
    """Compare an algorithm with its literal on many tables; returns what happened on the way."""
    seen = set()

    @settings(max_examples=examples)
    @given(TABLES, rules, st.integers(0, 2**32))
    def compare(table, rule, seed):
        parameters = {"l": rule.ell}
        if key != "symb":
            parameters |= {"tau": rule.tau, "limit": rule.limit, "least": rule.least}
        if key == "glass":
            parameters |= {"cuts": "middle" if rule.exact else "codes", "sure": rule.sure}
        if key != "blind_cut":
            parameters["match"] = "fast"
        found = shipped(key, table, seed, **parameters)
        if found is not None:
            groups, events = literally(kind, table, rule, seed)
            assert found == groups
            seen.update(events)

    compare()
    return seen


@pytest.mark.slow
def test_glass_is_its_literal():
    assert compared("glass", Glass, 200) == {"cut", "skim", "failed"}


@pytest.mark.slow
def test_blind_cut_is_its_literal():
    assert compared("blind_cut", BlindCut, 200) == {"cut", "skim"}


@pytest.mark.slow
def test_symb_is_its_literal():
    assert compared("symb", Symb, 30) == set()
