"""Every model against its literal definition, exactly."""

import json
import math
from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.earth_mover import earth_movers_distance
from tests.small_tables import TREE, UNBALANCED, axis_of
from voile import catalog
from voile.core.bags import Bag, Bags
from voile.core.hierarchy import Hierarchy
from voile.core.parameters import exact_number
from voile.errors import ParameterError

MODELS = catalog.models()


def shares(bag, values):
    count = Counter(bag)
    return [Fraction(count[v], len(bag)) for v in values]


def entropy_l(bag, table, domain):
    """The largest m / 10^4 with n^n >= (m / 10^4)^n prod c^c."""
    n, product = len(bag), math.prod(c**c for c in Counter(bag).values())
    m = 10**4
    step = 10**4 * n
    while step:
        if (m + step) ** n * product <= n**n * 10 ** (4 * n):
            m += step
        else:
            step //= 2
    return Fraction(m, 10**4)


def ln(number):
    with localcontext(Context(prec=60)):
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()


def recursive(bag, table, domain, ell=2):
    counts = sorted(Counter(bag).values(), reverse=True)
    tail = sum(counts[ell - 1 :])
    return Fraction(counts[0], tail) if tail else math.inf


def delta(bag, table, domain):
    values = sorted(set(table))
    worst = Fraction(0)
    for q, p in zip(shares(bag, values), shares(table, values), strict=True):
        if q == 0:
            return math.inf
        worst = max(worst, Fraction(math.ceil(abs(ln(q / p)) * 10**4), 10**4))
    return worst


def beta(bag, table, domain, variant="enhanced"):
    values = sorted(set(table))
    worst = Fraction(0)
    for q, p in zip(shares(bag, values), shares(table, values), strict=True):
        if q > p:
            lift = (q - p) / p
            if variant == "enhanced" and Decimal(lift.numerator) / Decimal(lift.denominator) > -ln(p):
                return math.inf
            worst = max(worst, lift)
    return worst


def height(tree, node):
    """Levels between a node and its deepest leaf."""
    children = [c for c in range(len(tree.labels)) if tree.parent[c] == node]
    return 1 + max(height(tree, c) for c in children) if children else 0


def ground_distance(domain, values, kind):
    if kind in ("auto", "ordered") and domain is not None and not isinstance(domain, Hierarchy):
        return lambda i, j: Fraction(abs(i - j), max(1, len(values) - 1))
    if kind in ("auto", "hierarchical") and isinstance(domain, Hierarchy) and not domain.is_flat:
        root = height(domain, len(domain.labels) - 1)
        return lambda i, j: Fraction(height(domain, domain.ancestor(*sorted((values[i], values[j])))), root)
    return lambda i, j: Fraction(int(i != j))


def closeness(bag, table, domain, kind="auto"):
    values = sorted(set(table))
    distance = ground_distance(domain, values, kind)
    return earth_movers_distance(shares(bag, values), shares(table, values), distance)


def top_share(bag):
    return Fraction(max(Counter(bag).values()), len(bag))


def least_tau(bag, table, domain, ell=2):
    """The least tau with F(k) <= psi(k) for every k; 1 is always enough, so it is looked for among candidates."""
    counts = sorted(Counter(bag).values(), reverse=True)
    share = [Fraction(sum(counts[:k]), len(bag)) for k in range(1, max(ell, len(counts)) + 1)]

    def kept(tau):
        psi = [min(Fraction(1), tau + (1 - tau) * Fraction(k, ell - 1)) for k in range(len(share))]
        return all(f <= p for f, p in zip(share, psi, strict=True))

    lines = [(share[k] - Fraction(k, ell - 1)) / (1 - Fraction(k, ell - 1)) for k in range(ell - 1)]
    return min(tau for tau in lines if kept(tau))


def risk(bag, table, domain):
    return Fraction(1, len(bag))


