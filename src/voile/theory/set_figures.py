"""Figures of sets of tables, for people and for documents."""

from fractions import Fraction
from typing import Any

from voile.core.parameters import in_decimals
from voile.errors import counted
from voile.theory.evaluation import TableSet
from voile.theory.set_properties import CrowdSize, Distinct, Entropy, HighestRatio, Recursive, SetProperty

_SHORT = 10**6  # numbers from here on are rounded on the screen
_EXACT = 2**53  # whole numbers from here on are texts in JSON: many readers take them for floats


def how_many(tables: TableSet) -> str:
    """The size of a set, in words."""
    return in_tables(tables.size) if tables.counted else f"at most {in_tables(tables.size)}"


def in_tables(size: int) -> str:
    """How many tables, in words.

    >>> in_tables(1), in_tables(36), in_tables(32_659_200), in_tables(9_990_000)
    ('1 table', '36 tables', 'about 3.3e+07 tables', 'about 1.0e+07 tables')
    """
    if size < _SHORT:
        return counted(size, "table")
    tens = len(str(size)) - 1
    tenths = round(Fraction(size, 10 ** (tens - 1)))  # of the leading digit
    tenths, tens = (10, tens + 1) if tenths == 100 else (tenths, tens)
    return f"about {tenths // 10}.{tenths % 10}e+{tens:02d} tables"


def in_share(share: Fraction) -> str:
    """A share, exactly where that is short, and in per cent.

    >>> in_share(Fraction(5, 9)), in_share(Fraction(1)), in_share(Fraction(10**9, 10**10 - 1))
    ('5/9 = 55.6%', '1 = 100%', 'about 10.0000%')
    """
    if share.denominator >= _SHORT:
        return f"about {float(share):.4%}"
    return f"{share} = {float(share):.1%}" if share.denominator > 1 else f"{share} = {float(share):.0%}"


def set_document(tables: TableSet) -> dict[str, Any]:
    """For JSON: sizes and exact shares, no values."""
    size: int | str = tables.size if tables.size < _EXACT else str(tables.size)
    return {
        "tables" if tables.counted else "tables_at_most": size,
        "highest": str(tables.highest),
        "per_cent": round(100 * float(tables.highest), 6),
        "fewest_values": tables.fewest,
        "persons_certain": certain(tables),
        "holds": tables.holds,
    }


def certain(tables: TableSet) -> int:
    """For how many persons a single value is left."""
    alone = [sum(count > 0 for count in line) == 1 for line in tables.counts]
    return sum(alone[kind] for kind in tables.kind.tolist())


def broken_for(tables: TableSet, rows: list[int], wanted: SetProperty) -> list[bool]:
    """Of each person, whose group has so many rows, whether the property does not hold."""
    pairs = list(zip(tables.kind.tolist(), rows, strict=True))
    asked = {pair: not wanted.holds(tables.counts[pair[0]], pair[1]) for pair in set(pairs)}
    return [asked[pair] for pair in pairs]


def in_words(wanted: SetProperty) -> str:
    """What a property asks for everybody.

    >>> in_words(HighestRatio(Fraction(1, 2)))
    'no value likelier than 1/2'
    """
    if isinstance(wanted, HighestRatio):
        return f"no value likelier than {wanted.delta}"
    if isinstance(wanted, Distinct):
        return f"at least {wanted.l} values for everybody"
    if isinstance(wanted, CrowdSize):
        return f"everybody among {wanted.k} persons or more"
    if isinstance(wanted, Recursive):
        return f"recursive ({in_decimals(wanted.c)},{wanted.l})-diversity for everybody"
    if isinstance(wanted, Entropy):
        return f"entropy {in_decimals(wanted.l)}-diversity for everybody"
    return "the property for everybody"


def worst_in(tables: TableSet, wanted: SetProperty) -> str:
    """The figure that a property looks at, for the person who is protected least."""
    if isinstance(wanted, Distinct):
        return f"as few as {counted(tables.fewest, 'value')}"
    return f"highest share {in_share(tables.highest)}"
