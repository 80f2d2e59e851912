"""Text as people mean it: one kind of blank, Unicode NFC, nothing invisible.

`HIV`, `HIV ` and the same with a zero-width space are one value; counted as three they would
pass for diversity (facts/threats.md, spelling diversity).
"""

import re
import unicodedata

import polars as pl

# format and control characters, fillers, variation selectors
_INVISIBLE = r"[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]"


def normalised(text: pl.Series) -> pl.Series:
    """Normalise a column of text; what is empty afterwards is missing.

    >>> normalised(pl.Series(["HIV ", "HI\u200bV", "e\u0301", "  "])).to_list()
    ['HIV', 'HIV', 'é', None]
    """
    visible = text.str.replace_all(r"\s+", " ").str.replace_all(_INVISIBLE, "")
    clean = visible.str.normalize("NFC").str.strip_chars()
    return clean.set(clean == "", None)


def twin_key(label: str) -> str:
    """The same for labels that differ only in case, in width (full-width letters) or in the zeros
    after a decimal point.

    >>> twin_key("HIV") == twin_key("\uff48iv"), twin_key("1") == twin_key("1.0")
    (True, True)
    """
    key = unicodedata.normalize("NFKC", label).casefold()
    return key.rstrip("0").rstrip(".") if re.fullmatch(r"-?[0-9]+\.[0-9]+", key) else key


def one_spelling(labels: list[str], preferred: tuple[str, ...] = ()) -> dict[str, str]:
    """Each label's representative among its twins: a preferred one, or the first in sorted order.

    >>> one_spelling(["flu", "Flu", "HIV"])
    {'flu': 'Flu', 'Flu': 'Flu', 'HIV': 'HIV'}
    """
    first = {twin_key(label): label for label in reversed(preferred)}
    for label in sorted(labels):
        first.setdefault(twin_key(label), label)
    return {label: first[twin_key(label)] for label in labels}
