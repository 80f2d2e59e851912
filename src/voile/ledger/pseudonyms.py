"""Persons as keyed pseudonyms: without the key nobody can tell who is in a ledger, or try likely names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.keyed_digests import Digests, keyed_digests, texts_of
from voile.errors import InputError

People = Digests  # (n, 2): the 16 bytes of each pseudonym as two words
_BATCH = 1 << 18


def pseudonyms(texts: pl.Series, keys: Sequence[bytes]) -> People:
    """The pseudonym of each text under the keys, the first one innermost.

    >>> pseudonyms(pl.Series(["ann", "bob", "ann"]), [bytes(32)])[:, 0].tolist()
    [302491133924783948, 2792704022068167340, 302491133924783948]
    """
    if texts.null_count():
        raise InputError("a person is missing", where="the column of persons", remedy="complete or remove the row")
    people = np.empty((len(texts), 2), np.uint64)
    for start in range(0, len(texts), _BATCH):
        part = texts.slice(start, _BATCH).cast(pl.Binary).to_list()
        people[start : start + _BATCH] = keyed_digests(part, keys[0])
    for key in keys[1:]:
        people = again(people, key)
    return people


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that a kernel takes for what comes from a file: else it would be compiled once for each."""
    view = array.view()
    view.flags.writeable = False
    return view


def again(people: People, key: bytes) -> People:
    """Pseudonyms of pseudonyms: what a further key makes of them."""
    return keyed_digests(texts_of(people), key)
