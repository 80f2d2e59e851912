"""Audits of generalised sensitive values: ours by the certificate's base values, others' by the tree alone."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from tests.generalised_values import patients, release_of, schema
from voile.core.hierarchy import Hierarchy
from voile.errors import VoileError

TREE = Hierarchy.from_lines(
    [["flu", "lung", "*"], ["asthma", "lung", "*"], ["ulcer", "gut", "*"], ["gastritis", "gut", "*"]]
)
CELLS = ["flu", "asthma", "ulcer", "gastritis", "flu", "ulcer"] * 2
LEVELS = [0, 1, 2, 0, 1, 2] * 2


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A release with nodes of every height, its folder and its certificate."""
    folder = tmp_path_factory.mktemp("release") / "out"
    release_of(patients(CELLS, hierarchy=TREE), [0, 1, 2] * 4, LEVELS).write(folder)
    return folder, json.loads((folder / "certificate.json").read_text())


def outcome(folder, document, spec=None):
    """What the audit says of the release with another certificate: refused, broken or ok."""
    (folder / "certificate.json").write_text(json.dumps(document))
    try:
        report = voile.audit(folder, spec or schema(hierarchy=TREE))
    except VoileError as refusal:
        assert not any(label in str(refusal) for label in TREE.labels[:-1])
        return "refused"
    return "ok" if report.ok else "broken"


def altered(document, **changes):
    copy = json.loads(json.dumps(document))
    entry = copy["table"]["columns"][-1]
    assert entry["role"] == "sensitive"
    for name, value in changes.items():
        entry.pop(name, None)
        if value is not ...:
            entry[name] = value
    return copy


def test_the_certificate_as_written_is_sound(written):
    folder, document = written
    assert outcome(folder, document) == "ok"
    assert outcome(folder, altered(document, weights=[1, 1, 1, 7])) == "ok"  # another belief, as sound


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": [1, 1, 1]},
        {"weights": [1, 1, 1, 1, 1]},
        {"weights": [1, 1, -1, 1]},
        {"weights": [1, 1, 0, 1]},
        {"weights": [1, 1, 1.5, 1]},
        {"weights": [1, 1, True, 1]},
        {"weights": [1, 1, "1", 1]},
        {"weights": [1, 1, None, 1]},
        {"weights": [1, 1, 10**30, 1]},
        {"weights": {"0": 1}},
        {"weights": "1111"},
        {"weights": ...},
        {"base_values": ...},
        {"base_values": ..., "weights": ...},
        {"base_values": [], "weights": []},
        {"base_values": None},
        {"base_values": "abcd"},
        {"base_values": ["flu", "flu", "ulcer", "gastritis"]},
        {"base_values": ["flu", ["asthma"], "ulcer", "gastritis"]},
        {"base_values": [1, 2, 3, 4]},
        {"base_values": ["flu", "asthma", "ulcer", "gout"]},
        {"base_values": ["flu", "asthma", "ulcer", "gut"]},
        {"base_values": ["flu", "asthma", "ulcer", "*"]},
        {"base_values": ["asthma", "ulcer"], "weights": [1, 1]},
        {"published": "as it is"},
        {"role": "quasi-identifying"},
        {"name": "age"},
        {"name": ["value"]},
    ],
    ids=str,
)
def test_damaged_base_values_never_pass(written, changes):
    folder, document = written
    assert outcome(folder, altered(document, **changes)) in ("refused", "broken")


@pytest.mark.parametrize("path", [["table"], ["table", "columns"], ["table", "columns", -1]], ids=str)
@pytest.mark.parametrize("value", [None, {}, [], 3, "x", [[]], {"columns": None}], ids=str)
def test_damaged_tables_never_pass(written, path, value):
    folder, document = written
    copy = json.loads(json.dumps(document))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert outcome(folder, copy) in ("refused", "broken")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TREE.labels),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_no_certificate_makes_the_audit_fall(written, data):
    folder, document = written
    names = data.draw(st.sets(st.sampled_from(["base_values", "weights", "published", "role"]), min_size=1))
    changes = {name: data.draw(anything) for name in names}
    entry = {**document["table"]["columns"][-1], **changes}
    sound = set(entry["base_values"] or ()) == set(TREE.labels[:4]) if names <= {"weights"} else False
    assert outcome(folder, altered(document, **changes)) in ("refused", "broken") or sound


