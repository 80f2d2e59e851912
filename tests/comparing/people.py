"""A small table to compare on, and one that no l suits."""

import polars as pl

import voile

SPEC = {
    "age": {"role": "qi", "type": "integer"},
    "sex": "qi",
    "disease": "sensitive",
}
DISEASES = ("flu", "ulcer", "asthma", "gout", "measles")


def people(rows=60, values=5, **more):
    """Ages, sexes and diseases, as many of each value as of the others."""
    columns = {
        "age": [20 + (7 * i) % 41 for i in range(rows)],
        "sex": ["fm"[i % 2] for i in range(rows)],
        "disease": [DISEASES[(i * i + i // 7) % values] for i in range(rows)],
    }
    return pl.DataFrame(columns | {name: make(rows) for name, make in more.items()})


def table(rows=60, values=5):
    return voile.read(people(rows, values), SPEC)


def skewed(rows=60):
    """Most have one value."""
    frame = people(rows).with_columns(
        disease=pl.Series([DISEASES[0] if i % 4 else DISEASES[1 + i // 4 % 4] for i in range(rows)])
    )
    return voile.read(frame, SPEC)
