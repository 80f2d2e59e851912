"""Releases by a real Spark, from file to audit: Anatomy in two tables of several parts, and m-invariance."""

import shutil

import numpy as np
import polars as pl
import pytest

from voile.auditing import audit_frame
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.errors import InputError
from voile.output.staging import Staging
from voile.spark import writing
from voile.spark.auditing import audit_on_cluster
from voile.spark.publishing import prepared, run, silent

pytestmark = pytest.mark.slow
SCHEMA = Schema(
    (
        ColumnSpec("age", Role.QUASI_IDENTIFYING, Type.INTEGER),
        ColumnSpec("gender", Role.QUASI_IDENTIFYING, Type.CATEGORY),
        ColumnSpec("disease", Role.SENSITIVE, Type.CATEGORY),
    )
)
ROWS = 2000


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    draws = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": draws.integers(20, 90, ROWS),
            "gender": draws.choice(["f", "m"], ROWS),
            "disease": draws.choice(["=flu", "gout", "ulcer", "asthma", "cough"], ROWS),
        }
    )
    path = tmp_path_factory.mktemp("source") / "patients.parquet"
    frame.write_parquet(path)
    return path


def published(spark, source, folder, algorithm, format="parquet", **parameters):
    with Staging(folder) as staging:
        task = prepared(SCHEMA, algorithm, None, False, parameters)
        return run(spark, source, SCHEMA, task, staging, format, 300, silent)[1]


def parts(folder):
    read = pl.read_csv if any(folder.glob("*.csv")) else pl.read_parquet
    return [read(path) for path in sorted(folder.iterdir())]


@pytest.mark.parametrize("format", ["parquet", pytest.param("csv", marks=pytest.mark.nightly)])
def test_anatomy(spark, source, tmp_path, monkeypatch, format):
    """Both tables in several parts; the cluster's audit says what the local one says of all parts together;
    tables that are not of the same rows are refused."""
    monkeypatch.setattr(writing, "PART_ROWS", 700)
    out = tmp_path / "out"
    report = published(spark, source, out, "anatomy", format, l=4)
    assert report.ok
    assert report.in_two_tables
    rows, values = pl.concat(parts(out / "data")), pl.concat(parts(out / "sensitive"))
    assert len(parts(out / "data")) == len(parts(out / "sensitive")) == 3
    assert values["group"].is_sorted()
    truth = pl.read_parquet(source)
    assert rows.drop("group").equals(truth.select("age", "gender").sort("age", "gender"))
    local = audit_frame(rows, SCHEMA, sensitive=values)
    assert {k: v.shown() for k, v in local.achieved.items()} == {k: v.shown() for k, v in report.achieved.items()}
    assert local.bags.alike.sizes.tolist() == report.bags.alike.sizes.tolist()
    assert (local.rows, local.groups) == (report.rows, report.groups) == (ROWS, ROWS // 4)

    data = sorted((out / "data").iterdir())[0]
    shutil.copy(data, tmp_path / "kept")
    write = pl.DataFrame.write_csv if format == "csv" else pl.DataFrame.write_parquet
    write(parts(out / "data")[0].reverse(), data)
    assert "digest" in " ".join(audit_on_cluster(spark, out, SCHEMA).failures)
    write(parts(out / "data")[0][1:], data)
    with pytest.raises(InputError, match="do not add up"):
        audit_on_cluster(spark, out, SCHEMA)
    shutil.copy(tmp_path / "kept", data)
    assert audit_on_cluster(spark, out, SCHEMA).ok


def test_m_invariance(spark, source, tmp_path):
    """Buckets are larger than a cell of 300 rows."""
    report = published(spark, source, tmp_path / "out", "m_invariant", m=3)
    assert report.ok
    assert report.rows == ROWS
    assert report.achieved["m_uniqueness"].achieved >= 3
    (frame,) = parts(tmp_path / "out" / "data")
    assert frame["disease"].sort().equals(pl.read_parquet(source)["disease"].sort())
