"""Explanations: what a search over generalizations does with a table, step by step, and what its readers conclude.

Everything here depends on who has what: it is for the steward alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile import catalog
from voile.algorithms.k_jump import KJump
from voile.core.generalizations import Generalizations
from voile.core.grouping_loss import grouping_loss
from voile.core.order import distinct_values
from voile.core.table import Table
from voile.errors import BeyondReach, ParameterError
from voile.rendering.labels import value_labels
from voile.theory.evaluation import Evaluation, TableSet, disclosure_set, evaluate
from voile.theory.set_figures import broken_for, set_document
from voile.theory.set_properties import SetProperty
from voile.theory.strategies import Strategy

Codes = NDArray[np.int64]
Found = TypeVar("Found")


@dataclass(frozen=True, repr=False, eq=False)
class Looked:
    """A function that the search looked at. `left` is what remains for who knows the algorithm, None where the
    function fails on its face or the answer is beyond reach."""

    function: int
    title: str
    groups: int
    loss: Fraction
    face: TableSet
    left: TableSet | None
    above: tuple[bool, ...]  # of each row: whether the property does not hold for what is left
    disclosed: bool
    goes_on: int  # with this function; n + 1 is nothing

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        left = None if self.left is None else set_document(self.left) | {"persons_above": sum(self.above)}
        return {
            "function": self.function,
            "title": self.title,
            "groups": self.groups,
            "loss": str(self.loss),
            "on_its_face": set_document(self.face),
            "left": left,
            "disclosed": self.disclosed,
            **({} if self.disclosed else {"goes_on_with": self.goes_on}),
        }


@dataclass(frozen=True, repr=False, eq=False)
class Outcome:
    """What a strategy does with the table; `left` is what its readers are left with. `beyond` says why that, or
    even the outcome, is not known."""

    strategy: Strategy
    decided: bool  # whether the outcome is known
    function: int | None  # None: nothing is disclosed
    left: TableSet | None
    above: int = 0  # persons
    beyond: str = ""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        left = None if self.left is None else set_document(self.left) | {"persons_above": self.above}
        beyond = {"beyond_reach": self.beyond} if self.beyond else {}
        known = {"k": list(self.strategy.k), "decided": self.decided, "function": self.function}
        return {**known, "left": left, **beyond}


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """A search and what it does with a table. Private: it depends on who has what."""

    algorithm: KJump
    sequence: Generalizations
    wanted: SetProperty
    strategy: Strategy
    steps: tuple[Looked, ...]
    outcomes: dict[str, Outcome]  # by strategy: the one asked for, and the others
    table: Table

    @property
    def outcome(self) -> Outcome:
        """Of the strategy that was asked for."""
        return self.outcomes[self.strategy.kind]

    def told(self, step: Looked) -> list[dict[str, Any]]:
        """For whom the property does not hold, with the likeliest value: cells, for `--show-values` alone."""
        if step.left is None:
            return []
        secret = self.table.sensitive[0]
        names = value_labels(secret, distinct_values(secret.codes)[0]).cast(pl.String).to_list()
        persons = pl.DataFrame([value_labels(c, c.codes).cast(pl.String) for c in self.table.quasi]).to_dicts()
        found = []
        for row in np.flatnonzero(step.above).tolist():
            kind = int(step.left.kind[row])
            likeliest = names[int(np.argmax(step.left.counts[kind]))]
            found.append({"person": persons[row], "likeliest": likeliest, "share": str(step.left.ratios[kind])})
        return found

    def document(self, show_values: bool = False) -> dict[str, Any]:
        """For `--json`."""
        told = [{"told": self.told(step)} if show_values else {} for step in self.steps]
        return {
            "ok": True,
            "private": "depends on who has what: never publish it, nor choose parameters by it",
            "algorithm": {"key": self.algorithm.key, "parameters": self.algorithm.settings()},
            "persons": self.table.n,
            "functions": list(self.sequence.titles),
            "steps": [step.document() | more for step, more in zip(self.steps, told, strict=True)],
            "outcomes": {name: outcome.document() for name, outcome in self.outcomes.items()},
        }


def explain(table: Table, algorithm: str = "k_jump", **parameters: object) -> Explanation:
    """Follow a search with a table; nothing is published.

    >>> import voile, polars as pl
    >>> clinic = pl.DataFrame({"age": [21, 29, 35, 38, 44, 47], "disease": ["flu", "cold", "gout"] * 2})
    >>> spec = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    >>> found = explain(voile.read(clinic, spec), l=2)
    >>> [(step.title, step.face.size, step.disclosed) for step in found.steps]
    [('age level 3', 90, True)]
    """
    chosen = catalog.algorithm(algorithm).configure(parameters)
    if not isinstance(chosen, KJump):
        raise ParameterError(
            f"{algorithm} has no steps to explain",
            where="explain",
            rule="a search over a sequence of generalizations",
            remedy="use k_jump, also for naive searches: strategy=naive",
        )
    resolved = chosen.resolve(table)
    sequence, wanted, strategy = resolved.search(table)
    values = distinct_values(table.sensitive[0].codes)[1]
    search = _Search(table, sequence, values, wanted, resolved)
    found = search.evaluated(strategy)
    steps = tuple(search.steps(found))
    n = len(sequence)
    jump = strategy if strategy.kind == "jump" else Strategy.jump(1, n)
    compared = [Strategy.naive(n), Strategy.safe(n), jump]
    outcomes = {str(each.kind): search.outcome(each, found if each == strategy else None) for each in compared}
    return Explanation(resolved, sequence, wanted, strategy, steps, outcomes, table)


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    table: Table
    sequence: Generalizations
    values: Codes
    wanted: SetProperty
    algorithm: KJump

    def evaluated(self, strategy: Strategy) -> Evaluation:
        """The path of a strategy."""
        return evaluate(self.sequence, self.values, self.wanted, strategy, limit=self.algorithm.limit)

    def left_at(self, strategy: Strategy, function: int) -> TableSet:
        """What readers are left with who see this function disclosed; with n + 1, who hear of nothing."""
        limit = self.algorithm.limit
        return disclosure_set(self.sequence, self.values, self.wanted, strategy, function, limit=limit)

    def steps(self, found: Evaluation) -> Iterator[Looked]:
        """The functions on the path, also with what is left where the strategy did not ask."""
        for step in found.steps:
            i, strategy, left = step.function, found.strategy, step.ds
            if left is None and step.per.holds:
                left, _ = within_reach(partial(self.left_at, strategy, i))
            groups = self.sequence.functions[i - 1]
            yield Looked(
                i,
                self.sequence.titles[i - 1],
                int(groups.max()) + 1,
                grouping_loss(self.table, groups, "gcp" if self.algorithm.utility == "gcp" else "dm"),
                step.per,
                left,
                self.above(left, i),
                found.outcome == i,
                strategy.after(i) if step.ds is not None else i + 1,
            )

    def outcome(self, strategy: Strategy, found: Evaluation | None) -> Outcome:
        """What a strategy does, or would do."""
        beyond = ""
        if found is None:
            found, beyond = within_reach(partial(self.evaluated, strategy))
        if found is None:
            return Outcome(strategy, False, None, None, beyond=beyond)
        at = found.outcome or len(self.sequence) + 1
        left = found.steps[-1].ds if found.outcome else None
        if left is None:
            left, beyond = within_reach(partial(self.left_at, strategy, at))
        return Outcome(strategy, True, found.outcome, left, sum(self.above(left, at)), beyond)

    def above(self, left: TableSet | None, function: int) -> tuple[bool, ...]:
        """For which rows the property does not hold."""
        if left is None:
            return ()
        everything = np.zeros(self.table.n, np.int64)
        groups = self.sequence.functions[function - 1] if function <= len(self.sequence) else everything
        return tuple(broken_for(left, np.bincount(groups)[groups].tolist(), self.wanted))


def within_reach(ask: Callable[[], Found]) -> tuple[Found | None, str]:
    """An answer, or why it is not given."""
    try:
        return ask(), ""
    except BeyondReach as refused:
        return None, str(refused)
