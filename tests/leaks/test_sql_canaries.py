"""The password, and cells, through commands that use a database and every induced failure: nowhere."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.crash.test_server_killed import PAUSES
from tests.servers.patients import SPEC, client, connected, fill, new_database, people
from tests.servers.postgresql import PASSWORD
from voile.cli.main import run

pytestmark = pytest.mark.slow  # a process per failure
CELL = "cnryc3115ecret"


@pytest.fixture
def clinic(postgresql, tmp_path):
    (tmp_path / "s.toml").write_text(SPEC)
    address = fill(new_database(postgresql, "canaries"), people(40))
    with connected(address) as connection:
        connection.execute(f"update patients set name = '{CELL}' || name, town = '{CELL}' || town")
        connection.execute("drop role if exists stranger")
        connection.execute(f"create role stranger login password '{PASSWORD}'")
    return address


def made(address, *what, out="out"):
    return ["anonymize", address, *what, "-s", "s.toml", "-a", "elig", "-p", "l=3", "-o", out]


TABLE = ("--table", "patients")
FAILURES = {
    "bad type": lambda a: made(a, "--query", "select *, town as age from (select name, born, town, income, "
                               "disease from patients) as others"),
    "missing column": lambda a: made(a, "--query", "select name, age from patients"),
    "undeclared": lambda a: made(a, "--query", f"select *, 1 as {CELL} from patients"),
    "two names": lambda a: made(a, "--query", f"select age as {CELL}, born as {CELL} from patients"),
    "not permitted": lambda a: made(a.replace("steward@", "stranger@"), *TABLE),
    "no table": lambda a: made(a, "--table", CELL),
    "syntax": lambda a: made(a, "--query", f"selec '{CELL}'"),
    "cast of a cell": lambda a: made(a, "--query", "select town::integer as age from patients"),
    "literal": lambda a: made(a, "--query", f"select '{CELL}'::integer as age"),
    "division": lambda a: made(a, "--query", "select 1 / (age - age) as age from patients"),
    "raised": lambda a: made(a, "--query", "select shout(town) as town from patients"),
    "no database": lambda a: made(a + "x", *TABLE),
    "unknown host": lambda a: made("postgresql://steward@nowhere.invalid/x", *TABLE),
    "target there": lambda a: [*made(a, *TABLE), "--to", a, "--to-table", "patients"],
    "target not permitted": lambda a: [
        *made(a, *TABLE), "--to", a.replace("steward@", "stranger@"), "--to-table", "x"
    ],
    "password in address": lambda a: made(a.replace("steward@", f"steward:{PASSWORD}@"), *TABLE),
    "password in target": lambda a: [
        *made(a, *TABLE), "--to", a.replace("steward@", f"steward:{PASSWORD}@"), "--to-table", "x"
    ],
}  # fmt: skip


def files_of(folder):
    return {p.name: p.read_bytes().decode("utf-8", "replace") for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", FAILURES)
def test_no_failure_shows_a_cell_or_the_password(clinic, tmp_path, monkeypatch, capfd, name):
    with connected(clinic) as connection:
        connection.execute(
            "create function shout(cell text) returns text language plpgsql as "
            "$$ begin raise exception 'look: %', cell; end $$"
        )
    more = ["--json"] if len(name) % 2 else []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    code = run([*FAILURES[name](clinic), *more])
    said = "".join(capfd.readouterr())  # also what a driver would print by itself
    assert code == 2 and "voile: " in said and "defect" not in said, said
    assert CELL not in said and PASSWORD not in said
    assert set(files_of(tmp_path)) == {"s.toml"}


def test_a_wrong_password_is_not_shown(clinic, tmp_path):
    done = client(*made(clinic, *TABLE), cwd=tmp_path, password="cnrywrongone")
    assert done.code == 2 and "user or password not accepted" in done.err
    assert "cnrywrongone" not in done.out + done.err and "steward" not in done.out + done.err


def looked(clinic):
    """What the server shows of its sessions, and the machine of its processes."""
    with connected(clinic) as other:
        shown = {str(row) for row in other.execute("select * from pg_stat_activity")}
    titles = set()
    for process in Path("/proc").glob("[0-9]*"):
        for part in ("cmdline", "comm"):
            with contextlib.suppress(OSError):
                titles.add((process / part).read_bytes().decode("utf-8", "replace"))
    return shown, titles


def test_the_password_is_in_no_output_file_log_or_title(postgresql, clinic, tmp_path):
    """While a release is made, the list of processes is read again and again; afterwards all that was written."""
    seen, shown, stop = set(), set(), threading.Event()

    def watch():
        while not stop.wait(0.02):
            sessions, titles = looked(clinic)
            shown.update(sessions)
            seen.update(titles)

    environment = {**os.environ, "PGPASSWORD": PASSWORD, "VOILE_REPORT": "yes"}
    arguments = [*made(clinic, *TABLE), "--to", clinic, "--to-table", "released"]
    command = [sys.executable, "-c", f"{PAUSES}\nfrom voile.cli.main import main; main()", *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    watcher = threading.Thread(target=watch)
    watcher.start()
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as done:
        assert done.stdout.readline() == "auditing\n"
        sessions, titles = looked(clinic)  # once surely while its transaction is open
        out, err = done.communicate("\n")
    stop.set()
    watcher.join()
    assert done.returncode == 0, err
    shown, titles = shown | sessions, "".join(seen | titles)
    assert "--to-table" in titles, "control: the command was seen"
    written = files_of(tmp_path)
    assert {"certificate.json", "record.json", "report.html"} <= set(written)
    with connected(clinic) as connection:
        ((stored,),) = connection.execute("select certificate from released_certificate").fetchall()
    assert any("released" in row for row in shown), "control: our session was seen"
    places = {"titles": titles, "server log": postgresql.log, "queries": str(shown), "certificate": stored}
    for where, text in {**places, "screen": out + err, **written}.items():
        assert PASSWORD not in text.replace(f"password '{PASSWORD}'", ""), where
    public = {**written, "screen": out + err, "certificate": stored}
    assert all(f"{CELL}Person" not in text for text in public.values())
    assert PASSWORD in str(environment), "control: the search finds it where it is"
