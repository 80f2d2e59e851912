"""ACS 2018 as docs/facts/safety.md 4.1 uses it: five quasi-identifiers and 27 groups of occupations, 295,243 rows.

Age and the rank of 24 degrees are numbers; states lie in divisions and regions; places of birth are in the US (the
fifty states and DC) or foreign; sex. An occupation is the prefix of its name; two names have none and stand for
themselves. (Medians of Mondrian reproduce the facts' row: .142 .256 .448 .546 .742.)
"""

import polars as pl

from benchmarks import data
from benchmarks.acs import EDUCATION, NAME
from voile.core.hierarchy import Hierarchy

QUASI = ("age", "education", "state", "sex", "birthplace")
SENSITIVE = "occupation"
_DEGREES = [degree for degrees in EDUCATION for degree in degrees]


def rows() -> pl.DataFrame:
    """All of them."""
    source = _source("Age", "Education", "State", "Gender", "Place of birth", "Occupation")
    ranks = {degree: rank for rank, degree in enumerate(_DEGREES)}
    return source.select(
        pl.col("Age").cast(pl.Int64).alias("age"),
        pl.col("Education").replace_strict(ranks, return_dtype=pl.Int64).alias("education"),
        pl.col("State").alias("state"),
        pl.col("Gender").alias("sex"),
        pl.col("Place of birth").alias("birthplace"),
        pl.col("Occupation").str.split("-").list.first().alias(SENSITIVE),
    )


def columns() -> dict[str, dict[str, object]]:
    """The spec."""
    number = {"role": "qi", "type": "integer"}
    trees = {"state": _states(), "birthplace": _birthplaces()}
    found: dict[str, dict[str, object]] = {"age": number, "education": number, "sex": {"role": "qi"}}
    found |= {name: {"role": "qi", "hierarchy": tree} for name, tree in trees.items()}
    return {**{name: found[name] for name in QUASI}, SENSITIVE: {"role": "sensitive"}}


def _states() -> Hierarchy:
    lines = _source("State", "Division", "Region").unique().sort("Region", "Division", "State")
    return Hierarchy.from_lines([[*line, "*"] for line in lines.iter_rows()])


def _birthplaces() -> Hierarchy:
    places = sorted(_source("Place of birth").to_series().unique())
    return Hierarchy.from_lines([[place, "US" if "/" in place else "foreign", "*"] for place in places])


def _source(*names: str) -> pl.DataFrame:
    source = pl.read_parquet(data.path(NAME), columns=list(names))
    return source.with_columns(pl.col(pl.Categorical).cast(pl.String))
