"""Reading: typed by the schema, normalised, merges counted, missing values by policy."""

import datetime

import polars as pl
import pytest

import voile
from voile.core.axis import Axis
from voile.errors import HierarchyError, InputError, SpecError
from voile.intake.table_reader import read_table

QI = {"role": "qi"}


def read(tmp_path, text, columns, file=None):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, voile.Schema.of(columns, file))


def labels(column):
    domain = column.domain
    return [domain.label(c) if isinstance(domain, Axis) else domain.labels[c] for c in column.codes.tolist()]


def test_zip_codes_keep_their_zeros(tmp_path):
    table = read(tmp_path, "zip,d\n00123,a\n123,b\n", {"zip": QI, "d": "sa"})
    assert labels(table.quasi[0]) == ["00123", "123"]


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_delimiters_are_sniffed(tmp_path, delimiter):
    text = "a|b|d\n1|x y|z\n2|w|v\n".replace("|", delimiter)
    table = read(tmp_path, text, {"a": QI, "b": QI, "d": "sa"})
    assert labels(table.quasi[1]) == ["x y", "w"]


def test_spellings_are_one_value_and_counted(tmp_path):
    text = 'a,d\n1,HIV\n2,"HIV "\n3,HI\u200bV\n4,caf\u00e9\n5,cafe\u0301\n6,a b\n7,a  b\n8,a\u00a0b\n'
    table = read(tmp_path, text, {"a": QI, "d": "sa"})
    assert sorted(set(labels(table.sensitive[0]))) == ["HIV", "a b", "caf\u00e9"]
    assert table.intake.merged_spellings == {"d": 5}


def test_case_is_folded_on_request(tmp_path):
    text = "a,d\n1,HIV\n2,hiv\n3,flu\n"
    with pytest.raises(SpecError, match="casefold"):
        read(tmp_path, text, {"a": QI, "d": "sa"})
    folded = read(tmp_path, text, {"a": QI, "d": {"role": "sa", "casefold": True}})
    assert sorted(set(labels(folded.sensitive[0]))) == ["HIV", "flu"]
    apart = read(tmp_path, text, {"a": QI, "d": {"role": "sa", "casefold": False}})
    assert len(set(labels(apart.sensitive[0]))) == 3


def test_numbers_are_exact(tmp_path):
    text = "x,y,d\n-1.50,007,a\n+.25,-3,b\n10,+4,c\n"
    columns = {"x": {"role": "qi", "type": "decimal"}, "y": {"role": "qi", "type": "integer"}, "d": "sa"}
    table = read(tmp_path, text, columns)
    assert labels(table.quasi[0]) == ["-1.50", "0.25", "10.00"]
    assert table.quasi[1].codes.tolist() == [7, -3, 4]


@pytest.mark.parametrize("bad", ["inf", "1e5", "1,5", "--1", "0x10", "1.2.3", "\u0663"])
def test_what_is_not_a_decimal(tmp_path, bad):
    with pytest.raises(InputError, match="row 2"):
        read(tmp_path, f'x,d\n1,a\n"{bad}",b\n', {"x": {"role": "qi", "type": "decimal"}, "d": "sa"})


def test_dates(tmp_path):
    columns = {"x": {"role": "qi", "type": "date"}, "d": "sa"}
    table = read(tmp_path, "x,d\n1969-12-31,a\n2024-02-29,b\n", columns)
    assert table.quasi[0].codes.tolist() == [-1, 19782]
    assert labels(table.quasi[0]) == ["1969-12-31", "2024-02-29"]
    for bad in ("2023-02-29", "1.2.2020", "2020-1-1"):
        with pytest.raises(InputError, match="YYYY-MM-DD"):
            read(tmp_path, f"x,d\n{bad},a\n", columns)


def test_ordinals(tmp_path):
    columns = {"x": {"role": "qi", "type": "ordinal", "order": ["low", "mid", "high"]}, "d": "sa"}
    assert labels(read(tmp_path, "x,d\nhigh,a\nlow,b\n", columns).quasi[0]) == ["low", "high"]
    with pytest.raises(InputError, match="add the value to order"):
        read(tmp_path, "x,d\ntop,a\n", columns)


