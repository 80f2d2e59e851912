"""What labels cover of known values, against the reader that answers queries."""

import numpy as np
import polars as pl
import pytest

import voile
from tests.series_auditing.series import RICH, rich_table
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.errors import InputError
from voile.querying.covered_places import covered_places
from voile.querying.published_cells import PublishedColumn
from voile.querying.query_text import parse_query
from voile.rendering.labels import value_labels

QUASI = [name for name, options in RICH.items() if isinstance(options, dict) and options["role"] == "qi"]


def covered(places, label):
    """The places of one label."""
    members = places.members[places.first[label] : places.first[label + 1]]
    return set(members.tolist()) or set(range(places.low[label], places.high[label] + 1))


def known_column(name, table):
    """A column as the adversary knows it."""
    plain = {
        n: {k: v for k, v in o.items() if k != "hierarchy" or not isinstance(v, dict)}
        for n, o in ((n, o if isinstance(o, dict) else {"role": o}) for n, o in RICH.items())
    }
    return next(c for c in voile.read(table, plain).columns if c.name == name)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["elig", "rda"])
@pytest.mark.parametrize("name", QUASI)
def test_covers_what_a_query_may_find(name, algorithm):
    table, schema = rich_table(80, 5), Schema.of(RICH)
    spec = next(c for c in schema if c.name == name)
    alone = {
        name: RICH[name],
        "dose": RICH["dose"],
    }  # its groups have narrow labels, those of all columns wide ones
    wide = voile.anonymize(voile.read(table, schema), algorithm, l=4).frame[name]
    narrow = voile.anonymize(voile.read(table[[name, "dose"]], alone), "elig", l=2).frame[name]
    labels = pl.concat([wide, narrow, pl.Series(["*"])]).unique()
    column = known_column(name, table)
    places, mine = covered_places(spec, column, labels)
    reader = PublishedColumn(spec, True, values=None if not isinstance(spec.hierarchy, Recipe) else 80)
    values = np.unique(column.codes)
    assert values[mine].tolist() == column.codes.tolist()
    hits = 0
    for place, text in enumerate(value_labels(column, values).cast(pl.String).to_list()):
        quoted = text if spec.type in (Type.INTEGER, Type.DECIMAL) else "'" + text.replace("'", "''") + "'"
        possible = reader.read(labels, parse_query(f"{name} = {quoted}")).possible
        assert [place in covered(places, i) for i in range(labels.len())] == possible.tolist()
        hits += int(possible.sum())
    assert 0 < hits < values.size * labels.len()  # neither nothing nor everything


def test_a_missing_value_is_covered_by_its_own_label_and_by_a_star():
    options = {"role": "qi", "type": "integer", "missing": "category", "hierarchy": {"intervals": [10]}}
    columns = {"age": options, "disease": "sensitive"}
    table = pl.DataFrame({"age": [31, None, 45, 38], "disease": list("abab")})
    plain = Schema(
        (
            ColumnSpec("age", Role.QUASI_IDENTIFYING, Type.INTEGER, missing="category"),
            ColumnSpec("disease", Role.SENSITIVE),
        )
    )
    column = voile.read(table, plain).quasi[0]
    places, mine = covered_places(Schema.of(columns).columns[0], column, pl.Series(["[30, 39]", "(missing)", "*"]))
    assert sorted(mine.tolist()) == [0, 1, 2, 3]
    assert [covered(places, i) for i in range(3)] == [{1, 2}, {0}, {0, 1, 2, 3}]


def test_half_open_decimals_and_finer_labels():
    spec = ColumnSpec("x", Role.QUASI_IDENTIFYING, Type.DECIMAL)
    column = voile.read(
        pl.DataFrame({"x": ["1.5", "2.25", "3"], "s": list("abc")}),
        {"x": {"role": "qi", "type": "decimal"}, "s": "sensitive"},
    ).quasi[0]
    places, _ = covered_places(spec, column, pl.Series(["[1.5, 2.25)", "[1.500, 2.2500]", "[2.251, 9]", "7"]))
    assert [covered(places, i) for i in range(4)] == [{0}, {0, 1}, {2}, set()]


def test_spellings_are_merged_where_the_spec_does():
    options = {"role": "qi", "casefold": True}
    spec = Schema.of({"city": options}).columns[0]
    table = pl.DataFrame({"city": ["Bern", "OSLO", "kiel"], "s": list("abc")})
    column = voile.read(table, {"city": options, "s": "sensitive"}).quasi[0]
    names = [column.domain.labels[code] for code in np.unique(column.codes)]
    places, _ = covered_places(spec, column, pl.Series(["{bern, oslo}", "KIEL", "Rome"]))
    assert [{names[p] for p in covered(places, i)} for i in range(3)] == [{"Bern", "OSLO"}, {"kiel"}, set()]


@pytest.mark.parametrize("name", ["age", "height", "born", "stage", "tree"])
def test_an_unreadable_label_is_refused_without_its_text(name):
    spec = next(c for c in Schema.of(RICH) if c.name == name)
    with pytest.raises(InputError) as refusal:
        covered_places(spec, known_column(name, rich_table(20, 1)), pl.Series(["cnry"]))
    assert "cnry" not in str(refusal.value) and name in str(refusal.value)
