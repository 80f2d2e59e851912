"""--to: the release as tables, all at once or not at all, and audited before anybody sees them."""

import json
import sqlite3
from dataclasses import replace

import polars as pl
import pytest

import voile
from tests.servers.patients import COLUMNS, SPEC, client, connected, fill, new_database, people, tables_of
from tests.servers.postgresql import PASSWORD
from voile import writing
from voile.errors import OutputError, ParameterError, PromiseBroken
from voile.sql.digest import table_digest

MADE = {"elig": ("elig", {"l": 3}), "anatomy": ("anatomy", {"l": 3}), "m_invariant": ("m_invariant", {"m": 3})}
PARTS = {"elig": {""}, "anatomy": {"", "_sensitive"}, "m_invariant": {"", "_counterfeits"}}


@pytest.fixture
def clinic(postgresql, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return fill(new_database(postgresql, "target"))


def release_by(name="elig"):
    key, parameters = MADE[name]
    columns = COLUMNS | ({"name": "subject"} if name == "m_invariant" else {})
    rows = people(61) if name == "m_invariant" else people()
    return voile.anonymize(voile.read(rows, columns), key, **parameters), columns


def tables_in(path):
    with sqlite3.connect(path) as connection:
        names = {name for (name,) in connection.execute("select name from sqlite_master")}
    connection.close()
    return names


@pytest.mark.parametrize("name", MADE)
def test_a_release_in_tables_is_the_release_in_files(clinic, tmp_path, name):
    release, columns = release_by(name)
    release.write(tmp_path / "files", "parquet")
    release.write(tmp_path / "pg", to=clinic, to_table="released")
    release.write(tmp_path / "lite", to=f"sqlite:///{tmp_path}/new.db", to_table="released")
    expected = {f"released{part}" for part in PARTS[name]} | {"released_certificate"}
    assert tables_of(clinic) == expected | {"patients"}
    assert tables_in(tmp_path / "new.db") == expected
    assert {p.name for p in (tmp_path / "pg").iterdir()} == {"certificate.json", "private"}
    in_files = voile.audit(tmp_path / "files", columns, require="l>=3")
    for address in (clinic, tmp_path / "new.db"):
        source = voile.database(address, table="released")
        found = voile.audit(source, columns, require="l>=3")
        assert found.ok and found.digest_matches
        assert {k: v for k, v in found.document().items()} == in_files.document()
        shown = pl.all().cast(pl.String)
        assert source.frame().select(shown).sort(shown).equals(release.frame.select(shown).sort(shown))
        query = "age between 30 and 40 and disease = 'flu'"
        assert voile.estimate(source, query) == voile.estimate(tmp_path / "files", query)


def test_the_certificate_is_a_table_and_a_file(clinic, tmp_path):
    release, _ = release_by()
    release.write(tmp_path / "out", to=clinic, to_table="released")
    with connected(clinic) as connection:
        ((text,),) = connection.execute("select certificate from released_certificate").fetchall()
    assert json.loads(text) == json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert json.loads(text)["files"] == {"data": table_digest(release.frame)}


def test_rows_have_no_order_and_changes_are_seen(clinic, tmp_path):
    release, columns = release_by()
    release.write(tmp_path / "out", to=clinic, to_table="released")
    source = voile.database(clinic, table="released")
    with connected(clinic) as connection:
        connection.execute("create table other as select * from released order by random()")
        connection.execute("drop table released")
        connection.execute("alter table other rename to released")
    assert voile.audit(source, columns).ok
    with connected(clinic) as connection:
        connection.execute("update released set disease = 'gout' where disease = 'flu'")
    found = voile.audit(source, columns)
    assert not found.ok and found.digest_matches is False


@pytest.mark.parametrize("name", ['a"b', "two words", "ünï", "select", "x; drop table patients; --", "with.point"])
def test_names_are_names(clinic, tmp_path, name):
    typed = '"' + name.replace('"', '""') + '"' if {".", '"'} & set(name) else name
    release, columns = release_by()
    for i, address in enumerate((clinic, f"sqlite:///{tmp_path}/new.db")):
        release.write(tmp_path / f"out{i}", to=address, to_table=typed)
        assert voile.audit(voile.database(address, table=typed), columns).ok
    assert tables_of(clinic) == {"patients", name, f"{name}_certificate"}


def test_a_schema_of_its_own(clinic, tmp_path):
    with connected(clinic) as connection:
        connection.execute("create schema open_data")
    release, columns = release_by()
    release.write(tmp_path / "out", to=clinic, to_table="open_data.released")
    assert voile.audit(voile.database(clinic, table="open_data.released"), columns).ok
    with connected(clinic) as connection:
        found = connection.execute("select count(*) from pg_tables where schemaname = 'open_data'").fetchone()
    assert found == (2,)


def refused(clinic, tmp_path, table, kind=OutputError, to=None):
    release, _ = release_by()
    before = tables_of(clinic)
    with pytest.raises(kind) as refusal:
        release.write(tmp_path / "out", to=to or clinic, to_table=table)
    assert refusal.value.__context__ is None
    assert tables_of(clinic) == before and not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".voile-staging-*"))
    return str(refusal.value)


