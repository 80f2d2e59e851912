"""The census table in the papers' domains, and the query benchmark on a little of it."""

import pytest

from benchmarks import acs, queries
from tests.twins.acs import ROWS

pytestmark = pytest.mark.usefixtures("twins")


def test_domains_are_those_of_the_papers():
    frame = acs.recoded()
    assert frame.height == ROWS and frame.null_count().sum_horizontal()[0] == 0
    assert {name: frame[name].n_unique() for name in frame.columns} == acs.DOMAINS
    assert frame["education"].max() == 16 and frame["birthplace"].max() == 56 and frame["income"].max() == 49


@pytest.mark.parametrize("sensitive", ["occupation", "income"])
def test_ten_is_possible_overall_and_for_each_gender(sensitive):
    """Top share at most 1/10, in whole numbers: l = 10 exists, also inside fixed blocks by gender."""
    frame = acs.recoded()
    for part in (frame, *frame.partition_by("gender")):
        assert 10 * part[sensitive].value_counts()["count"].max() <= part.height


def test_resamples_are_repeatable():
    assert acs.resampled(1000).equals(acs.resampled(1000))
    assert acs.resampled(300_000).height == 300_000


@pytest.mark.slow
def test_the_benchmark_runs_on_a_little(monkeypatch, capsys):
    monkeypatch.setattr(queries, "ELLS", (6, 10))
    runs = [
        ("elig", "elig", {"refine": 0}, False),
        ("weighted", "elig", {"refine": 0}, True),
        ("no", "none", {}, False),
    ]
    found = queries.errors(rows=3000, runs=runs, queries=50)
    assert len(found) == 2 * 2 * 2 * 4
    assert all(0 <= entry["qwe_mean"] < 2 for entry in found)
    assert any(entry["qwe_mean"] > 0.005 for entry in found)
    assert "no such algorithm" in capsys.readouterr().err
    assert queries.table_of(found).count("\n") == 2 + 8
    assert queries.picture(found)["data"]["values"] == found


def test_the_timing_of_many_queries():
    speed = queries.ten_thousand(rows=20_000, turns=1)
    assert speed["groups"] == 2500 and speed["seconds"] > 0 and speed["times_group_by"] > 0
    assert 0 < speed["qwe_median"] < 1
