"""A real PostgreSQL of one's own: temporary folder, loopback, unprivileged user, a password; gone afterwards."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

INSTALL = "no PostgreSQL server: install it, for example apt-get install postgresql"
OWNER = "steward"
PASSWORD = "cnry5e1f0a7b9c3d"  # a canary: tests look for it everywhere
_SETTINGS = {
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "64MB",
    "max_wal_size": "2GB",
    "logging_collector": "off",
}


def programs():
    """The folder of the newest server's programs, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class PostgreSQL:
    """`with PostgreSQL() as server:`; `environment` holds what a client needs beside the address."""

    def __init__(self):
        self.bin = programs()
        if self.bin is None:
            pytest.skip(INSTALL)
        self._user = []
        if os.geteuid() == 0:  # the server refuses to run as root
            try:
                account = pwd.getpwnam("postgres")
            except KeyError:
                pytest.skip(INSTALL)
            # by a program, since a child that changes its user itself needs room for all of its parent
            self._user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        self.folder = Path(tempfile.mkdtemp(prefix="voile-postgresql-"))
        self.port, self._process = free_port(), None
        if self._user:
            os.chown(self.folder, account.pw_uid, account.pw_gid)

    @property
    def environment(self):
        return {"PGPASSWORD": PASSWORD}

    def address(self, database="postgres"):
        """Without the password, as a steward types it."""
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{database}"

    def __enter__(self):
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(
            "initdb", "-D", self._data, "-U", OWNER, "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "-N"
        )
        secret.unlink()
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _data(self):
        return self.folder / "data"

    @property
    def log(self):
        """What the server said, for canaries."""
        return (self.folder / "log").read_text(errors="replace")

    def _run(self, program, *arguments):
        subprocess.run(
            [*self._user, self.bin / program, *arguments],
            check=True,
            capture_output=True,
            cwd=self.folder,
            timeout=120,
        )

    def start(self):
        """Start, also after a crash: the server recovers by itself."""
        options = [f"--{name}={value}" for name, value in {**_SETTINGS, "port": self.port}.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._user, self.bin / "postgres", "-D", self._data, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )
        until = time.monotonic() + 60
        ready = [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode:
            assert self._process.poll() is None, self.log
            assert time.monotonic() < until, "PostgreSQL does not start"
            time.sleep(0.05)

    def kill(self):
        """A crash: every process at once, nothing said to anybody, nothing brought to an end."""
        if self._process is not None and self._process.poll() is None:
            # backends are in other sessions: an immediate stop ends them all
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)
        self._process = None
