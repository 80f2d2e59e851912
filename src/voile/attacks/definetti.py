"""deFinetti: learn from all groups together how values go with quasi-identifiers, then guess inside each group.

Groups promise that everybody in them is equally likely to have each value. Who looks at all groups sees that, say,
groups with more old persons have more of one value, learns by how much, and guesses the old person of each group
(Kifer 2009). The model is naive Bayes over the quasi-identifiers, long columns in bins; expectation and
maximisation start from equal shares, and groups are taken in a fixed order: the same release gives the same
figures.

Every person of a group is weighed against every value of it, so the work goes by pairs of these. Groups that have
too many are left out, and it is said whom that concerns.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View, surely_at_most, wilson
from voile.core.bags import Bag
from voile.core.order import distinct_values
from voile.core.parameters import parameter
from voile.errors import counted
from voile.kernels.group_learning import expect, guess

Integers = NDArray[np.int64]
Chances = NDArray[np.float64]
BINS = 16  # of a column with more values
ROUNDS = 12
PAIRS = 256  # of a person and a value of the group that may be weighed, for each person who may be attacked
ALONE = 32  # times as many where that is done once: guesses of strangers
BLOCK = 2**18  # of these pairs at a time
ORDER = 2009  # seed of the fixed order that groups are taken in
MARGIN = Fraction(1, 20)  # above what is promised, or known anyway (docs/known-limits.md)


@dataclass(frozen=True, kw_only=True)
class DeFinetti(Attack):
    """Guesses of everybody's value, graded (Kifer 2009).

    Three arms: the guesses; as a control, guesses by a model learnt from half of the groups about persons of the
    other half, as if these were not in the release; as a baseline, each group's most frequent value.
    """

    key = "definetti"
    title = "deFinetti"
    paper = "Kifer 2009"
    meaning = "learns from all groups together which values go with which quasi-identifiers, then guesses in each"
    passes = (
        "it is right at most 5 points more often than is promised against someone who does not learn, or than it "
        "is about strangers; an attack that guesses worse than the most frequent values is inconclusive, no pass"
    )
    graded = True

    persons: int = parameter(
        "who is attacked at most; whole groups, from all over the release", default=30_000, minimum=1
    )

    def run(self, view: View, truth: Integers | None = None) -> Finding:
        """Guess the first sensitive value of everybody whose group and quasi-identifiers are known."""
        known = _KnownGroups.of(view, self.persons)
        if known.left_out and not known.row.size:
            return self.not_run(known, private=truth is not None)
        value, sure = known.guesses(known.learnt())
        promised, believed = view.bound(), round(float(sure.mean()) if sure.size else 0.0, 4)
        if truth is None:
            meaning = f"not graded: the model itself holds {believed:.1%} of its guesses to be right"
            return self.found(meaning + known.others(), value.size, 0, details={"believed": believed})
        true = truth[known.row]
        right = int((value == true).sum())
        strangers, told = known.control(true)
        control = Fraction(told, strangers) if strangers else Fraction(0)
        grade = _Grade(right, value.size, promised, control, known.baseline())
        return self.found(
            grade.words(view.knows) + known.others(),
            value.size,
            right,
            allowed=None if promised is None or grade.limit >= 1 else grade.limit,
            ok=True if grade.passes else None,  # no promise covers it: it cannot break one
            warning=grade.gets_through or grade.beyond,
            beyond=grade.beyond,
            inconclusive=grade.inconclusive,
            remedy=grade.remedy(),
            private=True,
            details={
                "promised": None if promised is None else round(float(promised), 4),
                "control": round(float(control), 4),
                "baseline": round(float(grade.baseline), 4),
                "believed": believed,
                "beyond_promise": grade.beyond,
            },
        )

    def not_run(self, known: "_KnownGroups", private: bool) -> Finding:
        """No group has few enough persons and values."""
        meaning = (
            f"not run: {counted(known.left_out, 'person')} in groups too large for it, of more than {known.pairs} "
            "pairs of a person and a value"
        )
        return self.found(meaning, 0, 0, ran=False, private=private, details={"left_out": known.left_out})


REMEDY = (
    "a promise about single groups says nothing about what all groups together teach: publish fewer or coarser "
    "quasi-identifiers, and tell whoever signs the release"
)
_NOT_LEARNT = (
    "do not take it for a pass: another attack may learn what this one did not; judge by the promise and by the "
    "exact attacks"
)
_TOO_FEW = (
    "do not take it for a pass: of so few persons only the promise and the exact attacks can be judged; try a "
    "larger table"
)
_NEAR = ". That is above the promise, by at most 5 points"
_AS_STRANGERS = ". That is hardly more than for people outside, but above the promise"


@dataclass(frozen=True)
class _Grade:
    """How many guesses were right, and what that says, beside what is promised of a single group (None: nothing),
    how strangers are guessed (control) and what the most frequent values get (baseline)."""

    right: int
    trials: int
    promised: Fraction | None
    control: Fraction
    baseline: Fraction

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true rate is in 95 of 100 cases."""
        return wilson(self.right, self.trials)

    @property
    def limit(self) -> Fraction:
        """What the upper end of the interval must not pass: a little more than is promised, or known anyway."""
        return max(self.baseline if self.promised is None else self.promised, self.control) + MARGIN

    @property
    def fine(self) -> bool:
        """Whether guesses are surely not above the limit."""
        return surely_at_most(self.right, self.trials, self.limit)

    @property
    def beyond(self) -> bool:
        """Whether more guesses are right than is promised: surely, or as can be expected where those of strangers
        are, too. Then no screen may show the promise without the figure, in red."""
        if self.promised is None or self.right <= self.promised * self.trials:
            return False
        return self.interval[0] > self.promised or (self.fine and self.control > self.promised)

    @property
    def passes(self) -> bool:
        """Whether a promise keeps the attack off, or nearly so."""
        return self.promised is not None and self.fine and not self.below_baseline

    @property
    def gets_through(self) -> bool:
        """Surely above the promise, or where there is none above what is known anyway, and perhaps by far."""
        bound = max(self.baseline, self.control) if self.promised is None else self.promised
        return not self.fine and self.interval[0] > bound

    @property
    def below_baseline(self) -> bool:
        """Whether the attack guesses worse than who never learnt: then it failed, which proves nothing."""
        return self.right < self.baseline * self.trials and not self.beyond

    @property
    def inconclusive(self) -> bool:
        """Whether neither a pass nor a success can be said."""
        return self.below_baseline or not (self.fine or self.gets_through)

    def words(self, knows: str) -> str:
        """The finding for the steward."""
        (low, high), trials = self.interval, max(1, self.trials)
        against = f"{float(self.baseline):.1%} have the most frequent value of their group"
        if self.promised is not None:
            against = f"{float(self.promised):.1%} is promised against someone who does not learn"
        rate = f"{self.right / trials:.1%} of {counted(self.trials, 'person')}"
        return (
            f"{rate} are guessed right (95 % sure: {low:.1%} to {high:.1%}) by someone who knows {knows}, and "
            f"learns from all groups which values go with which quasi-identifiers; {against}, and "
            f"{float(self.control):.1%} of people outside the release are guessed right{self._conclusion()}"
        )

    def _conclusion(self) -> str:
        if self.below_baseline:
            return (
                f". The attack says nothing: the most frequent value of each group alone is right in "
                f"{float(self.baseline):.1%}"
            )
        if self.inconclusive:
            return ". There are too few persons to say more"
        if not self.fine or not self.beyond or self.promised is None:
            return ""
        near = surely_at_most(self.right, self.trials, self.promised + MARGIN)
        return _NEAR if near else _AS_STRANGERS

    def remedy(self) -> str:
        """The next step."""
        if self.inconclusive:
            return _NOT_LEARNT if self.below_baseline else _TOO_FEW
        return REMEDY if self.gets_through or self.beyond else ""


