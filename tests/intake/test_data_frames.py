"""Data frames of every library: the same table, the same bytes; refusals that hold no cell."""

import datetime
import decimal
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import voile
from tests.intake.test_table_reader import labels
from voile.errors import InputError, SpecError

COLUMNS = {
    "name": "id",
    "age": {"role": "qi", "type": "integer"},
    "height": {"role": "qi", "type": "decimal", "hierarchy": {"intervals": [0.05, 0.2]}},
    "born": {"role": "qi", "type": "date", "hierarchy": {"dates": ["month", "year"]}},
    "zip": {"role": "qi", "hierarchy": {"mask": 4}},
    "sex": {"role": "qi", "missing": "category"},
    "disease": "sa",
}
DISEASES = ("flu", "ulcer", "asthma", "HIV", "gout")


def patients(n=60):
    return pl.DataFrame(
        {
            "name": [f"Person{i}" for i in range(n)],
            "age": [20 + i % 37 for i in range(n)],
            "height": [1.5 + i % 25 / 100 for i in range(n)],
            "born": [datetime.date(1960 + i % 20, 1 + i % 12, 1 + i % 28) for i in range(n)],
            "zip": [f"0{1000 + i * 61}" for i in range(n)],
            "sex": [("f", "m", None)[i % 3] for i in range(n)],
            "disease": [DISEASES[i % 5] for i in range(n)],
        }
    ).with_columns(pl.col("height").round(2))


def as_pandas(frame):
    """As pandas users have it: an index of their own, categories, nullable integers, moments for days."""
    theirs = frame.to_pandas()
    theirs["age"] = theirs["age"].astype("Int64")
    theirs["sex"] = theirs["sex"].astype("category")
    theirs["born"] = pd.to_datetime(theirs["born"])
    theirs["disease"] = theirs["disease"].astype(object)
    return theirs.set_index(pd.Index(range(900, 900 + len(theirs)), name="nobody"))


def sources(tmp_path):
    frame = patients()
    frame.write_csv(tmp_path / "p.csv")
    frame.write_parquet(tmp_path / "p.parquet")
    arrow = frame.to_arrow()
    return {
        "csv": tmp_path / "p.csv",
        "parquet": str(tmp_path / "p.parquet"),
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": as_pandas(frame),
        "pandas objects": frame.to_pandas().astype(object),
        "pyarrow": arrow,
        "reader": arrow.to_reader(),
        "duckdb": duckdb.sql("select * from arrow"),
        "duckdb decimals": duckdb.sql("select * replace (height::decimal(9, 4) as height) from arrow"),
        "permuted": frame.sample(fraction=1, shuffle=True, seed=1),
    }


@pytest.mark.slow
def test_the_same_bytes_from_everywhere(tmp_path):
    written = {}
    for name, source in sources(tmp_path).items():
        release = voile.anonymize(voile.read(source, COLUMNS), "bsgi", l=3)
        for form in ("csv", "parquet"):
            folder = tmp_path / f"{name}-{form}"
            release.write(folder, form)
            written.setdefault(form, {})[name] = (folder / f"data.{form}").read_bytes()
    for form, files in written.items():
        assert {name for name, data in files.items() if data != files["csv"]} == set(), form


def test_a_frame_has_no_digest(tmp_path):
    """Its bytes are not the steward's: there is nothing to compare with later."""
    frame = patients()
    voile.publish(frame, COLUMNS, "bsgi", tmp_path / "out", l=3)
    record = (tmp_path / "out" / "private" / "record.json").read_text(encoding="utf-8")
    assert '"rows_read": 60' in record and "hmac" not in record
    assert not (tmp_path / "out" / "private" / "input.key").exists()


def test_the_callers_frame_is_not_touched():
    frame = patients().rename({"age": " age "})
    before = frame.clone()
    voile.read(frame, COLUMNS)
    assert frame.columns == before.columns and frame.equals(before)


def test_back_to_pandas():
    release = voile.anonymize(voile.read(as_pandas(patients()), COLUMNS), "bsgi", l=3)
    theirs = release.to_pandas()
    assert isinstance(theirs, pd.DataFrame)
    assert pl.from_pandas(theirs).equals(release.frame)


def test_without_pandas_the_next_step_is_said(monkeypatch):
    release = voile.anonymize(voile.read(patients(), COLUMNS), "bsgi", l=3)
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not there
    with pytest.raises(voile.VoileError, match="pip install pandas, or use release"):
        release.to_pandas()


