"""Peers: how releases are judged, failures reported, and that pages say what was measured."""

import json
import signal
import sys

import polars as pl
import pytest

from benchmarks.peers import environment, page
from benchmarks.peers.judging import around, cell_losses, judged, set_loss

RESULTS = page.HERE / "results.json"


def found():
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def test_sets_are_charged_by_their_values():
    assert set_loss("age", "['17-90']", 74) == 1
    assert set_loss("age", "30", 74) == set_loss("race", "White", 5) == 0
    assert set_loss("race", "Black,White", 5) == 0.25


def test_or_by_the_lowest_node_above_them():
    levels = [{"a": "a", "b": "b", "c": "c"}, {"a": "x", "b": "x", "c": "y"}, dict.fromkeys("abc", "*")]
    assert [around(cell, levels) for cell in ("['a']", "['a,b']", "b,c")] == ["a", "x", "*"]


@pytest.mark.parametrize("ell", [3, 5])
def test_which_charge_decides_who_loses_least_at_distinct_l(ell):
    """docs/comparison.md says so of both."""
    tools = {row["tool"]: row for row in page.of_task(found(), "distinct", ell)}
    ours, theirs = tools["voile mondrian"], tools["anonypy"]
    assert theirs["gcp_minus1"] < ours["gcp_minus1"]
    assert theirs["gcp_as_nodes"] > ours["gcp_as_nodes"]


def test_a_release_is_judged_by_what_it_publishes():
    """Two rows of three, one node in one column: a third of all is lost, and what the node hides."""
    row = {
        "age": "30",
        "education": "Bachelors",
        "marital-status": "Divorced",
        "race": "*",
        "sex": "Male",
        "native-country": "Cuba",
    }
    frame = pl.DataFrame([{**row, "occupation": "Sales"}, {**row, "occupation": "Tech-support"}])
    got = judged("anjana", frame, 3, cell_losses())
    assert got["k"] == got["distinct_l"] == got["frequency_l"] == 2
    assert got["suppressed"] == pytest.approx(1 / 3)
    assert got["gcp_minus1"] == pytest.approx((6 + 2) / 18)


def test_a_failure_is_told_by_its_kind():
    rows = [{"tool": "crowds", "version": "0.0.1", "promise": "distinct", "l": 3, "error": "KeyError"}]
    assert "| crowds 0.0.1 | failed: KeyError |" in page.task_table(rows, "distinct")


def test_only_the_limit_is_called_a_limit():
    """A child that somebody else ended says nothing about the peer."""
    assert environment.why_ended(-signal.SIGXCPU).startswith("more than")
    assert "outside" in environment.why_ended(-signal.SIGKILL)
    assert "outside" in environment.why_ended(-signal.SIGTERM)


@pytest.mark.slow
def test_a_peer_that_dies_is_reported(tmp_path, monkeypatch):
    """A child without a task ends before it writes anything."""
    monkeypatch.setattr(environment, "environment", lambda: sys.executable)
    assert environment.peer_run(tmp_path, "anjana", "distinct", 3) == {"error": "exit code 1"}


def test_pages_say_what_was_measured():
    text = page.tables(found())
    assert text in (page.HERE / "results.md").read_text(encoding="utf-8")
    assert text in page.COMPARISON.read_text(encoding="utf-8")
    assert (page.ROOT / "docs" / "pictures" / "peers.svg").is_file()


@pytest.mark.parametrize("ell", [3, 5])
def test_ours_lose_least_with_nothing_suppressed(ell):
    """The claim of the page, from its figures: at frequency l ours lose less than every peer that keeps it."""
    rows = [row for row in page.of_task(found(), "frequency", ell) if "error" not in row]
    kept = [row for row in rows if row["frequency_l"] >= ell]
    assert rows[0]["tool"].startswith("voile")
    assert rows[0]["suppressed"] == 0
    assert rows[0] in kept
    assert any(not row["tool"].startswith("voile") for row in rows)