@pytest.mark.parametrize(
    "other",
    [
        schema(),
        schema(hierarchy=Hierarchy.from_lines([["flu", "lung", "*"], ["gout", "lung", "*"]])),
        schema(hierarchy={"mask": 2}),
        schema(type="integer", hierarchy={"intervals": [5]}),
        voile.Schema.of({"age": "sa", "sex": "qi", "value": "qi"}),
    ],
    ids=["none", "lacks values", "mask", "numbers", "other roles"],
)
def test_another_spec_never_passes(written, other):
    folder, document = written
    assert outcome(folder, document, other) == "refused"


def test_a_spec_with_one_more_leaf_is_the_same(written):
    """A taxonomy that grew since: what was impossible stays so."""
    folder, document = written
    more = Hierarchy.from_lines([*TREE.lines(), ["gout", "gout", "*"]])
    assert outcome(folder, document, schema(hierarchy=more)) == "ok"


def test_rows_of_stars_are_members_of_our_releases(written):
    """Where * is a value as others are, a row of stars is somebody; in a table without a certificate it is not."""
    table = patients(CELLS, hierarchy=TREE)
    folder = written[0].parent / "stars"
    release_of(table, np.zeros(table.n, int), np.where(np.arange(table.n) < 6, 2, 0)).write(folder)
    columns = {"age": {"role": "qi", "type": "integer", "hierarchy": {"intervals": [2]}}}
    spec = voile.Schema.of({**columns, "sex": "qi", "value": {"role": "sa", "hierarchy": TREE}})
    ours = voile.audit(folder, schema(hierarchy=TREE))
    assert (ours.rows, ours.suppressed, ours.generalised) == (12, 0, 6)
    cells = "age,sex,value\n" + "*,*,*\n" * 6 + "*,*,flu\n*,*,ulcer\n"
    (folder / "theirs.csv").write_text(cells)
    theirs = voile.audit(folder / "theirs.csv", spec)
    assert (theirs.rows, theirs.suppressed, theirs.generalised) == (2, 6, 0)


def foreign(folder, cells, **options):
    (folder / "theirs.csv").write_text("age,sex,value\n" + "".join(f"1,f,{cell}\n" for cell in cells))
    report = voile.audit(folder / "theirs.csv", schema(**options))
    return report.achieved["tau_l_diversity"].achieved, report.generalised


def test_nodes_without_a_certificate_count_by_their_leaves(tmp_path):
    assert foreign(tmp_path, ["lung", "flu", "gut", "ulcer"], hierarchy=TREE) == (Fraction(3, 8), 2)
    assert foreign(tmp_path, ["LUNG", "Flu", "gut", "ulcer"], hierarchy=TREE, casefold=True)[0] == Fraction(3, 8)
    assert foreign(tmp_path, ["*", "flu", "*", "*"], hierarchy=TREE) == (Fraction(7, 16), 3)
    options = {"hierarchy": TREE, "missing": "category"}
    assert foreign(tmp_path, ["lung", "", "lung", "ulcer"], **options) == (Fraction(1, 4), 2)
    assert foreign(tmp_path, ["lung", "", "lung", "NA"], **options) == (Fraction(1, 2), 0)  # a word of no tree


def test_a_star_without_a_hierarchy_may_be_any_other_value(tmp_path):
    assert foreign(tmp_path, ["*", "flu", "flu", "gout"]) == (Fraction(5, 8), 1)
    assert foreign(tmp_path, ["*", "*", "flu", ""]) == (Fraction(1, 2), 2)  # missing is a value
    assert foreign(tmp_path, ["*", "*", "flu"]) == (1, 0)
    assert foreign(tmp_path, ["*", "*"])[0] == 1
