"""1-D l-diversity on the Hilbert curve as it is written: Skilling's transform bit by bit, groups by lists."""

from collections import Counter


def bits_of(columns):
    """Of each column: what 63 bits have room for, 31 at most, and five at least."""
    return max(5, min(63 // max(1, columns), 31))


def place_on_curve(cell, bits):
    """The place of a cell of a cube of 2**bits per side (Skilling 2004; then the bits in turn)."""
    x, n = list(cell), len(cell)
    q = 1 << (bits - 1)
    while q > 1:
        p = q - 1
        for i in range(n):
            if x[i] & q:
                x[0] ^= p
            else:
                t = (x[0] ^ x[i]) & p
                x[0], x[i] = x[0] ^ t, x[i] ^ t
        q >>= 1
    for i in range(1, n):
        x[i] ^= x[i - 1]
    t, q = 0, 1 << (bits - 1)
    while q > 1:
        if x[n - 1] & q:
            t ^= q - 1
        q >>= 1
    x = [part ^ t for part in x]
    return int("".join(str((part >> bit) & 1) for bit in reversed(range(bits)) for part in x), 2)


def groups_along(values, ell, groups):
    """Groups of rows that stand on a line, in order of formation; and the rows left over."""
    left, formed = list(range(len(values))), []
    for to_go in range(groups, 0, -1):
        counts = Counter(values[row] for row in left)
        heads = {value: next(row for row in left if values[row] == value) for value in counts}
        critical = sorted((v for v in counts if counts[v] >= to_go), key=heads.get)[:ell]
        others = sorted((v for v in counts if counts[v] < to_go), key=heads.get)[: ell - len(critical)]
        members = sorted(heads[v] for v in critical + others)
        formed.append(members)
        left = [row for row in left if row not in members]
    return formed, left
