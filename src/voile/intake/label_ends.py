"""The ends and members of published labels: `[20, 29]`, `2026-Q1`, `[low, high]` of ranks, `{a, b}`."""

import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from voile.core.hierarchy import EVERYTHING
from voile.core.schema import ColumnSpec
from voile.errors import InputError, counted
from voile.intake.columns import DIGITS

_FIGURE = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_MEMBER = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,{}"]*))\s*(?:,|$)')
_QUOTED = re.compile(r'"+\{')  # a value that begins like a set
_PERIOD = re.compile(r"([0-9]{4})(?:-(?:([0-9]{2})|Q([1-4])))?")


def number_ends(labels: pl.Series, places: int | None = None) -> tuple[pl.Series, pl.Series, int] | None:
    """Both ends of numbers in steps of 10**-scale, and the scale.

    `[low, high)` ends one step earlier. Its decimals may have more digits than its ends: where `places` says how
    many matter, its steps are finer than that; None if numbers so large leave no room for them.

    >>> low, high, scale = number_ends(pl.Series(["[1.5, 2)", "7"]), 1)
    >>> low.to_list(), high.to_list(), scale
    ([150, 700], [199, 700], 2)
    """
    shape = rf"^(?:(?P<value>{_FIGURE})|\[(?P<low>{_FIGURE}), (?P<high>{_FIGURE})[\])])$"
    found = labels.str.extract_groups(shape).struct.unnest()
    low, high = (found[end].zip_with(found["value"].is_null(), found["value"]) for end in ("low", "high"))
    ends = pl.concat([low, high])
    ends = ends.set(ends.str.contains(rf"\.[0-9]{{{DIGITS + 1}}}").fill_null(False), None)  # never misread
    halves = ends.str.strip_chars_start("+-").str.split_exact(".", 1).struct.unnest()
    part = halves["field_1"].fill_null("")
    scale = max(part.str.len_chars().unique().drop_nulls().to_list(), default=0)
    if places is not None:
        room = 18 - max(halves["field_0"].str.len_chars().drop_nulls().to_list(), default=0)
        if scale < places >= room:
            return None
        scale = max(scale, places) + 1
    digits = halves["field_0"] + part.str.pad_end(scale, "0")
    codes = ("0" + digits).cast(pl.Int64, strict=False)
    codes = (-codes).zip_with(ends.str.starts_with("-").fill_null(False), codes)
    open_end = labels.str.ends_with(")").cast(pl.Int64)
    return codes[: labels.len()], codes[labels.len() :] - open_end, scale


def is_half_open(labels: pl.Series) -> bool:
    """Whether there is a label `[low, high)`.

    >>> is_half_open(pl.Series(["[20, 30)", "7"]))
    True
    """
    return bool(labels.str.ends_with(")").any())


def day_ends(labels: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Days, ranges of days, and the periods 2026-03, 2026-Q1 and 2026; null where it is none of them.

    >>> [end.to_list() for end in day_ends(pl.Series(["1970-01", "[1970-01-02, 1970-01-05]"]))]
    [[0, 1], [30, 4]]
    """
    day = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    low = labels.str.extract(rf"^\[?({day})(?:, {day}\])?$")
    high = labels.str.extract(rf"^\[{day}, ({day})\]$")
    first, last = (
        text.str.to_date("%Y-%m-%d", strict=False).to_physical().cast(pl.Int64)
        for text in (low, high.zip_with(high.is_not_null(), low))
    )
    periods = {i: ends for i in first.is_null().arg_true() if (ends := _period(labels[i])) is not None}
    if periods:
        first = first.scatter(list(periods), [a for a, _ in periods.values()])
        last = last.scatter(list(periods), [b for _, b in periods.values()])
    return first, last


def _period(label: str) -> tuple[int, int] | None:
    match = _PERIOD.fullmatch(label)
    if match is None or not 1 <= int(match[2] or 1) <= 12:
        return None
    length = 1 if match[2] else 3 if match[3] else 12
    month = int(match[2] or 1) - 1 if match[2] else 3 * (int(match[3] or 1) - 1)
    begin = np.datetime64(f"{match[1]}-01", "M") + month
    first, after = (int(m.astype("datetime64[D]").astype(np.int64)) for m in (begin, begin + length))
    return first, after - 1


def rank_ends(labels: pl.Series, ranks: Mapping[str, int]) -> tuple[pl.Series, pl.Series]:
    """Ranks, ranges of ranks, and `*`: the whole order; null where it is none of them.

    >>> [end.to_list() for end in rank_ends(pl.Series(["[low, high]", "mid"]), {"low": 0, "mid": 1, "high": 2})]
    [[0, 1], [2, 1]]
    """
    ends = [_ranks(label, ranks) for label in labels.to_list()]
    return pl.Series([a for a, _ in ends], dtype=pl.Int64), pl.Series([b for _, b in ends], dtype=pl.Int64)


def _ranks(label: str, ranks: Mapping[str, int]) -> tuple[int, int] | tuple[None, None]:
    """A name may hold a comma: every place where one could part two names is tried."""
    if label in ranks:
        return ranks[label], ranks[label]
    if label == EVERYTHING:
        return 0, len(ranks) - 1
    inner = label[1:-1] if label.startswith("[") and label.endswith("]") else ""
    halves = [(inner[: m.start()], inner[m.end() :]) for m in re.finditer(", ", inner)]
    found = [(ranks[a], ranks[b]) for a, b in halves if a in ranks and b in ranks and ranks[a] < ranks[b]]
    return found[0] if len(found) == 1 else (None, None)


def set_members(label: str) -> list[str] | None:
    """The words of a cell; None if it begins like a set and is none.

    >>> set_members('{a, "b, c"}'), set_members("a"), set_members("{a{}")
    (['a', 'b, c'], ['a'], None)
    """
    if _QUOTED.match(label):
        return [label[1:-1].replace('""', '"')] if label.endswith('"') else None
    if not (label.startswith("{") and label.endswith("}")):
        return [label]
    names, at, inner = [], 0, label[1:-1]
    while at < len(inner):
        match = _MEMBER.match(inner, at)
        if match is None or match.end() == at:
            return None
        names.append(match[1].replace('""', '"') if match[1] is not None else match[2].strip())
        at = match.end()
    return names or None


def unreadable(spec: ColumnSpec, number: int, remedy: str) -> InputError:
    """The refusal of labels that mean nothing in their column."""
    return InputError(
        f"{counted(number, 'label')} that cannot be read",
        where=f"column {spec.name}",
        rule="value, [low, high], {a, b}, a node of the hierarchy, or *",
        remedy=remedy,
    )
