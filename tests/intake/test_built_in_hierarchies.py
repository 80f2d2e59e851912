"""Hierarchies of the spec on columns as they are read: missing values, dropped rows, typed cells, files."""

import stat

import polars as pl
import pytest

import voile
from tests.core.test_hierarchy_builders import same_tree
from tests.intake.test_table_reader import labels, read
from voile.core.hierarchy import Hierarchy
from voile.errors import HierarchyError, InputError, OutputError, SpecError

AGE = {"role": "qi", "type": "integer", "hierarchy": {"intervals": [5, 10]}}
ALL = {
    "age": AGE,
    "pay": {"role": "qi", "type": "decimal", "hierarchy": {"intervals": [0.5, 10]}},
    "sum": {"role": "qi", "type": "integer", "hierarchy": {"quantiles": 4, "grid": 10}},
    "zip": {"role": "qi", "hierarchy": {"mask": 4}},
    "day": {"role": "qi", "type": "date", "hierarchy": {"dates": ["month", "year"]}},
    "edu": {"role": "qi", "type": "ordinal", "order": ["low", "mid", "high"], "hierarchy": {"groups": [2]}},
    "d": {"role": "sa", "type": "integer", "hierarchy": {"intervals": [3]}},
}
HEADER = "age,pay,sum,zip,day,edu,d\n"


def rows(n=40):
    cells = (
        f"{18 + i % 23},{i % 9 / 4},{i * 7 % 100},{81000 + i * 61},2024-{1 + i % 12:02d}-{1 + i % 28:02d},"
        f"{('low', 'mid', 'high')[i % 3]},{i % 5}"
        for i in range(n)
    )
    return HEADER + "".join(f"{row}\n" for row in cells)


def test_a_release_publishes_their_nodes(tmp_path):
    (tmp_path / "in.csv").write_text(rows(), encoding="utf-8")
    schema = voile.Schema.of(ALL)
    release, found = voile.publish(tmp_path / "in.csv", schema, "bsgi", tmp_path / "out", l=3)
    assert found.ok
    table = voile.read(tmp_path / "in.csv", schema)
    for column in table.quasi:
        assert set(release.frame[column.name]) <= set(column.domain.labels)
    forms = {c["name"]: c["published"] for c in release.certificate["table"]["columns"]}
    assert forms["age"] == forms["zip"] == "node of its hierarchy"
    assert set(release.frame["d"]) == set("01234")


@pytest.mark.parametrize("name", ALL)
def test_missing_values_stand_under_everything(tmp_path, name):
    text = rows().splitlines()
    position = list(ALL).index(name)
    cells = text[3].split(",")
    cells[position] = ""
    text[3] = ",".join(cells)
    text = "\n".join(text) + "\n"
    with pytest.raises(InputError, match=f"1 in {name}"):
        read(tmp_path, text, ALL)
    table = read(tmp_path, text, {**ALL, name: {**ALL[name], "missing": "category"}})
    tree = table.columns[position].domain
    leaf = tree.labels.index("(missing)")
    assert labels(table.columns[position]).count("(missing)") == 1
    assert tree.labels[tree.parent[leaf]] == "*"
    dropped = read(tmp_path, text, {**ALL, name: {**ALL[name], "missing": "drop-row"}})
    assert dropped.n == table.n - 1 and "(missing)" not in dropped.columns[position].domain.labels


def test_only_missing_values(tmp_path):
    columns = {"age": {**AGE, "missing": "category"}, "zip": {**ALL["zip"], "missing": "category"}, "d": "sa"}
    table = read(tmp_path, "age,zip,d\n,,a\n,,b\n", columns)
    assert [column.domain.labels for column in table.quasi] == [("(missing)",)] * 2


def test_dropped_rows_leave_no_value_and_no_cut_behind(tmp_path):
    """Trees are made from what is left: neither a leaf, nor a node, nor a quantile remembers the others."""
    gone = "99,4000.5,999999,97531,1987-06-05,high,77\n"
    whole = rows() + gone.replace("high", "")
    columns = {**ALL, "edu": {**ALL["edu"], "missing": "drop-row"}}
    assert [c.domain.labels for c in read(tmp_path, whole, columns).columns] == [
        c.domain.labels for c in read(tmp_path, rows(), columns).columns
    ]
    kept = read(tmp_path, rows() + gone, columns)  # control: with the row, all of it is there
    found = " ".join(label for column in kept.columns for label in column.domain.labels)
    assert all(word in found for word in ("99", "4000.5", "999999", "97531", "1987", "77"))


def test_one_value(tmp_path):
    table = read(tmp_path, rows(1), ALL)
    assert [c.domain.labels for c in table.columns if c.name != "edu"] == [
        ("18",), ("0",), ("0",), ("81000",), ("2024-01-01",), ("0",),
    ]  # fmt: skip


