"""Persons as keyed pseudonyms: without the key nobody can tell who is in a ledger, or try likely names."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.errors import InputError
from voile.kernels.blake2b import keyed_digests

People = NDArray[np.uint64]  # (n, 2): the 16 bytes of each pseudonym as two words
_BATCH = 1 << 18
_THREADS = 2


def pseudonyms(texts: pl.Series, keys: Sequence[bytes]) -> People:
    """The pseudonym of each text under the keys, the first one innermost.

    >>> pseudonyms(pl.Series(["ann", "bob", "ann"]), [bytes(32)])[:, 0].tolist()
    [302491133924783948, 2792704022068167340, 302491133924783948]
    """
    if texts.null_count():
        raise InputError("a person is missing", where="the column of persons", remedy="complete or remove the row")
    people = np.empty((len(texts), 2), np.uint64)

    def batch(start: int) -> None:
        part = texts.slice(start, _BATCH)
        data = np.frombuffer(part.str.join("").item().encode() or b"\0", np.uint8)
        offsets = np.zeros(len(part) + 1, np.int64)
        np.cumsum(part.str.len_bytes().to_numpy(), out=offsets[1:])
        out = people[start : start + _BATCH]
        keyed_digests(np.frombuffer(keys[0], np.uint8), data, offsets, out)
        for key in keys[1:]:
            out[:] = again(out, key)

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(batch, range(0, len(texts), _BATCH)))
    return people


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that a kernel takes for what comes from a file: else it would be compiled once for each."""
    view = array.view()
    view.flags.writeable = False
    return view


def again(people: People, key: bytes) -> People:
    """Pseudonyms of pseudonyms: what a further key makes of them."""
    out = np.empty_like(people)
    offsets = np.arange(len(people) + 1, dtype=np.int64) * 16
    data = read_only(np.ascontiguousarray(people).view(np.uint8).reshape(-1))
    keyed_digests(np.frombuffer(key, np.uint8), data, offsets, out)
    return out
