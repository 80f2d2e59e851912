"""What a user types for a cluster: refusals that need none, one real run, and tools that read what it wrote."""

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

import voile
from tests.command_line import SPEC, clinic
from voile import catalog
from voile.cli.main import run
from voile.core.schema import GROUP
from voile.spark import plans, writing
from voile.spark.session import asked
from voile.writing import sha256_of

QUERIES = (
    "age between 25 and 41 and disease = 'flu'",
    "zip = '01***' and sex = 'f'",
    "disease in ('gout', 'HIV') and age >= 30",
)
LOCAL = ["--engine", "spark", "--master", "local[2]", "--spark-conf", "spark.sql.shuffle.partitions=2"]


def said(capsys, *arguments):
    """Exit code and JSON document of a command, run here."""
    code = run([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


# --- without a cluster ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "option", [["--also", "k>=3"], ["--measure", "qwe_mean"], ["--prices"], ["--insecure-seed", "0"], ["--report"]]
)
def test_what_a_cluster_does_not_do_is_refused_before_it_starts(tmp_path, capsys, monkeypatch, option):
    monkeypatch.setenv("PATH", "")  # no Java: whoever asks for a session is refused otherwise
    monkeypatch.delenv("JAVA_HOME", raising=False)
    table, spec = clinic(tmp_path)
    command = ["anonymize", table, "-s", spec, "-a", "rda", "-p", "l=3", "-o", tmp_path / "out", *LOCAL]
    code, refusal = said(capsys, *command, *option)
    assert code == 2 and refusal["error"]["what"] == f"{option[0]} is not for a cluster"
    code, refusal = said(capsys, *command)  # the control gets as far as asking for Java
    assert code == 2 and refusal["error"]["what"] == "needs Java"
    assert "voile[spark]" in refusal["error"]["remedy"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("key", ["bsgi", "k_jump"])
def test_algorithms_that_are_not_spread_are_refused_with_the_reason(tmp_path, capsys, monkeypatch, key):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    table, spec = clinic(tmp_path)
    out = tmp_path / "out"
    code, refusal = said(capsys, "anonymize", table, "-s", spec, "-a", key, "-p", "l=2", "-o", out, *LOCAL)
    assert code == 2 and refusal["error"]["rule"] == plans.REFUSED[key]


def test_options_of_an_engine_need_one(tmp_path, capsys):
    table, spec = clinic(tmp_path)
    code, refusal = said(capsys, "audit", table, "-s", spec, "--master", "local[2]")
    assert code == 2 and "--engine spark" in refusal["error"]["what"]
    code, refusal = said(capsys, "audit", table, "-s", spec, *LOCAL, "--spark-conf", "memory")
    assert code == 2 and "KEY=VALUE" in refusal["error"]["what"]
    code, refusal = said(capsys, "audit", table, "-s", spec, *LOCAL, "--known", table)
    assert code == 2 and refusal["error"]["what"] == "--known is not for a cluster"


@pytest.mark.slow
def test_a_release_in_one_file_is_not_counted_on_a_cluster(tmp_path, capsys):
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "rda", tmp_path / "out", l=3)
    code, refusal = said(capsys, "estimate", tmp_path / "out", QUERIES[0], "-s", spec, *LOCAL)
    assert code == 2 and refusal["error"]["what"] == "not a release in parts"


def test_every_algorithm_says_whether_it_runs_on_a_cluster(capsys):
    code, found = said(capsys, "algorithms")
    told = {card["algorithm"]: card["on a cluster"] for card in found["algorithms"]}
    assert code == 0 and set(told) == set(catalog.algorithms())
    page = (Path(__file__).parents[2] / "docs" / "spark.md").read_text(encoding="utf-8")
    for key, words in told.items():
        assert f"| `{key}` | {words} |" in page, f"docs/spark.md lacks: | `{key}` | {words} |"
    assert set(plans.PLANS).isdisjoint(plans.REFUSED)


# --- parts, read by the local tools --------------------------------------------------------------


@pytest.fixture(scope="module", params=["csv", "parquet"])
def in_parts(request, tmp_path_factory):
    """A local release, and the same rows in three parts with digests of these."""
    folder, format = tmp_path_factory.mktemp("parts"), request.param
    table, spec = clinic(folder, rows=300)
    voile.publish(table, spec, "rda", folder / "whole", format=format, l=3)
    shutil.copytree(folder / "whole", folder / "spread")
    spread, name = folder / "spread", f"data.{format}"
    read = (lambda p: pl.read_csv(p, infer_schema=False)) if format == "csv" else pl.read_parquet
    frame = read(spread / name)
    number = frame[GROUP].cast(pl.Int64)
    (spread / name).unlink()
    (spread / "data").mkdir()
    last = int(number.max())
    files = {}
    for i, (low, high) in enumerate([(0, last // 3), (last // 3 + 1, last // 2), (last // 2 + 1, last)]):
        part = frame.filter(number.is_between(low, high))
        path = spread / "data" / f"part-{i:05d}.{format}"
        part.write_csv(path) if format == "csv" else part.write_parquet(path)
        files[f"data/{path.name}"] = sha256_of(path)
    certificate = json.loads((spread / "certificate.json").read_text())
    (spread / "certificate.json").write_text(json.dumps(certificate | {"files": files}))
    return folder, spec


def test_parts_are_audited_as_the_whole(in_parts):
    folder, spec = in_parts
    whole, spread = (voile.audit(folder / name, spec, "l>=3") for name in ("whole", "spread"))
    assert whole.ok and spread.ok and spread.digest_matches
    assert whole.document() == spread.document()
    assert voile.audit(folder / "spread" / "data", spec).document()["digest_matches"]


def test_a_part_that_was_changed_added_or_lost_is_noticed(in_parts, tmp_path):
    folder, spec = in_parts
    for change in ("added", "lost", "changed", "none"):
        place = tmp_path / change
        shutil.copytree(folder / "spread", place)
        first, *_, last = sorted((place / "data").iterdir())
        if change == "added":
            shutil.copy(first, first.with_name(f"part-00009{first.suffix}"))
        elif change == "lost":
            last.unlink()
        elif change == "changed":
            shutil.copy(first, last)
        assert voile.audit(place, spec).digest_matches == (change == "none"), change


@pytest.mark.parametrize("query", QUERIES)
def test_parts_are_counted_as_the_whole(in_parts, query):
    folder, spec = in_parts
    assert voile.estimate(folder / "whole", query, spec) == voile.estimate(folder / "spread", query, spec)


def test_sums_of_parts_are_those_of_the_whole(in_parts):
    """What a cluster adds up: labels of all parts first, then a sum for each."""
    from voile.core.schema import FileOptions, Schema
    from voile.estimating import Described
    from voile.intake.part_files import parts_of, suffix_of
    from voile.intake.spec_file import schema_of
    from voile.intake.table_reader import read_frame
    from voile.querying.estimated_sums import Meaning, PublishedRows, Sums, sums_of
    from voile.querying.query_text import parse_query
    from voile.release_files import locate

    folder, spec = in_parts
    data, certificate, _ = locate(folder / "spread")
    parts = [PublishedRows(read_frame(p, Schema((), FileOptions())), {}) for p in parts_of(data)]
    for query in QUERIES:
        described = Described.of(schema_of(spec), certificate, parts[0].names)
        meanings = {
            name: Meaning.of(
                described.columns[name],
                pl.concat([part.labels(name) for part in parts]).unique(),
                mine,
                suffix_of(data) == ".csv",
            )
            for name, mine in described.asked(parse_query(query)).items()
        }
        found = described.concluded(Sums.together(sums_of(part, meanings) for part in parts), meanings)
        local = voile.estimate(folder / "whole", query, spec)
        assert (found.at_least, found.at_most, found.rows) == (local.at_least, local.at_most, local.rows)
        assert found.count == pytest.approx(local.count)


def test_the_report_of_parts_is_made(in_parts, tmp_path):
    folder, spec = in_parts
    page, audit = voile.report(folder / "spread", spec, tmp_path / "page.html")
    assert audit.ok and page.stat().st_size > 10_000


# --- a real run ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """What `voile anonymize --engine spark` said and wrote, of a folder of two CSV files, in several parts."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("cluster")
    table, spec = clinic(folder, rows=600, spec=SPEC)
    lines = table.read_text().splitlines(keepends=True)
    (folder / "source").mkdir()
    for i, rows in enumerate((lines[1:301], lines[301:])):
        (folder / "source" / f"{i}.csv").write_text("".join([lines[0], *rows]))
    out, told = folder / "out", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(told):
        patch.setattr(writing, "PART_ROWS", 200)
        command = ["anonymize", folder / "source", "-s", spec, "-a", "rda", "-p", "l=3", "-o", out, *LOCAL]
        code = run([*map(str, command), "--json"])
    return code, told.getvalue(), out, spec


@pytest.mark.slow
def test_a_release_by_a_cluster_is_like_a_local_one(released, capsys):
    code, told, out, spec = released
    assert code == 0, told
    document = json.loads(told)
    certificate = document["certificate"]
    assert certificate == json.loads((out / "certificate.json").read_text()) and document["folder"] == str(out)
    assert len(certificate["files"]) > 1 and all(re.match("data/part-", name) for name in certificate["files"])
    code, local = said(capsys, "audit", out, "-s", spec, "--require", "l>=3", "--against", "algorithm")
    assert code == 0 and local["digest_matches"] and local["rows"] == 600
    code, spread = said(capsys, "audit", out, "-s", spec, "--require", "l>=3", "--against", "algorithm", *LOCAL)
    assert code == 0 and spread["achieved"] == local["achieved"] and spread["rows"] == 600
    assert spread["digest_matches"]


@pytest.mark.slow
@pytest.mark.parametrize("query", [QUERIES[0], pytest.param(QUERIES[1], marks=pytest.mark.nightly)])
def test_a_cluster_counts_as_one_machine_does(released, capsys, query):
    _, _, out, spec = released
    local, spread = (said(capsys, "estimate", out, query, "-s", spec, *more)[1] for more in ([], LOCAL))
    assert local["ok"] and local["at_most"] > 0
    for exact in ("at_least", "at_most", "rows", "note"):
        assert spread[exact] == local[exact]
    for figure in ("count", "standard_error", "low", "high"):
        assert spread[figure] == pytest.approx(local[figure])


def test_a_job_that_cannot_run_says_nothing_of_the_cluster():
    with pytest.raises(voile.VoileError) as refusal:
        asked("counting", lambda: 1 // int("0"))
    assert "division" not in str(refusal.value) and refusal.value.__context__ is None
    assert asked("counting", lambda: 1) == 1
