"""`m_invariant` on a cluster: buckets planned from counts, rows dealt to them by value, buckets split in cells.

Division, balancing and assignment look at counts alone: the driver plans them with the local code. Executors tell
the bucket of a row by its signature or, if the person is new, by the number that the row drew. A bucket is a cell,
and is split there as the local algorithm does it. One that is too large is cut first: the rows of each of its
values, along the curve and where they look alike in the order they drew, into chunks of equal shares.

A cut treats the values of a bucket alike, so these can be exchanged throughout, and what is proved of the local
split holds. The most frequent value of a bucket has the most rows in every chunk: every group has a real row, and
chunks need as many counterfeits as the whole bucket.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np

from voile.algorithms.m_invariant import MInvariant, divided, refuse_kept, split_into_groups
from voile.core.algorithm import Algorithm
from voile.core.buckets import Buckets, Dealing
from voile.core.draws import Draws
from voile.core.history import NEW, WITHHELD, History
from voile.core.order import distinct_values
from voile.core.partition import Partition
from voile.core.table import Table
from voile.kernels.spread import NOWHERE
from voile.spark.cells import Work
from voile.spark.coding import CURVE
from voile.spark.planned import Planned
from voile.spark.random_cells import cells_at, values_of
from voile.spark.spread import Batch, Codes, Spread


class Past(NamedTuple):
    """What a ledger knows: the signature of each row, a number into `sets`, NEW or WITHHELD (core/history.py)."""

    signature_of: Callable[[Batch], Codes]
    sets: tuple[Codes, ...]


class Kinds(NamedTuple):
    """Rows that have a value and a signature in common: counts of them are all that is planned from."""

    name: str  # of the sensitive column in batches
    every: Codes  # all values that there are, ascending
    value: Codes  # of each kind, a number into these
    signature: Codes
    rows: Codes

    def value_of(self, batch: Batch) -> Codes:
        """The value of each row, a number into every one."""
        return np.searchsorted(self.every, batch[self.name])


Placed = Callable[[Batch], tuple[Codes, Codes]]  # of each row its bucket, and its value's place in that
FIRST = Past(lambda batch: np.full(next(iter(batch.values())).size, NEW), ())  # release: everybody is new


def plan(spread: Spread, algorithm: Algorithm, most: int, past: Past = FIRST) -> Planned:
    """Cells of at most `most` rows, counterfeits included; rows that are withheld or wait have none."""
    asked, empty = cast(MInvariant, algorithm), Table(spread.layout.columns)
    refuse_kept(empty)
    kinds = _kinds(spread, past)
    sets = np.split(np.searchsorted(kinds.every, _joined(past.sets)), np.cumsum([s.size for s in past.sets]))
    signatures, bucket = divided(History(kinds.signature, past.sets), sets)
    held = _held(Buckets.of(signatures), bucket, kinds)
    new = _summed(kinds.value, np.where(kinds.signature == NEW, kinds.rows, 0), kinds.every.size)
    if not asked.admits(empty.sensitive[0].name, new, bool((bucket >= 0).any())):
        new[:] = 0
    dealing = asked.dealing(signatures, held, new)
    homes = np.full(len(past.sets) + 2, NOWHERE)
    homes[kinds.signature - WITHHELD] = bucket
    placed = _placed(spread, past, kinds, homes, new, dealing)
    planned = _in_chunks(spread, most, kinds.every, held, dealing, placed)
    return Planned(*planned, algorithm=asked, announced=_too_wide(dealing, most))


def _joined(sets: tuple[Codes, ...]) -> Codes:
    return np.concatenate([np.empty(0, np.int64), *sets])


def _summed(place: Codes, rows: Codes, places: int) -> Codes:
    """Rows by place, added up exactly."""
    sums = np.zeros(places, np.int64)
    np.add.at(sums, place, rows)
    return sums


def _kinds(spread: Spread, past: Past) -> Kinds:
    """Count the rows of each value and signature."""
    values = values_of(spread)
    every, _ = distinct_values(np.concatenate([values.present, *past.sets]))

    def key(batch: Batch) -> Codes:
        return (past.signature_of(batch) - WITHHELD) * every.size + np.searchsorted(every, batch[values.name])

    keys, rows = spread.tally(key)
    return Kinds(values.name, every, keys % every.size, keys // every.size + WITHHELD, rows)


def _held(buckets: Buckets, bucket: Codes, kinds: Kinds) -> Codes:
    """How many rows of known persons each place of the buckets' lists has."""
    known = np.flatnonzero(bucket >= 0)
    place = buckets.places(bucket[known], kinds.value[known])
    if (place < 0).any():
        raise ValueError("a person's value is not in the signature: withhold the row")
    return _summed(place, kinds.rows[known], buckets.values.size)


