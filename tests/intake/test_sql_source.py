"""Tables and queries of databases as sources: the same release as from a file, one moment, and never a write."""

import os
import sqlite3
import subprocess
import sys

import polars as pl
import pytest

import voile
from tests.servers.patients import (
    COLUMNS,
    SPEC,
    client,
    connected,
    fill,
    fill_sqlite,
    new_database,
    people,
    tables_of,
)
from tests.servers.postgresql import PASSWORD
from voile.core.address import SQLITE, Address
from voile.errors import InputError, OutputError, ParameterError, SpecError, VoileError
from voile.sql.connection import opened


@pytest.fixture
def clinic(postgresql, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return fill(new_database(postgresql, "source"))


def refusal_of(address, spec=COLUMNS, kind=InputError, **what):
    with pytest.raises(kind) as refusal:
        voile.read(address, spec, **what)
    assert refusal.value.__context__ is None and refusal.value.__cause__ is None
    return str(refusal.value)


def rows_in(address, table="patients"):
    with connected(address) as connection:
        return connection.execute(f"select count(*) from {table}").fetchone()[0]


def test_the_same_bytes_from_every_source(clinic, tmp_path):
    people().write_parquet(tmp_path / "t.parquet")
    lite = fill_sqlite(tmp_path / "clinic.anything")
    half = "select * from patients where age < 40 -- a comment at the end;"
    sources = {
        "parquet": (tmp_path / "t.parquet", {}),
        "postgresql": (clinic, {"table": "patients"}),
        "schema": (clinic, {"table": "public.patients"}),
        "query": (clinic, {"query": f"{half}\nunion all select * from patients where age >= 40;"}),
        "sqlite": (f"sqlite:///{lite}", {"table": "patients"}),
        "file": (lite, {"query": "select * from patients order by random()"}),
    }
    written = {}
    for name, (source, what) in sources.items():
        release = voile.anonymize(voile.read(source, COLUMNS, **what), "elig", l=3)
        release.write(tmp_path / name, "parquet")
        written[name] = (tmp_path / name / "data.parquet").read_bytes()
    assert len(set(written.values())) == 1, {name: hash(data) for name, data in written.items()}
    other = voile.anonymize(voile.read(clinic, COLUMNS, query="select * from patients limit 50"), "elig", l=3)
    assert other.frame.height == 50  # control: a query chooses


def test_sqlite_cells_of_several_types(tmp_path):
    """One value in two spellings is not two values; nothing is rounded off."""
    path, spec = tmp_path / "m.db", {"age": {"role": "qi", "type": "decimal"}, "lab": "sensitive"}
    cells = [(12345.678901, 1.0), (0.1, "1"), (7, "k"), ("3.5", "k"), ("", "n/a")]
    fill_mixed(path, cells)
    with opened(Address(SQLITE, "", file=str(path))) as connection:
        frame = connection.frame("t")
    assert frame["age"].to_list() == ["12345.678901", "0.1", "7", "3.5", ""]
    assert frame["lab"].to_list() == ["1.0", "1", "k", "k", "n/a"]
    assert "one value under two spellings" in refusal_of(path, spec, table="t", kind=VoileError)


def fill_mixed(path, cells):
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (age, lab)")
        connection.executemany("insert into t values (?, ?)", cells)
    connection.close()


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "b.db"
    fill_mixed(path, [(1, "k"), (2, "j")])
    with sqlite3.connect(path) as connection:
        connection.execute("insert into t values (3, cast(x'ff41fe' as text))")
    connection.close()
    said = refusal_of(path, {"age": "qi", "lab": "sensitive"}, table="t")
    assert "column lab" in said and "UTF-8" in said


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError):
        voile.read(tmp_path / "pipe", COLUMNS)


