"""Parts of persons: exact where 63 bits allow, rounded up beyond, and then nothing is kept by rounding."""

from fractions import Fraction

import numpy as np
import pytest

from tests.small_tables import axis_of, column
from voile import catalog
from voile.core.bags import Bag
from voile.core.base_values import LARGEST, BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Table
from voile.models.tau_l_diversity import TauLDiversity

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
TREE = Hierarchy.from_lines([[f"v{p}-{i}", f"of {p}", "*"] for p in PRIMES for i in range(p)])


def skewed(rows, seed=1):
    """Half of the rows have values of the small subtrees."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(rows) < 0.5, rng.integers(0, 10, rows), rng.integers(0, TREE.leaves, rows))
    places = rng.integers(0, 40, rows)
    return Table([column("place", axis_of([0, 39]), places), column("secret", TREE, codes, Role.SENSITIVE)])


def least_tau_exactly(table, partition, ell):
    """By fractions, over all groups."""
    values, worst = table.base_values(partition), Fraction(0)
    for group in range(partition.groups):
        nodes = partition.node[partition.group == group]
        share = [Fraction(0)] * TREE.leaves
        for node in nodes.tolist():
            for leaf in range(TREE.low[node], TREE.high[node] + 1):
                share[leaf] += Fraction(int(values.weight[leaf]), int(values.total[node]) * nodes.size)
        largest = sorted(share, reverse=True)
        for k in range(1, ell):
            worst = max(worst, (sum(largest[:k]) * (ell - 1) - (k - 1)) / (ell - k))
    return worst


@pytest.mark.parametrize("key", ["sweep", "sweep_e"])
@pytest.mark.parametrize(("tau", "ell"), [("1/20", 25), ("1/30", 4)])
def test_rounded_parts_keep_the_line_and_pass_the_check(key, tau, ell):
    """The kernels, the check and the audit round alike: a feasible table is published, and the line is kept."""
    table = skewed(400)
    chosen = catalog.algorithm(key).configure(
        {"tau": tau, "l": ell} | ({"weights": "all"} if key == "sweep" else {})
    )
    partition = chosen.partition(table)
    bags = table.bags(partition.group, partition)
    assert partition.generalises and (key == "sweep_e" or not bags.columns[0].exact)
    assert TauLDiversity(tau=Fraction(tau), l=ell).check(bags).ok
    assert least_tau_exactly(table, partition, ell) <= Fraction(tau)


def test_models_that_need_more_than_upper_bounds_decide_nothing_of_rounded_parts():
    """A rounded tail would pass for diversity: recursive (c,l) and the like are never kept by rounding."""
    values = BaseValues(TREE, np.ones(TREE.leaves, np.int64))
    root = len(TREE.labels) - 1
    nodes = np.array([0] * 60 + [root] * 40)
    bag = Bag.of(np.zeros(nodes.size, np.int64), nodes, 1).induced(values)
    assert not bag.exact and not bag.multiplies
    rounded = Bag.of(np.zeros(nodes.size, np.int64), nodes, 1).induced(values, 8)
    assert rounded.counts.sum() > nodes.size * 8, "rounding up makes more than everybody"
    table = Table(
        [
            column("place", axis_of([0, 1]), [0] * nodes.size),
            column("secret", TREE, np.zeros(nodes.size, np.int64), Role.SENSITIVE),
        ]
    )
    partition = catalog.algorithm("sweep").configure({"tau": "0.9", "l": 2, "weights": "all"}).partition(table)
    bags = table.bags(partition.group, partition)
    for key in ("recursive_cl_diversity", "t_closeness", "beta_likeness", "delta_disclosure"):
        assert catalog.models()[key].achieved(bags)[0] == float("inf"), key
    assert catalog.models()["entropy_l_diversity"].achieved(bags)[0] == 0
    assert catalog.models()["frequency_l_diversity"].achieved(bags)[0] < 2


def test_units_are_exact_wherever_they_fit():
    values = BaseValues(TREE, np.ones(TREE.leaves, np.int64))
    exact = values.unit(1, 2**62)
    assert values.is_exact(exact) and exact % 37 == 0
    for rows in (1, 1000, 10**7):
        unit = values.unit(rows)
        assert rows * unit <= LARGEST
        assert values.is_exact(unit) == (exact * rows <= LARGEST)


def test_very_many_values_are_counted_instead_of_marked(monkeypatch):
    """The same release, whether a class knows its values by bits or only how many there are at most."""
    table = skewed(300, seed=3)
    for options in ({"weights": "all"}, {"weights": "present"}):
        chosen = catalog.algorithm("sweep").configure({"tau": "0.2", "l": 6} | options)
        marked = chosen.partition(table)
        monkeypatch.setattr("voile.algorithms.sweep.MOST_WORDS", 0)
        counted = chosen.partition(table)
        monkeypatch.undo()
        assert marked.group.tolist() == counted.group.tolist()
        assert marked.node.tolist() == counted.node.tolist()
