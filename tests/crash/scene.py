"""A tiny clinic that publishes a series: tables, spec, ledger, keys and releases in one folder."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

DISEASES = ("flu", "gout", "ulcer", "asthma")
SPEC = """
[columns]
patient = { role = "subject" }
age = { role = "quasi-identifying", type = "integer" }
disease = { role = "sensitive" }
"""
SHELF = "shelf/out"  # where the releases are


@dataclass(frozen=True)
class Person:
    name: str
    age: int
    disease: str


def people(*numbers: int) -> list[Person]:
    """Persons by number; each keeps age and disease for life."""
    return [Person(f"P{i:03d}", 18 + 3 * i, DISEASES[i % 4]) for i in numbers]


# people come, go and return; every batch of new ones is 2-eligible
TABLES = {
    "t1": people(*range(1, 13)),
    "t2": people(*range(4, 19)),
    "t3": people(*range(1, 9), *range(13, 21)),
    "t4": people(*range(1, 23)),
    **{f"own{i}": people(*range(1, 13), *range(100 + 4 * i, 104 + 4 * i)) for i in range(8)},
}


class Scene:
    """The folder, and the command lines that work in it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.ledger, self.spec = self.root / "clinic.ledger", self.root / "clinic.toml"
        self.keys, self.out = self.root / "home" / "keys", self.root / SHELF

    def lay_out(self) -> "Scene":
        """Tables and spec; no ledger yet."""
        for parent in (self.keys.parent, self.out.parent):  # the product makes the folders themselves
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.spec.write_text(SPEC, encoding="utf-8")
        for name, persons in TABLES.items():
            lines = ["patient,age,disease", *(f"{p.name},{p.age},{p.disease}" for p in persons)]
            (self.root / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self

    def create(self) -> list[str]:
        return ["ledger", "create", str(self.ledger)]

    def rotate(self) -> list[str]:
        return ["ledger", "key", str(self.ledger), "--rotate"]

    def publish(self, table: str, *more: str) -> list[str]:
        """Publish a table into out/TABLE: the name of a release says who is in it."""
        command = ["publish", self.root / f"{table}.csv", "-s", self.spec, "--ledger", self.ledger, "-p", "m=2"]
        return [*map(str, command), "-o", str(self.out / table), "--json", *more]

    def keep(self, copy: Path) -> None:
        """Save the whole folder elsewhere."""
        shutil.copytree(self.root, copy)

    def restore(self, copy: Path) -> None:
        """Be as saved, at the same path."""
        shutil.rmtree(self.root)
        shutil.copytree(copy, self.root)

    def staging(self) -> list[str]:
        """What killed runs left beside the releases, and beside the keys that are in use."""
        drafts = [*self.out.glob(".*"), *self.keys.glob(".*")]
        used = [path.stem for path in self.keys.glob("*.witness")]
        return sorted(p.name for p in drafts if p.parent == self.out or any(name in p.name for name in used))


@dataclass(frozen=True)
class Sighting:
    """A release the world has seen: its files by name, and who was in the table it was made from."""

    folder: str
    files: dict[str, bytes]
    persons: tuple[Person, ...]


def sightings(tree: dict[str, bytes | None]) -> list[Sighting]:
    """Every visible release of a tree (as `power_loss.tree_of` describes one)."""
    found: dict[str, dict[str, bytes]] = {}
    for path, content in tree.items():
        release, _, name = path.removeprefix(f"{SHELF}/").partition("/")
        if path.startswith(f"{SHELF}/") and not release.startswith("."):
            files = found.setdefault(release, {})
            if content is not None:
                files[name] = content
    return [Sighting(name, files, tuple(TABLES[name])) for name, files in sorted(found.items())]
