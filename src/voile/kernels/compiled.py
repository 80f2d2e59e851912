"""The decorator of every kernel: numba, compiled once per user and version, never an obstacle.

Numba looks for changes only in the file of the function it caches, not in the files of the
functions that one calls. Our cache folder therefore carries a digest of all kernel sources: a
changed kernel can never meet a stale caller. Where no folder can be written, kernels are
compiled anew in each process: a read-only install is never broken (docs/architecture.md).

Numba is loaded when a kernel is first called: a command that calls none does without.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

KNOWN = ((0, 68),)  # numbas whose insides kernels.part knows


def _source_digest() -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(version("numba").encode())
    for folder in ("kernels", "algorithms"):
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """The folder of compiled kernels, or None where the user can write none."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(base) / "voile" / f"kernels-{_source_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


_cache = functools.cache(cache_folder)


def kernels_are_cached() -> bool:
    """Whether an earlier run left compiled kernels behind (if not, a first run compiles them)."""
    folder = _cache()
    return folder is not None and any(folder.rglob("*.nbc"))


class Kernel:
    """A function over integer arrays that is compiled when it is first called."""

    __wrapped__: Callable[..., Any]
    __qualname__: str

    def __init__(self, function: Callable[..., Any], forceinline: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._forceinline = forceinline
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it."""
        return (self._dispatcher or self.dispatcher())(*arguments, **named)

    def dispatcher(self) -> Any:
        """What numba makes of it; the same in all threads."""
        from numba.core.compiler_lock import global_compiler_lock

        with global_compiler_lock:  # numba's own: a thread that compiles may ask for what this one calls
            self._dispatcher = self._dispatcher or _compile(self.__wrapped__, self._forceinline)
        return self._dispatcher

    @property
    def signatures(self) -> list[Any]:
        """Types of arguments for which it has been compiled in this process."""
        return self._dispatcher.signatures if self._dispatcher else []

    @property
    def _numba_type_(self) -> Any:
        """How the kernels see it that call it."""
        return self.dispatcher()._numba_type_

    def __reduce__(self) -> str:
        return self.__qualname__  # to another process goes its name


def _compile(function: Callable[..., Any], forceinline: bool = False) -> Any:
    import numba

    compiled = _dispatcher(function, forceinline)
    folder = _cache()
    if folder is None:
        return compiled
    config: Any = numba.config
    theirs, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        compiled.enable_caching()
    except RuntimeError:  # no place for this function's cache (an interactive session)
        pass
    finally:
        config.CACHE_DIR = theirs
    return compiled


def _dispatcher(function: Callable[..., Any], forceinline: bool) -> Any:
    """What compiles it: parts need the insides of numba, and a numba that we do not know compiles as it always
    does."""
    import numba

    if numba.version_info.short not in KNOWN:
        return numba.njit(nogil=True, forceinline=forceinline)(function)
    from voile.kernels.part import Entry

    options = {"nopython": True, "nogil": True, "forceinline": forceinline, "no_cfunc_wrapper": True}
    return Entry(function, targetoptions=options)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function over integer arrays.

    >>> @kernel
    ... def total(values):
    ...     result = 0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> import numpy as np
    >>> int(total(np.array([1, 2, 3])))
    6
    """
    return Kernel(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that is always inlined: for the few lines run per row, where a call with a dozen
    arrays as arguments would cost more than the work."""
    return Kernel(function, forceinline=True)
