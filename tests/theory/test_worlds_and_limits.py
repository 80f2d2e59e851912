"""Enumerations are complete, and what is too large is refused with its limit."""

import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from math import comb

import pytest

from tests.theory.small_worlds import tables
from voile import theory
from voile.errors import ParameterError


@pytest.mark.parametrize("n", range(1, 7))
def test_worlds_are_all_assignments(n):
    for table in tables(n):
        assert theory.worlds(table) == sorted(set(permutations(table)))
        assert len(theory.worlds(table)) == theory.count_worlds(table)


def test_partitions_are_all_and_canonical():
    bell = [1]
    for n in range(8):
        bell.append(sum(comb(n, k) * bell[k] for k in range(n + 1)))
    for n in range(8):
        every = theory.set_partitions(n)
        assert len(set(every)) == len(every) == bell[n]
        assert all(theory.partition(groups) == groups for groups in every)


@pytest.mark.parametrize("groups", [[[0, 1], [1, 2]], [[0, 2]], [[0], []], [[1, 2]]])
def test_what_is_no_partition(groups):
    with pytest.raises(ParameterError, match="exactly one group"):
        theory.partition(groups)


@pytest.mark.parametrize("bound", [2 / 3, 0.5, Fraction(0), Fraction(3, 2), "1/2"])
def test_a_bound_is_exact(bound):
    with pytest.raises(ParameterError, match="Fraction"):
        theory.locally_safe_set((0, 1), bound)
    with pytest.raises(ParameterError, match="Fraction"):
        theory.disclosure_set([], (0, 1), bound)


@pytest.mark.parametrize(
    "call, limit",
    [
        (lambda: theory.worlds(range(9)), "100000 worlds"),
        (lambda: theory.set_partitions(10), "at most 9"),
        (lambda: theory.locally_safe_set((0, 1) * 5, Fraction(1, 2)), "at most 9"),
        (lambda: theory.coarsenings(tuple((p,) for p in range(10))), "at most 9"),
        (lambda: theory.globally_safe_sets((0, 1, 2, 3, 4, 5), Fraction(1, 2)), "at most 16"),
        (lambda: theory.l_cover((0,) * 6 + (1,) * 9, [(tuple(range(15)),)], 2), "at most 10000"),
        (lambda: theory.cover(tuple(range(8)), tuple(range(8, 16)), []), "at most 10000"),
        (lambda: theory.is_locally_safe(((0, 1),), (0, 1, 2), Fraction(1, 2)), "every person"),
        (lambda: theory.meet([]), "at least one"),
        (lambda: theory.pairs((0, 1), {0: ((1,),)}), "every colour"),
        (lambda: theory.is_l_cover_with((0, 1), [((0, 1),)], {0: ((1,),)}, 2), "every colour"),
        (lambda: theory.rechosen_bijections((0, 1), {0: ((1,),)}, ((0, 1),)), "every colour"),
    ],
)
def test_refusals_say_the_limit(call, limit):
    with pytest.raises(ParameterError, match=limit):
        call()


def test_refusals_hold_no_value():
    table = tuple(f"secret-{i}" for i in range(9))
    for call in (
        lambda: theory.worlds(table),
        lambda: theory.globally_safe_sets(table[:6], Fraction(1, 2)),
        lambda: theory.pairs(table, {}),
    ):
        with pytest.raises(ParameterError) as refusal:
            call()
        assert "secret" not in str(refusal.value)


def test_importing_voile_does_not_import_theory():
    code = "import sys, voile; voile.Schema; print('voile.theory' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_exports_are_sorted_and_there():
    assert theory.__all__ == sorted(theory.__all__)
    assert all(callable(getattr(theory, name)) for name in theory.__all__)


HALF = Fraction(1, 2)


def test_any_order_of_groups_and_persons_means_the_same():
    table, loose, canonical = (1, 1, 2, 2), [[3, 1], [2, 0]], ((0, 2), (1, 3))
    for ask in (
        lambda groups: theory.is_locally_safe(groups, table, HALF),
        lambda groups: theory.release_ratios([groups], table, HALF),
        lambda groups: theory.bags(groups, table),
        lambda groups: theory.contains_meet([groups, [[0, 1, 2, 3]]]),
        lambda groups: theory.is_cover((0, 1), (2, 3), [groups]),
        lambda groups: theory.l_cover(table, [groups], 2),
        lambda groups: theory.coarsenings(groups),
        lambda groups: theory.is_self_contained(groups, [(0, 2)]),
        lambda groups: theory.rechosen_bijections(table, {1: ((2, 3),), 2: ((0, 1),)}, groups),
    ):
        assert ask(loose) == ask(canonical) and ask(canonical)


FOREIGN = [
    lambda: theory.is_locally_safe([[0, 1], [1, 2]], (0, 1, 2, 3), HALF),
    lambda: theory.is_locally_safe([[0, 7]], (0, 1), HALF),
    lambda: theory.top_ratio([[0, "canary"]], (0, 1)),
    lambda: theory.bags([[0, 1]], (0, 1, 2)),
    lambda: theory.after_release([[0, 1]], (0, 1), [(0, 1, 2)]),
    lambda: theory.disclosure_set([[[0, 1]]], (0, 1, 2), HALF),
    lambda: theory.refines([[0, 1]], [[0, 1, 2]]),
    lambda: theory.meet([[[0, 1]], [[0, 1, 2]]]),
    lambda: theory.is_self_contained([[0, 1]], [(0, 2)]),
    lambda: theory.minimal_self_contained_partition(2, [(0, 2)]),
    lambda: theory.is_cover((0,), (5,), [[[0, 1]]]),
    lambda: theory.cover((0,), (5,), [[[0, 1]]]),
    lambda: theory.l_cover((0, 1, 2), [[[0, 1]]], 2),
    lambda: theory.bijection((0, 1), (0,), (5,)),
    lambda: theory.lemma_4((0, 1), (0,), (-1,)),
    lambda: theory.pairs((0, 1), {0: ((5,),), 1: ((0,),)}),
    lambda: theory.is_row_distinct((0, 1), (0,), [(5,)]),
    lambda: theory.is_l_candidate((0, 1), (0,), [(5,)], 2),
    lambda: theory.rechosen_bijections((0, 1), {0: ((1,),), 1: ((0,),)}, [[0, 1, 2]]),
]


@pytest.mark.parametrize("call", FOREIGN)
def test_foreign_persons_are_refused(call):
    with pytest.raises(ParameterError, match="person") as refused:
        call()
    assert "canary" not in str(refused.value)


def test_ratios_of_an_unsafe_partition_are_not_zero():
    with pytest.raises(ParameterError, match="not locally safe"):
        theory.release_ratios([((0, 1), (2, 3))], (1, 1, 2, 2), HALF)
