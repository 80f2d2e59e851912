"""Text as people mean it: one kind of blank, Unicode NFC, nothing invisible.

`HIV`, `HIV ` and the same with a zero-width space are one value; counted as three they would
pass for diversity (facts/threats.md, spelling diversity).
"""

from collections.abc import Sequence

import polars as pl

# format and control characters, fillers, variation selectors
_INVISIBLE = r"[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]"

_PLAIN = r"^[!-~]+( [!-~]+)*$"  # most cells: nothing to do, and quick to see


def normalised(text: pl.Series) -> pl.Series:
    """Normalise a column of text; what is empty afterwards is missing.

    >>> normalised(pl.Series(["HIV ", "HI\u200bV", "e\u0301", "  "])).to_list()
    ['HIV', 'HIV', 'é', None]
    """
    odd = (~text.str.contains(_PLAIN)).fill_null(False)
    if not odd.any():
        return text
    visible = text.filter(odd).str.replace_all(r"\s+", " ").str.replace_all(_INVISIBLE, "")
    clean = visible.str.normalize("NFC").str.strip_chars()
    return text.clone().scatter(odd.arg_true(), clean.set(clean == "", None))


def twin_keys(labels: pl.Series) -> pl.Series:
    """Equal for labels that differ only in case, in width (full-width letters) or in the zeros after
    a decimal point.

    >>> twin_keys(pl.Series(["HIV", "\uff48iv", "1", "1.0"])).to_list()
    ['hiv', 'hiv', '1', '1']
    """
    plain = labels if labels.str.contains(_PLAIN).all() else labels.str.normalize("NFKC")
    keys = plain.str.to_lowercase()
    short = keys.str.strip_chars_end("0").str.strip_chars_end(".")
    return short.zip_with(keys.str.contains(r"^-?[0-9]+\.[0-9]+$"), keys)


def one_spelling(labels: pl.Series, preferred: Sequence[str] = ()) -> pl.Series:
    """Each distinct label's representative among its twins: a preferred one, or the least.

    >>> one_spelling(pl.Series(["flu", "Flu", "HIV"])).to_list()
    ['Flu', 'Flu', 'HIV']
    """
    leaves = pl.Series("leaf", preferred, dtype=pl.String)
    known = pl.DataFrame([leaves, twin_keys(leaves).alias("key")]).unique("key", keep="first", maintain_order=True)
    twins = pl.DataFrame({"label": labels, "key": twin_keys(labels)}).join(
        known, on="key", how="left", maintain_order="left"
    )
    return twins.select(pl.coalesce("leaf", pl.col("label").min().over("key"))).to_series()
