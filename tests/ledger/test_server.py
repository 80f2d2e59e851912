"""A ledger on a server: what an administrator, another program or another server does to it is refused, in plain
words that tell nothing."""

import contextlib
import shutil
import sys
import time

import psycopg
import pytest

from tests.ledger.clinic import FLU, begin, known, people_of, publish, session
from tests.servers.postgresql import OWNER, PASSWORD
from voile.errors import LedgerRefused, ParameterError, VoileError
from voile.ledger import UNKNOWN, Ledger
from voile.ledger.postgresql import _lock_of
from voile.ledger.recovery import verify
from voile.ledger.witness import Witness, witness_of

pytestmark = pytest.mark.slow  # of servers, copied and restarted


def schema_of(address):
    return address.partition("#")[2]


def run(address, *statements):
    """As an administrator with a client of their own."""
    with psycopg.connect(address.partition("#")[0], autocommit=True) as other:
        other.execute(f"set search_path = {schema_of(address)}")
        return [other.execute(statement) for statement in statements]


def shown(address, setting):
    """What a session finds that begins now."""
    with psycopg.connect(address.partition("#")[0]) as other:
        return other.execute(f"show {setting}").fetchone()[0]


@pytest.fixture
def small(server_ledger):
    session(server_ledger, ["ann", "bob"], ["carl"])
    return server_ledger


@pytest.mark.parametrize(
    "change",
    [
        "update memory set signatures = decode(repeat('00', length(signatures)), 'hex') where page = 1",
        "update memory set pseudonyms = decode(repeat('ab', length(pseudonyms)), 'hex') where page = 1",
        "update memory set release = 0",
        "update memory set salt = decode(repeat('ab', 16), 'hex')",
        "delete from memory where page = 2",
        "delete from memory",
        """update signature set labels = '["HIV","flu"]'""",
        "insert into signature values (2, '[\"HIV\"]')",
        "delete from signature",
        "update chain set body = replace(body, '2', '3') where number = 2",
        "update chain set kind = 'withdrawn' where kind = 'committed'",
        "delete from chain where number = 3",
        "delete from chain where number > 4",
        "delete from chain",
        "update meta set value = '2' where name = 'generation'",
        "insert into meta values ('more', '1')",
        "drop table signature",
        "delete from voile",
        "alter table memory rename column salt to pepper",
        "alter table voile alter column version type text using 'many'",
        "alter table chain alter column number type text using 'one ' || number",
        "alter table memory alter column salt type text using 'salt'",
    ],
)
def test_changes_by_an_administrator(small, change):
    Ledger.open(small).close()  # positive control: untouched it opens
    run(small, change)
    for attest in (False, True):
        with pytest.raises(LedgerRefused):
            Ledger.open(small, attest_current=attest)
    if "> 4" not in change:  # a chain without its end is a chain: only the witness knows
        with pytest.raises(LedgerRefused):
            Ledger.read(small)


def test_the_newest_release_removed_as_if_it_never_was(small):
    """All of it, consistently, as from yesterday's backup: the witness knows."""
    with Ledger.open(small) as ledger:
        head = ledger.chain[3]
    run(small, "delete from chain where number > 4", "delete from memory where page = 2")
    assert Ledger.read(small).head == head.hash  # it is a sound ledger, only an old one
    with pytest.raises(LedgerRefused, match="old copy"):
        Ledger.open(small, attest_current=True)


@pytest.fixture
def database(postgresql, monkeypatch):
    """A database of its own, to be copied and restored."""
    for name, value in postgresql.environment.items():
        monkeypatch.setenv(name, value)
    names = ["hospital", "hospital_copy", "hospital_gone"]

    def administer(*statements):
        with psycopg.connect(postgresql.address(), autocommit=True) as admin:
            for statement in statements:
                admin.execute(statement)

    dropped = [f"drop database if exists {name} with (force)" for name in names]
    administer(*dropped, "create database hospital")
    yield administer, postgresql
    administer(*dropped)


