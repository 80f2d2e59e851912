"""The survey of young working women: fewer women, the same waves. They join, leave and return, move and change
jobs as often as the real ones."""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.conversions import WORK
from benchmarks.nlswork import NAME
from tests.twins.shares import Step, counts, drawn, empty

WOMEN = 1_600
SEED = 1968
HAD_BIRTHDAY = 0.17  # before the interview
WOMAN = (Step("first"), Step("birth_yr"), Step("race"), Step("grade", ("race",)), Step("collgrad", ("grade",)))
ANSWERS = (  # of a row; married is msp and nev_mar, place is three columns
    Step("married", ("race", "decade")),
    Step("place", ("race",)),
    Step("occ_code", ("collgrad",)),
    Step("ind_code"),
    Step("union", ("year",)),
    Step("wks_ue", ("year",)),
    Step("weeks", ("year",), quantiles=10),  # of experience
    Step("months", quantiles=20),  # in the job
    Step("hours"),
    Step("wks_work"),
    Step("wage", ("collgrad",), quantiles=40),  # in millionths
)
LASTING = ("place", "occ_code", "ind_code")  # stay as they are until they change
PAIRS = {"married": ("msp", "nev_mar"), "place": ("not_smsa", "c_city", "south")}
PARTS = {"weeks": ("ttl_exp", 52), "months": ("tenure", 12), "wage": ("ln_wage", 1_000_000)}


def write(folder: Path) -> None:
    """The CSV file."""
    target = folder / NAME
    target.parent.mkdir(parents=True)
    rows().write_csv(target)


def rows() -> pl.DataFrame:
    """In the order of the real file: woman by woman, year by year."""
    rng, counted = np.random.default_rng(SEED), counts("work")
    numbers = np.sort(rng.choice(counted["largest number"], WOMEN, replace=False)) + 1
    women = drawn(counted, WOMAN, empty(WOMEN).with_columns(idcode=pl.Series(numbers)), rng)
    found = drawn(counted, ANSWERS, _answers(women, counted, rng), rng)
    found = found.with_columns(_lasting(name, counted["changes"][name], found, rng) for name in LASTING)
    return _as_columns(found).with_row_index("rownames", 1).select(WORK)


def _answers(women: pl.DataFrame, counted: dict, rng: np.random.Generator) -> pl.DataFrame:
    """A row per woman and wave that she answers: the first, then as often as others who did, or did not, last."""
    first, known = women["first"].to_numpy(), np.zeros(WOMEN, bool)
    before, parts = known, []
    for year, (after_answer, after_none) in counted["answers"].items():
        again = rng.random(WOMEN) < np.where(before, after_answer, after_none)
        before = (first == year) | (known & again)
        known = known | before
        parts.append(women.filter(pl.Series(before)).with_columns(year=pl.lit(year)))
    found = pl.concat(parts).sort(pl.col("idcode"), pl.col("year").cast(pl.Int64))
    not_yet = pl.Series(rng.random(found.height) >= HAD_BIRTHDAY)
    age = pl.col("year").cast(pl.Int64) - pl.col("birth_yr").cast(pl.Int64) - not_yet
    return found.with_columns(age=age).with_columns(decade=(pl.col("age") // 10).clip(1, 4).cast(pl.String))


def _lasting(name: str, chance: float, found: pl.DataFrame, rng: np.random.Generator) -> pl.Expr:
    """A woman keeps what her row before says, except as often as values change."""
    changes = pl.Series(rng.random(found.height) < chance) | (pl.col("idcode") != pl.col("idcode").shift(1))
    return pl.when(changes.fill_null(True)).then(name).forward_fill()


def _as_columns(found: pl.DataFrame) -> pl.DataFrame:
    """Helpers back into the columns that they stand for."""
    for helper, names in PAIRS.items():
        parts = pl.col(helper).str.split("/")
        found = found.with_columns(parts.list.get(i).alias(name) for i, name in enumerate(names))
    numbers = (pl.col(helper).cast(pl.Float64).truediv(unit).alias(n) for helper, (n, unit) in PARTS.items())
    return found.with_columns(numbers).with_columns(pl.col(pl.String).replace("", None))
