"""Runs in processes of their own: what they say, what they cost, what they leave behind."""

import json
import stat

import polars as pl
import pytest

import voile
from tests.comparing.people import DISEASES, table
from voile.comparing.children import Children
from voile.comparing.comparison import Comparison, _about, usual_measures
from voile.comparing.one_run import outcome_of, warmed
from voile.comparing.plan import Run
from voile.comparing.recommending import recommendations
from voile.errors import InputError, OutputError, ParameterError
from voile.reporting.comparison_page import comparison_page

QUICK = "qwe_mean[queries=20]"


def outcomes(runs, subject=None):
    """The same as in a child, in this process."""
    subject = subject or table()
    return [(run, outcome_of(subject, run.algorithm, dict(run.parameters), QUICK)) for run in runs]


def test_a_run_says_all_that_is_asked_of_it():
    release = voile.anonymize(table(), "elig", l=3, measure=QUICK)
    found = outcome_of(table(), "elig", {"l": "3"}, QUICK)
    assert found["kept"] and found["rung"] == "release" and found["promise"] == "unique_distinct_l_diversity"
    assert found["achieved_k"] == found["achieved_l"] == found["achieved"] == 3
    assert found["achieved_tau"] == pytest.approx(1 / 3, abs=1e-4)
    utility = release.certificate["utility"]
    assert {name: found[name] for name in utility} == utility
    assert found[QUICK] == release.private_record["measured"][QUICK]
    graded = {f"attack_{f['attack']}": f["rate"] for f in release.private_record["attacks"]}
    assert graded and {name: found[name] for name in graded} == graded
    assert found["rows"] == 60 and found["suppressed_rows"] == 0 == found["counterfeits"]
    assert found["seconds"] > 0 and found["cpu_seconds"] > 0 and found["peak_mb"] > 1
    json.dumps(found, allow_nan=False)


def test_a_run_that_cannot_be_is_a_reason_not_a_crash():
    found = outcome_of(table(), "elig", {"l": "9"}, "")
    assert found["why"] == "infeasible" and "l = 4 is the largest possible" in found["refusal"]
    refused = outcome_of(table(), "sweep", {"tau": "0.01", "l": "2"}, "")
    assert "kept" not in refused and refused["refusal"]


def test_after_a_warm_up_nothing_is_left_to_compile():
    """Also where a sample of rows would not allow what the table allows."""
    warmed(table(), "rda", {"l": "4"})
    assert not warmed(table(), "rda", {"l": "4"})


def test_suppressed_rows_and_counterfeits_are_counted():
    subject = table(61, values=2)
    found = outcome_of(subject, "elig", {"l": "2", "ineligible": "suppress"}, "")
    release = voile.anonymize(subject, "elig", l=2, ineligible="suppress")
    assert found["suppressed_rows"] == release.certificate["table"]["suppressed"] > 0
    series = outcome_of(table(), "m_invariant", {"m": "4"}, "")
    assert series["rows"] == 60 - series["suppressed_rows"] + series["counterfeits"]


def test_the_frame_has_a_line_per_run():
    runs = [Run("elig", (("l", "2"),)), Run("elig", (("l", "9"),)), Run("sweep_e", (("tau", "1/2"), ("l", "2")))]
    found = outcomes(runs)
    frame = Comparison(tuple(found), (QUICK,), recommendations(table(), results=found), {}).frame
    assert frame["algorithm"].to_list() == ["elig", "elig", "sweep_e"]
    assert frame["l"].to_list() == [2, 9, 2] and frame["tau"].to_list() == [None, None, "1/2"]
    assert frame["kept"].to_list() == [True, None, True]
    assert frame["refusal"].is_null().to_list() == [True, False, True]
    assert frame["gcp_leaves"].dtype == frame[QUICK].dtype == pl.Float64


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"jobs": 0}, ParameterError),
        ({"limit": 0}, ParameterError),
        ({"measure": "beauty"}, ParameterError),
        ({"k": 3}, ParameterError),
    ],
)
def test_refused_before_a_child_starts(wrong, error):
    with pytest.raises(error):
        voile.compare(table(), ["elig"], l=2, **wrong)


