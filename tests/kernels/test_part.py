"""Kernels that call kernels: lowered once, whatever kind of integer they are given."""

import numpy as np

from voile.kernels import compiled
from voile.kernels.compiled import inlined_kernel, kernel


@inlined_kernel
def twice(number):
    return number * 2


@kernel
def of_all_kinds(narrow, words):
    """A narrow number, a word and a number that is known beforehand."""
    return twice(narrow[0]) + twice(words[0]) + twice(3)


@kernel
def doubled(number):
    return number + number


@kernel
def refuses(number):
    if number < 0:
        raise ValueError("negative")
    return number


@kernel
def passes_on(number):
    return refuses(number)


def test_a_part_is_lowered_once_for_all_kinds_of_integers(monkeypatch):
    monkeypatch.setattr(compiled, "_cache", lambda: None)  # what is loaded from a disk needs no parts
    part = inlined_kernel(twice.__wrapped__)
    monkeypatch.setitem(globals(), "twice", part)
    caller = kernel(of_all_kinds.__wrapped__)
    assert caller(np.array([2**31 - 1], np.int32), np.array([2**40])) == 2 * (2**31 - 1) + 2 * 2**40 + 6
    assert len(part.dispatcher().part.overloads) == 1


def test_python_may_call_what_kernels_call():
    assert of_all_kinds(np.array([1], np.int32), np.array([1])) == 10
    assert twice(21) == 42
    assert twice(1.5) == 3.0


def test_what_a_part_raises_reaches_python():
    assert passes_on(1) == 1
    try:
        passes_on(-1)
    except ValueError as refusal:
        assert str(refusal) == "negative"
    else:
        raise AssertionError("nothing was raised")


def test_a_numba_that_we_do_not_know_compiles_as_it_always_does(monkeypatch):
    monkeypatch.setattr(compiled, "KNOWN", ())
    plain = kernel(doubled.__wrapped__)
    assert plain(21) == 42
    assert not hasattr(plain.dispatcher(), "part")
