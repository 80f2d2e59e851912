"""`voile compare` as a steward types it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.command_line import clinic, left_behind, voile
from voile.cli.main import run

slow = pytest.mark.slow  # a process per run


TYPED = ["compare", "t.csv", "-s", "s.toml", "-o", "out"]


def compare(folder, *more, **options):
    return voile(*TYPED, *more, cwd=folder, **options)


@slow
def test_runs_answers_and_a_spec_that_works(tmp_path):
    clinic(tmp_path)
    done = compare(tmp_path, "-a", "elig,rda", "-p", "elig.l=3", "-p", "rda.l=9", "--measure", "dm", "--recommend")
    assert done.code == 0, done.err
    assert "elig l=3" in done.out and "infeasible" in done.out and "never publish" in done.out
    assert left_behind(tmp_path) == ["out"]
    spec = tmp_path / "out" / "recommended.toml"
    assert 'hierarchy = "../zip.csv"' in spec.read_text()
    command = next(line for line in spec.read_text().splitlines() if "voile anonymize" in line)
    again = voile(*command.lstrip("# ").split()[1:], cwd=tmp_path)
    assert again.code == 0, again.err


@slow
def test_json_and_the_exit_code(tmp_path):
    clinic(tmp_path)
    done = compare(tmp_path, "-a", "elig", "-p", "l=9", "--measure", "", "--json")
    document = json.loads(done.out)
    assert done.code == 1 and document["runs"][0]["why"] == "infeasible"


@pytest.mark.parametrize("reader", ["algorithm", "release"])
def test_a_recommendation_without_a_run(tmp_path, reader, monkeypatch, capsys):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run([*TYPED, "--recommend", "--adversary", reader, "-p", "l=3"]) == 0
    said = capsys.readouterr().out
    assert {"algorithm": "-a glass", "release": "-a elig"}[reader] in said and "eligible" in said
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["recommended.toml"]


def test_a_spec_that_cannot_be_moved_stays_the_one_to_use(tmp_path, monkeypatch, capsys):
    """A hierarchy named in three quotes is not renamed: the copy would not find it."""
    _, spec = clinic(tmp_path)
    spec.write_text(spec.read_text().replace('"zip.csv"', "'''zip.csv'''"))
    monkeypatch.chdir(tmp_path)
    assert run([*TYPED, "--recommend", "-p", "l=3"]) == 0
    command = next(
        line for line in (tmp_path / "out" / "recommended.toml").read_text().splitlines() if "-a glass" in line
    )
    assert "-s s.toml " in command
    assert run(command.lstrip("# ").split()[1:]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["-a", "elig"],
        ["-a", "elig", "-p", "l"],
        ["-a", "nothing", "-p", "l=2"],
        ["-a", "elig", "-p", "l=2", "--measure", "beauty"],
        ["-a", "elig", "-p", "l=\u00b2"],
        ["--recommend", "-p", "refine=0"],
        ["--recommend", "-p", "l=2..3,l=4"],
    ],
)
def test_bad_usage(tmp_path, wrong, monkeypatch, capsys):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run([*TYPED, *wrong]) == 2
    assert "defect" not in capsys.readouterr().err
    assert left_behind(tmp_path) == []


def finished(folder):
    state = folder / ".out.voile-runs"
    return [json.loads(line) for line in state.read_text().splitlines()[1:] if line] if state.exists() else []


@slow
def test_interrupted_and_taken_up_again(tmp_path):
    clinic(tmp_path)
    arguments = ["-a", "elig", "-p", "l=2..4", "--measure", "", "--jobs", "1"]
    command = [sys.executable, "-c", "from voile.cli.main import main; main()"]
    command += [*TYPED, *arguments]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 120
    while not finished(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    offspring = _children_of(running.pid)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 130 and b"Traceback" not in said
    assert b"kept in .out.voile-runs" in said and b"delete that file" in said
    assert left_behind(tmp_path) == [".out.voile-runs"]
    assert not any(_alive(child) for child in offspring)
    before = finished(tmp_path)
    assert 1 <= len(before) < 3
    assert compare(tmp_path, *arguments).code == 0
    assert left_behind(tmp_path) == ["out"]
    after = json.loads((tmp_path / "out" / "comparison.json").read_text())["runs"]
    kept = [(run["seconds"], run["cpu_seconds"]) for run in after]
    assert len(after) == 3 and all((r["outcome"]["seconds"], r["outcome"]["cpu_seconds"]) in kept for r in before)


def _children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def _alive(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
