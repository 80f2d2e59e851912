"""What Mondrian and Incognito say would work does: every remedy of a refusal is run."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.small_tables import axis_of, column, tables
from voile.algorithms import incognito
from voile.algorithms.chosen_promise import BOUNDS, NONE
from voile.algorithms.incognito import Incognito
from voile.algorithms.mondrian import Mondrian
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible

ASKED = [
    {"l": 4},
    {"property": "distinct", "l": 5},
    {"property": "distinct", "l": 2 * 10**9},
    {"property": "recursive", "l": 3, "c": "1/2"},
    {"property": "recursive", "l": 6, "c": 2},
    {"property": "entropy", "l": 4},
    {"property": "tau_l", "l": 3, "tau": "0.35"},
    {"property": "tau_l", "l": 2 * 10**9, "tau": "1/2"},
    {"property": "alpha_k", "k": 3, "alpha": "0.3"},
    {"property": "alpha_k", "k": 2 * 10**9, "alpha": "0.9"},
    {"property": "k_anonymity", "k": 40},
    {"property": "k_anonymity", "k": 2 * 10**9},
]
SEVERAL = settings(max_examples=100, phases=(Phase.explicit, Phase.generate), deadline=None)


def works(algorithm, table):
    try:
        algorithm.partition(table)
    except Infeasible:
        return False
    return True


def requests(algorithm, remedy):
    """The requests that a remedy names, each with what it says of them."""
    for clause in remedy.split("; or "):
        changes = dict(re.findall(r"(\w+) = ([\w./]+)", clause))
        others = dict.fromkeys(BOUNDS, NONE) if "property" in changes else {}
        yield type(algorithm).configure({**algorithm.settings(), **others, **changes}), clause


def assert_remedies_work(algorithm, table):
    """The remedy of a refusal, if it is refused; of frequency l-diversity without what it says of finer values."""
    try:
        algorithm.partition(table)
    except Infeasible as refusal:
        named = refusal.remedy.partition("; for l")[0].partition("; more needs")[0]
        if "no l works" in named:
            assert not works(replace(algorithm, l=2), table)
        elif "no property can be kept" in named:
            assert table.n < 2
        else:
            assert_requests_work(algorithm, table, named, refusal.largest_l)
        return named
    return ""


def assert_requests_work(algorithm, table, named, largest):
    for request, clause in requests(algorithm, named):
        assert works(request, table), clause
        if "the largest" in clause:
            assert largest == request.number()
            assert not works(replace(request, **{request.counted(): largest + 1}), table)


@pytest.mark.slow
@SEVERAL
@given(tables(most=16, values=5), st.sampled_from(ASKED))
def test_remedies_of_mondrian_work(table, asked):
    assert_remedies_work(Mondrian.configure(asked), table)


@pytest.mark.slow
@SEVERAL
@given(tables(most=12, values=5), st.sampled_from(ASKED), st.sampled_from(["0", "0.1", "0.3", "1/2", "1"]))
def test_remedies_of_incognito_work(table, asked, suppress):
    assert_remedies_work(Incognito.configure({**asked, "suppress": suppress}), table)


@pytest.mark.slow
@settings(SEVERAL, max_examples=40)
@given(tables(most=12, values=5), st.sampled_from(ASKED))
def test_remedies_without_a_search_work(table, asked):
    """Where the lattice is too large for further searches, none is said to be the largest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incognito, "MOST_TRIED", 0)
        remedy = assert_remedies_work(Incognito.configure({**asked, "suppress": "0.3"}), table)
    assert "largest" not in remedy and "suppress" not in remedy


def two_places(*secrets):
    """Persons of x, then of y, with these values."""
    n = len(secrets)
    values = Hierarchy.flat(sorted(set(secrets)))
    return Table(
        [
            column("place", Hierarchy.flat(["x", "y"]), [0] * (n // 2) + [1] * (n - n // 2)),
            column("secret", values, [sorted(set(secrets)).index(s) for s in secrets], Role.SENSITIVE),
        ]
    )


@pytest.mark.parametrize(
    "asked, remedy",
    [
        ({"l": 7, "suppress": "0.5"}, "l = 6 is the largest that works"),
        ({"l": 6, "suppress": "0.4"}, "property = distinct, l = 2 works; or suppress = 0.5 works"),
        ({"l": 7, "suppress": 1}, "l = 6 is the largest that works$"),
        ({"property": "distinct", "l": 7, "suppress": "0.1"}, "l = 6 is the largest that works$"),
        ({"property": "recursive", "l": 2, "c": "0.5"}, "c = 1.41 works with l = 2"),
        ({"property": "entropy", "l": 5}, "l = 3 is the largest that works$"),
    ],
)
def test_half_of_the_persons_may_be_given_up(asked, remedy):
    """Six persons of x with six values, and six of y with one: x alone keeps l = 6."""
    table = two_places(*"abcdef", *"aaaaaa")
    found = assert_remedies_work(Incognito.configure(asked), table)
    assert re.search(remedy, found), found


@pytest.mark.parametrize("algorithm", [Mondrian, Incognito])
def test_one_value_leaves_k_anonymity(algorithm):
    table = two_places(*"aaaa")
    for asked in ({"property": "distinct", "l": 2}, {"property": "entropy", "l": 3}):
        assert assert_remedies_work(algorithm.configure(asked), table) == "property = k_anonymity, k = 2 works"
    one = Table([column("age", axis_of([3]), [3]), column("s", Hierarchy.flat(["a"]), [0], Role.SENSITIVE)])
    assert "two rows" in assert_remedies_work(algorithm.configure({"property": "k_anonymity", "k": 2}), one)


def test_bounds_are_loosened_as_little_as_they_are_written():
    table = two_places(*"aaaabbcd")
    assert assert_remedies_work(Mondrian(property="recursive", l=3, c=Fraction(1, 2)), table).endswith(
        "c = 2.01 works with l = 3"
    )
    assert assert_remedies_work(Mondrian(property="alpha_k", k=3, alpha=Fraction(1, 3)), table) == (
        "alpha = 0.5 works with k = 3"
    )
    assert assert_remedies_work(Mondrian(property="alpha_k", k=9, alpha=Fraction(1, 3)), table) == (
        "alpha = 0.5, k = 8 works"
    )
    assert assert_remedies_work(Mondrian(property="tau_l", l=9, tau=Fraction(1, 3)), table) == (
        "tau = 0.625, l = 4 works"
    )
