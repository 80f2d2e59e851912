"""The oracle has teeth, and every algorithm holds on the rung it claims."""

from fractions import Fraction

import pytest

from tests.oracle.possible_worlds import bag_posterior, posteriors, worst_posterior
from tests.small_tables import table_from
from voile import catalog
from voile.core.algorithm import Rung
from voile.errors import Infeasible


def first_fit_mondrian(ell):
    """The positive control: halve the line of persons while both halves are diverse."""

    def diverse(world, persons):
        return all(ell * [world[p] for p in persons].count(v) <= len(persons) for v in set(world))

    def split(world, persons):
        for at in range(len(persons) // 2, 0, -1):  # the first cut that passes is taken
            left, right = persons[:at], persons[at:]
            if len(left) >= ell <= len(right) and diverse(world, left) and diverse(world, right):
                return split(world, left) + split(world, right)
        return [persons]

    def algorithm(world):
        everyone = list(range(len(world)))
        return split(world, everyone) if diverse(world, everyone) else None

    return algorithm


def test_first_fit_mondrian_is_caught():
    values = (0, 0, 1, 1, 2, 2)
    assert bag_posterior(first_fit_mondrian(2), values) <= Fraction(1, 2)
    assert worst_posterior(first_fit_mondrian(2), values) > Fraction(1, 2)


def test_one_group_for_all_is_safe():
    values = (0, 0, 1, 1, 2, 2)
    assert worst_posterior(lambda world: [list(range(6))], values) == Fraction(1, 3)


def test_posteriors_are_distributions():
    for people in posteriors(first_fit_mondrian(2), (0, 0, 1, 2, 3)).values():
        assert all(sum(person.values()) == 1 for person in people)


def on_persons(key, ell, positions):
    """A catalog algorithm as a function of the world; persons stand on a line of distinct QI."""

    def algorithm(world):
        n = len(world)
        table = table_from(positions, [0] * n, [0] * n, [0] * n, list(world), values=max(world) + 1)
        person = {position: p for p, position in enumerate(positions)}
        try:
            partition = catalog.algorithm(key).configure({"l": ell}).partition(table)
        except Infeasible:
            return None
        groups = {}
        for row, group in enumerate(partition.group.tolist()):
            if group >= 0:
                groups.setdefault(group, []).append(person[int(table.quasi[0].codes[row])])
        return list(groups.values())

    return algorithm


WORLDS = [
    (2, (0, 0, 1, 1)),
    (2, (0, 0, 1, 2)),
    (2, (0, 0, 1, 1, 2)),
    (2, (0, 0, 0, 1, 2, 2)),
    (3, (0, 0, 1, 1, 2, 2)),
]


@pytest.mark.parametrize("key", catalog.algorithms())
@pytest.mark.parametrize("ell, values", WORLDS)
def test_algorithm_holds_on_its_rung(key, ell, values):
    algorithm = on_persons(key, ell, positions=[0, 1, 3, 7, 8, 12][: len(values)])
    assert bag_posterior(algorithm, values) <= Fraction(1, ell)
    if catalog.algorithm(key).rung != Rung.RELEASE:
        assert worst_posterior(algorithm, values) <= Fraction(1, ell)


@pytest.mark.parametrize("key, values", [("bsgi", (0, 0, 1, 2)), ("elig", (0, 0, 1, 1, 2))])
def test_nearest_rows_do_not_hold_one_rung_up(key, values):
    """docs/known-limits.md: the smallest table on which knowing the algorithm tells more than 1/l."""
    algorithm = on_persons(key, 2, positions=[0, 1, 3, 7, 8][: len(values)])
    assert worst_posterior(algorithm, values) > Fraction(1, 2)
