"""The data dictionary is true of every kind of release: what a row and a cell stand for, and how to count."""

import html
import json
import re
import shlex
import subprocess

import polars as pl
import pytest

import voile
from voile.auditing import audited
from voile.intake.counterfeits import read_counterfeits
from voile.querying.query_text import parse_query
from voile.release_files import plain, read_release
from voile.reporting.columns_shown import columns_shown
from voile.reporting.dictionary import dictionary

JOBS = ["private"] * 14 + ["state", "state", "federal", "self", "self", "none"]
TREE = {"private": "private", "state": "gov", "federal": "gov", "self": "other", "none": "other"}


def explained(folder, spec):
    """The section's text, and the published rows."""
    release = plain(read_release(folder, voile.Schema.of(spec)))
    section = dictionary(columns_shown(release.frame, release.schema), audited(release, []))
    return html.unescape(re.sub(r"<[^>]*>", " ", str(section.content))), release.frame


@pytest.fixture
def jobs(tmp_path):
    lines = "".join(f"{job};{kind};*\n" for job, kind in TREE.items())
    (tmp_path / "job.csv").write_text(lines)
    job = {"role": "sa", "hierarchy": str(tmp_path / "job.csv")}
    spec = {"age": {"role": "qi", "type": "integer"}, "job": job}
    frame = pl.DataFrame({"age": [20 + i * 7 % 40 for i in range(200)], "job": [JOBS[i % 20] for i in range(200)]})
    return frame, spec


def test_broader_terms_of_a_sensitive_column(jobs, tmp_path):
    """SWEEP shows nodes: cells are not values as they are, and count by the weights of the certificate."""
    frame, spec = jobs
    folder = voile.anonymize(voile.read(frame, spec), "sweep", tau="0.5", l=3).write(tmp_path / "out")
    text, rows = explained(folder, spec)
    assert "a broader term for any of several values" in text and "values as they are" not in text
    assert "Sensitive values are as they are" not in text
    assert "the weight of the values under it that the question accepts" in text
    entries = json.loads((folder / "certificate.json").read_text())["table"]["columns"]
    entry = next(entry for entry in entries if "base_values" in entry)
    weights = dict(zip(entry["base_values"], entry["weights"], strict=True))
    below = {label: [v for v in weights if label in (v, TREE[v], "*")] for label in rows["job"].unique()}
    assert any(len(values) > 1 for values in below.values()), "control: something is generalised"
    for asked in weights:
        share = {
            label: sum(weights[v] for v in values if v == asked) / sum(weights[v] for v in values)
            for label, values in below.items()
        }
        by_the_rule = sum(share[label] for label in rows["job"])
        assert voile.estimate(folder, f"job = '{asked}'", spec).count == pytest.approx(by_the_rule)


def test_values_as_they_are_are_said_to_be(jobs, tmp_path):
    """Control: the same table without generalised values."""
    frame, spec = jobs
    folder = voile.anonymize(voile.read(frame, spec), "mondrian", property="k_anonymity", k=4).write(
        tmp_path / "out"
    )
    text, _ = explained(folder, spec)
    assert "values as they are" in text and "Sensitive values are as they are, so they count fully." in text
    assert "One row stands for one row of the source. " in text and "counterfeit" not in text


def test_terms_without_a_certificate(jobs, tmp_path):
    _, spec = jobs
    lines = ["age,job", "20,gov", "20,self", "30,private", "30,gov"]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    text, _ = explained(tmp_path / "p.csv", spec)
    assert "a broader term for any of several values" in text and "certificate" not in text
    assert "how many of the values under it the question accepts" in text
    assert voile.estimate(tmp_path / "p.csv", "job = 'state'", spec).count == pytest.approx(2 / 2)


@pytest.fixture
def series(tmp_path):
    spec = {"id": "subject", "age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    persons = [(f"p{i}", 20 + i * 5 % 31, "abcdef"[i % 6]) for i in range(36)]
    ledger = voile.Series.create(tmp_path / "s.ledger", key=tmp_path / "keys" / "s.key")
    for number, some in enumerate((persons, persons[7:]), 1):
        frame = pl.DataFrame(some, schema=["id", "age", "disease"], orient="row")
        ledger.publish(voile.read(frame, spec), tmp_path / f"r{number}", m=3)
    return spec


def test_counterfeits_stand_for_nobody_and_are_discounted(series, tmp_path):
    folder = tmp_path / "r2"
    fakes = read_counterfeits(folder / "counterfeits.csv")
    text, rows = explained(folder, series)
    assert sum(fakes.values()) > 0, "control: there are some"
    assert f"except for {sum(fakes.values())} counterfeit" in text
    assert "One row stands for one row of the source. " not in text
    assert "the share of the group that stands for somebody" in text
    sizes = dict(rows.group_by("group").len().iter_rows())
    low, high = 25, 40
    by_the_rule = 0.0
    for group, cell in rows.select("group", "age").iter_rows():
        ends = [int(end) for end in re.findall(r"\d+", cell)]
        first, last = ends[0], ends[-1]
        share = max(0, min(last, high) - max(first, low) + 1) / (last - first + 1)
        by_the_rule += share * (1 - fakes.get(int(group), 0) / sizes[group])
    found = voile.estimate(folder, f"age between {low} and {high}", series)
    assert found.count == pytest.approx(by_the_rule)


def test_the_first_release_has_none(series, tmp_path):
    """Control: nothing is said of counterfeits where there are none."""
    text, _ = explained(tmp_path / "r1", series)
    assert "counterfeit" not in text and "One row stands for one row of the source. " in text


HOSTILE = ["$(touch pwned)", "`touch pwned`", 'a" ; touch pwned ; "', "it's", "\\", "!x", 'say "x"', "größe"]


@pytest.mark.parametrize("name", HOSTILE)
def test_the_command_to_copy_runs_nothing_but_voile(name, tmp_path):
    """Whatever a column is called, a shell hands it to voile as it is. Control: the old way runs it."""
    lines = [f'"{name.replace(chr(34), chr(34) * 2)}",disease']
    lines += [f'"[{20 + 10 * i}, {29 + 10 * i}]",{d}' for i in range(2) for d in ("flu", "gout")]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    spec = {name: {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    release = read_release(tmp_path / "p.csv", voile.Schema.of(spec))
    section = dictionary(columns_shown(release.frame, release.schema), audited(release, []))
    command = html.unescape(re.search(r"voile estimate FOLDER .*? -s SPEC", str(section.content), re.S)[0])
    script = f"voile() {{ printf '%s\\0' \"$@\"; }}; {command}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not (tmp_path / "pwned").exists()
    words = done.stdout.split("\0")[:-1]
    assert words == shlex.split(command)[1:] and len(words) == 5
    assert parse_query(words[2])[0].column == name


def test_a_shell_would_run_what_is_not_quoted(tmp_path):
    """The control of the test above."""
    subprocess.run(["sh", "-c", 'true "$(touch pwned)"'], cwd=tmp_path, check=True)
    assert (tmp_path / "pwned").exists()
