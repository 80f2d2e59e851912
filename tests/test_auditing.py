"""Audits of generalised sensitive values: ours by the certificate's base values, others' by the tree alone."""

import json
from fractions import Fraction

import numpy as np
import polars as pl
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


@pytest.mark.parametrize(
    "section",
    [
        None,
        [],
        "kept",
        3,
        {"kept": True},
        {"achieved": 0.5},
        {"kept": "yes", "achieved": 0.5},
        {"kept": 1, "achieved": 0.5},
        {"kept": True, "achieved": "[/]"},
        {"kept": True, "achieved": True},
        {"kept": True, "achieved": [0.5]},
        {"kept": True, "achieved": -0.5},
        {"kept": True, "achieved": float("nan")},
        {"kept": False, "achieved": float("inf")},
        {"kept": False, "achieved": 0.5, "rows_above": 3},
        {"kept": True, "achieved": 0.5, "achieved_by_table_frequencies": "[red]"},
        ...,
        {"kept": True, "achieved": None},
        {"kept": False, "achieved": None},
        {"kept": True, "achieved": 1.1},
        {"kept": True, "achieved": 10**300},
        {"kept": True, "achieved": "infinite"},
        {"kept": False, "achieved": 0.3},
    ],
    ids=str,
)
def test_lines_on_true_values_that_cannot_be_never_pass(written, section):
    folder, document = written
    others = {name: value for name, value in document.items() if name != "true_values"}
    changed = others if section is ... else {**others, "true_values": section}
    assert outcome(folder, changed) == "broken"


def test_lines_on_true_values_fit_values_that_are_not_generalised(tmp_path):
    """Then the figure is there to be seen: half of each group has one value, and tau = 1 is kept."""
    table = patients(["flu", "asthma", "ulcer", "flu"] * 3, hierarchy=TREE)
    release_of(table, np.zeros(table.n, int), [0] * table.n, weight=[1, 1, 1, 0]).write(tmp_path / "out")
    document = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert document["true_values"]["kept"] and outcome(tmp_path / "out", document) == "ok"
    for kept, achieved in [(False, 0.5), (False, 1.5), (True, 0.4), (True, 0.7), (True, None), (True, "infinite")]:
        section = {"kept": kept, "achieved": achieved}
        assert outcome(tmp_path / "out", {**document, "true_values": section}) == "broken"


def test_weights_are_what_the_certificate_says(written):
    folder, document = written
    for parameters in ({"weights": "present"}, {"weights": "all"}, {"weights": ["prior"]}, {}, None, "prior"):
        said = {**document, "algorithm": {**document["algorithm"], "parameters": parameters}}
        assert outcome(folder, altered(said, weights=[1, 1, 1, 1])) == "ok"
        assert outcome(folder, altered(said, weights=[1, 1, 1, 7])) == "broken"
    assert outcome(folder, altered({**document, "algorithm": []}, weights=[1, 1, 1, 7])) == "broken"


def test_only_missing_values_that_there_are_have_a_leaf(tmp_path):
    """Else distances in the tree would differ between the certificate and its audit."""
    tree = Hierarchy.from_lines([["flu", "all", "*"], ["asthma", "all", "*"], ["gout", "all", "*"]])
    for some in ([], [None, None]):
        table = patients(
            [*["flu", "asthma", "gout", "asthma", "flu", "gout"] * 2, *some], hierarchy=tree, missing="category"
        )
        folder = tmp_path / str(len(some))
        release = voile.anonymize(table, "elig", l=2)
        release.write(folder)
        found = voile.audit(folder, table.schema)
        assert {key: v.shown() for key, v in found.achieved.items()} == release.certificate["checks"]


@pytest.mark.slow
@given(anything, st.sampled_from(["", "kept", "achieved", "achieved_by_table_frequencies", "more"]))
def test_no_line_on_true_values_makes_the_audit_fall(written, value, name):
    folder, document = written
    section = {**document["true_values"], name: value} if name else value
    sound = value is None or type(value) in (int, float, bool) or value == "infinite"
    assert outcome(folder, {**document, "true_values": section}) == "broken" or (sound and name in section)


@pytest.mark.slow
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
    assert foreign(tmp_path, ["lung", "", "lung", "NA"], **options) == (Fraction(1, 2), 2)  # one value: missing


def test_a_star_without_a_hierarchy_may_be_any_other_value(tmp_path):
    assert foreign(tmp_path, ["*", "flu", "flu", "gout"]) == (Fraction(5, 8), 1)
    assert foreign(tmp_path, ["*", "*", "flu", ""]) == (1, 0)
    assert foreign(tmp_path, ["*", "*", "flu", ""], missing="category") == (
        Fraction(1, 2),
        2,
    )  # missing is a value
    assert foreign(tmp_path, ["*", "*", "flu"]) == (1, 0)
    assert foreign(tmp_path, ["*", "*"])[0] == 1