def test_decimals_are_written_shortest(tmp_path):
    table = read(tmp_path, "x,d\n-1.50,a\n+.25,b\n0.250,c\n-0.0,e\n", {"x": ALL["pay"], "d": "sa"})
    assert table.quasi[0].domain.labels == ("-1.5", "0", "0.25", "[0, 0.5)", "*")


def test_typed_columns_read_hierarchy_files(tmp_path):
    """007 is 7, 1.50 is 1.5: cells and leaves are compared as what they are."""
    (tmp_path / "n.csv").write_text("7;[0, 9];*\n12;[10, 19];*\n-3;below;*\n", encoding="utf-8")
    (tmp_path / "x.csv").write_text("1.50;[1, 2);*\n.25;[0, 1);*\n", encoding="utf-8")
    (tmp_path / "days.csv").write_text("2024-02-29;2024;*\n2023-01-01;2023;*\n", encoding="utf-8")
    columns = {
        "n": {"role": "qi", "type": "integer", "hierarchy": tmp_path / "n.csv"},
        "x": {"role": "qi", "type": "decimal", "hierarchy": tmp_path / "x.csv"},
        "t": {"role": "qi", "type": "date", "hierarchy": tmp_path / "days.csv", "missing": "category"},
        "d": "sa",
    }
    table = read(tmp_path, "n,x,t,d\n007,1.5,2024-02-29,a\n+12,0.250,,b\n-3,1.500,2023-01-01,c\n", columns)
    assert [sorted(labels(c)) for c in table.quasi] == [
        ["-3", "12", "7"], [".25", "1.50", "1.50"], ["(missing)", "2023-01-01", "2024-02-29"],
    ]  # fmt: skip
    with pytest.raises(InputError, match="type = integer"):
        read(tmp_path, "n,x,t,d\nseven,1.5,2024-02-29,a\n", columns)
    with pytest.raises(HierarchyError, match="column n, row 1"):
        read(tmp_path, "n,x,t,d\n8,1.5,2024-02-29,a\n", columns)
    (tmp_path / "x.csv").write_text("1.50;[1, 2);*\n1.5;[1, 2);*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="one line per value"):
        read(tmp_path, "n,x,t,d\n7,1.5,2024-02-29,a\n", columns)


@pytest.mark.parametrize("missing", ["refuse", "category"])
@pytest.mark.parametrize("name", ALL)
def test_exported_and_read_back(tmp_path, name, missing):
    text = rows() + ("44,1.5,,81000,2024-01-01,low,3\n,,7,,,,\n" if missing == "category" else "")
    columns = {c: {**options, "missing": missing} for c, options in ALL.items()}
    table = read(tmp_path, text, columns)
    position = list(ALL).index(name)
    written = voile.export_hierarchy(table, name, tmp_path / "h.csv")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    again = read(tmp_path, text, {**columns, name: {**columns[name], "hierarchy": written}})
    assert same_tree(table.columns[position].domain, again.columns[position].domain)
    assert labels(table.columns[position]) == labels(again.columns[position])
    with pytest.raises(OutputError, match="never overwritten"):
        voile.export_hierarchy(table, name, written)


def test_labels_with_delimiters_and_quotes_are_read_back(tmp_path):
    names = ['a;b, c "d"', "e,f", "plain", "=1+1"]
    frame = pl.DataFrame({"x": names, "d": list("pqrs")})
    table = voile.read(frame, {"x": "qi", "d": "sa"})
    path = voile.export_hierarchy(table, "x", tmp_path / "x.csv")
    again = voile.read(frame, {"x": {"role": "qi", "hierarchy": path}, "d": "sa"})
    assert same_tree(table.quasi[0].domain, again.quasi[0].domain)
    one = voile.read(frame[1:2], {"x": "qi", "d": "sa"})
    alone = voile.export_hierarchy(one, "x", tmp_path / "one.csv")
    again = voile.read(frame[1:2], {"x": {"role": "qi", "hierarchy": alone}, "d": "sa"})
    assert same_tree(one.quasi[0].domain, again.quasi[0].domain)


def test_what_has_no_hierarchy_to_export(tmp_path):
    columns = {"p": "subject", "n": {"role": "qi", "type": "integer"}, "d": "sa"}
    table = read(tmp_path, "p,n,d\n1,1,a\n2,2,b\n", columns)
    for name, hint in (("n", "declare one"), ("p", "dropped column"), ("nonsense", "as in the header")):
        with pytest.raises(SpecError, match=hint):
            voile.export_hierarchy(table, name, tmp_path / "h.csv")
    with pytest.raises(OutputError, match="cannot be written"):
        voile.export_hierarchy(table, "d", tmp_path / "nowhere" / "h.csv")


def test_a_hierarchy_object_in_python():
    frame = pl.DataFrame({"n": [7, 12], "d": ["p", "q"]})
    tree = Hierarchy.from_lines([["7", "few", "*"], ["12", "more", "*"]])
    table = voile.read(frame, {"n": {"role": "qi", "type": "integer", "hierarchy": tree}, "d": "sa"})
    assert labels(table.quasi[0]) == ["7", "12"]
