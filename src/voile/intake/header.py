"""Column names of a file: trimmed, and refused where two could be confused."""

import unicodedata

from voile.errors import InputError


def sound_names(header: list[str]) -> list[str]:
    """Trimmed header names; refuses what could be confused, by position and not by name."""
    names = [unicodedata.normalize("NFC", name).strip() for name in header]
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        where = f"header, column {position}"
        if not name:
            raise InputError(
                "a column without a name", where=where, rule="every column is named", remedy="name it"
            )
        first = seen.setdefault(name.casefold(), position)
        if first != position:
            raise InputError(
                f"the same name as column {first}",
                where=where,
                rule="names differ by more than case and blanks",
                remedy="rename one of the two; if the first line is data, put a line of names on top",
            )
    return names
