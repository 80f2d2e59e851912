"""Checks that every algorithm of the catalog meets before its author writes one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.nights import examples
from tests.small_tables import LETTERS, TREE, axis_of, column, table_from, tables
from voile import catalog
from voile.core.draws import InsecureDraws
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.errors import BeyondReach, Infeasible, NothingDisclosed, VoileError
from voile.requirements import promise_of

ALGORITHMS = list(catalog.algorithms())
REFUSALS = (Infeasible, NothingDisclosed, BeyondReach)
SEARCHES = ("k_jump", "secret_choice")  # for them a table may be beyond reach, or allow nothing
each_algorithm = pytest.mark.parametrize("key", ALGORITHMS)


def bound(key, ell):
    """The parameters that ask for l (or m) values per group, all alike."""
    promise = catalog.algorithm(key).promise
    if promise == "tau_l_diversity":
        return {"tau": f"1/{ell}" if isinstance(ell, int) else "0.5", "l": ell}
    return {catalog.models()[promise].bound: ell}


def partition(key, table, ell=2):
    """The partition, or None when there is none; a randomised algorithm draws the same every time."""
    try:
        algorithm = catalog.algorithm(key).configure(bound(key, ell)).resolve(table)
        draws = () if algorithm.deterministic else (InsecureDraws(7),)
        return algorithm, algorithm.partition(table, lambda share: None, *draws)
    except REFUSALS:
        return None, None


def keeps_promise(algorithm, part, table):
    return promise_of(algorithm).check(table.bags(part.group, part)).ok


@each_algorithm
@settings(max_examples=examples(30, 200))
@given(table=tables(most=30), ell=st.integers(2, 4))
def test_covers_each_row_once_and_keeps_its_promise(key, table, ell):
    algorithm, part = partition(key, table, ell)
    if part is None:
        return
    assert len(part) == table.n
    assert part.sizes.sum() + part.suppressed == table.n
    assert keeps_promise(algorithm, part, table)


@pytest.mark.slow
@each_algorithm
@settings(max_examples=examples(15, 100))
@given(table=tables(most=25), chance=st.randoms(use_true_random=False))
def test_permuted_input_gives_the_same_release(key, table, chance):
    seed = {} if catalog.algorithm(key).deterministic else {"insecure_seed": 7}
    order = list(range(table.n))
    chance.shuffle(order)
    permuted = Table(
        [Column(c.name, c.role, c.domain, c.codes[order]) for c in table.columns], schema=table.schema
    )
    frames, beside = [], []
    for each in (table, permuted):
        try:
            release = voile.anonymize(each, key, **bound(key, 2), **seed)
            frames.append(release.frame)
            beside.append(None if release.sensitive is None else release.sensitive.rows())
        except REFUSALS as refusal:
            frames.append(str(refusal))
    assert frames[0] == frames[1] if isinstance(frames[0], str) else frames[0].equals(frames[1])
    assert beside == beside[::-1]


@each_algorithm
def test_renaming_the_sensitive_values_changes_only_ties(key):
    """Names that sort alike break ties alike: nothing changes. Others may change who ties, but not
    how many groups there are, how large, and what they promise."""
    rng = np.random.default_rng(5)
    secret = np.repeat(np.arange(6), [9, 8, 7, 6, 5, 4])
    n = secret.size
    numbers, others = rng.permutation(1000)[:n].tolist(), rng.permutation(997)[:n].tolist()
    trees, letters = rng.integers(0, 5, n).tolist(), rng.integers(0, 5, n).tolist()
    groups, sizes = [], []
    for names in (np.arange(6), np.array([1, 3, 4, 8, 9, 11]), np.array([3, 5, 0, 4, 1, 2])):
        table = table_from(numbers, others, trees, letters, names[secret].tolist(), values=12)
        algorithm, part = partition(key, table, 3)
        assert keeps_promise(algorithm, part, table)
        groups.append({frozenset(table.quasi[0].codes[part.group == g].tolist()) for g in range(part.groups)})
        sizes.append(sorted(part.sizes.tolist()))
    assert groups[0] == groups[1]
    assert sizes[0] == sizes[1] == sizes[2]


def with_more_marks(n=24, second=Role.SENSITIVE):
    """A second column that must differ in a group: another sensitive one, or the person."""
    rng = np.random.default_rng(9)
    numbers = rng.integers(0, 50, n).tolist()
    return Table(
        [
            column("number", axis_of(numbers), numbers),
            column("secret", Hierarchy.flat(list("abcd")), np.arange(n) % 4, Role.SENSITIVE),
            column("second", Hierarchy.flat([str(i) for i in range(n)]), np.arange(n) // 3 % 5, second),
        ]
    )


@each_algorithm
@pytest.mark.parametrize("second", [Role.SENSITIVE, Role.SUBJECT])
def test_a_second_column_is_kept_apart_or_refused(key, second):
    """Two sensitive columns, or persons with several rows: never silently ignored."""
    table = with_more_marks(second=second)
    try:
        part = catalog.algorithm(key).configure(bound(key, 3)).partition(table)
    except VoileError as refusal:
        assert "elig" in str(refusal), "a refusal says what would work"
        return
    assert part.suppressed == 0
    for mark in table.marks().values():
        assert np.unique(part.group * 100 + mark).size == table.n


@each_algorithm
def test_input_is_not_changed(key):
    table = table_from(list(range(12)), [0] * 12, [1] * 12, [2] * 12, [0, 1, 2, 3] * 3)
    before = [c.codes.copy() for c in table.columns]
    partition(key, table)
    assert all((c.codes == b).all() for c, b in zip(table.columns, before, strict=True))
    assert not any(c.codes.flags.writeable for c in table.columns)


@each_algorithm
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4])
def test_tiny_tables(key, rows):
    """0, 1, l-1, l and l+1 rows: a promise kept, or a refusal."""
    ell = 3
    codes = list(range(rows))
    table = table_from(codes, [0] * rows, [0] * rows, [0] * rows, codes, values=4)
    algorithm, part = partition(key, table, ell)
    if rows < ell:
        assert part is None
    else:
        assert keeps_promise(algorithm, part, table)
        assert part.groups == 1


@each_algorithm
def test_constant_columns_and_one_value(key):
    constant = table_from([5] * 8, [1] * 8, [2] * 8, [3] * 8, [0, 1, 2, 3] * 2)
    algorithm, part = partition(key, constant, 4)
    # these keep together what hangs together, or is alike
    alike = ("ria", "sweep", "sweep_e", "incognito", "mondrian", *SEARCHES)
    assert part.groups == 2 or key in alike
    assert keeps_promise(algorithm, part, constant)
    one_value = table_from(list(range(8)), [1] * 8, [2] * 8, [3] * 8, [0] * 8)
    assert partition(key, one_value)[1] is None


@each_algorithm
def test_many_distinct_values(key):
    n = 3000
    rng = np.random.default_rng(1)
    labels = Hierarchy.flat([str(i) for i in range(n)])
    numbers = rng.integers(0, 10**9, n).tolist()
    table = Table(
        [
            column("number", axis_of(numbers), numbers),
            column("code", labels, rng.permutation(n)),
            column("tree", TREE, rng.integers(0, 5, n)),
            column("letter", LETTERS, rng.integers(0, 5, n)),
            column("secret", labels, rng.permutation(n), Role.SENSITIVE),
        ]
    )
    algorithm, part = partition(key, table, 5)
    assert part.suppressed == 0
    assert keeps_promise(algorithm, part, table)


@each_algorithm
def test_parameters_are_refused_by_name(key):
    for given_, word in (
        (bound(key, 2) | {"nonsense": 1}, "nonsense"),
        (bound(key, "many"), "whole number"),
        (bound(key, 1), "from 2"),
    ):
        with pytest.raises(VoileError, match=word):
            catalog.algorithm(key).configure(given_)


@each_algorithm
def test_card_is_complete(key):
    algorithm = catalog.algorithm(key)
    assert algorithm.promise in catalog.models()
    assert all(getattr(algorithm, field) for field in ("title", "paper", "cost", "meaning", "rung"))
    assert all(card.help and card.rule() for card in algorithm.parameters())