DEFINITIONS = {
    "k_anonymity": lambda bag, table, domain: Fraction(len(bag)),
    "distinct_l_diversity": lambda bag, table, domain: Fraction(len(set(bag))),
    "frequency_l_diversity": lambda bag, table, domain: 1 / top_share(bag),
    "unique_distinct_l_diversity": lambda bag, table, domain: Fraction(
        len(bag) if len(set(bag)) == len(bag) else 0
    ),
    "m_uniqueness": lambda bag, table, domain: Fraction(len(bag) if len(set(bag)) == len(bag) else 0),
    "alpha_k_anonymity": lambda bag, table, domain: top_share(bag),
    "tau_l_diversity": least_tau,
    "entropy_l_diversity": entropy_l,
    "recursive_cl_diversity": recursive,
    "t_closeness": closeness,
    "delta_disclosure": delta,
    "beta_likeness": beta,
    "prosecutor_risk": risk,
    "journalist_risk": risk,
}
VARIANTS = [
    ("recursive_cl_diversity", {"l": 1}, lambda b, t, d: recursive(b, t, d, 1)),
    ("recursive_cl_diversity", {"l": 3}, lambda b, t, d: recursive(b, t, d, 3)),
    ("tau_l_diversity", {"l": 3}, lambda b, t, d: least_tau(b, t, d, 3)),
    ("tau_l_diversity", {"l": 6}, lambda b, t, d: least_tau(b, t, d, 6)),
    ("beta_likeness", {"variant": "basic"}, lambda b, t, d: beta(b, t, d, "basic")),
    ("alpha_k_anonymity", {"k": 3}, lambda b, t, d: top_share(b) if len(b) >= 3 else math.inf),
    *(
        ("t_closeness", {"distance": kind}, lambda b, t, d, kind=kind: closeness(b, t, d, kind))
        for kind in ("equal", "ordered", "hierarchical")
    ),
]


def test_every_model_has_a_definition_here():
    assert set(DEFINITIONS) | {"marketer_risk"} == set(MODELS)


groupings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)
domains = st.sampled_from([None, TREE, UNBALANCED, axis_of([0, 4]), Hierarchy.flat(list("abcde"))])


def grouped(rows):
    group = np.unique([r[0] for r in rows], return_inverse=True)[1]
    return group, [np.array([r[i] for r in rows]) for i in (1, 2)]


def assert_defined(model, others, definition, group, columns, meanings):
    """Figure, limiting group, verdicts and failing groups at bounds around the figure."""
    bags = Bags.of(group, columns, domains=meanings)
    bag = [[c[group == g].tolist() for g in range(group.max() + 1)] for c in columns]
    figures = [
        [definition(b, column.tolist(), domain) for b in bag_]
        for bag_, column, domain in zip(bag, columns, meanings, strict=True)
    ]
    upper = model.sense != ">="
    of_group = [max(f) if upper else min(f) for f in zip(*figures, strict=True)]
    expected = max(of_group) if upper else min(of_group)
    achieved, worst = model.achieved(bags, **others)
    assert achieved == expected, model.key
    assert of_group[worst] == expected
    kept = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, "<": lambda a, b: a < b}[model.sense]
    middle = Fraction(1) if expected == math.inf else expected
    for bound in (middle, middle + Fraction(1, 10**4), middle - Fraction(1, 10**4), Fraction(2)):
        if bound <= 0:
            continue
        promise = model(**{model.bound: bound}, **others)
        assert promise.check(bags).ok == kept(expected, bound)
        broken = [g for g, figure in enumerate(of_group) if not kept(figure, bound)]
        assert promise.failing(bags) == (len(broken), sum(len(bag[0][g]) for g in broken))


@pytest.mark.slow
@settings(max_examples=60)
@given(groupings, domains, st.sampled_from([None, TREE, axis_of([0, 4])]))
def test_achieved_is_the_worst_over_groups_and_columns(rows, first, second):
    group, columns = grouped(rows)
    if first is UNBALANCED:
        columns[0] = columns[0] % 4
    for key, definition in DEFINITIONS.items():
        assert_defined(MODELS[key], {}, definition, group, columns, (first, second))
    for key, others, definition in VARIANTS:
        assert_defined(MODELS[key], others, definition, group, columns, (first, second))


