"""The columns of the next release begin as they were in the last one: persons and the secret must not change."""

import re
from pathlib import Path
from typing import Any

from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import tag
from voile.web.series_shelf import CHOSEN, columns_of, title_of
from voile.web.sessions import Session

LARGEST = 16 * 2**20
_HIERARCHY = re.compile(r"hierarchy-[0-9]+\.csv")


def columns_as_before(desk: Desk, session: Session, draft: Draft) -> None:
    """Take over, once, what the spec beside the chosen ledger says of columns of the same name; and say so."""
    name = str(session.things.get(CHOSEN, ""))
    ledger = desk.shelf.ledgers().get(name)
    known = columns_of(session, name)
    if ledger is None or not draft.columns or not set(known) & set(draft.columns):
        return
    if "as_before" not in draft.choice:
        draft.choice["as_before"] = name
        for column in draft.columns:
            if column in known:
                draft.columns[column] = as_before(draft, column, dict(known[column]), ledger.parent)
    if draft.choice["as_before"] == name:
        tag("p", f"Columns are as in the series {title_of(name)} before; correct what is wrong.", "note")


def as_before(draft: Draft, column: str, options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Options whose own hierarchy file, if there is one, lies beside the draft's spec."""
    given = options.get("hierarchy")
    if not isinstance(given, str):
        return options
    path = folder / given
    try:
        fits = _HIERARCHY.fullmatch(given) and not path.is_symlink() and path.stat().st_size <= LARGEST
        content = path.read_bytes() if fits else b""
    except OSError:
        content = b""
    if not content:
        return {name: value for name, value in options.items() if name != "hierarchy"}
    target = draft.hierarchy_file(column)
    draft.write(target, content)
    return {**options, "hierarchy": target}
