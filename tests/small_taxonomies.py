"""Hypothesis strategies: little tables whose columns, the sensitive one too, have trees of any shape."""

from hypothesis import strategies as st

from tests.small_tables import UNBALANCED, axis_of, column
from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.core.table import Table

ONE_VALUE = Hierarchy.flat(["only"])


@st.composite
def trees(draw, least=2, most=8, name="n"):
    """Any tree of so many values and up to three levels below the root, balanced or not."""
    n = draw(st.integers(least, most))
    lines = [[f"{name}{i}"] for i in range(n)]
    runs = [[i] for i in range(n)]  # of neighbours under one node
    for level in range(draw(st.integers(0, 2))):
        joined = [runs[0]]
        for run in runs[1:]:
            if draw(st.booleans()):
                joined[-1] = joined[-1] + run
            else:
                joined.append(run)
        for number, run in enumerate(joined):
            alone = run in runs
            for i in run:  # a node of one child is its child
                lines[i].append(lines[i][-1] if alone else f"{name}{level}-{number}")
        runs = joined
    if len(runs) == 1:
        return Hierarchy.from_lines(lines)
    return Hierarchy.from_lines([[*line, "*"] for line in lines])


def type_of(domain):
    return Type.INTEGER if isinstance(domain, Axis) else Type.CATEGORY


@st.composite
def tables(draw, least=2, most=20, columns=3, values=7, skew=2):
    """A table of some quasi-identifiers with trees, flat, of one value or of numbers; the sensitive column has a
    tree, and one value may be up to `skew` times as likely as all others together."""
    n = draw(st.integers(least, most))
    flat = st.integers(2, 4).map(lambda k: Hierarchy.flat(list("stuv"[:k])))
    axes = st.tuples(st.integers(-3, 3), st.sampled_from([1, 2, 4, 5, 9, 20, 70])).map(
        lambda ends: axis_of([ends[0], ends[0] + ends[1] - 1])
    )
    kinds = st.one_of(trees(), trees(), trees(), st.just(UNBALANCED), flat, axes, st.just(ONE_VALUE))
    domains = draw(st.lists(kinds, min_size=1, max_size=columns))
    secret = draw(trees(min(4, n), values, "s"))

    def codes(choice):
        return draw(st.lists(st.sampled_from(choice), min_size=n, max_size=n))

    made = [
        column(f"q{i}", domain, codes(range(domain.low, domain.high + 1) if axis else range(domain.leaves)))
        for i, domain in enumerate(domains)
        for axis in [isinstance(domain, Axis)]
    ]
    frequent = [draw(st.integers(0, secret.leaves - 1))] * draw(st.integers(0, skew * secret.leaves))
    made.append(column("secret", secret, codes([*range(secret.leaves), *frequent]), Role.SENSITIVE))
    return Table(made, schema=Schema(tuple(ColumnSpec(c.name, c.role, type_of(c.domain)) for c in made)))
