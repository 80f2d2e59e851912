"""Persons as keyed pseudonyms: without the key nobody can tell who is in a ledger, or try likely names."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

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


def again(people: People, key: bytes) -> People:
    """Pseudonyms of pseudonyms: what a further key makes of them."""
    out = np.empty_like(people)
    offsets = np.arange(len(people) + 1, dtype=np.int64) * 16
    data = np.ascontiguousarray(people).view(np.uint8).reshape(-1)
    keyed_digests(np.frombuffer(key, np.uint8), data, offsets, out)
    return out


def ascending(people: People) -> NDArray[np.int64]:
    """The order of pseudonyms by both words; the second is only looked at where the first does not decide."""
    order = np.argsort(people[:, 0])
    first = people[order, 0]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort((people[:, 1], people[:, 0]))
    return order
