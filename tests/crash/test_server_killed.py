"""The server, or we, killed in the middle of --to: nothing is half there, and the next run goes through."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

import voile
from tests.servers.patients import SPEC, connected, fill, new_database, people, tables_of
from tests.servers.postgresql import PASSWORD

pytestmark = pytest.mark.slow  # a server that recovers, several times
ROWS = 6000

# Each moment is a sleep that the server itself falls into; the rehearsal at the beginning is let through.
_TRIGGER = """
create function sleep_now() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$;
create function at_creation() returns event_trigger language plpgsql as $$
declare made record;
begin
  if current_query() like '%rehearsed%' then return; end if;
  for made in select * from pg_event_trigger_ddl_commands() loop {what} end loop;
end $$;
create event trigger slow on ddl_command_end when tag in ('CREATE TABLE') execute function at_creation();
"""
_CREATE = "create {kind} trigger slow after insert on %s {when} for each row execute function sleep_now()"
MOMENTS = {
    "creating": "perform pg_sleep(600);",
    "copying": f"execute format('{_CREATE.format(kind='', when='')}', made.objid::regclass);",
    "committing": "execute format('"
    + _CREATE.format(kind="constraint", when="deferrable initially deferred")
    + "', made.objid::regclass);",
}
_SLEEPING = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
# Stops when it has read the first of its tables again: in the middle of the audit.
PAUSES = """
import sys
from voile.sql.connection import Connection

really, seen = Connection.frame, []

def frame(connection, relation, blank=()):
    found = really(connection, relation, blank)
    if connection.writes and not seen:
        seen.append(relation)
        print("auditing", flush=True)
        sys.stdin.readline()
    return found

Connection.frame = frame
"""


@pytest.fixture
def clinic(postgresql, tmp_path, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    (tmp_path / "s.toml").write_text(SPEC)
    return fill(new_database(postgresql, "killed"), people(ROWS))


def command(clinic):
    made = ["anonymize", clinic, "--table", "patients", "-s", "s.toml", "-a", "elig", "-p", "l=3", "-o", "out"]
    return [*made, "--to", clinic, "--to-table", "released"]


@contextlib.contextmanager
def begun(clinic, folder, before=""):
    """A command under way; whatever a test finds, it is not left behind."""
    child = [sys.executable, "-c", f"{before}\nfrom voile.cli.main import main; main()", *command(clinic)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(child, cwd=folder, env={**os.environ, "PGPASSWORD": PASSWORD}, **pipes) as running:
        try:
            yield running
        finally:
            running.kill()


def wait_for(clinic, query, child):
    with connected(clinic) as watcher:
        for _ in range(60_000):
            if watcher.execute(query).fetchone()[0]:
                return
            assert child.poll() is None, child.communicate()
            time.sleep(0.001)
    raise AssertionError("the moment never came")


def recovered(clinic, folder):
    """Nothing is there, and the next run makes all of it."""
    assert tables_of(clinic) == {"patients"}
    assert {path.name for path in folder.iterdir()} <= {"s.toml"}
    with connected(clinic) as connection:
        connection.execute("drop event trigger if exists slow")
    again(clinic, folder)


def again(clinic, folder):
    """In this process: it has all that is compiled."""
    source = voile.database(clinic, table="patients")
    voile.publish(source, folder / "s.toml", "elig", folder / "out", l=3, to=clinic, to_table="released")
    assert tables_of(clinic) == {"patients", "released", "released_certificate"}
    assert voile.audit(voile.database(clinic, table="released"), folder / "s.toml", require="l>=3").ok
    assert {path.name for path in folder.iterdir()} == {"s.toml", "out"}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_server_is_killed_while(postgresql, clinic, tmp_path, moment):
    with connected(clinic) as connection:
        connection.execute(_TRIGGER.format(what=MOMENTS[moment]))
    with begun(clinic, tmp_path) as child:
        wait_for(clinic, _SLEEPING, child)
        assert tables_of(clinic) == {"patients"}
        postgresql.kill()
        _, said = child.communicate(timeout=120)
    postgresql.start()
    assert child.returncode == 2 and "defect" not in said, said
    assert ("did not confirm" in said) == (moment == "committing"), said
    recovered(clinic, tmp_path)


def test_the_server_is_killed_during_the_audit(postgresql, clinic, tmp_path):
    with begun(clinic, tmp_path, PAUSES) as child:
        assert child.stdout.readline() == "auditing\n"
        assert tables_of(clinic) == {"patients"}
        postgresql.kill()
        _, said = child.communicate("\n", timeout=120)
    postgresql.start()
    assert child.returncode == 2 and "defect" not in said, said
    recovered(clinic, tmp_path)


def test_we_are_killed_while_copying(clinic, tmp_path):
    with connected(clinic) as connection:
        connection.execute(_TRIGGER.format(what=MOMENTS["copying"]))
    with begun(clinic, tmp_path) as child:
        wait_for(clinic, _SLEEPING, child)
        child.kill()
    with connected(clinic) as connection:  # the server notices when it wakes up; it is not asked to wait for that
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'")
        while connection.execute(_SLEEPING).fetchone()[0]:
            time.sleep(0.01)
    assert tables_of(clinic) == {"patients"}
    left = [path for path in tmp_path.iterdir() if path.name != "s.toml"]
    assert all(path.name.startswith(".voile-staging-") for path in left)  # the next run sweeps it
    with connected(clinic) as connection:
        connection.execute("drop event trigger slow")
    again(clinic, tmp_path)
