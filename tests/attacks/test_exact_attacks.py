"""Attacks on the bags alone: each against its definition, a control that must succeed, and what passes."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile import catalog
from voile.attacks.background_elimination import BackgroundElimination
from voile.attacks.homogeneity import Homogeneity
from voile.attacks.reidentification import Reidentification
from voile.attacks.similarity import Similarity
from voile.attacks.skewness import Skewness
from voile.core.attack import View
from voile.core.bags import Bags
from voile.core.hierarchy import Hierarchy
from voile.exposure import exact_findings, verdicts
from voile.kernels.elimination import rule_out
from voile.requirements import parse_requirements

GUT = [["gastritis", "stomach", "digestion", "*"], ["ulcer", "stomach", "digestion", "*"]]
GUT += [["colitis", "colon", "digestion", "*"], ["flu", "lung", "breathing", "*"]]
GUT += [["asthma", "lung", "breathing", "*"], ["gout", "joint", "joint", "*"]]
TREE = Hierarchy.from_lines(GUT)
groupings = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=7), min_size=1, max_size=5)


def bags_of(groups, tree=None):
    group = np.repeat(np.arange(len(groups)), [len(each) for each in groups])
    return Bags.of(group, [np.array([value for each in groups for value in each])], domains=[tree])


def view_of(groups, promise="", tree=None):
    return View(bags_of(groups, tree), promises=tuple(parse_requirements(promise)))


@given(groupings)
def test_homogeneity_equals_its_definition(groups):
    found = Homogeneity().run(view_of(groups))
    alike = [each for each in groups if len(set(each)) == 1]
    assert (found.successes, found.trials) == (sum(map(len, alike)), sum(map(len, groups)))
    assert found.highest == max(Fraction(max(Counter(each).values()), len(each)) for each in groups)
    assert found.ok is None and found.warning == bool(alike)


def test_homogeneity_control_and_promise():
    """Ten persons and one value: k-anonymity does not help."""
    assert Homogeneity().run(view_of([[3] * 10, [1, 2]], "k>=2")).state == "not promised, and gets through"
    assert Homogeneity().run(view_of([[3] * 10, [1, 2]], "l>=2")).ok is False
    assert Homogeneity().run(view_of([[0, 1, 2, 2], [1, 2]], "l>=2")).ok is True
    less_than_certain = Homogeneity().run(view_of([[0, 1, 1, 1], [1, 2]], "distinct_l>=2"))
    assert less_than_certain.ok is True and less_than_certain.allowed is None


def posterior(group, b):
    """The greatest share of a value in what is left of a group when any b values are ruled out."""
    best, told = Fraction(0), False
    values = sorted(set(group))
    for gone in combinations(values, min(b, len(values) - 1)):
        left = [value for value in group if value not in gone]
        best = max(best, Fraction(max(Counter(left).values()), len(left)))
        told |= len(set(left)) == 1
    return best, told


@given(groupings, st.integers(0, 6))
def test_elimination_equals_all_subsets(groups, b):
    found = BackgroundElimination(b=b).run(view_of(groups))
    each = [posterior(group, b) for group in groups]
    assert found.highest == max(share for share, _ in each)
    assert found.successes == sum(len(group) for group, (_, told) in zip(groups, each, strict=True) if told)


def test_elimination_compares_beyond_64_bits():
    """Counts whose products overflow are compared all the same."""
    big = 2**61
    counts, size = np.array([big, 1, big + 1, 2]), np.array([2 * big, 2 * big])
    top, left, told = np.zeros(1, np.int64), np.ones(1, np.int64), np.zeros(1, np.int64)
    rule_out(np.array([0, 2, 4]), counts, size, np.array([1, 1]), top, left, told)
    assert (top[0], left[0]) == (big + 1, 2 * big)


def test_elimination_rules_out_no_more_than_there_is():
    """A promise of a hundred billion values, as a foreign certificate may make it, is judged at once."""
    found = BackgroundElimination().run(view_of([[0, 1, 2], [3, 4]], "l>=100000000000"))
    assert found.details["values_ruled_out"] == 3 and found.ok is False and found.successes == 5


def test_elimination_control():
    """l = 2 with one value ruled out tells everybody."""
    found = BackgroundElimination(b=1).run(view_of([[0, 1], [2, 3]], "l>=2"))
    assert (found.successes, found.highest) == (4, 1)


@pytest.mark.parametrize(
    "promise, ruled_out, allowed",
    [
        ("l>=4", 2, Fraction(1, 2)),
        ("distinct_l>=3", 1, None),  # nobody is told, which is no figure
        ("c[l=3]<2", 1, Fraction(2, 3)),
        ("tau[l=3]<=0.5", 1, Fraction(2, 3)),
        ("k>=4", 1, None),
    ],
)
def test_elimination_rules_out_what_is_promised(promise, ruled_out, allowed):
    found = BackgroundElimination().run(view_of([[0, 1, 2, 3], [1, 2, 4, 5]], promise))
    assert (found.details["values_ruled_out"], found.allowed) == (ruled_out, allowed)
    assert found.ok is (None if promise.startswith("k") else True)


@given(groupings, st.sampled_from(["l", "unique_l", "distinct_l", "entropy_l", "m"]), st.integers(2, 5))
def test_what_a_promise_says_of_ruled_out_values_is_true(groups, symbol, bound):
    """Wherever a promise holds, its confidence bounds what elimination finds; and nobody is told."""
    promise = parse_requirements(f"{symbol}>={bound}")[0]
    if not promise.check(bags_of(groups)).ok:
        return
    for b in range(5):
        limit = promise.confidence(b)
        shares = [posterior(group, b) for group in groups]
        assert limit is None or all(share <= limit and not told for share, told in shares)


@given(groupings, st.integers(1, 9), st.integers(2, 5))
def test_what_bounded_shares_say_of_ruled_out_values_is_true(groups, tenths, ell):
    rules = f"tau[l={ell}]<={tenths}/10, c[l={ell}]<{tenths}/3, alpha<={tenths}/10"
    for promise in parse_requirements(rules):
        if promise.check(bags_of(groups)).ok:
            for b in range(5):
                limit = promise.confidence(b)
                assert limit is None or all(posterior(group, b)[0] <= limit for group in groups)


@given(groupings)
def test_skewness_equals_its_definition(groups):
    found = Skewness().run(view_of(groups))
    table = Counter(value for group in groups for value in group)
    everything = sum(table.values())

    def lift(group):
        return max(
            Fraction(count * everything, len(group) * table[value]) for value, count in Counter(group).items()
        )

    assert found.details["lift"] == round(float(max(map(lift, groups))), 4)
    assert found.successes == sum(len(group) for group in groups if lift(group) > 4)
    assert found.ok is None and found.warning == (found.successes > 0)


def test_skewness_control_and_promise():
    """Half of a group has what one in a hundred has."""
    groups = [[1, 0], *([0] * 7 for _ in range(14))]
    found = Skewness().run(view_of(groups))
    assert found.details["lift"] == 50 and found.successes == 2 and found.warning
    assert Skewness().run(view_of(groups, "t<=0.2")).ok is False
    kept = Skewness().run(view_of(groups, "t<=0.5"))
    assert kept.ok is True and kept.allowed is None and kept.document()["t"] == "0.5"  # a distance, not a share


def meanings_above(group, table):
    """Whether one meaning has more than half of a group, and either all of it, or more than the whole persons that
    come next to its share of the table, if that is more than half, too."""
    everything = sum(table.values())
    for meaning, count in Counter(group).items():
        line = Fraction(len(group), 2)
        if 2 * table[meaning] > everything:
            line = min(len(group) - 1, math.ceil(Fraction(len(group) * table[meaning], everything)))
        if 2 * count > len(group) and count > line:
            return True
    return False


@given(groupings)
def test_similarity_equals_its_definition(groups):
    found = Similarity().run(view_of(groups, tree=TREE))
    levels, above, told = TREE.levels()[1:-1], [], []
    for level, shown in zip(levels, found.details["levels"], strict=True):
        meant = [[level[value] for value in group] for group in groups]
        table = Counter(meaning for group in meant for meaning in group)
        alike = [group for group in meant if len(set(group)) == 1]
        assert (shown["persons_told"], shown["groups"]) == (sum(map(len, alike)), len(alike))
        share = max(Fraction(max(Counter(group).values()), len(group)) for group in meant)
        assert shown["l"] == round(float(1 / share), 4)
        assert (shown["of_the_table"] == 1) == (len(table) == 1)
        if len(table) > 1:  # else nobody learns anything from a group
            above.append(any(meanings_above(group, table) for group in meant))
            told.append((shown["level"], shown["persons_told"]))
    assert found.warning == any(above) and found.ok is (True if above and not any(above) else None)
    assert found.successes in [persons for _, persons in told] or (not told and found.successes == 0)
    if told:
        assert (found.details["worst_level"], found.successes) in told


def test_similarity_control():
    """Different values, all of the stomach: distinct, and yet told."""
    found = Similarity().run(view_of([[0, 1], [3, 5]], "l>=2", TREE))
    assert (found.successes, found.ok, found.warning) == (2, None, True)
    assert "one level up" in found.meaning
    assert Similarity().run(view_of([[0, 3], [2, 5]], tree=TREE)).ok is True


def test_similarity_counts_the_worst_level():
    """Different organs, one kind of disease: nobody is told one level up, everybody two levels up."""
    lines = [[f"{organ} {kind}", organ, kind, "*"] for kind in ("cancer", "infection") for organ in "abcd"]
    lines = [[value, f"{organ} of {kind}", kind, root] for value, organ, kind, root in lines]
    tree = Hierarchy.from_lines(lines)
    found = Similarity().run(view_of([[0, 1, 2, 3], [4, 5, 6, 7]], "l>=4", tree))
    first = found.details["levels"][0]
    assert first["persons_told"] == 0 and first["l"] == 4, "control: the first level tells nobody"
    assert (found.successes, found.ok, found.warning, found.highest) == (8, None, True, 1)
    assert found.details["worst_level"] == 2 and "2 levels up" in found.meaning and found.remedy
    mixed = Similarity().run(view_of([[0, 1, 4, 5], [2, 3, 6, 7]], "l>=4", tree))
    assert (mixed.successes, mixed.ok, mixed.highest) == (0, True, Fraction(1, 2))


def test_a_level_that_is_all_alike_tells_nothing():
    """All diseases of the table are of the stomach: no group says more than the table."""
    found = Similarity().run(view_of([[0, 1], [0, 1]], tree=TREE))
    assert (found.successes, found.ok, found.warning) == (0, None, False) and "whole table" in found.meaning
    above = Similarity().run(view_of([[0, 2], [1, 2]], tree=TREE))  # stomach or colon, all of the digestion
    assert (above.successes, above.ok, above.details["worst_level"]) == (0, True, 1)
    assert above.details["levels"][1] == {"level": 2, "l": 1, "persons_told": 4, "groups": 2, "of_the_table": 1.0}


def test_a_level_that_the_table_breaks_by_itself():
    """Three in five are of the breathing: three of a group of four cannot be avoided, four can."""
    fair = [[3, 4, 3, 0], [3, 4, 4, 5], [3, 4, 0, 5], [3, 4, 1, 2], [3, 4, 5, 0]]
    found = Similarity().run(view_of(fair, tree=TREE))
    assert found.highest == Fraction(3, 4) and found.ok is True and found.allowed is None
    assert "60.0% of the table" in found.meaning
    whole = [[3, 4, 3, 4], [3, 4, 4, 5], [3, 0, 0, 5], [3, 4, 1, 2], [3, 4, 5, 0]]
    told = Similarity().run(view_of(whole, tree=TREE))
    assert (told.successes, told.ok, told.warning) == (4, None, True)


def test_the_worst_level_is_where_groups_tell_more_than_the_table():
    """Higher up everybody shares one meaning, as nearly the whole table does: lower down two persons are told."""
    lines = [[f"v{i}", f"organ {i // 2}", "common" if i < 8 else "rare", "*"] for i in range(10)]
    groups = [[0, 1], *([i, j] for i, j in [(0, 2), (1, 3), (4, 6), (5, 7)] * 30), [2, 8]]
    found = Similarity().run(view_of(groups, tree=Hierarchy.from_lines(lines)))
    assert found.details["worst_level"] == 1 and found.successes == 2
    assert found.details["levels"][1]["persons_told"] == 242


def test_similarity_needs_a_hierarchy():
    found = Similarity().run(view_of([[0, 1]]))
    assert (found.successes, found.ok, found.warning) == (0, None, False) and "hierarchy" in found.remedy


def test_being_found():
    """A group of one is found for certain; a promised k decides."""
    found = Reidentification().run(view_of([[0], [1, 2, 3]]))
    assert (found.highest, found.successes, found.warning) == (1, 2, True)
    assert Reidentification().run(view_of([[0, 1], [1, 2, 3]], "k>=2")).ok is True
    assert Reidentification().run(view_of([[0, 1], [1, 2, 3]], "k>=3")).ok is False


def test_every_exact_attack_runs_on_every_bag():
    bags = bags_of([[0, 1, 2], [3, 4, 5]])
    keys = [each.key for each in exact_findings(bags, verdicts(bags), [])]
    assert keys == [key for key, attack in catalog.attacks().items() if not attack.graded and attack.releases == 1]
    empty = Bags.of(np.empty(0, int), [np.empty(0, int)])
    assert all(
        each.trials == 0 for each in exact_findings(empty, verdicts(empty), parse_requirements("l>=2, t<=0.9"))
    )


def test_two_sensitive_columns_count_the_worst():
    bags = Bags.of(np.array([0, 0]), [np.array([1, 2]), np.array([5, 5])])
    assert Homogeneity().run(View(bags)).successes == 2
    assert BackgroundElimination(b=0).run(View(bags)).highest == 1


@pytest.mark.parametrize("key", catalog.attacks())
def test_every_card_is_filled_in(key):
    attack = catalog.attacks()[key]
    assert all((attack.title, attack.paper, attack.meaning, attack.passes)) and attack.key == key
