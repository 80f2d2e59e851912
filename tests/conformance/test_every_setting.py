"""What every algorithm meets with its defaults, met with the other promises, modes and ways to give up rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import voile
from tests.conformance.test_every_algorithm import keeps_promise
from tests.small_tables import table_from, tables
from voile import catalog
from voile.algorithms.chosen_promise import MODELS, ChosenPromise
from voile.core.table import Column, Table
from voile.errors import Infeasible

PROPERTIES = {
    "frequency": {"l": 2},
    "distinct": {"l": 3},
    "recursive": {"l": 2, "c": "3/2"},
    "entropy": {"l": 2},
    "tau_l": {"tau": "1/2", "l": 3},
    "t_closeness": {"t": "0.4"},
    "alpha_k": {"alpha": "1/2", "k": 4},
    "k_anonymity": {"k": 4},
}
MANNERS = {  # beside the properties
    "mondrian": [{}, {"mode": "relaxed"}, {"cuts": "median"}],
    "incognito": [{}, {"suppress": "0.3", "by": "dm"}, {"suppress": "0.3"}],
}
SETTINGS = [
    (key, {"property": property, **bounds, **manner})
    for key, manners in MANNERS.items()
    for property, bounds in PROPERTIES.items()
    for manner in manners
    if not (property == "t_closeness" and "suppress" in manner)
] + [("hilbert", {"l": 3, "ineligible": "suppress"}), ("hilbert", {"l": 2, "refine": 2})]
each_setting = pytest.mark.parametrize("key, given_", SETTINGS, ids=str)
FEW = settings(max_examples=12, phases=(Phase.explicit, Phase.generate), deadline=None)


def test_every_property_has_a_setting():
    assert set(PROPERTIES) == set(MODELS)
    assert set(MANNERS) == {k for k, a in catalog.algorithms().items() if issubclass(a, ChosenPromise)}


@each_setting
@FEW
@given(table=tables(most=30, values=5))
def test_covers_each_row_once_and_keeps_its_promise(key, given_, table):
    algorithm = catalog.algorithm(key).configure(given_)
    try:
        part = algorithm.partition(table)
    except Infeasible:
        return
    assert part.sizes.sum() + part.suppressed == len(part) == table.n
    assert (part.sizes > 0).all() and part.groups > 0
    assert keeps_promise(algorithm, part, table)
    if key != "hilbert":
        assert part.suppressed <= Fraction(given_.get("suppress", 0)) * table.n


def thirty_persons(order):
    """Persons whose values go with their numbers, in some order."""
    rng = np.random.default_rng(4)
    numbers, trees, letters = rng.integers(0, 40, 30), rng.integers(0, 5, 30), rng.integers(0, 5, 30)
    secret = (numbers // 9 + rng.integers(0, 3, 30)) % 5
    plain = table_from(numbers.tolist(), [0] * 30, trees.tolist(), letters.tolist(), secret.tolist())
    columns = [Column(c.name, c.role, c.domain, c.codes[order]) for c in plain.columns]
    return Table(columns, schema=plain.schema)


@pytest.mark.slow
@each_setting
def test_a_release_is_the_same_for_any_order_and_audited_from_its_bytes(key, given_, tmp_path):
    first, again = (
        voile.anonymize(thirty_persons(order), key, **given_)
        for order in (np.arange(30), np.random.default_rng(1).permutation(30))
    )
    assert first.frame.equals(again.frame)
    first.write(tmp_path / "out", with_report=False)
    found = voile.audit(tmp_path / "out", first.schema)
    assert found.ok and len(found.met) == 1, "the promise is read back from the certificate"
    assert found.rows == first.frame.height == 30 - first.certificate["table"]["suppressed"]
    assert found.groups == first.frame["group"].n_unique() > 1


@each_setting
def test_a_table_of_one_value_is_refused_or_grouped_by_size(key, given_):
    """Only promises about sizes, or about distances from the table, hold of it."""
    table = table_from(list(range(8)), [0] * 8, [0] * 8, [0] * 8, [0] * 8)
    if given_.get("property") in ("k_anonymity", "t_closeness"):
        assert catalog.algorithm(key).configure(given_).partition(table).groups
        return
    with pytest.raises(Infeasible):
        catalog.algorithm(key).configure(given_).partition(table)
