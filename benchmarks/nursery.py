"""Nursery as Tian and Zhang 2009 use it: 12,960 applications for a nursery school, the decision (class) sensitive.

The table holds every combination of its eight attributes once, so every row is unique in them. 33.3 % of the
decisions are not_recom, 32.9 % priority, 31.2 % spec_prior, 2.5 % very_recom, and two rows recommend: no
l-diversity above 3 is possible, and three values hold 97.4 % of the rows.

The taxonomies are ours, since the paper does not give its own. The data set's authors rank the values of every
attribute; where there are four or more, neighbours of that ranking share a node below *: 3**3 * 2**5 = 864 vectors
of levels. The decisions to admit are one node, those to put on the waiting list another, the refusal stands alone.
"""

import polars as pl

from benchmarks import data
from voile.core.hierarchy import Hierarchy

NAME = "nursery/nursery.data"
SENSITIVE = "class"
TAXONOMIES = {  # a node below * and its values; what has no such node is one of one value
    "parents": {"usual": ["usual"], "pretentious": ["pretentious"], "great_pret": ["great_pret"]},
    "has_nurs": {"suitable": ["proper", "less_proper"], "unsuitable": ["improper", "critical", "very_crit"]},
    "form": {"both parents": ["complete", "completed"], "not both parents": ["incomplete", "foster"]},
    "children": {"1 or 2": ["1", "2"], "3 or more": ["3", "more"]},
    "housing": {"convenient": ["convenient"], "less_conv": ["less_conv"], "critical": ["critical"]},
    "finance": {"convenient": ["convenient"], "inconv": ["inconv"]},
    "social": {"nonprob": ["nonprob"], "slightly_prob": ["slightly_prob"], "problematic": ["problematic"]},
    "health": {"recommended": ["recommended"], "priority": ["priority"], "not_recom": ["not_recom"]},
    SENSITIVE: {
        "admitted": ["recommend", "very_recom"],
        "waiting list": ["priority", "spec_prior"],
        "not_recom": ["not_recom"],
    },
}
QUASI = tuple(TAXONOMIES)[:-1]


def available() -> bool:
    """Whether the data is where it is looked for."""
    return data.is_there(NAME)


def lines(name: str) -> list[list[str]]:
    """The taxonomy of a column as ARX writes it: value, node, *."""
    return [[value, node, "*"] for node, values in TAXONOMIES[name].items() for value in values]


def taxonomy(name: str) -> Hierarchy:
    """The tree of a column.

    >>> taxonomy("class").labels
    ('recommend', 'very_recom', 'priority', 'spec_prior', 'not_recom', 'admitted', 'waiting list', '*')
    """
    return Hierarchy.from_lines(lines(name))


def columns() -> dict[str, dict[str, object]]:
    """The spec: all eight attributes as quasi-identifiers."""
    found: dict[str, dict[str, object]] = {name: {"role": "qi", "hierarchy": taxonomy(name)} for name in QUASI}
    return {**found, SENSITIVE: {"role": "sensitive", "hierarchy": taxonomy(SENSITIVE)}}


def rows() -> pl.DataFrame:
    """All 12,960."""
    return pl.read_csv(data.path(NAME), has_header=False, new_columns=list(TAXONOMIES), infer_schema=False)
