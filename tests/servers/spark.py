"""A real Spark cluster of one's own: a master and two workers on loopback, from the PySpark package; gone
afterwards."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from tests.servers.postgresql import free_port

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for virtual machines that live for seconds
INSTALL = "no Java: install it, for example apt-get install openjdk-17-jre-headless"


class SparkCluster:
    """`with SparkCluster() as cluster:`; `settings` are what a session needs to be let in."""

    def __init__(self, workers=2, memory="2g"):
        if shutil.which("java") is None:
            pytest.skip(INSTALL)
        pyspark = pytest.importorskip("pyspark", reason="no PySpark: pip install 'voile[spark]'")
        self.home = Path(pyspark.__file__).parent
        self.folder = Path(tempfile.mkdtemp(prefix="voile-cluster-"))
        self.port, self.workers, self.memory, self._running = free_port(), workers, memory, []

    @property
    def master(self):
        return f"spark://127.0.0.1:{self.port}"

    @property
    def settings(self):
        return {
            "spark.authenticate": "true",
            "spark.executor.memory": "1g",
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.executor.cores": "1",
            "spark.sql.shuffle.partitions": "4",
        }

    @property
    def environment(self):
        """Where a driver finds the secret that daemons and executors share."""
        return {"SPARK_CONF_DIR": str(self.folder / "conf"), "SPARK_LOCAL_IP": "127.0.0.1"}

    def __enter__(self):
        try:
            return self._entered()
        except BaseException:
            self.__exit__()
            raise

    def _entered(self):
        conf = self.folder / "conf"
        conf.mkdir(mode=0o700)
        self.secret = f"cnry{secrets.token_hex(32)}"
        lines = ["authenticate true", f"authenticate.secret {self.secret}", "master.rest.enabled false"]
        (conf / "spark-defaults.conf").write_text("".join(f"spark.{line}\n" for line in lines))
        (conf / "spark-defaults.conf").chmod(0o600)
        self._start("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        self._until(lambda: "Starting Spark master" in self.log or self._listens())
        for i in range(self.workers):
            work = self.folder / f"work{i}"
            options = ["--cores", "1", "--memory", self.memory, "--host", "127.0.0.1", "--webui-port", "0"]
            self._start("worker.Worker", *options, "--work-dir", str(work), self.master)
        self._until(lambda: self.log.count("Successfully registered with master") >= self.workers)
        return self

    def __exit__(self, *_):
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
        for left in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def log(self):
        """What master and workers said."""
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def processes(self):
        """Everything that runs for this cluster."""
        found = []
        for process in psutil.process_iter(["cmdline"]):
            if any(str(self.folder) in word or self.master in word for word in process.info["cmdline"] or []):
                found.append(process)
        return found

    def executors(self):
        """The executors that run now for this cluster."""
        words = "CoarseGrainedExecutorBackend"
        return [p for p in self.processes() if any(words in word for word in p.info["cmdline"] or [])]

    def _start(self, what, *arguments):
        environment = {
            **os.environ,
            "SPARK_HOME": str(self.home),
            **self.environment,
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA,
            "PYSPARK_PYTHON": sys.executable,
        }
        name = f"{what.split('.')[0]}{len(self._running)}"
        with (self.folder / f"{name}.log").open("wb") as log:
            self._running.append(
                subprocess.Popen(
                    [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    start_new_session=True,
                )
            )

    def _listens(self):
        import socket

        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def _until(self, ready, seconds=180):
        end = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < end, f"Spark does not start: {self.log[-2000:]}"
            assert all(p.poll() is None for p in self._running), self.log[-2000:]
            time.sleep(0.2)
