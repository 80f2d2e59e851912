"""Drafts brought to their step without a browser, by what the children of the app would have found."""

import tempfile
from pathlib import Path

from voile.pipeline import silent
from voile.web.draft import Draft
from voile.web.tasks import diagnose, inspect_table


def prepared(app, page, table, roles=()):
    """A release that was looked at and read, in the session of a page: the address before the name of its step."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Draft.begun(Path(folder), "release", table, table.name)
        found = inspect_table.run({"path": str(table)}, silent)
        draft.take_inspection(found)
        for column, role in dict(roles).items():
            draft.take_role(column, role)
        read = diagnose.run({"path": str(table), "spec": str(draft.write_spec())}, silent)
    said = {"path": str(table), "found": found, "columns": draft.columns, "diagnosis": read}
    return app.address + app.client_of(page).post("/test-only/draft/release", json=said).json()
