"""A census table that changes, published again and again, as in Xiao and Tao 2007, section 5.

T(1) has 200,000 persons of 600,000, drawn from ACS 2018 in the papers' domains (`acs.py`). Every later table lacks
r persons of the one before, drawn at random, and has r others from the pool; nobody comes back.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import voile
from benchmarks import acs
from voile.algorithms.m_invariant import MInvariant
from voile.attacks.candidate_sets import CoveredPlaces, Intersections, PublishedGroups
from voile.core.bags import Bag
from voile.core.boxes import Boxes
from voile.core.history import NEW, History, signatures_of
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.measuring import parse_measures

PERSONS, ROWS = 600_000, 200_000
THETAS = (0.01, 0.05, 0.1)
QUERIES = 1000  # per workload; the paper asks 10,000
SUBJECT = "person"
Say = Callable[[str], None]


class Stopwatch:
    """Seconds since it was made, by the wall, and of all threads of this process."""

    def __init__(self) -> None:
        self.began = time.perf_counter(), time.process_time()

    def read(self, name: str) -> dict[str, float]:
        """Both, under names of their own."""
        wall, cpu = time.perf_counter() - self.began[0], time.process_time() - self.began[1]
        return {f"{name}_seconds": wall, f"{name}_cpu_seconds": cpu}


@dataclass(frozen=True)
class Run:
    """One series: the sensitive column, the update volume r, m, how signatures are balanced, how many releases."""

    sensitive: str
    r: int
    m: int
    balance: str
    releases: int

    @property
    def name(self) -> str:
        """For the eye."""
        return f"{self.sensitive}, r = {self.r:,}, m = {self.m}, {self.balance}"


def columns(sensitive: str) -> dict[str, dict[str, object]]:
    """The spec. Occupations are numbers here, in alphabetical order: the paper's queries need a range of them."""
    return {
        SUBJECT: {"role": "subject", "type": "integer"},
        **acs.columns(sensitive),
        sensitive: {"role": "sensitive", "type": "integer"},
    }


def population() -> pl.DataFrame:
    """Everybody who is ever published."""
    return _drawn(PERSONS)


@cache
def _drawn(persons: int) -> pl.DataFrame:
    frame = acs.resampled(persons)
    return frame.with_columns(
        pl.col("occupation").rank("dense").cast(pl.Int64), pl.Series(SUBJECT, np.arange(persons))
    )


def tables(r: int, releases: int) -> Iterator[np.ndarray]:
    """Who is in T(1), T(2), ... The pool lasts for 1 + (PERSONS - ROWS) / r of them."""
    rng = np.random.default_rng([r, ROWS])
    present, pool = np.arange(ROWS), rng.permutation(np.arange(ROWS, PERSONS))
    yield present
    for turn in range(releases - 1):
        stays = np.delete(present, rng.choice(present.size, r, replace=False))
        present = np.concatenate([stays, pool[turn * r : (turn + 1) * r]])
        yield present


@dataclass
class Checker:
    """m-invariance by its definition, from who is in which group: nothing of the product takes part.

    `seen` holds the signature of every person ever published, as text; 0 is nobody's.
    """

    m: int
    seen: dict[str, int] = field(default_factory=dict)
    of_person: np.ndarray = field(default_factory=lambda: np.zeros(PERSONS, np.int64))

    def faults(self, persons: np.ndarray, values: np.ndarray, partition: Partition) -> dict[str, int]:
        """How many groups are not m-unique, how many have no real row, how many persons another signature."""
        real = pl.DataFrame({"group": partition.group, "value": values, "person": persons, "real": 1})
        fakes = {"group": partition.counterfeit_group, "value": partition.counterfeit_value}
        rows = pl.concat([real.filter(pl.col("group") >= 0), pl.DataFrame(fakes)], how="diagonal")
        groups = rows.group_by("group").agg(
            pl.len(),
            pl.col("value").n_unique().alias("values"),
            pl.col("real").sum(),
            pl.col("value").sort().cast(pl.String).str.join(",").alias("signature"),
        )
        for text in groups["signature"].unique().sort():
            self.seen.setdefault(text, len(self.seen) + 1)
        number = groups["signature"].replace_strict(self.seen, return_dtype=pl.Int64)
        own = rows.drop_nulls("person").join(groups.with_columns(number.alias("number")), on="group")
        person, now = own["person"].to_numpy(), own["number"].to_numpy()
        before = self.of_person[person]
        self.of_person[person] = now
        unlike = (groups["len"] != groups["values"]) | (groups["values"] < self.m)
        return {
            "not_m_unique": int(unlike.sum()),
            "without_real_row": int((groups["real"] == 0).sum()),
            "signature_changed": int(((before > 0) & (before != now)).sum()),
        }


def same_bags(partition: Partition, values: np.ndarray, published: pl.DataFrame, sensitive: str) -> bool:
    """Whether the rows on disk have as many groups of each bag as the partition that was checked."""

    def bags(frame: pl.DataFrame) -> pl.DataFrame:
        texts = frame.group_by("group").agg(pl.col("value").sort().cast(pl.String).str.join(",").alias("bag"))
        return texts["bag"].value_counts().sort("bag")

    shown = np.concatenate([values, partition.counterfeit_value])
    own = pl.DataFrame({"group": partition.everyone, "value": shown}).filter(pl.col("group") >= 0)
    return bags(own).equals(bags(published.select("group", pl.col(sensitive).alias("value"))))