def test_what_is_there_is_never_overwritten(clinic, tmp_path):
    assert "already there" in refused(clinic, tmp_path, "patients")
    with connected(clinic) as connection:
        connection.execute("create table released_certificate (x integer)")
    assert "already there" in refused(clinic, tmp_path, "released")
    (tmp_path / "old.db").write_bytes(b"anything")
    said = refused(clinic, tmp_path, "released", to=f"sqlite:///{tmp_path}/old.db")
    assert "already there" in said and (tmp_path / "old.db").read_bytes() == b"anything"


def test_what_the_server_would_refuse_is_refused_first(clinic, tmp_path):
    assert "no such schema" in refused(clinic, tmp_path, "nowhere.released")
    assert "66 bytes" in refused(clinic, tmp_path, "a" * 53, ParameterError)
    assert "no name" in refused(clinic, tmp_path, None, ParameterError)
    lite = f"sqlite:///{tmp_path}/new.db"
    assert "SQLite has none" in refused(clinic, tmp_path, "a.b", ParameterError, lite)
    with connected(clinic) as connection:
        connection.execute("drop role if exists reader")
        connection.execute(f"create role reader login password '{PASSWORD}'")
    assert "not permitted" in refused(clinic, tmp_path, "released", to=clinic.replace("steward@", "reader@"))
    release, columns = release_by()
    release.write(tmp_path / "out", to=clinic, to_table="a" * 50)  # control: 62 bytes with what is added
    assert voile.audit(voile.database(clinic, table="a" * 50), columns).ok


def test_long_column_names_are_refused(clinic, tmp_path):
    long = "é" * 32
    columns = {long if name == "town" else name: role for name, role in COLUMNS.items()}
    release = voile.anonymize(voile.read(people().rename({"town": long}), columns), "elig", l=3)
    with pytest.raises(ParameterError, match="64 bytes"):
        release.write(tmp_path / "out", to=clinic, to_table="released")
    assert tables_of(clinic) == {"patients"} and not (tmp_path / "out").exists()


@pytest.mark.parametrize("where", ["postgresql", "sqlite"])
def test_a_failed_audit_reveals_nothing(clinic, tmp_path, monkeypatch, where):
    address = clinic if where == "postgresql" else f"sqlite:///{tmp_path}/new.db"
    release, columns = release_by()
    real = writing.audited
    seen = []

    def spoilt(read, requirements):
        seen.append(read.frame.height)
        return replace(real(read, requirements), failures=("spoilt by a test",))

    monkeypatch.setattr(writing, "audited", spoilt)
    with pytest.raises(PromiseBroken, match="nothing was revealed"):
        release.write(tmp_path / "out", to=address, to_table="released")
    assert seen == [60] and tables_of(clinic) == {"patients"}
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    release.write(tmp_path / "out", to=address, to_table="released")  # control
    assert voile.audit(voile.database(address, table="released"), columns).ok


def test_nobody_sees_it_before_the_end(clinic, tmp_path, monkeypatch):
    release, _ = release_by()
    real = writing.audited
    seen = []

    def watched(read, requirements):
        seen.append(tables_of(clinic))
        return real(read, requirements)

    monkeypatch.setattr(writing, "audited", watched)
    release.write(tmp_path / "out", to=clinic, to_table="released")
    assert seen == [{"patients"}]
    assert tables_of(clinic) == {"patients", "released", "released_certificate"}  # control


def test_a_file_of_its_own_is_private(clinic, tmp_path):
    release, _ = release_by()
    release.write(tmp_path / "out", to=f"sqlite:///{tmp_path}/new.db", to_table="released")
    assert (tmp_path / "new.db").stat().st_mode & 0o777 == 0o600
    assert {p.name for p in tmp_path.iterdir()} == {"new.db", "out"}


def test_the_commands_from_end_to_end(clinic, tmp_path):
    (tmp_path / "s.toml").write_text(SPEC)
    made = ["anonymize", clinic, "--table", "patients", "-s", "s.toml", "-a", "elig", "-p", "l=3"]
    done = client(*made, "-o", "out", "--to", clinic, "--to-table", "released", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "released, released_certificate" in done.out
    done = client("audit", clinic, "--table", "released", "-s", "s.toml", "--require", "l>=3", cwd=tmp_path)
    assert done.code == 0, done.err
    question = "age between 30 and 40"
    done = client("estimate", clinic, "--table", "released", question, "--json", cwd=tmp_path)
    assert done.code == 0 and json.loads(done.out)["rows"] == 60, done.err
    done = client("report", clinic, "--table", "released", "-s", "s.toml", "-o", "page.html", cwd=tmp_path)
    assert done.code == 0 and (tmp_path / "page.html").is_file(), done.err
    for wrong in (["--to", clinic], ["--to-table", "x"], ["--to", clinic, "--to-table", "x", "-f", "csv"]):
        assert client(*made, "-o", "out2", *wrong, cwd=tmp_path).code == 2
    done = client("audit", clinic, "out", "--series", "-s", "s.toml", cwd=tmp_path)
    assert done.code == 2 and "one table at a time" in done.err
