"""Without file locks or limits of processes Voile still imports, and what needs them refuses in a sentence."""

import subprocess
import sys

import pytest

from voile.hospital import write_hospital

# what Windows lacks; a module that is None cannot be imported
POORER = """
import os, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
del signal.SIGHUP
for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC"):
    delattr(os, name)
"""
COMMAND = f"{POORER}\nfrom voile.cli.main import main\nsys.argv[0] = 'voile'\nmain()"
SENTENCE = "voile: this system: {}; run it on Linux or macOS\n"
LOCKS = SENTENCE.format("cannot lock files, and whoever writes needs a lock")
LIMITS = SENTENCE.format("can neither measure nor bound the memory of a process")


def run(code, *arguments, at):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=at, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    write_hospital(folder)
    return folder


@pytest.mark.slow
def test_the_package_imports(tmp_path):
    code = (
        f"{POORER}\nimport voile\nprint([getattr(voile, name) is not None for name in voile.__all__].count(False))"
    )
    done = run(code, at=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--help",), ("algorithms",), ("models",)], ids=" ".join)
def test_what_only_reads_works(arguments, hospital):
    done = run(COMMAND, *arguments, at=hospital)
    assert done.returncode == 0 and len(done.stdout) > 500, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("demo", "-o", "demo"), LOCKS),
        (("anonymize", "patients.csv", "-s", "patients.toml", "-p", "l=5", "-o", "out"), LOCKS),
        (("ledger", "create", "patients.ledger"), LOCKS),
        (("compare", "patients.csv", "-s", "patients.toml", "-a", "elig", "-p", "l=5", "-o", "out"), LIMITS),
        (("serve", "--no-browser"), LOCKS),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_needs_them_says_so(arguments, sentence, hospital):
    pytest.importorskip("nicegui", reason="no app: pip install 'voile[web]'")
    done = run(COMMAND, *arguments, at=hospital)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, [sentence.strip()]), done.stderr
    assert "Traceback" not in done.stderr
    assert not (hospital / "out").exists() and not list(hospital.glob("*.ledger*"))


@pytest.mark.slow
def test_the_control_here_they_work(hospital):
    """The same command line where nothing is missing: it is the system that is refused, not the request."""
    whole = COMMAND.replace(POORER, "import sys")
    done = run(whole, "ledger", "create", "control.ledger", at=hospital)
    assert done.returncode == 0, done.stderr
    (hospital / "control.ledger").unlink()
