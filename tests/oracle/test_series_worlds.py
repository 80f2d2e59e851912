"""What a reader who knows the algorithm learns from a whole series: nothing above 1/m, or exactly what we say."""

from fractions import Fraction
from itertools import permutations, product

import pytest

from tests.oracle.series_worlds import (
    LINE,
    MIXED,
    by,
    changing,
    known_counts,
    nobody_waited,
    posteriors,
    releases,
    shipped,
    signatures,
    surest,
    told,
    two_releases,
    unknown_counts,
    weighed,
)
from voile.algorithms.m_invariant import MInvariant

pytestmark = pytest.mark.slow  # of processes, or of many worlds

SIZES = [
    pytest.param(2, 3, 3, 3, LINE, 96, id="m=2"),  # filling is caught on it: test_filling_tells
    pytest.param(3, 3, 3, 3, MIXED, 15, id="m=3, mixed"),
    pytest.param(2, 4, 2, 3, MIXED, 258, id="m=2, four values, mixed", marks=pytest.mark.nightly),
    pytest.param(2, 3, 3, 4, LINE, 216, id="m=2, three and four", marks=pytest.mark.nightly),
    pytest.param(2, 3, 4, 2, LINE, 454, id="m=2, four and two", marks=pytest.mark.nightly),
    pytest.param(3, 4, 4, 3, LINE, 235, id="m=3, four values", marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("m, domain, first, second, line, number", SIZES)
def test_counterfeits_tell_nothing(m, domain, first, second, line, number):
    """Every small table, every choice of who leaves and who comes: 1/m, for now and for the past."""
    found = told(by(m, line=line), two_releases(m, domain, first, second))
    assert len(found) == number
    assert max(found)[0] == Fraction(1, m), max(found)


def test_filling_tells():
    """The positive control."""
    found = told(by(2, "fill"), two_releases(2, 3, 3, 3))
    sure = [(len(series[0]) + len(series[1]), series, values) for most, series, values in found if most == 1]
    assert len(sure) == sum(most > Fraction(1, 2) for most, _, _ in found) == 21
    assert min(sure) == (6, ((0, 1), (0, 2, 3, 4)), ((0, 1), (0, 1, 2)))


def test_smallest_table_that_filling_gives_away():
    """docs/facts/m_invariance.md B3: persons 0 and 1 with A and B; 0 leaves, three come. Whatever is published
    tells both."""
    series, values = ((0, 1), (1, 4, 5, 6)), ((0, 1), (0, 1, 2))
    seen = weighed(releases(by(2, "fill"), series), known_counts(series, values))
    for kept in seen.values():
        shares = posteriors(series, kept)
        assert all(max(shares[who].values()) == 1 for who in ((0, 0), (1, 0), (1, 1)))
    shown = ((((0, 1), (0, 1), 0),), (((1, 4), (0, 1), 0), ((5, 6), (1, 2), 0)))
    told_of = posteriors(series, seen[shown])
    assert told_of[0, 0] == {0: 1}
    assert told_of[1, 1] == {1: 1}
    assert told_of[4, 1] == {0: 1}
    assert surest(series, releases(by(2), series), known_counts(series, values))[0] == Fraction(1, 2)


# --- the paper's running example ------------------------------------------------------------------------------

BUCKETS = {("flu", "gastritis"): 1, ("dyspepsia", "gastritis"): 2, ("bronchitis", "dyspepsia"): 3}


def order_of_buckets(diseases):
    """In which order the paper's buckets come when the diseases are coded as listed; that of three is last."""
    codes = {tuple(sorted(map(diseases.index, key))): number for key, number in BUCKETS.items()}
    return "-".join(str(codes[key]) for key in sorted(codes)) + "-4"


ORDERS = {order_of_buckets(d): d for d in permutations(["bronchitis", "dyspepsia", "flu", "gastritis"])}


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_running_example_is_given_away_by_filling(m_invariance_cases, order):
    """Of 192 worlds that could have been published as Table 3a, 48 are: Steve and Ray are known to everybody."""
    cases = m_invariance_cases
    found = worlds_of_table_3a(cases, ORDERS[order], "fill")
    assert len(found) == 192
    expected = cases["surjection_counts_and_algorithm_aware"]["algorithm_aware"]
    truth = expected["BUC order (1-based) -> posterior of true value"][order]
    total = sum(chance for _, chance in found)
    for name, posterior in truth.items():
        alike = sum(chance for world, chance in found if world[name] == cases["T2"][name][2])
        assert alike / total == Fraction(posterior)
    if order == "1-2-3-4":
        assert sum(chance > 0 for _, chance in found) == 48


def worlds_of_table_3a(cases, diseases, balance):
    """All worlds that agree with Tables 1b and 3a, and with which chance the second is made of the first."""
    groups = [(members(cases["T1"], group), group["values"]) for group in cases["T*1_table1b"]]
    names = sorted({*cases["T1"], *cases["T2"]})
    places = [tuple({**cases["T1"], **cases["T2"]}[name][:2]) for name in names]
    release = shipped(MInvariant(m=2, balance=balance), places)
    memory = {names.index(n): codes_of(values, diseases) for people, values in groups for n in people}
    present = tuple(names.index(name) for name in cases["T2"])
    shown = []
    for people, values in groups_of_table_3a(cases):
        rows = tuple(sorted(names.index(name) for name in people))
        shown.append((rows, codes_of(values, diseases), len(values) - len(rows)))
    found = []
    for shares in product(*(permutations(values) for _, values in groups)):
        first = {n: v for (people, _), share in zip(groups, shares, strict=True)
                 for n, v in zip(people, share, strict=True)}  # fmt: skip
        for world in completions(first, cases):
            seen = release(present, tuple(diseases.index(world[n]) for n in cases["T2"]), memory)
            found.append((world, seen.get(tuple(sorted(shown)), Fraction(0))))
    return found


def members(table, group):
    """Who of a table is in a published group; boxes of Table 1b do not overlap."""
    age, zipcode = group["age"], group["zip_k"]
    inside = [name for name, row in table.items() if age[0] <= row[0] <= age[1]]
    return [name for name in inside if zipcode[0] <= table[name][1] // 1000 <= zipcode[1]]


def groups_of_table_3a(cases):
    """Names and values of each group."""
    fakes = {"c1": "bronchitis", "c2": "flu"}
    for group in cases["split_groups"]:
        yield [n for n in group if n not in fakes], [fakes.get(n) or cases["T2"][n][2] for n in group]


def codes_of(values, diseases):
    return tuple(sorted(diseases.index(value) for value in values))


def completions(first, cases):
    """Worlds of the second table that agree with Table 3a and keep the values of the first."""
    groups = list(groups_of_table_3a(cases))
    choices = [
        [share for share in permutations(values, len(people))
         if all(first.get(n, v) == v for n, v in zip(people, share, strict=True))]
        for people, values in groups
    ]  # fmt: skip
    for shares in product(*choices):
        world = {n: v for (people, _), share in zip(groups, shares, strict=True)
                 for n, v in zip(people, share, strict=True)}  # fmt: skip
        yield {**first, **world}


# --- longer series, and life as it is -------------------------------------------------------------------------

RETURNS = [
    (((0, 1), (1, 2, 3), (0, 1, 2)), ((0, 1), (0, 2), ())),
    (((0, 1), (1, 2, 3), (0, 3, 4, 5)), ((0, 1), (0, 1), (1, 2))),
    (((0, 1, 2), (1, 3, 4), (0, 2, 4, 5, 6)), ((0, 1, 2), (0, 1), (0, 2))),
    (((0, 1, 2, 3), (0, 4, 5, 6), (1, 2, 4)), ((0, 0, 1, 2), (0, 1, 2), ())),
    (((0, 1, 2, 3), (4, 5), (0, 1, 4)), ((0, 0, 1, 1), (0, 1), ())),
    (((0, 1), (0,), (0, 1, 2, 3)), ((0, 1), (), (0, 1))),
]


@pytest.mark.parametrize("series, values", RETURNS, ids=str)
def test_three_releases_with_a_return(series, values):
    assert surest(series, releases(by(2), series), known_counts(series, values))[0] == Fraction(1, 2)


def test_forgetting_who_left_tells():
    """docs/facts/m_invariance.md B4, the control: a person who returns as somebody new has the value that both
    signatures share."""
    series, values = ((0, 1), (1, 2, 3), (0, 1, 4)), ((0, 1), (0, 2), (2,))
    remembering = by(2)

    def forgetful(present, values, memory):
        return remembering(present, values, {p: s for p, s in memory.items() if p != 0})

    def sure_of_0(release):
        seen = weighed(releases(release, series), known_counts(series, values))
        return max(max(posteriors(series, kept)[0, 2].values()) for kept in seen.values())

    assert sure_of_0(remembering) == Fraction(1, 2)
    assert sure_of_0(forgetful) == 1


NOT_KNOWN = [((0, 1), (0, 2, 3)), ((0, 1), (0, 1, 2, 3), (1, 2)), ((0, 1, 2), (1, 3, 4), (0, 2, 3))]


@pytest.mark.parametrize("series", NOT_KNOWN, ids=str)
def test_unknown_counts_tell_nothing_while_nobody_waits(series):
    def nobody(seen, person, at):
        return nobody_waited(series, seen)

    most = surest(series, releases(by(2), series), unknown_counts(series, 3), nobody)
    assert most[0] == Fraction(1, 2)


def test_rows_that_wait_are_alike():
    """docs/known-limits.md: two who had to wait have the same value. With two others they are later published as
    {a, b} and {a, c}: both have a."""
    series = ((0, 1), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5))
    first = (((0, 1), (0, 1), 0),)
    leading = [world for world in unknown_counts(series, 3) if set(world[0]) == {0, 1}]  # to this publication
    seen = weighed(releases(by(2), series), leading)
    later = (((0, 1), (0, 1), 0), ((2, 4), (0, 1), 0), ((3, 5), (0, 2), 0))
    kept = seen[first, first, later]
    assert all(world[2][2] == world[2][3] for world, _ in kept)
    shares = posteriors(series, kept)
    assert shares[2, 2] == shares[3, 2] == {0: 1}
    assert shares[4, 2] == {1: 1}
    assert max(shares[0, 0].values()) == Fraction(1, 2)  # who did not wait stays as safe as before


def test_one_who_waits_alone_tells_nothing():
    series = ((0, 1), (0, 1, 2), (0, 1, 2, 3, 4))

    def others_were_published(seen, person, at):
        return len(signatures(seen)) == 5 and len(seen[0]) == 1

    most = surest(series, releases(by(2), series), unknown_counts(series, 3), others_were_published)
    assert most[0] == Fraction(1, 2)


def test_a_row_that_is_held_back_has_left_its_signature():
    """docs/known-limits.md: of three values {a, b} are left when a row is held back, so it has c now; what it had
    before, and everybody who is published, stays at 1/2."""
    series = ((0, 1), (0, 1))
    seen = weighed(releases(by(2), series), changing(series, 3))
    kept = seen[(((0, 1), (0, 1), 0),), (((0,), (0, 1), 1),)]
    shares = posteriors(series, kept)
    assert shares[1, 1] == {2: 1}
    assert shares[1, 0] == shares[0, 0] == shares[0, 1] == {0: Fraction(1, 2), 1: Fraction(1, 2)}


CHANGES = [((0, 1), (0, 1)), ((0, 1), (0, 2, 3)), ((0, 1, 2), (0, 1, 2)), ((0, 1), (0, 1), (0, 1))]


@pytest.mark.parametrize("series", CHANGES, ids=str)
def test_changed_values_of_published_rows_stay_hidden(series):
    """Of everybody in every release in which they are published, whoever else is held back; nobody waits."""

    def published_in(seen, person, at):
        return nobody_waited(series, seen) and any(person in members for members, _, _ in seen[at])

    most = surest(series, releases(by(2), series), changing(series, 3), published_in)
    assert most[0] <= Fraction(1, 2)
