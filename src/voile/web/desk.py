"""The steward's desk: what all pages share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.web.doors import SESSION
from voile.web.draft import Draft
from voile.web.jobs import Jobs
from voile.web.sessions import Session, Sessions
from voile.web.shelf import Shelf
from voile.web.uploads import Uploads


@dataclass(frozen=True, repr=False, eq=False)
class Desk:
    """Sessions, jobs and uploads, and the shelf: the folder with tables, ledgers and releases."""

    shelf: Shelf
    sessions: Sessions
    jobs: Jobs
    uploads: Uploads

    def session(self, request: Any) -> Session:
        """Whose request it is: the doors let nobody else in."""
        found = request.scope[SESSION]
        assert isinstance(found, Session)
        return found

    def draft(self, session: Session, key: str) -> Draft | None:
        """Something that this session prepares."""
        found = session.things.get(key)
        return found if isinstance(found, Draft) else None

    def new_draft(self, session: Session, kind: str, path: Path, label: str, named: str = "") -> Draft:
        """Begin to prepare a table; looking at it is the first job. `named`: how a command line would name it."""
        draft = Draft.begun(session.folder, kind, path, label, named)
        session.things[draft.id] = draft
        self.inspect(session, draft)
        return draft

    def inspect(self, session: Session, draft: Draft) -> None:
        """Look at the table of a draft, again if something about it was said."""
        draft.found, draft.diagnosis = {}, {}
        arguments = {
            "path": str(draft.path),
            "file": draft.file,
            "header": draft.header,
            "show_values": draft.show_values,
        }
        job = self.jobs.start(
            session,
            "inspect_published" if draft.kind == "audit" else "inspect_table",
            f"Looking at {draft.label}",
            arguments,
            home=draft.place("columns"),
            then=lambda job: draft.take_inspection(job.document) if job.document else None,
        )
        draft.jobs["inspect"] = job.id
