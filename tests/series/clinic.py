"""A small clinic whose patients come and go, and an independent check of what was published about them."""

import csv
import json

import polars as pl

import voile

SPEC = {
    "name": "subject",
    "age": {"role": "qi", "type": "integer"},
    "disease": "sensitive",
}
TWO = [("ann", 30, "flu"), ("bob", 40, "cold"), ("cid", 50, "gout"), ("dan", 60, "flu")]


def table(rows, spec=SPEC):
    """Rows of name, age, disease as a table; also none."""
    columns = {"name": [r[0] for r in rows], "age": [r[1] for r in rows], "disease": [r[2] for r in rows]}
    types = {"name": pl.String, "age": pl.Int64, "disease": pl.String}
    return voile.read(pl.DataFrame(columns, schema=types), spec, may_be_empty=True)


def published(folder):
    """Groups of a release: their rows, and how many of them are counterfeits."""
    with (folder / "data.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "counterfeits.csv").open(newline="") as file:
        fakes = {row["group"]: int(row["counterfeits"]) for row in csv.DictReader(file)}
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    return groups, fakes


def covers(label, age):
    low, _, high = label.strip("[]").partition(", ")
    return int(low) <= age <= int(high or low)


def candidates(folder, age):
    """Definition 15: the values of all groups whose box holds an age."""
    groups, _ = published(folder)
    return {row["disease"] for rows in groups.values() for row in rows if covers(row["age"], age)}


def certificate(folder):
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
