"""Sets of exact values are refused with ways out that work; what many people have is published as before."""

import datetime
import random

import polars as pl
import pytest

import voile
from tests.command_line import voile as typed
from voile.errors import SpecError

ROWS = 120
SECRETS = ["flu", "gout", "HIV", "asthma"]
OPTIONS = {"l": 2}


def people(values, rows=ROWS):
    draw = random.Random(3)
    cells = [values(draw, i) for i in range(rows)]
    return pl.DataFrame({"known": cells, "disease": [SECRETS[i % 4] for i in range(rows)]})


def spec(**options):
    return {"known": {"role": "qi", **options}, "disease": "sensitive"}


def day(draw, _):
    return datetime.date(1940, 1, 1) + datetime.timedelta(draw.randrange(25_000))


SETS = {
    "European dates": (lambda d, i: day(d, i).strftime("%d.%m.%Y"), "exact dates"),
    "American dates": (lambda d, i: day(d, i).strftime("%m/%d/%y"), "exact dates"),
    "ISO dates": (lambda d, i: day(d, i).isoformat(), "exact dates"),
    "typed dates": (day, "exact dates"),
    "moments": (lambda d, i: f"{day(d, i)} 12:30:00", "exact dates with a time"),
    "decimal commas": (lambda d, i: f"{d.randint(45, 110)},{d.randint(0, 9)}", "exact decimals"),
    "decimal points": (lambda d, i: f"{d.randint(45, 46)}.{d.randint(0, 9)}", "exact decimals"),
    "nearly unique": (lambda d, i: f"village {i % 61}", "61 different values in 120 rows"),
}


@pytest.mark.parametrize("values, what", SETS.values(), ids=SETS)
@pytest.mark.parametrize("algorithm", [None, "elig", "rda", "mondrian"])
def test_exact_values_are_not_published_as_sets(values, what, algorithm):
    table = voile.read(people(values), spec())
    with pytest.raises(SpecError, match=what) as refusal:
        voile.anonymize(table, algorithm, **OPTIONS)
    assert "known" in refusal.value.where and refusal.value.remedy
    assert not any(str(cell) in str(refusal.value) for cell in people(values)["known"].to_list())


@pytest.mark.parametrize(
    "values, options",
    [
        (SETS["ISO dates"][0], {"type": "date"}),
        (SETS["typed dates"][0], {"type": "date"}),
        (SETS["decimal points"][0], {"type": "decimal"}),
        (SETS["decimal points"][0], {"hierarchy": {"mask": 2}}),
        (SETS["nearly unique"][0], {"hierarchy": {"mask": 2}}),
        (SETS["nearly unique"][0], {"missing": "category", "hierarchy": {"mask": 1}}),
        (lambda d, i: f"village {i % 60}", {}),  # half as many as rows: allowed
        (lambda d, i: f"village {d.randrange(9)}", {}),
        (lambda d, i: str(i % 50), {}),  # whole numbers are codes
        (lambda d, i: "2026-01-05", {}),  # one value is no set
        (lambda d, i: "2026-01-05" if i < 2 else f"ward {i % 20}", {}),  # not nine of ten
    ],
)
def test_what_is_allowed_and_every_way_out(values, options):
    release = voile.anonymize(voile.read(people(values), spec(**options)), **OPTIONS)
    assert release.frame.height == ROWS


def test_in_a_table_of_a_few_rows_every_column_looks_like_a_key():
    few = people(lambda _, i: f"village {i}", rows=16)
    assert voile.anonymize(voile.read(few, spec()), **OPTIONS).frame.height == 16
    with pytest.raises(SpecError, match="20 different values in 20 rows"):
        voile.anonymize(voile.read(people(lambda _, i: f"village {i}", rows=20), spec()), **OPTIONS)


def test_two_tables_have_no_sets():
    """Anatomy publishes quasi-identifiers as they are, and says so: that is another question."""
    table = voile.read(people(SETS["nearly unique"][0]), spec())
    assert voile.anonymize(table, "anatomy", **OPTIONS).frame.height == ROWS


@pytest.mark.parametrize("values, what", SETS.values(), ids=SETS)
def test_inspect_asks_and_its_spec_runs(values, what, tmp_path):
    """Left out with a question, so that the proposed command ends with a release."""
    frame = people(values).with_columns(age=pl.Series([str(20 + i % 40) for i in range(ROWS)]))
    frame.write_csv(tmp_path / "t.csv")
    found = voile.inspect(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(found.spec())
    release = voile.anonymize(voile.read(tmp_path / "t.csv", tmp_path / "s.toml"), **OPTIONS)
    asked = found.columns[0]
    assert asked.question or asked.type != "category"
    assert not asked.published or not release.frame["known"].cast(pl.String).str.contains("{", literal=True).any()


def test_a_series_refuses_them_too(tmp_path):
    frame = people(SETS["European dates"][0]).with_row_index("person")
    frame.write_csv(tmp_path / "t.csv")
    roles = 'person = { role = "subject" }\nknown = { role = "qi" }\ndisease = { role = "sa" }\n'
    (tmp_path / "s.toml").write_text(f"[columns]\n{roles}")
    assert typed("ledger", "create", "l.ledger", cwd=tmp_path).code == 0
    done = typed(
        "publish", "t.csv", "-s", "s.toml", "--ledger", "l.ledger", "-p", "m=2", "-o", "out", cwd=tmp_path
    )
    assert done.code == 2 and "exact dates" in done.err and not (tmp_path / "out").exists()