def test_a_frame_is_not_a_table():
    with pytest.raises(InputError):
        voile.compare(pl.DataFrame({"a": [1]}), ["elig"], l=2)


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(OutputError):
        voile.compare(table(), ["elig"], l=2, folder=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


@pytest.mark.slow
def test_from_table_to_folder(tmp_path):
    shares = []
    found = voile.compare(
        table(),
        ["elig", "rda"],
        l=[2, 9],
        measure=QUICK,
        folder=tmp_path / "out",
        report=lambda stage, share: shares.append((stage, share)),
    )
    expected = dict(outcomes([Run("elig", (("l", "2"),))]))
    told = dict(found.runs)
    for run, outcome in expected.items():  # elig draws nothing: a child says the same
        timeless = {n: v for n, v in outcome.items() if n not in ("seconds", "cpu_seconds", "peak_mb")}
        assert {name: told[run][name] for name in timeless} == timeless
    assert [outcome.get("why") for _, outcome in found.runs] == [None, "infeasible", None, "infeasible"]
    assert [share for stage, share in shares if stage == "comparing"] == [0, 0.25, 0.5, 0.75, 1]
    folder = tmp_path / "out"
    assert sorted(p.name for p in folder.iterdir()) == ["comparison.csv", "comparison.json", "index.html"]
    assert list(tmp_path.iterdir()) == [folder], "no staging, no table, no list of finished runs"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in folder.iterdir())
    assert pl.read_csv(folder / "comparison.csv").height == 4
    document = json.loads((folder / "comparison.json").read_text())
    assert "never publish" in document["note"] and len(document["runs"]) == 4
    said = " ".join(p.read_text() for p in folder.iterdir())
    assert not any(value in said for value in DISEASES)


@pytest.mark.slow
def test_by_default_counts_and_learning_are_measured(monkeypatch):
    """The latter where it is possible and does not take long; otherwise it says how to have it."""
    pytest.importorskip("sklearn", reason="no scikit-learn: pip install 'voile[ml]'")
    usual = "qwe_mean, qwe_median"
    assert usual_measures(table()) == (f"{usual}, classification", "")
    monkeypatch.setattr("voile.comparing.comparison.MOST_LEARNT", 59)
    measured, why = usual_measures(table())
    assert measured == usual and "more than 59 rows" in why and '--measure "qwe_mean' in why
    monkeypatch.setattr("voile.comparing.comparison.can_learn", lambda: False)
    measured, why = usual_measures(table())
    assert measured == usual and "voile[ml]" in why


@pytest.mark.slow
def test_without_a_word_the_classification_ratio_is_a_column():
    pytest.importorskip("sklearn", reason="no scikit-learn: pip install 'voile[ml]'")
    found = voile.compare(table(), ["elig"], l=2, jobs=1)
    assert found.measures[-1] == "classification" and 0 < found.frame["classification"][0] < 2
    assert "classification accuracy ratio" in comparison_page(found.document())


def test_what_is_not_measured_is_said_on_the_page():
    found = Comparison((), (), recommendations(table()), _about(table(), 1), "classification is not measured: why")
    assert "Classification is not measured: why." in comparison_page(found.document())


@pytest.fixture
def children(tmp_path):
    with Children(table(), tmp_path, jobs=2, measure="", limit=0.2) as running:
        yield running


@pytest.mark.slow
def test_a_run_that_takes_too_long_is_given_up(children, tmp_path):
    """No child starts within 0.2 seconds; the table has no name that could stay behind."""
    ((_, outcome),) = children.outcomes([Run("elig", (("l", "2"),))])
    assert outcome["why"] == "failed" and "given up" in outcome["refusal"]
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_table_is_a_refusal(tmp_path):
    with pytest.raises(OutputError):
        Children(table(), tmp_path / "gone", jobs=1, measure="", limit=None)


@pytest.mark.slow
def test_children_beside_each_other_read_the_same_table(tmp_path):
    runs = [Run("elig", (("l", ell),)) for ell in "234"]
    with Children(table(), None, jobs=3, measure="", limit=None) as running:
        found = dict(running.outcomes(runs))
    assert [found[run]["achieved_l"] for run in runs] == [2, 3, 4]


@pytest.mark.slow
def test_a_child_that_dies_is_a_line_not_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr("voile.comparing.children._CHILD", "nothing.at.all")
    with Children(table(), tmp_path, jobs=1, measure="", limit=None) as running:
        ((_, outcome),) = running.outcomes([Run("elig", (("l", "2"),))])
    assert outcome["why"] == "failed" and "please report it" in outcome["refusal"]
