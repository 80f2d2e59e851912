"""k-jump and secret choice as algorithms: the paper's tables as real ones, promises, refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import voile
from tests.oracle.every_draw import every_draw
from tests.small_tables import axis_of, column, table_from
from voile import catalog
from voile.algorithms.k_jump import KJump
from voile.algorithms.secret_choice import SecretChoice, subset
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import BeyondReach, Infeasible, NothingDisclosed, ParameterError, SpecError
from voile.requirements import promise_of

PATIENTS = pl.DataFrame(
    {
        "name": ["Alice", "Bob", "Charlie", "David", "Eve", "Fen"],
        "born": [1990, 1985, 1974, 1962, 1953, 1941],
        "condition": ["flu", "cold", "cancer", "cancer", "headache", "toothache"],
    }
)
BORN = Hierarchy.from_lines(
    [
        [str(year), f"{decade}s", "*"]
        for year, decade in ((1990, 1980), (1985, 1980), (1974, 1960), (1962, 1960), (1953, 1940), (1941, 1940))
    ]
)
SPEC = {"name": "id", "born": {"role": "qi", "type": "integer"}, "condition": "sensitive"}
TABLE_1 = [  # of the paper
    [{"born": "[1980, 1999]"}, {"born": "[1960, 1979]"}, {"born": "[1940, 1959]"}],
    [{"born": "[1970, 1999]"}, {"born": "[1940, 1969]"}],
    [{"born": "[1960, 1999]"}, {"born": "[1940, 1959]"}],
]


def patients():
    return voile.read(PATIENTS, SPEC)


def published(table, **parameters):
    """The intervals that are published of the paper's patients, and the certificate."""
    release = voile.anonymize(table, "k_jump", **{"l": 2, "sequence": TABLE_1, "utility": "dm", **parameters})
    return release.frame["born"].unique(maintain_order=True).to_list(), release.certificate


@pytest.mark.parametrize(
    ("parameters", "cells", "rung"),
    [
        ({"strategy": "naive"}, ["[1941, 1962]", "[1974, 1990]"], "release"),
        ({"strategy": "safe"}, ["[1941, 1953]", "[1962, 1990]"], "algorithm, marginal"),
        ({"k": 1}, ["[1941, 1953]", "[1962, 1990]"], "algorithm, marginal"),
        ({"k": [1, 1, 3], "property": "distinct"}, ["[1941, 1953]", "[1962, 1990]"], "algorithm, marginal"),
    ],
)
def test_table_1_of_the_paper(parameters, cells, rung):
    found, certificate = published(patients(), **parameters)
    assert found == cells
    assert certificate["adversary"]["rung"] == rung
    assert len(certificate["adversary"]["not_promised"]) == (3 if rung == "release" else 5)


def test_a_hierarchy_is_searched_by_levels():
    table = voile.read(PATIENTS, {**SPEC, "born": {"role": "qi", "hierarchy": BORN}})
    kept = voile.anonymize(table, "k_jump", l=2)
    assert kept.frame["born"].unique().to_list() == ["*"], (
        "two share a span of years and an illness, so only all is left"
    )
    assert kept.certificate["algorithm"]["parameters"]["k"] == 1


def test_nothing_says_when_that_is_safe():
    with pytest.raises(NothingDisclosed, match=r"33\.33 % certainty, which keeps the property") as refusal:
        published(patients(), k=2)
    assert refusal.value.exit_code == 1 and "smaller l" in refusal.value.remedy
    assert not any(value in str(refusal.value) for value in ("cancer", "flu", "1990", "Alice"))


def table_of(case):
    persons = Hierarchy.flat(case["identities"])
    values = sorted(set(case["sensitive"]))
    return Table(
        [
            column("person", persons, range(len(case["identities"]))),
            column("value", Hierarchy.flat(values), [values.index(v) for v in case["sensitive"]], Role.SENSITIVE),
        ]
    )


def parameters_of(case):
    plan = [[{"person": group} for group in function] for function in case["functions"]]
    wanted, strategy = case["property"], case["algorithm"]
    named = {"l": wanted["L"], "property": "distinct"} if "L" in wanted else {"l": 1 / Fraction(wanted["delta"])}
    searched = {"strategy": strategy["kind"]} | ({"k": strategy["k"]} if strategy["kind"] == "jump" else {})
    return {**named, **searched, "sequence": plan, "utility": "as_given"}


