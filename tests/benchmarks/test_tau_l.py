"""The tables of the (tau,l) benchmarks."""

import math

import pytest

import voile
from benchmarks import adult, nursery
from voile.core.table import Table

pytestmark = pytest.mark.skipif(
    not (adult.available() and nursery.available()),
    reason="no data: set VOILE_DATA to a folder with adult/ and nursery/",
)


def vectors(table: Table) -> int:
    """H of paper 002: how many combinations of levels the quasi-identifiers have."""
    return math.prod(len(column.tree().lines()[0]) for column in table.quasi)


@pytest.mark.parametrize(("sensitive", "values"), [("occupation", 14), ("workclass", 7)])
def test_adult_of_both_files(sensitive, values):
    table = voile.read(adult.all_complete_rows(*adult.SIX, sensitive), adult.tree_columns(sensitive))
    assert table.n == 45_222 and vectors(table) == 720
    assert len(set(table.sensitive[0].codes.tolist())) == values
    assert adult.all_complete_rows("salary-class")["salary-class"].n_unique() == 2, "no trailing dots"


def test_adult_redrawn():
    frame = adult.redrawn(30_000, adult.SEVEN)
    assert frame.equals(adult.redrawn(30_000, adult.SEVEN))
    table = voile.read(frame, adult.tree_columns(quasi=adult.SEVEN))
    assert table.n == 30_000 and vectors(table) == 2160
    distinct = frame.select(adult.SEVEN).n_unique()
    assert distinct > adult.redrawn(30_000, adult.SEVEN, share=0).select(adult.SEVEN).n_unique()
    assert distinct < 20_000, "many rows stay alike"


def test_nursery():
    frame = nursery.rows()
    table = voile.read(frame, nursery.columns())
    assert table.n == 12_960 == frame.select(nursery.QUASI).n_unique() and vectors(table) == 864
    for column in table.columns:
        assert column.tree().leaves == frame[column.name].n_unique(), "no value more than there is"
    assert frame[nursery.SENSITIVE].value_counts()["count"].max() * 3 == table.n, "l = 3 is the largest"
