"""Text as people mean it: one kind of blank, Unicode NFC, nothing invisible.

`HIV`, `HIV ` and the same with a zero-width space are one value; counted as three they would
pass for diversity (docs/facts/threats.md 2.2, spelling diversity).
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl

from voile.core.schema import ColumnSpec, Type

# format and control characters, fillers, variation selectors
_INVISIBLE = r"[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]"

# a point or a sign tells a number from a code, such as ICD-11's 1E50
_POWER = r"^-?[0-9]+(\.[0-9]+e[+-]?|e[+-])[0-9]{1,3}$"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
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
    """Equal for labels that differ only in case, in width (full-width letters), in the zeros after a decimal
    point or in how a number is written with an exponent.

    >>> twin_keys(pl.Series(["HIV", "\uff48iv", "1", "1.0", "1.0e+00", "1.0E2", "1E50"])).to_list()
    ['hiv', 'hiv', '1', '1', '1', '100', '1e50']
    """
    plain = labels if labels.str.contains(_PLAIN).all() else labels.str.normalize("NFKC")
    keys = plain.str.to_lowercase()
    powers = keys.str.contains(_POWER)
    if powers.any():
        keys = keys.scatter(powers.arg_true(), [_in_full(label) for label in keys.filter(powers)])
    short = keys.str.strip_chars_end("0").str.strip_chars_end(".")
    return short.zip_with(keys.str.contains(r"^-?[0-9]+\.[0-9]+$"), keys)


def _in_full(number: str) -> str:
    """Without its exponent."""
    return f"{Decimal(number):f}"


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


def meant(cell: str | None) -> object:
    """A number where the cell is one; other cells (generalised ones) as they are."""
    return Fraction(cell) if cell is not None and _NUMBER.fullmatch(cell) else cell


def written_once(spec: ColumnSpec, text: pl.Series) -> pl.Series:
    """Numbers in their shortest form; all else as it is."""
    if spec.type not in (Type.INTEGER, Type.DECIMAL):
        return text
    whole = text.str.extract(r"^[+-]?0*([0-9]*)").str.replace(r"^$", "0")
    part = text.str.extract(r"\.([0-9]*)$").str.strip_chars_end("0").fill_null("")
    size = whole + pl.select(pl.when(part == "").then(pl.lit("")).otherwise("." + part)).to_series()
    negative = text.str.starts_with("-") & (size != "0")
    short = ("-" + size).zip_with(negative.fill_null(False), size)
    return short.zip_with(text.str.contains(rf"^({_NUMBER.pattern})$").fill_null(False), text)
