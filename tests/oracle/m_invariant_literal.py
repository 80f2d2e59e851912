"""m-invariant generalization as Xiao and Tao 2007 write it (section 4), with fractions and full scans. Slow on
purpose.

What the paper leaves open is settled as in docs/facts/m_invariance.md B: buckets by size of the signature, then by
its codes; a bucket's whole shortage, as far as there are tuples, is tried before one tuple at a time; beta is
bounded by lambda; new tuples that are not m-eligible all wait. Equal counts go to the lower code, equal perimeters
to the first attribute, then to the cut nearest to the middle, then to the lower one; tuples that are equal in the
attribute of a split stay in order of rows.

A bucket is a mapping from each value of its signature to the tuples that carry it: a row, or None for a
counterfeit. New tuples are drawn from the front of `left[value]`, which somebody has shuffled.
"""

from collections import Counter
from fractions import Fraction

NEW, WITHHELD = "new", "withheld"


def publish(quasi, sensitive, signature, m, balance, shuffled):
    """QI groups as pairs of rows and of the values of counterfeits; None when there is nothing to publish.

    `quasi` holds a pair for each attribute: the length of its domain, and the code of each row. `signature` is a
    tuple of values, NEW or WITHHELD for each row; `shuffled(start)` orders the new rows of each value.
    """
    left = new_tuples(sensitive, signature, shuffled)
    buckets = divide(sensitive, signature)
    if not eligible(counts_of(left), m):
        left = {}
        if not buckets:
            return None
    for key in in_order(buckets):
        fill_shortage(buckets[key], left if balance == "fill" else {}, m)
    assign(buckets, left, m)
    groups = [group for key in in_order(buckets) for group in split(quasi, buckets[key])]
    return [as_rows(group) for group in groups]


def new_tuples(sensitive, signature, shuffled):
    """The new rows of each value, in drawn order."""
    rows = sorted((value, row) for row, value in enumerate(sensitive) if signature[row] == NEW)
    counts = Counter(value for value, _ in rows)
    start = [0]
    for value in sorted(counts):
        start.append(start[-1] + counts[value])
    left = {value: [] for value in sorted(counts)}
    for place in shuffled(start):
        left[rows[place][0]].append(rows[place][1])
    return left


def in_order(buckets):
    return sorted(buckets, key=lambda key: (len(key), key))


def counts_of(left):
    return {value: len(rows) for value, rows in left.items() if rows}


def eligible(counts, m):
    """At most 1/m of the tuples have the same value; no tuples are eligible."""
    return all(m * count <= sum(counts.values()) for count in counts.values())


def divide(sensitive, signature):
    """Phase 1: who has been published before, by signature."""
    buckets = {}
    for row, value in enumerate(sensitive):
        if signature[row] not in (NEW, WITHHELD):
            bucket = buckets.setdefault(signature[row], {v: [] for v in signature[row]})
            bucket[value].append(row)
    return buckets


def fill_shortage(bucket, left, m):
    """Phase 2 for one bucket: what it lacks comes from the new tuples while they stay eligible, or is invented."""
    most = max(len(tuples) for tuples in bucket.values())
    lacking = {value: most - len(tuples) for value, tuples in bucket.items()}
    at_once = {value: min(count, len(left.get(value, []))) for value, count in lacking.items()}
    if movable(left, at_once, m):
        for value, count in at_once.items():
            move(left, bucket, value, count)
    for value in sorted(bucket):
        while len(bucket[value]) < most:
            if movable(left, {value: 1}, m):
                move(left, bucket, value, 1)
            else:
                bucket[value].append(None)


def movable(left, wanted, m):
    counts = Counter(counts_of(left))
    counts.subtract(wanted)
    return min(counts.values(), default=0) >= 0 and eligible(counts, m)


def move(left, bucket, value, count):
    if count:
        bucket[value] += left[value][:count]
        del left[value][:count]


def assign(buckets, left, m):
    """Phase 3, Figure 3: all new tuples that are left go to balanced buckets."""
    for alpha, values in steps(counts_of(left), m):
        bucket = buckets.setdefault(tuple(sorted(values)), {value: [] for value in sorted(values)})
        for value in values:
            move(left, bucket, value, alpha)


def steps(counts, m):
    """The iterations of Assign: alpha, and the beta values that alpha tuples of each are moved of."""
    counts = dict(counts)
    while counts:
        order = sorted(counts, key=lambda value: (-counts[value], value))
        alpha, beta = first_solution([counts[value] for value in order], m)
        yield alpha, order[:beta]
        counts = {v: n - (alpha if v in order[:beta] else 0) for v, n in counts.items()}
        counts = {v: n for v, n in counts.items() if n}


def first_solution(n, m):
    """The largest alpha for the least beta that has one, by trying (Inequalities 5 to 7); n is descending."""
    gamma = sum(n)
    for beta in range(m, len(n) + 1):
        for alpha in range(n[beta - 1], 0, -1):
            bound = Fraction(gamma - alpha * beta, m)
            if n[0] - alpha <= bound and (beta == len(n) or n[beta] <= bound):
                return alpha, beta
    raise ValueError("not m-eligible: no alpha for any beta")


def split(quasi, bucket):
    """Phase 4: the bucket's groups of one tuple of each value, halves of the best scheme split again."""
    size = len(next(iter(bucket.values())))
    if size == 1:
        return [bucket]
    schemes = []
    for attribute in range(len(quasi)):
        lists = {value: sorted(tuples, key=place_on(quasi[attribute])) for value, tuples in bucket.items()}
        for cut in range(1, size):
            halves = [{v: tuples[:cut] for v, tuples in lists.items()}, {v: t[cut:] for v, t in lists.items()}]
            rank = (sum(perimeter(quasi, half) for half in halves), attribute, abs(2 * cut - size), cut)
            schemes.append((rank, halves))
    _, halves = min(schemes, key=lambda scheme: scheme[0])
    return split(quasi, halves[0]) + split(quasi, halves[1])


def place_on(attribute):
    """Counterfeits precede everybody; equals stay in order of rows."""
    return lambda row: (0, 0, 0) if row is None else (1, attribute[1][row], row)


def perimeter(quasi, bucket):
    """Paper 4.3: the number of tuples, times the lengths of their minimum intervals."""
    real = [row for tuples in bucket.values() for row in tuples if row is not None]
    lengths = [
        Fraction(max(codes[r] for r in real) - min(codes[r] for r in real), max(1, length))
        for length, codes in quasi
    ]
    return sum(len(tuples) for tuples in bucket.values()) * sum(lengths)


def as_rows(group):
    """A bucket of one tuple per value, as its rows and the values of its counterfeits."""
    rows = tuple(sorted(row for (row,) in group.values() if row is not None))
    return rows, tuple(sorted(value for value, (row,) in group.items() if row is None))
