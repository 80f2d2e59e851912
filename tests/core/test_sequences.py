"""Sequences of generalizations: nested or sorted, from quasi-identifiers alone, and refused by position."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.small_tables import UNBALANCED, axis_of, column
from tests.small_taxonomies import tables
from voile.core.full_domain import FullDomain
from voile.core.generalizations import refines
from voile.core.grouping_loss import grouping_loss
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.sequences import MOST_CUTS, sequence_of, thinned
from voile.core.table import Column, Table
from voile.core.taxonomy_cuts import cut_chain
from voile.errors import ParameterError

AGES = [20, 25, 33, 38, 41, 44, 57, 59]
ZIP = Hierarchy.from_lines([["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]])


def clinic():
    return Table(
        [
            column("age", axis_of(AGES), AGES),
            column("zip", ZIP, [0, 0, 1, 1, 2, 2, 3, 3]),
            column("illness", Hierarchy.flat(list("xyz")), [0, 1, 2, 0, 1, 2, 0, 1], Role.SENSITIVE),
        ]
    )


def groups_of(sequence, i):
    return sequence.functions[i - 1].tolist()


@settings(max_examples=40)
@given(
    table=tables(most=12),
    kind=st.sampled_from(["levels", "cuts", "lattice"]),
    utility=st.sampled_from(["dm", "gcp"]),
    chance=st.randoms(use_true_random=False),
)
def test_sensitive_values_never_matter(table, kind, utility, chance):
    order = list(range(table.n))
    chance.shuffle(order)
    other = Table(
        [
            Column(c.name, c.role, c.domain, c.codes[order] if c.role == Role.SENSITIVE else c.codes)
            for c in table.columns
        ],
        schema=table.schema,
    )
    one, two = (sequence_of(each, kind, utility, least=2) for each in (table, other))
    assert one.titles == two.titles
    assert all((a == b).all() for a, b in zip(one.functions, two.functions, strict=True))


@settings(max_examples=40)
@given(table=tables(most=12), utility=st.sampled_from(["dm", "gcp"]))
def test_chains_are_nested_and_a_lattice_is_sorted(table, utility):
    for kind in ("levels", "cuts"):
        chain = sequence_of(table, kind, utility)
        for fine, coarse in itertools.pairwise(chain.functions):
            assert refines(fine, coarse) and not refines(coarse, fine)
        assert (chain.functions[-1] == 0).all()
    found = sequence_of(table, "lattice", utility)
    losses = [grouping_loss(table, groups, utility) for groups in found.functions]
    assert losses == sorted(losses)
    for one, other in itertools.combinations(found.functions, 2):
        assert not (refines(one, other) and refines(other, one))


def test_levels_take_the_cheapest_step():
    """zip to its districts groups nobody anew while ages differ; the ages' finest intervals are one person's."""
    chain = sequence_of(clinic(), "levels", "dm")
    assert chain.titles == ("age level 0, zip level 0", "age level 2, zip level 2", "age level 3, zip level 2")


def test_levels_by_gcp_keep_what_costs_least():
    titles = sequence_of(clinic(), "levels", "gcp").titles
    assert titles[0] == "age level 0, zip level 0" and titles[-1] == "age level 3, zip level 2"


def test_cuts_merge_one_node_at_a_time():
    table = Table([column("letter", UNBALANCED, [0, 1, 1, 2, 3])])
    assert [groups.tolist() for groups in cut_chain(table, "dm").functions] == [
        [0, 1, 1, 2, 3],
        [0, 1, 1, 1, 2],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0],
    ]


def test_long_chains_of_cuts_are_thinned():
    values = list(range(0, 64, 2))
    table = Table([column("age", axis_of([0, 63]), values)])
    assert len(cut_chain(table, "dm")) > MOST_CUTS == len(sequence_of(table, "cuts"))
    assert len(thinned(cut_chain(table, "dm"), 2)) == 2


def test_small_groups_first_and_reuse():
    table = clinic()
    whole = sequence_of(table, "lattice")
    fit = sequence_of(table, "lattice", least=2)
    assert all(np.bincount(groups).min() >= 2 for groups in fit.functions) and len(fit) < len(whole)
    assert sequence_of(table, "lattice", least=100).titles == (whole.titles[-1],)
    assert sequence_of(table, "lattice", first=2).titles == whole.titles[1:]
    assert sequence_of(table, "lattice", first=2, reuse=[1]).titles == (*whole.titles[1:], whole.titles[1])
    for wrong in ({"first": 0}, {"first": 99}, {"reuse": [99]}, {"reuse": [0]}, {"utility": "as_given"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            sequence_of(table, "lattice", **wrong)


def test_too_much_to_build_is_refused():
    wide = Table([column(f"q{i}", axis_of([0, 99]), [0, 99]) for i in range(5)])
    with pytest.raises(ParameterError, match="3125 combinations"):
        sequence_of(wide, "lattice")
    leaves = [[str(i), f"n{i // 2}", "*"] for i in range(1000)]
    deep = Table([column("code", Hierarchy.from_lines(leaves), range(1000))])
    with pytest.raises(ParameterError, match="501 nodes"):
        sequence_of(deep, "cuts")


def test_a_plan_of_levels_and_groups():
    plan = [
        [
            {"age": "[20, 39]", "zip": "a"},
            {"zip": "b1"},
            {"zip": ["b2"], "age": "*"},
        ],
        {"age": 2, "zip": 1},
        [{"age": "[20, 44]"}, {"age": [57, "59"]}],
        {"age": 3, "zip": 2},
    ]
    found = sequence_of(clinic(), json.dumps({"functions": plan}), "as_given")
    assert groups_of(found, 1) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert groups_of(found, 3) == [0, 0, 0, 0, 0, 0, 1, 1]
    assert groups_of(found, 4) == [0] * 8
    assert found.titles[1] == "age level 2, zip level 1"
    assert sequence_of(clinic(), json.dumps(plan), "as_given").titles == found.titles


REFUSED = [
    ("nonsense", "JSON"),
    ("[" * 10**5, "JSON"),
    ('{"functions": 3}', "list of functions"),
    ("[]", "empty"),
    ("plan.json", "put @ before the name of a file"),
    ('{"functions": [{"age": 3, "zip": 2}], "utility": "SECRET"}', "more than functions"),
    ('[{"age": 1, "age": 2}]', "neither a known word nor JSON"),
    ([{"agee": 1}], "function 1 of the sequence, entry 1: an unknown column"),
    ([{"age": 4}], "function 1 of the sequence, column age: not a level"),
    ([{"age": True}], "not a level"),
    ([{"age": -1}], "not a level"),
    ([[3]], "list of groups"),
    ([[{"age": "[20, 40]"}]], "function 1 of the sequence: 4 rows in no group"),
    ([{"age": 0}, [{"zip": "a"}, {"age": "*"}]], "function 2 of the sequence: group 2 overlaps"),
    ([[{"zip": "SECRET"}]], "function 1 of the sequence, group 1, column zip: not in the hierarchy"),
    ([[{"age": "SECRET"}]], "neither a value nor an interval"),
    ([[{"age": "[50, 20]"}]], "neither a value nor an interval"),
    ([[{"age": None}]], "not a cell"),
    ([{"age": 3, "zip": 2}, {"age": 0}], "function 2 of the sequence: it loses less than function 1"),
]


@pytest.mark.parametrize(("plan", "words"), REFUSED)
def test_plans_are_refused_by_position(plan, words):
    with pytest.raises(ParameterError, match=words) as refusal:
        sequence_of(clinic(), plan if isinstance(plan, str) else json.dumps(plan))
    assert "SECRET" not in str(refusal.value) and refusal.value.remedy and refusal.value.exit_code == 2


def test_intervals_end_where_they_say():
    table = Table([column("age", axis_of(AGES), AGES)])
    plan = [[{"age": "[19.5, 37.9]"}, {"age": "[38, 200]"}]]
    assert groups_of(sequence_of(table, json.dumps(plan)), 1) == [0, 0, 0, 1, 1, 1, 1, 1]


def test_levels_are_those_of_the_file_also_where_a_branch_is_short():
    """ARX counts columns of the file: on level 1 the young are together, though their branch ends there."""
    lines = [["20s", "young", "young", "*"], ["30s", "young", "young", "*"]]
    lines += [["40s", "40s", "old", "*"], ["50s", "50s", "old", "*"]]
    tree = Hierarchy.from_lines(lines)

    def together(tree, level):
        ages = Column("age", Role.QUASI_IDENTIFYING, tree, np.arange(tree.leaves))
        groups = FullDomain(Table([ages])).groups([level]).tolist()
        return [groups.index(group) for group in groups]

    assert [together(tree, level) for level in (1, 2, 3)] == [[0, 0, 2, 3], [0, 0, 2, 2], [0] * 4]
    more = tree.with_leaf("unknown")
    assert [together(more, level) for level in (1, 2, 3)] == [[0, 0, 2, 3, 4], [0, 0, 2, 2, 4], [0] * 5]
