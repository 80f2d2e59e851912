"""What an interrupted comparison keeps, and when it must not be believed."""

import json
import os
import stat

import pytest

from tests.comparing.people import DISEASES, table
from voile.comparing.comparison import Comparison
from voile.comparing.finished_runs import FinishedRuns
from voile.comparing.one_run import outcome_of
from voile.comparing.plan import Run
from voile.comparing.recommending import recommendations
from voile.errors import OutputError

RUN = Run("elig", (("l", "2"),))
OTHER = Run("elig", (("l", "3"),))


def kept(folder, subject=None, measure="dm"):
    with FinishedRuns(folder / "out", subject or table(), measure) as finished:
        return dict(finished.known)


def keep(folder, *runs):
    with FinishedRuns(folder / "out", table(), "dm") as finished:
        for run in runs:
            finished.add(run, {"kept": True, "dm": 3.5})
    return finished.path


def test_finished_runs_are_found_again(tmp_path):
    keep(tmp_path, RUN)
    keep(tmp_path, OTHER)
    assert kept(tmp_path) == {RUN: {"kept": True, "dm": 3.5}, OTHER: {"kept": True, "dm": 3.5}}


@pytest.mark.parametrize("change", ["table", "measure", "code"])
def test_anything_else_begins_anew(tmp_path, change, monkeypatch):
    keep(tmp_path, RUN)
    if change == "code":
        monkeypatch.setattr("voile.comparing.finished_runs._code", lambda: "other sources")
    assert kept(tmp_path, table(59) if change == "table" else None, "um" if change == "measure" else "dm") == {}
    monkeypatch.undo()
    assert kept(tmp_path) == {}, "nothing of the former one is left"


def test_half_a_line_is_none(tmp_path):
    path = keep(tmp_path, RUN, OTHER)
    path.write_bytes(path.read_bytes()[:-9])
    assert list(kept(tmp_path)) == [RUN]
    keep(tmp_path, OTHER)
    assert list(kept(tmp_path)) == [RUN, OTHER]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"algorithm": "elig", "parameters": []}',
        '{"algorithm": "elig", "parameters": 3, "outcome": {"kept": true}}',
        '{"algorithm": "elig", "parameters": [["l"]], "outcome": {"kept": true}}',
        '{"algorithm": "elig", "parameters": [["l", [2]]], "outcome": {"kept": true}}',
        '{"algorithm": "elig", "parameters": [["l", "2"]], "outcome": {}}',
    ],
)
def test_a_line_that_is_no_run_is_skipped(tmp_path, line):
    path = keep(tmp_path, OTHER)
    path.write_text(path.read_text() + line + "\n")
    assert list(kept(tmp_path)) == [OTHER]


def test_a_file_of_rubbish_begins_anew(tmp_path):
    path = keep(tmp_path, RUN)
    path.write_bytes(b"\xff\x00 rubbish\n[1]\n")
    assert kept(tmp_path) == {}


def test_what_failed_is_tried_again(tmp_path):
    with FinishedRuns(tmp_path / "out", table(), "dm") as finished:
        finished.add(RUN, {"refusal": "not enough memory", "why": "failed"})
        finished.add(OTHER, {"refusal": "too frequent", "why": "infeasible"})
    assert list(kept(tmp_path)) == [OTHER]


def test_it_is_private_and_never_a_link(tmp_path):
    path = keep(tmp_path, RUN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    (tmp_path / "elsewhere").write_text("precious")
    os.symlink(tmp_path / "elsewhere", path)
    with pytest.raises(OutputError):
        keep(tmp_path, RUN)
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_one_comparison_at_a_time(tmp_path):
    with FinishedRuns(tmp_path / "out", table(), "dm"), pytest.raises(OutputError):
        keep(tmp_path, RUN)


def test_it_holds_what_the_folder_will_hold_and_no_value(tmp_path):
    """Figures, refusals, and a digest to recognise them by."""
    runs = [
        RUN,
        Run("elig", (("l", "9"),)),
        Run("rda", (("l", "4"),)),
        Run("sweep", (("tau", "1/100"), ("l", "2"))),
    ]
    found = [
        (run, outcome_of(table(), run.algorithm, dict(run.parameters), "qwe_mean[queries=20]")) for run in runs
    ]
    with FinishedRuns(tmp_path / "out", table(), "dm") as finished:
        for run, outcome in found:
            finished.add(run, outcome)
    header, *lines = map(json.loads, finished.path.read_text().splitlines())
    assert set(header) == {"salt", "digest"}
    listed = Comparison(tuple(found), (), recommendations(table()), {}).document()["runs"]
    flat = [{"algorithm": x["algorithm"], "parameters": dict(x["parameters"]), **x["outcome"]} for x in lines]
    assert flat == json.loads(json.dumps(listed))
    assert not any(value in finished.path.read_text() for value in DISEASES)


def test_two_digests_of_one_table_have_nothing_in_common(tmp_path):
    headers = []
    for name in "ab":
        (tmp_path / name).mkdir()
        headers.append(json.loads(keep(tmp_path / name, RUN).read_text().splitlines()[0]))
    assert headers[0]["digest"] != headers[1]["digest"]


def test_nothing_stays_where_nothing_was_finished(tmp_path):
    keep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_forgotten_when_all_is_done(tmp_path):
    with FinishedRuns(tmp_path / "out", table(), "dm") as finished:
        finished.add(RUN, {"kept": True})
        finished.forget()
    assert list(tmp_path.iterdir()) == []
