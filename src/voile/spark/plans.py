"""Which algorithms run on a cluster, how, and why others do not."""

from collections.abc import Callable
from typing import NamedTuple

from voile.core.algorithm import Algorithm
from voile.errors import ParameterError
from voile.spark import blind_cut, chunks, glass, m_invariant, mondrian, rda
from voile.spark.planned import Planned
from voile.spark.spread import Spread


class Plan(NamedTuple):
    """How an algorithm is spread."""

    make: Callable[[Spread, Algorithm, int], Planned]
    equals: str  # what of it equals the local run
    curve: bool = False  # whether rows need their place on the curve


PLANS = {
    "rda": Plan(rda.plan, "its promise"),
    "anatomy": Plan(rda.dealt, "its promise"),
    "blind_cut": Plan(blind_cut.plan, "its promise", curve=True),
    "glass": Plan(glass.plan, "its promise", curve=True),
    "m_invariant": Plan(m_invariant.plan, "its groups where every bucket fits a cell, else its promise", True),
    "mondrian": Plan(mondrian.plan, "its partition"),
    "elig": Plan(chunks.plan, "its promise"),
    "hilbert": Plan(chunks.plan, "its promise"),
}
REFUSED = {
    "ria": "candidates of a row are rows of the whole table",
    "gda": "ranks of rows depend on every other row",
    "bsgi": "the nearest row of another value may be anywhere",
    "sweep": "runs of equal rows are moved through the whole table; use mondrian with property=tau_l",
    "sweep_e": "runs of equal rows are moved through the whole table; use mondrian with property=tau_l",
    "symb": "its buckets are the whole table: use glass, which cuts first",
    "k_jump": "it enumerates tables, and is for small ones",
    "secret_choice": "it enumerates tables, and is for small ones",
    "incognito": "the lattice is walked on the counts of all rows that look alike: use mondrian",
}
UNPROVED = "nobody has shown that it can be cut into cells"


def on_cluster(key: str) -> str:
    """Whether an algorithm runs on a cluster, and what of it equals the local run; or why not.

    >>> on_cluster("rda"), on_cluster("ria")
    ('yes; equal to the local run: its promise', 'no: candidates of a row are rows of the whole table')
    """
    if key in PLANS:
        return f"yes; equal to the local run: {PLANS[key].equals}"
    return f"no: {REFUSED.get(key, UNPROVED)}"


def plan_of(algorithm: Algorithm) -> Plan:
    """How an algorithm runs on a cluster; refuses what does not."""
    found = PLANS.get(algorithm.key)
    if found is None:
        raise ParameterError(
            f"{algorithm.key} does not run on a cluster",
            where="--engine spark",
            rule=REFUSED.get(algorithm.key, UNPROVED),
            remedy=f"use one of {', '.join(PLANS)}, or leave --engine out",
        )
    return found
