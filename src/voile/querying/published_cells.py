"""Published labels read back: how many values a cell stands for, and how many of them a query accepts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Type
from voile.errors import InputError, SpecError, counted
from voile.intake.columns import MISSING_LABEL
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.normalise import normalised, one_spelling
from voile.querying.meaning import DIGITS, accepts, finest, key_of, ranges_of
from voile.querying.query_text import Condition, refuse

Numbers = NDArray[np.int64]
_FIGURE = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_MEMBER = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,{}"]*))\s*(?:,|$)')
_QUOTED = re.compile(r'"+\{')  # a value that begins like a set
_PERIOD = re.compile(r"([0-9]{4})(?:-(?:([0-9]{2})|Q([1-4])))?")


@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """Of each distinct label: the values it stands for, those of them that the query accepts, and whether
    the query accepts every value, or any, that may hide behind it. Of a `blind` cell the share is a guess
    that says nothing of its own error."""

    accepted: Numbers
    size: Numbers
    sure: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    blind: NDArray[np.bool_]
    note: str = ""

    @classmethod
    def of(
        cls,
        accepted: Numbers,
        size: Numbers,
        guessed: Mapping[int, tuple[bool, bool]] | None = None,
        note: str = "",
        blind: bool = False,
    ) -> "Cells":
        """Counted cells; `guessed` are (sure, possible) of those whose values are not all known, `blind` if
        not even their number is."""
        all_, any_ = accepted == size, accepted > 0
        sure, possible = all_.copy(), any_.copy()
        for at, bounds in (guessed or {}).items():
            sure[at], possible[at] = bounds
        unsaid = (sure != all_) | (possible != any_)  # undecided, but the share is 0 or 1
        if blind:
            unsaid[list(guessed or {})] = True
        return cls(accepted, size, sure, possible, unsaid & possible & ~sure, note)


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a release: its line of the spec (or what the certificate says of it), whether its cells
    may be generalised, how many values it has where that is published, and whether its tree is known."""

    spec: ColumnSpec
    generalised: bool
    values: int | None = None
    known: bool = True

    def read(self, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
        """Read distinct labels (text)."""
        conditions = _respelled(conditions, normalised)
        recipe = self.spec.hierarchy if isinstance(self.spec.hierarchy, Recipe) else None
        tree = read_hierarchy(self.spec)
        if tree is not None:
            return _nodes(self.spec, tree, labels, conditions)
        if not self.known and self.spec.type in (Type.CATEGORY, Type.ORDINAL):
            raise SpecError(
                "nodes of a hierarchy that is not published",
                where=f"column {self.spec.name}",
                remedy="give the spec the release was made with (-s)",
            )
        if self.spec.type != Type.CATEGORY:
            return _intervals(self.spec, labels, conditions)
        if recipe is not None and self.generalised:
            return _masked(self, labels, conditions)
        return _sets(self, labels, conditions)


def _respelled(conditions: Sequence[Condition], spelling: Callable[[pl.Series], pl.Series]) -> list[Condition]:
    """The conditions with all their words spelled anew, at once."""
    words = [value.text for condition in conditions for value in condition.values]
    texts = iter(spelling(pl.Series(words, dtype=pl.String)).fill_null("").to_list())
    return [replace(c, values=tuple(replace(v, text=next(texts)) for v in c.values)) for c in conditions]


def _merged(spec: ColumnSpec, conditions: Sequence[Condition], names: Sequence[str]) -> Sequence[Condition]:
    """Words in the spelling that is published, where the spec merges spellings; `names` are those known."""
    return _respelled(conditions, lambda words: one_spelling(words, names)) if spec.casefold else conditions


def _asked(conditions: Sequence[Condition]) -> set[str]:
    """The words that a query names."""
    return {word for condition in conditions for word in condition.words}


def _unreadable(spec: ColumnSpec, number: int, remedy: str) -> InputError:
    return InputError(
        f"{counted(number, 'label')} that cannot be read",
        where=f"column {spec.name}",
        rule="value, [low, high], {a, b}, a node of the hierarchy, or *",
        remedy=remedy,
    )


# --- numbers, dates and ranks -------------------------------------------------------------------


def _intervals(spec: ColumnSpec, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Ranges of codes; `*` is all that other labels of the column span."""
    ranks = {name: rank for rank, name in enumerate(normalised(pl.Series(spec.order, dtype=pl.String)).to_list())}
    if spec.type == Type.ORDINAL:
        if not ranks:
            raise SpecError("an order that is not known", where=f"column {spec.name}", remedy="give the spec (-s)")
        low, high, scale = *_rank_ends(labels, ranks), 0
    elif spec.type == Type.DATE:
        low, high, scale = *_day_ends(labels), 0
    else:
        low, high, scale = _number_ends(spec, labels, conditions)
    read = low.is_not_null().to_numpy() & high.is_not_null().to_numpy()
    star, missing = (labels == EVERYTHING).to_numpy() & ~read, (labels == MISSING_LABEL).to_numpy()
    unread = int((~read & ~star & ~missing).sum())
    if unread:
        raise _unreadable(spec, unread, "give the spec the release was made with (-s)")
    if star.any() and not read.any():
        raise SpecError(
            "every cell is *",
            where=f"column {spec.name}",
            rule="its ends are not published",
            remedy="leave it out",
        )
    first, last = low.fill_null(0).to_numpy().copy(), high.fill_null(0).to_numpy().copy()
    if star.any():
        first[star], last[star] = first[read].min(), last[read].max()
    accepted, allowed = np.zeros(labels.len(), np.int64), ranges_of(conditions, spec.type, scale, ranks)
    for a, b in allowed:
        accepted += np.maximum(0, np.minimum(last, b) - np.maximum(first, a) + 1)
    accepted[missing] = 0
    beyond = (False, bool(allowed))  # a star may be anything, also a missing value
    note = f"* in {spec.name} is taken as the range of its other cells" if star.any() else ""
    stars = dict.fromkeys(np.flatnonzero(star).tolist(), beyond)
    return Cells.of(accepted, last - first + 1, stars, note, blind=True)


def _number_ends(
    spec: ColumnSpec, labels: pl.Series, conditions: Sequence[Condition]
) -> tuple[pl.Series, pl.Series, int]:
    """Both ends of numbers in steps of 10**-scale.

    `[low, high)` ends one step earlier, and its decimals may have more digits than its ends: its steps are
    finer than anything the query says.
    """
    shape = rf"^(?:(?P<value>{_FIGURE})|\[(?P<low>{_FIGURE}), (?P<high>{_FIGURE})[\])])$"
    found = labels.str.extract_groups(shape).struct.unnest()
    low, high = (found[end].zip_with(found["value"].is_null(), found["value"]) for end in ("low", "high"))
    ends = pl.concat([low, high])
    ends = ends.set(ends.str.contains(rf"\.[0-9]{{{DIGITS + 1}}}").fill_null(False), None)  # never misread
    halves = ends.str.strip_chars_start("+-").str.split_exact(".", 1).struct.unnest()
    part = halves["field_1"].fill_null("")
    scale = max(part.str.len_chars().unique().drop_nulls().to_list(), default=0)
    if spec.type == Type.DECIMAL and labels.str.ends_with(")").any():
        places, literal = finest(conditions, spec.type)
        room = 18 - max(halves["field_0"].str.len_chars().drop_nulls().to_list(), default=0)
        if scale < places >= room:
            raise refuse(
                "more decimal places than labels of this size leave room for", literal.position, "", "round it"
            )
        scale = max(scale, places) + 1
    digits = halves["field_0"] + part.str.pad_end(scale, "0")
    codes = ("0" + digits).cast(pl.Int64, strict=False)
    codes = (-codes).zip_with(ends.str.starts_with("-").fill_null(False), codes)
    open_end = labels.str.ends_with(")").cast(pl.Int64)
    return codes[: labels.len()], codes[labels.len() :] - open_end, scale


def _day_ends(labels: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Days, ranges of days, and the periods 2026-03, 2026-Q1 and 2026."""
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


def _rank_ends(labels: pl.Series, ranks: Mapping[str, int]) -> tuple[pl.Series, pl.Series]:
    """Ranks, ranges of ranks, and `*`: the whole order."""
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


# --- words --------------------------------------------------------------------------------------


def _sets(column: PublishedColumn, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Words, sets of words, and `*`: all values there are, also those that no cell names."""
    members = [_members(label) if column.generalised else [label] for label in labels.to_list()]
    unread = sum(names is None for names in members)
    if unread:
        raise _unreadable(column.spec, unread, "was the file changed after its release?")
    stars = [column.generalised and label == EVERYTHING for label in labels.to_list()]
    seen = {name for names, star in zip(members, stars, strict=True) if not star for name in names or ()}
    conditions = _merged(column.spec, conditions, sorted(seen))
    verdict = {name: accepts(name, conditions) for name in seen}
    everything, bounds = _everything(column, seen, conditions) if any(stars) else ((0, 1), (False, False))
    accepted = [
        everything[0] if star else sum(verdict[name] for name in names or ())
        for names, star in zip(members, stars, strict=True)
    ]
    size = [everything[1] if star else len(names or ()) for names, star in zip(members, stars, strict=True)]
    unknown = any(stars) and column.values is None
    note = f"* in {column.spec.name} is taken as the values its other cells name" if unknown else ""
    guessed = {at: bounds for at, star in enumerate(stars) if star}
    return Cells.of(np.array(accepted, np.int64), np.array(size, np.int64), guessed, note, unknown)


def _members(label: str) -> list[str] | None:
    """The words of a cell; None if it begins like a set and is none."""
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


def _everything(
    column: PublishedColumn, seen: set[str], conditions: Sequence[Condition]
) -> tuple[tuple[int, int], tuple[bool, bool]]:
    """How many of a column's values are accepted and how many there are; whether surely all, possibly any.

    A word that no cell names may be one of the values that stars hide, if there are any.
    """
    size = len(seen) if column.values is None else max(column.values, len(seen))
    if size == 0:
        raise SpecError(
            "every cell is *",
            where=f"column {column.spec.name}",
            rule="how many values it has is not published",
            remedy="leave it out, or ask the release's folder with its certificate",
        )
    asked = sorted(_asked(conditions) - seen)
    hidden: list[str | None] = [*asked[: size - len(seen)]]
    hidden += [None] * min(1, size - len(seen) - len(hidden))  # all words that nobody asks for are alike
    alike = size - len(seen) - len(hidden) + 1
    accepted = sum(accepts(name, conditions) * (alike if name is None else 1) for name in (*seen, *hidden))
    verdicts = [accepts(name, conditions) for name in seen]
    if column.values is None or column.values > len(seen):  # any word may be among them
        verdicts += [accepts(name, conditions) for name in (*asked, None)]
    return (accepted, size), (all(verdicts), any(verdicts))


def _masked(column: PublishedColumn, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Codes such as 816**: each masked character may be one of ten."""
    for value in (v for condition in conditions for v in condition.values if EVERYTHING in v.text):
        raise refuse(
            "a masked code",
            value.position,
            "masked codes are published, not asked for",
            "name whole codes, for example in ('81675', '81677')",
        )
    if column.spec.casefold:
        conditions, labels = (
            _respelled(conditions, lambda words: words.str.to_lowercase()),
            labels.str.to_lowercase(),
        )
    asked = sorted(_asked(conditions))
    verdict = {name: accepts(name, conditions) for name in asked}
    rest = accepts(None, conditions)
    accepted, size, guessed = [], [], {}
    for at, label in enumerate(labels.to_list()):
        shown = label.rstrip(EVERYTHING)
        if label == EVERYTHING:
            if column.values is None:
                raise SpecError(
                    "* in a masked column",
                    where=f"column {column.spec.name}",
                    rule="how many values it has is not published",
                    remedy="ask the release's folder with its certificate",
                )
            fitting, number = asked, column.values
        else:
            fitting = [name for name in asked if len(name) == len(label) and name.startswith(shown)]
            number = 10 ** min(18, len(label) - len(shown))
        accepted.append(min(number, sum(verdict[name] for name in fitting)) + rest * max(0, number - len(fitting)))
        size.append(number)
        if shown != label:
            hidden = [rest, *(verdict[name] for name in fitting)]
            guessed[at] = all(hidden), any(hidden)
    note = f"a masked character of {column.spec.name} is taken as one of ten" if guessed else ""
    return Cells.of(np.array(accepted, np.int64), np.array(size, np.int64), guessed, note)


# --- hierarchies --------------------------------------------------------------------------------


def _nodes(spec: ColumnSpec, tree: Hierarchy, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Nodes of a hierarchy; a query may name a node for all values under it."""
    absent = spec.missing == Missing.CATEGORY or (labels == MISSING_LABEL).any()  # perhaps only behind a *
    if absent and MISSING_LABEL not in tree.labels[: tree.leaves]:
        tree = tree.with_leaf(MISSING_LABEL)
    number = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    nodes = [number.get(label, -1) for label in labels.to_list()]
    if min(nodes, default=0) < 0:
        raise _unreadable(spec, sum(node < 0 for node in nodes), "give the hierarchy it was made with in the spec")
    leaves = tree.labels[: tree.leaves]
    if spec.type == Type.CATEGORY:
        conditions = _merged(spec, conditions, tree.labels)
        asked = _asked(conditions) & set(tree.labels)
        below = {t: set(leaves[tree.low[number[t]] : tree.high[number[t]] + 1]) for t in asked}
        chosen = [accepts(leaf, conditions, below) for leaf in leaves]
    else:
        chosen = _typed_leaves(spec, leaves, conditions)
    before = np.concatenate(([0], np.cumsum(chosen)))
    at = np.array(nodes, np.int64)
    return Cells.of(before[tree.high[at] + 1] - before[tree.low[at]], tree.high[at] - tree.low[at] + 1)


def _typed_leaves(spec: ColumnSpec, leaves: Sequence[str], conditions: Sequence[Condition]) -> list[bool]:
    """Which leaves, read as numbers, days or ranks, the conditions accept."""
    ranks = {name: rank for rank, name in enumerate(spec.order)}
    keys = [key_of(leaf, spec.type, ranks) for leaf in leaves]
    scale = next(s for s in range(16) if s == 15 or all(k is None or (k * 10**s).denominator == 1 for k in keys))
    allowed = ranges_of(conditions, spec.type, scale, ranks)
    return [key is not None and any(a <= key * 10**scale <= b for a, b in allowed) for key in keys]