def test_what_failed_is_not_committed(clinic):
    """The server answers to such a commit as if all were well."""
    with opened(Address.of(clinic), writes=True) as connection:
        connection.run("create table half (a integer)")
        with pytest.raises(OutputError):
            connection.run("select nonsense")
        with pytest.raises(OutputError, match="failed before"):
            connection.commit()
    assert "half" not in tables_of(clinic)


def test_every_type_of_cell(clinic):
    with connected(clinic) as connection:
        connection.execute("create type mood as enum ('calm', 'glad')")
        connection.execute("create domain code as text")
        connection.execute(
            "create table kinds as select 1.50::numeric as n, 'ab'::char(6) as c, 'x'::varchar as v, "
            "date '2020-02-03' as d, timestamp '2020-02-03' as ts, timestamptz '2020-02-03 00:00+00' as tz, "
            "true as b, 3::smallint as s, 4 as i, 5::bigint as l, 0.5::real as r, 0.1::float8 as f, "
            "'glad'::mood as m, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as u, 'z'::code as o, null::text as e"
        )
        connection.execute("insert into kinds default values")
    frame = voile.database(clinic, table="kinds").frame().drop_nulls("n")
    assert frame.rows(named=True)[0] == {
        "n": "1.50",
        "c": "ab    ",
        "v": "x",
        "d": "2020-02-03",
        "ts": "2020-02-03",
        "tz": "2020-02-03",
        "b": True,
        "s": 3,
        "i": 4,
        "l": 5,
        "r": 0.5,
        "f": 0.1,
        "m": "glad",
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "o": "z",
        "e": None,
    }


@pytest.mark.parametrize(
    "cell",
    ["'{1,2}'::int[]", "'{\"a\": 1}'::json", "'{}'::jsonb", "'\\x00'::bytea", "time '10:00'", "interval '1 day'",
     "'127.0.0.1'::inet", "point(1, 2)", "'<a/>'::xml", "int4range(1, 3)", "3.5::money"],
)  # fmt: skip
def test_cells_that_cannot_be_published_are_refused_unless_dropped(clinic, cell):
    query = f"select *, {cell} as extra from patients"
    said = refusal_of(clinic, {**COLUMNS, "extra": "qi"}, query=query)
    assert said.startswith("column extra: cells of an unsupported type")
    assert voile.read(clinic, {**COLUMNS, "extra": "identifying"}, query=query).n == 60  # control


@pytest.mark.parametrize(
    ("column", "cell", "where"),
    [
        ("born", "'infinity'", "column born, row 61"),
        ("born", "'0044-03-15 BC'", "column born, row 61"),
        ("income", "'NaN'", "column income, row 61"),
        ("age", "null", "column age, row 61"),
    ],
)
def test_cells_without_a_place_on_an_axis_are_refused_by_position(clinic, column, cell, where):
    with connected(clinic) as connection:
        connection.execute("insert into patients values ('a', 3, '2000-01-01', 'b', 1, 'flu')")
        connection.execute(f"update patients set {column} = {cell} where name = 'a'")
    said = refusal_of(clinic, table="patients")
    assert said.startswith(where) and cell.strip("'") not in said.replace("null", "")


def test_a_time_of_day_is_refused(clinic):
    query = "select name, age, born + time '10:00' as born, town, income, disease from patients"
    assert "column born, row 1" in refusal_of(clinic, query=query)
    midnight = query.replace("10:00", "00:00")
    assert voile.read(clinic, COLUMNS, query=midnight).n == 60  # control


def test_one_moment(clinic):
    """Whoever commits while we read is not seen; the next reader sees it."""
    with opened(voile.database(clinic, table="patients").address) as reader:
        before = reader.frame('"patients"').height
        with connected(clinic) as writer:
            writer.execute("insert into patients select * from patients")
        assert reader.frame('"patients"').height == before == 60
    assert voile.database(clinic, table="patients").frame().height == 120  # control


