"""The invariants of a series after any fault, checked from bytes alone.

I1 integrity ok and the chain verifies; I2 every release ever visible was reserved and audited, and its
files hash to what was recorded; I3 every committed release is there or withdrawn; I4 release numbers
have no gap and no duplicate, and no two releases one predecessor; I5 whatever was ever visible is
explained by the memory: persons have the signatures they were published with.
"""

import csv
import hashlib
import io
import json
from pathlib import Path

from tests.crash.ledger_book import Book, keys_of, read_book
from tests.crash.scene import SHELF, Scene, Sighting

FILES = ("data.csv", "counterfeits.csv", "certificate.json")


def violations(scene: Scene, seen: list[Sighting]) -> list[str]:
    """What is wrong, each line beginning with the invariant; `seen` is what the world has seen so far."""
    book = read_book(scene.ledger)
    found = list(book.faults)
    if seen and not book.born:
        return [*found, "I2: a release is visible and there is no ledger"]
    keys = keys_of(book, scene.keys) if book.born else []
    for sighting in seen:
        found += _recorded(book, sighting) or _explained(book, sighting, keys)
    return found + _committed(book, scene.root) + _numbered(book)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _recorded(book: Book, sighting: Sighting) -> list[str]:
    """I2 of one release."""
    if any(name not in sighting.files for name in FILES):
        return [f"I2: {sighting.folder} is visible in parts"]
    try:
        series = json.loads(sighting.files["certificate.json"])["series"]
    except ValueError:
        return [f"I2: {sighting.folder} has a torn certificate"]
    reserved = book.of_kind("reserved").get(series["release"])
    audited = book.of_kind("audited").get(series["release"])
    if reserved is None or reserved.hash != series["record"] or reserved.previous != series["previous"]:
        return [f"I2: {sighting.folder} was never reserved"]
    if audited is None:
        return [f"I2: {sighting.folder} is visible without an audit"]
    digests = {name: _digest(sighting.files[name]) for name in audited.body["files"] if name in sighting.files}
    if digests != audited.body["files"] or not set(FILES) <= set(digests):
        return [f"I2: {sighting.folder} differs from what was audited"]
    return []


def _committed(book: Book, root: Path) -> list[str]:
    """I3 on the disk as it is."""
    found = []
    for release in book.of_kind("committed"):
        if release in book.of_kind("withdrawn"):
            continue
        folder = root / SHELF / Path(book.of_kind("reserved")[release].body["folder"]).name
        for name, digest in book.of_kind("audited")[release].body["files"].items():
            path = folder / name
            if not path.is_file() or _digest(path.read_bytes()) != digest:
                found.append(f"I3: release {release} is committed and its {name} is not there")
    return found


def _numbered(book: Book) -> list[str]:
    """I4."""
    reserved = [record for record in book.records if record.kind == "reserved"]
    numbers = [record.body["release"] for record in reserved]
    found = [] if numbers == list(range(1, len(numbers) + 1)) else [f"I4: releases are numbered {numbers}"]
    if len({record.previous for record in reserved}) != len(reserved):
        found.append("I4: two releases have one predecessor")
    return found


def _box(cell: str) -> tuple[int, int]:
    low, _, high = cell.strip("[]").partition(", ")
    return int(low), int(high or low)


def _explained(book: Book, sighting: Sighting, keys: list[bytes]) -> list[str]:
    """I5: each person can be seated at a row of a group whose values are the remembered signature."""
    rows = list(csv.DictReader(io.StringIO(sighting.files["data.csv"].decode())))
    values: dict[str, set[str]] = {}
    for row in rows:
        values.setdefault(row["group"], set()).add(row["disease"])
    options = []
    for person in sighting.persons:
        signature = book.recall(person.name, keys)
        if not signature:
            return [f"I5: a person seen in {sighting.folder} is not remembered"]
        options.append(
            [
                number
                for number, row in enumerate(rows)
                if row["disease"] == person.disease
                and values[row["group"]] == set(signature)
                and _box(row["age"])[0] <= person.age <= _box(row["age"])[1]
            ]
        )
    if _seated(options) < len(options):
        return [f"I5: {sighting.folder} is not what the memory says was published"]
    extra = sum(int(r["counterfeits"]) for r in csv.DictReader(io.StringIO(_text(sighting, "counterfeits.csv"))))
    return [] if len(rows) == len(options) + extra else [f"I5: {sighting.folder} has rows of nobody"]


def _text(sighting: Sighting, name: str) -> str:
    return sighting.files[name].decode()


def _seated(options: list[list[int]]) -> int:
    """How many can sit at once: a maximum matching by augmenting paths."""
    seat: dict[int, int] = {}

    def place(person: int, tried: set[int]) -> bool:
        for row in options[person]:
            if row in tried:
                continue
            tried.add(row)
            if row not in seat or place(seat[row], tried):
                seat[row] = person
                return True
        return False

    return sum(place(person, set()) for person in range(len(options)))


def exposed(scene: Scene) -> list[str]:
    """What others could read although it is not revealed: the ledger and its company, keys, staging folders."""
    secret = [p for p in scene.root.iterdir() if p.name.startswith(Path(scene.ledger).name)]
    secret += [*scene.keys.glob("*"), *scene.out.glob(".*"), *scene.out.glob("*/private")]
    return [f"mode: {p.name} is open to others" for p in secret if p.lstat().st_mode & 0o077]


def forgotten(scene: Scene, before: Book, seen: list[Sighting]) -> list[str]:
    """Whoever was ever visible keeps the signature of that time."""
    after = read_book(scene.ledger)
    then, now = (keys_of(book, scene.keys) if book.born else [] for book in (before, after))
    names = {person.name for sighting in seen for person in sighting.persons}
    changed = sum(before.recall(name, then) != after.recall(name, now) for name in names)
    return [f"I5: {changed} persons lost or changed their signature"] if changed else []
