"""What a cluster reads: the same rows, codes and refusals as from a file on one machine."""

import threading

import numpy as np
import polars as pl
import pytest

import voile
from voile.core.schema import FileOptions
from voile.errors import InputError, ParameterError, SpecError
from voile.spark import source as module
from voile.spark.auditing import audit_on_cluster
from voile.spark.coding import spread_table
from voile.spark.session import session
from voile.spark.source import cells, read_csv_bytes

pytestmark = pytest.mark.slow
DISEASES = ["flu", "gout", "HIV", "ulcer"]


def counts_of(table):
    """How often each value of each column is there, by its label or number."""
    found = {}
    for column in table.columns:
        codes, many = np.unique(column.codes, return_counts=True)
        found[column.name] = dict(zip(_labels(column, codes), many.tolist(), strict=True))
    return found


def _labels(column, codes):
    labels = getattr(column.domain, "labels", None)
    return [labels[code] if labels is not None else code for code in codes.tolist()]


def spread_counts(spread):
    found = {}
    for name, column in zip(spread.layout.names(), spread.layout.columns, strict=True):
        codes, many = spread.tally(lambda batch, name=name: batch[name].astype(np.int64))
        found[column.name] = dict(zip(_labels(column, codes), many.tolist(), strict=True))
    return found


ODD = ["a.b", "a`b", "x[0]", "a\tb", "select", "ä ö"]
MISSING = {
    "category": {"town": {"role": "qi", "missing": "category"}},
    "drop a category": {"town": {"role": "qi", "missing": "drop-row"}},
    "drop a number": {"age": {"role": "qi", "type": "integer", "missing": "drop-row"}},
    "sensitive": {"disease": {"role": "sensitive", "missing": "category"}},
    "drop all kinds": {
        "age": {"role": "qi", "type": "integer", "missing": "drop-row"},
        "town": {"role": "qi", "missing": "drop-row"},
        "disease": {"role": "sensitive", "missing": "drop-row"},
    },
}


def people(rows=60):
    return pl.DataFrame(
        {
            "age": [20 + i * 7 % 37 for i in range(rows)],
            "town": [f"town{i * 5 % 11}" for i in range(rows)],
            "disease": [DISEASES[i % 4] for i in range(rows)],
        }
    )


# every kind from Parquet; from CSV all kinds in one table, and each by itself at night
TRIED = [
    pytest.param(kind, format, marks=pytest.mark.nightly if format == "csv" and kind != "drop all kinds" else [])
    for kind in MISSING
    for format in ("parquet", "csv")
]


@pytest.mark.parametrize("kind, format", TRIED)
def test_missing_cells(spark, tmp_path, kind, format):
    frame = people().with_row_index("i")
    columns = {"age": {"role": "qi", "type": "integer"}, "town": "qi", "disease": "sensitive", **MISSING[kind]}
    for place, name in enumerate(MISSING[kind]):
        frame = frame.with_columns(
            pl.when(pl.col("i") % 13 == place).then(None).otherwise(pl.col(name)).alias(name)
        )
    folder = tmp_path / "source"
    folder.mkdir()
    for k in range(2):
        part = frame.drop("i")[k::2]
        part.write_parquet(folder / f"{k}.parquet") if format == "parquet" else part.write_csv(folder / f"{k}.csv")
    schema = voile.Schema.of(columns)
    local = voile.read(frame.drop("i"), schema)
    spread, intake = spread_table(cells(spark, folder, schema), schema, curve=True)
    assert (spread.layout.n, intake.rows_dropped) == (local.n, 60 - local.n)
    assert spread_counts(spread) == counts_of(local)


