"""Anatomy: groups of l different values; quasi-identifiers as they are in one table, values in another."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.oracle.rda_literal import plan
from tests.small_tables import table_from, tables
from voile import catalog
from voile.core.draws import InsecureDraws
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.errors import Infeasible, ParameterError, SpecError
from voile.rendering.two_tables import render_two_tables

CLINIC = pl.DataFrame(
    {
        "age": [23, 27, 35, 59, 61, 65, 65, 70],
        "sex": ["M", "M", "M", "M", "F", "F", "F", "F"],
        "disease": ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia", "flu", "gastritis", "flu", "bronchitis"],
    }
)  # Table 1 of Xiao and Tao 2006, without the zip codes
SPEC = {"age": {"role": "qi", "type": "integer"}, "sex": "qi", "disease": "sensitive"}


def clinic(**options):
    return voile.anonymize(voile.read(CLINIC, SPEC), "anatomy", l=2, **options)


def test_the_paper_s_patients():
    release = clinic()
    assert release.frame.columns == ["group", "age", "sex"]
    assert release.sensitive.columns == ["group", "disease", "count"]
    assert release.frame.drop("group").rows() == CLINIC.drop("disease").sort("age", "sex").rows()
    assert sorted(release.sensitive["disease"].to_list()) == sorted(CLINIC["disease"].to_list())
    assert release.frame.group_by("group").len()["len"].to_list() == [2] * 4
    assert release.sensitive["count"].to_list() == [1] * 8


@settings(max_examples=60)
@given(table=tables(least=4, most=30), ell=st.integers(2, 4))
def test_groups_take_the_values_that_the_literal_plan_says(table, ell):
    algorithm = catalog.algorithm("anatomy").configure({"l": ell})
    try:
        part = algorithm.partition(table, draws=InsecureDraws(3))
    except Infeasible:
        return
    values = np.unique(table.sensitive[0].codes, return_inverse=True)[1]
    held = sorted(tuple(sorted(values[part.group == g].tolist())) for g in range(part.groups))
    assert held == sorted(tuple(sorted(group)) for group in plan(np.bincount(values).tolist(), ell))
    assert part.separate and part.suppressed == 0


def test_draws_ignore_quasi_identifiers():
    """The same draws on the same values group the same places, whatever the quasi-identifiers are."""
    secret = [0, 1, 2, 3] * 3
    one, other = (table_from(numbers, [0] * 12, [1] * 12, [2] * 12, secret) for numbers in (range(12), [7] * 12))
    by_value = []
    for table in (one, other):
        part = catalog.algorithm("anatomy").configure({"l": 3}).partition(table, draws=InsecureDraws(5))
        order = np.argsort(table.sensitive[0].codes, kind="stable")
        by_value.append(part.group[order].tolist())
    assert by_value[0] == by_value[1]


def with_values(table, codes):
    """The table with other sensitive values; and where each of its rows is now."""
    rows = Column("row", Role.SUBJECT, table.sensitive[0].domain, np.arange(table.n))
    columns = [Column(c.name, c.role, c.domain, c.codes) for c in table.quasi]
    secret = table.sensitive[0]
    changed = Table([*columns, Column(secret.name, secret.role, secret.domain, codes), rows], schema=table.schema)
    return changed, changed.columns[-1].codes


@pytest.mark.slow
@settings(max_examples=80)
@given(table=tables(least=4, most=24, values=4), chance=st.randoms(use_true_random=False))
def test_what_is_published_does_not_tell_who_has_what(table, chance):
    """Values exchanged inside groups, and groups numbered otherwise: the same two tables, byte for byte. Rows that
    look alike are many here; neither their order nor the numbers of groups may follow their values."""
    try:
        part = catalog.algorithm("anatomy").configure({"l": 2}).partition(table, draws=InsecureDraws(1))
    except Infeasible:
        return
    codes, names = table.sensitive[0].codes.copy(), list(range(part.groups))
    chance.shuffle(names)
    for g in range(part.groups):
        members = np.flatnonzero(part.group == g)
        mixed = members.tolist()
        chance.shuffle(mixed)
        codes[members] = codes[mixed]
    other, row = with_values(table, codes)
    renamed = Partition(np.array(names)[part.group][row], separate=True)
    for one, two in zip(render_two_tables(table, part), render_two_tables(other, renamed), strict=True):
        assert one.equals(two)


def test_the_order_of_the_table_would_tell():
    """The control: of two who look alike, the table has the one with the lesser value first."""
    table = table_from([5, 5, 6, 7], [0] * 4, [0] * 4, [0] * 4, [0, 1, 2, 3])
    part = Partition(np.array([0, 1, 0, 1]), separate=True)
    other, row = with_values(table, np.array([1, 0, 2, 3]))  # the groups of the first two, exchanged
    exchanged = Partition(np.array([0, 1, 0, 1])[row], separate=True)
    assert part.group.tolist() != exchanged.group.tolist()
    shown = [render_two_tables(*each)[0] for each in ((table, part), (other, exchanged))]
    assert shown[0].equals(shown[1])


def test_auto_is_the_largest_l():
    release = voile.anonymize(voile.read(CLINIC, SPEC), "anatomy", l="auto")
    assert release.certificate["algorithm"]["parameters"] == {"l": 4}


def test_certificate_says_what_is_open():
    said = clinic().certificate
    assert said["table"]["published"] == "two tables"
    assert [c["published"] for c in said["table"]["columns"]] == [
        "as it is",
        "as it is",
        "counts by group, in a table of its own",
    ]
    assert [c["loss"] for c in said["table"]["columns"] if "loss" in c] == [0.0, 0.0]
    limits = " ".join(said["adversary"]["not_promised"])
    assert "is in the table" in limits and "deFinetti" in limits
    assert said["adversary"]["rung"] == "algorithm, strong"
    assert said["checks"]["k_anonymity"] == 1 and said["checks"]["frequency_l_diversity"] == 2
    assert clinic(insecure_seed=1).certificate["adversary"]["rung"] == "release"


def test_figures_of_quasi_identifiers_are_exact_and_those_of_groups_are_of_groups():
    utility = clinic().certificate["utility"]
    exact = ("gcp_leaves", "gcp_minus1", "gcp_values", "kl", "non_uniform_entropy", "weighted_il", "suppressed")
    assert {utility[key] for key in exact} == {0.0}
    assert utility["dm"] == 16 and utility["aecs"] == 2
    assert utility["um"] == pytest.approx((2 + 1 / 2) / 3, abs=1e-6)


def test_kept_columns_stand_with_the_quasi_identifiers(tmp_path):
    spec = {**SPEC, "sex": {"role": "insensitive", "keep": True}}
    voile.anonymize(voile.read(CLINIC, spec), "anatomy", l=2).write(tmp_path / "out")
    report = voile.audit(tmp_path / "out", spec)
    assert report.ok and report.known == ("sex",)
    assert report.achieved["k_anonymity"].achieved == 1


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"age": {"role": "qi", "type": "integer", "grid": 5}}, "as they are"),
        ({"age": {"role": "qi", "type": "integer", "min_width": 5}}, "as they are"),
    ],
)
def test_steps_are_refused(changed, words):
    with pytest.raises(SpecError, match=words):
        voile.anonymize(voile.read(CLINIC, {**SPEC, **changed}), "anatomy", l=2)


def test_a_sensitive_count_is_refused():
    spec = {"age": SPEC["age"], "sex": "qi", "count": "sensitive"}
    with pytest.raises(SpecError, match="rename"):
        voile.anonymize(voile.read(CLINIC.rename({"disease": "count"}), spec), "anatomy", l=2)


def test_nothing_is_merged():
    with pytest.raises(ParameterError, match="merging"):
        clinic(also="k>=2")
