"""Run the real command in a process of its own, and remember all it said."""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.crash.warm_process import Outcome, WarmProcess

SPEC = """
[columns]
name = { role = "identifying" }
age = { role = "quasi-identifying", type = "integer" }
zip = { role = "quasi-identifying", hierarchy = "zip.csv" }
sex = { role = "qi" }
disease = { role = "sa" }
"""
ZIPS = ["01000", "01100", "02000", "02100"]
HIERARCHY = "".join(f"{z};{z[:2]}***;*\n" for z in ZIPS)


@cache
def _warm():
    """One for each worker, from its first command on."""
    return WarmProcess(Path(tempfile.mkdtemp()))


def end():
    """No command comes any more."""
    if _warm.cache_info().currsize:
        _warm().close()
        shutil.rmtree(_warm().scratch)


def voile(*arguments, cwd=None, env=None, input=""):
    """`voile ARGUMENTS` in a child process."""
    environment = dict(os.environ if env is None else env)
    return _warm().typed(arguments, cwd=cwd or Path.cwd(), environment=environment, given=input)


def started_anew(*arguments, cwd=None, **options):
    """The same in a new interpreter: two seconds more, and `subprocess` has its options."""
    command = [sys.executable, "-c", "from voile.cli.main import main; main()", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, **options)
    return Outcome(done.returncode, done.stdout, done.stderr)


def clinic(folder: Path, rows=40, spec=SPEC):
    """A small sound table with its spec and hierarchy; returns table and spec."""
    diseases = ["flu", "ulcer", "asthma", "HIV", "gout"]
    lines = ["name,age,zip,sex,disease"]
    lines += [f"Person{i},{20 + i % 37},{ZIPS[i % 4]},{'fm'[i % 2]},{diseases[i % 5]}" for i in range(rows)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "zip.csv").write_text(HIERARCHY, encoding="utf-8")
    (folder / "s.toml").write_text(spec, encoding="utf-8")
    return folder / "t.csv", folder / "s.toml"


def left_behind(folder: Path):
    """Everything in a folder but the inputs, hidden files included."""
    return sorted(p.name for p in folder.iterdir() if p.name not in ("t.csv", "s.toml", "zip.csv"))
