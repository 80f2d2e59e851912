"""Adult as the papers use it, and resamples of it."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchmarks import adult_trees, data

NAMES = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "salary-class"),
]
QUASI = ("age", "fnlwgt", "education-num", "hours-per-week", "marital-status", "race", "sex")
NUMBERS = QUASI[:4]
SIX = ("age", "education", "marital-status", "race", "sex", "native-country")
SEVEN = (*SIX, "workclass")
SENSITIVE = "occupation"
PRIVATE_APART = [  # of workclass; docs/facts/sweep.md B2.10 and "assumed 1/7" in B3 suggest such a tree, not ARX's
    ["Private", "Private", "*"],
    *([value, "Self-employed", "*"] for value in ("Self-emp-not-inc", "Self-emp-inc")),
    *([value, "Government", "*"] for value in ("Federal-gov", "Local-gov", "State-gov")),
    *([value, "Unpaid", "*"] for value in ("Without-pay", "Never-worked")),
]
REDRAWN = 0.1  # of the cells of a column, in large tables


def available() -> bool:
    """Whether the data is where it is looked for."""
    return data.is_there("adult/adult.data", "adult/adult.test")


def columns() -> dict[str, dict[str, object]]:
    """The spec of the seven QI of docs/facts/bsgi.md."""
    roles: dict[str, dict[str, object]] = {
        name: {"role": "qi", "type": "integer" if name in NUMBERS else "category"} for name in QUASI
    }
    roles["marital-status"]["hierarchy"] = adult_trees.marriage()
    return {**roles, SENSITIVE: {"role": "sensitive"}}


def six_columns() -> dict[str, dict[str, object]]:
    """The spec of the six QI of docs/facts/peers.md, with ARX's hierarchies; age is a number."""
    found: dict[str, dict[str, object]] = {
        name: {"role": "qi", "hierarchy": adult_trees.tree(name)} for name in SIX[1:]
    }
    return {"age": {"role": "qi", "type": "integer"}, **found, SENSITIVE: {"role": "sensitive"}}


def tree_columns(sensitive: str = SENSITIVE, quasi: Sequence[str] = SIX) -> dict[str, dict[str, object]]:
    """The spec of docs/facts/sweep.md: ARX's hierarchies for every column, the sensitive one and age too."""
    found: dict[str, dict[str, object]] = {
        name: {"role": "qi", "hierarchy": adult_trees.tree(name)} for name in quasi
    }
    return {**found, sensitive: {"role": "sensitive", "hierarchy": adult_trees.tree(sensitive)}}


def complete_rows(*names: str) -> pl.DataFrame:
    """The 30,162 rows without a missing value; numbers as integers. Default: the seven QI."""
    return _read("adult.data", 0).select(names or (*QUASI, SENSITIVE))


def all_complete_rows(*names: str) -> pl.DataFrame:
    """The 45,222 rows without a missing value of both files, as Tian and Zhang 2009 use them."""
    both = pl.concat([_read("adult.data", 0), _read("adult.test", 1)])
    return both.select(names or (*SIX, SENSITIVE))


def _read(name: str, junk: int) -> pl.DataFrame:
    """The complete rows of a file that begins with some lines of junk."""
    source = data.path(f"adult/{name}")
    frame = pl.read_csv(source, has_header=False, new_columns=NAMES, infer_schema=False, skip_lines=junk)
    frame = frame.with_columns(pl.all().str.strip_chars()).filter(~pl.any_horizontal(pl.all() == "?"))
    return frame.with_columns(
        pl.col("salary-class").str.strip_chars_end("."), *(pl.col(number).cast(pl.Int64) for number in NUMBERS)
    )


def resampled(rows: int, seed: int = 1) -> pl.DataFrame:
    """Bootstrap with jitter: as many rows as wanted, few of them alike."""
    rng = np.random.default_rng(seed)
    frame = complete_rows()
    frame = frame[rng.integers(0, frame.height, rows)]
    jitter = {"age": 2, "fnlwgt": 2000, "hours-per-week": 2}
    return frame.with_columns(
        (pl.col(name) + pl.Series(rng.integers(-width, width + 1, rows))).alias(name)
        for name, width in jitter.items()
    )


def redrawn(rows: int, quasi: Sequence[str] = SIX, share: float = REDRAWN, seed: int = 1) -> pl.DataFrame:
    """Bootstrap of the 45,222 rows; then a small share of the cells of each QI is drawn anew from its column.

    Many rows stay alike, as in a large table of people (docs/facts/sweep.md B5), and rare combinations appear.
    """
    rng = np.random.default_rng(seed)
    frame = all_complete_rows(*quasi, SENSITIVE)
    drawn = frame[rng.integers(0, frame.height, rows)]
    anew = [(rng.random(rows) < share, rng.integers(0, frame.height, rows)) for _ in quasi]
    return drawn.with_columns(
        drawn[name].zip_with(pl.Series(~new), frame[name].gather(place))
        for name, (new, place) in zip(quasi, anew, strict=True)
    )
