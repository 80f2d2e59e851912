"""Adult: 32,561 and 16,281 rows in two files, 30,162 and 15,060 of them without a missing value."""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.adult import NAMES
from tests.twins.shares import Step, counts, drawn, empty

ROWS = 48_842
SEED = 1994
STEPS = (  # helpers are dropped: file; missing, what is ? in a row; decade of age; learning, a kind of education
    Step("file"),
    Step("missing", ("file",)),
    Step("sex"),
    Step("decade", ("sex",)),
    Step("age", ("decade",)),
    Step("fnlwgt", (), quantiles=40, unit=10),  # two thirds as many weights as rows, as there
    Step("race"),
    Step("native-country", ("race",)),
    Step("marital-status", ("sex", "decade")),
    Step("relationship", ("sex", "marital-status")),
    Step("learning", ("sex", "decade")),
    Step("education", ("learning",)),
    Step("education-num", ("education",)),
    Step("occupation", ("sex", "decade", "learning")),
    Step("workclass", ("occupation",)),
    Step("salary-class", ("sex", "learning")),
    Step("capital-gain", ("salary-class",)),
    Step("capital-loss", ("salary-class",)),
    Step("hours-per-week", ("sex",)),
)
MISSING = "?"
ARX = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


def write(folder: Path) -> None:
    """adult/adult.data, adult.test and arx_adult.csv as the real ones are written."""
    (folder / "adult").mkdir(parents=True)
    found = rows()
    for name, ending in (("data", ""), ("test", ".")):
        part = found.filter(pl.col("file") == name).select(NAMES)
        part = part.with_columns(pl.col("salary-class") + ending)
        head = "|1x3 Cross validator\n" if name == "test" else ""
        text = part.select(pl.concat_str(pl.all(), separator=", ")).to_series()
        (folder / "adult" / f"adult.{name}").write_text(head + "\n".join(text) + "\n\n", encoding="ascii")
    complete = found.filter(pl.col("file") == "data", pl.col("missing") == "").select(ARX)
    complete.write_csv(folder / "adult" / "arx_adult.csv", separator=";")


def rows() -> pl.DataFrame:
    """All, with the columns `file` and `missing`. Someone who never worked has no occupation, and nobody else."""
    found = drawn(counts("adult"), STEPS, empty(ROWS), np.random.default_rng(SEED))
    idle = pl.col("missing") == "occupation"
    found = found.with_columns(
        pl.when(idle).then(pl.lit("Never-worked")).otherwise("workclass").alias("workclass")
    )
    return found.with_columns(
        pl.when(pl.col("missing").str.contains(name)).then(pl.lit(MISSING)).otherwise(name).alias(name)
        for name in ("workclass", "occupation", "native-country")
    )