def test_missing_values(tmp_path):
    text = "x,y,d\n1,a,p\n,b,q\n3,?,r\n4,c,s\n"
    missing = {"missing": ["?"]}
    with pytest.raises(InputError, match="1 in x, 1 in y; the first here"):
        read(tmp_path, text, {"x": {"role": "qi", "type": "integer"}, "y": QI, "d": "sa"}, missing)
    columns = {
        "x": {"role": "qi", "type": "integer", "missing": "drop-row"},
        "y": {"role": "qi", "missing": "category"},
        "d": "sa",
    }
    table = read(tmp_path, text, columns, missing)
    assert table.n == 3
    assert table.intake.rows_dropped == 1
    assert labels(table.quasi[1]) == ["a", "(missing)", "c"]
    assert (table.quasi[0].domain.low, table.quasi[0].domain.high) == (1, 4)


def test_dropped_rows_leave_no_value_behind(tmp_path):
    columns = {"x": {"role": "qi", "type": "integer", "missing": "drop-row"}, "y": QI, "d": "sa"}
    table = read(tmp_path, "x,y,d\n1,a,p\n,gone,vanished\n5,b,q\n", columns)
    assert "gone" not in table.quasi[1].domain.labels
    assert "vanished" not in table.sensitive[0].domain.labels


def test_other_encodings_are_declared(tmp_path):
    text = "a,d\n1,gripp\u00e9\n2,x\n".encode("latin-1")
    table = read(tmp_path, text, {"a": QI, "d": "sa"}, {"encoding": "latin-1"})
    assert "gripp\u00e9" in labels(table.sensitive[0])
    with pytest.raises(InputError, match="unknown encoding"):
        read(tmp_path, text, {"a": QI, "d": "sa"}, {"encoding": "nonsense"})


def test_byte_order_mark_and_quoted_header(tmp_path):
    text = b'\xef\xbb\xbf"a b";"d\r\ne"\r\n1;x\r\n2;"y;z"\r\n'
    table = read(tmp_path, text, {"a b": QI, "d\r\ne": "sa"})
    assert labels(table.sensitive[0]) == ["x", "y;z"]


