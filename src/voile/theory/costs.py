"""What an exact answer costs, told from the functions, the strategy and the frequencies of the values alone.

Who has what must not decide whether an answer is given: a refusal that depends on the table would itself tell
something about it (docs/facts/k_jump.md, section 6). So the work is estimated for the worst table with these
frequencies, for every function a search may come to, before anything is looked at.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations
from voile.errors import BeyondReach
from voile.kernels.contingency import list_matrices
from voile.kernels.histograms import add_cell
from voile.theory.cell_records import subsets_of
from voile.theory.group_trees import GroupTree, histograms
from voile.theory.residues import Residues
from voile.theory.search_plan import MOST_FINE, SearchPlan, plan_for, rows_alike
from voile.theory.set_properties import Distinct, HighestRatio, SetProperty
from voile.theory.strategies import Strategy

Codes = NDArray[np.int64]
LIMIT = 40_000  # millions of steps: about a minute
MOST_MATRICES = 5 * 10**7
MOST_NUMBERS = 5 * 10**7
_ASKED = 5 * 10**4  # steps to judge a class by a property that kernels do not know
_MOST_TESTS = 6  # fine functions that one table may have to fail: each doubles the terms
_PAIRS = 3 * 10**7  # pairs of histograms that counting matrices may take
_MILLION = 10**6
_PLACES = 2**62
_SLOTS = 4  # that take the room of a number
_LISTED = 2 * 10**6  # matrices that are listed only to count them


@dataclass(frozen=True)
class Cost:
    """Of one target, or of the worst of several: contingency matrices at most, millions of steps, and numbers that
    are held together."""

    matrices: int
    work: int
    numbers: int = 0

    def in_words(self) -> str:
        """For a refusal."""
        return f"{_rounded(self.work)} million steps with {_rounded(self.matrices)} matrices"

    def fits(self, limit: int) -> bool:
        """Whether that may be done: the steps within a limit, the rest within memory."""
        return self.work <= limit and self.matrices <= MOST_MATRICES and self.numbers <= MOST_NUMBERS


class Costs:
    """Estimates for one table's frequencies.

    >>> from fractions import Fraction
    >>> from voile.theory.set_properties import HighestRatio
    >>> pairs = Generalizations((np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])))
    >>> Costs(pairs, np.array([2, 2]), HighestRatio(Fraction(1, 2))).of(Strategy.jump(1, 2), 2)
    Cost(matrices=1, work=1, numbers=3)
    """

    def __init__(self, sequence: Generalizations, frequencies: Codes, wanted: SetProperty) -> None:
        self.sequence, self.wanted = sequence, wanted
        self.frequencies = np.sort(frequencies[frequencies > 0])
        self._most_ways = cache(self._count_ways)

    @cached_property
    def length(self) -> int:
        """How many residues a number of tables takes."""
        tables = factorial(int(self.frequencies.sum())) // prod(map(factorial, self.frequencies.tolist()))
        sides = self.wanted.delta.as_integer_ratio() if isinstance(self.wanted, HighestRatio) else (1,)
        return Residues.for_numbers_up_to(tables * max(100, self.frequencies.size * max(sides))).length

    @cached_property
    def histograms(self) -> list[int]:
        """How many histograms of each size there are below the frequencies."""
        return _histogram_numbers(self.frequencies.tolist())

    def plan(self, strategy: Strategy, target: int) -> SearchPlan:
        """What is looked at for one function."""
        return plan_for(self.sequence, self.wanted, strategy, target, self.alike)

    @cached_property
    def alike(self) -> tuple[bool, ...]:
        """Of each function, whether its disclosure sets are as good as its permutation sets."""
        return rows_alike(self.sequence, self.wanted)

    def of(self, strategy: Strategy, target: int) -> Cost:
        """The disclosure set of one function, for any table with these frequencies."""
        if target == 1:
            return Cost(1, 1)
        plan = self.plan(strategy, target)
        tests = max(bits.bit_count() for bits in plan.visited)
        if tests > _MOST_TESTS or len(plan.fine) > MOST_FINE:
            return Cost(MOST_MATRICES + 1, 2**tests)
        matrices = self._matrices(plan)
        steps = matrices * self._steps_of_matrix(plan, tests) + self._records(plan, matrices)
        return Cost(matrices, 1 + steps // _MILLION, self._numbers(plan, matrices))

    def _steps_of_matrix(self, plan: SearchPlan, tests: int) -> int:
        """To add a matrix to its class at every function, and to judge classes of one."""
        cells, length = int(plan.sizes.size), self.length
        kinds = sum(len(set(plan.tree(c, plan.fine_in(c))[1].values())) for c in range(cells))
        lines = kinds * int(self.frequencies.size)
        added = (1 << tests) * (3 * cells + lines) * length
        judged = lines * length * (4 + length)
        if not isinstance(self.wanted, HighestRatio | Distinct):  # asked with whole numbers
            judged = _ASKED
        return (len(plan.needed) + 1) * added + len(plan.needed) * judged

    def _numbers(self, plan: SearchPlan, matrices: int) -> int:
        """The slots of all matrices, or the places of a cell's histograms where they are numbered: to be counted,
        or to tell matrices apart."""
        numbers = matrices * int(plan.sizes.size) // _SLOTS
        for c, size in enumerate(plan.sizes.tolist()):
            places = prod(min(size, most) + 1 for most in self.frequencies.tolist()[:-1])
            if plan.fine_in(c):
                numbers = max(numbers, places * self.length)
            elif matrices > 1 and places > _PLACES:
                numbers = max(numbers, places)
        return numbers

    def search(self, strategy: Strategy) -> Cost:
        """A whole search, whichever functions it comes to."""
        if strategy.kind == "naive":
            return Cost(1, 1)
        each = [Cost(1, 1), *(self.of(strategy, i) for i in self._hard)]
        return Cost(max(c.matrices for c in each), sum(c.work for c in each), max(c.numbers for c in each))

    @property
    def _hard(self) -> list[int]:
        """The functions whose disclosure sets must be counted, the dearest first: those that come last."""
        return [i for i in range(len(self.sequence), 1, -1) if not self.alike[i - 1]]

    def within(self, strategy: Strategy, limit: int) -> bool:
        """Whether a whole search fits a limit."""
        spent = 0
        for i in self._hard:
            cost = self.of(strategy, i)
            spent += cost.work
            if not cost.fits(limit) or spent >= limit:
                return False
        return True

    def _matrices(self, plan: SearchPlan) -> int:
        """The most matrices that any table with these frequencies has."""
        number = 1
        for q in range(int(plan.component.max()) + 1):
            sizes = np.sort(plan.sizes[plan.component == q])
            number *= self._most_ways(tuple(sizes.tolist()))
            if number > MOST_MATRICES:
                break
        return number

    def _count_ways(self, sizes: tuple[int, ...]) -> int:
        """In how many ways some cells can be filled, their histogram together being the one that allows most."""
        if len(sizes) == 1:
            return 1
        whole = sum(sizes) == int(self.frequencies.sum())
        loose = prod(self.histograms[size] for size in sizes[:-1])
        if loose <= 1000:
            return loose
        counted = self._counted(sizes)
        number = loose if counted is None else counted
        orders = prod(map(factorial, Counter(self.frequencies.tolist()).values()))
        if whole and number // orders <= _LISTED:  # of interchangeable values only one order counts
            return min(number, self._listed(sizes))
        return number

    def _counted(self, sizes: tuple[int, ...]) -> int | None:
        """The number of matrices by adding cell after cell; None where even that is too much."""
        bound = self.frequencies
        stride = np.append(np.cumprod(np.append(bound[:-1] + 1, 1)[::-1])[::-1][1:], 0)
        together, ways = np.zeros((1, bound.size), np.int64), np.ones(1)
        for size in sizes:
            filled = int(together[0].sum()) + size
            if len(together) * self.histograms[size] > _PAIRS or np.prod(bound[:-1] + 1.0) > _PAIRS:
                return None
            own = histograms(size, bound)
            out = np.zeros(int(np.prod(bound[:-1] + 1)))
            add_cell(together, together @ stride, ways, own, own @ stride, bound, out)
            together = histograms(filled, bound)
            ways = out[together @ stride]
        return int(min(ways.max(), 1e18))

    def _listed(self, sizes: tuple[int, ...]) -> int:
        """The number of matrices of the whole table by listing them, as far as that goes."""
        alike = np.append(False, self.frequencies[1:] == self.frequencies[:-1])
        cells = np.array(sizes)
        none = np.empty((0, cells.size), np.int64)
        stride = np.zeros((cells.size, self.frequencies.size), np.int64)
        together = np.zeros(cells.size, np.int64)
        return int(list_matrices(cells, together, self.frequencies[None, :], alike, stride, none, MOST_MATRICES))

    def _records(self, plan: SearchPlan, matrices: int) -> int:
        """Steps to make the records of all cells: pairs of histograms, for every histogram a cell may have."""
        subsets = {part for bits in plan.visited for part in subsets_of(bits)}
        steps, known, component = 0, set(), plan.component.tolist()
        for c, size in enumerate(plan.sizes.tolist()):
            for bits in sorted({part & plan.fine_in(c) for part in subsets}):
                shape = plan.tree(c, bits)[0]
                if not shape.parts:
                    continue
                pairs, once = self._pairs(shape)
                if (shape, component[c]) not in known:  # the parts are multiplied once
                    known.add((shape, component[c]))
                    steps += pairs
                steps += (pairs + once) * (1 if matrices == 1 else self.histograms[size])
        return steps * self.length

    def _pairs(self, shape: GroupTree) -> tuple[int, int]:
        """Pairs that are multiplied for a tree, but for its last product; and those of that one, for one whole."""
        pairs = sum(sum(self._pairs(part)) for part in set(shape.parts) if part.parts)
        sizes = sorted(part.size for part in shape.parts)
        while len(sizes) > 2:
            pairs += self.histograms[sizes[0]] * self.histograms[sizes[1]]
            sizes = sorted([sizes[0] + sizes[1], *sizes[2:]])
        return pairs, self.histograms[sizes[0]] + self.histograms[sizes[-1]]


def _histogram_numbers(frequencies: list[int]) -> list[int]:
    """How many histograms of each size there are below the frequencies.

    >>> _histogram_numbers([2, 1])
    [1, 2, 2, 1]
    """
    found = [1]
    for most in frequencies:
        found = [sum(found[max(0, size - most) : size + 1]) for size in range(len(found) + most)]
    return found


def _rounded(number: int) -> str:
    """A number for people, however large.

    >>> _rounded(1234567), _rounded(10**40)
    ('1,234,567', '1.0e+40')
    """
    return f"{number:,}" if number < 10**9 else f"{Decimal(number):.1e}"


def jump_vectors(n: int) -> Iterator[tuple[int, ...]]:
    """Vectors in the order of what they cost: nobody jumps; those at g_2 jump to nothing; those at g_2 and g_3;
    and so on.

    >>> list(jump_vectors(3))
    [(1, 1, 1), (1, 3, 1), (1, 3, 3)]
    """
    for m in range(1, max(2, n + 1)):
        yield tuple(n if 2 <= j <= m else 1 for j in range(1, n + 1))


def affordable(costs: Costs, limit: int = LIMIT) -> Strategy | None:
    """The jump strategy with the fewest jumps whose exact answer fits the limit; None if none does."""
    n = len(costs.sequence)
    strategies = (Strategy.jump(k, n) for k in jump_vectors(n))
    return next((strategy for strategy in strategies if costs.within(strategy, limit)), None)


def require_affordable(costs: Costs, strategy: Strategy, limit: int = LIMIT) -> None:
    """Refuse a search whose exact answer costs too much, with what would fit."""
    if strategy.kind == "naive" or costs.within(strategy, limit):
        return
    cost = costs.search(strategy)
    raise BeyondReach(
        f"an exact answer takes up to {cost.in_words()}",
        where="k_jump",
        rule=f"at most {limit:,} million steps and {MOST_MATRICES:,} matrices; estimated from quasi-identifiers, "
        "functions and frequencies, before looking at who has what",
        remedy=_advice(costs, limit),
    )


def _advice(costs: Costs, limit: int) -> str:
    other = affordable(costs, limit)
    if other is not None:
        return f"use k={'+'.join(map(str, other.k))} (strategy=jump), a larger limit, or k=auto"
    for first in range(2, len(costs.sequence) + 1):
        rest = Generalizations(costs.sequence.functions[first - 1 :])
        if affordable(Costs(rest, costs.frequencies, costs.wanted), limit) is not None:
            later = first - 1  # the sequence may begin later than the steward's own already
            return f"begin with a coarser function: raise first by {later}, with strategy=jump and k=auto"
    return "use a sequence of fewer, coarser functions, or fewer different sensitive values"