def _placed(spread: Spread, past: Past, kinds: Kinds, homes: Codes, new: Codes, dealing: Dealing) -> Placed:
    """What tells where a row stands: known persons by their signature, new rows by the number they drew."""
    buckets, value_of = Buckets.of(dealing.signatures), kinds.value_of
    first = np.searchsorted(dealing.value, np.arange(kinds.every.size + 1))
    ends = [np.cumsum(own) for own in np.split(dealing.number, first[1:-1])]
    admitted = bool(new.any())

    def list_of(batch: Batch) -> Codes:
        is_new = (past.signature_of(batch) == NEW) & admitted
        return np.where(is_new, value_of(batch), NOWHERE)

    dealt = cells_at(spread, list_of, new, ends)

    def placed(batch: Batch) -> tuple[Codes, Codes]:
        lists = list_of(batch)
        step = first[lists] + dealt.among(lists, batch)
        bucket = homes[past.signature_of(batch) - WITHHELD]
        if admitted:
            bucket = np.where(lists >= 0, dealing.home[np.minimum(step, dealing.home.size - 1)], bucket)
        return bucket, buckets.places(bucket, value_of(batch))

    return placed


def _in_chunks(
    spread: Spread, most: int, every: Codes, held: Codes, dealing: Dealing, placed: Placed
) -> tuple[Callable[[Batch], Codes], Work]:
    """Cells are buckets, or chunks of large ones: which cell a row is in, and what becomes of a cell."""
    buckets = Buckets.of(dealing.signatures)
    rows = _summed(buckets.places(dealing.home, dealing.value), dealing.number, buckets.values.size)
    rows[: held.size] += held
    widths = np.diff(buckets.start)
    longest = np.maximum.reduceat(rows, buckets.start[:-1]) if rows.size else rows
    chunks = -(-longest // np.maximum(1, most // widths))
    first, of_place = np.cumsum([0, *chunks]), np.repeat([*chunks, 1], [*widths, 1])  # the last is of no bucket

    def list_of(batch: Batch) -> Codes:
        place = placed(batch)[1]
        return np.where(of_place[place] > 1, place, NOWHERE)

    ends = [shares(int(own), int(many)) for own, many in zip(rows, of_place, strict=False)]
    cut = cells_at(spread, list_of, rows, ends, along=lambda batch: batch[CURVE])

    def cell_of(batch: Batch) -> Codes:
        bucket, place = placed(batch)
        return np.where(bucket < 0, NOWHERE, first[bucket] + cut.among(place, batch))

    signatures = [every[list(signature)] for signature in dealing.signatures]
    owner = np.repeat(np.arange(len(signatures)), chunks)

    def work(cell: int, table: Table, draws: Draws) -> Partition:
        return split_bucket(table, signatures[owner[cell]])

    return cell_of, work


def _too_wide(dealing: Dealing, most: int) -> str:
    wide = sum(len(signature) > most for signature in dealing.signatures)
    return f"{wide} buckets have groups that are larger than a cell should be" if wide else ""


def shares(rows: int, chunks: int) -> Codes:
    """Where each of so many chunks of a list ends. More rows never have a smaller share of any chunk.

    >>> shares(7, 3).tolist(), shares(5, 3).tolist()
    ([3, 5, 7], [2, 4, 5])
    """
    number = np.arange(1, chunks + 1)
    return rows // chunks * number + np.minimum(number, rows % chunks)


def split_bucket(table: Table, signature: Codes) -> Partition:
    """The groups of rows that are one bucket, or one chunk of it: each has every value of the signature once, by a
    counterfeit where a value is rarer than the most frequent one."""
    buckets = Buckets.of([tuple(range(signature.size))])
    value = np.searchsorted(signature, table.sensitive[0].codes)
    bucket = np.zeros(table.n, np.int64)
    group, fake_group, fake_value = split_into_groups(table, value, bucket, buckets, lambda share: None)
    return Partition(group, fake_group, signature[fake_value])
