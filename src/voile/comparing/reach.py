"""Up to which l an algorithm runs on a table, asked of the algorithm itself.

What an algorithm checks before it groups (`resolve`) depends on how often each value occurs and on which rows are
one person's, never on who has what: permuting sensitive values among rows changes no answer here. So asking costs
nothing, whoever the reader is. Where that does not settle it (kept columns split groups; three columns may have no
grouping) only a trial can: that looks at who has what, and is for readers of the release alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from voile import catalog
from voile.algorithms.m_invariant import MInvariant, feasible_m
from voile.core.algorithm import Algorithm
from voile.core.parameters import AUTO
from voile.core.table import Table
from voile.errors import VoileError
from voile.pipeline import anonymize
from voile.rendering.publishable import refuse_exact
from voile.series.recollection import refuse_unfit


@dataclass(frozen=True)
class Reach:
    """The largest l of an algorithm; and its own words, where that is less than was asked for."""

    algorithm: str
    largest: int  # below 2: it does not run at all
    refusal: str = ""
    refused: int = 0  # the l that was asked for


@dataclass(frozen=True)
class Trial:
    """What a run came to that was made to see whether it can be."""

    refusal: str = ""
    suppressed: int = 0


def reach_of(key: str, table: Table, wanted: int | None = None) -> Reach:
    """Of an algorithm whose l may be left to it.

    >>> import polars as pl
    >>> from voile import read
    >>> people = pl.DataFrame({"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]})
    >>> table = read(people, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    >>> reach_of("glass", table).largest, reach_of("glass", table, 3).refusal[:54]
    (2, 'column disease: the most frequent value is 50 % of row')
    """

    def resolved(ell: int | None) -> int:
        chosen: Any = catalog.algorithm(key).configure({"l": AUTO if ell is None else ell}).resolve(table)
        if table.schema is not None:
            refuse_exact(table.schema, chosen)
        return int(chosen.l)

    return _asked(key, resolved, wanted)


def reach_in_series(table: Table, wanted: int | None = None) -> Reach:
    """The largest m of a first release; later ones are the ledger's to judge."""

    def resolved(m: int | None) -> int:
        refuse_unfit(table, MInvariant.key)
        return feasible_m(m, table)

    return _asked(MInvariant.key, resolved, wanted)


def _asked(key: str, resolved: Callable[[int | None], int], wanted: int | None) -> Reach:
    """What is possible at most, and what is said to more than that."""
    largest = 0
    try:
        largest = resolved(None)
        if wanted is not None:
            resolved(wanted)
    except VoileError as error:
        return Reach(key, largest, str(error), wanted or 2)
    return Reach(key, largest)


def is_settled(key: str, parameters: Mapping[str, str], table: Table) -> bool:
    """Whether an l within reach is sure to make a release, without a trial."""
    if parameters.get("ineligible") == "suppress":  # how many rows that costs is worth a trial
        return False
    if table.kept and not catalog.algorithm(key).separates:
        return False
    return len(table.marks()) < 3


def repeats(card: type[Algorithm], table: Table) -> bool:
    """Whether what ran once runs again: draws may decide it where groups are split, or where an algorithm asks
    nothing before it draws."""
    if card.deterministic:
        return True
    return card.resolve is not Algorithm.resolve and (card.separates or not table.kept)


def tried(key: str, parameters: Mapping[str, str], table: Table) -> Trial:
    """Make the release and drop it."""
    try:
        release = anonymize(table, key, **dict[str, Any](parameters))
    except VoileError as error:
        return Trial(str(error))
    return Trial(suppressed=release.certificate["table"]["suppressed"])
