"""Reasonable surjections against the worked cases of Xiao and Tao 2007, and against plain enumeration."""

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.xiao_and_tao import BAD, FIRST, GOOD, covered, listed
from voile.errors import ParameterError
from voile.theory.surjections import Group, count_surjections, reconstructions

EXAMPLES = {
    "1b+2b (l-diversity, no invariance known)": ([FIRST, BAD], False),
    "1b+3a (2-invariant)": ([FIRST, GOOD], True),
    "1b+3a without principle knowledge (cond.2 dropped)": ([FIRST, GOOD], False),
    "1b only": ([FIRST], False),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_running_example(m_invariance_cases, name):
    releases, invariant = EXAMPLES[name]
    series = [covered(m_invariance_cases, table, r) for table, r in zip(("T1", "T2"), releases, strict=False)]
    expected = m_invariance_cases["surjection_counts_and_algorithm_aware"][name]
    found = reconstructions(series, invariant=invariant)
    truth = {p: row[-1] for table in ("T1", "T2") for p, row in m_invariance_cases[table].items()}
    assert found.total == expected["n_total"]
    assert [count_surjections([groups]) for groups in series] == expected["matchings_per_release"]
    assert {p: str(found.risk(p, truth[p])) for p in expected["risk"]} == expected["risk"]
    assert {p: found.breaches(p, truth[p]) for p in expected["n_breach"]} == expected["n_breach"]


def corner(cases, name):
    return listed(cases["assign_and_corner_cases"]["corner_cases"][name]["releases"])


def test_corner_cases(m_invariance_cases):
    cases = m_invariance_cases["assign_and_corner_cases"]["corner_cases"]
    for name, person, value, figure in (
        ("reinsertion_new_signature", "p", "HIV", "risk_p_HIV"),
        ("reinsertion_old_signature_kept(ledger)", "p", "HIV", "risk_p_HIV"),
        ("value_change_as_new_signature_adversary_believes_permanent", "p", "HIV", "risk_p_HIV"),
        ("QI_change_treated_as_new_tuple", "p", "flu", "risk_p_flu"),
        ("ineligible_T1_repaired_by_counterfeits", "a", "HIV", "random_world_risk"),
    ):
        found = reconstructions(corner(m_invariance_cases, name))
        assert str(found.risk(person, value)) == cases[name][figure], name
        if "n_total" in cases[name]:
            assert found.total == cases[name]["n_total"]


def test_a_disjoint_signature_leaves_no_surjection(m_invariance_cases):
    series = corner(m_invariance_cases, "value_change_disjoint_signature")
    found = reconstructions(series)
    assert found.total == 0 and found.risk("p", "HIV") == 0 and found.highest("p") == 0
    assert [
        reconstructions([groups]).risk("p", value) for groups, value in zip(series, ("HIV", "cold"), strict=True)
    ] == [
        Fraction(1, 2),
        Fraction(1, 2),
    ]


def test_the_principle_rules_surjections_out():
    """Somebody covered by two groups: only one of them has the signature of the release before."""
    first = [Group(("p", "q"), ("a", "b"))]
    second = [Group(("p", "q", "r"), ("a", "b")), Group(("p", "r", "s"), ("a", "c"))]
    assert reconstructions([first, second]).risk("s", "c") == Fraction(3, 5)
    known = reconstructions([first, second], invariant=True)
    assert known.total == 4 and all(known.risk(p, v) <= Fraction(1, 2) for p in "pqrs" for v in "abc")
    assert count_surjections([first, second]) == 5


def test_too_large_is_said():
    everybody = tuple(range(12))
    series = [[Group(everybody, everybody)], [Group(everybody, everybody)]]
    found = reconstructions(series, states=1000)
    assert set(found.unknown) == set(everybody) and found.total == 1
    with pytest.raises(ParameterError, match="12 persons"):
        count_surjections(series, states=1000)


@st.composite
def small_series(draw, persons=4, releases=3, values=3):
    """Groups of persons with the values of the truth, some counterfeits, boxes that cover more than they hold."""
    truth = draw(st.lists(st.integers(0, values - 1), min_size=persons, max_size=persons))
    series = []
    for _ in range(draw(st.integers(1, releases))):
        place = draw(st.lists(st.integers(-1, 1), min_size=persons, max_size=persons))  # -1: not in this release
        here = [p for p in range(persons) if place[p] >= 0]
        groups = []
        for g in (0, 1):
            hosted = [p for p in here if place[p] == g]
            fakes = draw(st.lists(st.integers(0, values - 1), max_size=1)) if hosted else []
            also = [p for p in here if p not in hosted and draw(st.booleans())] if hosted else []
            if hosted:
                groups.append(Group((*hosted, *also), (*(truth[p] for p in hosted), *fakes), len(fakes)))
        series.append(groups)
    return truth, series


def enumerated(series, invariant):
    """All surjections by trying every order of every release's rows: the values each gives the persons."""
    per_release = []
    for groups in series:
        persons = sorted({p for g in groups for p in g.covers})
        rows = [(i, value) for i, g in enumerate(groups) for value in g.values]
        owners = persons + [("fake", i, k) for i, g in enumerate(groups) for k in range(g.counterfeits)]
        found = []
        for order in permutations(owners):
            pairs = list(zip(rows, order, strict=True))
            if all(o[1] == i if isinstance(o, tuple) else o in groups[i].covers for (i, _), o in pairs):
                found.append(
                    {o: (v, frozenset(groups[i].values)) for (i, v), o in pairs if not isinstance(o, tuple)}
                )
        per_release.append(found)
    kept = []
    for choice in product(*per_release):
        told = {}
        for release in choice:
            for person, seen in release.items():
                told.setdefault(person, set()).add(seen if invariant else seen[0])
        if all(len(seen) == 1 for seen in told.values()):
            kept.append({p: next(iter(s))[0] if invariant else next(iter(s)) for p, s in told.items()})
    return kept


@given(small_series(), st.booleans())
def test_equals_plain_enumeration(drawn, invariant):
    _, series = drawn
    found, worlds = reconstructions(series, invariant=invariant), enumerated(series, invariant)
    assert found.total == len(worlds)
    for person in found.counts:
        for value in range(3):
            assert found.breaches(person, value) == sum(world[person] == value for world in worlds)


@given(small_series(persons=6, releases=3))
def test_lemma_1_and_2(drawn):
    """What surjections give a person lies in the intersection of candidate sets; one value left is true."""
    truth, series = drawn
    found = reconstructions(series)
    assert found.total > 0
    for person, counts in found.counts.items():
        sets = [{v for g in groups if person in g.covers for v in g.values} for groups in series]
        left = set.intersection(*(s for s in sets if s))
        assert {value for value, number in counts.items() if number} <= left
        if len(left) == 1:
            assert left == {truth[person]} and found.risk(person, truth[person]) == 1


@st.composite
def invariant_series(draw, m=2):
    """Releases in which everybody keeps one of two signatures; boxes cover more than they hold."""
    signatures = [tuple("ab"), tuple("cd")]
    persons = {p: draw(st.sampled_from(range(4))) for p in range(6)}  # signature and value
    series = []
    for _ in range(draw(st.integers(1, 3))):
        here = [p for p in persons if draw(st.booleans())]
        groups = []
        for s, signature in enumerate(signatures):
            lists = [[p for p in here if persons[p] == 2 * s + v] for v in range(m)]
            for i in range(max(map(len, lists))):
                hosted = [one[i] for one in lists if i < len(one)]
                also = [p for p in here if p not in hosted and draw(st.booleans())]
                groups.append(Group((*hosted, *also), signature, m - len(hosted)))
        series.append(groups)
    return {p: "abcd"[code] for p, code in persons.items()}, series


@given(invariant_series())
def test_lemma_3(drawn):
    """m-invariant: nobody's risk is above 1/m for the adversary who knows the principle."""
    truth, series = drawn
    found = reconstructions(series, invariant=True)
    assert found.total > 0
    assert all(found.risk(person, truth[person]) <= Fraction(1, 2) for person in found.counts)


def test_a_component_too_large_is_left_at_once():
    """The order of the steps is found as they are taken: of persons beyond the limit none is looked at."""
    asked = []

    class Values(tuple):
        def __iter__(self):
            asked.append(self)
            return super().__iter__()

    groups = [Group(tuple(range(40)), Values((4 * i, 4 * i + 1))) for i in range(20)]
    assert len(reconstructions([groups], states=5).unknown) == 40
    assert len(asked) <= 2 * 2 * 20  # the first person's rows or two, not 40 times all of them
