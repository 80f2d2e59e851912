"""Digests are those of BLAKE2b as anybody computes them, and never change: ledgers hold them."""

import hashlib

import numpy as np
import pytest

from voile.core.keyed_digests import keyed_digests, texts_of

KEY = bytes(range(32))
KNOWN = {  # written down when a kernel of our own computed them
    b"": "3daf97bce7888fd59773c66bf647459c",
    b"ann": "87ed6be2beaffedf03ac4604ba903bf0",
    "名前".encode(): "818b97c3744f28fd88e8b708fa793804",
    b"\0" * 16: "3d04786048df20c198458d48afb27847",
}


def digests(texts, key=KEY):
    return [row.tobytes() for row in keyed_digests(texts, key)]


def test_known_answers():
    assert [digest.hex() for digest in digests(KNOWN)] == list(KNOWN.values())


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 127, 128, 129, 1023, 1024, 5000])
def test_each_text_alone(size):
    """Of any length, and whatever comes before it."""
    texts = [bytes(n % 251 for n in range(size)), b"", bytes(size)]
    assert digests(texts) == [hashlib.blake2b(text, digest_size=16, key=KEY).digest() for text in texts]
    assert digests(texts) != digests(texts, bytes(32)), "the key matters"


def test_of_none_and_of_digests():
    assert keyed_digests([], KEY).shape == (0, 2)
    once = keyed_digests([b"ann", b"bob"], KEY)
    assert list(texts_of(once)) == digests([b"ann", b"bob"])
    assert once.dtype == np.uint64 and once.flags.writeable