@pytest.mark.slow
def test_pandas_is_not_loaded_by_reading(tmp_path):
    import subprocess

    patients().write_csv(tmp_path / "p.csv")
    code = (
        "import sys, voile, polars as pl\n"
        "spec = {'age': {'role': 'qi', 'type': 'integer'}, 'd': 'sa'}\n"
        "r = voile.anonymize(voile.read(pl.DataFrame({'age': [1, 2], 'd': ['p', 'q']}), spec), 'bsgi', l=2)\n"
        "print(sorted({'pandas', 'pyarrow', 'duckdb'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


SECRET = "cnrySecretCell"


def objects(*cells):
    return pd.DataFrame({"x": pd.Series(list(cells), dtype=object), "d": [f"v{i}" for i in range(len(cells))]})


BAD = {
    "text and numbers": (lambda: objects(SECRET, 1), "column 1 of 2"),
    "numbers and text": (lambda: objects(1, SECRET), "column 1 of 2"),
    "days and moments": (
        lambda: objects(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 3)),
        "column 1 of 2",
    ),
    "sets": (lambda: objects({SECRET}, {SECRET}), "column 1 of 2"),
    "lists": (lambda: pl.DataFrame({"x": [[SECRET]], "d": ["a"]}), "unsupported type"),
    "bytes": (lambda: pl.DataFrame({"x": [SECRET.encode()], "d": ["a"]}), "unsupported type"),
    "python objects": (
        lambda: pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object), "d": ["a"]}),
        "unsupported type",
    ),
    "periods": (
        lambda: pd.DataFrame({"x": pd.period_range("2020-01", "2020-02", freq="M"), "d": ["a", "b"]}),
        "unsupported type",
    ),
    "a time of day": (
        lambda: pd.DataFrame({"x": pd.to_datetime(["2020-01-01 00:00", "2020-01-01 03:00"]), "d": ["a", "b"]}),
        "column x, row 2: 1 cell with a time of day",
    ),
    "a query that fails": (
        lambda: duckdb.sql(f"select cast(x as int) as x, x as d from (values ('1'), ('{SECRET}')) t(x)"),
        "data frame: cannot be read",
    ),
    "a lazy query that fails": (
        lambda: pl.LazyFrame({"x": [SECRET], "d": ["a"]}).with_columns(pl.col("x").cast(pl.Int64)),
        "data frame: cannot be read",
    ),
    "two columns of one name": (lambda: pd.DataFrame([[1, 2]], columns=["x", "x"]), "same name as column 1"),
    "two arrow columns of one name": (
        lambda: pa.Table.from_arrays([pa.array([SECRET]), pa.array([SECRET])], names=["x", "x"]),
        "names differ",
    ),
    "names that differ by blanks": (lambda: pl.DataFrame({"x": [1], "X ": [2]}), "same name as column 1"),
    "no rows": (lambda: pl.DataFrame({"x": [], "d": []}), "no rows"),
    "a dictionary": (lambda: {"x": [SECRET]}, "neither a path nor a data frame"),
    "nothing": (lambda: None, "neither a path nor a data frame"),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals_hold_no_cell(name):
    make, words = BAD[name]
    with pytest.raises(InputError) as refusal:
        voile.read(make(), {"x": "qi", "d": "sa"})
    assert words in str(refusal.value)
    assert SECRET not in repr(refusal.value) + repr(vars(refusal.value))
    assert refusal.value.__context__ is None and refusal.value.__cause__ is None


def test_an_index_that_arrow_made_a_column_is_not_declared():
    table = pa.Table.from_pandas(pd.DataFrame({"x": [1], "d": ["a"]}, index=[SECRET]))
    with pytest.raises(SpecError, match="column 3 of 3") as refusal:
        voile.read(table, {"x": "qi", "d": "sa"})
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize(
    "cells, type_, read",
    [
        (pd.array([3, None], dtype="Int64"), "integer", ["3"]),
        (pd.Series([3.0, None]), "integer", ["3"]),
        (pd.Series([2.5, float("nan")]), "decimal", ["2.5"]),
        (pd.Series([decimal.Decimal("2.50"), None], dtype=object), "decimal", ["2.5"]),
        (pd.Categorical([7, None]), "integer", ["7"]),
        (pd.Categorical(["u", None]), "category", ["u"]),
        (pd.array(["u", pd.NA], dtype="string"), "category", ["u"]),
        (pd.Series(["u", float("nan")], dtype=object), "category", ["u"]),
        (pd.Series([True, None], dtype=object), "category", ["true"]),
        (pd.Series([datetime.date(2020, 2, 29), None], dtype=object), "date", ["2020-02-29"]),
        (pd.to_datetime(["2020-02-29", None]), "date", ["2020-02-29"]),
        (pd.to_datetime(["2020-02-29", None]).tz_localize("Europe/Berlin"), "date", ["2020-02-29"]),
        (pd.to_datetime(["1801-02-03", None]).astype("datetime64[s]"), "date", ["1801-02-03"]),
    ],
)
def test_pandas_columns_with_missing_values(cells, type_, read):
    frame = pd.DataFrame({"x": cells, "d": ["a", "b"]})
    spec = {"x": {"role": "qi", "type": type_, "missing": "drop-row"}, "d": "sa"}
    assert labels(voile.read(frame, spec).quasi[0]) == read


def test_a_schema_or_a_mapping():
    frame = patients()
    assert repr(voile.read(frame, voile.Schema.of(COLUMNS))) == repr(voile.read(frame, COLUMNS))
