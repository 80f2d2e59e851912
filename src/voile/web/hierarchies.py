"""A column's hierarchy while it is prepared: what is tried replaces what is there only once it is sound."""

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.core.schema import NUMERIC, Role, Type
from voile.errors import HierarchyError
from voile.web.desk import Desk
from voile.web.draft import PUBLISHED, Draft
from voile.web.jobs import Job
from voile.web.sessions import Session

LARGEST = 8 * 2**20
EDITED = "edited lines"  # what app.js calls the text of the editor


@dataclass(eq=False, repr=False)
class Looked:
    """What is known of a column's hierarchy, of which options it is known, and what was refused last."""

    options: Mapping[str, Any]
    file: Mapping[str, Any]
    document: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, Any] = field(default_factory=dict)
    refused_text: str = ""
    refused_lines: tuple[tuple[int, str], ...] = ()

    def __repr__(self) -> str:
        return "Looked()"


def position_of(draft: Draft, name: str) -> int:
    """Where a column stands: addresses do not hold names."""
    return list(draft.columns).index(name)


def column_at(draft: Draft, position: str) -> str | None:
    """The column of an address, if it may have a hierarchy."""
    known = list(draft.columns)
    if not (position.isascii() and position.isdecimal() and len(position) < 9) or int(position) >= len(known):
        return None
    name = known[int(position)]
    return name if Role(draft.columns[name]["role"]) in PUBLISHED and draft.kind != "audit" else None


def place(draft: Draft, name: str) -> str:
    """The address of a column's hierarchy."""
    return draft.place(f"hierarchy/{position_of(draft, name)}")


def job_of(desk: Desk, session: Session, draft: Draft, name: str) -> Job | None:
    """The last look at a column's hierarchy."""
    return desk.jobs.of(session, draft.jobs.get(_key(draft, name), ""))


def looked_at(draft: Draft, name: str) -> Looked | None:
    """What is known of the hierarchy as it is now; None: look first."""
    found = draft.trees.get(name)
    if not isinstance(found, Looked) or found.options != draft.columns[name] or found.file != draft.file:
        return None
    return found


def look(desk: Desk, session: Session, draft: Draft, name: str) -> Job:
    """Look at the hierarchy that a column has."""
    return _start(desk, session, draft, name, _tried(draft, name, draft.columns[name].get("hierarchy")))


def build(desk: Desk, session: Session, draft: Draft, name: str, recipe: Mapping[str, Any]) -> Job:
    """Try a recipe; it is kept if it makes a tree."""
    return _start(desk, session, draft, name, _tried(draft, name, dict(recipe)), keep=lambda: dict(recipe))


def take_file(desk: Desk, session: Session, draft: Draft, name: str, path: Path, label: str) -> Job:
    """Try a file, which is ours from now on; it is kept if it is a tree over the column's values."""
    own = draft.folder / f".tried-{secrets.token_hex(4)}.csv"
    os.replace(path, own)
    return _start(
        desk, session, draft, name, _tried(draft, name, str(own)), keep=_moved(draft, name, own), label=label
    )


def complete(desk: Desk, session: Session, draft: Draft, name: str) -> Job:
    """Add the values that a hierarchy lacks, directly under `*`."""
    own = draft.folder / f".completed-{secrets.token_hex(4)}.csv"
    tried = _tried(draft, name, draft.columns[name]["hierarchy"])
    return _start(desk, session, draft, name, tried, keep=_moved(draft, name, own), out=str(own))


def remove(draft: Draft, name: str) -> None:
    """A column without a hierarchy; what only a hierarchy allows goes, too."""
    options = {n: v for n, v in draft.columns[name].items() if n not in ("hierarchy", "check_labels")}
    if options.get("missing") == "category" and Type(options.get("type", "category")) in (*NUMERIC, Type.ORDINAL):
        options["missing"] = "drop-row"
    draft.columns[name], draft.diagnosis = options, {}
    draft.trees.pop(name, None)
    (draft.folder / draft.hierarchy_file(name)).unlink(missing_ok=True)


def refuse_large(size: int) -> HierarchyError | None:
    """Why a file is no hierarchy, before anybody reads it."""
    if size <= LARGEST:
        return None
    return HierarchyError(
        f"more than {LARGEST // 2**20} MiB",
        where="hierarchy",
        rule="one line per value: value;parent;...;*",
        remedy="is it the table itself? A hierarchy lists each value once",
    )


def _key(draft: Draft, name: str) -> str:
    return f"hierarchy-{position_of(draft, name)}"


def _tried(draft: Draft, name: str, hierarchy: Any) -> dict[str, Any]:
    """The column's options with a hierarchy to try; files are named whole, since a child stands elsewhere."""
    options = {n: v for n, v in draft.columns[name].items() if n != "hierarchy"}
    if hierarchy is None:
        return options
    return {**options, "hierarchy": str(draft.folder / hierarchy) if isinstance(hierarchy, str) else hierarchy}


def _moved(draft: Draft, name: str, own: Path) -> Callable[[], str]:
    def kept() -> str:
        known = draft.hierarchy_file(name)
        os.replace(own, draft.folder / known)
        return known

    return kept


def _start(
    desk: Desk,
    session: Session,
    draft: Draft,
    name: str,
    options: dict[str, Any],
    keep: Callable[[], Any] | None = None,
    label: str = "",
    out: str = "",
) -> Job:
    """One look in a child. `keep` is called if what was tried is sound, and gives what the spec shall say."""
    before, file = dict(draft.columns[name]), dict(draft.file)

    def over(job: Job) -> None:
        same = draft.columns.get(name) == before and draft.file == file
        if same and job.document and "refused" not in job.document:
            if keep is not None:
                draft.take(name, "hierarchy", keep())
            draft.trees[name] = Looked(dict(draft.columns[name]), file, job.document)
        elif same:
            _keep_refusal(draft, name, job, label)
        for tried in (options.get("hierarchy"), out):
            if keep is not None and isinstance(tried, str) and Path(tried).name.startswith("."):
                Path(tried).unlink(missing_ok=True)

    job = desk.jobs.start(
        session,
        "hierarchy_tree",
        f"Looking at the hierarchy of {name}",
        {"path": str(draft.path), "file": file, "column": name, "options": options, "out": out},
        home=place(draft, name),
        then=over,
    )
    draft.jobs[_key(draft, name)] = job.id
    return job


def _keep_refusal(draft: Draft, name: str, job: Job, label: str) -> None:
    """What was there stays; beside it, why the other was refused, and its text to correct."""
    known = looked_at(draft, name) or Looked(dict(draft.columns[name]), dict(draft.file))
    refused = dict(job.document.get("refused") or job.error or {"what": "stopped before it was checked"})
    tried = job.arguments["options"].get("hierarchy")
    if label and isinstance(tried, str):
        refused["where"] = str(refused.get("where", "")).replace(Path(tried).name, label)
    known.refused, known.refused_text = refused, str(job.document.get("text", "")) if label else ""
    known.refused_lines = tuple((int(n), str(line)) for n, line in job.document.get("at", ()))
    draft.trees[name] = known
