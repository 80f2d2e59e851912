"""The tables of the safety benchmarks, a few tiny runs, and what they write."""

import numpy as np
import pytest

from benchmarks import acs_states, safety, safety_facts, safety_pictures, safety_runs, safety_speed, safety_tables
from benchmarks.safety_runs import RIVALS, queries
from tests.twins.acs import ROWS


def entry(name: str, run: str, ell: int, gcp: float, **more: object) -> dict[str, object]:
    """What `repeated` returns, of figures that are given."""
    rest = {
        "gcp_leaves": gcp,
        "gcp_minus1": gcp,
        "suppressed": 0.0,
        "standard_errors": {},
        "facts": 0.5,
        "runs": 5,
    }
    found = {"table": name, "run": run, "safe": RIVALS[run].safe, "l": ell, **rest, **more}
    measures = [key for key, value in found.items() if isinstance(value, float)]
    return {**found, "standard_errors": dict.fromkeys(measures, 0.001)}


@pytest.mark.usefixtures("twins")
def test_columns_of_the_states():
    frame = acs_states.rows()
    assert frame.height == ROWS and frame[acs_states.SENSITIVE].n_unique() == 27
    assert [frame[name].n_unique() for name in acs_states.QUASI] == [79, 24, 51, 2, 224]


@pytest.mark.usefixtures("twins")
@pytest.mark.parametrize("name", safety_tables.TABLES)
def test_every_l_is_possible(name):
    table = safety_tables.table_of(name)
    top = np.bincount(table.sensitive[0].codes).max()
    assert top * max(safety_tables.TABLES[name].ells) <= table.n


@pytest.mark.usefixtures("twins")
def test_runs_stop_when_they_are_steady_and_never_before_five(monkeypatch):
    assert safety_runs.repeated("women", "rda", 2, most=3)["runs"] == 3
    assert safety_runs.repeated("women", "mondrian", 2)["runs"] == 1
    monkeypatch.setattr(safety_runs, "STEADY", 1.0)
    monkeypatch.setattr(safety_runs, "LARGE", 1000)
    found = safety_runs.repeated("women", "glass", 2)
    assert found["runs"] == 5 and found["suppressed"] == 0 and found["standard_errors"]["gcp_leaves"] > 0


@pytest.mark.slow
@pytest.mark.usefixtures("twins")
def test_runs_in_processes_come_back_in_order(monkeypatch):
    monkeypatch.setattr(safety_runs, "ELSEWHERE", ("glass", "blind_cut"))
    entries = safety_runs.all_runs(["women"], most=2, processes=1)
    assert [(e["run"], e["l"]) for e in entries] == [(r, ell) for r in ("glass", "blind_cut") for ell in (2, 3)]


def test_facts_have_a_figure_for_every_l():
    for (name, label), figures in safety_facts.GCP.items():
        assert label in RIVALS and len(figures) == len(safety_tables.TABLES[name].ells)
    for (name, label), figures in safety_facts.SEX.items():
        assert label in safety.QUERIED and set(figures) <= set(safety_tables.TABLES[name].ells)


def test_flags():
    entries = [
        entry("adult7", "glass", 2, 0.52),
        entry("adult7", "symb", 2, 0.51),
        entry("adult7", "elig", 2, 0.9),
    ]
    assert safety.above_facts(entries) == ["glass at l = 2: 1.040 times"], "what is not safe is no promise of ours"
    assert safety.above_symb(entries) == ["l = 2: 1.020 times"]
    assert safety.above_symb([{**e, "gcp_leaves": 0.5} for e in entries]) == []


def test_arx_is_beaten_only_in_both_measures():
    three, five = entry("adult6", "glass", 3, 0.1), entry("adult6", "glass", 5, 0.4, gcp_minus1=0.48)
    assert [row["both below ARX"] for row in safety.beside_arx([three, five])] == ["yes", "**no**"]


def test_tables_and_pictures():
    asked = dict.fromkeys(map(queries, safety_tables.CONDITIONS), 0.25)
    entries = []
    for name, measured in safety_tables.TABLES.items():
        labels = RIVALS if name in safety_tables.TUNED else safety_runs.ELSEWHERE
        for label in labels:
            for ell in measured.ells:
                more = asked if measured.queried else {}
                entries.append(entry(name, label, ell, 0.4, **more))
    errors = safety.errors(entries)
    assert len(errors) == 6 * (6 + 5) * 3
    text = safety.text_of({"most": 20, "seconds": 60, "entries": entries, "errors": errors})
    assert "| glass | marginal | 5 | 0.4000 ±0.0010 (0.80) |" in text and "0.250 ±0.001 (0.432)" in text
    assert "Safe and above the facts by more than 3 %: none." in text
    assert (
        len(safety_pictures.losses(entries)["concat"]) == 3 and len(safety_pictures.errors(errors)["concat"]) == 6
    )


def test_growth_over_n_log_n():
    rows = [{"run": "a", "rows": n, "seconds": n * k, "cpu_seconds": n} for n, k in ((2**10, 10), (2**20, 40))]
    assert [row["to_first"] for row in safety_speed.over_n_log_n(rows)] == [1.0, 2.0]


@pytest.mark.slow
@pytest.mark.usefixtures("twins")
def test_speed_on_a_little(monkeypatch, tmp_path):
    fast = {"match": "fast"}
    monkeypatch.setattr(safety_speed, "WARM", 2000)
    monkeypatch.setattr(safety_speed, "SPEED", [safety_speed.Run("glass, fast", "glass", fast, 3000, 1, 1e9)])
    monkeypatch.setattr(safety_speed, "GROWTH", {"blind_cut": ("blind_cut", {}, (3000,))})
    safety_speed.write_tables(tmp_path)
    found = {"speed": safety_speed.speed(tmp_path), "growth": safety_speed.growth(tmp_path)}
    assert found["speed"][0]["kept"] == "yes" and found["speed"][0]["peak_gb"] > 0
    assert [row["rows"] for row in found["growth"]] == [3000]
    assert "Grouping alone" in safety_speed.text_of(found)
