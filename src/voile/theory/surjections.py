"""Reasonable surjections: the exact risk of a small series of releases (Xiao and Tao 2007, Definitions 10 to 14).

A surjection says which published row is whose, in every release. It is reasonable if every person has one row in
each release of the person's life and the same value in all of them; where the adversary knows that the series is
m-invariant, also the same signature. All reasonable surjections are equally likely, so the risk of a person is
the share of them that give the person's true value.

Persons and groups are sorted into components that share nothing: the numbers of their surjections multiply. In
a component rows are dealt out to one person in one release after another. What is remembered on the way is only
what matters later: which rows of unfinished groups are taken, and the values of persons who get more rows.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import factorial, prod
from typing import Any, NamedTuple, TypeAlias

from voile.errors import ParameterError

Person: TypeAlias = Hashable
MOST_STATES = 50_000  # remembered at one time, of one component


class Group(NamedTuple):
    """A published group: the persons of that release whose quasi-identifiers it covers, its rows' values, and how
    many of its rows stand for nobody."""

    covers: tuple[Person, ...]
    values: tuple[Any, ...]
    counterfeits: int = 0


Series: TypeAlias = Sequence[Sequence[Group]]


@dataclass(frozen=True)
class Reconstructions:
    """How many reasonable surjections there are, and how many give each person each value.

    Of a person in another component than others, `counts` are of that component alone: `totals` says out of how
    many. `unknown` are persons of components too large to count, which `total` leaves out.
    """

    total: int
    counts: dict[Person, Counter[Any]]
    totals: dict[Person, int]
    unknown: tuple[Person, ...] = ()

    def risk(self, person: Person, value: Any) -> Fraction:
        """The probability that the adversary gives a person this value; no surjection at all: 0."""
        whole = self.totals[person]
        return Fraction(self.counts[person][value], whole) if whole else Fraction(0)

    def breaches(self, person: Person, value: Any) -> int:
        """How many surjections of the whole series give a person this value."""
        return self.total * self.counts[person][value] // self.totals[person] if self.total else 0

    def highest(self, person: Person) -> Fraction:
        """The probability of the value that is likeliest for a person."""
        return max((self.risk(person, value) for value in self.counts[person]), default=Fraction(0))


def reconstructions(series: Series, *, invariant: bool = False, states: int = MOST_STATES) -> Reconstructions:
    """Count all reasonable surjections of a series exactly.

    The persons of a release are those its groups cover. `invariant` means that the adversary knows the
    publisher's principle: a person's groups have the same set of values in all releases.

    >>> first = [Group(("Bob", "Alice"), ("dyspepsia", "bronchitis"))]
    >>> second = [Group(("Bob", "David"), ("dyspepsia", "gastritis"))]
    >>> found = reconstructions([first, second])
    >>> found.total, found.risk("Bob", "dyspepsia"), reconstructions([first]).risk("Bob", "dyspepsia")
    (1, Fraction(1, 1), Fraction(1, 2))
    """
    total, counts, totals = 1, {}, {}
    unknown: list[Person] = []
    for part in _components(series):
        found = _count(part, invariant, states)
        persons = {person for groups in part for group in groups for person in group.covers}
        if found is None:
            unknown += persons
            continue
        total *= found[0]
        for person in persons:
            counts[person], totals[person] = found[1][person], found[0]
    return Reconstructions(total, counts, totals, tuple(unknown))


def count_surjections(series: Series, *, invariant: bool = False, states: int = MOST_STATES) -> int:
    """How many reasonable surjections a series has.

    >>> count_surjections([[Group(("a", "b", "c"), ("flu", "flu", "HIV"))]])
    6
    """
    found = reconstructions(series, invariant=invariant, states=states)
    if found.unknown:
        raise ParameterError(
            f"a component of {len(found.unknown)} persons is too large to count",
            rule=f"at most {states} states",
            remedy="take fewer persons, fewer releases or tighter groups",
        )
    return found.total


def _components(series: Series) -> Iterator[list[list[Group]]]:
    """The series cut into parts that share no person: groups that cover a common person belong together, in all
    releases."""
    leader: dict[Person, Person] = {}

    def root(person: Person) -> Person:
        while leader.setdefault(person, person) != person:
            leader[person] = leader[leader[person]]
            person = leader[person]
        return person

    for groups in series:
        for group in groups:
            for other in group.covers[1:]:
                leader[root(other)] = root(group.covers[0])
            if group.covers:
                root(group.covers[0])
    parts: dict[Person, list[list[Group]]] = {}
    for number, groups in enumerate(series):
        for group in groups:
            if not group.covers:
                parts.setdefault(("nobody", number), [[] for _ in series])[number].append(group)
            else:
                parts.setdefault(root(group.covers[0]), [[] for _ in series])[number].append(group)
    yield from parts.values()


class _Step(NamedTuple):
    """One person gets a row of one release."""

    person: Person
    rows: tuple[
        tuple[int, Any, frozenset[Any]], ...
    ]  # bit, value and signature of each row that covers the person
    done: int  # bits of groups that are finished: forgotten
    first: bool  # the person has no row yet
    last: bool  # in no release after this one


# values (and signatures) of persons who will be seen again, and the rows taken
_State: TypeAlias = tuple[frozenset[tuple[Person, Any, frozenset[Any] | None]], int]
_Layer: TypeAlias = dict[_State, int]
_Needed: TypeAlias = dict[
    int, int
]  # the bits of each group that a step finishes -> how many of them must be taken


def _count(part: list[list[Group]], invariant: bool, states: int) -> tuple[int, dict[Person, Counter[Any]]] | None:
    """All surjections of a component, and how many give each person each value; None if it is too large."""
    steps: list[tuple[_Step, _Needed]] = []
    layers: list[_Layer] = [{(frozenset(), 0): 1}]
    for step, needed in _steps(part):
        after: _Layer = {}
        for state, ways in layers[-1].items():
            for _, follower in _followers(state, step, needed, invariant):
                after[follower] = after.get(follower, 0) + ways
            if len(after) > states:
                return None
        layers.append(after)
        steps.append((step, needed))
    nobody = all(len(g.values) == g.counterfeits for groups in part for g in groups if not g.covers)
    order = prod(factorial(group.counterfeits) for groups in part for group in groups) if nobody else 0
    counts: dict[Person, Counter[Any]] = {step.person: Counter() for step, _ in steps}
    later: _Layer = dict.fromkeys(layers[-1], order)
    for (step, needed), layer in zip(reversed(steps), reversed(layers[:-1]), strict=True):
        before: _Layer = {}
        for state, ways in layer.items():
            for value, follower in _followers(state, step, needed, invariant):
                rest = later.get(follower, 0)
                before[state] = before.get(state, 0) + rest
                if step.first:
                    counts[step.person][value] += ways * rest
        later = before
    return sum(later.values()), counts


def _steps(part: list[list[Group]]) -> Iterator[tuple[_Step, _Needed]]:
    """Persons and releases in an order that finishes groups and lives early, each made only when asked for: of
    a component too large to count few are."""
    groups = [(release, group) for release, some in enumerate(part) for group in some]
    ends = list(accumulate(len(group.values) for _, group in groups))
    masks = [(1 << end) - (1 << (end - len(group.values))) for end, (_, group) in zip(ends, groups, strict=True)]
    waiting = [dict.fromkeys((release, person) for person in group.covers) for release, group in groups]
    around: dict[tuple[int, Person], list[int]] = {}  # the groups that cover a person in a release
    for i, keys in enumerate(waiting):
        for key in keys:
            around.setdefault(key, []).append(i)
    left = Counter(person for _, person in around)
    lives = dict(left)
    for release, person in _order(waiting, left):
        mine = around[release, person]
        rows = []
        for i in mine:
            del waiting[i][release, person]
            values = groups[i][1].values
            signature, first = frozenset(values), ends[i] - len(values)
            rows += [(1 << (first + place), value, signature) for place, value in enumerate(values)]
        ended = [i for i in mine if not waiting[i]]
        first_seen, left[person] = left[person] == lives[person], left[person] - 1
        step = _Step(person, tuple(rows), sum(masks[i] for i in ended), first_seen, left[person] == 0)
        yield step, {masks[i]: len(groups[i][1].values) - groups[i][1].counterfeits for i in ended}


def _order(waiting: list[dict[tuple[int, Person], None]], left: Counter[Person]) -> Iterator[tuple[int, Person]]:
    """Greedily the group that brings in the fewest persons not met before, then the one nearest to its end."""
    lives = dict(left)
    while any(waiting):
        open_ = [keys for keys in waiting if keys]
        chosen = min(open_, key=lambda keys: (sum(left[p] == lives[p] for _, p in keys), len(keys)))
        yield from list(chosen)


def _followers(state: _State, step: _Step, needed: _Needed, invariant: bool) -> Iterator[tuple[Any, _State]]:
    """The states after a person has got a row, with the value it carries."""
    known, taken = state
    mine = next((entry for entry in known if entry[0] == step.person), None)
    for bit, value, signature in step.rows:
        if taken & bit or (mine is not None and (mine[1] != value or (invariant and mine[2] != signature))):
            continue
        rows = taken | bit
        if any((rows & mask).bit_count() != number for mask, number in needed.items()):
            continue
        after = known
        if step.first and not step.last:
            after = known | {(step.person, value, signature if invariant else None)}
        elif step.last and mine is not None:
            after = known - {mine}
        yield value, (after, rows & ~step.done)
