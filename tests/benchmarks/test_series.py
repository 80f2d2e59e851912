"""The benchmark of a series on a little of it, and its checker, which must find what is wrong."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from benchmarks import republication, series, series_pictures
from benchmarks.republication import Checker, Run, grouped, published, tables
from benchmarks.vulnerable import vulnerable
from voile.attacks.candidate_sets import Intersections
from voile.core.partition import Partition

pytestmark = pytest.mark.slow  # of processes, or of many worlds


@pytest.fixture
def little(monkeypatch):
    """3,000 persons, 1,000 at a time."""
    monkeypatch.setattr(republication, "PERSONS", 3000)
    monkeypatch.setattr(republication, "ROWS", 1000)
    monkeypatch.setattr(republication, "QUERIES", 50)
    return lambda line: None


def test_tables_lose_and_gain_r(little):
    found = list(tables(100, 21))
    assert len(found) == 21 and found[0].tolist() == list(range(1000))
    for before, after in pairwise(found):
        assert np.unique(after).size == 1000 and np.intersect1d(before, after).size == 900
    assert np.unique(np.concatenate(found)).size == 3000, "the pool is used up, and nobody returns"


PEOPLE, VALUES = np.array([0, 1, 2, 3]), np.array([5, 6, 5, 6])


@pytest.mark.parametrize(
    ("partition", "name"),
    [
        (Partition(np.array([0, 0, 0, 0])), "not_m_unique"),
        (Partition(np.array([0, 1, 1, -1]), np.array([0]), np.array([5])), "not_m_unique"),
        (Partition(np.array([0, 1, 0, 1])), "not_m_unique"),
        (Partition(np.array([0, 0, 1, -1]), np.array([1]), np.array([7])), "signature_changed"),
    ],
)
def test_the_checker_finds_what_is_wrong(partition, name):
    checker = Checker(2, of_person=np.zeros(4, np.int64))
    fine = dict.fromkeys(series.FAULTS, 0)
    assert checker.faults(PEOPLE, VALUES, Partition(np.array([0, 0, 1, 1]))) == fine
    assert checker.faults(PEOPLE, VALUES, Partition(np.array([1, 0, 0, 1]))) == fine, "other groups, same values"
    assert checker.faults(PEOPLE, VALUES, partition)[name] > 0


def test_bags_on_disk_are_compared():
    data = pl.DataFrame({"group": [1, 1, 2, 2], "value": [5, 6, 6, 5]})
    partition = Partition(np.array([0, 0, 1, 1]))
    assert republication.same_bags(partition, VALUES, data, "value")
    other = data.with_columns(pl.Series("value", [5, 5, 6, 6]))
    assert not republication.same_bags(partition, VALUES, other, "value")


@pytest.mark.usefixtures("twins")
@pytest.mark.parametrize("balance", series.BALANCES)
def test_with_and_without_ledger(little, tmp_path, balance):
    run = Run("occupation", 100, 5, balance, 5)
    whole = published(run, tmp_path / "run", little)
    reader = Intersections(3000)
    alone = grouped(run, little, (0.01, 0.05, 0.1), reader)
    for entries in (whole, alone):
        assert len(entries) == 5 and not any(entry[name] for entry in entries for name in series.FAULTS)
        assert entries[0]["counterfeits"] == 0 and all(entry["error_0.1"] > 0 for entry in entries)
    assert all(entry["as_written"] for entry in whole)
    assert sum(entry["counterfeits"] for entry in alone) > 0
    assert series.left_by(run, reader) == {
        "series": run.name,
        "releases": 5,
        "persons": int((reader.first > 0).sum()),
        "told": 0,
        "below_m": 0,
    }
    line = series.summary(run, whole)
    assert line["violations"] == 0 and line["last / first quarter"] > 0


@pytest.mark.usefixtures("twins")
def test_l_diverse_tables_tell_persons_together(little):
    """The positive control of the attack."""
    few, many = (vulnerable("occupation", 100, releases, (2,), little)[0] for releases in (1, 6))
    assert few["by_groups"] == few["by_boxes"] == 0
    assert many["by_groups"] > 500 and many["by_groups"] > many["by_boxes"] > 0
    assert many["persons"] == 1500


def test_figures_and_picture():
    entry = {"release": 1, "counterfeits": 3, "grouping_cpu_seconds": 0.5}
    entries = [entry | {f"error_{theta:g}": 0.1 for theta in republication.THETAS}] * 12
    runs = [Run(s, r, m, b, 12) for s, b, r, m in [("occupation", "fill", 5000, 10), ("income", "fill", 5000, 2)]]
    found = series.figures(dict.fromkeys(runs, entries))
    assert [len(found[f"figure_{n}"]) for n in ("5", "6a", "6b", "7", "8a", "8b")] == [12, 1, 2, 12, 3, 2]
    wide = series.side_by_side(found["figure_6b"], "m", "counterfeits")
    assert wide == [{"": "occupation, fill", "m = 10": 3.0}, {"": "income, fill", "m = 2": 3.0}]
    told = {"r": 5000, "l": 2, "by_groups": 5, "by_boxes": 1}
    assert len(series_pictures.picture({**found, "figure_4": [told]})["concat"]) == 10


def test_time_that_grows_is_seen():
    assert series.last_over_first([1.0] * 8) == 1 and series.last_over_first([1.0, 1, 1, 2, 2, 4, 4, 4]) == 4
