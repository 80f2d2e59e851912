"""Anatomy on a cluster: the same two tables as a local release of the same groups, and who looks alike."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tests.small_tables import column, tables
from tests.spark.in_memory import InMemory
from voile import catalog
from voile.algorithms.anatomy import Anatomy
from voile.core.boxes import Boxes
from voile.core.draws import InsecureDraws
from voile.core.eligibility import largest_l
from voile.core.hierarchy import Hierarchy
from voile.core.order import value_counts
from voile.core.partition import Partition
from voile.core.schema import GROUP, Role
from voile.core.table import Table
from voile.errors import Infeasible
from voile.models.frequency_l_diversity import FrequencyLDiversity
from voile.rendering.two_tables import render_two_tables, values_by_group
from voile.spark import rda
from voile.spark.cells import group_records, rows_of_records
from voile.spark.crowds import crowds_in, crowds_together
from voile.spark.summary import Summary, summary_of
from voile.spark.two_tables import in_order, row_keys, rows_of_groups


def with_ward(table, seed):
    """With a kept column beside."""
    codes = np.random.default_rng(seed).integers(0, 2, table.n)
    return Table([*table.columns, column("ward", Hierarchy.flat(["u", "v"]), codes, Role.INSENSITIVE)])


def numbered(spread, table, partition, cell):
    """The groups of a partition as executors would send and number them: sorted by their keys."""
    import pyarrow as pa

    parts = []
    for number in np.unique(cell).tolist():
        rows = np.flatnonzero(cell == number)
        own = [column(c.name, c.domain, c.codes[rows], c.role) for c in table.columns]
        group = np.unique(partition.group[rows], return_inverse=True)[1]
        records = group_records(Table(own), Partition(group, separate=True), spread.layout, number)
        parts.append(pa.table({name: pa.array(part) for name, part in records.items()}))
    groups = pa.concat_tables(parts).sort_by("key")
    return groups.append_column("group", pa.array(np.arange(1, groups.num_rows + 1))).combine_chunks()


@pytest.mark.slow
@settings(max_examples=80)
@given(table=tables(least=4), kept=st.booleans(), seed=st.integers(0, 9), most=st.integers(4, 12))
def test_both_tables_are_those_of_a_local_release(table, kept, seed, most):
    table = with_ward(table, seed) if kept else table
    if largest_l(np.bincount(table.sensitive[0].codes)) < 2:
        return
    spread = InMemory(table, 2, InsecureDraws(seed))
    group, cell = spread.grouped(rda.dealt(spread, Anatomy(l=2), most))
    expected_rows, expected_values = render_two_tables(table, Partition(group, separate=True))
    groups = numbered(spread, table, Partition(group, separate=True), cell)
    rows = rows_of_groups(groups, spread.layout)
    keys = row_keys(spread.layout, rows).to_pylist()
    assert_frame_equal(in_order(spread.layout, rows), expected_rows)
    by_key = sorted(range(len(keys)), key=keys.__getitem__)
    assert expected_rows[GROUP].to_list() == rows["group"][by_key].tolist()
    columns, own = rows_of_records(groups["codes"], np.asarray(groups["rows"]), spread.layout)
    secret = next(c for c in columns if c.role == Role.SENSITIVE)
    assert_frame_equal(values_by_group(secret, own, 1), expected_values)


@pytest.mark.slow
@settings(max_examples=40)
@given(table=tables(least=8), seed=st.integers(0, 9))
def test_parts_measure_as_the_whole(table, seed):
    """What a certificate says of utility, and of crowds: from counts of two parts, and from all rows."""
    if largest_l(np.bincount(table.sensitive[0].codes)) < 2:
        return
    partition = Anatomy(l=2).partition(table, draws=InsecureDraws(seed))
    told = []
    for some in (partition.group % 2 == 0, partition.group % 2 == 1):
        own = Table.as_it_stands([replace(c, codes=c.codes[some].copy()) for c in table.columns])
        if own.n:
            part = Partition(np.unique(partition.group[some], return_inverse=True)[1], separate=True)
            told.append(summary_of(Boxes.around(own, part), own.bags(part.group)).document())
    alike = value_counts(np.bincount(table.look))
    parts = [Summary.of(json.loads(json.dumps(one))) for one in told]
    summary = replace(Summary.merged(parts), crowds=alike, separate=True)
    boxes, found = Boxes.around(table, partition), summary.boxes(table.quasi, table.sensitive)
    for key, metric in catalog.metrics().items():
        if metric.in_every_certificate():
            assert float(metric().measure(found)) == pytest.approx(float(metric().measure(boxes))), key
    bags = table.bags(partition.group, partition)
    for key, model in catalog.models().items():
        if model.sizes_only:
            assert summary.verdicts()[key].achieved == model.achieved(bags)[0], key


def test_adult_keeps_its_promise_in_cells(adult_table):
    spread = InMemory(adult_table, 3, InsecureDraws(1))
    group, cell = spread.grouped(rda.dealt(spread, Anatomy(l=4), 3000))
    assert FrequencyLDiversity(l=4).check(adult_table.bags(group)).ok
    assert np.bincount(cell).max() <= 3000 + 8  # a share is whole groups
    assert np.bincount(cell).size > 8
    with pytest.raises(Infeasible):
        rda.dealt(spread, Anatomy(l=9), 3000)


@given(
    ages=st.lists(st.sampled_from(["a", "b", None]), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
)
def test_crowds_of_parts_are_those_of_the_whole(ages, cuts):
    frame = pl.DataFrame({"x": ages}, schema={"x": pl.String}).sort("x")
    ends = [0, *sorted(min(c, frame.height) for c in cuts), frame.height]
    parts = [crowds_in(frame[a:b]) for a, b in pairwise(ends)]
    sizes, times = crowds_together(json.loads(json.dumps(parts)))
    expected = value_counts(frame.group_by("x").len()["len"].cast(pl.Int64).to_numpy())
    assert sizes.tolist() == expected[0].tolist()
    assert times.tolist() == expected[1].tolist()


def test_rows_that_do_not_stand_together_are_never_a_larger_crowd():
    parts = [crowds_in(pl.DataFrame({"x": part})) for part in (["a", "b", "a", "c"], ["d", "b", "e"])]
    assert crowds_together(parts)[0].max() == 2  # of a; the two b are counted apart