def errors(boxes: Boxes, thetas: tuple[float, ...] = THETAS) -> dict[str, float]:
    """The paper's workload error: median relative error of random counts."""
    words = {f"error_{theta:g}": f"qwe_median[theta={theta:g}, queries={QUERIES}]" for theta in thetas}
    metrics = parse_measures(", ".join(words.values()))
    return {name: float(metrics[word].measure(boxes)) for name, word in words.items()}


def as_published(table: Table, partition: Partition) -> tuple[PublishedGroups, np.ndarray, np.ndarray]:
    """Boxes and values of each group, and the points and numbers of the persons in them: what an adversary has.

    Codes are places here: numbers of few values, and a gender that is one value or all.
    """
    boxes = Boxes.around(table, partition)
    each = np.arange(partition.groups)
    sides = tuple((CoveredPlaces.intervals(side.low, side.high), each) for side in boxes.sides)
    here = partition.group >= 0
    group = np.concatenate([partition.group[here], partition.counterfeit_group])
    shown = np.concatenate([table.sensitive[0].codes[here], partition.counterfeit_value])
    bag = Bag.of(group, shown, partition.groups)
    points = np.stack([column.codes[here] for column in table.quasi], axis=1).astype(np.int32)
    return PublishedGroups(sides, bag.start, bag.codes), points, people_of(table)[here]


def people_of(table: Table) -> np.ndarray:
    """The person of each row."""
    return table.with_role(Role.SUBJECT)[0].codes


def judged(table: Table, partition: Partition, checker: Checker, thetas: tuple[float, ...]) -> dict[str, Any]:
    """What a release lost, and what the checker found."""
    values = table.sensitive[0].codes
    return {
        "groups": partition.groups,
        "counterfeits": partition.counterfeits,
        "waiting": partition.suppressed,
        **errors(Boxes.around(table, partition), thetas),
        **checker.faults(people_of(table), values, partition),
    }


def published(run: Run, folder: Path, say: Say) -> list[dict[str, Any]]:
    """Every release by `Series.publish`, from Parquet to Parquet, with ledger and audit."""
    spec, checker, found = columns(run.sensitive), Checker(run.m), []
    algorithm = MInvariant(m=run.m, balance=run.balance)
    folder.mkdir()
    series = voile.Series.create(folder / "series.ledger", key=folder / "series.key")
    for number, present in enumerate(tables(run.r, run.releases), 1):
        source, target = folder / "table.parquet", folder / f"release-{number}"
        population()[present].select(list(spec)).write_parquet(source)
        watch = Stopwatch()
        plan, _ = series.publish(voile.read(source, spec), target, format="parquet", m=run.m, balance=run.balance)
        entry: dict[str, Any] = {"release": number, **watch.read("publish")}
        table, partition = plan.recollection.table, plan.partition
        watch = Stopwatch()  # once more, by itself
        algorithm.partition(table, history=plan.recollection.history if number > 1 else None)
        entry |= watch.read("grouping") | judged(table, partition, checker, THETAS)
        data = pl.read_parquet(target / "data.parquet")
        entry["as_written"] = same_bags(partition, table.sensitive[0].codes, data, run.sensitive)
        found.append(entry)
        shutil.rmtree(target)  # the ledger remembers
        say(
            f"{run.name}: release {number}, {entry['publish_seconds']:.2f} s, {entry['counterfeits']} counterfeits"
        )
    return found


def grouped(
    run: Run, say: Say, thetas: tuple[float, ...] = (0.1,), adversary: Intersections | None = None
) -> list[dict[str, Any]]:
    """The same by the algorithm alone: a memory of this process in place of ledger and files."""
    spec, checker, found = columns(run.sensitive), Checker(run.m), []
    algorithm = MInvariant(m=run.m, balance=run.balance)
    remembered, sets = np.full(PERSONS, NEW, np.int64), []
    for number, present in enumerate(tables(run.r, run.releases), 1):
        table = voile.read(population()[present].select(list(spec)), spec)
        persons = people_of(table)
        history = History(remembered[persons], tuple(sets)) if sets else None
        watch = Stopwatch()
        partition = algorithm.partition(table, history=history)
        entry = {"release": number, **watch.read("grouping")}
        of_group, now = signatures_of(table.sensitive[0].codes, partition)
        new = (remembered[persons] == NEW) & (partition.group >= 0)
        remembered[persons[new]] = len(sets) + of_group[partition.group[new]]
        sets += now
        if adversary is not None:
            groups, points, here = as_published(table, partition)
            adversary.see(groups, points, here, values=1 + int(groups.codes.max()))
        found.append(entry | judged(table, partition, checker, thetas))
    counterfeits = np.mean([entry["counterfeits"] for entry in found[1:]])
    say(f"{run.name}: {run.releases} releases, {counterfeits:.1f} counterfeits on average")
    return found
