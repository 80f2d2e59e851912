"""The kernel agrees with hashlib's BLAKE2b."""

import hashlib

import numpy as np
import pytest

from voile.kernels.blake2b import keyed_digests


def digests(key, texts):
    offsets = np.concatenate([[0], np.cumsum([len(t) for t in texts])]).astype(np.int64)
    out = np.empty((len(texts), 2), np.uint64)
    keyed_digests(np.frombuffer(key, np.uint8), np.frombuffer(b"".join(texts) or b"\0", np.uint8), offsets, out)
    return [row.tobytes() for row in out]


@pytest.mark.parametrize("seed", range(3))
def test_every_length(seed):
    draw = np.random.default_rng(seed)
    key, texts = draw.bytes(32), [draw.bytes(n) for n in range(301)]
    assert digests(key, texts) == [hashlib.blake2b(t, digest_size=16, key=key).digest() for t in texts]


def test_lengths_around_many_blocks():
    key, texts = bytes(range(32)), [bytes(n % 251 for n in range(k)) for k in (0, 1023, 1024, 1025, 0, 5000)]
    assert digests(key, texts) == [hashlib.blake2b(t, digest_size=16, key=key).digest() for t in texts]
