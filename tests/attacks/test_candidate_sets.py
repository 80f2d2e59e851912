"""Candidate sets: the kernel against the definition, the paper's example, and independent releases as control."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.attacks.releases import VALUES, as_set, literal_candidate_set, releases
from voile import catalog
from voile.attacks.candidate_sets import CoveredPlaces, Intersections, PublishedGroups, candidate_sets, score
from voile.core.bags import Bag
from voile.core.draws import InsecureDraws


def points(most=20):
    return st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 699)), min_size=1, max_size=most
    )


@pytest.mark.slow
@given(releases(), points(), st.data())
def test_equals_the_definition(groups, some, data):
    found = candidate_sets(groups, np.array(some, np.int32), values=VALUES)
    expected = [literal_candidate_set(groups, point) for point in some]
    assert [as_set(words) for words in found] == expected
    chosen = data.draw(st.sets(st.integers(0, VALUES - 1)))
    wanted = np.zeros_like(found)
    for code in chosen:
        wanted[:, code // 64] |= np.left_shift(np.int64(1), code % 64)
    narrowed = candidate_sets(groups, np.array(some, np.int32), wanted, values=VALUES)
    assert [as_set(words) for words in narrowed] == [each & chosen for each in expected]


@pytest.mark.slow
def test_many_groups_in_many_blocks():
    """Enough groups for a tree of several levels, columns with shared cells, sets beyond 64 places."""
    rng = np.random.default_rng(3)
    groups, places = 1000, (40, 3000, 200)
    low = [rng.integers(0, p, groups) for p in places]
    sides = [
        CoveredPlaces.intervals(a, np.minimum(p - 1, a + rng.integers(0, p // 4, groups)))
        for a, p in zip(low[:2], places[:2], strict=True)
    ]
    lists = [np.unique(rng.integers(0, places[2], rng.integers(1, 90))) for _ in range(groups)]
    first = np.cumsum([0, *(each.size for each in lists)])
    ends = np.array([(each[0], each[-1]) for each in lists])
    sides.append(CoveredPlaces(ends[:, 0], ends[:, 1], first, np.concatenate(lists)))
    start, codes = np.arange(0, 4 * groups + 1, 4), rng.integers(0, VALUES, 4 * groups)
    release = PublishedGroups(tuple((side, np.arange(groups)) for side in sides), start, codes)
    some = np.stack([rng.integers(0, p, 300) for p in places], axis=1).astype(np.int32)
    found = candidate_sets(release, some, values=VALUES)
    expected = [literal_candidate_set(release, point) for point in some]
    assert [as_set(words) for words in found] == expected
    assert len({frozenset(each) for each in expected}) > 50  # the test is not void


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(releases(groups=6), min_size=1, max_size=4), st.data())
def test_intersections_over_a_life(series, data):
    """Persons come, leave and return; values are first heard of in later releases."""
    persons, expected, first, told = 5, {}, {}, {}
    seen = Intersections(0)
    for number, groups in enumerate(series, 1):
        here = sorted(data.draw(st.sets(st.integers(0, persons - 1), min_size=1)))
        some = data.draw(
            st.lists(
                st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 699)),
                min_size=len(here),
                max_size=len(here),
            )
        )
        known = max([1, *(int(g.codes.max(initial=0)) + 1 for g in series[:number])])
        seen.see(groups, np.array(some, np.int32), np.array(here), values=known)
        for person, point in zip(here, some, strict=True):
            css = literal_candidate_set(groups, point)
            expected[person] = expected.get(person, css) & css
            first.setdefault(person, number)
            if len(expected[person]) == 1:
                told.setdefault(person, number)
    for person, left in expected.items():
        assert as_set(seen.left[person]) == left and seen.sizes[person] == len(left)
        assert seen.first[person] == first[person] and seen.told[person] == told.get(person, 0)


def example(cases, table, release, names):
    """A release of Xiao and Tao 2007: ages and zip codes (in thousands) as places, persons by their number."""
    values = ["bronchitis", "dyspepsia", "flu", "gastritis"]
    groups = cases[release]
    columns = tuple(
        (
            CoveredPlaces.intervals(np.array([g[c][0] for g in groups]), np.array([g[c][1] for g in groups])),
            np.arange(len(groups)),
        )
        for c in ("age", "zip_k")
    )
    start = np.cumsum([0, *(len(g["values"]) for g in groups)])
    codes = np.array([values.index(v) for g in groups for v in g["values"]])
    here = [name for name in names if name in cases[table]]
    some = np.array([(cases[table][n][0], cases[table][n][1] // 1000) for n in here], np.int32)
    return PublishedGroups(columns, start, codes), some, np.array([names.index(n) for n in here])


@pytest.mark.parametrize(
    ("second", "told"), [("T*2_table2b", ["Bob", "David"]), ("T*2_table3a", [])], ids=["2b", "3a"]
)
def test_running_example(m_invariance_cases, second, told):
    """Tables 1b and 2b tell Bob and David by their own sets; Alice and Andy only by counting (they are gone in the
    second release, but their neighbours' values are known: test_surjections). 1b and 3a tell nobody."""
    cases = m_invariance_cases
    names = sorted(cases["T1"] | cases["T2"])
    seen = Intersections(len(names))
    for table, release in (("T1", "T*1_table1b"), ("T2", second)):
        seen.see(*example(cases, table, release, names), values=4)
    assert [names[i] for i in np.flatnonzero(seen.sizes == 1)] == told
    values = ["bronchitis", "dyspepsia", "flu", "gastritis"]
    suffix = "2b" if second.endswith("2b") else "3a"
    for name, sets in cases["surjection_counts_and_algorithm_aware"]["CSS"].items():
        assert {values[i] for i in as_set(seen.left[names.index(name)])} == set(sets[f"inter_{suffix}"])
    truth = {**cases["T1"], **cases["T2"]}
    codes = np.array([values.index(truth[name][-1]) for name in names])
    graded = score(seen, np.arange(len(names)), codes)
    assert (graded.told, graded.right, graded.none) == (len(told), len(told), 0)


def test_the_scorer_knows_wrong_from_right():
    """A changed value: the adversary is sure, and right about the past. Who was not there: nothing is left."""
    ages = CoveredPlaces.intervals(np.array([0, 1]), np.array([0, 1]))
    seen = Intersections(2)
    for codes in ([0, 1, 0, 1], [1, 2, 2, 3]):
        groups = PublishedGroups(((ages, np.array([0, 1])),), np.array([0, 2, 4]), np.array(codes))
        seen.see(groups, np.array([[0], [1]], np.int32), np.array([0, 1]), values=4)
    assert seen.sizes.tolist() == [1, 0]
    assert score(seen, np.array([0, 1]), np.array([2, 2])).right == 0
    assert score(seen, np.array([0, 0, 1]), np.array([1, 2, 2])).right == 1
    assert score(seen, np.array([0, 1]), np.array([1, 2])).none == 1


@pytest.mark.parametrize(("ell", "told", "below"), [(2, 0.3, 0.3), (4, 0.1, 0.7)])
def test_two_draws_tell_many_whose_groups_are_known(ell, told, below):
    """The positive control (docs/facts/threats.md 2.2, composition): one table, two independent l-diverse
    groupings, and an adversary who knows which group hosts whom."""
    import voile
    from benchmarks import synthetic

    table = voile.read(synthetic.rows(10_000), synthetic.columns())
    secret, everybody = table.sensitive[0].codes, np.arange(table.n)
    algorithm = catalog.algorithm("rda").configure({"l": ell}).resolve(table)
    seen = Intersections(table.n)
    for seed in (1, 2):
        partition = algorithm.partition(table, lambda share: None, InsecureDraws(seed))
        bag, own = Bag.of(partition.group, secret, partition.groups), np.arange(partition.groups)
        groups = PublishedGroups(((CoveredPlaces.intervals(own, own), own),), bag.start, bag.codes)
        seen.see(groups, partition.group[:, None].astype(np.int32), everybody, values=50)
        if seed == 1:
            assert seen.sizes.min() >= ell  # one release tells nobody
    graded = score(seen, everybody, secret)
    assert graded.told == graded.right > told * table.n and graded.none == 0
    assert (seen.sizes < ell).sum() > below * table.n