def test_a_copied_database_is_not_the_ledger(database):
    administer, server = database
    original, copy = (f"{server.address(name)}#clinic" for name in ("hospital", "hospital_copy"))
    Ledger.create(original)
    session(original, ["ann"])
    administer("create database hospital_copy template hospital")
    with pytest.raises(LedgerRefused, match="another database") as refusal:
        Ledger.open(copy)
    assert "--attest-current" in refusal.value.remedy
    assert any(finding.ok is False and "another database" in finding.what for finding in verify(copy))
    session(original, ["bob"])  # positive control
    for attest in (False, True):
        with pytest.raises(LedgerRefused, match="old copy"):
            Ledger.open(copy, attest_current=attest)


def test_two_copies_that_went_on_separately(database, keys, tmp_path, monkeypatch):
    administer, server = database
    original, copy = (f"{server.address(name)}#clinic" for name in ("hospital", "hospital_copy"))
    Ledger.create(original)
    session(original, ["ann"])
    administer("create database hospital_copy template hospital")
    shutil.copytree(keys, tmp_path / "elsewhere")
    with monkeypatch.context() as there:
        there.setenv("VOILE_KEYS", str(tmp_path / "elsewhere"))
        Ledger.open(copy, attest_current=True).close()
        session(copy, ["emil"])
    session(original, ["bob"])
    for attest in (False, True):
        with pytest.raises(LedgerRefused, match="another way"):
            Ledger.open(copy, attest_current=attest)


def test_yesterdays_database_in_todays_place(database):
    administer, server = database
    ledger = f"{server.address('hospital')}#clinic"
    Ledger.create(ledger)
    session(ledger, ["ann"])
    administer("create database hospital_copy template hospital")
    session(ledger, ["bob"])
    administer(
        "alter database hospital rename to hospital_gone", "alter database hospital_copy rename to hospital"
    )
    with pytest.raises(LedgerRefused, match="old copy") as refusal:
        Ledger.open(ledger)
    assert refusal.value.exit_code == 3
    administer(
        "alter database hospital rename to hospital_copy", "alter database hospital_gone rename to hospital"
    )
    session(ledger, ["carl"])  # positive control: the original, back in its place


def test_another_machine_has_a_witness_of_its_own(small, keys, tmp_path, monkeypatch):
    """It begins with a word, and then both go on, each behind the other for a while."""
    away = tmp_path / "elsewhere"
    away.mkdir(mode=0o700)
    shutil.copy(next(keys.glob("*.key")), away)
    with monkeypatch.context() as there:
        there.setenv("VOILE_KEYS", str(away))
        with pytest.raises(LedgerRefused, match="no witness"):
            Ledger.open(small)
        Ledger.open(small, attest_current=True).close()
        session(small, ["dora"])
    session(small, ["emil"])  # here the witness was behind
    with monkeypatch.context() as there:
        there.setenv("VOILE_KEYS", str(away))
        with Ledger.open(small) as ledger:
            assert known(ledger, ["ann", "dora", "emil"]) == [FLU] * 3
    seen = Witness.read(witness_of(ledger.key_path), ledger.id)
    assert seen.head == ledger.head


def test_a_release_begun_on_another_machine(server_ledger, tmp_path, monkeypatch):
    from voile.ledger import recovery

    with Ledger.open(server_ledger) as ledger:
        begin(ledger, ["ann"], folder=tmp_path / "r1")
        (here,) = recovery.recover(ledger)
        monkeypatch.setattr(recovery, "this_machine", lambda ledger: "another")
        (there,) = recovery.recover(ledger)
        assert (here.result, there.result) == ("open", "open")
        assert "another machine" in there.why and "another machine" not in here.why
        assert known(ledger, ["ann"]) == [FLU]


def test_another_program_that_writes_is_noticed(server_ledger):
    with Ledger.open(server_ledger) as ledger:
        begin(ledger, ["ann"])
        run(server_ledger, "delete from chain where number = 2")
        with pytest.raises(LedgerRefused, match="another program"):
            ledger.audited(1, {})


def test_a_lock_that_was_lost_is_noticed(server_ledger):
    """As behind a proxy that shares connections: the lock stays with one of them."""
    with Ledger.open(server_ledger) as ledger:
        ledger._hold.connection.execute("select pg_advisory_unlock_all()")
        with psycopg.connect(server_ledger.partition("#")[0], autocommit=True) as other:
            other.execute("select pg_advisory_lock(%s)", (_lock_of(schema_of(server_ledger)),))
            with pytest.raises(LedgerRefused, match="another connection"):
                begin(ledger, ["ann"])
    session(server_ledger, ["ann"])


