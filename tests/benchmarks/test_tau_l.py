"""The tables of the (tau,l) benchmarks, their checker, and what they write."""

import json
import math
from fractions import Fraction

import polars as pl
import pytest

import voile
from benchmarks import adult, nursery, tau_l, tau_l_pictures, tau_l_speed
from benchmarks.tau_l_checker import utility, violations
from voile.core.table import Table


def vectors(table: Table) -> int:
    """H of Tian and Zhang 2009: how many combinations of levels the quasi-identifiers have."""
    return math.prod(len(column.tree().lines()[0]) for column in table.quasi)


@pytest.mark.usefixtures("twins")
@pytest.mark.parametrize(("sensitive", "values"), [("occupation", 14), ("workclass", 7)])
def test_adult_of_both_files(sensitive, values):
    table = voile.read(adult.all_complete_rows(*adult.SIX, sensitive), adult.tree_columns(sensitive))
    assert table.n == 45_222 and vectors(table) == 720
    assert len(set(table.sensitive[0].codes.tolist())) == values
    assert adult.all_complete_rows("salary-class")["salary-class"].n_unique() == 2, "no trailing dots"


@pytest.mark.usefixtures("twins")
def test_adult_redrawn():
    frame = adult.redrawn(30_000, adult.SEVEN)
    assert frame.equals(adult.redrawn(30_000, adult.SEVEN))
    table = voile.read(frame, adult.tree_columns(quasi=adult.SEVEN))
    assert table.n == 30_000 and vectors(table) == 2160
    distinct = frame.select(adult.SEVEN).n_unique()
    assert distinct > adult.redrawn(30_000, adult.SEVEN, share=0).select(adult.SEVEN).n_unique()
    assert distinct < 20_000, "many rows stay alike"


@pytest.mark.usefixtures("twins")
def test_nursery():
    frame = nursery.rows()
    table = voile.read(frame, nursery.columns())
    assert table.n == 12_960 == frame.select(nursery.QUASI).n_unique() and vectors(table) == 864
    for column in table.columns:
        assert column.tree().leaves == frame[column.name].n_unique(), "no value more than there is"
    assert frame[nursery.SENSITIVE].value_counts()["count"].max() * 3 == table.n, "l = 3 is the largest"


LINES = [["flu", "lung", "*"], ["asthma", "lung", "*"], ["gout", "gout", "*"]]


@pytest.mark.parametrize(
    ("published", "tau", "ell", "broken"),
    [
        (["flu", "asthma", "gout"], "1/3", 3, 0),
        (["flu", "asthma", "gout"], "1/4", 3, 1),
        (["flu", "flu", "gout"], "1/2", 2, 1),
        (["lung", "lung", "gout"], "1/3", 3, 0),  # a half of flu, of asthma
        (["lung", "flu", "gout"], "2/5", 3, 1),
        (["flu", "asthma", "asthma"], "2/3", 3, 1),  # for k = 2
        (["*", "*", "*"], "1/3", 3, 0),
    ],
)
def test_the_checker_finds_what_is_wrong(tmp_path, published, tau, ell, broken):
    frame = pl.DataFrame({"group": [0, 0, 0], "age": ["[1, 2]"] * 3, "disease": published})
    frame.write_csv(tmp_path / "data.csv")
    entry = {"name": "disease", "base_values": [line[0] for line in LINES], "weights": [1, 1, 1]}
    (tmp_path / "certificate.json").write_text(json.dumps({"table": {"columns": [entry]}}))
    trees = {"age": [["1", "[1, 2]"], ["2", "[1, 2]"]], "disease": LINES}
    assert violations(tmp_path, trees, Fraction(tau), ell) == broken
    cells = {"lung": Fraction(1, 2), "*": Fraction(1, 3)}
    assert utility(tmp_path, trees) == (Fraction(3, 2) + sum(cells.get(label, 1) for label in published)) / 6


def test_tables_and_picture():
    asked = {"table": "Nursery, class", "tau": "0.3", "l": 5}
    figures = dict.fromkeys(tau_l.MEASURED, 0.25) | {"true_kept": False, "violations": 0}
    cannot = dict.fromkeys(tau_l.MEASURED)
    found = [{**asked, "algorithm": "sweep", **figures}, {**asked, "algorithm": "elig", **cannot}]
    text = tau_l.text_of({"entries": found, "violations": 0, "seconds": 60})
    assert "| 0.3, 5 | elig | cannot |" in text and "| +0.0000 |" in text
    assert len(tau_l_pictures.picture(found)["concat"]) == 2 * 8


def test_groups_of_enough_values_keep_tau():
    assert tau_l.parameters_of("elig", "0.3", 2) == {"l": 4} and tau_l.parameters_of("elig", "0.5", 3) == {"l": 3}
    assert tau_l.parameters_of("sweep", "0.3", 2) == {"tau": "0.3", "l": 2}


def test_growth_is_per_run():
    run = {"algorithm": "sweep", "quasi-identifiers": 6, "tau, l": "0.3, 6"}
    rows = [{**run, "rows": n, "seconds": n / 7, "grouping_seconds": n * n} for n in (10, 100)] * 2
    found = tau_l_speed.growth(rows)
    assert [(round(row["seconds"], 9), round(row["grouping_seconds"], 9)) for row in found] == [(1, 2)] * 2