def test_parquet_types(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame(
        {
            "i": [3, 1],
            "f": [2.0, 5.0],
            "x": [0.5, 1.25],
            "b": [True, False],
            "c": pl.Series(["u", "v"], dtype=pl.Categorical),
            "t": [datetime.date(2020, 1, 1), datetime.date(1960, 5, 5)],
            "d": ["p", "q"],
        }
    ).write_parquet(path)
    types = {"i": "integer", "f": "integer", "x": "decimal", "b": "category", "c": "category", "t": "date"}
    table = read_table(
        path, voile.Schema.of({**{n: {"role": "qi", "type": t} for n, t in types.items()}, "d": "sa"})
    )
    assert [labels(c) for c in table.quasi] == [
        ["1", "3"], ["5", "2"], ["1.25", "0.50"], ["false", "true"], ["v", "u"], ["1960-05-05", "2020-01-01"],
    ]  # fmt: skip


def test_persons_are_known_where_they_repeat(tmp_path):
    columns = {"p": "subject", "a": QI, "d": "sa"}
    once = read(tmp_path, "p,a,d\n1,x,u\n2,x,v\n", columns)
    assert once.persons is None
    assert list(once.marks()) == ["d"]
    twice = read(tmp_path, "p,a,d\n1,x,u\n1,y,v\n2,z,v\n", columns)
    assert twice.persons.tolist() == [0, 0, 1]
    assert list(twice.marks()) == ["d", "p"]


def test_one_subject_column(tmp_path):
    with pytest.raises(SpecError, match="2 subject columns"):
        read(tmp_path, "p,q,a,d\n1,2,x,u\n", {"p": "subject", "q": "subject", "a": QI, "d": "sa"})


def test_identifying_columns_are_not_in_the_table(tmp_path):
    table = read(tmp_path, "n,a,d\nBob,x,u\nEve,x,v\n", {"n": "id", "a": QI, "d": "sa"})
    assert [c.name for c in table.columns] == ["a", "d"]


def test_hierarchy_files(tmp_path):
    (tmp_path / "h.csv").write_text("a,x,*\nb,x,*\nc,y,*\n", encoding="utf-8")
    columns = {"a": {"role": "qi", "hierarchy": tmp_path / "h.csv"}, "d": "sa"}
    assert read(tmp_path, "a,d\nb,p\nc,q\n", columns).quasi[0].domain.labels == ("a", "b", "c", "x", "*")
    (tmp_path / "h.csv").write_text("20;15-19;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="line 1"):
        read(tmp_path, "a,d\n20,p\n", columns)
    columns["a"]["check_labels"] = False
    assert read(tmp_path, "a,d\n20,p\n", columns).n == 1


INVISIBLE = "\ufe0f\u034f\u180e\u2066\u206a\ufff9\U000e0061\u115f\u3164\u0001\u007f"


@pytest.mark.parametrize("character", list(INVISIBLE))
def test_invisible_characters_are_no_diversity(tmp_path, character):
    table = read(tmp_path, f"a,d\n1,HIV\n2,HI{character}V\n", {"a": QI, "d": "sa"})
    assert set(labels(table.sensitive[0])) == {"HIV"}


@pytest.mark.parametrize("twins", [("HIV", "hiv"), ("HIV", "\uff28\uff29\uff36"), ("1", "1.0"), ("2.5", "2.50")])
def test_twins_are_refused_until_decided(tmp_path, twins):
    text = "a,d\n1,{}\n2,{}\n".format(*twins)
    with pytest.raises(SpecError, match="casefold = true"):
        read(tmp_path, text, {"a": QI, "d": "sa"})
    assert (
        len(set(labels(read(tmp_path, text, {"a": QI, "d": {"role": "sa", "casefold": True}}).sensitive[0]))) == 1
    )


def test_case_is_folded_to_the_leaf_of_the_hierarchy(tmp_path):
    (tmp_path / "h.csv").write_text("flu;lung;*\nulcer;gut;*\n", encoding="utf-8")
    columns = {"a": QI, "d": {"role": "sa", "hierarchy": tmp_path / "h.csv", "casefold": True}}
    assert sorted(labels(read(tmp_path, "a,d\n1,FLU\n2,Ulcer\n", columns).sensitive[0])) == ["flu", "ulcer"]


def test_words_of_the_spec_are_spelled_like_cells(tmp_path):
    columns = {"x": {"role": "qi", "type": "ordinal", "order": ["1 ", "2"], "missing": "drop-row"}, "d": "sa"}
    assert read(tmp_path, "x,d\n1,a\nNA,b\n", columns, {"missing": ["NA "]}).n == 1


def test_a_real_value_called_missing_is_the_same_value(tmp_path):
    columns = {"a": QI, "d": {"role": "sa", "missing": "category"}}
    table = read(tmp_path, "a,d\n1,(missing)\n2,\n3,x\n", columns)
    assert sorted(labels(table.sensitive[0])) == ["(missing)", "(missing)", "x"]


def test_a_star_is_refused(tmp_path):
    with pytest.raises(InputError, match="row 2"):
        read(tmp_path, "a,d\nx,u\n*,v\n", {"a": QI, "d": "sa"})


@pytest.mark.parametrize("encoding", ["base64", "rot13", "undefined", "hex"])
def test_what_is_no_encoding_of_text(tmp_path, encoding):
    with pytest.raises(InputError, match="unknown encoding"):
        read(tmp_path, "a,d\n1,x\n", {"a": QI, "d": "sa"}, {"encoding": encoding})


@pytest.mark.parametrize("name", ["group", "Group", "=x", "-x", "@x"])
def test_reserved_names(tmp_path, name):
    with pytest.raises(SpecError):
        read(tmp_path, f"{name},d\n1,x\n", {name: QI, "d": "sa"})


def test_small_floats_of_parquet(tmp_path):
    pl.DataFrame({"x": [1.5e-7, 2.0], "d": ["p", "q"]}).write_parquet(tmp_path / "t.parquet")
    table = read_table(
        tmp_path / "t.parquet", voile.Schema.of({"x": {"role": "qi", "type": "decimal"}, "d": "sa"})
    )
    assert labels(table.quasi[0]) == ["0.00000015", "2.00000000"]


def test_parquet_bomb(tmp_path):
    path = tmp_path / "bomb.parquet"
    pl.select(pl.repeat(1, 80_000_000, dtype=pl.Int8).alias("x")).write_parquet(path)
    with pytest.raises(InputError, match="in so small a file"):
        read_table(path, voile.Schema.of({"x": QI, "d": "sa"}))