def test_a_session_that_the_server_ends(server_ledger):
    with Ledger.open(server_ledger) as ledger:
        begin(ledger, ["ann"])
        own = ledger._hold.connection.value("select pg_backend_pid()")
        run(server_ledger, f"select pg_terminate_backend({own}, 5000)")
        for _ in range(2):
            with pytest.raises(LedgerRefused):
                ledger.audited(1, {})
    with Ledger.open(server_ledger, patience=5) as ledger:
        assert known(ledger, ["ann"]) == [FLU] and ledger.releases()[0].state == "reserved"


@pytest.mark.parametrize("arrived", [False, True])
def test_a_commit_in_doubt(server_ledger, monkeypatch, arrived):
    """The answer to a commit is lost: who asks does not know, and opening finds out."""
    ledger = Ledger.open(server_ledger)
    connection = ledger._hold.connection
    execute = connection.execute

    def lost(sql, *parameters):
        if sql != "commit":
            return execute(sql, *parameters)
        if arrived:
            execute(sql)
        connection.close()
        return execute(sql)

    monkeypatch.setattr(connection, "execute", lost)
    with pytest.raises(LedgerRefused, match="connection to the server was lost"):
        begin(ledger, ["ann"])
    with pytest.raises(LedgerRefused, match="open it again"):
        begin(ledger, ["ann"])
    ledger.close()
    with Ledger.open(server_ledger) as ledger:
        assert known(ledger, ["ann"]) == [FLU if arrived else UNKNOWN]
        assert ledger.next_release == (2 if arrived else 1)


def test_a_commit_that_rolled_back_is_no_commit(server_ledger):
    with Ledger.open(server_ledger) as ledger:
        hold = ledger._hold
        swallowed = contextlib.suppress(LedgerRefused)
        with pytest.raises(LedgerRefused, match="did not commit"), hold.transaction() as connection, swallowed:
            connection.execute("select nonsense")
        with hold.transaction() as connection:  # positive control
            connection.execute("select 1")


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_forgets_is_refused(postgresql, small, setting):
    def put(value):
        run(small, f"alter system set {setting} = {value}", "select pg_reload_conf()")
        until = time.monotonic() + 120
        while shown(small, setting) != value:
            assert time.monotonic() < until, "the server does not read its settings again"

    put("off")
    try:
        for use in (Ledger.open, lambda place: Ledger.create(f"{place}_more")):
            with pytest.raises(LedgerRefused, match=f"{setting} = off"):
                use(small)
        assert Ledger.read(small).persons == 3  # looking is harmless
    finally:
        put("on")
    Ledger.open(small).close()


def test_what_a_role_prefers_does_not_matter(small):
    """Timeouts, read-only and lazy commits that a role or its database sets."""
    prefers = {"synchronous_commit": "off", "default_transaction_read_only": "on", "idle_session_timeout": "1min"}
    run(small, *(f"alter role {OWNER} set {name} = '{value}'" for name, value in prefers.items()))
    try:
        with Ledger.open(small) as ledger:
            value = ledger._hold.connection.value
            assert value("select current_setting('synchronous_commit')") == "on"
            assert value("select current_setting('idle_session_timeout')") == "0"
            publish(ledger, ["dora"])
    finally:
        run(small, "set default_transaction_read_only = off", f"alter role {OWNER} reset all")


@pytest.mark.parametrize("right", ["select on memory to public", "select (pseudonyms) on memory to analyst"])
def test_what_others_may_read_is_refused(small, right):
    run(small, "drop role if exists analyst", "create role analyst", f"grant {right}")
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match="others than its owner"):
            use(small)
    run(small, f"revoke {right.replace(' to ', ' from ')}", "drop role analyst")
    Ledger.open(small).close()


