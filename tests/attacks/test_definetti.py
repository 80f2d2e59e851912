"""deFinetti: it finds what can be learnt, and nothing where there is nothing to learn."""

from fractions import Fraction

import numpy as np
import pytest

from voile.attacks import definetti
from voile.attacks.definetti import DeFinetti, _Grade, _KnownGroups
from voile.core.attack import View
from voile.core.bags import Bags
from voile.kernels.group_learning import expect
from voile.requirements import parse_requirements

GROUPS, SIZE = 500, 4


def attacked(depends, *, promise="l>=4", truth=True, **parameters):
    """Random groups of four different values of eight; two columns tell a value with chance `depends`."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.permutation(8)[:SIZE] for _ in range(GROUPS)])
    group = np.repeat(np.arange(GROUPS), SIZE)
    quasi = []
    for wide in (1, 100):  # a column of few values, and one that is put into bins
        told = np.where(rng.random(values.size) < depends, values, rng.integers(0, 8, values.size))
        quasi.append(told * wide + rng.integers(0, wide, values.size))
    order = rng.permutation(values.size)  # nobody stands where the group's values stand
    view = View(
        Bags.of(group, [values]), group[order], tuple(c[order] for c in quasi), tuple(parse_requirements(promise))
    )
    return DeFinetti(**parameters).run(view, values[order] if truth else None)


def test_control_that_must_succeed():
    """Where quasi-identifiers tell values, groups of four do not hide them."""
    found = attacked(0.7)
    assert found.rate > 0.6 and found.state == "not promised, and gets through" and found.private
    assert found.details["beyond_promise"] and found.details["baseline"] == 0.25


def test_nothing_is_learnt_from_noise():
    found = attacked(0.0)
    assert abs(found.rate - 0.25) < 0.04
    assert found.ok is None or not found.details["beyond_promise"]


def test_the_same_release_gives_the_same_figures():
    assert attacked(0.4).document() == attacked(0.4).document()


def test_control_arm_knows_no_groups():
    """Strangers are guessed among all eight values: worse than members, better than one in eight."""
    found = attacked(0.5)
    assert 0.2 < found.details["control"] < found.rate


def test_without_a_promise_nothing_fails():
    found = attacked(0.7, promise="k>=4")
    assert found.ok is None and found.warning and found.allowed is None
    assert "25.0% have the most frequent value of their group" in found.meaning


@pytest.mark.parametrize("promise", ["distinct_l>=2", "entropy_l>=2"])
def test_less_than_certain_is_no_bound(promise):
    """Distinct and entropy l name no share: nothing is held off by them, and no figure is said to be promised."""
    found = attacked(0.7, promise=promise)
    assert found.state == "not promised, and gets through" and found.allowed is None
    assert found.details["promised"] is None and "promised" not in found.meaning


def test_as_good_as_of_strangers_is_still_above_the_promise():
    """Where quasi-identifiers tell all, anybody can be guessed: no broken promise, and nothing is held off."""
    found = attacked(0.97)
    assert found.details["control"] > 0.9 and found.ok is True
    assert found.warning and found.beyond and found.remedy and found.state == "above the promise"
    assert "hardly more than for people outside" in found.meaning and found.allowed is None


@pytest.mark.parametrize(
    "right, control, red",
    [
        (543, Fraction(33, 100), True),  # Adult, l = 4
        (314, Fraction(14, 100), True),  # surely above the promise, though strangers are below it
        (262, Fraction(30, 100), True),  # perhaps by chance, but strangers are above it, too: hardly
        (262, Fraction(20, 100), False),  # perhaps by chance
        (250, Fraction(30, 100), False),  # not above
    ],
)
def test_what_is_said_in_red(right, control, red):
    """Wherever the figure is above the promise by more than it is above strangers (that is: where strangers are
    above the promise), and wherever it is surely above, whatever strangers are."""
    grade = _Grade(right, 1000, Fraction(1, 4), control, Fraction(1, 4))
    assert grade.beyond is red
    excess = Fraction(right, 1000) - Fraction(1, 4), Fraction(right, 1000) - control
    assert grade.beyond or not excess[0] > max(0, excess[1])


def test_control_arm_of_a_periodic_plan():
    """Groups of values 0 to 2 and of 3 to 5 take turns. Quasi-identifiers tell nothing, so that strangers are
    guessed as often as the top value: neither halves nor a sample may be every second group."""
    values = np.tile(np.arange(6), 500)
    group = np.arange(values.size) // 3
    quasi = np.random.default_rng(2).integers(0, 10, values.size)
    view = View(Bags.of(group, [values]), group, (quasi,), tuple(parse_requirements("l>=3")))
    for persons in (values.size, values.size // 2):
        found = DeFinetti(persons=persons).run(view, values)
        assert abs(found.details["control"] - 1 / 6) < 0.04 and abs(found.rate - 1 / 3) < 0.04


def test_without_the_truth_nothing_is_graded():
    found = attacked(0.7, truth=False)
    assert found.successes == 0 and not found.private and found.details["believed"] > 0.5


def test_some_groups_stand_for_all():
    found = attacked(0.7, persons=800)
    assert found.trials == 800 and found.rate > 0.5


def of_different_values(*sizes):
    """Groups of so many persons each, all values different; and what everybody has."""
    group, values = np.repeat(np.arange(len(sizes)), sizes), np.concatenate([np.arange(size) for size in sizes])
    quasi = np.random.default_rng(3).integers(0, 10, values.size)
    return View(Bags.of(group, [values]), group, (quasi,), tuple(parse_requirements("l>=2"))), values


@pytest.mark.parametrize("graded", [True, False])
def test_groups_beyond_reach_are_not_run_and_it_is_said(graded):
    """1,100 persons of 1,100 values are more than 1,024,000 pairs."""
    view, values = of_different_values(1100, 1200)
    found = DeFinetti(persons=4000).run(view, values if graded else None)
    assert (found.state, found.trials, found.successes, found.warning) == ("not run", 0, 0, False)
    assert found.private == graded and "2300 persons in groups too large" in found.meaning
    assert found.document()["state"] == "not run" and found.details == {"left_out": 2300}


def test_others_than_those_beyond_reach_are_attacked():
    view, values = of_different_values(1100, *[4] * 50)
    found = DeFinetti(persons=4000).run(view, values)
    assert found.trials == 200 and found.state != "not run"
    assert found.meaning.endswith("not run on 1100 persons in larger groups")
    assert DeFinetti(persons=4000).run(view).meaning.endswith("not run on 1100 persons in larger groups")


@pytest.mark.slow
def test_fewer_persons_are_attacked_where_groups_have_many_values():
    """Each group of 600 is 360,000 pairs: two of six are within reach."""
    view, values = of_different_values(*[600] * 6)
    assert DeFinetti(persons=4000).run(view, values).trials == 1200
    assert DeFinetti(persons=30_000).run(view, values).trials == 3600


def test_fewer_strangers_are_guessed_where_values_are_many(monkeypatch):
    """Half of 1,000 persons, each with a value of their own; 32 times 10,000 pairs are 320 of them."""
    group, values = np.arange(1000) // 10, np.arange(1000)
    view = View(Bags.of(group, [values]), group, (values % 7,))
    known = _KnownGroups.of(view, 1000)
    assert known.control(values[known.row])[0] == 500
    monkeypatch.setattr(definetti, "PAIRS", 10)
    known = _KnownGroups.of(view, 1000)
    assert known.control(values[known.row])[0] == 320


THIRD, QUARTER = Fraction(1, 3), Fraction(1, 4)


@pytest.mark.parametrize(
    "right, trials, promised, control, baseline, state",
    [
        (2, 9, THIRD, 0, Fraction(1, 5), "inconclusive"),  # few persons: 22 % is not above 33 %
        (9, 9, THIRD, 0, THIRD, "gets through"),  # few, but all right
        (800, 4000, QUARTER, Fraction(1, 5), QUARTER, "inconclusive"),  # worse than who never learnt
        (800, 4000, QUARTER, Fraction(1, 5), Fraction(1, 5), "fine"),  # as good as the baseline
        (1000, 4000, QUARTER, Fraction(1, 5), QUARTER, "fine"),
        (1100, 4000, QUARTER, Fraction(1, 5), QUARTER, "above"),
        (1190, 4000, QUARTER, Fraction(1, 5), QUARTER, "gets through"),  # surely above 25 %, perhaps above 30 %
        (1100, 4000, QUARTER, Fraction(1, 2), THIRD, "above"),  # a promise that does not hold: not excused
        (0, 4000, None, Fraction(1, 5), QUARTER, "inconclusive"),
        (1010, 4000, None, Fraction(1, 5), QUARTER, "fine"),
        (20, 40, None, Fraction(1, 5), Fraction(2, 5), "inconclusive"),
        (2000, 4000, None, Fraction(1, 5), QUARTER, "gets through"),
        (0, 0, THIRD, 0, 0, "inconclusive"),
    ],
)
def test_what_a_grade_says(right, trials, promised, control, baseline, state):
    """Neither a small sample nor an attack that does not work is a pass, or a success."""
    grade = _Grade(right, trials, promised, Fraction(control), Fraction(baseline))
    said = {
        "inconclusive": grade.inconclusive,
        "gets through": grade.gets_through,
        "above": grade.beyond and not grade.gets_through,
    }
    assert [name for name, true in said.items() if true] == ([state] if state != "fine" else [])
    assert bool(grade.remedy()) == (state != "fine")
    assert ("says nothing" in grade.words("") or "too few" in grade.words("")) == (state == "inconclusive")


def test_an_attack_that_guesses_wrong_is_no_pass():
    """Graded by values that nobody of the group is guessed to have: main below baseline."""
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.permutation(8)[:SIZE] for _ in range(GROUPS)])
    group = np.repeat(np.arange(GROUPS), SIZE)
    view = View(Bags.of(group, [values]), group, (values,), tuple(parse_requirements("l>=4")))
    assert DeFinetti().run(view, values).rate > 0.9, "control: it does guess"
    found = DeFinetti().run(view, (values + 1) % 8)
    assert found.rate < 0.25 and found.details["baseline"] == 0.25
    assert (found.state, found.ok, found.warning) == ("inconclusive", None, False)
    assert "says nothing" in found.meaning and "do not take it for a pass" in found.remedy
    assert found.document()["state"] == "inconclusive"


def test_few_persons_are_too_few_to_say():
    """Nine persons of three groups, three of them guessed right, as promised: the interval ends at 65 %."""
    values, group = np.tile(np.arange(3), 3), np.repeat(np.arange(3), 3)
    view = View(Bags.of(group, [values]), group, (np.zeros(9, int),), tuple(parse_requirements("l>=3")))
    found = DeFinetti().run(view, values)
    assert found.successes == 3 and found.details["baseline"] == round(1 / 3, 4)
    assert found.state == "inconclusive" and "too few persons to say" in found.meaning


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tiny_views(rows):
    group = np.zeros(rows, np.int64)
    view = View(Bags.of(group, [group]), group, (group,), tuple(parse_requirements("l>=2")))
    assert DeFinetti().run(view, group).successes == rows


def test_one_step_equals_its_definition():
    """From equal chances every person of a group has each of its values in proportion."""
    cells = np.array([[0, 2], [1, 2], [0, 3]])
    begin, start = np.array([0, 2, 3]), np.array([0, 2, 3])
    codes, counts = np.array([0, 1, 1]), np.array([1, 1, 1])
    held = np.zeros((4, 2))
    expect(cells, begin, start, codes, counts, np.zeros((4, 2)), held)
    assert np.allclose(held, [[0.5, 1.5], [0.5, 0.5], [1, 1], [0, 1]])


def test_rows_that_are_not_published_are_left_alone():
    group = np.array([0, 0, -1])
    view = View(Bags.of(group, [np.array([1, 2, 3])]), group, (np.array([0, 1, 2]),))
    assert DeFinetti().run(view, np.array([1, 2, 3])).trials == 2
