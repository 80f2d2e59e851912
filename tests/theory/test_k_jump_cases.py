"""The worked cases of Liu et al. 2015: every table, every counterexample, and the paper's claims by their
names."""

from fractions import Fraction
from itertools import combinations

import pytest

from tests.oracle.k_jump_literal import fewest, highest, persons
from tests.theory.liu_et_al import Case, codes, partition
from voile.core.generalizations import Generalizations
from voile.theory.evaluation import disclosure_set, evaluate, permutation_set
from voile.theory.set_properties import Distinct, HighestRatio
from voile.theory.strategies import Strategy

HALF = Fraction(1, 2)
EVALUATED = range(40)
MILLIONS = 100_000  # of steps: eight functions are estimated at more than the usual limit


def evaluated(cases):
    return [case for case in cases["cases"] if "path" in case.get("expected", {})]


def named(cases, name):
    (case,) = [case for case in cases["cases"] if case["id"] == name]
    return case


def plain(path):
    return [list(step) if isinstance(step, tuple) else step for step in path]


def test_there_are_all_cases(k_jump_cases):
    assert len(evaluated(k_jump_cases)) == len(EVALUATED)
    assert len(k_jump_cases["cases"]) == len(EVALUATED) + 7  # two secret choices, five counterexamples


@pytest.mark.parametrize("number", EVALUATED)
def test_evaluation(k_jump_cases, number):
    """Outcome, path, and of every permutation and disclosure set the size, the extremes and the verdict."""
    given = evaluated(k_jump_cases)[number]
    case, expected = Case(given), given["expected"]
    sequence, values, wanted, strategy = case.product()
    found = evaluate(sequence, values, wanted, strategy)
    assert (found.outcome, plain(found.path)) == (expected["outcome"], expected["path"])
    for each in expected["per"]:
        per = permutation_set(sequence, values, wanted, each["i"])
        assert (per.size, per.holds) == (each["size"], each["holds"])
    on_path = {step.function: step.ds for step in found.steps if step.ds is not None}
    for function, each in expected["ds"].items():
        sets = [case.ds(int(function))] + ([on_path[int(function)]] if int(function) in on_path else [])
        for ds in sets:
            assert (ds.size, ds.highest, ds.holds) == (each["size"], Fraction(each["max_ratio"]), each["holds"])
            assert "min_distinct" not in each or ds.fewest == each["min_distinct"]
    assert case.kind == "naive" or set(on_path) <= set(map(int, expected["ds"]))


def table10(case):
    """The tables of per_3 that g_1 does not disclose, with the persons the text looks at."""
    search, t0 = Case(case).literal()
    at = {person: i for i, person in enumerate(case["identities"])}
    kept = [t for t in search.per(3, t0) if not search.p_per(1, t)]
    return [({person: t[at[person]] for person in "HINO"}, t) for t in kept]


def test_theorem_2(k_jump_cases):
    """a_jump(i), i > 1, may disclose what a_jump(1) does not: Table 10, with the subsets of the proof."""
    one, two = (named(k_jump_cases, f"theorem2_table10/k{k}") for k in (1, 2))
    assert (evaluate(*Case(one).product()).outcome, evaluate(*Case(two).product()).outcome) == (None, 3)
    expected, kept = one["expected"]["subsets"], table10(one)
    first = [(p, t) for p, t in kept if p["I"] == "C6"]
    others = {v: [t for p, t in kept if p["I"] != "C6" and p["N"] == p["O"] == v] for v in ("C7", "C8", "C9")}
    assert len(kept) == expected["S1"] + sum(len(tables) for tables in others.values())
    assert [len(first), *map(len, others.values())] == [expected[f"S{i}"] for i in (1, 2, 3, 4)]
    assert sum(p["N"] == p["O"] for p, _ in first) == expected["S1_prime"]
    mixed = [(p, t) for p, t in first if {p["N"], p["O"]} == {"C7", "C8"}]
    halves = {
        "a": [t for p, t in mixed if p["H"] == "C6"],
        "b": [t for p, t in mixed if p["H"] in ("C4", "C5")],
    }
    assert len(mixed) == expected["sub_NO_C7C8"]
    for name, tables in halves.items():
        assert len(tables) == expected[name]
        for t in (min(tables), max(tables)):
            ds = Case(one, values=list(t)).ds(2)
            assert (ds.size, ds.highest) == (
                expected[f"ds2_{name}"]["size"],
                Fraction(expected[f"ds2_{name}"]["max_ratio"]),
            )
    for case in (one, two):
        given = Case(case)
        assert given.ratio(given.ds(3), "I", "C6") == Fraction(case["expected"]["subsets"]["ratio_I_C6"])


G1, G2, FILLER = "ABC|DE|FG|HI|JKL", "ABCD|EF|GH|IJKL", "ABCDE|FG|HIJKL"
LEFT, RIGHT, ALL = "ABCDEFG|HIJKL", "ABCDEF|GHIJKL", "ABCDEFGHIJKL"


