"""Hypothesis strategies: little tables with numeric, flat and hierarchical columns."""

import numpy as np
from hypothesis import strategies as st

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.core.table import Column, Table

TREE = Hierarchy.from_lines(
    [
        ["p1", "p", "*"],
        ["p2", "p", "*"],
        ["q1", "q", "*"],
        ["q2", "q", "*"],
        ["q3", "q", "*"],
    ]
)
UNBALANCED = Hierarchy.from_lines(
    [["a", "a", "x", "*"], ["b", "y", "x", "*"], ["c", "y", "x", "*"], ["d", "d", "d", "*"]]
)
LETTERS = Hierarchy.flat(list("stuvw"))


def column(name, domain, codes, role=Role.QUASI_IDENTIFYING):
    return Column(name, role, domain, np.array(codes, np.int64))


def axis_of(codes):
    return Axis(Type.INTEGER, min(codes, default=0), max(codes, default=0))


def table_from(numbers, others, trees, letters, sensitive, values=None):
    """A Table of five columns; `values` is how many sensitive values exist."""
    labels = [f"s{i}" for i in range(values or max(sensitive) + 1)]
    columns = [
        column("number", axis_of(numbers), numbers),
        column("other", axis_of(others), others),
        column("tree", TREE, trees),
        column("letter", LETTERS, letters),
        column("secret", Hierarchy.flat(labels), sensitive, Role.SENSITIVE),
    ]
    specs = [
        ColumnSpec(c.name, c.role, Type.INTEGER if isinstance(c.domain, Axis) else Type.CATEGORY) for c in columns
    ]
    return Table(columns, schema=Schema(tuple(specs)))


@st.composite
def tables(draw, least=1, most=24, values=6):
    """Any table."""
    n = draw(st.integers(least, most))

    def codes(high, low=0):
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    return table_from(codes(9), codes(50, -50), codes(4), codes(4), codes(values - 1))