@pytest.mark.slow
def test_worked_cases_through_tables(k_jump_cases):
    """The same outcomes as for bare functions: rows of a Table are found by what a plan says of them."""
    tried = 0
    for case in k_jump_cases["cases"]:
        if "outcome" not in case.get("expected", {}):
            continue
        table, search = table_of(case), KJump.configure(parameters_of(case))
        try:
            groups = search.partition(table).group
            expected = case["functions"][case["expected"]["outcome"] - 1]
            found = {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(groups.max() + 1)}
            assert found == {frozenset(case["identities"].index(p) for p in group) for group in expected}
        except (NothingDisclosed, Infeasible):
            assert case["expected"]["outcome"] is None, case["id"]
        tried += 1
    assert tried > 30


def test_secret_choice_draws_every_subset_alike(k_jump_cases):
    """Theorem 8: of 26 subsets, 15 end in the last function for the paper's Table 17."""
    case = next(c for c in k_jump_cases["cases"] if c["id"] == "theorem8_table17_18/max_ratio")
    table = table_of(case)
    given = {name: parameters_of(case)[name] for name in ("l", "sequence", "utility")}

    def one_group(draws):
        try:
            return int(SecretChoice.configure(given).partition(table, lambda share: None, draws).groups) == 1
        except NothingDisclosed:
            return False

    drawn = list(every_draw(one_group))
    assert len(drawn) == case["expected"]["n_secret_choices"] == len({tuple(subset(i, 5)) for i in range(26)})
    assert sum(found for _, found in drawn) == case["expected"]["n_after_disclosure"]
    assert {weight for weight, _ in drawn} == {Fraction(1, 26)}


@pytest.mark.parametrize(
    ("given", "model", "settings"),
    [
        ({"l": 3}, "frequency_l_diversity", {"l": 3}),
        ({"l": "5/3"}, "frequency_l_diversity", {"l": "5/3"}),
        ({"l": 3, "property": "distinct"}, "distinct_l_diversity", {"l": 3}),
        ({"l": 2, "property": "recursive", "c": "3/2"}, "recursive_cl_diversity", {"c": "3/2", "l": 2}),
        ({"l": "1.8", "property": "entropy"}, "entropy_l_diversity", {"l": "9/5"}),
        ({"l": 4, "property": "k_anonymity", "k": 2}, "k_anonymity", {"k": 4}),
    ],
)
@pytest.mark.parametrize("key", ["k_jump", "secret_choice"])
def test_the_promise_follows_the_property(key, given, model, settings):
    own = {name: value for name, value in given.items() if name != "k" or key == "k_jump"}
    algorithm = catalog.algorithm(key).configure(own)
    assert (promise_of(algorithm).key, promise_of(algorithm).settings()) == (model, settings)
    again = catalog.algorithm(key).configure(algorithm.settings())
    assert again == algorithm, "a certificate says all that is needed to run it again"


def test_a_fraction_is_promised_audited_and_kept(tmp_path):
    skewed = PATIENTS.with_columns(condition=pl.Series(["flu"] * 3 + ["gout", "cold", "flu"]))
    with pytest.raises(Infeasible, match=r"66\.67 %"):
        voile.anonymize(voile.read(skewed, SPEC), "k_jump", l=2)
    release = voile.anonymize(voile.read(skewed, SPEC), "k_jump", l="3/2")
    assert release.certificate["promise"]["parameters"] == {"l": "3/2"}
    audited = voile.audit(release.write(tmp_path / "out"), SPEC)
    assert audited.ok


REFUSED = [
    ({"l": 1}, "from 2"),
    ({"l": "1"}, "from 2"),
    ({"l": "0.5"}, "above 1"),
    ({"l": "5/3", "property": "distinct"}, "whole number"),
    ({"l": "5/3", "property": "entropy"}, "4 decimal places"),
    ({"l": 2, "property": "nonsense"}, "parameter property"),
    ({"l": 2, "k": 0}, "parameter k"),
    ({"l": 2, "k": "0"}, "below 1"),
    ({"l": 2, "k": "1+x"}, "parameter k"),
    ({"l": 2, "k": [1, 1]}, "2 jump distances for 3 functions"),
    ({"l": 2, "k": 2, "strategy": "naive"}, "does not jump"),
    ({"l": 2, "reuse": "4"}, "parameter reuse"),
    ({"l": 2, "reuse": "3", "first": 2}, "there are 2 functions from the first one on"),
    ({"l": 2, "reuse": "x"}, "parameter reuse"),
    ({"l": 2, "first": 4}, "parameter first"),
    ({"l": 2, "sequence": []}, "empty"),
    ({"l": 2, "sequence": {1: {2, 3}}}, "parameter sequence"),
    ({"l": 2, "sequence": TABLE_1[::-1]}, "loses less"),
    ({"l": 2, "sequence": "levels", "utility": "as_given"}, "parameter utility"),
    ({"l": 2, "also": "k>=3"}, "k_jump does not survive"),
]