@given(groupings)
def test_marketer_risk_is_a_figure_of_the_table(rows):
    group, columns = grouped(rows)
    bags = Bags.of(group, columns)
    expected = sum(Fraction(1, len(rows)) for _ in set(group))
    assert MODELS["marketer_risk"].achieved(bags)[0] == expected
    assert MODELS["marketer_risk"](risk=expected).check(bags).ok
    assert not MODELS["marketer_risk"](risk=expected / 2).check(bags).ok


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_persons_count_once(rows):
    """Sizes count persons, bags count persons who have a value."""
    used = sorted({g for g, _, _ in rows if g >= 0})
    group = np.array([used.index(g) if g >= 0 else -1 for g, _, _ in rows], np.int64)
    persons, values = (np.array([r[i] for r in rows], np.int64) for i in (1, 2))
    bags = Bags.of(group, [values], subject=persons)
    for g in range(len(used)):
        pairs = {(r[1], r[2]) for r, mine in zip(rows, group, strict=True) if mine == g}
        assert bags.sizes[g] == len({p for p, _ in pairs})
        bag = bags.columns[0]
        held = slice(bag.start[g], bag.start[g + 1])
        assert dict(zip(bag.codes[held], bag.counts[held], strict=True)) == Counter(v for _, v in pairs)
        assert bags.rows[g] == (group == g).sum()


def test_ten_rows_of_one_person_are_no_crowd():
    group, values = np.zeros(10, int), np.arange(10)
    alone = Bags.of(group, [values], subject=np.zeros(10, int))
    assert MODELS["k_anonymity"].achieved(alone) == (1, 0)
    assert MODELS["frequency_l_diversity"].achieved(alone) == (1, 0)
    assert MODELS["unique_distinct_l_diversity"].achieved(alone) == (1, 0)
    assert MODELS["prosecutor_risk"].achieved(alone) == (1, 0)
    crowd = Bags.of(group, [values], subject=np.arange(10))  # positive control
    assert MODELS["k_anonymity"].achieved(crowd) == (10, 0)


@pytest.mark.parametrize("columns", [0, 1, 2])
def test_nothing_published_breaks_no_promise(columns):
    for rows in (0, 2):
        bags = Bags.of(np.full(rows, -1), [np.zeros(rows, int)] * columns)
        for model in MODELS.values():
            assert model.achieved(bags) == (None, None)
            assert model(**{model.bound: Fraction(1)}).check(bags).ok


@pytest.mark.parametrize("domain", [None, TREE, axis_of([0, 4])])
def test_one_value_only(domain):
    """Nothing is learned from a group of a table with one value; l says it is no secret either."""
    bags = Bags.of(np.array([0, 0, 1]), [np.array([2, 2, 2])], domains=[domain])
    figures = {key: model.achieved(bags)[0] for key, model in MODELS.items()}
    assert figures["t_closeness"] == figures["delta_disclosure"] == figures["beta_likeness"] == 0
    assert figures["entropy_l_diversity"] == figures["frequency_l_diversity"] == figures["alpha_k_anonymity"] == 1
    assert figures["recursive_cl_diversity"] == math.inf


def test_thresholds_are_exact():
    """7 of 21 is exactly 1/3; one more row of the value is not."""
    frequency = MODELS["frequency_l_diversity"]
    values = np.repeat([0, 1, 2, 3], [7, 7, 4, 3])
    assert frequency(l=3).check(Bags.of(np.zeros(21, int), [values])).ok
    values = np.repeat([0, 1, 2, 3], [8, 7, 4, 3])
    assert not frequency(l=3).check(Bags.of(np.zeros(22, int), [values])).ok


def whole_table(counts):
    return Bags.of(np.zeros(sum(counts), int), [np.repeat(np.arange(len(counts)), counts)])


@pytest.mark.parametrize(
    "counts, exactly",
    [
        ([1] * 4, 4),
        ([250_000] * 4, 4),
        ([4, 1, 1, 1, 1], 4),  # ln 8 - (4 ln 4) / 8 = ln 4
        ([200_000, 50_000, 50_000, 50_000, 50_000], 4),
        ([1] * 7, 7),
    ],
)
def test_entropy_at_a_whole_number(counts, exactly):
    """Where exp(entropy) is a whole number a float may fall short of it; the promise holds."""
    entropy = MODELS["entropy_l_diversity"]
    assert entropy.achieved(whole_table(counts))[0] == exactly
    assert entropy(l=exactly).check(whole_table(counts)).ok
    assert not entropy(l=exactly + Fraction(1, 10**4)).check(whole_table(counts)).ok
    one_more = [counts[0] + 1, *counts[1:]]
    assert not entropy(l=exactly).check(whole_table(one_more)).ok


