"""The minimality attack on releases as they lie on the disk, ours and anybody's."""

import json
from fractions import Fraction

import polars as pl
import pytest

import voile
from voile.attacking import attack_minimality
from voile.core.hierarchy import Hierarchy
from voile.errors import VoileError

SPEC = {
    "name": "identifying",
    "born": {"role": "qi", "type": "integer"},
    "disease": "sensitive",
}
CLINIC = pl.DataFrame(
    {
        "name": ["Alice", "Bob", "Charlie", "David", "Eve", "Fen"],
        "born": [1990, 1985, 1974, 1962, 1953, 1941],
        "disease": ["flu", "cold", "cancer", "cancer", "headache", "toothache"],
    }
)
PLAN = {
    "functions": [
        [{"born": "[1980, 1999]"}, {"born": "[1960, 1979]"}, {"born": "[1940, 1959]"}],
        [{"born": "[1970, 1999]"}, {"born": "[1940, 1969]"}],
        [{"born": "[1960, 1999]"}, {"born": "[1940, 1959]"}],
    ]
}
KNOWN_SEARCH = {"sequence": json.dumps(PLAN), "utility": "as_given", "require": "l>=2"}


def published(folder, algorithm="k_jump", **parameters):
    table = voile.read(CLINIC, SPEC)
    given = {"l": 2, "sequence": PLAN, "utility": "as_given", **parameters}
    return voile.anonymize(table, algorithm, **given).write(folder / "out")


@pytest.mark.parametrize(("strategy", "told", "left"), [("naive", 2, 4), ("safe", 0, 8), ("jump", 0, 8)])
def test_certificate_tells_the_search(tmp_path, strategy, told, left):
    """Table 1 of Liu et al. 2015: the naive search gives two patients away, the others nobody."""
    out = published(tmp_path, strategy=strategy)
    report = attack_minimality(out, SPEC, CLINIC)
    assert (report.ok, int(report.found.certain.sum()), report.found.left.size) == (told == 0, told, left)
    assert (report.graded.told, report.graded.told_right) == (told, told)
    unknown = attack_minimality(out, SPEC, CLINIC.select("born"))
    assert unknown.graded is None and not unknown.truth_differs
    assert unknown.found.above.tolist() == report.found.above.tolist()


def test_document_names_nobody_unless_asked(tmp_path):
    report = attack_minimality(published(tmp_path, strategy="naive"), SPEC, CLINIC)
    silent, loud = json.dumps(report.document()), report.document(show_values=True)
    assert not any(word in silent for word in (*CLINIC["disease"], "1974", "Charlie"))
    assert loud["guesses"][0] == {
        "person": {"born": "1962"},
        "likeliest": "cancer",
        "on_its_face": "1/3",
        "left": "1",
        "above": True,
    }
    assert (loud["persons_above"], loud["persons_certain"], loud["left"]["tables"]) == (2, 2, 4)


def test_secret_choice_is_read_from_its_certificate(tmp_path):
    out = published(tmp_path, "secret_choice", insecure_seed=1)
    report = attack_minimality(out, SPEC, CLINIC)
    assert report.strategy == "secret_choice" and report.search.strategy is None
    assert report.found.left.size > report.found.face.size  # counted once for each choice


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [4, 0, 5, 2, 3, 1]])
def test_any_published_table(tmp_path, order):
    """As another tool writes it: no group column, no certificate, half-open labels, rows in any order."""
    cells = ["[1970, 2000)"] * 3 + ["[1940, 1970)"] * 3
    table = pl.DataFrame({"born": cells, "disease": CLINIC["disease"]})[order]
    table.with_columns(ward=pl.Series(list("abcdef"))).write_csv(tmp_path / "theirs.csv")
    spec = SPEC | {"ward": "insensitive"}
    report = attack_minimality(tmp_path / "theirs.csv", spec, CLINIC, **KNOWN_SEARCH)
    assert (report.found.functions, report.strategy, report.ignored) == ((2,), "naive", ("ward",))
    assert (int(report.found.above.sum()), report.graded.told_right) == (2, 2)


