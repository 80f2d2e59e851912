"""Adult as the papers use it, and resamples of it: from ../shared/data, or the folder VOILE_DATA."""

import os
from pathlib import Path

import numpy as np
import polars as pl

DATA = Path(os.environ.get("VOILE_DATA") or Path(__file__).parents[2] / "shared" / "data")
NAMES = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "salary-class"),
]
QUASI = ("age", "fnlwgt", "education-num", "hours-per-week", "marital-status", "race", "sex")
NUMBERS = QUASI[:4]
SIX = ("age", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = "occupation"


def available() -> bool:
    """Whether the data is where it is looked for."""
    return (DATA / "adult" / "adult.data").is_file()


def columns() -> dict[str, dict[str, object]]:
    """The spec of the seven QI of facts/bsgi.md."""
    roles: dict[str, dict[str, object]] = {
        name: {"role": "qi", "type": "integer" if name in NUMBERS else "category"} for name in QUASI
    }
    roles["marital-status"]["hierarchy"] = DATA / "adult" / "hierarchies_facts" / "marital-status.csv"
    return {**roles, SENSITIVE: {"role": "sensitive"}}


def six_columns() -> dict[str, dict[str, object]]:
    """The spec of the six QI of facts/peers.md, with ARX's hierarchies; age is a number."""
    folder = DATA / "adult" / "hierarchies"
    found: dict[str, dict[str, object]] = {
        name: {"role": "qi", "hierarchy": next(folder.glob(f"*{name}.csv"))} for name in SIX[1:]
    }
    return {"age": {"role": "qi", "type": "integer"}, **found, SENSITIVE: {"role": "sensitive"}}


def complete_rows(*names: str) -> pl.DataFrame:
    """The 30,162 rows without a missing value; numbers as integers. Default: the seven QI."""
    source = DATA / "adult" / "adult.data"
    frame = pl.read_csv(source, has_header=False, new_columns=NAMES, infer_schema=False)
    frame = frame.with_columns(pl.all().str.strip_chars())
    frame = frame.filter(~pl.any_horizontal(pl.all() == "?")).select(names or (*QUASI, SENSITIVE))
    return frame.with_columns(pl.col(name).cast(pl.Int64) for name in NUMBERS if name in frame.columns)


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
