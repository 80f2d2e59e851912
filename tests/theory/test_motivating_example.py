"""Table 1 of the paper: five persons, nine partitions, ten tables, every number as printed."""

from fractions import Fraction

import pytest

from tests.theory.small_worlds import non_empty_subsets
from voile import theory

BOUND = Fraction(2, 3)


@pytest.fixture(scope="module")
def table1(streamliner_cases):
    return streamliner_cases["table1"]


@pytest.fixture(scope="module")
def t0(table1):
    return tuple(table1["t0"])


@pytest.fixture(scope="module")
def named(table1):
    number = {name: i for i, name in enumerate(table1["names"])}
    return {
        key: theory.partition([[number[name] for name in group] for group in groups])
        for key, groups in table1["LSS"].items()
    }


@pytest.fixture(scope="module")
def numbers(named):
    """A set of partitions as the set of their numbers in the paper."""
    return lambda sp: sorted(int(key[1:]) for key, groups in named.items() if groups in sp)


def tables_of(table1, keys):
    return {tuple(table1["tables"][key]) for key in keys}


def test_locally_safe_set(t0, named):
    lss = theory.locally_safe_set(t0, BOUND)
    assert sorted(lss) == sorted(named.values())
    assert all(theory.top_ratio(groups, t0) <= BOUND for groups in lss)


@pytest.mark.parametrize(
    "without, expected",
    [((), "disclosure_LSS"), (("P7",), "disclosure_LSS_minus_P7"), (("P3", "P6", "P7", "P8"), "disclosure_SGSS")],
)
def test_disclosure_sets(table1, t0, named, without, expected):
    sp = [groups for key, groups in named.items() if key not in without]
    assert set(theory.disclosure_set(sp, t0, BOUND)) == tables_of(table1, table1[expected])


def test_ratios_of_the_three_sets(t0, named):
    def ratio(keys):
        return theory.highest_ratio(theory.disclosure_set([named[k] for k in keys], t0, BOUND))

    assert ratio(named) == 1
    assert ratio(set(named) - {"P7"}) == Fraction(1, 2)
    assert ratio(("P1", "P2", "P4", "P5", "P9")) == Fraction(2, 5)


def test_all_safe_sets_are_counted(table1, t0, numbers):
    gss, sgss = theory.globally_safe_sets(t0, BOUND), theory.strongly_globally_safe_sets(t0, BOUND)
    assert len(non_empty_subsets(theory.locally_safe_set(t0, BOUND))) == table1["n_subsets_of_LSS"]
    assert (len(gss), len(sgss)) == (table1["n_GSS"], table1["n_SGSS"])
    assert set(sgss) < set(gss)
    assert sorted(map(numbers, theory.largest(gss))) == table1["maximal_GSS"]
    assert [numbers(sp) for sp in theory.largest(sgss)] == table1["maximal_SGSS"]
    assert numbers(theory.largest(sgss)[0]) == [int(key[1:]) for key in table1["SGSS"]]


def test_one_set_at_a_time_says_the_same(t0):
    """The enumeration shares work between sets; the definitions do not."""
    gss, sgss = theory.globally_safe_sets(t0, BOUND), theory.strongly_globally_safe_sets(t0, BOUND)
    for sp in non_empty_subsets(theory.locally_safe_set(t0, BOUND)):
        assert theory.is_globally_safe(sp, t0, BOUND) == (tuple(sp) in gss)
        assert theory.is_strongly_globally_safe(sp, t0, BOUND) == (tuple(sp) in sgss)


def test_releases_of_the_sgss(table1, t0, named):
    sp = [named[key] for key in table1["SGSS"]]
    disclosed = theory.disclosure_set(sp, t0, BOUND)
    for key, release in table1["release"].items():
        left = theory.after_release(named[key], t0, disclosed)
        assert set(left) == tables_of(table1, release["tables"])
        assert theory.highest_ratio(left) == Fraction(release["max_ratio"])
        assert all(sum(person.values()) == 1 for person in theory.posteriors(left))


def test_unsafe_releases_of_a_globally_safe_set(table1, t0, named):
    sp = [groups for key, groups in named.items() if key != "P7"]
    ratios = theory.release_ratios(sp, t0, BOUND)
    expected = table1["unsafe_release_in_LSS_minus_P7"]
    assert {key: ratios[named[key]] for key in expected} == {k: Fraction(v) for k, v in expected.items()}
    assert theory.is_globally_safe(sp, t0, BOUND)
    assert not theory.is_strongly_globally_safe(sp, t0, BOUND)


def test_a_set_that_is_not_locally_safe_is_not_globally(t0):
    flu_together = theory.partition([[0, 1], [2, 3, 4]])
    assert not theory.is_globally_safe([flu_together], t0, BOUND)
    assert not theory.is_strongly_globally_safe([flu_together], t0, BOUND)
