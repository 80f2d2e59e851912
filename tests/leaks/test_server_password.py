"""The password of a server is a canary: after every command that takes a ledger, and failures, it is nowhere."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.crash.scene import Scene
from tests.servers.postgresql import OWNER, PASSWORD
from voile.cli.main import run

TYPED = "cnry0123456789ab"  # one that a steward types into the address
pytestmark = pytest.mark.slow


@pytest.fixture
def scene(tmp_path, postgresql, monkeypatch):
    """The password is in a file, so that it is in no environment either."""
    scene = Scene(tmp_path / "clinic").lay_out()
    scene.out.mkdir(mode=0o700)
    secret = tmp_path / "pgpass"
    secret.write_text(f"*:*:*:{OWNER}:{PASSWORD}\n")
    secret.chmod(0o600)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(secret))
    monkeypatch.setenv("VOILE_KEYS", str(scene.keys))
    with psycopg.connect(postgresql.address(), autocommit=True) as admin:
        for name in ("canary", "canary_again"):
            admin.execute(f"drop schema if exists {name} cascade")
    scene.ledger = f"{postgresql.address()}#canary"
    return scene


def life(scene):
    """Every command that takes a ledger, each also where it must refuse."""
    ledger, again, file = scene.ledger, f"{scene.ledger}_again", str(scene.root / "moved.ledger")
    (scene.root / "gone.txt").write_text("P001\n")
    publish = [scene.publish("t1"), scene.publish("t2", "--preview"), scene.publish("t2", "--report")]
    yield from ((0, command) for command in (scene.create(), *publish))
    table = [str(scene.root / "own7.csv"), "-s", str(scene.spec), "-p", "l=2", "-o", str(scene.out / "once")]
    yield 3, ["anonymize", *table, "--ledger", ledger]  # its persons are known
    yield 2, ["anonymize", *table, "--against", "series", "--ledger", ledger]
    yield 3, scene.create()
    for more in (["show"], ["show", "--json"], ["verify"], ["verify", "--json"], ["recover"]):
        yield 0, ["ledger", more[0], ledger, *more[1:]]
    yield 0, ["ledger", "withdraw", ledger, "1", "--reason", "x"]
    yield 0, ["ledger", "erase", ledger, "--persons", str(scene.root / "gone.txt")]
    yield 0, ["ledger", "key", ledger, "--rotate"]
    yield 0, ["ledger", "copy", ledger, file]
    yield 3, scene.publish("t3")
    yield 0, ["ledger", "copy", file, again, "--json"]
    for spoiled in (again.replace("127.0.0.1", "no.such.host.invalid"), again.replace("/postgres#", "/none#")):
        yield 3, ["ledger", "show", spoiled]
    for typed in (again.replace("@", f":{TYPED}@"), again.replace("#", f"?password={TYPED}#")):
        for command in (["show"], ["verify"], ["recover"], ["key"], ["create"]):
            yield 2, ["ledger", *command, typed]
        yield 2, ["ledger", "copy", again, typed]
        yield 2, ["anonymize", *table, "--against", "series", "--ledger", typed]
        yield 2, [*scene.publish("t3"), "--ledger", typed]


def written(*folders):
    return [p for folder in folders for p in folder.rglob("*") if p.is_file() and p.name != "pgpass"]


def test_nowhere(scene, postgresql, capfd):
    said = ""
    for code, command in life(scene):
        assert run(command) == code, command[:2]
        streams = capfd.readouterr()
        said += streams.out + streams.err
    postgresql.kill()
    assert run(["ledger", "show", scene.ledger]) == 3
    postgresql.start()
    said += "".join(capfd.readouterr())
    assert said.count("m-invariance") and OWNER in Path(os.environ["PGPASSFILE"]).read_text()
    for canary in (PASSWORD, TYPED):
        assert canary not in said and canary not in postgresql.log
        files = written(scene.root, postgresql.folder)
        assert len(files) > 50 and not [p for p in files if canary.encode() in p.read_bytes()]
        assert PASSWORD in Path(os.environ["PGPASSFILE"]).read_text()  # positive control: it is what we look for


WATCHED = """
import sys
from voile.ledger import Ledger

Ledger.create(sys.argv[1])
with Ledger.open(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.readline()
"""


def test_not_in_the_table_of_processes(scene, postgresql):
    """Of a publisher at work, its children included; nor does the server see it in what it runs."""
    child = subprocess.Popen(
        [sys.executable, "-c", WATCHED, scene.ledger], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "open\n"
    seen = b"".join(Path(f"/proc/{child.pid}/{name}").read_bytes() for name in ("cmdline", "environ"))
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=False).stdout
    with psycopg.connect(postgresql.address()) as admin:
        busy = str(admin.execute("select * from pg_stat_activity").fetchall())
    child.communicate("\n")
    assert child.returncode == 0 and "'voile'" in busy and scene.ledger.encode() in seen
    assert PASSWORD not in busy and PASSWORD.encode() not in seen + listed
