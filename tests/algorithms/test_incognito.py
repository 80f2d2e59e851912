"""Incognito: worked example, what is published, what is left out of the search, refusals, Adult."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from benchmarks import adult
from tests.small_tables import UNBALANCED, axis_of, column
from voile import catalog
from voile.algorithms.chosen_promise import MODELS
from voile.algorithms.incognito import GOOD_WITH_A_GOOD_PART, MOST_NODES, Incognito
from voile.core.bags import Bags
from voile.core.frequency_set import FrequencySet
from voile.core.hierarchy import Hierarchy
from voile.core.lattice_search import FAILS, LOSSES, PASSES
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, ParameterError
from voile.requirements import promise_of

pytestmark = pytest.mark.slow  # the conformance suite is the daily check

PATIENTS = pl.DataFrame(
    {
        "birth": ["1976", "1986", "1976", "1976", "1986", "1976"],
        "sex": ["m", "f", "m", "m", "f", "f"],
        "zip": ["53715", "53715", "53703", "53703", "53706", "53706"],
        "disease": ["flu", "hepatitis", "bronchitis", "broken arm", "sprained ankle", "hang nail"],
    }
)  # the six patients of LeFevre et al. 2005, Figure 1
ZIPS = "53715;5371*;537**;*\n53710;5371*;537**;*\n53706;5370*;537**;*\n53703;5370*;537**;*\n"


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "zip.csv").write_text(ZIPS)
    return {"birth": "qi", "sex": "qi", "zip": {"role": "qi", "hierarchy": tmp_path / "zip.csv"}, "disease": "sa"}


def test_worked_example(spec):
    """2-anonymity of the paper's patients: with sex and zip alone, <S1, Z0>, <S0, Z2> and above pass, and <S0, Z1>
    does not (its section 2: two men of 5371*, one woman)."""
    table = voile.read(PATIENTS, spec)
    search = Incognito(property="k_anonymity", k=2).search(table)
    sex_and_zip = search.known[1]  # birth at *
    assert sex_and_zip.tolist() == [[FAILS, FAILS, PASSES, PASSES], [PASSES] * 4]
    assert search.best("gcp_leaves").levels == (1, 1, 0)
    assert search.best("height").levels in {(1, 1, 0), (0, 1, 1)}


def test_cells_are_on_one_level_and_read_back(spec, tmp_path):
    """Every cell of a column is a node of the same level, though a group holds a single value under it."""
    release = voile.anonymize(voile.read(PATIENTS, spec), "incognito", property="k_anonymity", k=2, by="dm")
    frame = release.frame
    assert set(frame["zip"]) <= {"53715", "53706", "53703"} or set(frame["zip"]) <= {"5371*", "5370*"}
    assert set(frame["sex"]) == {"*"}, "a flat column is a value or *, never a set"
    release.write(tmp_path / "out")
    found = voile.audit(tmp_path / "out", spec)
    assert found.ok
    assert found.achieved["k_anonymity"].achieved == 2
    answer = voile.estimate(tmp_path / "out", "zip = '53715'", spec=spec)
    assert answer.count > 0


def test_labels_of_levels_that_repeat():
    """a is its own parent on level 1, and x on level 2; d is itself until *."""
    table = Table(
        [
            column("letter", UNBALANCED, [0, 0, 1, 2, 3, 3]),
            column("secret", Hierarchy.flat(list("uv")), [0, 1] * 3, Role.SENSITIVE),
        ]
    )
    part = Incognito(l=2).partition(table)
    nodes = [UNBALANCED.ancestor(low, high) for low, high in zip(part.low[:, 0], part.high[:, 0], strict=True)]
    assert [UNBALANCED.labels[node] for node in nodes] == ["a", "d", "y"], "nodes in the order of their numbers"


def test_intervals_of_numbers_are_those_of_the_level():
    """Twenty ages from 20 to 39: in four parts each group is published as its part, not as what it holds."""
    ages = [20, 20, 23, 26, 28, 39, 39]
    table = Table(
        [
            column("age", axis_of(ages), ages),
            column("secret", Hierarchy.flat(list("uv")), [0, 1, 0, 0, 1, 0, 1], Role.SENSITIVE),
        ]
    )
    part = Incognito(property="k_anonymity", k=2).partition(table)
    assert sorted(zip(part.low[:, 0].tolist(), part.high[:, 0].tolist(), strict=True)) == [
        (20, 24), (25, 29), (35, 39),
    ]  # fmt: skip


def test_only_nodes_that_are_in_doubt_are_counted(spec):
    """No node that lies above one found to pass, or below one found to fail."""
    search = Incognito(property="k_anonymity", k=2).search(voile.read(PATIENTS, spec))
    assert len(search.counted) < search.known.size
    for i, levels in enumerate(search.counted):
        for before in search.counted[:i]:
            above = all(a >= b for a, b in zip(levels, before, strict=True))
            below = all(a <= b for a, b in zip(levels, before, strict=True))
            assert not (above and search.known[before] == PASSES)
            assert not (below and search.known[before] == FAILS)


def test_a_frequency_set_is_the_same_from_wherever_it_is_rolled_up(spec):
    table = voile.read(PATIENTS, spec)
    search = Incognito(property="k_anonymity", k=2).search(table)
    for levels in np.ndindex(search.known.shape):
        found = search.frequency_set(levels)
        group = found.domain.groups(levels)
        counted = table.bags(group)
        assert found.bags.sizes.tolist() == counted.sizes.tolist()
        for ours, theirs in zip(found.bags.columns, counted.columns, strict=True):
            assert [ours.start.tolist(), ours.codes.tolist(), ours.counts.tolist()] == [
                theirs.start.tolist(), theirs.codes.tolist(), theirs.counts.tolist(),
            ]  # fmt: skip


@pytest.mark.parametrize("property", MODELS)
def test_properties_are_monotone_promises_with_a_card(property):
    assert MODELS[property].survives_merging
    assert MODELS[property].key in catalog.models()
    assert set(GOOD_WITH_A_GOOD_PART) <= set(MODELS)


GIVEN = {
    "frequency": {"l": 2},
    "distinct": {"l": 2},
    "recursive": {"l": 2, "c": "3/2"},
    "entropy": {"l": 2},
    "tau_l": {"tau": "1/2", "l": 2},
    "t_closeness": {"t": "0.5"},
    "alpha_k": {"alpha": "1/2", "k": 2},
    "k_anonymity": {"k": 2},
}


@pytest.mark.parametrize("property", MODELS)
@pytest.mark.parametrize("by", LOSSES)
def test_each_property_is_kept_and_certified(property, by, spec):
    algorithm = Incognito.configure({"property": property, "by": by, **GIVEN[property]})
    assert Incognito.configure(algorithm.settings()) == algorithm
    table = voile.read(PATIENTS, spec)
    part = algorithm.partition(table)
    assert promise_of(algorithm) == algorithm.model()
    assert promise_of(algorithm).check(table.bags(part.group)).ok
    assert part.suppressed == 0


ASKED = [
    *GIVEN.items(),
    ("tau_l", {"tau": "99/100", "l": 3}),
    ("tau_l", {"tau": "1/5", "l": 2}),
    ("alpha_k", {"alpha": "0.3", "k": 2}),
]


@pytest.mark.parametrize("property, bounds", ASKED, ids=str)
@given(*[st.lists(st.integers(0, 4), min_size=1, max_size=12)] * 2)
def test_what_is_necessary_is_kept_by_every_union_with_a_good_group(property, bounds, good, other):
    algorithm = Incognito.configure({"property": property, **bounds})
    groups = np.repeat([0, 1], [len(good), len(other)])
    if algorithm.model().broken(Bags.of(groups, [np.array(good + other)]))[0]:
        return
    for values in (good, good + other):
        alone = Bags.of(np.zeros(len(values), np.int64), [np.array(values)])
        assert algorithm.necessary().check(alone).ok


def test_suppression_gives_up_the_groups_that_fail(spec):
    table = voile.read(PATIENTS, spec)
    none, some = (
        Incognito(property="k_anonymity", k=2),
        Incognito(property="k_anonymity", k=2, suppress=Fraction(1, 3)),
    )
    part = some.partition(table)
    assert 0 < part.suppressed <= 2
    assert (part.sizes >= 2).all()
    assert some.search(table).best("gcp_leaves").levels != none.search(table).best("gcp_leaves").levels
    release = voile.anonymize(table, "incognito", property="k_anonymity", k=2, suppress="1/3")
    assert release.frame.height == 6 - part.suppressed


@pytest.mark.parametrize(
    "given, words",
    [
        ({}, "needs l"),
        ({"property": "k_anonymity", "l": 3}, "has no l"),
        ({"property": "k_anonymity"}, "needs k"),
        ({"property": "recursive", "l": 3}, "needs c"),
        ({"property": "alpha_k", "k": 3}, "needs alpha"),
        ({"property": "alpha_k", "k": 3, "alpha": 1}, "every group keeps alpha = 1"),
        ({"property": "t_closeness"}, "needs t"),
        ({"l": 2, "t": "0.1"}, "has no t"),
        ({"property": "tau_l", "l": 3, "tau": 2}, "every group keeps tau = 1"),
        ({"property": "tau_l", "l": 3, "tau": "1.0"}, "every group keeps tau = 1"),
        ({"property": "t_closeness", "t": 5}, "every group keeps t = 1.*5 % is t=0.05"),
        ({"property": "t_closeness", "t": 1}, "every group keeps t = 1"),
        ({"l": 2, "suppress": 2}, "0 to 1"),
        ({"property": "t_closeness", "t": "0.1", "suppress": "0.1"}, "leave suppress out"),
        ({"property": "unique"}, "frequency or distinct"),
        ({"l": 2, "by": "beauty"}, "gcp_leaves"),
    ],
)
def test_parameters_that_make_no_sense(given, words):
    with pytest.raises(ParameterError, match=words):
        Incognito.configure(given)


@pytest.mark.parametrize(
    "given, words, largest",
    [
        ({"l": 3}, "l = 2 is the largest", 2),
        ({"l": 3, "suppress": "0.1"}, "l = 2 is the largest", 2),
        ({"property": "distinct", "l": 5}, "l = 3 is the largest", 3),
        ({"property": "k_anonymity", "k": 9}, "k = 8 is the largest", 8),
        ({"property": "recursive", "l": 3, "c": 1}, "l = 2 is the largest", 2),
        ({"property": "entropy", "l": 3}, "l = 2 is the largest", 2),
        ({"property": "tau_l", "tau": "0.3", "l": 2}, "tau = 0.5 works with l = 2", 1),
    ],
)
def test_refusals_say_what_would_work(given, words, largest):
    ages = list(range(8))
    secrets = [0, 0, 0, 0, 1, 1, 2, 2] if given.get("property") != "recursive" else [0, 0, 0, 1, 1, 1, 2, 2]
    table = Table(
        [
            column("age", axis_of(ages), ages),
            column("secret", Hierarchy.flat(list("uvw")), secrets, Role.SENSITIVE),
        ]
    )
    with pytest.raises(Infeasible, match=words) as refusal:
        Incognito.configure(given).partition(table)
    assert refusal.value.largest_l == largest


def test_a_lattice_too_large_is_refused_before_it_is_looked_at():
    columns = [column(f"q{i}", axis_of(range(100)), range(100)) for i in range(8)]
    secret = column("secret", Hierarchy.flat(list("uv")), [0, 1] * 50, Role.SENSITIVE)
    with pytest.raises(ParameterError, match=f"390625 combinations.*at most {MOST_NODES}.*mondrian"):
        Incognito(l=2).partition(Table([*columns, secret]))


def test_more_columns_than_an_array_has_dimensions():
    """69 columns of one value have one level each and make no node; 70 with two levels make too many."""
    letters = [column(f"q{i}", Hierarchy.flat(["a", "b"]), [0, 0, 1, 1]) for i in range(70)]
    constant = [column(f"c{i}", Hierarchy.flat(["a"]), [0] * 4) for i in range(69)]
    secret = column("secret", Hierarchy.flat(list("uv")), [0, 1] * 2, Role.SENSITIVE)
    table = Table([*constant, letters[0], secret])
    search = Incognito(l=2).search(table)
    assert search.known.tolist() == [PASSES, PASSES]
    assert search.passing() == [(0,) * 70, (*(0,) * 69, 1)]
    assert Incognito(l=2).partition(table).group.tolist() == [0, 0, 1, 1]
    with pytest.raises(ParameterError, match=f"10.21 combinations.*at most {MOST_NODES}.*fewer quasi-identifying"):
        Incognito(l=2).partition(Table([*letters, secret]))
    only = Table([*constant, secret])
    assert Incognito(l=2).partition(only).group.tolist() == [0] * 4


@pytest.mark.parametrize("given", [{"l": 2}, {"l": 2, "suppress": "0.4"}, {"property": "k_anonymity", "k": 3}])
def test_counts_are_rolled_up_from_the_smallest_set_at_hand(given, monkeypatch):
    """Looking one step below is enough: no finer node at hand has fewer counts."""
    rolled_up, seen = FrequencySet.rolled_up, []

    def watched(self, levels):
        seen.append((self, levels))
        return rolled_up(self, levels)

    monkeypatch.setattr(FrequencySet, "rolled_up", watched)
    rng = np.random.default_rng(3)
    codes = [rng.integers(0, high, 40) for high in (3, 6, 30)]
    table = Table(
        [
            column("letter", UNBALANCED, codes[0]),
            column("tree", Hierarchy.from_lines([[f"{i}", f"h{i // 2}", "*"] for i in range(6)]), codes[1]),
            column("number", axis_of([0, 29]), codes[2]),
            column("secret", Hierarchy.flat(list("uvw")), rng.integers(0, 3, 40), Role.SENSITIVE),
        ]
    )
    Incognito.configure(given).search(table)
    at_hand = [seen[0][0]]
    for source, levels in seen:
        finer = [one for one in at_hand if all(map(int.__le__, one.levels, levels))]
        assert source.entries == min(one.entries for one in finer)
        at_hand.append(rolled_up(source, levels))
    assert len(seen) > 6


def test_further_promises_are_refused(spec):
    with pytest.raises(ParameterError, match="does not survive the merging"):
        voile.anonymize(voile.read(PATIENTS, spec), "incognito", property="k_anonymity", k=2, also="k>=3")


@pytest.mark.slow
def test_adult(twins):
    """Of 720 nodes few are counted. What ARX finds on the real table, `benchmarks.figures` finds, too."""
    spec = adult.tree_columns() | {adult.SENSITIVE: {"role": "sensitive"}}
    table = voile.read(adult.complete_rows(*adult.SIX, adult.SENSITIVE), spec)
    losses = []
    for ell in (3, 5):
        search = Incognito(l=ell, by="gcp_minus1").search(table)
        assert search.known.size == 720
        assert len(search.counted) < 60
        best = search.best("gcp_minus1").levels
        losses.append(float(search.loss(best, "gcp_minus1") / table.n / 6))
    assert 0.3 < losses[0] < losses[1] < 1, "all rows of a table lose together"
