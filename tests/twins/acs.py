"""ACS 2018: the 32 columns of the real table, in fewer rows."""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.acs import NAME
from tests.twins.shares import Step, counts, drawn, empty

ROWS = 40_000
SEED = 2018
NUMBERS = ("Income", "Age", "Vehicle occupancy", "Travel time to work")
STEPS = (  # helpers are dropped: group (of occupations), learning, decade, trip (to work)
    Step("group"),
    Step("Occupation", ("group",)),
    Step("Gender", ("group",)),
    Step("Workclass", ("group",)),
    Step("learning", ("group",)),
    Step("Education", ("learning",)),
    Step("Income", ("Gender", "learning"), quantiles=40, unit=10),
    Step("decade"),
    Step("Age", ("decade",)),
    Step("Marital Status", ("decade",)),
    Step("Employment status of parents", ("decade",)),
    Step("Gave birth to child within the past 12 months", ("Gender", "decade")),
    Step("State"),
    Step("Region", ("State",)),
    Step("Division", ("State",)),
    Step("Nativity"),
    Step("Citizenship status", ("Nativity",)),
    Step("Place of birth", ("Citizenship status",)),
    Step("Race", ("Nativity",)),
    Step("Ability to speak English", ("Nativity",)),
    Step("Mobility status", ("Nativity",)),
    Step("Military service", ("Gender",)),
    *(
        Step(f"{kind} difficulty", ("decade",))
        for kind in ("Self-care", "Hearing", "Vision", "Independent living", "Ambulatory", "Cognitive")
    ),
    Step("trip"),
    Step("Means of transportation to work", ("trip",)),
    Step("Vehicle occupancy", ("trip",)),
    Step("Travel time to work", ("trip",)),
    Step("Time of arrival at work - hour and minute", ("trip",)),
    Step("Time of departure for work - hour and minute", ("trip",)),
    Step("Insurance through a current or former employer or union", ("Workclass",)),
    Step("Insurance purchased directly from an insurance company", ("Workclass",)),
)


def write(folder: Path) -> None:
    """The Parquet file."""
    target = folder / NAME
    target.parent.mkdir(parents=True)
    rows().write_parquet(target)


def rows() -> pl.DataFrame:
    """Types and order of columns as in the real file."""
    counted = counts("acs")
    found = drawn(counted, STEPS, empty(ROWS), np.random.default_rng(SEED))
    return found.select(
        pl.col(name).replace("", None).cast(pl.Float64) if name in NUMBERS else pl.col(name).cast(pl.Categorical)
        for name in counted["columns"]
    )