def full_domain():
    """Eight persons, two hierarchies, and what a full-domain search publishes on the levels 0 and 1."""
    tree = Hierarchy.from_lines([[z, f"{z[0]}*", "*"] for z in ("10", "11", "20", "21")])
    spec = {"age": {"role": "qi", "type": "integer", "hierarchy": {"intervals": [10]}}}
    spec |= {"zip": {"role": "qi", "hierarchy": tree}, "disease": "sensitive"}
    people = pl.DataFrame(
        {
            "age": [21, 22, 31, 32, 23, 24, 33, 34],
            "zip": ["10", "11", "10", "11", "20", "21", "20", "21"],
            "disease": ["flu", "cold", "gout", "flu", "ulcer", "cold", "gout", "ulcer"],
        }
    )
    theirs = people.select(
        age=pl.format("[{}0, {}9]", pl.col("age") // 10, pl.col("age") // 10),
        zip=pl.col("zip").str.slice(0, 1) + "*",
        disease="disease",
    )
    return spec, people, theirs


LEVELS = '{"functions": [{"age": 0, "zip": 1}, {"age": 1, "zip": 0}, {"age": 1, "zip": 1}, {"age": 2, "zip": 2}]}'


@pytest.mark.parametrize("sequence", ["lattice", LEVELS], ids=["lattice", "plan"])
def test_full_domain_search(tmp_path, sequence):
    """Persons are matched through built-in and given hierarchies, whose orders differ from those of the values."""
    spec, people, theirs = full_domain()
    theirs.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "theirs.csv")
    report = attack_minimality(
        tmp_path / "theirs.csv", spec, people.select("zip", "age"), sequence=sequence, utility="dm", require="l>=2"
    )
    assert report.groups == 4 and report.found.face.highest == Fraction(1, 2)
    assert report.title == "age level 1, zip level 1"


STAR = pl.Series(["*", *["[1970, 1999]"] * 2, *["[1940, 1969]"] * 3])


@pytest.mark.parametrize(
    ("options", "theirs", "known", "what"),
    [
        ({"sequence": ""}, {}, CLINIC, "no sequence"),
        ({"require": ""}, {}, CLINIC, "no property"),
        ({"require": "t<=0.2"}, {}, CLINIC, "not one property"),
        ({"strategy": "guess"}, {}, CLINIC, "--strategy: not an accepted value .*secret_choice"),
        ({"strategy": "jump", "k": "auto"}, {}, CLINIC.select("born"), "--k: no jump distances"),
        ({"strategy": "safe"}, {}, CLINIC, "would not have disclosed"),
        ({"sequence": "lattice", "utility": "dm"}, {}, CLINIC, "not those of one function"),
        ({}, {"born": STAR}, CLINIC, "1 row suppressed"),
        ({}, {}, CLINIC[:5], "6 rows published for 5 persons"),
        (
            {"sequence": "lattice", "utility": "dm"},
            {},
            CLINIC.with_columns(born=pl.lit(1890)),
            "6 persons in no published group",
        ),
        ({}, {}, CLINIC.select("name", "disease"), "no column born"),
    ],
)
def test_refusals(tmp_path, options, theirs, known, what):
    cells = pl.Series(["[1970, 1999]"] * 3 + ["[1940, 1969]"] * 3)
    table = pl.DataFrame({"born": cells, "disease": CLINIC["disease"]}).with_columns(**theirs)
    table.write_csv(tmp_path / "theirs.csv")
    with pytest.raises(VoileError, match=what) as refused:
        attack_minimality(tmp_path / "theirs.csv", SPEC, known, **(KNOWN_SEARCH | options))
    assert refused.value.exit_code == 2
    assert not any(word in str(refused.value) for word in (*CLINIC["disease"], "19", "Alice"))


def test_an_altered_release_is_attacked_with_a_note(tmp_path):
    out = published(tmp_path, strategy="naive")
    assert not attack_minimality(out, SPEC, CLINIC).altered
    header, *rows = (out / "data.csv").read_text().splitlines()
    (out / "data.csv").write_text("\n".join([header, *rows[::-1]]) + "\n")
    report = attack_minimality(out, SPEC, CLINIC)
    assert report.altered and report.document()["altered"] and report.found.left.size == 4


def test_other_truth_is_not_graded(tmp_path):
    out = published(tmp_path, strategy="naive")
    report = attack_minimality(out, SPEC, CLINIC.with_columns(disease=pl.lit("flu")))
    assert report.graded is None and report.truth_differs


def test_one_sensitive_column(tmp_path):
    out = published(tmp_path, strategy="naive")
    with pytest.raises(VoileError, match="2 sensitive columns"):
        attack_minimality(out, SPEC | {"name": "sensitive"}, CLINIC)
