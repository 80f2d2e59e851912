"""The decorator of every kernel: numba, compiled once per user and version, never an obstacle.

Numba looks for changes only in the file of the function it caches, not in the files of the
functions that one calls. Our cache folder therefore carries a digest of all kernel sources: a
changed kernel can never meet a stale caller. Where no folder can be written, kernels are
compiled anew in each process: a read-only install is never broken (docs/architecture.md).
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba


def _source_digest() -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(numba.__version__.encode())
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


_CACHE = cache_folder()


def kernels_are_cached() -> bool:
    """Whether an earlier run left compiled kernels behind (if not, a first run compiles them)."""
    return _CACHE is not None and any(_CACHE.rglob("*.nbc"))


def _compile(function: Callable[..., Any], forceinline: bool = False) -> Any:
    if _CACHE is None:
        return numba.njit(nogil=True, forceinline=forceinline)(function)
    config: Any = numba.config
    theirs, config.CACHE_DIR = config.CACHE_DIR, str(_CACHE)
    try:
        return numba.njit(nogil=True, cache=True, forceinline=forceinline)(function)
    except RuntimeError:  # no place for this function's cache (an interactive session)
        return numba.njit(nogil=True, forceinline=forceinline)(function)
    finally:
        config.CACHE_DIR = theirs


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
    return _compile(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that is always inlined: for the few lines run per row, where a call with a dozen
    arrays as arguments would cost more than the work."""
    return _compile(function, forceinline=True)
