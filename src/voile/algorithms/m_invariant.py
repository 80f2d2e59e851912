"""m-invariance: a table published again and again, everybody always among the same values (Xiao and Tao 2007).

Division: persons published before go to the bucket of their signature. Balancing: every value of a signature is
made equally frequent in its bucket, by counterfeits, or first by new rows (`fill`). Assignment: new rows are dealt
to balanced buckets, which are planned from counts alone, each row drawn at random. Split: each bucket becomes
groups of near rows with every value once; it treats the values of a bucket alike, and breaks ties by attribute and
position, never by value.

Filling shortages from new rows tells who they are to a reader who knows the algorithm (docs/facts/m_invariance.md
B3: a row may move only if the others stay eligible). Counterfeits alone tell nothing: the values of a signature
can be exchanged throughout the series without changing what is published.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.buckets import Buckets, Dealing
from voile.core.draws import SECRET, Draws
from voile.core.eligibility import largest_l, refuse_ineligible
from voile.core.history import NEW, WITHHELD, History
from voile.core.information_loss import perimeter_of
from voile.core.order import canonical_order, distinct_values
from voile.core.parameters import parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.errors import SpecError
from voile.kernels.assignment import assign, fill_shortages
from voile.kernels.bucket_split import NOBODY, lists_in_order, split
from voile.kernels.colours import rows_by_colour
from voile.kernels.threads import Threads

Codes = NDArray[np.int64]
_WAITING = -1  # the bucket of a row that is not published now
_PARTS = 16  # of the work, so that two threads and the progress bar have something to share


@dataclass(frozen=True, kw_only=True)
class MInvariant(RandomisedAlgorithm):
    """Groups of at least m different values; a person's set of values stays the same in every release.

    Guarantee: nobody's value is inferred from the whole series with more than 1/m confidence; with balance =
    "counterfeit" not even by a reader who knows the algorithm. The series needs the ledger (voile publish).
    Not protected: see limits().

    >>> MInvariant(m=3).settings()
    {'m': 3, 'balance': 'counterfeit', 'changed': 'hold-back', 'ineligible': 'wait'}
    """

    key = "m_invariant"
    title = "m-invariance"
    paper = "Xiao and Tao 2007"
    promise = "m_uniqueness"
    rung = Rung.ALGORITHM_MARGINAL
    counterfeits = True
    cost = "about n log n; 1M rows in seconds"
    meaning = "for a series of releases: everybody always among the same values, with counterfeits where one lacks"

    m: int = parameter("different values per group, in every release of the series", minimum=2)
    balance: str = parameter(
        "what a signature lacks is made up by counterfeits, or first by new rows: fewer counterfeits, but a "
        "reader who knows the algorithm may then tell who has what",
        default="counterfeit",
        choices=("counterfeit", "fill"),
    )
    changed: str = parameter(
        "a person whose new value is not in the signature: hold the row back, or refuse the release",
        default="hold-back",
        choices=("hold-back", "refuse"),
    )
    ineligible: str = parameter(
        "new rows of which a value is more than 1/m: all wait for the next release (which tells that they are "
        "alike), or this release is refused",
        default="wait",
        choices=("wait", "refuse"),
    )

    def holds_against(self) -> Rung:
        """Filling leaks (docs/facts/m_invariance.md B3)."""
        return self.rung if self.balance == "counterfeit" else Rung.RELEASE

    def limits(self, series: bool = False) -> list[str]:
        """What a reader may conclude from a lonely box, from who is missing, from counts; what ends the claim."""
        lonely = (
            "a group of one real row shows that row's own quasi-identifying values, where neither min_width nor a "
            "hierarchy hides them"
        )
        if not series:
            return [lonely]
        absent = (
            "the fact that a person's row is absent: it was held back because a value had changed, or the person "
            "was erased on request, or waits with all other new rows because their values were too alike"
        )
        counts = (
            "a reader who knows how often each value occurs in the source: the rest of a release is counterfeit"
        )
        later = (
            "a later release of the series in which new rows wait, or that is filled from new rows: from then on "
            "only a reader who does not know the algorithm is held off"
        )
        return [*([later] if self.balance == "counterfeit" else []), counts, absent, lonely]

    def partition(
        self,
        table: Table,
        progress: Progress = lambda share: None,
        draws: Draws = SECRET,
        history: History | None = None,
    ) -> Partition:
        """Division, balancing, assignment, split."""
        column = table.single_sensitive(self.key)
        refuse_kept(table)
        if history is None:
            if table.n == 0:  # in a series everybody may have left; a first release needs somebody
                refuse_ineligible(np.empty(0, np.int64), self.m, column.name, suppressing=None, symbol="m")
            history = History.none(table.n)
        every, index = distinct_values(np.concatenate([column.codes, *history.sets]))
        value, known = index[: table.n], index[table.n :]
        signatures, bucket = divided(history, np.split(known, np.cumsum([s.size for s in history.sets])))
        new = history.signature == NEW
        new &= self.admits(column.name, np.bincount(value[new]), bool((bucket >= 0).any()))
        buckets, bucket = self._dealt(value, bucket, signatures, new, every.size, draws)
        group, fake_group, fake_value = split_into_groups(table, value, bucket, buckets, progress)
        return Partition(group, fake_group, every[fake_value])

    def admits(self, column: str, counts: Codes, others: bool) -> bool:
        """Whether new rows of which each value has so many are published: if one has more than 1/m they wait as a
        whole, since to defer the surplus alone would show it (docs/facts/m_invariance.md B4). Refuses if there are
        no others to publish."""
        if self.m * int(counts.max(initial=0)) <= int(counts.sum()):
            return True
        if self.ineligible == "refuse" or not others:
            refuse_ineligible(counts[counts > 0], self.m, column, suppressing=None, symbol="m")
        return False

    def dealing(self, signatures: list[tuple[int, ...]], held: Codes, new: Codes) -> Dealing:
        """Balancing and assignment, planned from counts alone: `held` rows of each value of each signature are of
        known persons, `new` of each value are not."""
        buckets, left = Buckets.of(signatures), new.copy()
        takes: list[tuple[Codes, Codes, Codes]] = []  # value, bucket, number of rows
        if self.balance == "fill":
            moved = fill_shortages(left, self.m, buckets.start, buckets.values, buckets.shortages(held))
            owner = np.repeat(np.arange(len(signatures)), np.diff(buckets.start))
            takes.append((buckets.values, owner, moved))
        alphas, starts, listed = assign(left, self.m)
        signatures, homes = _homes(signatures, starts, listed)
        takes.append((listed, np.repeat(homes, np.diff(starts)), np.repeat(alphas, np.diff(starts))))
        value, home, number = (np.concatenate(parts) for parts in zip(*takes, strict=True))
        by_value = canonical_order([value])
        return Dealing(signatures, value[by_value], home[by_value], number[by_value])

    def _dealt(
        self,
        value: Codes,
        bucket: Codes,
        signatures: list[tuple[int, ...]],
        new: NDArray[np.bool_],
        values: int,
        draws: Draws,
    ) -> tuple[Buckets, Codes]:
        """The buckets after balancing and assignment, and the bucket of each row."""
        buckets = Buckets.of(signatures)
        known = np.flatnonzero(bucket >= 0)
        place = buckets.places(bucket[known], value[known])
        if (place < 0).any():
            raise ValueError("a person's value is not in the signature: withhold the row")
        rows, start = rows_by_colour(np.where(new, value, values), values + 1)
        held = np.bincount(place, minlength=buckets.values.size)
        plan = self.dealing(signatures, held, np.diff(start)[:values])
        drawn = rows[: start[values]][draws.shuffled(start[: values + 1])]
        bucket = bucket.copy()
        bucket[drawn] = np.repeat(plan.home, plan.number)
        return Buckets.of(plan.signatures), bucket


def divided(history: History, sets: list[Codes]) -> tuple[list[tuple[int, ...]], Codes]:
    """The signatures that are in use, by size and then by values, and the bucket of each row."""
    used = np.unique(history.signature[history.signature >= 0])
    named = {int(number): tuple(sorted(sets[number].tolist())) for number in used}
    signatures = sorted(set(named.values()), key=lambda signature: (len(signature), signature))
    place = {signature: i for i, signature in enumerate(signatures)}
    bucket_of = np.full(len(history.sets) + 1, _WAITING, np.int64)  # the last is of NEW
    for number, signature in named.items():
        bucket_of[number] = place[signature]
    return signatures, bucket_of[np.where(history.signature == WITHHELD, NEW, history.signature)]


def _homes(signatures: list[tuple[int, ...]], starts: Codes, listed: Codes) -> tuple[list[tuple[int, ...]], Codes]:
    """The signatures with those of the steps of Assign added, and the bucket of each step."""
    extended = list(signatures)
    place = {signature: i for i, signature in enumerate(extended)}
    homes = []
    values = listed.tolist()
    for first, after in pairwise(starts.tolist()):
        signature = tuple(sorted(values[first:after]))
        if signature not in place:
            place[signature] = len(extended)
            extended.append(signature)
        homes.append(place[signature])
    return extended, np.array(homes, np.int64)


def split_into_groups(
    table: Table, value: Codes, bucket: Codes, buckets: Buckets, progress: Progress
) -> tuple[Codes, Codes, Codes]:
    """The group of each row, and of each counterfeit its group and value."""
    published = np.flatnonzero(bucket >= 0)
    place = buckets.places(bucket[published], value[published])
    counts = np.bincount(place, minlength=buckets.values.size)
    fakes = buckets.shortages(counts)
    step, points = perimeter_of(table)
    first = np.concatenate([[0], np.cumsum(counts)])
    total = int((counts + fakes).sum())
    orders = np.empty((points.shape[1], total), np.int32)
    for a in range(points.shape[1]):
        order = published[canonical_order([place, points[published, a]])]
        orders[a] = lists_in_order(order, first, fakes, total)
    lengths = (counts + fakes)[buckets.start[:-1]] if len(buckets.values) else np.empty(0, np.int64)
    sizes = np.diff(buckets.start) * lengths
    nodes = np.column_stack([np.cumsum(sizes) - sizes, np.diff(buckets.start), lengths])
    leaves = split_nodes(points, step, orders, nodes[lengths > 0], progress)
    return _groups(orders[0], leaves, nodes, buckets, table.n)


def split_nodes(
    points: NDArray[np.int32], step: Codes, orders: NDArray[np.int32], nodes: Codes, progress: Progress
) -> Codes:
    """All nodes split down to groups, in order of their place; `orders` is permuted."""
    if not len(nodes):
        return nodes
    scratch, side = np.empty(orders.shape[1], np.int32), np.empty(points.shape[0], np.bool_)

    def work(part: Codes, stop: int) -> Codes:
        return split(points, step, orders, scratch, side, part, stop)  # type: ignore[no-any-return]

    share = max(1, int(nodes[:, 2].max()) // _PARTS)
    done, leaves = 0, []
    with Threads(orders.shape[1], 2) as pair:
        parts = np.concatenate([cut for _, cut in _in_turn(pair, work, nodes, share)])
        for part, finished in _in_turn(pair, work, parts, 1):
            leaves.append(finished)
            done += int((part[:, 1] * part[:, 2]).sum())
            progress(done / orders.shape[1])
    every = np.concatenate(leaves)
    return every[np.argsort(every[:, 0])]


def _in_turn(
    pair: Threads, work: Callable[[Codes, int], Codes], parts: Codes, stop: int
) -> Iterator[tuple[Codes, Codes]]:
    """Split portions of parts of about equal size down to `stop`, two at a time."""
    rows = np.cumsum(parts[:, 1] * parts[:, 2])
    cuts = np.searchsorted(rows, np.linspace(0, rows[-1], 4 * _PARTS))
    portions = [p for p in np.split(np.ascontiguousarray(parts), cuts) if len(p)]
    yield from zip(portions, pair.map(lambda portion: work(portion, stop), portions), strict=True)


def _groups(
    order: NDArray[np.int32], leaves: Codes, nodes: Codes, buckets: Buckets, rows: int
) -> tuple[Codes, Codes, Codes]:
    """Number the leaves, and read off who stands where."""
    sizes = leaves[:, 1]
    number = np.repeat(np.arange(len(leaves)), sizes)
    group = np.full(rows, SUPPRESSED, np.int64)
    real = order != NOBODY
    group[order[real]] = number[real]
    fake = np.flatnonzero(~real)
    own = np.searchsorted(nodes[:, 0], fake, "right") - 1  # empty buckets do not occur
    offset = fake - leaves[number[fake], 0]
    return group, number[fake], buckets.values[buckets.start[own] + offset]


def feasible_m(wanted: int | None, table: Table) -> int:
    """The m that was wanted, or the largest that a first release allows; refuses what is out of reach. Looks only
    at how often each value occurs."""
    column = table.single_sensitive(MInvariant.key)
    refuse_kept(table)
    sizes = np.bincount(distinct_values(column.codes)[1])
    m = largest_l(sizes) if wanted is None else wanted
    if m < 2 or largest_l(sizes) < m:
        refuse_ineligible(sizes, max(m, 2), column.name, suppressing=None, symbol="m")
    return m


def refuse_kept(table: Table) -> None:
    """Counterfeits have quasi-identifiers by their box, and a sensitive value; nothing else."""
    if table.kept:
        raise SpecError(
            "kept insensitive columns",
            where="spec",
            rule="a counterfeit has no value there, and would be recognised",
            remedy="drop them (keep = false), or declare them quasi-identifying",
        )
