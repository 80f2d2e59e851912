"""ACS 2018 in the domains of the papers' census tables: 79 ages, 2 genders, 17 degrees of education, 57
birthplaces, 50 occupations and 50 incomes.

One rule each:

* age: as it is, in years.
* gender: as it is.
* education: its rank among the 24 degrees, after joining no schooling, nursery and kindergarten; grades 1 to 4;
  5 and 6; 7 and 8.
* birthplace: the 56 most frequent places in alphabetical order are 0 to 55, every other place is 56. The papers
  rank it like a number, so it is declared as an integer here, too.
* occupation: the groups that the names begin with (25, and two names without one); then, until there are 50, the
  one with the largest share of women or of men is cut in two, in alphabetical order, where both sides are most
  equal in rows.
* income: in steps of 3,000 dollars, 0 to 49; the last is open.
"""

from functools import cache

import numpy as np
import polars as pl

from benchmarks import data

NAME = "acs2018/acs-income-2018-holdout.parquet"
DOMAINS = {"age": 79, "gender": 2, "education": 17, "birthplace": 57, "occupation": 50, "income": 50}
QUASI = ("age", "gender", "education", "birthplace")
PLACES, OCCUPATIONS, STEP = DOMAINS["birthplace"] - 1, DOMAINS["occupation"], 3000
_GRADES = [f"Grade {n}" for n in range(1, 12)]
EDUCATION = [
    ["No schooling completed", "Nursery school, preschool", "Kindergarten"],
    _GRADES[:4],
    _GRADES[4:6],
    _GRADES[6:8],
    *([grade] for grade in _GRADES[8:]),
    ["12th grade - no diploma"],
    ["Regular high school diploma"],
    ["GED or alternative credential"],
    ["Some college, but less than 1 year"],
    ["1 or more years of college credit, no degree"],
    ["Associate's degree"],
    ["Bachelor's degree"],
    ["Master's degree"],
    ["Professional degree beyond a bachelor's degree"],
    ["Doctorate degree"],
]


def available() -> bool:
    """Whether the data is where it is looked for."""
    return data.is_there(NAME)


def columns(sensitive: str = "occupation", *, weighted: bool = False) -> dict[str, dict[str, object]]:
    """The spec: the four QI and one sensitive column; `weighted` as Liu and Wang 2012 set them for GDA."""
    weights = (1, 10_000, 1, 1) if weighted else (1, 1, 1, 1)
    roles: dict[str, dict[str, object]] = {
        name: {"role": "qi", "type": "category" if name == "gender" else "integer", "weight": weight}
        for name, weight in zip(QUASI, weights, strict=True)
    }
    return {**roles, sensitive: {"role": "sensitive", "type": "integer" if sensitive == "income" else "category"}}


@cache
def recoded() -> pl.DataFrame:
    """All 295,243 rows in the papers' domains."""
    names = {"Age": "age", "Gender": "gender", "Education": "education", "Place of birth": "birthplace"}
    source = pl.read_parquet(data.path(NAME), columns=[*names, "Occupation", "Income"]).rename(names)
    source = source.with_columns(pl.col(pl.Categorical).cast(pl.String))
    ranks = {degree: rank for rank, degrees in enumerate(EDUCATION) for degree in degrees}
    counts = source["birthplace"].value_counts().sort(["count", "birthplace"], descending=[True, False])
    places = {place: code for code, place in enumerate(sorted(counts["birthplace"].head(PLACES)))}
    groups = _occupations(source["Occupation"], source["gender"])
    return source.select(
        pl.col("age").cast(pl.Int64),
        "gender",
        pl.col("education").replace_strict(ranks, return_dtype=pl.Int64),
        pl.col("birthplace").replace_strict(places, default=PLACES, return_dtype=pl.Int64),
        pl.col("Occupation").replace_strict(groups, return_dtype=pl.String).alias("occupation"),
        (pl.col("Income").cast(pl.Int64) // STEP).clip(0, DOMAINS["income"] - 1).alias("income"),
    )


def _occupations(names: pl.Series, gender: pl.Series) -> dict[str, str]:
    """The group of each occupation: its prefix and a number."""
    rows = (
        pl.DataFrame({"name": names, "gender": gender})
        .group_by("name")
        .agg(*(pl.col("gender").eq(g).sum().alias(g) for g in ("Female", "Male")))
    )
    counted = {name: np.array(both) for name, *both in rows.sort("name").iter_rows()}
    whole = sum(counted.values())
    groups: list[list[str]] = []
    for name in counted:
        if groups and groups[-1][0].partition("-")[0] == name.partition("-")[0]:
            groups[-1].append(name)
        else:
            groups.append([name])
    while len(groups) < OCCUPATIONS:
        shares = [max(sum(counted[n] for n in group) / whole) if len(group) > 1 else 0 for group in groups]
        at = int(np.argmax(shares))
        sizes = np.cumsum([counted[n].sum() for n in groups[at]])
        cut = 1 + int(np.argmin(np.abs(2 * sizes[:-1] - sizes[-1])))
        groups[at : at + 1] = [groups[at][:cut], groups[at][cut:]]
    prefixes = [group[0].partition("-")[0][:3].upper() for group in groups]
    labels = [f"{prefix} {prefixes[: i + 1].count(prefix)}" for i, prefix in enumerate(prefixes)]
    return {name: label for group, label in zip(groups, labels, strict=True) for name in group}


def resampled(rows: int, seed: int = 1) -> pl.DataFrame:
    """As many rows as wanted: without replacement while they last."""
    rng, frame = np.random.default_rng(seed), recoded()
    return frame[rng.choice(frame.height, rows, replace=rows > frame.height)]
