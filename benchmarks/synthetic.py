"""A census-like table of any size with the domains of the papers' experiments.

Age has 79 values, gender 2, education 17, birthplace 57, the sensitive occupation 50. Codes are as
in a census file: ages and education levels are whole numbers, birthplaces and occupations text.
Occupation depends mildly on gender and age, and its most frequent value has a share below 1/10 of
all rows, so that every l up to 10 is possible.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

QUASI = ("age", "gender", "education", "birthplace")
SENSITIVE = "occupation"
AGES, GENDERS, EDUCATIONS, BIRTHPLACES, OCCUPATIONS = 79, 2, 17, 57, 50
_YOUNGEST = 15
_BANDS = 4  # ages whose occupations are distributed alike
_CHUNK = 1_000_000


def columns() -> dict[str, dict[str, object]]:
    """The spec."""
    number = {"role": "qi", "type": "integer"}
    flat = {"role": "qi"}
    kinds: dict[str, dict[str, object]] = dict(zip(QUASI, (number, flat, number, flat), strict=True))
    return {**kinds, SENSITIVE: {"role": "sensitive"}}


def rows(n: int, seed: int = 1) -> pl.DataFrame:
    """n rows, the same for the same seed; drawn in chunks, so that only the result is large."""
    return pl.concat(_chunks(n, seed), rechunk=False)


def _chunks(n: int, seed: int) -> Iterator[pl.DataFrame]:
    for number, start in enumerate(range(0, n, _CHUNK)):
        yield _drawn(min(_CHUNK, n - start), np.random.default_rng([seed, number]))


def _drawn(n: int, rng: np.random.Generator) -> pl.DataFrame:
    age = rng.binomial(AGES - 1, rng.beta(1.5, 2.5, n))
    gender = rng.integers(0, GENDERS, n)
    education = rng.binomial(EDUCATIONS - 1, rng.beta(3, 2, n))
    birthplace = (BIRTHPLACES * rng.random(n) ** 1.5).astype(np.int64)
    occupation = _occupations(gender, age * _BANDS // AGES, rng.random(n))
    return pl.DataFrame(
        {
            "age": age + _YOUNGEST,
            "gender": pl.Series(["female", "male"]).gather(gender),
            "education": education + 1,
            "birthplace": pl.Series([f"{code:03d}" for code in range(BIRTHPLACES)]).gather(birthplace),
            SENSITIVE: pl.Series([f"{code:03d}" for code in range(OCCUPATIONS)]).gather(occupation),
        }
    )


def _occupations(gender: np.ndarray, band: np.ndarray, draw: np.ndarray) -> np.ndarray:
    """Of each person one, by the weights of the person's gender and age band."""
    code = np.arange(OCCUPATIONS)
    usual = (code + 3.0) ** -0.6  # the most frequent has 6 %
    chosen = np.empty(draw.size, np.int64)
    for g in range(GENDERS):
        for b in range(_BANDS):
            weight = usual * np.where(code % GENDERS == g, 1.25, 0.75) * np.where(code % _BANDS == b, 1.3, 0.9)
            upto = np.cumsum(weight) / weight.sum()
            mine = np.flatnonzero((gender == g) & (band == b))
            chosen[mine] = np.minimum(np.searchsorted(upto, draw[mine], side="right"), OCCUPATIONS - 1)
    return chosen
