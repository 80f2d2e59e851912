"""What a kernel only borrows is not counted; what it makes is freed, and what it returns stays."""

import sys

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from voile.kernels import compiled
from voile.kernels.compiled import kernel


@pytest.fixture(autouse=True)
def compiled_anew(monkeypatch):
    """Of what is loaded from a disk there is no code to look at. Numba counts what it allocates."""
    monkeypatch.setattr(compiled, "_cache", lambda: None)
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def last_of(pair):
    first, second = pair
    return first[-1] + second[-1]


def sum_of_lines(table):
    total = 0
    for line in table:
        part = line[1:]
        total += part[0]
    return total


def tail(values):
    return values[1:]


def with_room(values):
    room = np.empty(values.size, np.int64)
    room[:] = values
    return room[0] + room[-1]


def chosen(values, places):
    return values[places][-1]


def moved_on(values):
    values[1:] = values[:-1]
    return values[0]


def itself(values):
    return values


def runs(function, *arguments):
    """A thousand times; what the last run returned. Arguments are held as often as before, and nothing is left."""
    called = kernel(function)
    called(*arguments)
    held, before = [sys.getrefcount(a) for a in arguments], rtsys.get_allocation_stats()
    for _ in range(1000):
        returned = called(*arguments)
    after = rtsys.get_allocation_stats()
    mine = 1 if isinstance(returned, np.ndarray) else 0
    assert (after.alloc - before.alloc) - (after.free - before.free) <= mine
    assert [sys.getrefcount(a) for a in arguments] <= [count + mine for count in held]
    return returned, "@NRT_incref" in "".join(called.dispatcher().inspect_llvm().values())


def test_what_is_borrowed_is_not_counted():
    values = np.arange(4)
    assert runs(last_of, (values, values)) == (6, False)
    assert runs(sum_of_lines, np.arange(6).reshape(2, 3)) == (5, False)


@pytest.mark.slow
def test_what_is_made_is_freed():
    assert runs(with_room, np.arange(4)) == (3, True)
    assert runs(chosen, np.arange(4), np.array([3, 1])) == (1, True)


@pytest.mark.slow
def test_what_is_returned_stays():
    values = np.arange(10**6)
    returned, counted = runs(tail, values)
    assert counted and returned.base is not None and returned[0] == 1
    assert runs(itself, values)[0] is values
    del values
    assert returned[-1] == 10**6 - 1, "it holds what it is a view of"


def test_what_overlaps_is_copied_first():
    values = np.arange(5)
    kernel(moved_on)(values)
    assert values.tolist() == [0, 0, 1, 2, 3]
