"""`python -m benchmarks.twins`: the twins that tests use, beside the real tables. Ends with 1 if a twin is unlike.

`python -m benchmarks.twins count` counts the shares in tests/twins/*.json anew.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import acs, adult, data, nlswork, nursery
from tests.twins import FILES, shares, write
from tests.twins import acs as acs_twin
from tests.twins import adult as adult_twin
from tests.twins import work as work_twin
from tests.twins.shares import Step

FAR = 0.08  # of the rows of a column would have to change; ages of few women differ most, all else far less
MANY = 150  # values, from which on quantiles are compared
WIDE = 0.05  # how much of the range a quantile may be off
LEARNING = {"low": 8, "school": 9, "some": 12, "bachelor": 13, "higher": 16}  # up to which education-num
DEGREES = {"low": 15, "school": 17, "some": 20, "bachelor": 21, "higher": 24}  # how many of the 24 degrees


def main() -> None:
    """Compare, or count."""
    if sys.argv[1:] == ["count"]:
        for name, counted in {"adult": _adult(), "acs": _acs(), "work": _work()}.items():
            _write(shares.HERE / f"{name}.json", counted)
    elif unlike := list(differences()):
        sys.exit("\n".join(unlike))


def differences() -> Iterator[str]:
    """What is unlike in a column, for every table that is there."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for name, files in FILES.items():
            if data.is_there(*files):
                real, twin = (pl.concat(map(_read, paths)) for paths in _both(Path(folder), files))
                yield from unlike(name, real, twin)
            else:
                print(f"{name}: the real table is not here")


def _both(folder: Path, files: Sequence[str]) -> tuple[list[Path], list[Path]]:
    return [data.path(file) for file in files], [folder / file for file in files]


def unlike(name: str, real: pl.DataFrame, twin: pl.DataFrame) -> Iterator[str]:
    """Columns of other names, domains or shares."""
    if real.columns != twin.columns:
        yield f"{name}: other columns"
        return
    worst = 0.0
    for column in real.columns:
        one, other = real[column].fill_null(""), twin[column].fill_null("")
        if one.n_unique() <= MANY or not _is_number(one):
            if not set(one) >= set(other):
                yield f"{name}, {column}: values that the real column does not have"
            worst = max(worst, far := distance(one, other))
            if far > FAR:
                yield f"{name}, {column}: shares differ by {far:.3f}"
        elif (off := _quantiles_off(one, other)) > WIDE and column not in ("rownames", "idcode"):
            yield f"{name}, {column}: a quantile is off by {off:.3f} of the range"
    alike = twin.join(real, on=real.columns, how="semi", nulls_equal=True).height
    print(f"{name}: {real.height} rows, twin {twin.height}, {alike} of them also real ones by chance", end="; ")
    print(f"largest difference of shares {worst:.4f}")


def distance(one: pl.Series, other: pl.Series) -> float:
    """Total variation: what share of rows would have to change.

    >>> distance(pl.Series(["a", "a", "b", "c"]), pl.Series(["a", "b"]))
    0.25
    """
    counted = [dict(part.value_counts(normalize=True).iter_rows()) for part in (one, other)]
    return sum(abs(counted[0].get(v, 0) - counted[1].get(v, 0)) for v in {*counted[0], *counted[1]}) / 2


def _is_number(column: pl.Series) -> bool:
    return column.cast(pl.Float64, strict=False).null_count() == (column == "").sum()


def _quantiles_off(one: pl.Series, other: pl.Series) -> float:
    a, b = (column.cast(pl.Float64, strict=False).drop_nulls().to_numpy() for column in (one, other))
    levels = np.linspace(0.01, 0.99, 99)
    return float(np.abs(np.quantile(a, levels) - np.quantile(b, levels)).max() / (a.max() - a.min()))


def _read(path: Path) -> pl.DataFrame:
    """Any of the tables, all cells as text."""
    if path.suffix == ".parquet":
        return pl.read_parquet(path).cast(pl.String)
    if path.name == "adult.test":
        return _headless(path, adult.NAMES, skip_lines=1)
    if path.name == "adult.data":
        return _headless(path, adult.NAMES)
    if path.name == "nursery.data":
        return _headless(path, list(nursery.TAXONOMIES))
    return pl.read_csv(path, infer_schema=False)


def _headless(path: Path, names: list[str], **more: Any) -> pl.DataFrame:
    frame = pl.read_csv(path, has_header=False, new_columns=names, infer_schema=False, **more)
    frame = frame.with_columns(pl.all().str.strip_chars()).drop_nulls(names[1])
    return frame.with_columns(pl.col(names[-1]).str.strip_chars_end("."))


def counted(frame: pl.DataFrame, steps: Sequence[Step]) -> dict[str, Any]:
    """The shares of every step, in the form that tests/twins/shares.py says."""
    frame = frame.cast(pl.String).with_columns(pl.all().fill_null(""))
    return {step.column: _quantiles(frame, step) if step.quantiles else _counts(frame, step) for step in steps}


def _cells(frame: pl.DataFrame, step: Step) -> dict[str, pl.Series]:
    key = pl.concat_str(step.given, separator="|") if step.given else pl.lit("")
    parts = frame.select(step.column, key.alias("key")).partition_by("key", as_dict=True)
    return {str(name): part[step.column] for (name,), part in sorted(parts.items())}