@pytest.mark.parametrize(("given", "words"), REFUSED)
def test_parameters_are_refused(given, words):
    with pytest.raises(ParameterError, match=words):
        voile.anonymize(patients(), "k_jump", **{"sequence": TABLE_1, "utility": "dm", **given})


@pytest.mark.parametrize(
    ("given", "largest"),
    [
        ({"l": 4}, 3),
        ({"l": "7/2"}, 3),
        ({"l": 6, "property": "distinct"}, 5),
        ({"l": 7, "property": "k_anonymity"}, 6),
        ({"l": 5, "property": "entropy"}, 4),
        ({"l": 6, "property": "recursive", "c": 2}, 4),
    ],
)
def test_what_the_whole_table_has_not_is_infeasible(given, largest):
    with pytest.raises(Infeasible) as refusal:
        voile.anonymize(patients(), "k_jump", **given)
    assert refusal.value.largest_l == largest
    assert f"l = {largest} is the largest" in refusal.value.remedy


@pytest.mark.parametrize("key", ["k_jump", "secret_choice"])
def test_kept_columns_are_refused(key):
    table = table_from(list(range(6)), [0] * 6, [0] * 6, [0] * 6, [0, 1, 2] * 2)
    ward = column("ward", Hierarchy.flat(["a", "b"]), [0, 1] * 3, Role.INSENSITIVE)
    with pytest.raises(SpecError, match="1 kept column"):
        voile.anonymize(Table([*table.columns, ward], schema=table.schema), key, l=2)


def test_an_impossible_draw_of_functions_is_refused():
    table = Table(
        [
            *(
                column(f"q{i}", axis_of([0, 99]), rng.tolist())
                for i, rng in enumerate(np.arange(300).reshape(3, 100))
            ),
            column("secret", Hierarchy.flat(list("abcd")), np.arange(100) % 4, Role.SENSITIVE),
        ]
    )
    with pytest.raises(ParameterError, match="at most 60 are drawn from"):
        SecretChoice.configure({"l": 2, "sequence": [{"q0": 0}] * 61, "utility": "as_given"}).partition(table)


def clinic(seed=3, rows=40):
    """Ages in tens, districts of two towns, four illnesses."""
    rng = np.random.default_rng(seed)
    ages, places = rng.integers(20, 80, rows).tolist(), rng.integers(0, 4, rows).tolist()
    towns = Hierarchy.from_lines([["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]])
    return Table(
        [
            column("age", axis_of([20, 79]), ages),
            column("place", towns, places),
            column("illness", Hierarchy.flat(list("wxyz")), [i * i % 7 % 4 for i in range(rows)], Role.SENSITIVE),
        ]
    )


def test_the_limit_decides_how_far_to_jump():
    """From the functions and frequencies alone: whoever has what, k is the same, and so is a refusal."""
    table = clinic()
    easy = KJump(l=2, sequence="cuts").resolve(table)
    tight = KJump(l=2, sequence="cuts", limit=20).resolve(table)
    assert easy.k != tight.k and len(str(tight.k).split("+")) == len(easy.functions(table)) > 2
    rng = np.random.default_rng(1)
    for _ in range(3):
        secret = table.sensitive[0]
        other = Table([*table.quasi, replace(secret, codes=rng.permutation(secret.codes))])
        assert KJump(l=2, sequence="cuts", limit=20).resolve(other) == tight


def test_beyond_the_limit_the_refusal_says_what_fits():
    with pytest.raises(BeyondReach, match="million steps") as refusal:
        KJump(l=2, sequence="cuts", limit=20, strategy="safe").partition(clinic())
    assert refusal.value.exit_code == 1 and "k=1+" in refusal.value.remedy


def test_a_reader_needs_no_sensitive_value_to_know_the_search():
    """What the attack relies on: a certificate's parameters and the quasi-identifiers are the whole search."""
    table = clinic()
    made = KJump(l=2, sequence="cuts", limit=20).resolve(table)
    known = KJump.configure(made.settings()).search(Table(list(table.quasi)))
    own = made.search(table)
    assert known[1:] == own[1:] and known[0].titles == own[0].titles
    assert all((a == b).all() for a, b in zip(known[0].functions, own[0].functions, strict=True))
