"""`python -m benchmarks.first_run`: CPU seconds of the first run, with an empty cache of kernels, and of the
second, on the 10,000 invented patients of `voile demo`. Writes first_run.md. A busy machine makes every
second longer: compare the ratio."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from voile.hospital import write_hospital

HERE = Path(__file__).parent
ALGORITHMS = ("glass", "elig", "rda")


def seconds(cache: Path, *words: str) -> float:
    """User and system time of one command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(cache / "config")}
    subprocess.run([sys.executable, "-m", "voile", *words], env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def anonymized(folder: Path, key: str) -> tuple[float, float]:
    """The first and the second run of an algorithm."""
    table, spec = write_hospital(folder / key)
    words = ("anonymize", str(table), "-s", str(spec), "-a", key, "-p", "l=5", "-o")
    first, second = (seconds(folder / f"cache-{key}", *words, str(folder / key / turn)) for turn in ("1", "2"))
    return first, second


def published(folder: Path) -> tuple[float, float]:
    """The first two releases of a series; the ledger is made with another cache."""
    table, spec = write_hospital(folder / "series")
    ledger, cache = folder / "series" / "patients.ledger", folder / "cache-publish"
    seconds(cache, "ledger", "create", str(ledger))
    for kernels in cache.rglob("*.nb?"):
        kernels.unlink()
    words = ("publish", str(table), "-s", str(spec), "--ledger", str(ledger))
    first = seconds(cache, *words, "-p", "m=4", "-o", str(folder / "first"))
    return first, seconds(cache, *words, "-o", str(folder / "second"))


def main() -> None:
    lines = ["| run | first, CPU s | second, CPU s | ratio |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        runs = {key: anonymized(folder, key) for key in ALGORITHMS} | {"publish": published(folder)}
    for name, (first, second) in runs.items():
        lines.append(f"| {name} | {first:.1f} | {second:.1f} | {first / second:.1f} |")
    page = "\n".join(["# First and second run", "", __doc__ or "", "", *lines, ""])
    (HERE / "first_run.md").write_text(page, encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
