"""Sensitive values published as nodes: every kind of hierarchy, written, and audited from the bytes."""

import numpy as np
import polars as pl
import pytest

from tests.generalised_values import assert_round_trip, patients
from voile.core.hierarchy import Hierarchy

LINES = [["flu", "lung", "*"], ["asthma", "lung", "*"], ["ulcer", "gut", "*"], ["gastritis", "gut", "*"]]
ODD = [  # what a spreadsheet would run, and what CSV or sets have to quote
    ["=1+1", "=all, of them", "*"],
    ["+2", "=all, of them", "*"],
    ["-3", "'@node", "*"],
    ["@x", "'@node", "*"],
    ["'=y", 'say "hi"', "*"],
    ["{a, b}", 'say "hi"', "*"],
    ["\uff1dwide", "\uff0bwide", "*"],
    ["'", "\uff0bwide", "*"],
    ["-x, y", "-x, y", "*"],
]
DAYS = ["2024-01-31", "2024-01-01", "2023-12-01", "1969-12-31"]
KINDS = {
    "file": ([line[0] for line in LINES], {"hierarchy": Hierarchy.from_lines(LINES)}),
    "odd labels": ([line[0] for line in ODD], {"hierarchy": Hierarchy.from_lines(ODD)}),
    "odd values": ([line[0] for line in ODD], {}),
    "integers": ([21, 23, 37, -4], {"type": "integer", "hierarchy": {"intervals": [5, 20]}}),
    "decimals": (["1", "2.50", "2.75", "-7"], {"type": "decimal", "hierarchy": {"intervals": [0.5, 2]}}),
    "finer than the values": (["1", "2", "3", "9"], {"type": "decimal", "hierarchy": {"intervals": [2.5, 5]}}),
    "codes": (["81675", "81677", "81625", "12"], {"hierarchy": {"mask": 2}}),
    "dates": (DAYS, {"type": "date", "hierarchy": {"dates": ["month", "year"]}}),
    "ranks": (
        ["low", "mid", "top", "-"],
        {"type": "ordinal", "order": ["low", "mid", "high", "top", "-"], "hierarchy": {"groups": [2, 4]}},
    ),
    "flat": (["flu", "asthma", "ulcer", "gout"], {}),
    "two values": (["flu", "asthma"] * 2, {}),
    "one value": (["flu"] * 4, {}),
    "missing": (["flu", None, "ulcer", ""], {"missing": "category"}),
    "missing in a file": (
        ["flu", None, "ulcer", ""],
        {"missing": "category", "hierarchy": Hierarchy.from_lines(LINES)},
    ),
    "missing code": (["816", "817", None, "9"], {"missing": "category", "hierarchy": {"mask": 2}}),
    "missing number": (
        [21, 23, None, 37],
        {"type": "integer", "missing": "category", "hierarchy": {"intervals": [5]}},
    ),
    "spellings": (
        ["FLU", "flu", "Ulcer", "gastritis"],
        {"casefold": True, "hierarchy": Hierarchy.from_lines(LINES)},
    ),
    "spellings without a tree": (["FLU", "flu", "Ulcer", "gastritis"], {"casefold": True}),
    "codes of spellings": (["A1", "a1", "A2", "b3"], {"casefold": True, "hierarchy": {"mask": 1}}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_round_trip(name, seed, tmp_path):
    cells, options = KINDS[name]
    rng = np.random.default_rng(seed)
    table = patients(pl.Series([*cells, *rng.choice(np.array(cells, object), 20)]), **options)
    assert_round_trip(table, tmp_path, rng.permutation(np.arange(table.n) % 4), rng.integers(0, 4, table.n))