def test_what_a_server_grants_unasked_is_revoked(address):
    run(address, "drop role if exists analyst", "create role analyst")
    privileges = "alter default privileges {} select on tables {} analyst"
    run(address, privileges.format("grant", "to"))
    try:
        Ledger.create(address)
        with psycopg.connect(address.partition("#")[0]) as other:
            may = f"select has_table_privilege('analyst', '{schema_of(address)}.memory', 'select')"
            assert other.execute(may).fetchone() == (False,)
        session(address, ["ann"])
    finally:
        run(address, privileges.format("revoke", "from"), "drop role analyst")


def test_a_role_without_rights(small, postgresql):
    stranger = small.replace(f"{OWNER}@", "stranger@")
    run(small, "drop role if exists stranger", f"create role stranger login password '{PASSWORD}'")
    try:
        for use in (Ledger.open, Ledger.read):
            with pytest.raises(LedgerRefused) as refusal:
                use(stranger)
            assert refusal.value.exit_code == 3
        with pytest.raises(LedgerRefused, match="role may not"):
            Ledger.create(f"{stranger}_own")
    finally:
        run(small, "drop role stranger")


def test_an_ordinary_role_is_enough(address):
    """Not a superuser: one that may make a schema, or was given an empty one."""
    base, _, name = address.partition("#")
    plain = base.replace(f"{OWNER}@", "plain@")
    role = f"create role plain login password '{PASSWORD}'"
    run(address, "drop role if exists plain", role, f"create schema {name}_given authorization plain")
    try:
        with pytest.raises(LedgerRefused, match="role may not"):
            Ledger.create(f"{plain}#{name}_own")
        run(address, "grant create on database postgres to plain")
        for ledger in (f"{plain}#{name}_own", f"{plain}#{name}_given"):
            Ledger.create(ledger)
            session(ledger, ["ann", "bob"], ["carl"])
            with Ledger.open(ledger) as opened:
                opened.erase(people_of(opened, ["ann"]))
                opened.rotate()
                assert known(opened, ["bob", "carl"]) == [FLU, FLU]
            assert all(finding.ok is not False for finding in verify(ledger))
        other = ledger.replace("plain@", "second@")
        run(address, f"create role second login password '{PASSWORD}'", "grant plain to second")
        session(other.replace("#", "?options=-c%20role%3Dplain#"), ["dora"])  # another publisher, the same owner
    finally:
        run(address, "drop owned by plain cascade", "drop role if exists second", "drop role plain")


def test_tables_of_a_newer_version(small):
    run(small, "update voile set version = 99")
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match="newer Voile"):
            use(small)


def test_a_ledger_with_content_is_migrated_when_opened(small, monkeypatch):
    from voile.ledger import postgresql as module

    later = (*module.STEPS, lambda connection: connection.execute("alter table memory add column more text"))
    monkeypatch.setattr(module, "STEPS", later)
    with Ledger.open(small) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
    assert run(small, "select version from voile")[0].fetchall() == [(2,)]
    session(small, ["dora"])


def test_create_never_overwrites(small):
    head = Ledger.read(small).head
    with pytest.raises(LedgerRefused, match="exists"):
        Ledger.create(small)
    run(small, "create schema if not exists occupied", "create table if not exists occupied.taken (x int)")
    with pytest.raises(LedgerRefused, match="exists"):
        Ledger.create(f"{small.partition('#')[0]}#occupied")
    run(small, "drop schema occupied cascade", "create schema prepared")
    Ledger.create(f"{small.partition('#')[0]}#prepared")  # an administrator made an empty one for us
    run(small, "drop schema prepared cascade")
    assert Ledger.read(small).head == head


@pytest.mark.parametrize("watched", [False, True])
def test_what_was_erased_is_not_left_in_the_servers_files(server_ledger, postgresql, watched):
    """Nor if some other session of the database could still see it."""
    schema = schema_of(server_ledger)

    def stored():
        run(server_ledger, "checkpoint")
        base = next((postgresql.folder / "data").glob("base"))
        return any(b"Quinckemark" in file.read_bytes() for file in base.glob("*/*") if file.is_file())

    with Ledger.open(server_ledger) as ledger:
        publish(ledger, ["ann"], ("Quinckemark", "Weil"))
        publish(ledger, ["bob"])
        assert stored(), schema  # positive control
        with psycopg.connect(server_ledger.partition("#")[0]) as other:
            if watched:
                other.execute("set transaction isolation level repeatable read")
                other.execute("select count(*) from pg_database")
            ledger.erase(people_of(ledger, ["ann"]))
            assert not stored()
        assert known(ledger, ["bob"]) == [FLU]
    assert all(finding.ok is not False for finding in verify(server_ledger))


