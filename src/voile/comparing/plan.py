"""The runs of a comparison: every algorithm with every combination of the values of its parameters."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from voile import catalog
from voile.errors import ParameterError, counted

MOST_RUNS = 1000
_RANGE = re.compile(r"([0-9]{1,6})\.\.([0-9]{1,6})")


@dataclass(frozen=True)
class Run:
    """One algorithm with parameters, as texts that its card accepts.

    >>> Run("elig", (("l", "5"), ("refine", "0")))
    Run('elig l=5 refine=0')
    """

    algorithm: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> str:
        """As people write it."""
        return " ".join([self.algorithm, *(f"{name}={value}" for name, value in self.parameters)])

    def __repr__(self) -> str:
        return f"Run({self.words!r})"


def planned(algorithms: Sequence[str], parameters: Mapping[str, object]) -> list[Run]:
    """Every run, in the order in which it was asked for; refuses what no algorithm has before anything runs.

    A value may be one, several in a list, or a range of whole numbers such as "2..7". `elig.refine` is the
    parameter of one algorithm, `l` that of each that has it.

    >>> planned(["elig", "rda"], {"l": "2..3", "elig.refine": 0})
    [Run('elig l=2 refine=0'), Run('elig l=3 refine=0'), Run('rda l=2'), Run('rda l=3')]
    """
    keys = list(dict.fromkeys(algorithms))
    if not keys:
        raise ParameterError("no algorithm", where="compare", remedy="name some, for example elig,bsgi,rda")
    values = {name: list(_values(name, given)) for name, given in parameters.items()}
    for name in (name for name, given in values.items() if not given):
        raise ParameterError("no value", where=f"parameter {name}", remedy="give one, or leave it out")
    own = {key: _own(key, values) for key in keys}
    _refuse_unused(keys, values, own)
    runs = [Run(key, chosen) for key in keys for chosen in _combinations(own[key])]
    if len(runs) > MOST_RUNS:
        raise ParameterError(
            counted(len(runs), "run"), where="compare", rule=f"at most {MOST_RUNS}", remedy="fewer values"
        )
    for run in runs:
        catalog.algorithm(run.algorithm).configure(dict(run.parameters))
    return runs


def _values(name: str, given: object) -> Iterator[str]:
    """One value, a list of values, or a range, as texts."""
    for value in given if isinstance(given, list | tuple | range) else [given]:
        ends = _RANGE.fullmatch(value.strip()) if isinstance(value, str) else None
        if ends is None:
            yield str(value).strip()
            continue
        low, high = int(ends[1]), int(ends[2])
        if not low <= high < low + MOST_RUNS:
            raise ParameterError(
                "not a range",
                where=f"parameter {name}",
                rule=f"from low to high, at most {MOST_RUNS} numbers",
                remedy=f"for example {name}=2..7",
            )
        yield from map(str, range(low, high + 1))


def _own(key: str, values: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Those of all parameters that an algorithm takes; what is said of it by name goes before."""
    cards = catalog.algorithm(key).parameters()
    shared = {card.name: values[card.name] for card in cards if card.name in values}
    named = {name.partition(".")[2]: given for name, given in values.items() if name.startswith(f"{key}.")}
    unknown = sorted(set(named) - {card.name for card in cards})
    if unknown:
        catalog.algorithm(key).configure(dict.fromkeys(unknown, ""))  # raises: it names what there is
    return {card.name: (shared | named)[card.name] for card in cards if card.name in shared | named}


def _refuse_unused(
    keys: Sequence[str], values: Mapping[str, object], own: Mapping[str, Mapping[str, object]]
) -> None:
    used = {name for names in own.values() for name in names}
    used |= {f"{key}.{name}" for key, names in own.items() for name in names}
    unused = [name for name in values if name not in used]
    if unused:
        raise ParameterError(
            f"no parameter {unused[0]}",
            where="compare",
            rule=f"of one of {', '.join(keys)}",
            remedy="see voile algorithms; ALGORITHM.NAME is the parameter of one that is compared",
        )


def _combinations(own: Mapping[str, Sequence[str]]) -> Iterator[tuple[tuple[str, str], ...]]:
    for chosen in itertools.product(*(dict.fromkeys(given) for given in own.values())):
        yield tuple(zip(own, chosen, strict=True))
