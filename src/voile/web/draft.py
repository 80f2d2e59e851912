"""A draft: a table, what its columns are, and what is promised; what will be a release, or an audit."""

import hashlib
import json
import os
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.core.schema import NUMERIC, Role, Type
from voile.inspection.spec_text import key, written
from voile.web.fingerprint import fingerprint_with
from voile.web.jobs import Job

PUBLISHED = (Role.QUASI_IDENTIFYING, Role.SENSITIVE)
USUAL_L = 5
SPEC = "spec.toml"


@dataclass(eq=False, repr=False)
class Draft:
    """What a steward has said so far. Options of columns are those of a spec."""

    id: str
    kind: str  # "release", "series" or "audit"
    label: str  # what the browser called the file
    path: Path
    folder: Path  # private: spec and hierarchies
    named: str  # as a command line would name the table
    file: dict[str, Any] = field(default_factory=dict)
    header: bool = False
    show_values: bool = False
    found: dict[str, Any] = field(default_factory=dict)  # by inspection
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    diagnosis: dict[str, Any] = field(default_factory=dict)
    diagnosed: str = ""  # what was declared when the diagnosis was made
    choice: dict[str, Any] = field(default_factory=dict)
    release: dict[str, Any] = field(default_factory=dict)  # what was made
    out: Path | None = None
    jobs: dict[str, str] = field(default_factory=dict)  # the last of each kind
    runs: dict[str, Job] = field(default_factory=dict)  # of the release, by the state that was released
    trees: dict[str, Any] = field(default_factory=dict)  # what is known of each column's hierarchy

    def __repr__(self) -> str:
        return "Draft()"

    @classmethod
    def begun(cls, session_folder: Path, kind: str, path: Path, label: str, named: str = "") -> "Draft":
        """A draft with a private folder of its own."""
        name = secrets.token_hex(8)
        folder = session_folder / f"draft-{name}"
        folder.mkdir(mode=0o700)
        return cls(name, kind, label, path, folder, named or label)

    def place(self, step: str) -> str:
        """The address of a step."""
        return f"/{self.kind}/{self.id}/{step}"

    def take_inspection(self, document: Mapping[str, Any]) -> None:
        """Begin with what inspection proposes."""
        self.found = dict(document)
        self.file = dict(document["file"])
        self.columns = {column["name"]: dict(column["written"]) for column in document["columns"]}
        looks = document["looks_like"]
        for name, options in self.columns.items():
            if looks[name] == Role.SENSITIVE and options["role"] == Role.IDENTIFYING:
                options["role"] = Role.INSENSITIVE.value  # dropped either way; this says why
        largest = int(document["largest_l"])
        against = "release" if document["only_release"] else "algorithm"
        self.choice = {"against": against, "strong": False, "l": max(2, min(USUAL_L, largest)), "algorithm": ""}

    def take_role(self, name: str, role: str) -> None:
        """Another role; options that make no sense with it are dropped."""
        old = self.columns[name]
        options = {"role": role}
        if Role(role) in PUBLISHED:
            options |= {n: v for n, v in old.items() if n not in ("role", "keep")}
            if "missing" not in options and self._missing(name):
                numeric = Type(options.get("type", "category")) in NUMERIC
                options["missing"] = "drop-row" if numeric else "category"
        self.columns[name] = options
        self.diagnosis = {}

    def take_type(self, name: str, type_: str) -> None:
        """Another type; a hierarchy that was made for the old one goes."""
        options = {n: v for n, v in self.columns[name].items() if n not in ("type", "order", "casefold")}
        if isinstance(options.get("hierarchy"), Mapping):
            del options["hierarchy"]
        if type_ != Type.CATEGORY:
            options["type"] = type_
            if options.get("missing") == "category" and "hierarchy" not in options:
                options["missing"] = "drop-row"
        self.columns[name] = options
        self.diagnosis = {}

    def take(self, name: str, option: str, value: Any) -> None:
        """Another option of a column; None takes it away."""
        options = {n: v for n, v in self.columns[name].items() if n != option}
        self.columns[name] = options if value is None else {**options, option: value}
        self.diagnosis = {}

    def with_role(self, role: Role) -> list[str]:
        """The columns of a role."""
        return [name for name, options in self.columns.items() if options["role"] == role]

    def _missing(self, name: str) -> int:
        return next((int(c.get("missing", 0)) for c in self.found["columns"] if c["name"] == name), 0)

    def declared(self) -> str:
        """What is said of the columns and the file, with hierarchies, and the table as it lies there: as a digest.
        In whichever order options were chosen: who changes one and changes it back has changed nothing."""
        said = json.dumps([self.file, self.columns], sort_keys=True, default=str).encode()
        named = [options.get("hierarchy") for options in self.columns.values()]
        own = [self.folder / name for name in named if isinstance(name, str)]  # others are recipes, or built in
        files = [path for path in own if path.is_file()]
        return fingerprint_with(self.path, [("said", said), *((path.name, path.read_bytes()) for path in files)])

    def is_diagnosed(self) -> bool:
        """Whether the diagnosis is of what is declared now."""
        return bool(self.diagnosis) and self.diagnosed == self.declared()

    def state(self) -> str:
        """All that a release depends on, as a digest: of two equal states there is one release."""
        choice: object = [self.choice.get("algorithm") or "", self.options()]
        if self.kind == "series":
            choice = {name: value for name, value in self.choice.items() if value}
        said = json.dumps([self.declared(), self.format, choice], sort_keys=True, default=str)
        return hashlib.sha256(said.encode()).hexdigest()

    def spec(self) -> str:
        """The spec as text, as the command line takes it."""
        file = [f"{name} = {written(value)}" for name, value in self.file.items()]
        lines = ["[file]", *file, ""] if file else []
        lines += ["[columns]", *(f"{key(name)} = {written(options)}" for name, options in self.columns.items())]
        return "\n".join([*lines, ""])

    def write_spec(self) -> Path:
        """The spec as a private file; hierarchies lie beside it."""
        return self.write(SPEC, self.spec().encode())

    def write(self, name: str, content: bytes) -> Path:
        """A private file of this draft, whole."""
        path, fresh = self.folder / name, self.folder / f".{secrets.token_hex(4)}"
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
        os.replace(fresh, path)
        return path

    def hierarchy_file(self, name: str) -> str:
        """The name under which a column's own hierarchy is kept: by position, since names may be anything."""
        return f"hierarchy-{1 + list(self.columns).index(name)}.csv"

    @property
    def format(self) -> str:
        """What the release is written as: like the source."""
        return "parquet" if self.path.suffix == ".parquet" else "csv"

    def options(self) -> dict[str, Any]:
        """What `publish` takes beside table, spec and algorithm."""
        choice = self.choice
        given = dict(choice.get("parameters", {}))
        if choice.get("l"):
            given["l"] = choice["l"]
        if choice.get("algorithm"):
            return given
        return {**given, "against": choice["against"], "strong": bool(choice.get("strong"))}

    def command(self) -> str:
        """The same on the command line."""
        choice, stem = self.choice, Path(self.named).stem or "table"
        table = f"./{self.named}" if self.named.startswith("-") else self.named  # a name is no option
        words = ["voile", "anonymize", table, "-s", f"{stem}.toml"]
        if choice.get("algorithm"):
            words += ["-a", str(choice["algorithm"])]
        else:
            words += ["--against", str(choice["against"])] + (["--strong"] if choice.get("strong") else [])
        given = {**choice.get("parameters", {}), **({"l": choice["l"]} if choice.get("l") else {})}
        for name, value in given.items():
            words += ["-p", f"{name}={value}"]
        return shlex.join([*words, "-o", f"{stem}-release"])
