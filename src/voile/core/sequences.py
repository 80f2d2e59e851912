"""Sequences of generalizations, built from the quasi-identifiers of a table or given by the steward.

Nothing here looks at a sensitive value: two tables that differ in those alone have the same sequence.
"""

from collections.abc import Sequence

import numpy as np

from voile.core.full_domain import lattice, level_chain
from voile.core.generalizations import Generalizations
from voile.core.generalizations_given import given_functions
from voile.core.grouping_loss import Utility
from voile.core.table import Table
from voile.core.taxonomy_cuts import cut_chain
from voile.errors import ParameterError, counted

AS_GIVEN = "as_given"
BUILDERS = {"levels": level_chain, "cuts": cut_chain, "lattice": lattice}
MOST_CUTS = 8  # functions that are kept of a chain of cuts


def sequence_of(
    table: Table, sequence: str, utility: str = "dm", *, least: int = 1, first: int = 1, reuse: Sequence[int] = ()
) -> Generalizations:
    """The functions a search goes through: `sequence` is levels, cuts, lattice, or the text of a plan (JSON).

    Built functions with a group of fewer than `least` rows are left out, since no values of the rows could make
    them pass: the search goes on after each of them for every table. A chain of cuts is then thinned. `first`
    leaves out the functions before it, `reuse` appends functions again, both counted from 1 among those left.

    >>> from voile.core.axis import Axis
    >>> from voile.core.schema import Role, Type
    >>> from voile.core.table import Column
    >>> age = Column("age", Role.QUASI_IDENTIFYING, Axis(Type.INTEGER, 20, 29), np.array([20, 21, 28, 29]))
    >>> sequence_of(Table([age]), "levels").titles
    ('age level 0', 'age level 1', 'age level 2')
    >>> sequence_of(Table([age]), "levels", least=2).titles
    ('age level 1', 'age level 2')
    """
    if sequence not in BUILDERS:
        return _chosen(given_functions(table, sequence, _utility(utility)), first, reuse)
    measured = _utility(utility)
    if measured is None:
        raise ParameterError(
            "no utility to sort by",
            where="parameter utility",
            rule=f"{AS_GIVEN} is for functions that you list yourself",
            remedy=f"with sequence={sequence} use utility=dm or gcp",
        )
    built = _passable(BUILDERS[sequence](table, measured), least)
    return _chosen(thinned(built, MOST_CUTS) if sequence == "cuts" else built, first, reuse)


def _utility(named: str) -> Utility | None:
    return "gcp" if named == "gcp" else "dm" if named == "dm" else None


def _passable(sequence: Generalizations, least: int) -> Generalizations:
    """The functions whose groups all have so many rows; the last one if none has."""
    fit = [
        i for i, groups in enumerate(sequence.functions) if int(np.bincount(groups).min(initial=least)) >= least
    ]
    return sequence.at(fit or [len(sequence) - 1])


def thinned(sequence: Generalizations, most: int) -> Generalizations:
    """At most so many functions: the first, the last, and those at equal distances between them.

    >>> chain = Generalizations(tuple(np.minimum(np.arange(6), i) for i in range(6)), tuple("fedcba"))
    >>> thinned(chain, 3).titles
    ('f', 'd', 'a')
    """
    n = len(sequence)
    return sequence if n <= most else sequence.at([i * (n - 1) // (most - 1) for i in range(most)])


def _chosen(sequence: Generalizations, first: int, reuse: Sequence[int]) -> Generalizations:
    n = len(sequence)
    if not 1 <= first <= n:
        raise ParameterError(
            f"there are {counted(n, 'function')}",
            where="parameter first",
            rule="the search begins with one of the functions",
            remedy=f"use a number from 1 to {n}",
        )
    left = list(range(first - 1, n))
    if any(not 1 <= i <= len(left) for i in reuse):
        raise ParameterError(
            f"there are {counted(len(left), 'function')} from the first one on",
            where="parameter reuse",
            rule="functions that are used again are counted from 1",
            remedy=f"use numbers from 1 to {len(left)}, joined by +",
        )
    return sequence.at([*left, *(left[i - 1] for i in reuse)])