def test_recursive_is_strict():
    recursive_ = MODELS["recursive_cl_diversity"]
    assert not recursive_(c=Fraction(2), l=2).check(whole_table([4, 1, 1])).ok
    assert recursive_(c=Fraction(2), l=2).check(whole_table([4, 1, 1, 1])).ok


@pytest.mark.parametrize("largest", [10, 50, 100, 300, 400, 10**6, 10**7, 10**8, 3 * 10**8])
def test_enhanced_beta_near_its_irrational_bound(largest):
    """Half of the table has a value, so it may gain ln 2 in a group. The best fractions for ln 2, some
    below and some above, the last ones nearer than a float can be trusted with."""
    limit = Fraction(ln(Fraction(2)))
    gain = limit.limit_denominator(largest)
    more, size = gain.denominator + gain.numerator, 2 * gain.denominator
    counts = np.array([more, size - more, size - more, more])
    sizes = np.array([size, size])
    bags = Bags(sizes, (Bag(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), counts),), sizes)
    assert MODELS["beta_likeness"].achieved(bags, variant="basic")[0] == gain
    assert MODELS["beta_likeness"].achieved(bags)[0] == (gain if gain < limit else math.inf)


def test_numbers_too_large_for_64_bits():
    """The lower half of a line in one group, the upper in another, two thousand million rows each."""
    values, each = 1000, 4 * 10**6
    bag = Bag(np.array([0, 500, 1000]), np.arange(values), np.full(values, each), axis_of([0, values]))
    sizes = np.array([500 * each] * 2)
    line = Bags(sizes, (bag,), sizes)
    assert MODELS["t_closeness"].achieved(line)[0] == Fraction(values, 4) / (values - 1)
    assert MODELS["t_closeness"](t=Fraction(1, 4)).failing(line) == (2, values * each)
    assert MODELS["t_closeness"](t=Fraction("0.251")).check(line).ok


@pytest.mark.parametrize("key", MODELS)
def test_cards(key):
    model = MODELS[key]
    names = [card.name for card in model.parameters()]
    assert model.bound in names and model.sense in (">=", "<=", "<")
    assert all(card.help and card.rule() for card in model.parameters())
    promise = model.configure({model.bound: 2})
    assert model.configure(promise.settings()) == promise
    json.dumps(promise.settings())
    with pytest.raises(ParameterError):
        model.configure({model.bound: "many"})


def test_bounds_are_read_exactly():
    closeness_ = MODELS["t_closeness"]
    assert closeness_.configure({"t": "0.1"}).t == closeness_.configure({"t": 0.1}).t == Fraction(1, 10)
    assert closeness_.configure({"t": "1/3"}).settings() == {"t": "1/3", "distance": "auto"}
    for wrong in ("0", "-1", "1e9", "1/0", "", "nan", True, None, "9" * 99):
        assert not exact_number(wrong)
        with pytest.raises(ParameterError, match="above 0"):
            closeness_.configure({"t": wrong})
    with pytest.raises(ParameterError, match="4 decimal places"):
        MODELS["entropy_l_diversity"].configure({"l": "1/3"})


@pytest.mark.parametrize("key", [key for key, model in MODELS.items() if model.survives_merging])
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=14))
@settings(max_examples=60)
def test_what_survives_merging_is_never_worse_for_the_union(key, rows):
    """Groups 0 and 1 of each half, and the halves: the bound that both groups keep, their union keeps."""
    model = MODELS[key]
    half, fine, values = (np.array(part) for part in zip(*rows, strict=True))
    apart = np.unique(half * 2 + fine, return_inverse=True)[1]
    halves = np.unique(half, return_inverse=True)[1]
    others = {"l": 3} if key in ("recursive_cl_diversity", "tau_l_diversity") else {}
    for domain in (None, TREE, axis_of(range(5))):
        before, after = (
            model.achieved(Bags.of(g, [values], domains=[domain]), **others)[0] for g in (apart, halves)
        )
        assert before <= after if model.sense == ">=" else before >= after
