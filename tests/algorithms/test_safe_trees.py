"""`glass`, `symb` and `blind_cut` on tables that are hardly tables, and on large ones: refused, or diverse."""

from fractions import Fraction

import numpy as np
import pytest

from tests.small_tables import axis_of, column
from voile import catalog
from voile.core.draws import InsecureDraws
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible

EAGER = {"tau": Fraction(1, 2), "limit": Fraction(1), "least": 1}  # skims and cuts as much as it can
CHOICES = [
    ("symb", {"match": "fast"}),
    ("symb", {"match": "fine"}),
    ("glass", {"match": "fast"}),
    ("glass", {"match": "fine", "cuts": "codes", **EAGER}),
    ("glass", {"match": "fast", "cuts": "middle", **EAGER, "tau": Fraction(1)}),
    ("blind_cut", {}),
    ("blind_cut", EAGER),
]
TABLES = {
    "one row": ([3], [0]),
    "fewer rows than l": ([1, 2, 3], [0, 1, 2]),
    "one value": ([1, 2, 3, 4, 5, 6], [0] * 6),
    "two rows alike": ([3, 3], [0, 1]),
    "all rows alike": ([5] * 12, [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7]),
    "alike in value too": ([5] * 10, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]),
    "as tight as can be": ([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]),
    "far apart": ([-(10**14), 0, 10**14, 10**14 + 1], [3, 900, 17, 900]),
}


def table_of(numbers, secrets):
    return Table(
        [column("number", axis_of(numbers), numbers), column("secret", axis_of(secrets), secrets, Role.SENSITIVE)]
    )


def check_diverse(table, group, ell):
    """No value has more than 1/l of a group."""
    pairs, counts = np.unique([group, table.sensitive[0].codes], axis=1, return_counts=True)
    assert (counts * ell <= np.bincount(group)[pairs[0]]).all()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("key, parameters", CHOICES, ids=str)
@pytest.mark.parametrize(
    "ell", [2, pytest.param(4, marks=pytest.mark.slow), pytest.param("auto", marks=pytest.mark.slow)]
)
def test_tiny_tables_are_refused_or_diverse(name, key, parameters, ell):
    table = table_of(*TABLES[name])
    chosen = catalog.algorithm(key).configure({"l": ell, **parameters})
    reach = table.n // np.unique(table.sensitive[0].codes, return_counts=True)[1].max()
    if reach < (2 if ell == "auto" else ell):
        with pytest.raises(Infeasible):
            chosen.partition(table, draws=InsecureDraws(1))
        return
    for seed in range(5):
        found = chosen.partition(table, draws=InsecureDraws(seed))
        check_diverse(table, found.group, reach if ell == "auto" else ell)


@pytest.mark.slow
@pytest.mark.parametrize("key, parameters", CHOICES, ids=str)
@pytest.mark.parametrize("ell", [3, "auto"])
def test_as_many_values_as_rows(key, parameters, ell):
    n = 200_000
    numbers = np.random.default_rng(4).integers(0, 1000, n).tolist()
    table = table_of(numbers, list(range(n)))
    found = catalog.algorithm(key).configure({"l": ell, **parameters}).partition(table, draws=InsecureDraws(1))
    assert np.bincount(found.group).min() >= (n if ell == "auto" else ell)
