"""Blocks: a plan by quasi-identifiers alone, fixed before the sensitive column is looked at.

Rows of different blocks never share a group, so a block's labels stay narrow. The plan is written as
`gender+age<40<60+region@1`: a block for each gender, crossed with ages below 40, from 40 to 59 and from
60, crossed with the regions one level below the root of their hierarchy.

If one block cannot keep the promise, the whole release is refused. Falling back to a coarser plan would
tell that the finer one failed, and so something about who has what: at n = 6 with three values twice each,
everything (docs/facts/streamliner.md A4).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.order import dense_rank, distinct_values
from voile.core.table import Column, Table
from voile.errors import Infeasible, ParameterError, counted

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Term:
    """One part of a plan: a column by its values, by cuts, or by the nodes at a depth of its tree."""

    column: str
    cuts: tuple[str, ...] = ()
    depth: int | None = None

    def __str__(self) -> str:
        depth = "" if self.depth is None else f"@{self.depth}"
        return "<".join((self.column, *self.cuts)) + depth


def plan_of(text: str) -> tuple[Term, ...]:
    """Read a plan.

    >>> [str(term) for term in plan_of("gender + age<40<60 + region@1")]
    ['gender', 'age<40<60', 'region@1']
    """
    terms = tuple(_term(part.strip()) for part in text.split("+")) if text.strip() else ()
    if len({term.column for term in terms}) < len(terms):
        _refuse_plan_text()
    return terms


def _term(text: str) -> Term:
    name, *cuts = (part.strip() for part in text.split("<"))
    name, at, depth = (part.strip() for part in name.partition("@"))
    if not name or not all(cuts) or (at and (not depth.isdecimal() or int(depth) < 1 or cuts)):
        _refuse_plan_text()
    return Term(name, tuple(cuts), int(depth) if at else None)


def _refuse_plan_text() -> NoReturn:
    raise ParameterError(
        "not a plan of blocks",
        where="parameter blocks",
        rule="column, column<cut<cut or column@depth, joined by +; no column twice, no +, < or @ in its name",
        remedy="for example blocks=gender+age<40<60",
    )


def block_of_rows(table: Table, plan: tuple[Term, ...]) -> Codes:
    """The block of each row, numbered from 0; looks at quasi-identifying columns only."""
    parts = [_part(_column(table, term), term) for term in plan]
    return dense_rank(parts) if parts else np.zeros(table.n, np.int64)


def _column(table: Table, term: Term) -> Column:
    found = [column for column in table.quasi if column.name == term.column]
    if not found:
        raise ParameterError(
            f"{term.column} is not a quasi-identifying column of the table",
            where="parameter blocks",
            rule="blocks are made of quasi-identifying columns only",
            remedy=f"one of {', '.join(column.name for column in table.quasi)}",
        )
    return found[0]


def _part(column: Column, term: Term) -> Codes:
    domain = column.domain
    if term.depth is not None:
        if not isinstance(domain, Hierarchy) or domain.is_flat:
            _refuse_term(term, "@ needs a column with a hierarchy", "name the column alone, or cut it with <")
        return nodes_at(domain, term.depth)[column.codes]
    if term.cuts:
        if not isinstance(domain, Axis):
            _refuse_term(
                term,
                "< needs a number, a date or an ordinal column without a hierarchy",
                "name the column alone, or its nodes with @1, @2, ...",
            )
        return np.searchsorted(np.array(_places(domain, term)), column.codes, side="right")
    return distinct_values(column.codes)[1]


def _places(axis: Axis, term: Term) -> list[int]:
    """The codes of the cuts."""
    try:
        places = [axis.place(cut) for cut in term.cuts]
    except ValueError:
        _refuse_term(term, f"a cut is a value of type {axis.type}", "write it as in the table")
    if places != sorted(set(places)):
        _refuse_term(term, "cuts ascend", "order them, each once")
    return places


def _refuse_term(term: Term, rule: str, remedy: str) -> NoReturn:
    raise ParameterError("cannot be cut so", where=f"parameter blocks, {term.column}", rule=rule, remedy=remedy)


def nodes_at(tree: Hierarchy, depth: int) -> Codes:
    """Of each leaf the node so many steps below the root, or the leaf itself where it is higher.

    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> [tree.labels[node] for node in nodes_at(tree, 1)]
    ['x', 'x', 'c']
    """
    nodes = np.empty(tree.leaves, np.int64)
    for leaf in range(tree.leaves):
        path = [leaf]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        nodes[leaf] = path[max(0, len(path) - 1 - depth)]
    return nodes


def coarser(plan: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    """Plans with one cut, one level or one column less."""
    for i, term in enumerate(plan):
        for j in range(len(term.cuts)):
            if len(term.cuts) > 1:
                fewer = replace(term, cuts=term.cuts[:j] + term.cuts[j + 1 :])
                yield (*plan[:i], fewer, *plan[i + 1 :])
        if term.depth is not None and term.depth > 1:
            yield (*plan[:i], replace(term, depth=term.depth - 1), *plan[i + 1 :])
        yield plan[:i] + plan[i + 1 :]


def refuse_plan(
    table: Table, plan: tuple[Term, ...], ell: int, allowed: Callable[[Codes], NDArray[np.int64]]
) -> NoReturn:
    """Say how far the plan is from l, and which coarser plans reach it. `allowed` gives the largest l of
    each block of a plan."""
    blocks = block_of_rows(table, plan)
    each = allowed(blocks)
    worst = int(each.argmin())
    options = {
        "+".join(map(str, other)): int(allowed(block_of_rows(table, other)).min())
        for other in coarser(plan)
        if other
    }
    enough = [f"blocks={text}" for text, largest in options.items() if largest >= ell]
    best = max(options, key=lambda text: options[text], default="")
    advice = f"l = {each[worst]} with these blocks is safe; " if each[worst] > 1 else ""
    if enough:
        advice += f"coarser plans allow l = {ell}: {', '.join(enough[:3])}"
    elif options and options[best] > 1:
        advice += f"a coarser plan, blocks={best}, allows l = {options[best]}"
    else:
        advice += "a plan with fewer blocks may work"
    failing = int((each < ell).sum())
    raise Infeasible(
        f"{counted(failing, 'block')} of {each.size} cannot keep the promise; the worst has "
        f"{counted(int((blocks == worst).sum()), 'row')}",
        where="parameter blocks",
        largest_l=int(each[worst]),
        rows_to_suppress=0,
        rule=f"in every block each share is at most 1/{ell}; publishing without the failing blocks, or falling "
        "back by itself, would tell who has what",
        remedy=f"{advice}; but who knows that you changed the plan because it failed learns from that, too",
    )
