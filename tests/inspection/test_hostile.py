"""Whatever the table is: a refusal in words, or a spec that parses and that `anonymize` accepts."""

import tomllib

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.nights import examples
from voile.cli.main import run

pytestmark = pytest.mark.slow  # keeps `make quick` under two minutes


def csv(folder, text, name="t.csv"):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / name)


def clinic(header="age,sex,disease"):
    return header + "\n" + "".join(f"{20 + i},{'fm'[i % 2]},{'abcd'[i % 4]}\n" for i in range(40))


REFUSED = {
    "empty": "",
    "header only": "age,disease\n",
    "one row": "age,disease\n30,flu\n",
    "one column": "disease\n" + "flu\ngout\n" * 20,
    "all missing": "age,disease\n" + ",\n" * 20,
    "duplicate header": clinic("age,age,disease"),
    "duplicate but for case": clinic("Age,age ,disease"),
    "unnamed column": clinic("age,,disease"),
    "column named group": clinic("age,group,disease"),
    "no header": clinic("39,f,a"),
    "no header, unique cells": "ann@x.org,1980-02-03,a\n"
    + "".join(f"b{i}@x.org,1980-02-{i:02d},a\n" for i in range(10, 28)),
    "ragged": clinic() + "1,2\n",
    "NUL": clinic() + "1,\0,a\n",
    "nothing but names": "name,email\n" + "".join(f"N{i},n{i}@x.org\n" for i in range(30)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name, tmp_path, capsys):
    table = csv(tmp_path, REFUSED[name])
    assert run(["inspect", table]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("voile: ") and "defect" not in said.err
    assert ";" in said.err, "what would work is missing"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_bad_arguments(tmp_path, capsys):
    table = csv(tmp_path, clinic())
    bad = (
        ["."],
        [""],
        [str(tmp_path / "none.csv")],
        [table, "--sensitive", "income"],
        [table, "--delimiter", "ab"],
        [table, "--encoding", "klingon"],
        [table, "-o", str(tmp_path / "no" / "s.toml")],
    )
    for arguments in bad:
        assert run(["inspect", *arguments]) == 2, arguments
        assert "defect" not in capsys.readouterr().err, arguments
    assert run(["inspect", table]) == 0
    before = (tmp_path / "t.toml").read_bytes()
    assert run(["inspect", table]) == 2
    assert "exists already" in capsys.readouterr().err
    assert (tmp_path / "t.toml").read_bytes() == before


def test_other_encodings_are_named(tmp_path, capsys):
    table = csv(tmp_path, clinic().replace("disease", "état").encode("latin-1"))
    assert run(["inspect", table]) == 2
    assert "--encoding latin-1" in capsys.readouterr().err
    assert run(["inspect", table, "--encoding", "latin-1"]) == 0
    assert 'encoding = "latin-1"' in (tmp_path / "t.toml").read_text()
    assert accepted(tmp_path, table) == 0


def test_header_is_believed_when_told(tmp_path):
    years = "2019-01-01,2020-01-01,disease\n" + "".join(f"{i % 9},{i % 7},{'abcd'[i % 4]}\n" for i in range(40))
    table = csv(tmp_path, years)
    assert run(["inspect", table]) == 2
    assert run(["inspect", table, "--header"]) == 0
    assert accepted(tmp_path, table) == 0


ODD = [
    'say "hi"',
    "a.b",
    "two\nlines",
    "back\\slash",
    "größe",
    "日本",
    "=cmd",
    "+1",
    "#",
    "'x'",
    "a\tb",
    "[bold]",
    "\x7f",
    "'",
]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_quoted(name, tmp_path, capsys):
    frame = pl.DataFrame(
        {name: ["abc"[i % 3] for i in range(40)], "age": range(20, 60), "disease": list("abcd") * 10}
    )
    frame.write_csv(tmp_path / "t.csv", quote_style="always")
    assert run(["inspect", str(tmp_path / "t.csv")]) == 0, capsys.readouterr().err
    spec = tomllib.loads((tmp_path / "t.toml").read_text())
    assert name in spec["columns"]
    assert accepted(tmp_path, str(tmp_path / "t.csv")) == 0, capsys.readouterr().err


def test_many_distinct_values():
    rows = 100_000
    frame = pl.DataFrame(
        {
            "text": [f"t{(i * 7919) % 1_000_003}" for i in range(rows)],
            "amount": [(i * 7919) % 1_000_003 / 4 for i in range(rows)],
            "town": [f"town {i % 50_000}" for i in range(rows)],
            "disease": [f"d{i % 9}" for i in range(rows)],
        }
    )
    found = voile.inspect(frame)
    assert [p.written for p in found.columns] == [
        "identifying",
        "quasi-identifying",
        "quasi-identifying",
        "sensitive",
    ]
    assert "town looks like an identifier: 50000 values in 100000 rows" in found.warnings
    assert any("amount alone singles out" in w for w in found.warnings)


def test_json_is_one_document(tmp_path, capsys):
    import json

    table = csv(tmp_path, clinic())
    assert run(["inspect", table, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [c["role"] for c in found["columns"]] == ["quasi-identifying", "quasi-identifying", "sensitive"]
    assert found["candidates"][0]["largest_l"] == 4
    assert run(["inspect", table, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "OutputError"


def accepted(folder, table):
    """The exit code of `anonymize` with the written spec."""
    spec = str(folder / "t.toml")
    return run(["anonymize", table, "-s", spec, "-p", "l=auto", "-o", str(folder / "out")])


WORDS = [
    "",
    "a",
    "b",
    "B",
    " a",
    "?",
    "NA",
    "-",
    "*",
    "none",
    "0",
    "1",
    "01",
    "1.5",
    "-3",
    "1e5",
    "NaN",
    "x y",
    "2024-02-30",
]
CELLS = st.one_of(
    st.sampled_from(WORDS),
    st.integers(-50, 10**17).map(str),
    st.dates().map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["Cs"]), max_size=5),
    st.decimals(-100, 100, places=3).map(str),
)
TITLES = [
    "age",
    "sex",
    "disease",
    "income",
    "id",
    "patient",
    "name",
    "v1",
    "zip",
    "date",
    "HIV",
    "code",
    "=x",
    "Größe",
    "note",
]


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 30))
    names = draw(st.lists(st.sampled_from(TITLES), min_size=1, max_size=6, unique=True))
    columns = {}
    for name in names:
        few = draw(st.booleans())
        kind = st.sampled_from(draw(st.lists(CELLS, min_size=1, max_size=4))) if few else CELLS
        columns[name] = draw(st.lists(kind, min_size=rows, max_size=rows))
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


@pytest.mark.slow
@settings(max_examples=examples(60, 500))
@given(table=tables())
def test_any_table_gives_a_spec_that_runs(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("any")
    table.write_csv(folder / "t.csv", quote_style="always")
    code = run(["inspect", str(folder / "t.csv"), "--header"])
    if code:
        assert code == 2 and not (folder / "t.toml").exists()
        return
    voile.Schema.of(tomllib.loads((folder / "t.toml").read_text())["columns"])
    assert accepted(folder, str(folder / "t.csv")) in (0, 1)


def test_two_numbers_of_a_person_and_several_sensitive_columns(tmp_path, capsys):
    rows = [f"{i // 3},{i // 2},{20 + i % 40},d{i % 7},r{i % 5},i{i % 6}\n" for i in range(120)]
    table = csv(tmp_path, "patient id,person id,age,disease,religion,income\n" + "".join(rows))
    assert run(["inspect", table]) == 0, capsys.readouterr().err
    roles = [c["role"] for c in tomllib.loads((tmp_path / "t.toml").read_text())["columns"].values()]
    assert roles.count("subject") == 1
    assert roles.count("sensitive") == 1, "with persons that repeat, one column is sure to group completely"
    assert accepted(tmp_path, table) == 0, capsys.readouterr().err