def test_names_that_mean_something_to_spark(spark, tmp_path):
    frame = people().with_columns(pl.Series(name, [f"v{i % 3}" for i in range(60)]) for name in ODD)
    frame.write_parquet(tmp_path / "t.parquet")
    columns = {"age": {"role": "qi", "type": "integer"}, "town": "qi", "disease": "sensitive"}
    schema = voile.Schema.of({**columns, **dict.fromkeys(ODD[:3], "qi"), **dict.fromkeys(ODD[3:], "identifying")})
    spread, _ = spread_table(cells(spark, tmp_path / "t.parquet", schema), schema, curve=False)
    assert spread_counts(spread) == counts_of(voile.read(frame, schema))
    foreign = audit_on_cluster(spark, tmp_path / "t.parquet", schema)
    assert foreign.achieved.keys() == voile.audit(tmp_path / "t.parquet", schema).achieved.keys()


@pytest.mark.parametrize("names, why", [(["p1", "p1 "], "several rows"), (["p1", None], "rows of nobody")])
def test_a_person_is_who_intake_says(spark, tmp_path, names, why):
    others = [f"q{i}" for i in range(58)]
    frame = people().with_columns(pl.Series("per.son", [*names, *others]))
    frame.write_parquet(tmp_path / "t.parquet")
    schema = voile.Schema.of({"age": "qi", "town": "qi", "disease": "sensitive", "per.son": "subject"})
    with pytest.raises(InputError, match=why):
        spread_table(cells(spark, tmp_path / "t.parquet", schema), schema, curve=False)
    frame[2:].write_parquet(tmp_path / "sound.parquet")  # the control
    assert spread_table(cells(spark, tmp_path / "sound.parquet", schema), schema, curve=False)[0].layout.n == 58


def test_what_one_file_alone_has_must_be_declared(spark, tmp_path):
    people().write_parquet(tmp_path / "0.parquet")
    people().with_columns(name=pl.lit("Ann")).write_parquet(tmp_path / "1.parquet")
    schema = voile.Schema.of({"age": "qi", "town": "qi", "disease": "sensitive"})
    with pytest.raises(SpecError, match="not declared"):
        spread_table(cells(spark, tmp_path, schema), schema, curve=False)


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere.parquet", "table:nowhere"])
def test_what_is_not_there(spark, tmp_path, name):
    place = name if name.startswith("table:") else str(tmp_path / name)
    with pytest.raises(InputError, match=r"source: reading failed.*check the path or the name"):
        cells(spark, place, voile.Schema.of({"age": "qi", "disease": "sensitive"}))


def test_nothing_to_audit(spark, tmp_path):
    people().clear().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="no rows"):
        audit_on_cluster(
            spark, tmp_path / "t.parquet", voile.Schema.of({"age": "qi", "town": "qi", "disease": "sensitive"})
        )


def test_a_bad_file_is_named(spark, tmp_path):
    (tmp_path / "0.csv").write_text("age,disease\n30,flu\n")
    (tmp_path / "1.csv").write_text("age,disease\n30,flu\n31\n")
    with pytest.raises(InputError, match=r"file, line 3 of 1\.csv: not the 2 fields"):
        cells(spark, tmp_path, voile.Schema.of({"age": "qi", "disease": "sensitive"}))


def test_one_session_in_a_process(spark):
    """Another thread would be given the session that is there, whatever its settings."""
    refused = []

    def begin():
        try:
            with session("local[1]"):
                refused.append(None)
        except ParameterError as refusal:
            refused.append(refusal.what)

    other = threading.Thread(target=begin)
    other.start()
    other.join()
    assert refused == ["a Spark session is running in this process already"]
    assert spark.range(3).count() == 3  # and it still runs


@pytest.mark.parametrize("name", ["spark.hadoop.fs.s3a.secret.key", "spark.ssl.keyStorePassword"])
def test_no_secret_is_a_setting(name):
    with pytest.raises(ParameterError, match="a secret among the settings"), session("local[1]", {name: "x"}):
        pass


def test_a_csv_file_is_never_on_a_disk(tmp_path, monkeypatch):
    """A worker that is killed meanwhile leaves nothing."""
    seen, really = [], module.read_csv

    def looked(path, options):
        seen.extend(p.name for p in tmp_path.iterdir())
        return really(path, options)

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(module, "read_csv", looked)
    frame = read_csv_bytes(b"age,disease\n30,flu\n", FileOptions())
    assert frame.rows() == [("30", "flu")] and seen == []