HIDING = ["", "*", "NA", "?", "n/a", "NULL", "Unknown", "missing", "-"]


@pytest.mark.parametrize("cell", HIDING)
def test_what_is_missing_is_no_diversity(tmp_path, cell):
    """Finding A4: `HIV`, a blank, `NA` and `?` passed for four values. A missing one may be any of the others."""
    assert foreign(tmp_path, ["HIV", cell])[0] == foreign(tmp_path, ["HIV", "*"])[0] == 1
    assert foreign(tmp_path, ["HIV", "", "NA", "?"]) == (1, 0)
    assert foreign(tmp_path, ["HIV", "flu", cell, cell]) == (Fraction(1, 2), 2)
    assert foreign(tmp_path, ["HIV", "HIV", "flu", cell]) == (Fraction(5, 8), 1)  # 2 1/2 of 4
    assert foreign(tmp_path, ["flu", cell], hierarchy=TREE)[0] == Fraction(5, 8)  # one of its four leaves


@pytest.mark.parametrize("cell", HIDING)
def test_missing_is_a_value_if_the_spec_says_so(tmp_path, cell):
    """`missing = "category"` keeps its meaning: one value, however it is written; `*` still is any."""
    expected = Fraction(1, 2) if cell != "*" else 1
    assert foreign(tmp_path, ["HIV", cell], missing="category")[0] == expected
    assert foreign(tmp_path, ["HIV", "", "NA", "?"], missing="category") == (Fraction(3, 4), 0)


def test_a_word_that_the_spec_names_is_a_value(tmp_path):
    """In an order, or in a hierarchy; "none" may be one anyway."""
    order = {"type": "ordinal", "order": ["unknown", "mild", "severe"]}
    assert foreign(tmp_path, ["unknown", "mild"], **order) == (Fraction(1, 2), 0)
    assert foreign(tmp_path, ["NA", "mild"], **order)[0] == 1
    named = Hierarchy.from_lines([["unknown", "*"], ["flu", "*"]])
    assert foreign(tmp_path, ["unknown", "flu"], hierarchy=named) == (Fraction(1, 2), 0)
    assert foreign(tmp_path, ["none", "flu"]) == (Fraction(1, 2), 0)


@pytest.mark.parametrize(
    "cells, achieved",
    [
        (["a", "{a, b}"], Fraction(3, 4)),
        (["a", "b", "{a, b}", "{a, b}"], Fraction(1, 2)),
        (["a", "b", "{b, c}"], Fraction(1, 2)),  # b 1 1/2, c 1/2
        (["a", '{"a, b", c}'], Fraction(1, 2)),  # a value with a comma
        (["a", "{a, *}"], 1),
        (["a", "b", "{a, NA}"], Fraction(1, 2)),
        (["a", "{a{}"], Fraction(1, 2)),  # begins like a set, and is none
        (["{a, b}", "{a, b}", "{c, d}"], Fraction(2, 3)),  # no other cell may be a or b: two values
        (["{a, b}", "{b, c}", "d"], Fraction(1, 3)),  # b half of two
        (["{a, b, c, d, e}"] * 2, 1),  # one value, whichever
        (["{flu, }", "flu", "gout"], Fraction(1, 2)),  # a member that is not said: anything
    ],
)
def test_a_set_counts_as_its_members(tmp_path, cells, achieved):
    assert foreign(tmp_path, [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells])[0] == achieved


