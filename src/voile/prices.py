"""What each promise costs on a table: the detail that is lost, for each kind of reader who is held off.

For the steward, to know what a promise costs; never published. It looks at who has what, so a promise must not be
chosen by it: that is said beside the figures (docs/facts/safety.md section 9, item 11).
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from voile import catalog
from voile.asked import ALGORITHM, RELEASE, Asked, chosen_for
from voile.core.boxes import Boxes
from voile.core.privacy_model import PrivacyModel
from voile.core.release import Release
from voile.core.table import Table
from voile.errors import ParameterError, VoileError
from voile.output.certificate import Claim

LOSS = "gcp_leaves"
TITLE = "What each promise costs here"
RUNGS = (Asked(RELEASE), Asked(ALGORITHM), Asked(ALGORITHM, strong=True))
BEWARE = (
    "Decide who must be held off before you look, not by what it costs: these figures come from this very table. "
    "Who takes another promise, or another l, because of them has chosen by who has what, and no proof against "
    "who knows the algorithm covers that. Figures of a table of other people may choose. What is published "
    "already stays: a second release of these persons tells more than either."
)


def price_keys(sensitive: int) -> list[str]:
    """The algorithms that keep the promises, for so many sensitive columns.

    >>> price_keys(1), price_keys(2)
    (['elig', 'glass', 'blind_cut'], ['elig', 'blind_cut'])
    """
    return list(dict.fromkeys(chosen_for(asked, sensitive).key for asked in RUNGS))


def price_list(
    sensitive: int, ells: Iterable[int], found: Mapping[tuple[str, int], Mapping[str, Any]]
) -> list[Any]:
    """A line per promise and l, from what is known of each algorithm with that l: a loss, a refusal, nothing."""
    lines = []
    for asked in RUNGS:
        key = chosen_for(asked, sensitive).key
        for ell in ells:
            figures = {
                name: value for name, value in found.get((key, ell), {}).items() if name in (LOSS, "refusal")
            }
            lines.append({**asked.document(), "algorithm": key, "l": ell, **figures})
    return lines


def losses(table: Table, ell: int, known: Mapping[str, float], progress: Callable[[float], None]) -> list[Any]:
    """The price list of one l. What is not `known` is run and dropped; of a random algorithm it is one draw."""
    keys = price_keys(len(table.sensitive))
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for done, key in enumerate(keys):
        progress(done / len(keys))
        found[key, ell] = {LOSS: known[key]} if key in known else tried(table, key, ell)
    return price_list(len(table.sensitive), [ell], found)


def tried(table: Table, key: str, ell: int) -> dict[str, Any]:
    """What an algorithm loses with an l, or why it refuses. What it made is dropped."""
    try:
        partition = catalog.algorithm(key).configure({"l": ell}).resolve(table).partition(table)
    except VoileError as error:
        return {"refusal": str(error)}
    return {LOSS: round(float(catalog.metrics()[LOSS]().measure(Boxes.around(table, partition))), 6)}


def priced_l(table: Table, promise: PrivacyModel) -> int:
    """The l of a promise, at which others are priced; refuses what has none. Kept columns split groups: what a run
    loses says nothing of whether it could be published."""
    confidence = promise.confidence()
    if table.kept:
        raise ParameterError(
            "kept columns",
            where="prices",
            rule="prices are of grouping alone; kept columns may split the groups apart",
            remedy="leave prices out; voile compare makes and checks each release in full",
        )
    if confidence is None or not 0 < confidence < 1:
        raise ParameterError(
            "a promise that bounds no confidence",
            where="prices",
            rule="promises are compared at the same l",
            remedy="leave prices out, or ask for an l",
        )
    return ceil(1 / confidence)


def with_prices(
    release: Release, table: Table, claim: Claim, ell: int, report: Callable[[str, float], None]
) -> Release:
    """The release with what each promise costs in its private record; of its own promise its own loss."""
    key = claim.algorithm.key
    same = False
    if key in price_keys(len(table.sensitive)) and not claim.also:
        with contextlib.suppress(VoileError):  # with its own parameters it ran, without them it would refuse
            same = catalog.algorithm(key).configure({"l": ell}).resolve(table) == claim.algorithm
    known = {key: float(release.certificate["utility"][LOSS])} if same else {}
    listed = losses(table, ell, known, lambda share: report("pricing the other promises", share))
    return replace(release, private_record={**release.private_record, "prices": listed})


def is_complete(lines: Iterable[Mapping[str, Any]]) -> bool:
    """Whether there is a price, or a refusal, for every promise."""
    found = list(lines)
    return bool(found) and all(LOSS in line or "refusal" in line for line in found)


def price_rows(lines: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The list as a table: who is held off, by which algorithm, and what that costs with each l.

    >>> price_rows([{"against": "release", "algorithm": "elig", "l": 4, "gcp_leaves": 0.125}])
    (['a promise against', 'algorithm', 'l = 4'], [['readers of the release alone', 'elig', '12.5%']])
    """
    known = [(asked, line) for line in lines if (asked := Asked.of(line)) is not None]
    ells = list(dict.fromkeys(line.get("l") for _, line in known))
    cells: dict[tuple[str, str], dict[Any, str]] = {}
    for asked, line in known:
        cells.setdefault((asked.readers, str(line.get("algorithm"))), {})[line.get("l")] = _shown(line)
    rows = [[*who, *(row.get(ell, "-") for ell in ells)] for who, row in cells.items()]
    return ["a promise against", "algorithm", *(f"l = {ell}" for ell in ells)], rows


def _shown(line: Mapping[str, Any]) -> str:
    """A loss in per cent, or why there is none."""
    loss = line.get(LOSS)
    if isinstance(loss, int | float):
        return f"{loss:.1%}"
    return "refused" if "refusal" in line else "not run"
