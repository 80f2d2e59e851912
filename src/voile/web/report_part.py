"""A report that Voile wrote, as part of a page: its body without the head. Everything in it is escaped already."""

import re
from pathlib import Path

from voile.reporting.markup import Markup

LARGEST = 32 * 2**20
_MAIN = re.compile(r"<main[^>]*>(.*)</main>", re.DOTALL)


def body_of(path: Path) -> Markup | None:
    """What stands between <main> and </main>; None if the file is not there, or is not a report."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return None
        found = _MAIN.search(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return None if found is None else Markup(found[1])