@pytest.mark.parametrize(
    "cells, options, achieved",
    [
        (["20", "[20, 29]"], {"type": "integer"}, 1),
        (["20", "[20,29]"], {}, 1),  # whatever the type, with or without a blank
        (["20", "25", "[20, 29]"], {"type": "integer"}, Fraction(1, 2)),
        (["20.0", "020", "[40, 50]"], {"type": "decimal"}, Fraction(2, 3)),
        (["[20, 30]", "[25, 40]"], {"type": "integer"}, 1),  # both may be 27
        (["[20, 30]", "[25, 40]", "35"], {}, 1),  # all may be 35
        (["[20, 29]", "[20, 29]", "[30, 39]"], {}, Fraction(2, 3)),  # bands
        (["[20, 30)", "[20, 30)", "[30, 40)"], {"type": "decimal"}, Fraction(2, 3)),
        (["[20000, 29999]"] * 4, {}, 1),
        (["[20000, 29999]", "*"], {}, 1),
        (["[20,29]", "[21,28]", "[22,27]"], {}, 1),
        (["[1, 99999999999999999999]", "[2, 99999999999999999998]", "5"], {}, 1),  # too long to read
        (["[0.0, 1e3]", "[0.0, 2e3]", "5"], {}, 1),
        (["[2020-01-01, 2020-12-31]", "[2020-01-02, 2020-12-30]", "2020-03-03", "7"], {}, Fraction(3, 4)),
        (["2020", "[2020-01-01, 2020-12-31]"], {}, 1),
        (["20", "about 20"], {"type": "integer"}, 1),  # no number: anything
        (["flat", "[20, 30)"], {}, Fraction(1, 2)),
        (["2026-01-05", "[2026-01-01, 2026-01-05]"], {"type": "date"}, 1),
        (["2026-01-05", "2026-01-03", "[2026-01-01, 2026-01-05]"], {}, Fraction(1, 2)),
        (
            ["mild", "mid", "[mild, severe]"],
            {"type": "ordinal", "order": ["mild", "mid", "severe"]},
            Fraction(1, 2),
        ),
        (["flu", "{flu, ulcer}"], {"hierarchy": TREE}, Fraction(3, 4)),
        (["flu", "{flu, gut}"], {"hierarchy": TREE}, Fraction(2, 3)),  # gut: two leaves
        (["flu", "[flu, ulcer]"], {"hierarchy": TREE}, Fraction(5, 8)),  # no node: anything
    ],
)
def test_an_interval_counts_as_what_lies_in_it(tmp_path, cells, options, achieved):
    assert foreign(tmp_path, [f'"{cell}"' for cell in cells], **options)[0] == achieved


def test_the_finding_as_it_was_seen(tmp_path):
    """A4, word for word: `l>=4` and `l>=2` were met."""
    theirs, spec = tmp_path / "theirs.csv", schema()
    theirs.write_text("age,sex,value\n1,f,HIV\n1,f,\n1,f,NA\n1,f,?\n")
    assert not voile.audit(theirs, spec, require="l>=4").ok and not voile.audit(theirs, spec, require="l>=2").ok
    theirs.write_text('age,sex,value\n1,f,a\n1,f,"{a, b}"\n')
    assert not voile.audit(theirs, spec, require="l>=2").ok
    theirs.write_text("age,sex,value\n1,f,a\n1,f,b\n")  # control
    assert voile.audit(theirs, spec, require="l>=2").ok


def test_too_many_that_may_be_too_much_are_refused(tmp_path, monkeypatch):
    """A blank in each of many groups, and many values: what does not fit into memory is said beforehand."""
    monkeypatch.setattr("voile.published_bags.MOST_PAIRS", 100)
    with pytest.raises(voile.VoileError, match="any of very many values") as refusal:
        foreign(tmp_path, [*(f"v{i}" for i in range(200)), ""])
    assert "v1" not in str(refusal.value) and "category" in str(refusal.value)


@pytest.mark.parametrize(
    "cells, least",
    [
        (["flu", "*"], 1),
        (["flu", "", "gout", "{flu, gout}"], 2),
        (["flu", "{gout, HIV}"], 2),  # it cannot be flu
        (["{flu, gout}", "{gout, HIV}"], 1),  # both may be gout
        (["{flu, gout}", "{HIV, ulcer}"], 2),  # no other cell may be any of these: two values
        (["*", ""], 1),
    ],
)
def test_only_what_surely_differs_is_counted_as_different(tmp_path, cells, least):
    """Distinct l-diversity must hold whatever is hidden; a blank beside many values is not many values."""
    rows = [*(f'1,f,"{cell}"' for cell in cells), *(f"2,f,v{i}" for i in range(9))]
    (tmp_path / "theirs.csv").write_text("age,sex,value\n" + "\n".join(rows) + "\n")
    assert voile.audit(tmp_path / "theirs.csv", schema()).achieved["distinct_l_diversity"].achieved == least


@pytest.mark.parametrize("value", ["{flu, gout}", "{flu}", "{HIV, plague}"])
def test_a_value_that_reads_like_a_set_of_others_is_refused(tmp_path, value):
    """Its own audit would take it for one; a hierarchy can say that it is a value, and bands are no such sets."""
    people = pl.DataFrame({"age": [*range(8)], "sex": ["f", "m"] * 4, "value": ["flu", "gout", "HIV", value] * 2})
    with pytest.raises(voile.VoileError, match="values that would be read as sets or intervals") as refusal:
        voile.read(people, schema())
    assert "gout" not in str(refusal.value)
    named = schema(hierarchy=Hierarchy.from_lines([[name, "*"] for name in ("flu", "gout", "HIV", value)]))
    voile.anonymize(voile.read(people, named), l=2).write(tmp_path / "named")
    assert voile.audit(tmp_path / "named", named).ok
    bands = people.with_columns(value=pl.Series(["[0, 9]", "[10, 19]", "[20, 29]", "{x, y}"] * 2))
    voile.anonymize(voile.read(bands, schema()), l=2).write(tmp_path / "bands")
    assert voile.audit(tmp_path / "bands", schema()).ok


