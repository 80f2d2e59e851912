"""Keyed BLAKE2b (RFC 7693), 16 bytes out, of many short texts: what hashlib computes, as an array of words."""

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.uint64]  # (n, 2): the 16 bytes of each digest as two little-endian words
BYTES = 16


def keyed_digests(texts: Iterable[bytes], key: bytes) -> Digests:
    """The digest of each text under the key.

    >>> found = keyed_digests([b"abc", b""], bytes(32))
    >>> found[0].tobytes() == hashlib.blake2b(b"abc", digest_size=16, key=bytes(32)).digest(), found.shape
    (True, (2, 2))
    """
    keyed = hashlib.blake2b(digest_size=BYTES, key=key)  # the block of the key is read once, not for each text

    def digest(text: bytes) -> bytes:
        state = keyed.copy()
        state.update(text)
        return state.digest()

    found = np.fromiter(map(digest, texts), f"V{BYTES}")
    return found.view("<u8").astype(np.uint64, copy=False).reshape(-1, 2)


def texts_of(digests: Digests) -> Iterator[bytes]:
    """The bytes of each digest: what a further key is applied to."""
    whole = digests.astype("<u8").tobytes()
    return (whole[start : start + BYTES] for start in range(0, len(whole), BYTES))