WRITES = {
    "insert": "insert into patients select * from patients returning *",
    "delete": "delete from patients returning *",
    "with": "with gone as (delete from patients returning *) select * from gone",
    "function": "select empty_it() as name",
    "sequence": "select nextval('tickets') as name",
    "two statements": "select 1) as given; delete from patients; select * from (select 1",
    "out of the brackets": "select 1) as given; commit; begin; delete from patients; --",
    "not a query": "drop table patients",
}


@pytest.mark.parametrize("name", WRITES)
def test_a_query_never_writes(clinic, name):
    with connected(clinic) as connection:
        connection.execute("create sequence tickets")
        connection.execute(
            "create function empty_it() returns text language plpgsql as "
            "$$ begin delete from patients; return 'x'; end $$"
        )
    refusal_of(clinic, query=WRITES[name])
    assert rows_in(clinic) == 60
    with connected(clinic) as connection:
        assert connection.execute("select is_called from tickets").fetchone() == (False,)
        if name == "function":  # control: it does delete
            connection.execute(WRITES[name])
            assert rows_in(clinic) == 0


def test_sqlite_is_never_written(tmp_path):
    path = fill_sqlite(tmp_path / "clinic.db")
    before = path.read_bytes()
    for query in ("delete from patients returning *", "drop table patients", "select 1; drop table patients; --"):
        refusal_of(path, kind=(InputError, SpecError), query=query)
    assert path.read_bytes() == before and sorted(tmp_path.iterdir()) == [path]
    assert voile.read(path, COLUMNS, table="patients").n == 60  # control


STRANGE = [
    'a"b',
    "two words",
    "ünï cødé",
    "select",
    "x; drop table patients; --",
    "'); --",
    "with.point",
    "Capital",
]


@pytest.mark.parametrize("name", STRANGE)
def test_names_are_names(clinic, name, tmp_path):
    quoted = '"' + name.replace('"', '""') + '"'
    with connected(clinic) as connection:
        connection.execute(f"create table {quoted} as select * from patients limit 50".encode())
    path = fill_sqlite(tmp_path / "clinic.db", people(50), quoted)
    typed = quoted if {".", '"'} & set(name) else name
    for address in (clinic, path):
        assert voile.read(address, COLUMNS, table=typed).n == 50
    assert rows_in(clinic) == 60
    assert "no such table" in refusal_of(clinic, table=typed[:-1] + "x" if typed[-1] != '"' else '"nobody"')


def test_names_that_are_none(clinic):
    for name in ("", "a.b.c", 'a"b', '"a', "a\0b", "a\nb"):
        with pytest.raises(ParameterError, match="not the name of a table"):
            voile.read(clinic, COLUMNS, table=name)


def test_what_to_read_must_be_said(clinic, tmp_path):
    path = fill_sqlite(tmp_path / "clinic.db")
    for source in (clinic, path, f"sqlite:///{path}"):
        assert "neither a table nor a query" in refusal_of(source, kind=ParameterError)
        assert "both a table and a query" in refusal_of(source, kind=ParameterError, table="a", query="b")
    people().write_csv(tmp_path / "t.csv")
    assert "only databases have tables" in refusal_of(tmp_path / "t.csv", kind=ParameterError, table="a")


def test_identifying_cells_are_not_fetched(clinic):
    """A column that cannot even be computed is dropped all the same; who needs it fails."""
    with connected(clinic) as connection:
        connection.execute(
            "create view seen as "
            "select (1 / (age - age))::text as name, age, born, town, income, disease from patients"
        )
    assert voile.read(clinic, COLUMNS, table="seen").n == 60
    with pytest.raises(InputError, match="the query fails on a value"):
        voile.inspect(voile.database(clinic, table="seen"))


def test_columns_that_are_not_declared_or_twice(clinic):
    said = refusal_of(clinic, kind=SpecError, query="select *, 1 as more from patients")
    assert "1 column not declared" in said
    said = refusal_of(clinic, query="select *, 1 as age from patients")
    assert "two columns of one name" in said
    assert "no rows" in refusal_of(clinic, query="select * from patients where false")


