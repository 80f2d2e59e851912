"""Draws are uniform, exactly; the secret ones come from the operating system and cannot be repeated."""

import os
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.oracle.every_draw import distribution, every_draw
from voile.core.draws import SECRET, Draws, InsecureDraws


class Words(Draws):
    """Given words, in order."""

    def __init__(self, *words):
        self.left = list(words)

    def words(self, count, bits):
        taken, self.left = self.left[:count], self.left[count:]
        return np.array(taken, np.uint32 if bits == 32 else np.uint64)


def test_words_that_favour_some_numbers_are_drawn_again():
    """2**32 = 3 * 1431655765 + 1: the last word belongs to no complete round of 3."""
    assert Words(2**32 - 1, 5).below(np.array([3])).tolist() == [2]
    assert Words(2**32 - 2).below(np.array([3])).tolist() == [2]
    assert Words(7, 2**32 - 1, 8).below(np.array([5, 3])).tolist() == [2, 2]


def test_wide_bounds_use_wide_words():
    bound = 2**40 + 1
    excess = 2**64 % bound
    assert Words(2**64 - 1, 2**64 - excess - 1).below(np.array([bound])).tolist() == [bound - 1]
    assert Words(2**64 - excess, 3).below(np.array([bound])).tolist() == [3]


@pytest.mark.parametrize("start", [[0, 3], [0, 1, 1, 4], [0, 2, 4]])
def test_every_order_of_every_run_is_equally_likely(start):
    found = distribution(lambda draws: tuple(draws.shuffled(np.array(start)).tolist()))
    sizes = np.diff(start)
    orders = int(np.prod([np.prod(np.arange(1, size + 1)) for size in sizes]))
    assert len(found) == orders
    assert set(found.values()) == {Fraction(1, orders)}
    for order in found:
        assert all(set(order[a:b]) == set(range(a, b)) for a, b in pairwise(start))


def test_enumerated_draws_sum_to_one():
    assert sum(weight for weight, _ in every_draw(lambda draws: draws.below(np.array([2, 3, 1])).sum())) == 1


def test_a_seed_repeats_and_secrets_do_not():
    bounds = np.full(50, 1000)
    assert (InsecureDraws(3).below(bounds) == InsecureDraws(3).below(bounds)).all()
    assert (SECRET.below(bounds) != SECRET.below(bounds)).any()


@pytest.mark.usefixtures("secret_draws")
def test_secret_draws_ask_the_operating_system(monkeypatch):
    asked = []

    def urandom(size):
        asked.append(size)
        return bytes(size)

    monkeypatch.setattr(os, "urandom", urandom)
    assert SECRET.below(np.array([9, 9])).tolist() == [0, 0]
    assert asked == [8]
