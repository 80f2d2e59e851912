"""The Spark path as it is shipped, driver and executors called directly, on every draw: nobody is known with more
than 1/l. Rows lie in two partitions, cells are as small as can be, so that trees are cut on the driver.
"""

from fractions import Fraction

import numpy as np
import pytest

from tests.oracle.every_draw import distribution
from tests.oracle.possible_worlds import count_vectors, worst_given_outsiders, worst_posterior
from tests.oracle.shapes import standing
from tests.oracle.small_runs import small_runs
from tests.oracle.subjects import persons_in
from tests.spark.in_memory import InMemory
from voile import catalog
from voile.core.draws import InsecureDraws
from voile.core.partition import Partition
from voile.spark import plans
from voile.spark.random_cells import quotas
from voile.spark.upper_tree import Tree

SAFE = {"tau": Fraction(1, 2), "limit": Fraction(3, 5), "least": 1}
SUBJECTS = [
    ("rda", "line", {}, 3),
    ("rda", "line", {}, 4),
    ("rda", "twins", {}, 3),
    ("blind_cut", "line", SAFE, 3),
    ("blind_cut", "crossing", SAFE, 3),
    ("blind_cut", "twins", SAFE, 3),
    ("blind_cut", "alike", SAFE, 3),
    ("blind_cut", "line", SAFE | {"tau": Fraction(1)}, 2),
    ("glass", "line", SAFE | {"sure": 0, "cuts": "middle", "match": "fast", "tau": Fraction(1)}, 3),
    ("glass", "two", SAFE | {"sure": 0, "cuts": "codes", "match": "fast", "tau": Fraction(3, 4)}, 3),
    ("glass", "line", SAFE | {"sure": 0, "cuts": "middle", "match": "fine"}, 2),
    ("glass", "line", SAFE | {"sure": Fraction(3, 5), "cuts": "middle", "match": "fast"}, 3),
]
ATTACKED = {"rda": worst_given_outsiders, "blind_cut": worst_given_outsiders, "glass": worst_posterior}


def spread_run(key, shape, parameters, most, ell):
    """The distribution of the groupings of a world."""
    chosen = catalog.algorithm(key).configure({"l": ell, **parameters})
    table = standing(shape)

    def of(world):
        rows = table(world)

        def run(draws):
            spread = InMemory(rows, 2, draws)
            planned = plans.plan_of(chosen).make(spread, chosen, most)
            group, cell = spread.grouped(planned)
            cells.append(len(set(cell.tolist())))
            return persons_in(Partition(group), rows, world)

        cells = []
        with small_runs():
            found = distribution(run)
        seen.append(max(cells))
        return found

    seen = []
    of.seen = seen
    return of


def with_vectors():
    """All of four persons; of more, those on which an earlier form of blind_cut broke, and three values."""
    for number, subject in enumerate(SUBJECTS):
        tried = [(2, values) for values in count_vectors(4, 2)] + [(2, (0, 0, 1, 2, 3))]
        if subject[:2] in (("rda", "line"), ("blind_cut", "line")):
            tried += [(2, (0, 0, 1, 1, 2)), (2, (0, 0, 1, 2, 3, 4)), (3, (0, 0, 1, 1, 2, 2))]
        for ell, values in tried:
            name = f"{subject[0]}-{subject[1]}-{number}-{ell}-{''.join(map(str, values))}"
            slow = len(values) > 4 or subject[0] == "glass" or subject[1] == "alike"
            yield pytest.param(subject, ell, values, id=name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("subject, ell, values", list(with_vectors()))
def test_no_count_vector_is_breached(subject, ell, values):
    key, shape, parameters, most = subject
    assert ATTACKED[key](spread_run(key, shape, parameters, most, ell), values) <= Fraction(1, ell)


@pytest.mark.slow
@pytest.mark.parametrize("key, shape, parameters, most", SUBJECTS)
def test_cells_are_several(key, shape, parameters, most):
    """What holds is not held because everything is in one cell."""
    run = spread_run(key, shape, parameters, most, 2)
    run((0, 1, 0, 2, 3))
    assert max(run.seen) > 1


@pytest.mark.slow
@pytest.mark.parametrize("values, sets_aside", [((0, 1, 2, 3), False), ((0, 0, 1, 2, 3, 4), True)])
def test_the_driver_cuts_and_skims(monkeypatch, values, sets_aside):
    """Vectors among those enumerated on which the tree of blind_cut is cut from counts, not only dealt."""
    really, levels = Tree.grow, []
    monkeypatch.setattr(Tree, "grow", lambda tree, level: (levels.append(level), really(tree, level))[1])
    key, shape, parameters, most = SUBJECTS[3]
    assert any(param.values[0] == SUBJECTS[3] and param.values[2] == values for param in with_vectors())
    chosen = catalog.algorithm(key).configure({"l": 2, **parameters})
    with small_runs():
        for seed in range(3):
            spread = InMemory(standing(shape)(values), 2, InsecureDraws(seed))
            plans.plan_of(chosen).make(spread, chosen, most)
    assert any((level.column >= 0).any() for level in levels)
    assert any(level.drawn is not None for level in levels) == sets_aside


def test_a_cell_by_whom_it_holds_is_caught(monkeypatch):
    """A control: cells whose members are taken in order, not drawn, tell who has what."""
    in_order = lambda self, among: lambda batch: batch["row"]  # noqa: E731
    monkeypatch.setattr(InMemory, "draw", in_order)
    worst = worst_given_outsiders(spread_run("rda", "line", {}, 2, 2), (0, 0, 1, 1))
    assert worst > Fraction(1, 2)


def test_quotas_keep_every_cell_diverse():
    for n in range(4, 9):
        for values in count_vectors(n, 2):
            counts = [values.count(v) for v in sorted(set(values))]
            found = quotas(np.array(counts), 2, n // 4)
            assert (found.sum(axis=0) == counts).all()
            assert (found.max(axis=1) * 2 <= found.sum(axis=1)).all()