def test_a_column_of_sqlite_whose_type_comes_late(tmp_path):
    """The driver types by the first rows it sees."""
    late = people(3000).with_columns(
        town=pl.when(pl.int_range(3000) < 2000).then(None).otherwise("town"), age=pl.lit("30")
    )
    path = fill_sqlite(tmp_path / "clinic.db", late)
    spec = {**COLUMNS, "town": {"role": "qi", "missing": "category"}}
    assert voile.read(path, spec, table="patients").n == 3000
    assert "missing values: 2000 in town" in refusal_of(path, table="patients")


def test_what_the_server_refuses_is_said_in_our_words(postgresql, clinic, tmp_path, monkeypatch):
    with connected(clinic) as connection:
        connection.execute("drop role if exists guest")
        connection.execute(f"create role guest login password '{PASSWORD}'")
    guest = clinic.replace("steward@", "guest@")
    assert "not permitted" in refusal_of(guest, table="patients")
    assert "no such database" in refusal_of(postgresql.address("nowhere"), table="patients")
    assert "does not answer" in refusal_of("postgresql://steward@127.0.0.1:1/x", table="patients")
    assert "not a query" in refusal_of(clinic, query="select nonsense(age) from patients")
    assert "no such column" in refusal_of(clinic, query="select nothing from patients")
    (tmp_path / "no.db").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    assert "not an SQLite database" in refusal_of(tmp_path / "no.db", table="patients")
    assert "cannot be opened" in refusal_of(f"sqlite:///{tmp_path}/absent.db", table="patients")
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert "user or password not accepted" in refusal_of(clinic, table="patients")
    monkeypatch.delenv("PGPASSWORD")
    assert "user or password not accepted" in refusal_of(clinic, table="patients")
    secrets = tmp_path / "pgpass"
    secrets.write_text(f"*:*:*:*:{PASSWORD}\n")
    secrets.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(secrets))
    assert voile.read(clinic, COLUMNS, table="patients").n == 60  # control: the server's own file is read


def test_without_the_extra_it_is_named():
    code = (
        "import sys; sys.modules['adbc_driver_sqlite'] = None; import voile\n"
        "try: voile.database('sqlite:///x.db', table='t').frame()\n"
        "except voile.VoileError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'voile[sql]'" in done.stdout


def test_commands_take_addresses(clinic, tmp_path):
    """inspect writes a spec that anonymize takes, by the command that it prints; a series is published, too."""
    done = client("inspect", clinic, "--table", "patients", "--sensitive", "disease", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "--table patients" in done.out and (tmp_path / "patients.toml").is_file()
    (tmp_path / "s.toml").write_text(SPEC.replace('"identifying"', '"subject"'))
    assert client("ledger", "create", "s.ledger", cwd=tmp_path, VOILE_KEYS=str(tmp_path / "keys")).code == 0
    place = {"cwd": tmp_path, "VOILE_KEYS": str(tmp_path / "keys")}
    done = client("publish", clinic, "--table", "patients", "-s", "s.toml", "-p", "m=3", **place)
    assert done.code == 0, done.err
    assert (tmp_path / "release-1" / "data.csv").is_file()


def test_a_query_is_not_repeated(clinic, tmp_path):
    query = "select * from patients where name <> 'cnry0123'"
    done = client("inspect", clinic, "--query", query, "--sensitive", "disease", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "cnry0123" not in done.out + done.err + (tmp_path / "query.toml").read_text()
    assert "--query" in done.out


def test_another_client_can_read_meanwhile(clinic):
    """A reader that waits for nobody, and lets nobody wait."""
    with connected(clinic) as writer:
        writer.autocommit = False
        writer.execute("insert into patients select * from patients")
        assert voile.read(clinic, COLUMNS, table="patients").n == 60
        writer.rollback()
