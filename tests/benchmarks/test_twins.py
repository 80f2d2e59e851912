"""Twins are the same every time, keep the shares that they are made of, and every value that there is."""

import numpy as np
import polars as pl
import pytest

from benchmarks import acs, adult, data, nlswork
from benchmarks.twins import counted, distance, unlike
from tests.twins import FILES, write
from tests.twins import adult as adult_twin
from tests.twins.shares import VALUES, Step, between, counts, drawn, empty

pytestmark = pytest.mark.usefixtures("twins")


@pytest.mark.slow
def test_made_again_they_are_the_same(twins, tmp_path):
    write(tmp_path)
    for name in (name for files in FILES.values() for name in files):
        assert (tmp_path / name).read_bytes() == (twins / name).read_bytes(), name


def test_tests_see_the_twins(twins):
    assert data.folders() == [twins]
    assert all(table.available() for table in (adult, acs, nlswork))


def test_adult_has_as_many_rows_as_the_real_one():
    assert adult.complete_rows().height == 30_162 and adult.all_complete_rows().height == 45_222
    shares = adult.all_complete_rows(adult.SENSITIVE)[adult.SENSITIVE].value_counts(normalize=True)
    assert shares.height == 14 and 0.13 < shares["proportion"].max() < 1 / 7, "l = 7 is possible"


def test_a_column_depends_on_what_is_given():
    """Most professionals have a degree, few of those who left school early are."""
    rows = adult_twin.rows().filter(occupation="Prof-specialty")
    learning = adult_twin.rows()["learning"].value_counts(normalize=True)
    of_professionals = rows["learning"].value_counts(normalize=True)
    assert dict(of_professionals.rows())["higher"] > 2 * dict(learning.rows())["higher"]


STEPS = (Step("sex"), Step("job", ("sex",)), Step("age", ("sex",), quantiles=4))
FEW = pl.DataFrame(
    {
        "sex": ["f"] * 60 + ["m"] * 40,
        "job": ["nurse"] * 59 + ["smith"] + ["smith"] * 30 + ["cook"] * 10,
        "age": [*range(20, 80), *range(30, 70)],
    }
)


def test_shares_come_out_exact():
    found = drawn(counted(FEW, STEPS), STEPS, empty(1000), np.random.default_rng(1))
    many = {tuple(row[:2]): row[2] for row in found.group_by("sex", "job").len().rows()}
    assert many == {("f", "nurse"): 590, ("f", "smith"): 10, ("m", "smith"): 300, ("m", "cook"): 100}
    ages = found.filter(sex="m")["age"].cast(int)
    assert ages.min() >= 30 and ages.max() <= 69 and abs(ages.mean() - 49.5) < 0.5


def test_a_rare_value_is_there_in_few_rows():
    found = drawn(counted(FEW, STEPS), STEPS, empty(20), np.random.default_rng(1))
    assert set(found["job"]) == {"nurse", "smith", "cook"}


def test_a_file_of_shares_says_how_many_have_which_value():
    shares = counts("adult")["sex"]
    assert shares[VALUES] == ["Female", "Male"] and shares[""][0] == 0 and sum(shares[""]) == 45_222


def test_between_quantiles():
    found = between([0, 10, 100], np.array([0, 0.25, 0.5, 0.75, 1]))
    assert found.tolist() == pytest.approx([0, 5, 10, 55, 100])


def test_what_is_unlike_is_found(capsys):
    real = FEW.cast(pl.String)
    assert list(unlike("few", real, real)) == []
    assert list(unlike("few", real, real.rename({"job": "work"}))) == ["few: other columns"]
    other = real.with_columns(job=pl.lit("cook"), sex=pl.lit("x"))
    said = " ".join(unlike("few", real, other))
    assert "sex: values that the real column does not have" in said and "job: shares differ by 0.900" in said
    assert distance(real["sex"], real["sex"].head(80)) == pytest.approx(0.15)
