"""Our figures beside those of pyCANON 1.3.6, where it is right; and where it is not.

pyCANON pins numpy 2.0.2 and pandas 2.3.3 and so cannot be installed beside Voile's own versions. Its
figures were computed once in an environment of their own and are kept here. A table is written as its
groups: "aab b" is a group with the values a, a, b and one with b. Text values for `equal` distance,
their character codes as numbers for `ordered`.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.small_tables import axis_of
from voile import catalog
from voile.core.bags import Bags

# table: k, distinct l, alpha, basic beta, t (equal), t (ordered), delta where no value is absent
FIGURES = {
    "aaaabbccc aaaaabbbcc aaabcc": (6, 3, 0.5, 0.25, 0.08, 0.05, 0.3646431135879093),
    "aaaaaaaabbb aaaaaabb aaaaabb": (
        *(7, 2, 0.75, 0.06122448979591836, 0.019230769230769246, 0.01923076923076933, 0.07410797215372185),
    ),
    "abbbbccccdddee abccdeee aaabcccddee aabbbccdddde": (
        *(8, 5, 0.375, 1.109375, 0.20277777777777778, 0.10833333333333334, 0.7884573603642702),
    ),
    "aaabbbbbbbb aaaabbbbbb aaaaabbb aaaaabbbbbb": (
        *(8, 2, 0.7272727272727273, 0.4705882352941177, 0.2, 0.2, 0.44361687407254063),
    ),
    "abcccddd aabbbbbbbcdd abbccdd": (
        *(7, 4, 0.5833333333333334, 0.6875, 0.2685185185185185, 0.13580246913580246, 1.0861897686695525),
    ),
    "abbb aabbbbbb aaaaaabb": (4, 2, 0.75, 0.6666666666666666, 0.3, 0.3, 0.7884573603642702),
    "aaa aaaab aabbbbbb": (3, 1, 1.0, 0.7777777777777778, 0.4375, 0.4375, None),
    "aabcc abbcee acee": (4, 3, 0.5, 0.875, 0.2666666666666667, 0.1777777777777778, None),
}


def bags_of(text, domain=None):
    groups = text.split()
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    return Bags.of(group, [np.array([ord(value) for value in "".join(groups)])], domains=[domain])


def achieved(text, key, domain=None, **others):
    return catalog.models()[key].achieved(bags_of(text, domain), **others)[0]


@pytest.mark.parametrize("table", FIGURES)
def test_equal_where_pycanon_is_right(table):
    k, ell, alpha, beta, equal, ordered, delta = FIGURES[table]
    assert achieved(table, "k_anonymity") == k
    assert achieved(table, "distinct_l_diversity") == ell
    assert float(achieved(table, "alpha_k_anonymity")) == pytest.approx(alpha)
    assert float(achieved(table, "beta_likeness", variant="basic")) == pytest.approx(beta)
    assert float(achieved(table, "t_closeness")) == pytest.approx(equal)
    assert float(achieved(table, "t_closeness", axis_of([0]))) == pytest.approx(ordered)
    if delta is not None:
        assert achieved(table, "delta_disclosure") == Fraction(math.ceil(delta * 10**4), 10**4)


@pytest.mark.parametrize("values, theirs", [(2, 1), (3, 2), (4, 3), (5, 5), (6, 5), (7, 6), (8, 7), (10, 9)])
def test_entropy_of_equally_frequent_values(values, theirs):
    """pyCANON truncates a float just below the whole number; so many equal values give exactly that l."""
    assert theirs <= values
    assert achieved("abcdefghij"[:values], "entropy_l_diversity") == values


def test_recursive_counts_from_the_most_frequent():
    """pyCANON sorts ascending, so that its r1 is the rarest value: it calls {a, a, a, b} (1, 2)-diverse."""
    assert achieved("aaab aaab", "recursive_cl_diversity") == 3


def test_absent_values_are_disclosed():
    """pyCANON leaves out values that a group lacks (delta 0.81 here), though the group excludes them."""
    assert achieved("aaa aaaab aabbbbbb", "delta_disclosure") == math.inf


def test_enhanced_beta_is_no_minimum():
    """b doubles its share of 1/2, more than ln 2 allows: no beta is enough. pyCANON says 0.6931."""
    assert achieved("aab b", "beta_likeness") == math.inf
    assert achieved("aab b", "beta_likeness", variant="basic") == 1


def test_one_number_is_no_division_by_zero():
    """pyCANON divides by zero for a numeric column of one value."""
    assert achieved("aaa", "t_closeness", axis_of([0])) == 0
