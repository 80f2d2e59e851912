"""An answer that cannot be printed never hides that the work was done; a panic is a refusal in our words."""

import contextlib
import os
import random
import subprocess
import sys

import polars as pl
import pytest

from tests.command_line import clinic, started_anew, voile
from voile.errors import InputError
from voile.intake.panics import FAILURES
from voile.intake.parquet_file import read_parquet

COMMAND = [sys.executable, "-c", "from voile.cli.main import main; main()"]
PANIC = """
import os, polars as pl, voile.pipeline
from polars.exceptions import PanicException

def panics(*_arguments, **_options):
    os.write(2, b"thread panicked: cnry-cell\\nstack backtrace:\\n")
    raise PanicException("cnry-cell")
"""


def typed(arguments, output):
    """A command whose standard output is `output`: its exit code and its error stream."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], stdout=output, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


def full_disk():
    """A file that takes no byte."""
    return os.open("/dev/full", os.O_WRONLY)


def no_reader():
    """A pipe whose reader has gone away."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.slow
@pytest.mark.parametrize("output, as_json", [(full_disk, True), (no_reader, False)])
def test_an_answer_that_cannot_be_printed_does_not_hide_the_release(tmp_path, output, as_json):
    """A scheduler that reads the exit code must not publish the table again."""
    table, spec = clinic(tmp_path)
    arguments = ["anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out"]
    handle = output()
    code, said = typed(arguments + ["--json"] * as_json, handle)
    os.close(handle)
    assert code == 4 and (tmp_path / "out" / "certificate.json").exists()
    assert said.startswith(f"voile: the release is published in {tmp_path / 'out'}, but the answer could not be")
    assert said.endswith("do not run it again\n") and "Traceback" not in said


@pytest.mark.slow
def test_a_closed_output_is_no_excuse_either(tmp_path):
    table, spec = clinic(tmp_path)
    line = [*COMMAND, "anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out"]
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *map(str, line)], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4 and "the release is published" in done.stderr and (tmp_path / "out").exists()


@pytest.mark.slow
def test_other_commands_say_what_they_did(tmp_path):
    table, _ = clinic(tmp_path)
    spec, handle = tmp_path / "new.toml", full_disk()
    assert typed(["algorithms"], handle) == (
        4,
        "voile: the command was carried out, but its answer could not be printed (no space left on device)\n",
    )
    code, said = typed(["inspect", table, "-o", spec, "--json"], handle)
    assert code == 4 and f"the spec is written to {spec}, but" in said and spec.exists()
    code, said = typed(["inspect", tmp_path / "none.csv", "-o", tmp_path / "other.toml", "--json"], handle)
    os.close(handle)
    assert code == 2 and "cannot be read" in said  # a refusal keeps its own exit code


@pytest.mark.slow
def test_a_full_error_stream_changes_nothing(tmp_path):
    table, spec = clinic(tmp_path)
    with open("/dev/full", "w") as full:
        line = [*COMMAND, "anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out", "--json"]
        done = subprocess.run(list(map(str, line)), stdout=subprocess.PIPE, stderr=full, text=True)
    assert done.returncode == 0 and '"ok": true' in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("where", ["pl.read_parquet", "voile.pipeline.read_table"])
def test_a_panic_is_a_refusal_in_our_words(tmp_path, where):
    """Where we read a file we know what it means; anywhere else we say so. No backtrace, and none of its cells."""
    _, spec = clinic(tmp_path)
    pl.read_csv(tmp_path / "t.csv", infer_schema=False).write_parquet(tmp_path / "t.parquet")
    program = f"{PANIC}\n{where} = panics\nfrom voile.cli.main import main; main()"
    arguments = ["anonymize", tmp_path / "t.parquet", "-s", spec, "-p", "l=3", "-o", tmp_path / "out", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert not any(word in done.stdout + done.stderr for word in ("cnry", "backtrace", "Traceback", "panicked"))
    expected = "cannot be read" if "pl" in where[:2] else "is the file damaged?"
    assert expected in done.stderr and expected in done.stdout


@pytest.mark.slow
def test_damaged_parquet_files_are_refused(tmp_path, monkeypatch):
    """Bytes of the footer of a real file changed at random. Some of them make the library panic: asserted."""
    clinic(tmp_path)
    pl.read_csv(tmp_path / "t.csv", infer_schema=False).write_parquet(tmp_path / "t.parquet")
    sound, draw, seen = (tmp_path / "t.parquet").read_bytes(), random.Random(1), set()
    real = pl.read_parquet

    def watched(*arguments, **options):
        try:
            return real(*arguments, **options)
        except BaseException as failure:
            seen.add(type(failure).__name__)
            raise

    monkeypatch.setattr(pl, "read_parquet", watched)
    footer = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    for _ in range(600):
        damaged = bytearray(sound)
        damaged[draw.randrange(footer, len(sound))] = draw.randrange(256)
        (tmp_path / "m.parquet").write_bytes(damaged)
        with contextlib.suppress(InputError):
            read_parquet(tmp_path / "m.parquet")
    assert "PanicException" in seen


def test_panics_are_among_the_failures_of_a_library():
    """A panic is no Exception in Python: `except Exception` lets it through."""
    from polars.exceptions import PanicException

    assert not issubclass(PanicException, Exception) and PanicException in FAILURES


def test_help_names_every_exit_code():
    said = voile("--help").out
    assert "3 the ledger refuses; 4 done, but the answer could not be printed" in " ".join(said.split())
    assert started_anew("--version").out.startswith("voile")