def test_words_for_missing_inside_a_set_hide_too(tmp_path):
    spec = voile.Schema.of(
        {"age": {"role": "qi", "type": "integer"}, "sex": "qi", "value": "sa"}, {"missing": ["-9"]}
    )
    (tmp_path / "theirs.csv").write_text('age,sex,value\n1,f,flu\n1,f,gout\n1,f,"{flu, -9}"\n')
    found = voile.audit(tmp_path / "theirs.csv", spec)
    assert found.achieved["frequency_l_diversity"].achieved == 2 and found.generalised == 1  # 1 1/2 of 3


def test_results_of_a_test_are_values(tmp_path):
    """`-` beside `+`; alone it is a word for missing."""
    assert foreign(tmp_path, ["+", "-"]) == (Fraction(1, 2), 0)
    assert foreign(tmp_path, ["pos", "-"])[0] == 1


def test_a_word_is_named_in_any_spelling_that_the_spec_merges(tmp_path):
    named = Hierarchy.from_lines([["Unknown", "*"], ["flu", "*"]])
    assert foreign(tmp_path, ["unknown", "FLU"], hierarchy=named, casefold=True) == (Fraction(1, 2), 0)
    people = pl.DataFrame({"age": [*range(8)], "sex": ["f", "m"] * 4, "value": ["flu", "unknown"] * 4})
    assert voile.read(people, schema(hierarchy=named, casefold=True, missing="drop-row")).n == 8
    assert voile.read(people, schema(prior={"unknown": 3})).n == 8


@pytest.mark.parametrize(
    "cells, options",
    [
        (["1", "12", "23", "34", ""], {"type": "integer", "hierarchy": {"intervals": [10, 20]}}),
        (["1.5", "12", "23", "34", "NA"], {"type": "decimal", "hierarchy": {"intervals": [10, 20]}}),
        (
            ["2026-01-05", "2026-02-05", "2026-03-05", "2026-05-05", ""],
            {"type": "date", "hierarchy": {"dates": ["month"]}},
        ),
        (["a", "b", "c", "d", "unknown"], {"hierarchy": {"mask": 1}}),
        (["a", "b", "c", "d", "unknown"], {}),
    ],
)
@pytest.mark.parametrize("algorithm", ["anatomy", "glass"])
def test_our_own_releases_with_missing_values_pass(tmp_path, cells, options, algorithm):
    """`missing = "category"` in a typed column with a built-in hierarchy, too."""
    people = pl.DataFrame({"age": [*range(10)], "sex": ["f", "m"] * 5, "value": cells * 2})
    spec = schema(missing="category", **options)
    voile.anonymize(voile.read(people, spec), algorithm, l=2).write(tmp_path / "out")
    found = voile.audit(tmp_path / "out", spec)
    assert found.ok and found.generalised == 0


def test_nobody_counts_for_more_than_one_person(tmp_path):
    """A person with `flu` and `{flu, gout}` has flu at most once."""
    spec = voile.Schema.of({"who": "subject", "age": {"role": "qi", "type": "integer"}, "value": "sa"})
    rows = 'who,age,value\na,1,flu\na,1,"{flu, gout}"\nb,1,flu\nb,1,gout\n'
    (tmp_path / "theirs.csv").write_text(rows)
    assert voile.audit(tmp_path / "theirs.csv", spec).achieved["frequency_l_diversity"].achieved == 1


def test_cells_of_a_type_that_cannot_be_judged_are_refused(tmp_path):
    people = pl.DataFrame({"age": [1, 1], "sex": ["f", "f"], "value": [["a"], ["b"]]})
    people.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(voile.VoileError, match="cells of an unsupported type"):
        voile.audit(tmp_path / "t.parquet", schema())


def test_many_intervals_are_counted_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("voile.intake.hidden.MOST_PAIRS", 1000)
    cells = [f'"[{i}, {i + 100}]"' for i in range(100)] + [str(i) for i in range(200)]
    with pytest.raises(voile.VoileError, match="may be any of very many values"):
        foreign(tmp_path, cells, type="integer")