@pytest.mark.parametrize("i, j", [(2, 3), (2, 4), (3, 4), (3, 5), (2, 6)])
def test_theorem_3(k_jump_cases, i, j):
    """a_jump(i) and a_jump(j), 1 < i < j, are incomparable: both sides of Table 11."""
    values = named(k_jump_cases, "theorem3_table11_left/i2_j3/k2")["sensitive"]
    left = [G1, G2, *[FILLER] * (i - 1), *[LEFT] * (j - i), ALL]
    right = [G1, G2, *[FILLER] * (j - 2), RIGHT, ALL]

    def ends(functions, k):
        sequence = Generalizations.of_groups([partition(text) for text in functions], len(values))
        strategy = Strategy.jump(k, len(functions))
        found = evaluate(sequence, codes(values), HighestRatio(HALF), strategy, limit=MILLIONS)
        last = found.steps[-1]
        return found.outcome, last.function, last.ds.size, last.ds.highest

    widest = (j + 2, j + 2, 32_659_200, Fraction(2, 9))
    assert len(left) == len(right) == j + 2
    assert ends(left, i) == (i + 2, i + 2, 72_000, Fraction(2, 5))
    assert ends(left, j) == ends(right, j) == widest
    assert ends(right, i) == (None, j + 1, 14_400, 1)


def test_proposition_2(k_jump_cases):
    """Reuse of g_2 after the last function discloses what nothing else does: Table 12, with its subsets."""
    alone, reused = (named(k_jump_cases, f"proposition2_table12/{a}") for a in ("a1", "a2_reuse_g2"))
    assert (evaluate(*Case(alone).product()).outcome, evaluate(*Case(reused).product()).outcome) == (None, 4)
    expected = alone["expected"]["subsets"]
    search, t0 = Case(alone).literal()
    ds2 = search.ds(2, t0)
    s1 = {t for t in ds2 if t[2] == "C3"}
    s2 = {t for t in ds2 - s1 if t[3] == t[4] == "C3"}
    s3 = {t for t in ds2 - s1 if t[5] == t[6] == "C3"}
    s12, s13 = ({t for t in s1 if t[a] == t[a + 1] == "C3"} for a in (3, 5))
    s11 = s1 - s12 - s13
    parts = {"S1": s1, "S2": s2, "S3": s3, "S11": s11, "S12": s12, "S13": s13}
    assert {name: len(tables) for name, tables in parts.items()} == {name: expected[name] for name in parts}
    assert s1 | s2 | s3 == ds2
    case = Case(alone)
    assert case.ratio(case.ds(2), "C", "C3") == Fraction(3, 5)
    for part, ratio in ((s12, "3/5"), (s13, "1"), (s2, "3/5"), (s3, "1")):  # g_3 on its face
        assert {highest(search.per(3, t)) for t in part} == {Fraction(ratio)}
    for t in (min(s11), max(s11)):
        ds, third = search.ds(3, t), Case(alone, values=list(t)).ds(3)
        both = [u for u in ds if u[0] == u[1] == "C3"]
        two = [u for u in ds if u[2:5].count("C3") == 2]
        assert (len(ds), len(both), len(two)) == tuple(expected["ds3_of_S11"][x] for x in ("size", "S111", "S112"))
        assert (third.size, third.highest, third.holds) == (len(ds), HALF, True)
        assert {search.p_per(2, u) for u in two if u[2] == "C3"} == {True}  # erratum 3: the cases are swapped
        assert {search.p_per(2, u) for u in two if u[2] != "C3"} == {False}
    search, t0 = Case(reused).literal()
    again = search.ds(4, t0)
    assert again == s12 | s13 | s2 | s3
    assert [Fraction(person["C3"], len(again)) for person in persons(again)[5:]] == [HALF, HALF]


@pytest.mark.parametrize("name", ["max_ratio", "distinct"])
def test_theorem_8(k_jump_cases, name):
    """A secret choice among naive searches tells who has C0: Table 18, its average, and the true posterior."""
    given = named(k_jump_cases, f"theorem8_table17_18/{name}")
    case, expected = Case(given), given["expected"]
    last = given["algorithm"]["disclosed"]
    chosen = [s for size in range(2, last + 1) for s in combinations(range(1, last + 1), size)]
    assert len(chosen) == expected["n_secret_choices"]
    chosen = [subset for subset in chosen if last in subset]
    assert len(chosen) == expected["n_after_disclosure"] == len(expected["table18"])
    rows = {tuple(int(g[1:]) for g in row["subset"]): row for row in expected["table18"]}
    found = {}
    for subset in chosen:
        sequence = Generalizations.of_groups([case.functions[i - 1] for i in subset], len(case.values))
        naive = Strategy.naive(len(subset))
        found[subset] = disclosure_set(sequence, codes(case.values), case.wanted, naive, len(subset))
        told = {person: str(case.ratio(found[subset], person, "C0")) for person in "ABC"}
        assert (found[subset].size, told) == (rows[subset]["ds_size"], rows[subset]["P_C0"])
    total = sum(ds.size for ds in found.values())
    for person in "ABC":
        told = {subset: case.ratio(ds, person, "C0") for subset, ds in found.items()}
        assert sum(told.values()) / len(told) == Fraction(expected["uniform_average_P_C0"]) > HALF
        weighed = sum(share * found[subset].size for subset, share in told.items()) / total
        assert weighed == Fraction(expected["bayes_posterior_P_C0"]) > HALF


