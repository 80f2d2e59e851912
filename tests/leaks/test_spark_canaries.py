"""Cells that pass through a cluster turn up nowhere but in the release: not in logs, scratch files or refusals."""

import subprocess
import sys
import traceback
from datetime import datetime

import polars as pl
import pytest

import voile
from voile.errors import VoileError
from voile.output.staging import Staging
from voile.spark.publishing import prepared, run, silent

pytestmark = pytest.mark.slow
ROWS = 400
NUMBER = 712_345_678_900_000  # and the ones after it: recognised in memory images, too
COLUMNS = {
    "name": "identifying",
    "place": {"role": "qi"},
    "amount": {"role": "qi", "type": "integer"},
    "secret": "sensitive",
}


def tokens(kind):
    return [f"cnry{kind}{i:06d}" for i in range(ROWS)]


def table(**changed):
    amounts = [NUMBER + 7 * i for i in range(ROWS)]
    places = tokens("qi")[: ROWS // 2] * 2
    columns = {"name": tokens("name"), "place": places, "amount": amounts, "secret": tokens("sa")}
    return pl.DataFrame({**columns, **changed})


def written(frame, folder, format="parquet"):
    source = folder / "source"
    source.mkdir()
    for i in range(2):
        part, path = frame.slice(i * ROWS // 2, ROWS // 2), source / f"{i}.{format}"
        part.write_parquet(path) if format == "parquet" else part.write_csv(path)
    return source


def published(spark, source, folder, columns=COLUMNS, report=silent, **parameters):
    with Staging(folder / "out") as staging:
        schema = voile.Schema.of(columns)
        task = prepared(schema, "rda", None, False, {"l": 2, **parameters})
        return run(spark, source, schema, task, staging, "parquet", 150, report)[1]


def hits(folders, words):
    """Files that hold one of the words."""
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                found += [path.name for word in words if word in content]
    return found


def marks():
    """The tokens as bytes, and numbers as they lie in memory."""
    return [
        b"cnryname",
        b"cnryqi",
        b"cnrysa",
        *((NUMBER + 7 * i).to_bytes(8, "little") for i in range(0, ROWS, 20)),
    ]


def test_nothing_is_left_in_logs_and_scratch_files(spark, spark_cluster, tmp_path, capfd):
    seen = []

    def report(stage, share):
        seen.extend(hits([spark_cluster.folder], marks()))  # also while it runs: what is kept is encrypted

    found = published(spark, written(table(), tmp_path), tmp_path, report=report)
    assert found.ok and seen == []
    assert hits([spark_cluster.folder], marks()) == []
    assert hits([tmp_path / "out"], [b"cnryname"]) == []
    assert hits([tmp_path / "out" / "data"], [b"cnrysa"]) != []  # where it belongs: the search works
    said = capfd.readouterr()
    assert "cnry" not in said.out + said.err


BROKEN = {
    "not of its type": ({"amount": tokens("sa")}, COLUMNS),
    "missing": ({"secret": [None, *tokens("sa")[1:]]}, COLUMNS),
    "undeclared": ({}, {k: v for k, v in COLUMNS.items() if k != "place"}),
    "absent": ({}, {**COLUMNS, "ward": "qi"}),
    "one value": ({"secret": ["cnrysa"] * ROWS}, COLUMNS),
    "a star": ({"place": ["*", *tokens("qi")[1:]]}, COLUMNS),
    "a list": ({"place": [[word] for word in tokens("qi")]}, COLUMNS),
    "a time": ({"place": [datetime(2026, 1, 1, 0, 0, i % 60) for i in range(ROWS)]}, COLUMNS),
    "several rows of a person": ({"name": ["cnryname"] * ROWS}, {**COLUMNS, "name": "subject"}),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_refusals_quote_nothing(spark, spark_cluster, tmp_path, capfd, kind):
    changed, columns = BROKEN[kind]
    with pytest.raises(VoileError) as caught:
        published(spark, written(table(**changed), tmp_path), tmp_path, columns)
    nothing_is_told(caught.value, spark_cluster, tmp_path, capfd)


def nothing_is_told(refusal, spark_cluster, folder, capfd):
    text = "".join(traceback.format_exception(refusal))
    said = capfd.readouterr()
    assert "cnry" not in text + said.out + said.err
    assert "defect" not in str(refusal)
    assert hits([spark_cluster.folder], marks()) == []
    assert not (folder / "out").exists() and not list(folder.glob(".voile-staging*"))


def test_a_view_that_fails_on_a_cell(spark, spark_cluster, tmp_path, capfd):
    """Spark's exception quotes the cell, and PySpark would log it."""
    spark.read.parquet(str(written(table(), tmp_path))).createOrReplaceTempView("rows")
    spark.sql("select name, cast(place as int) as place, amount, secret from rows").createOrReplaceTempView("cast")
    with pytest.raises(VoileError) as caught:
        published(spark, "table:cast", tmp_path)
    nothing_is_told(caught.value, spark_cluster, tmp_path, capfd)
    with pytest.raises(Exception, match="cnryqi"):  # the control: this is what Spark says
        spark.table("cast").collect()


def test_csv_that_is_refused(spark, spark_cluster, tmp_path, capfd):
    source = written(table(), tmp_path, "csv")
    with (source / "1.csv").open("a") as file:
        file.write("cnryname,cnryqi\n")
    with pytest.raises(VoileError, match=r"of 1\.csv") as caught:
        published(spark, source, tmp_path)
    nothing_is_told(caught.value, spark_cluster, tmp_path, capfd)


CONTROL = """
import sys
from pathlib import Path
import voile.spark.session as one
from tests.leaks.test_spark_canaries import NUMBER, hits, marks
from pyspark import StorageLevel
folder = Path(sys.argv[1])
if sys.argv[2] == "plain":
    one._SAFE = {**one._SAFE, "spark.io.encryption.enabled": "false"}
with one.session("local[1]") as spark:
    frame = spark.range(NUMBER, NUMBER + 2800, 7, 1)
    frame.localCheckpoint(True, StorageLevel.DISK_ONLY)
    print(len(hits(list(Path(sys.argv[1]).glob("voile-spark-*")), marks())) > 0)
print(list(folder.glob("voile-spark-*")))
"""


@pytest.mark.parametrize("how, seen", [("plain", "True"), ("encrypted", "False")])
def test_the_search_sees_what_is_not_encrypted(tmp_path, how, seen):
    """The control: without encryption numbers are found; and nothing is left when a session ends."""
    pytest.importorskip("pyspark", reason="no PySpark: pip install 'voile[spark]'")
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": ".", "PATH": __import__("os").environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONTROL, str(tmp_path), how],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout.split("\n")[:2] == [seen, "[]"], done.stderr[-500:]


def test_the_secret_of_the_cluster_is_in_no_process_title(spark, spark_cluster):
    import psutil

    titles = [" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    assert any("CoarseGrainedExecutorBackend" in title for title in titles)
    assert not any(spark_cluster.secret in title for title in titles)
    assert spark_cluster.secret not in spark_cluster.log
