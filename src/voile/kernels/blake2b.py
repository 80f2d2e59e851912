"""BLAKE2b with a key (RFC 7693), 16 bytes out, over many short texts at once.

The block of the key comes first and is the same for all: its state is computed once, so a text of up to 128
bytes costs one compression.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel

_BLOCK = 128
_IV = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_SIGMA = np.array(  # the order of the message words in each round; the last two rounds repeat the first two
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    ],
    np.uint8,
)
_PARAMETERS = np.uint64(0x01010000 | 32 << 8 | 16)  # one leaf, a key of 32 bytes, a digest of 16
_16, _24, _32, _63 = np.uint64(16), np.uint64(24), np.uint64(32), np.uint64(63)
_48, _40, _1 = np.uint64(48), np.uint64(40), np.uint64(1)


@inlined_kernel
def mix(a, b, c, d, x, y):
    """The function G: two words of the message into four words of the state."""
    a = a + b + x
    d = d ^ a
    d = (d >> _32) | (d << _32)
    c = c + d
    b = b ^ c
    b = (b >> _24) | (b << _40)
    a = a + b + y
    d = d ^ a
    d = (d >> _16) | (d << _48)
    c = c + d
    b = b ^ c
    b = (b >> _63) | (b << _1)
    return a, b, c, d


@kernel
def compress(h, w, read, last):
    """Fold one block of 16 words into the state h, `read` bytes having been read so far."""
    v0, v1, v2, v3, v4, v5, v6, v7 = h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
    v8, v9, v10, v11 = _IV[0], _IV[1], _IV[2], _IV[3]
    v12, v13, v14, v15 = _IV[4] ^ np.uint64(read), _IV[5], _IV[6], _IV[7]
    if last:
        v14 = ~v14
    for r in range(12):
        s = _SIGMA[r]
        v0, v4, v8, v12 = mix(v0, v4, v8, v12, w[s[0]], w[s[1]])
        v1, v5, v9, v13 = mix(v1, v5, v9, v13, w[s[2]], w[s[3]])
        v2, v6, v10, v14 = mix(v2, v6, v10, v14, w[s[4]], w[s[5]])
        v3, v7, v11, v15 = mix(v3, v7, v11, v15, w[s[6]], w[s[7]])
        v0, v5, v10, v15 = mix(v0, v5, v10, v15, w[s[8]], w[s[9]])
        v1, v6, v11, v12 = mix(v1, v6, v11, v12, w[s[10]], w[s[11]])
        v2, v7, v8, v13 = mix(v2, v7, v8, v13, w[s[12]], w[s[13]])
        v3, v4, v9, v14 = mix(v3, v4, v9, v14, w[s[14]], w[s[15]])
    h[0], h[1], h[2], h[3] = h[0] ^ v0 ^ v8, h[1] ^ v1 ^ v9, h[2] ^ v2 ^ v10, h[3] ^ v3 ^ v11
    h[4], h[5], h[6], h[7] = h[4] ^ v4 ^ v12, h[5] ^ v5 ^ v13, h[6] ^ v6 ^ v14, h[7] ^ v7 ^ v15


@kernel
def load(data, start, stop, words):
    """At most 128 bytes as 16 little-endian words, padded with zeros."""
    for i in range(16):
        words[i] = np.uint64(0)
    for i in range(stop - start):
        words[i >> 3] |= np.uint64(data[start + i]) << np.uint64((i & 7) << 3)


@kernel
def absorb_key(key, words, h, last):
    """The state after the block of the key, which is the last block of an empty text."""
    for i in range(8):
        h[i] = _IV[i]
    h[0] ^= _PARAMETERS
    load(key, 0, 32, words)
    compress(h, words, _BLOCK, last)


@kernel
def keyed_digests(key, data, offsets, out):
    """out[i] = the two little-endian words of BLAKE2b(data[offsets[i]:offsets[i + 1]]) under a key of 32 bytes.

    >>> out = np.empty((1, 2), np.uint64)
    >>> keyed_digests(np.zeros(32, np.uint8), np.frombuffer(b"abc", np.uint8), np.array([0, 3]), out)
    >>> import hashlib
    >>> out.tobytes() == hashlib.blake2b(b"abc", digest_size=16, key=bytes(32)).digest()
    True
    """
    words, after_key, h = np.empty(16, np.uint64), np.empty(8, np.uint64), np.empty(8, np.uint64)
    absorb_key(key, words, after_key, False)
    for i in range(out.shape[0]):
        start, stop, read = offsets[i], offsets[i + 1], _BLOCK
        if start == stop:
            absorb_key(key, words, h, True)
        else:
            for j in range(8):
                h[j] = after_key[j]
        while start < stop:
            end = min(start + _BLOCK, stop)
            load(data, start, end, words)
            read += end - start
            compress(h, words, read, end == stop)
            start = end
        out[i, 0], out[i, 1] = h[0], h[1]
