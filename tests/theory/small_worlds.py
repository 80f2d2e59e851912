"""One table per multiset of values, up to the names of values and persons."""


def count_vectors(n, largest=None):
    """How often each value occurs, in falling order."""
    if n == 0:
        return [()]
    top = min(n, largest or n)
    return [(k, *rest) for k in range(top, 0, -1) for rest in count_vectors(n - k, k)]


def tables(n):
    return [tuple(v for v, k in enumerate(counts) for _ in range(k)) for counts in count_vectors(n)]


def non_empty_subsets(things):
    return [[t for i, t in enumerate(things) if mask >> i & 1] for mask in range(1, 1 << len(things))]
