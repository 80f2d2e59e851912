"""Published labels read back: how many values a cell stands for, and how many of them a query accepts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.base_values import BaseValues
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Type
from voile.errors import SpecError
from voile.intake.columns import MISSING_LABEL
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.label_ends import day_ends, is_half_open, number_ends, rank_ends, set_members, unreadable
from voile.intake.normalise import normalised, one_spelling
from voile.intake.published_values import base_values_of, tree_of
from voile.querying.meaning import accepts, finest, key_of, ranges_of
from voile.querying.query_text import Condition, refuse

Numbers = NDArray[np.int64]


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
    may be generalised, how many values it has where that is published, whether its tree is known, and the base
    values of a generalised sensitive column with their weights."""

    spec: ColumnSpec
    generalised: bool
    values: int | None = None
    known: bool = True
    base_values: Mapping[str, int] | None = None

    def read(self, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
        """Read distinct labels (text)."""
        conditions = _respelled(conditions, normalised)
        if self.base_values is not None:
            return _weighed(self, self.base_values, labels, conditions)
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


# --- numbers, dates and ranks -------------------------------------------------------------------


def _intervals(spec: ColumnSpec, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Ranges of codes; `*` is all that other labels of the column span."""
    ranks = {name: rank for rank, name in enumerate(normalised(pl.Series(spec.order, dtype=pl.String)).to_list())}
    if spec.type == Type.ORDINAL:
        if not ranks:
            raise SpecError("an order that is not known", where=f"column {spec.name}", remedy="give the spec (-s)")
        low, high, scale = *rank_ends(labels, ranks), 0
    elif spec.type == Type.DATE:
        low, high, scale = *day_ends(labels), 0
    else:
        low, high, scale = _number_ends(spec, labels, conditions)
    read = low.is_not_null().to_numpy() & high.is_not_null().to_numpy()
    star, missing = (labels == EVERYTHING).to_numpy() & ~read, (labels == MISSING_LABEL).to_numpy()
    unread = int((~read & ~star & ~missing).sum())
    if unread:
        raise unreadable(spec, unread, "give the spec the release was made with (-s)")
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
    """Both ends of numbers, in steps that are finer than anything the query says where that matters."""
    if spec.type != Type.DECIMAL or not is_half_open(labels):
        ends = number_ends(labels)
        assert ends is not None  # only `places` can leave no room
        return ends
    places, literal = finest(conditions, spec.type)
    ends = number_ends(labels, places)
    if ends is None:
        raise refuse(
            "more decimal places than labels of this size leave room for", literal.position, "", "round it"
        )
    return ends


# --- words --------------------------------------------------------------------------------------


def _sets(column: PublishedColumn, labels: pl.Series, conditions: Sequence[Condition]) -> Cells:
    """Words, sets of words, and `*`: all values there are, also those that no cell names."""
    members = [set_members(label) if column.generalised else [label] for label in labels.to_list()]
    unread = sum(names is None for names in members)
    if unread:
        raise unreadable(column.spec, unread, "was the file changed after its release?")
    stars = [label == EVERYTHING for label in labels.to_list()]
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


def _weighed(
    column: PublishedColumn, stated: Mapping[str, int], labels: pl.Series, conditions: Sequence[Condition]
) -> Cells:
    """Values of a sensitive column, or nodes that count by the base values that the certificate states; without
    the tree only `*`, which is all of them, can be read."""
    spec = column.spec
    tree = tree_of(spec, stated) if column.known else Hierarchy.flat(list(stated))
    values = None if tree is None else base_values_of(tree, stated)
    unordered = spec.type == Type.ORDINAL  # its order is in the spec
    if not column.known and (unordered or not set(labels.to_list()) <= {*stated, EVERYTHING}):
        raise SpecError(
            "nodes of a hierarchy that is not published",
            where=f"column {spec.name}",
            remedy="give the spec the release was made with (-s)",
        )
    if tree is None or values is None:
        raise unreadable(spec, labels.len(), "give the hierarchy it was made with in the spec")
    cells = _nodes(spec, tree, labels, conditions, values)
    unsaid = cells.possible & ~cells.sure  # which values are raised is no accident (docs/facts/sweep.md B3)
    note = f"a node of {spec.name} is taken as the certificate weighs the values under it" if unsaid.any() else ""
    return replace(cells, blind=unsaid, note=note)


def _nodes(
    spec: ColumnSpec,
    tree: Hierarchy,
    labels: pl.Series,
    conditions: Sequence[Condition],
    values: BaseValues | None = None,
) -> Cells:
    """Nodes of a hierarchy; a query may name a node for all values under it. They count by their leaves, or by the
    weights of these."""
    absent = spec.missing == Missing.CATEGORY or (labels == MISSING_LABEL).any()  # perhaps only behind a *
    if values is None and absent and MISSING_LABEL not in tree.labels[: tree.leaves]:
        tree = tree.with_leaf(MISSING_LABEL)
    number = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    nodes = [number.get(label, -1) for label in labels.to_list()]
    if min(nodes, default=0) < 0:
        raise unreadable(spec, sum(node < 0 for node in nodes), "give the hierarchy it was made with in the spec")
    leaves = tree.labels[: tree.leaves]
    if spec.type == Type.CATEGORY:
        conditions = _merged(spec, conditions, tree.labels)
        asked = _asked(conditions) & set(tree.labels)
        below = {t: set(leaves[tree.low[number[t]] : tree.high[number[t]] + 1]) for t in asked}
        chosen = [accepts(leaf, conditions, below) for leaf in leaves]
    else:
        chosen = _typed_leaves(spec, leaves, conditions)
    at = np.array(nodes, np.int64)
    weight = np.ones(tree.leaves, np.int64) if values is None else values.weight
    accepted, size = (
        BaseValues(tree, counted).total[at] for counted in (weight * np.array(chosen, np.int64), weight)
    )
    if not size.all():
        raise unreadable(spec, int((size == 0).sum()), "give the spec it was made with")
    return Cells.of(accepted, size)


def _typed_leaves(spec: ColumnSpec, leaves: Sequence[str], conditions: Sequence[Condition]) -> list[bool]:
    """Which leaves, read as numbers, days or ranks, the conditions accept."""
    ranks = {name: rank for rank, name in enumerate(spec.order)}
    keys = [key_of(leaf, spec.type, ranks) for leaf in leaves]
    scale = next(s for s in range(16) if s == 15 or all(k is None or (k * 10**s).denominator == 1 for k in keys))
    allowed = ranges_of(conditions, spec.type, scale, ranks)
    return [key is not None and any(a <= key * 10**scale <= b for a, b in allowed) for key in keys]
