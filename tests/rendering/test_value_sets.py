"""Sets of values: as text, in order, and read back apart."""

import itertools

import numpy as np
import polars as pl

from tests.small_tables import axis_of, column
from voile.core.boxes import LONGEST_SET, Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.order import dense_rank
from voile.core.partition import Partition
from voile.core.table import Table
from voile.rendering.value_sets import ValueSets

NAMES = ("a", "ab", "a b", "a,", "{", "}", '"', '""', "é", "~", "-1", "a}")


def literal(names):
    """The definition, one set at a time."""
    quoted = ['"' + n.replace('"', '""') + '"' if any(c in n for c in ',{}"') else n for n in names]
    return "{" + ", ".join(quoted) + "}"


def sets_of(groups):
    tree = Hierarchy.flat(NAMES)
    group = np.repeat(np.arange(len(groups)), [len(codes) for codes in groups])
    columns = [column("group", axis_of(group), group), column("value", tree, np.concatenate(groups))]
    side = Boxes.around(Table(columns), Partition(group)).sides[1]
    return ValueSets.of(tree, side.held, side.listed)


def test_texts_and_their_order():
    groups = [list(c) for size in (2, 3, 4) for c in itertools.combinations(range(len(NAMES)), size)]
    sets = sets_of(groups)
    expected = [literal([NAMES[code] for code in codes]) for codes in groups]
    found = sets.labels(pl.Series(["?"] * len(groups)))
    assert found.to_list() == expected
    assert len(set(expected)) == len(expected)
    by_text = np.argsort(pl.Series(expected).arg_sort().to_numpy())
    assert dense_rank(list(sets.words)).tolist() == by_text.tolist()


def test_one_value_and_many_are_no_sets():
    few, many = list(range(LONGEST_SET)), list(range(LONGEST_SET + 1))
    labels = sets_of([[3], few, many, [1, 1, 2]]).labels(pl.Series(["one", "-", "*", "-"]))
    assert labels.to_list() == ["one", literal(NAMES[:LONGEST_SET]), "*", "{ab, a b}"]
    assert sets_of([[3], many]) is None
