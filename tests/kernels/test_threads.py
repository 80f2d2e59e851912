"""Work is shared where that pays; where it does not, it is done at once and in order."""

import os
import threading

import pytest

from voile.kernels import threads
from voile.kernels.threads import FEW, Threads


@pytest.fixture(autouse=True)
def seven_processors(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 7)


def test_few_rows_are_worked_on_here(monkeypatch):
    with Threads(FEW - 1) as few:
        assert few.number == 1
        assert set(few.map(lambda _: threading.get_ident(), range(9))) == {threading.get_ident()}
        assert few.submit(threading.get_ident).result() == threading.get_ident()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert Threads(10**9).number == 1


def test_many_rows_are_shared():
    with Threads(FEW) as many, Threads(FEW, 2) as two:
        assert (many.number, two.number) == (7, 2)
        both = threading.Barrier(2, timeout=60)
        assert sorted(two.map(lambda part: both.wait() * 0 + part, range(2))) == [0, 1]
        assert threading.get_ident() != two.submit(threading.get_ident).result()


def test_what_work_raises_is_raised(monkeypatch):
    for few in (0, FEW):
        monkeypatch.setattr(threads, "FEW", few)
        with Threads(1) as some, pytest.raises(ZeroDivisionError):
            list(some.map(lambda part: 1 // part, [1, 0]))
        with Threads(1) as some, pytest.raises(ZeroDivisionError):
            some.submit(lambda: 1 // 0).result()
