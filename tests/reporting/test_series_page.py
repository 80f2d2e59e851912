"""The page of a series audit: counts and names of releases, never a person or a value."""

import re
import stat

import polars as pl
import pytest

import voile
from tests.command_line import voile as command
from voile.reporting.series_page import series_page

pytestmark = pytest.mark.slow  # of processes and charts
SPEC = """[columns]
name = { role = "subject" }
age = { role = "qi", type = "integer" }
disease = { role = "sensitive" }
"""
DISEASES = ["cnryflu", "cnrygout", "cnryulcer", "cnryasthma"]
PEOPLE = pl.DataFrame(
    {
        "name": [f"cnryname{i}" for i in range(8)],
        "age": [7101 + 10 * i for i in range(8)],
        "disease": [DISEASES[i % 4] for i in range(8)],
    }
)
GROUPS = ([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 1, 0, 2, 3, 3, 2])  # two releases without a memory of each other


@pytest.fixture
def series(tmp_path):
    """Two releases of the same persons, as arguments of `voile audit`."""
    (tmp_path / "s.toml").write_text(SPEC)
    PEOPLE.write_csv(tmp_path / "t.csv")
    folders = []
    for number, groups in enumerate(GROUPS, 1):
        folder = tmp_path / f"r{number}"
        folder.mkdir()
        rows = PEOPLE.with_columns(group=pl.Series(groups))
        ends = pl.format("[{}, {}]", pl.col("age").min().over("group"), pl.col("age").max().over("group"))
        rows.with_columns(age=ends).select("group", "age", "disease").sort("group", "disease").write_csv(
            folder / "data.csv"
        )
        folders.append(folder)
    return folders, tmp_path / "s.toml", [tmp_path / "t.csv"] * 2


def arguments(series, *more):
    folders, spec, known = series
    given = [word for table in known for word in ("--known", table)]
    return ["audit", "--series", *folders, "-s", spec, *given, *more]


def test_what_was_found_is_on_a_page(series, tmp_path):
    page = tmp_path / "page.html"
    done = command(*arguments(series, "--require", "m>=2", "--report", page))
    assert done.code == 1, done.err
    text = page.read_text()
    report = voile.audit_series(series[0], series[1], series[2], require="m>=2")
    assert report.told and report.exact.counted, "control: the series tells somebody"
    assert f"one sensitive value for {report.told} persons of 8" in text
    assert "intersection of releases" in text and "Exact risk" in text and str(report.exact.highest) in text
    assert f"with fewer than m = {report.m} left" in text and text.count("never publish this page") == 2
    assert "Something that was promised or required is broken" in text
    assert stat.S_IMODE(page.stat().st_mode) == 0o600 and "<script" not in text


def test_no_person_and_no_value_is_on_it(series):
    """Control: the releases themselves have values, and the sources have names."""
    folders, spec, known = series
    text = series_page(voile.audit_series(folders, spec, known).document())
    cells = {str(cell) for row in PEOPLE.rows() for cell in row}
    assert not [cell for cell in cells if cell in text]
    shown = (folders[0] / "data.csv").read_text()
    assert any(cell in shown for cell in cells)


def test_a_page_about_persons_lies_in_no_release(series, tmp_path):
    (tmp_path / "link").symlink_to(series[0][0])
    for place in (series[0][1] / "page.html", tmp_path / "link" / "page.html"):
        done = command(*arguments(series, "--report", place))
        assert done.code == 2 and "never published" in done.err and not place.exists()
    assert command(*arguments(series, "--report", tmp_path / "s.toml")).code == 2, "nothing is overwritten"
    public = command("audit", "--series", *series[0], "-s", series[1], "--report", series[0][0] / "page.html")
    assert public.code == 0, "control: what follows from the releases alone may lie there"
    text = (series[0][0] / "page.html").read_text()
    assert "never publish" not in text and "Exact risk" not in text and "--known" in text


def test_one_table_with_known_persons_has_no_page(series, tmp_path):
    page = tmp_path / "p.html"
    done = command("audit", series[0][0], "-s", series[1], "--known", series[2][0], "--report", page)
    assert done.code == 2 and "--source" in done.err


def test_a_series_that_tells_nobody(tmp_path):
    spec = {"id": "subject", "age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    ledger = voile.Series.create(tmp_path / "s.ledger", key=tmp_path / "keys" / "s.key")
    persons = [(f"p{i}", 20 + i * 5 % 31, "abcdef"[i % 6]) for i in range(36)]
    tables = [pl.DataFrame(some, schema=list(spec), orient="row") for some in (persons, persons[5:])]
    folders = [tmp_path / f"r{number}" for number in (1, 2)]
    for frame, folder in zip(tables, folders, strict=True):
        ledger.publish(voile.read(frame, spec), folder, m=3)
    text = series_page(voile.audit_series(folders, spec, tables).document())
    assert "one sensitive value for 0 persons of 36" in text and "Everything promised and required is met" in text
    assert re.search(r"verdict kept[^/]*</span> held off", text)
