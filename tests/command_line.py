"""Run the real command in a process of its own, and remember all it said."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def voile(*arguments, cwd=None, **options):
    """`voile ARGUMENTS` in a child process."""
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
