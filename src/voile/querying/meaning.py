"""What values and conditions mean in a column: numbers, days and ranks are compared, words only told apart."""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from voile.core.schema import Type
from voile.errors import ParameterError
from voile.intake.columns import DIGITS
from voile.querying.query_text import Condition, Literal, refuse

FAR = 2**62  # beyond every code
Ranges = list[tuple[int, int]]
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_KINDS = {
    Type.INTEGER: ("a number", "write it as it is, for example 30"),
    Type.DECIMAL: ("a number", "write it as it is, for example 2.5"),
    Type.DATE: ("a date", "write '2026-03-31'"),
    Type.ORDINAL: ("a value of this column's order", "the spec lists them under order"),
}


def key_of(text: str, type_: Type, ranks: Mapping[str, int]) -> Fraction | None:
    """A value's place in the order of its column; None if it has none.

    >>> key_of("2.50", Type.DECIMAL, {}), key_of("1970-01-03", Type.DATE, {}), key_of("x", Type.INTEGER, {})
    (Fraction(5, 2), Fraction(2, 1), None)
    """
    if type_ == Type.DATE and _DAY.fullmatch(text):
        try:
            return Fraction((datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days)
        except ValueError:
            return None
    if type_ in (Type.INTEGER, Type.DECIMAL) and _NUMBER.fullmatch(text) and not _is_long(text):
        return Fraction(text)
    return Fraction(ranks[text]) if text in ranks else None


def _is_long(number: str) -> bool:
    whole, _, part = number.lstrip("+-").partition(".")
    return len(whole.lstrip("0")) + len(part.rstrip("0")) > DIGITS


def _key(literal: Literal, type_: Type, ranks: Mapping[str, int]) -> Fraction:
    text = literal.text.strip()
    key = key_of(text, type_, ranks)
    if key is None and type_ in (Type.INTEGER, Type.DECIMAL) and _NUMBER.fullmatch(text):
        raise refuse(
            f"a number of more than {DIGITS} digits", literal.position, "numbers fit exact arithmetic", "round it"
        )
    if key is None:
        what, remedy = _KINDS[type_]
        raise refuse(f"not {what}", literal.position, f"type = {type_}", remedy)
    return key


def finest(conditions: Sequence[Condition], type_: Type) -> tuple[int, Literal]:
    """The number with the most decimal places, and how many it has.

    >>> from voile.querying.query_text import parse_query
    >>> finest(parse_query("x between 1.5 and 2.250"), Type.DECIMAL)[0]
    2
    """
    values = [value for condition in conditions for value in condition.values]
    keys = [_key(value, type_, {}) for value in values]
    places = [next(s for s in range(DIGITS + 1) if (key * 10**s).denominator == 1) for key in keys]
    most = max(places)
    return most, values[places.index(most)]


def ranges_of(conditions: Sequence[Condition], type_: Type, scale: int, ranks: Mapping[str, int]) -> Ranges:
    """The codes, in steps of 10**-scale, that meet all conditions.

    >>> from voile.querying.query_text import parse_query
    >>> ranges_of(parse_query("x >= 1.55 and x != 3 and x < 4"), Type.DECIMAL, 1, {})
    [(16, 29), (31, 39)]
    """
    allowed: Ranges = [(-FAR, FAR)]
    for condition in conditions:
        keys = [_key(value, type_, ranks) * 10**scale for value in condition.values]
        if condition.sign == "between" and keys[0] > keys[1]:
            raise refuse("the first end is above the second", condition.position, "between LOW and HIGH")
        found = _ranges(condition.sign, keys)
        if condition.negated or condition.sign == "!=":
            found = _others(found)
        allowed = [(max(a, c), min(b, d)) for a, b in allowed for c, d in found if max(a, c) <= min(b, d)]
    return sorted(allowed)


def _ranges(sign: str, keys: list[Fraction]) -> Ranges:
    """Codes that a comparison accepts; of != those that it does not."""
    up, down = math.ceil(keys[0]), math.floor(keys[0])
    ends = {
        "<": (-FAR, up - 1),
        "<=": (-FAR, down),
        ">": (down + 1, FAR),
        ">=": (up, FAR),
        "between": (up, math.floor(keys[-1])),
    }
    if sign in ends:
        low, high = ends[sign]
        return [(max(low, -FAR), min(high, FAR))] if low <= high else []
    return sorted({(int(key), int(key)) for key in keys if key.denominator == 1 and abs(key) < FAR})


def _others(ranges: Ranges) -> Ranges:
    """All codes outside of disjoint ascending ranges."""
    begins = [-FAR, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), FAR]
    return [(a, b) for a, b in zip(begins, ends, strict=True) if a <= b]


def accepts(
    name: str | None, conditions: Sequence[Condition], below: Mapping[str, set[str]] | None = None
) -> bool:
    """Whether a word (None: one that nobody has named) meets all conditions.

    `below` gives the values under each node of a hierarchy: a node may be asked for, too.
    """
    for condition in conditions:
        if condition.sign not in ("=", "!=", "in"):
            raise _no_order(condition)
        hit = name is not None and (
            name in condition.words
            or (below is not None and any(name in below.get(word, ()) for word in condition.words))
        )
        if hit == (condition.negated or condition.sign == "!="):
            return False
    return True


def _no_order(condition: Condition) -> ParameterError:
    return refuse(
        "a comparison of words", condition.position, "words have no order", "use =, !=, in ('a', 'b') or not in"
    )
