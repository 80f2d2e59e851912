"""Forms for the hierarchies that Voile builds from the values: each only for the types it is made for."""

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from voile.core.hierarchy_recipe import KINDS, PERIODS
from voile.web.elements import button, entry, tag, tick

Taken = Callable[[dict[str, Any]], Any]
_WHOLE, _DECIMAL = re.compile(r"[+-]?[0-9]{1,15}"), re.compile(r"[+-]?[0-9]{1,15}\.[0-9]{1,15}")


def forms(type_: str, now: Any, about: Mapping[str, Any], taken: Taken) -> None:
    """A form for each kind that suits the type, filled with what the column has or what its values suggest."""
    made = {"intervals": _intervals, "quantiles": _quantiles, "mask": _mask, "dates": _dates, "groups": _groups}
    current = now if isinstance(now, Mapping) else {}
    with tag("div", classes="cards recipes"):
        for kind, (types, _) in KINDS.items():
            if type_ in types:
                with tag("section", classes="card"):
                    made[kind](current, about, taken)


def numbers_in(text: str) -> list[int | float | str]:
    """What was typed, as numbers where it is; the rest is left to be refused.

    >>> numbers_in("5, 10; 2.5 x")
    [5, 10, 2.5, 'x']
    """
    return [_number(word) for word in re.split(r"[\s,;]+", text.strip()) if word]


def _number(word: str) -> int | float | str:
    if _WHOLE.fullmatch(word):
        return int(word)
    return float(word) if _DECIMAL.fullmatch(word) else word


def _one(text: str) -> Any:
    found = numbers_in(text)
    return found[0] if len(found) == 1 else text


def nice(number: float) -> int | float:
    """The largest of 1, 2, 5, 10, 20 and so on that is not larger.

    >>> nice(7.4), nice(0.3), nice(1234)
    (5, 0.2, 1000)
    """
    if not 1e-9 < number < 1e15:
        return 1
    power = 10.0 ** math.floor(math.log10(number))
    step = next((s for s in (5, 2) if s * power <= number), 1) * power
    return int(step) if step >= 1 else round(step, 9)


def _shown(values: Any) -> str:
    return ", ".join(map(str, values)) if isinstance(values, list | tuple) else str(values)


def _intervals(now: Mapping[str, Any], about: Mapping[str, Any], taken: Taken) -> None:
    width = nice((about.get("high", 0) - about.get("low", 0)) / 15)
    said = {
        "widths": _shown(now.get("intervals", [width, 2 * width, 4 * width])),
        "origin": str(now.get("origin", 0)),
    }
    tag("h3", "Intervals")
    tag("p", "Each width is a multiple of the one before: 5, 10, 20 makes [20, 24], [20, 29], [20, 39].", "note")
    with tag("div", classes="inline"):
        entry("widths, fine to coarse", said["widths"], lambda text: said.update(widths=text))
        entry("starting at", said["origin"], lambda text: said.update(origin=text), size=6)

    def built() -> None:
        origin = _one(said["origin"] or "0")
        taken({"intervals": numbers_in(said["widths"]), **({"origin": origin} if origin != 0 else {})})

    button("Build intervals", built)


def _quantiles(now: Mapping[str, Any], about: Mapping[str, Any], taken: Taken) -> None:
    grid = nice((about.get("high", 0) - about.get("low", 0)) / 100)
    said = {"groups": str(now.get("quantiles", 8)), "grid": str(now.get("grid", max(grid, 1)))}
    tag("h3", "Equally full intervals")
    tag("p", "About as many rows in each; bounds fall on a public grid, so they tell nobody's value.", "note")
    with tag("div", classes="inline"):
        entry("groups", said["groups"], lambda text: said.update(groups=text), size=6)
        entry("bounds are multiples of", said["grid"], lambda text: said.update(grid=text), size=8)
    button("Build quantiles", lambda: taken({"quantiles": _one(said["groups"]), "grid": _one(said["grid"])}))


def _mask(now: Mapping[str, Any], about: Mapping[str, Any], taken: Taken) -> None:
    most = min(max(int(about.get("longest", 1)) - 1, 1), 4)
    said = {"masked": _shown(now.get("mask", list(range(1, most + 1))))}
    tag("h3", "Masked codes")
    tag("p", "For postcodes and the like: 81675 becomes 8167*, then 816**, hidden from the right.", "note")
    entry("characters hidden on each level", said["masked"], lambda text: said.update(masked=text))
    button("Build masks", lambda: taken({"mask": numbers_in(said["masked"])}))


def _dates(now: Mapping[str, Any], about: Mapping[str, Any], taken: Taken) -> None:
    said = {period: period in now.get("dates", PERIODS) for period in PERIODS}
    tag("h3", "Parts of the year")
    tag("p", "2024-05-17 becomes 2024-05, 2024-Q2, 2024.", "note")
    for period in PERIODS:
        tick(period, said[period], partial(said.__setitem__, period))
    button("Build dates", lambda: taken({"dates": [period for period in PERIODS if said[period]]}))


def _groups(now: Mapping[str, Any], about: Mapping[str, Any], taken: Taken) -> None:
    said = {"lengths": _shown(now.get("groups", [2, 4]))}
    tag("h3", "Neighbours in the order")
    tag("p", "2, 4 joins each two neighbours, then each four. Each is a multiple of the one before.", "note")
    entry("how many values on each level", said["lengths"], lambda text: said.update(lengths=text))
    button("Build groups", lambda: taken({"groups": numbers_in(said["lengths"])}))