@dataclass(frozen=True, repr=False, eq=False)
class _KnownGroups:
    """Persons group by group: their rows in the view, what they have in each column, and the values of the groups,
    numbered as in `values`."""

    row: Integers
    cells: Integers
    begin: Integers
    bag: Bag
    codes: Integers
    values: Integers
    width: Chances  # of each cell, how many cells its column has
    pairs: int  # of persons and values of their groups, at most
    left_out: int  # persons of groups that have more

    @classmethod
    def of(cls, view: View, most: int) -> "_KnownGroups":
        """The persons of a view; of a large one, those of some groups. Groups are taken in an order that has
        nothing to do with their numbers: plans are periodic, and every second group may have other values."""
        bag = view.bags.columns[0]
        sizes = np.bincount(view.group[view.group >= 0], minlength=bag.start.size - 1)
        some = max(1, min(sizes.size, sizes.size * most // max(1, int(sizes.sum()))))
        weighed, pairs = sizes * bag.distinct(), PAIRS * most
        order = np.random.default_rng(ORDER).permutation(sizes.size)
        order = order[weighed[order] <= pairs]
        chosen = order[: min(some, int(np.searchsorted(np.cumsum(weighed[order]), pairs, "right")))]
        number = np.full(sizes.size + 1, -1)  # the last place is that of rows in no group
        number[chosen] = np.arange(chosen.size)
        own = number[view.group]
        row = np.flatnonzero(own >= 0)
        row = row[np.argsort(own[row], kind="stable")]
        columns, width = [], [np.zeros(0)]
        for codes in view.quasi:
            place, size = _binned(codes[row])
            columns.append(place + sum(w.size for w in width))
            width.append(np.full(size, float(size)))
        cells = np.stack(columns, axis=1) if columns else np.zeros((row.size, 0), np.int64)
        begin = np.concatenate(([0], np.cumsum(sizes[chosen])))
        part = _of_groups(bag, chosen)
        values, codes = distinct_values(part.codes)
        left_out = int(sizes[weighed > pairs].sum())
        return cls(row, cells, begin, part, codes, values, np.concatenate(width)[:, None], pairs, left_out)

    def others(self) -> str:
        """Who was left out, in words."""
        return f"; not run on {counted(self.left_out, 'person')} in larger groups" if self.left_out else ""

    def learnt(self, groups: slice = slice(None)) -> Chances:
        """How likely each cell is among those who have a value, as logarithms; from some of the groups."""
        chance = np.zeros((self.width.size, self.values.size))
        begin, start = self.begin[:-1][groups], self.bag.start[:-1][groups]
        begin = np.append(begin, self.begin[begin.size]) if begin.size else self.begin[:1]
        start = np.append(start, self.bag.start[start.size]) if start.size else self.bag.start[:1]
        for _ in range(ROUNDS):
            held = np.zeros_like(chance)
            expect(self.cells, begin, start, self.codes, self.bag.counts, chance, held)
            columns = max(1, self.cells.shape[1])
            common = held.sum(axis=1, keepdims=True) / max(1, begin[-1])  # as much as one person of each cell
            chance = np.log((held + self.width * common + 1e-12) / (held.sum(axis=0) / columns + self.width))
        return chance

    def guesses(self, chance: Chances) -> tuple[Integers, Chances]:
        """The likeliest value of each person in the group, and how sure the model is of it."""
        value, sure = np.empty(self.row.size, np.int64), np.empty(self.row.size)
        guess(self.cells, self.begin, self.bag.start, self.codes, self.bag.counts, chance, value, sure)
        return self.values[value] if self.values.size else value, sure

    def control(self, truth: Integers) -> tuple[int, int]:
        """How many persons of the second half of the groups there are, and for how many a model of the first half
        that knows nothing of their groups is right."""
        half = (self.begin.size - 1) // 2
        chance = self.learnt(slice(half))
        whole = np.bincount(
            self.codes[: self.bag.start[half]], self.bag.counts[: self.bag.start[half]], self.values.size
        )
        first, some = self.begin[half], ALONE * self.pairs // max(1, self.values.size)
        strangers, truth = self.cells[first : first + some], truth[first : first + some]
        if not half:
            return len(strangers), 0
        value = _guess_alone(strangers, np.log(whole + 1e-12), chance)
        return value.size, int((self.values[value] == truth).sum())

    def baseline(self) -> Fraction:
        """The share of persons whom the most frequent value of their group is expected to hit."""
        persons, pairs = np.diff(self.begin), np.stack([self.bag.top(), np.maximum(1, self.bag.totals)], axis=1)
        different, place = np.unique(pairs, axis=0, return_inverse=True)
        each = np.bincount(place.ravel(), persons, len(different)).astype(np.int64).tolist()
        hits = [Fraction(n * top, whole) for n, (top, whole) in zip(each, different.tolist(), strict=True)]
        return sum(hits, Fraction(0)) / max(1, self.row.size)


def _binned(codes: Integers) -> tuple[Integers, int]:
    """Codes as places from 0, and how many: the values themselves, or bins of nearly equally many persons."""
    values, index = distinct_values(codes)
    if values.size <= BINS:
        return index, int(values.size)
    persons = np.bincount(index)
    middle = np.cumsum(persons) * 2 - persons
    bins, place = distinct_values(middle * BINS // (2 * codes.size))
    return place[index], int(bins.size)


def _of_groups(bag: Bag, chosen: Integers) -> Bag:
    """The bag of some of the groups."""
    sizes = bag.distinct()[chosen]
    start = np.concatenate(([0], np.cumsum(sizes)))
    entry = np.arange(int(start[-1])) + np.repeat(bag.start[chosen] - start[:-1], sizes)
    return Bag(start, bag.codes[entry], bag.counts[entry], bag.domain, bag.unit, None, bag.exact)


def _guess_alone(cells: Integers, prior: Chances, chance: Chances) -> Integers:
    """The likeliest value of each row if nothing is known of its group, the first of equal ones."""
    value = np.empty(len(cells), np.int64)
    together = max(1, BLOCK // prior.size)
    for first in range(0, len(cells), together):
        likely = np.tile(prior, (len(cells[first : first + together]), 1))
        for column in cells[first : first + together].T:
            likely += chance[column]
        value[first : first + together] = likely.argmax(axis=1)
    return value
