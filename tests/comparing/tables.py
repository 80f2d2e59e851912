"""Small tables on which a careless recommendation would not run, by name."""

import polars as pl

import voile
from tests.comparing.people import SPEC, people

GRID = {"age": {"role": "qi", "type": "integer", "grid": 10}}
WIDTH = {"age": {"role": "qi", "type": "integer", "min_width": 10}}
KEPT = {"ward": {"role": "insensitive", "keep": True}}
PERSON = {"person": "subject"}


def _mostly(share):
    """A value that so many of a hundred rows have."""
    return lambda rows: ["flu" if i % 100 < share else f"rare{i % 4}" for i in range(rows)]


def _persons(each):
    return lambda rows: [f"p{i // each}" for i in range(rows)]


def _wards(rows):
    return [f"w{i % 3}" for i in range(rows)]


def _incomes(rows):
    return [f"i{(i * 3) % 5}" for i in range(rows)]


TABLES = {
    "plain": (people(), {}),
    "two rows per person": (people(person=_persons(2)), PERSON),
    "a person with most rows": (people(80, person=lambda n: [f"p{max(0, i - 59)}" for i in range(n)]), PERSON),
    "one row per person": (people(person=_persons(1)), PERSON),
    "skewed": (people(100, disease=_mostly(70)), {}),
    "skewed, two rows per person": (people(100, disease=_mostly(70), person=_persons(2)), PERSON),
    "nearly one value": (people(10000, disease=lambda n: ["flu"] * (n - 1) + ["gout"]), {}),
    "one value": (people(values=1), {}),
    "kept": (people(ward=_wards), KEPT),
    "kept, all the same": (people(ward=lambda n: ["w"] * n), KEPT),
    "kept, two rows per person": (people(ward=_wards, person=_persons(2)), KEPT | PERSON),
    "kept and skewed": (people(100, ward=_wards, disease=_mostly(70)), KEPT),
    "grid": (people(), GRID),
    "min_width": (people(), WIDTH),
    "grid and skewed": (people(100, disease=_mostly(70)), GRID),
    "two sensitive": (people(income=_incomes), {"income": "sensitive"}),
    "two sensitive, two rows per person": (
        people(income=_incomes, person=_persons(2)),
        {"income": "sensitive"} | PERSON,
    ),
    "two sensitive, one skewed": (people(100, income=_mostly(70)), {"income": "sensitive"}),
    "three sensitive": (
        people(income=_incomes, debt=_wards),
        {"income": "sensitive", "debt": "sensitive"},
    ),
    "three sensitive that differ in few rows": (
        people(
            6,
            disease=lambda n: ["a", "a", "b", "b", "c", "c"],
            income=lambda n: ["a", "b", "b", "c", "c", "a"],
            debt=lambda n: ["a", "b", "c", "a", "b", "c"],
        ),
        {"income": "sensitive", "debt": "sensitive"},
    ),
    "a column named count": (people().rename({"disease": "count"}), {"count": "sensitive"}),
    "decimals": (
        people(disease=lambda n: [f"{i % 5}.5" for i in range(n)]).with_columns(pl.lit("x").alias("unit")),
        {"disease": {"role": "sensitive", "type": "decimal"}, "unit": "qi"},
    ),
    "one row": (people(1), {}),
    "two rows": (people(2), {}),
    "three rows, two values": (people(3, values=2), {}),
}


def subject(name):
    """The table of this name."""
    frame, more = TABLES[name]
    return voile.read(frame, spec_of(frame, more))


def spec_of(frame, more):
    """The usual spec, as far as the frame has its columns, and more."""
    return {column: role for column, role in (SPEC | more).items() if column in frame.columns}


def permuted(name, seed):
    """The same table with sensitive values given to other rows."""
    frame, more = TABLES[name]
    spec = spec_of(frame, more)
    sensitive = [
        column
        for column, role in spec.items()
        if (role["role"] if isinstance(role, dict) else role) == "sensitive"
    ]
    shuffled = [frame[column].shuffle(seed + i) for i, column in enumerate(sensitive)]
    return voile.read(frame.with_columns(shuffled), spec)
