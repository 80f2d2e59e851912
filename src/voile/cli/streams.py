"""Standard output and the error stream of a command.

An answer that cannot be printed is a failure of its own, whatever the printing library makes of it: the work is
done. Libraries write to the error stream past Python, for example when they panic, with backtraces that may quote
cells. That goes nowhere: only our own words are heard.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import cast

from voile.errors import Untold


class Answer(io.TextIOWrapper):
    """Standard output; raises Untold where it cannot be written."""

    def write(self, text: str) -> int:
        """As any stream."""
        with _printing():
            return super().write(text)

    def flush(self) -> None:
        """As any stream."""
        with _printing():
            super().flush()


class Words(io.TextIOWrapper):
    """The error stream; what cannot be written is not worth a failure."""

    def write(self, text: str) -> int:
        """As any stream."""
        with contextlib.suppress(OSError, ValueError):
            return super().write(text)
        return 0

    def flush(self) -> None:
        """As any stream."""
        with contextlib.suppress(OSError, ValueError):
            super().flush()


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    why = ""
    try:
        yield
    except (OSError, ValueError) as error:
        why = os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else "it is closed"
    if why:
        with contextlib.suppress(OSError):  # Python prints the rest at its end: let it go nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise Untold("the command was carried out, but its answer could not be printed", rule=why)


def set_up_streams() -> None:
    """For the whole process: whoever prints, prints to these."""
    sys.stdout = Answer(_bytes_of_output(), "utf-8", "backslashreplace", line_buffering=_is_terminal(1))
    with contextlib.suppress(OSError):
        own = os.dup(2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stderr = Words(os.fdopen(own, "wb"), "utf-8", "backslashreplace", line_buffering=True)


def _bytes_of_output() -> io.BufferedWriter | io.BufferedReader:
    """Where answers go; of a command whose output is closed, a place that takes none."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        return cast(io.BufferedWriter, sys.stdout.detach())
    return os.fdopen(os.open(os.devnull, os.O_RDONLY), "rb")


def _is_terminal(handle: int) -> bool:
    with contextlib.suppress(OSError):
        return os.isatty(handle)
    return False