def test_table_13_with_the_misprint_has_another_set(k_jump_cases):
    given = named(k_jump_cases, "counterexample/T13_k[i]_differs")
    case, data = Case(given), given["data"]
    printed, t = case.literal(as_printed=True)
    search, _ = case.literal()
    assert len(printed.ds(data["target"], t)) == data["printed"]
    assert len(search.ds(data["target"], t)) == data["fixed"] == case.ds(data["target"]).size


def test_table_13_with_the_misprint_has_another_verdict(k_jump_cases):
    given = named(k_jump_cases, "counterexample/T13_k[i]_flips_verdict")
    case, data, target = Case(given), given["data"], given["data"]["target"]
    printed, t = case.literal(as_printed=True)
    misprinted, ds = printed.ds(target, t), case.ds(target)
    assert (len(misprinted), str(highest(misprinted)), fewest(misprinted)) == (data["printed"], data["rx"], 1)
    assert (ds.size, str(ds.highest), ds.holds) == (data["fixed"], data["ry"], True)
    found = evaluate(*Case(given, values=given["t0_on_path"]).product())
    assert [found.outcome, plain(found.path)] == data["outcome_fixed_for_t0_on_path"]


def test_a_reused_function_may_have_more_tables(k_jump_cases):
    """Erratum 6: a table may jump over g_i and land on its reuse."""
    given = named(k_jump_cases, "counterexample/REUSE_ds_subset_violated_kvec")
    functions = Case(given).functions
    case = Case(given, functions=[*functions, functions[given["data"]["i"] - 1]], k=[*given["data"]["k"], 1])
    search, t = case.literal()
    before, after = search.ds(given["data"]["i"], t), search.ds(case.n, t)
    assert not after <= before
    assert (len(before), len(after)) == (case.ds(given["data"]["i"]).size, case.ds(case.n).size)


def test_theorem_4_second_case_does_not_hold_as_written(k_jump_cases):
    """Erratum 5: ds under k1 is not within ds under k2."""
    given = named(k_jump_cases, "counterexample/THM4_sub2_subset_violated")
    data = given["data"]
    one, two = (Case(given, k=data[k]) for k in ("k1", "k2"))
    sets = [search.ds(data["target"], t) for search, t in (one.literal(), two.literal())]
    assert not sets[0] <= sets[1]
    assert [one.ds(data["target"]).size, two.ds(data["target"]).size] == [data["n1"], data["n2"]]
    assert list(map(len, sets)) == [data["n1"], data["n2"]]


def test_theorem_1_does_not_hold_where_the_counts_are_known(k_jump_cases):
    """Erratum 7: the tables that end in nothing tell more than the property allows, although it holds for all."""
    given = named(k_jump_cases, "counterexample/EMPTY_unsafe_when_multiset_known")
    case = Case(given)
    nothing = case.ds(case.n + 1)
    assert (nothing.size, str(nothing.highest), nothing.holds) == (
        given["data"]["nE"],
        given["data"]["max"],
        False,
    )
    assert permutation_set(*case.product()[:3], case.n).holds  # g_5: everybody in one group


def test_table_4_has_six_columns(k_jump_cases):
    """Erratum 8, and Table 3: whom ds_2 gives away."""
    case = Case(named(k_jump_cases, "table4/t3/safe/distinct"))
    assert case.ds(2).size == 6
    first = Case(named(k_jump_cases, "table1-4/naive1/distinct"))
    assert [first.ratio(first.ds(2), person, "cancer") for person in "CD"] == [1, 1]
    assert first.ds(2).persons_above(HALF) == 2


def test_table_2(k_jump_cases):
    """t1 passes g_1 and so is no guess; t2 is one."""
    case = Case(named(k_jump_cases, "table1-4/naive1/distinct"))
    search, t0 = case.literal()
    t1 = ("cancer", "flu", "cold", "cancer", "headache", "toothache")
    t2 = ("cold", "flu", "cancer", "cancer", "headache", "toothache")
    assert {t1, t2} <= search.per(2, t0)
    assert [t in search.ds(2, t0) for t in (t1, t2)] == [False, True]
    assert [evaluate(*Case(given(t), functions=case.functions).product()).outcome for t in (t1, t2)] == [1, 2]


def given(values):
    return {
        "sensitive": list(values),
        "property": {"type": "distinct", "L": 2},
        "algorithm": {"kind": "naive", "k": 1},
    }


def test_distances_that_end_in_nothing_are_the_same(k_jump_cases):
    """Erratum 5: k[1] is never used, and all jumps beyond g_n are one."""
    case = Case(named(k_jump_cases, "table1-4/jump1/distinct"))
    sequence, values, _, _ = case.product()
    ends = {
        tuple(evaluate(sequence, values, Distinct(2), Strategy.jump(k, 3)).path)
        for k in ([1, 2, 1], [1, 3, 1], [3, 2, 2], [2, 3, 3])
    }
    assert len(ends) == 1
