"""Text as people mean it: Unicode NFC, trimmed, no invisible characters, case on request.

`HIV`, `HIV ` and the same with a zero-width space are one value; counted as three they would
pass for diversity (facts/threats.md, spelling diversity).
"""

import polars as pl

# soft hyphen, zero-width characters, direction marks, byte order mark
_INVISIBLE = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"


def normalised(text: pl.Series) -> pl.Series:
    """Normalise a column of text; what is empty afterwards is missing.

    >>> normalised(pl.Series(["HIV ", "HI\u200bV", "e\u0301", "  "])).to_list()
    ['HIV', 'HIV', 'é', None]
    """
    clean = text.str.replace_all(_INVISIBLE, "").str.normalize("NFC").str.strip_chars()
    return clean.set(clean == "", None)


def case_folded(labels: list[str]) -> list[str]:
    """Each label replaced by the first, in sorted order, of those that differ only in case.

    >>> case_folded(["flu", "Flu", "HIV"])
    ['Flu', 'Flu', 'HIV']
    """
    first: dict[str, str] = {}
    for label in sorted(labels):
        first.setdefault(label.casefold(), label)
    return [first[label.casefold()] for label in labels]