def test_erasing_again_finishes_what_was_left(server_ledger, monkeypatch):
    from voile.ledger.postgresql import ServerHold

    scrubbed = []
    with Ledger.open(server_ledger) as ledger:
        publish(ledger, ["ann"])
        with monkeypatch.context() as busy:
            busy.setattr(ServerHold, "scrub", lambda hold: hold.connection.execute("select nonsense"))
            with pytest.raises(LedgerRefused):
                ledger.erase(people_of(ledger, ["ann"]))
        monkeypatch.setattr(ServerHold, "scrub", lambda hold: scrubbed.append(1))
        assert ledger.erase(people_of(ledger, ["ann"])) == 0 and scrubbed == [1]


def test_nothing_of_a_person_reaches_the_server_in_the_clear(server_ledger, postgresql):
    with Ledger.open(server_ledger) as ledger:
        publish(ledger, ["Evangeline-4711"])
    files = [p for p in (postgresql.folder / "data").rglob("*") if p.is_file()]
    assert not any(b"Evangeline-4711" in file.read_bytes() for file in files)
    assert "Evangeline" not in postgresql.log


@pytest.mark.parametrize(
    "spoil, why",
    [
        (lambda text, server: text.replace(f":{server.port}", ":1"), "cannot be reached"),
        (lambda text, server: text.replace("127.0.0.1", "no.such.host.invalid"), "cannot be found"),
        (lambda text, server: text.replace("/postgres#", "/nowhere#"), "no such database"),
        (lambda text, server: text.replace(f"{OWNER}@", "nobody_here@"), "does not let you in"),
        (lambda text, server: text + "x", "does not exist"),
        (lambda text, server: text.replace("#", "?sslmode=require#"), "encrypted"),
    ],
)
def test_plain_words_when_there_is_no_session(small, postgresql, spoil, why):
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match=why) as refusal:
            use(spoil(small, postgresql))
        said = str(refusal.value)
        assert refusal.value.remedy and refusal.value.exit_code == 3
        assert refusal.value.__context__ is None and refusal.value.__cause__ is None
        for secret in (PASSWORD, "127.0.0.1", str(postgresql.port), OWNER, "nobody_here", "invalid"):
            assert secret not in said


def test_a_wrong_password(small, monkeypatch):
    Ledger.open(small).close()  # positive control
    monkeypatch.setenv("PGPASSWORD", "cnrywrongpassword")
    with pytest.raises(LedgerRefused, match="does not let you in") as refusal:
        Ledger.open(small)
    assert "cnrywrong" not in str(refusal.value) and "PGPASSWORD" in refusal.value.remedy


def test_the_password_may_be_in_a_file(small, monkeypatch, tmp_path):
    monkeypatch.delenv("PGPASSWORD")
    with pytest.raises(LedgerRefused, match="does not let you in"):
        Ledger.open(small)
    (tmp_path / "pass").write_text(f"*:*:*:{OWNER}:{PASSWORD}\n")
    (tmp_path / "pass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pass"))
    Ledger.open(small).close()


@pytest.mark.parametrize("text", ["postgresql://a:cnrypw@h/db#x", "postgresql://h/db?password=cnrypw#x"])
def test_a_password_in_the_address_is_refused(text):
    for use in (Ledger.open, Ledger.read, Ledger.create):
        with pytest.raises(ParameterError, match="a password in it") as refusal:
            use(text)
        assert "cnrypw" not in str(refusal.value)


@pytest.mark.parametrize("name", ["PG", "a-b", "pg_own", 'a"b', "a" * 64, "a b", "ä"])
def test_names_that_are_none(name):
    with pytest.raises(ParameterError, match="not the address of a ledger"):
        Ledger.open(f"postgresql://h/db#{name}")


def test_without_the_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(VoileError, match=r"pip install 'voile\[sql\]'"):
        Ledger.read("postgresql://h/db")
