"""Threads that share work: kernels let other threads go on. To start one costs as much as some thousand rows do,
so few rows are worked on here and now."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

FEW = 2**12  # rows
MOST = 8  # threads

Part = TypeVar("Part")
Done = TypeVar("Done")


class Threads:
    """As many threads as there are processors, for so many rows; none for few.

    >>> with Threads(rows=3) as threads:
    ...     threads.number, list(threads.map(abs, [-1, 2]))
    (1, [1, 2])
    """

    def __init__(self, rows: int, most: int = MOST) -> None:
        self.number = 1 if rows < FEW else max(1, min(most, os.cpu_count() or 1))
        self._pool = ThreadPoolExecutor(self.number) if self.number > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, work: Callable[[Part], Done], parts: Iterable[Part]) -> Iterator[Done]:
        """What becomes of each part, in their order."""
        return map(work, parts) if self._pool is None else self._pool.map(work, parts)

    def submit(self, work: Callable[..., Done], *arguments: Any) -> "Future[Done]":
        """What will come of it."""
        if self._pool is not None:
            return self._pool.submit(work, *arguments)
        done: Future[Done] = Future()
        done.set_result(work(*arguments))
        return done