def _quantiles(frame: pl.DataFrame, step: Step) -> dict[str, list[int]]:
    levels = shares.levels(step.quantiles + 1)
    cells = {
        key: part.replace("", None).drop_nulls().cast(pl.Float64) for key, part in _cells(frame, step).items()
    }
    return {key: [round(number) for number in np.quantile(part, levels)] for key, part in cells.items()}


def _counts(frame: pl.DataFrame, step: Step) -> dict[str, list[Any]]:
    cells = _cells(frame, step)
    values = list(dict.fromkeys(value for part in cells.values() for value in part.unique().sort()))
    found: dict[str, list[Any]] = {shares.VALUES: values}
    for key, part in cells.items():
        many = dict(part.value_counts().iter_rows())
        codes = [code for code, value in enumerate(values) if value in many]
        found[key] = [codes[0], *(many.get(value, 0) for value in values[codes[0] : codes[-1] + 1])]
    return found


def _adult() -> dict[str, Any]:
    """Which cells are missing is counted in all rows, everything else in the complete ones."""
    parts = [_read(data.path(f"adult/adult.{name}")).with_columns(file=pl.lit(name)) for name in ("data", "test")]
    names = ("workclass", "occupation", "native-country")
    rows = pl.concat(parts).with_columns(
        missing=pl.concat_str(
            (pl.when(pl.col(name) == "?").then(pl.lit(name)) for name in names), separator=" ", ignore_nulls=True
        ),
        decade=(pl.col("age").cast(pl.Int64) // 10).cast(pl.String),
        learning=_kind(pl.col("education-num").cast(pl.Int64), LEARNING),
    )
    of_rows, of_complete = adult_twin.STEPS[:2], adult_twin.STEPS[2:]
    return counted(rows, of_rows) | counted(rows.filter(missing=""), of_complete)


def _kind(number: pl.Expr, last: dict[str, int]) -> pl.Expr:
    found = pl.lit(list(last)[-1])
    for name, most in reversed(list(last.items())[:-1]):
        found = pl.when(number <= most).then(pl.lit(name)).otherwise(found)
    return found


def _acs() -> dict[str, Any]:
    real = pl.read_parquet(data.path(acs.NAME))
    ranks = {degree: n for n, degree in enumerate((d for degrees in acs.EDUCATION for d in degrees), 1)}
    car, home = "Car, truck, or van", "Worked at home"
    means = pl.col("Means of transportation to work").cast(pl.String)
    rows = real.with_columns(
        group=pl.col("Occupation").cast(pl.String).str.split("-").list.first(),
        learning=_kind(pl.col("Education").cast(pl.String).replace_strict(ranks, return_dtype=pl.Int64), DEGREES),
        decade=(pl.col("Age") // 10).cast(pl.Int64).cast(pl.String),
        trip=pl.when(means == car)
        .then(pl.lit("car"))
        .when(means == home)
        .then(pl.lit("home"))
        .otherwise(pl.lit("other")),
    )
    return {"columns": real.columns} | counted(rows, acs_twin.STEPS)


def _work() -> dict[str, Any]:
    rows = _read(data.path(nlswork.NAME)).with_columns(pl.all().fill_null(""))
    rows = rows.with_columns(
        *(pl.concat_str(names, separator="/").alias(helper) for helper, names in work_twin.PAIRS.items()),
        *(
            (pl.col(name).replace("", None).cast(pl.Float64) * unit).round().alias(helper)
            for helper, (name, unit) in work_twin.PARTS.items()
        ),
        first=pl.col("year").first().over("idcode"),
        decade=(pl.col("age").replace("", "20").cast(pl.Int64) // 10).clip(1, 4).cast(pl.String),
    )
    women = rows.unique("idcode", keep="first", maintain_order=True)
    changes = {name: _changing(rows, name) for name in work_twin.LASTING}
    more = {"largest number": rows["idcode"].cast(pl.Int64).max(), "answers": _answering(rows), "changes": changes}
    return more | counted(women, work_twin.WOMAN[:1]) | counted(rows, (*work_twin.WOMAN[1:], *work_twin.ANSWERS))


def _changing(rows: pl.DataFrame, name: str) -> float:
    """The chance that a fresh draw replaces the value, so that as many values change as do."""
    change = rows.filter(
        pl.col("idcode") == pl.col("idcode").shift(1), pl.col(name) != pl.col(name).shift(1)
    ).height
    chance = change / (rows.height - rows["idcode"].n_unique())
    alike = float((rows[name].value_counts()["count"] / rows.height).pow(2).sum())
    return round(min(1.0, chance / (1 - alike)), 3)


def _answering(rows: pl.DataFrame) -> dict[str, list[float]]:
    """Of each wave: the share who answer, of those who did in the wave before, and of others who ever did."""
    waves = {str(year): set(part["idcode"]) for (year,), part in rows.group_by("year", maintain_order=True)}
    known: set[str] = set()
    before: set[str] = set()
    found = {}
    for year in sorted(waves):
        others = known - before
        found[year] = [round(len(waves[year] & some) / max(len(some), 1), 3) for some in (before, others)]
        known, before = known | waves[year], waves[year]
    return found


def _write(path: Path, found: dict[str, Any]) -> None:
    """A line for each combination of what is given."""
    lines = []
    for column, given in found.items():
        if isinstance(given, dict) and any(isinstance(part, list) and len(part) > 2 for part in given.values()):
            parts = ",\n".join(f"  {json.dumps(key)}: {json.dumps(part)}" for key, part in given.items())
            lines.append(f"{json.dumps(column)}: {{\n{parts}\n }}")
        else:
            lines.append(f"{json.dumps(column)}: {json.dumps(given)}")
    path.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
