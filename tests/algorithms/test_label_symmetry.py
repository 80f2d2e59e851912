"""Whoever turns the values of a bucket around gets the same verdict and the same groups: the symmetry that the
proofs of `glass` and `symb` rest on (docs/algorithms/glass.md, checklist points 7 and 8)."""

from itertools import product

import numpy as np
import pytest

from tests.algorithms.tree_transcripts import drawn_by, glass_tree, transcript
from tests.small_tables import table_from
from voile.algorithms import elig
from voile.algorithms.blind_cut import rule_of
from voile.algorithms.fixed_settings import settings_of_glass
from voile.algorithms.glass import Glass
from voile.algorithms.match import matched
from voile.core.draws import InsecureDraws
from voile.core.eligibility import largest_l
from voile.core.order import distinct_values
from voile.kernels.glass import APART, NEVER_CUT, Seats, grow, planned, seat_of, skimmed
from voile.kernels.node_bags import GROWING, bounds_of_draws, most_frequent_first
from voile.kernels.shift_test import passes


def random_table(chance, n, spread, values):
    """Rows of which many look alike, if the spread is small; value 0 is frequent."""
    numbers, others = chance.integers(0, spread, n).tolist(), chance.integers(0, spread, n).tolist()
    trees, letters = chance.integers(0, min(5, spread), n).tolist(), [0] * n
    secret = np.minimum(chance.integers(0, values, n), chance.integers(0, values, n))
    return table_from(numbers, others, trees, letters, secret.tolist(), values=values)


def rearranged(chance, bucket, place, turning):
    """Places of rows once the values of each bucket are turned around, buckets of one width together; or, for a
    stronger claim than the proof needs, exchanged in each bucket by any permutation."""
    tree = distinct_values(bucket)[1]
    width = np.zeros(tree.max() + 1, np.int64)
    np.maximum.at(width, tree, place + 1)
    shift = {w: int(chance.integers(w)) for w in np.unique(width).tolist()}
    found = np.empty_like(place)
    for b, w in enumerate(width.tolist()):
        order = (np.arange(w) + shift[w]) % w if turning else chance.permutation(w)
        found[tree == b] = order[place[tree == b]]
    return found


def seats_of(table, ell, seed):
    """What loss and quasi-identifiers MATCH sees, and the buckets that `glass` publishes."""
    settled = Glass(l=ell, **settings_of_glass(ell))
    rule = rule_of(settled, "tau", "limit", "sure", exact=settled.cuts == "middle")
    tree = glass_tree(table, rule, InsecureDraws(seed))
    seen = tree.rows.loss, tree.rows.values()
    transcript(tree, drawn_by(InsecureDraws(seed + 1)))
    return seen, tree.filled


def assert_same_groups(table, ell, seed, turning):
    seen, seats = seats_of(table, ell, seed)
    place = rearranged(np.random.default_rng(seed), seats.bucket, seats.place, turning)
    groups = [matched(*seen, seats.bucket, p, lambda share: None) for p in (seats.place, place)]
    assert (groups[0] == groups[1]).all()
    assert np.unique(np.column_stack([groups[0], seats.place]), axis=0).shape[0] == table.n, "a place once a group"
    return (place != seats.place).any()


@pytest.mark.slow
@pytest.mark.parametrize("turning", [True, False], ids=["turned", "permuted"])
@pytest.mark.parametrize("spread", [1, 2, 9, 1000])
def test_nearest_rows_do_not_know_which_value_is_which(spread, turning):
    chance, different = np.random.default_rng(spread), 0
    for seed in range(12):
        table = random_table(chance, int(chance.integers(40, 400)), spread, int(chance.integers(6, 15)))
        most = largest_l(np.bincount(table.sensitive[0].codes))
        if most >= 2:
            different += assert_same_groups(table, int(chance.integers(2, most + 1)), seed, turning)
    assert different >= 8, "values were exchanged in most of them"


def test_nor_with_more_places_than_a_set_of_bits_has():
    """A k-d node tells 31 places apart; with more of them sets prune less, and answers stay exact."""
    chance = np.random.default_rng(3)
    n = 40 * 12
    secret = np.arange(n) % 40
    numbers, others = chance.integers(0, 9, n).tolist(), chance.integers(0, 99, n).tolist()
    table = table_from(numbers, others, [0] * n, [0] * n, secret.tolist(), values=40)
    assert assert_same_groups(table, 35, 1, turning=False)


def test_nor_where_outlying_rows_begin_in_bands(monkeypatch):
    """As in tables of more than 125,000 rows."""
    monkeypatch.setattr(elig, "SMALL", 50)
    monkeypatch.setattr(elig, "BANDS", 8)
    chance = np.random.default_rng(6)
    assert (
        sum(assert_same_groups(random_table(chance, 300, 6, 9), 2, seed, turning=True) for seed in range(6)) >= 3
    )


@pytest.mark.parametrize("ell", [2, 4, 6])
def test_nor_on_adult(adult_table, ell):
    some = np.random.default_rng(ell).random(adult_table.n) < 0.15
    assert assert_same_groups(adult_table.of_rows(some), ell, ell, turning=True)


def test_fine_and_fast_groups_stay_inside_buckets(adult_table):
    some = np.random.default_rng(1).random(adult_table.n) < 0.1
    seen, seats = seats_of(adult_table.of_rows(some), 3, 5)
    fine = matched(*seen, seats.bucket, seats.place, lambda share: None)
    for group in (fine, seats.group):
        owner = np.full(int(group.max()) + 1, -1)
        owner[group] = seats.bucket
        assert (owner[group] == seats.bucket).all()


class OneNode:
    """The first node of a tree of `glass`: its rows, its plan, and the seat that each row draws."""

    def __init__(self, table, rule, seed):
        self.rule, self.tree = rule, glass_tree(table, rule, InsecureDraws(seed))
        self.matrix, self.different = self.tree.rows.matrix, self.tree.rows.different
        self.nodes, self.first = np.array([[0, table.n, GROWING]]), np.zeros(1, np.int64)
        bounds = np.empty(table.n, np.int64)
        bounds_of_draws(self.matrix, self.nodes, self.first, np.zeros(self.different, np.int64), bounds)
        self.numbers = InsecureDraws(seed + 1).below(bounds)
        self.values, self.rank, plan = self.plan(self.matrix)
        self.seat = [
            seat_of(plan, self.rank[v], k) for v, k in zip(self.matrix[:, -2], self.numbers.tolist(), strict=True)
        ]
        self.start, self.listed = plan.start, plan.listed

    def plan(self, matrix):
        """Values by descending count, ranks of values, and the plan."""
        rank = np.empty(self.different, np.int64)
        values, number = most_frequent_first(matrix, 0, len(matrix), np.zeros(self.different, np.int64), rank)
        quotas = np.zeros(number.size, np.int64)
        skimmed(self.rule, number, len(matrix), quotas)
        return values, rank, planned(number, quotas, self.rule.ell)

    def turned(self, chance):
        """Rows with values turned around in their buckets, and numbers that seat them in the same buckets."""
        widths = np.diff(self.start)
        shift = {w: int(chance.integers(w)) for w in np.unique(widths).tolist()}
        bucket = np.repeat(np.arange(widths.size), widths)
        matrix, seat = self.matrix.copy(), list(self.seat)
        for r, s in enumerate(self.seat):
            if s != APART:
                begin, w = self.start[bucket[s]], int(widths[bucket[s]])
                seat[r] = int(begin + (s - begin + shift[w]) % w)
                matrix[r, -2] = self.values[self.listed[seat[r]]]
        values, rank, plan = self.plan(matrix)
        assert (values == self.values).all(), "the bag is the same, so is everything planned from it"
        assert (plan.listed == self.listed).all()
        numbers = np.array(
            [number_for(plan, rank[v], s) for v, s in zip(matrix[:, -2], seat, strict=True)], np.int64
        )
        return matrix, numbers

    def grown(self, matrix, numbers):
        """What one level makes of it: children, the order of rows, and seats."""
        n, rows = len(matrix), matrix.copy()
        seats = Seats(np.full(n, -1), np.full(n, -1, np.int32), np.full(n, -1))
        children = np.empty((3, 3), np.int64)
        fixed = self.tree.rows.loss, self.rule, rows, np.empty_like(rows), self.different
        born = grow(*fixed, self.nodes, self.first, numbers, seats, children)
        return children[:born].tolist(), rows[:, -1].tolist(), seats


def number_for(plan, v, seat):
    """A number that stands for a seat; the inverse of `seat_of`."""
    if seat == APART:
        plan.aside[v] -= 1
        return 0
    number = int(plan.aside[v])
    for s in plan.seats[plan.first[v] : plan.first[v + 1]].tolist():
        if s == seat:
            assert plan.left[s] > 0
            plan.left[s] -= 1
            return number
        number += int(plan.left[s])
    raise AssertionError("a value has no such seat")


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False], ids=["middle", "codes"])
def test_a_node_does_not_know_which_value_is_which(exact):
    """Turn the values of all buckets of one node, keep the buckets: the same rows are skimmed, the same cut passes
    or fails, and the fast tier's groups are the same."""
    chance = np.random.default_rng(7)
    seen = {"cut": 0, "failed": 0, "skimmed": 0, "turned": 0}
    for seed in range(300):
        table = random_table(chance, int(chance.integers(12, 60)), int(chance.integers(2, 9)), 6)
        ell = 2 + seed % 3 // 2
        if largest_l(np.bincount(table.sensitive[0].codes)) < ell:
            continue
        rule = NEVER_CUT._replace(ell=ell, least=2, tau=[(1, 1), (3, 5)][seed % 2], limit=(3, 5), exact=exact)
        node = OneNode(table, rule, seed)
        matrix, numbers = node.turned(chance)
        before, after = node.grown(node.matrix, node.numbers), node.grown(matrix, numbers)
        assert before[:2] == after[:2], "children and rows"
        assert (before[2].bucket == after[2].bucket).all() and (before[2].group == after[2].group).all()
        kinds = [child[2] for child in before[0]]
        seen["cut"] += kinds.count(GROWING) == 2
        seen["failed"] += GROWING not in kinds
        seen["skimmed"] += any(kind != GROWING for kind in kinds)
        seen["turned"] += (matrix[:, -2] != node.matrix[:, -2]).any()
    assert all(count >= 10 for count in seen.values()), seen


def literal(start, listed, within, counts, left, size, ell):
    """Would both parts be l-diverse, for every way to turn buckets of each width? By trying all."""
    widths = np.diff(start).tolist()
    for shifts in product(*(range(w) for w in sorted(set(widths)))):
        shift, turned = dict(zip(sorted(set(widths)), shifts, strict=True)), np.zeros(counts.size, np.int64)
        for b, w in enumerate(widths):
            for i in range(w):
                turned[listed[start[b] + (i + shift[w]) % w]] += within[start[b] + i]
        if any(t * ell > left or (c - t) * ell > size - left for t, c in zip(turned, counts, strict=True)):
            return False
    return True


def random_split(chance):
    """Signatures of random widths, and how many rows of each place went left."""
    ell = int(chance.integers(2, 4))
    widths = chance.choice([ell, ell, ell, ell + 1, ell + 2], int(chance.integers(1, 4)))
    alpha = np.where(widths == ell, chance.integers(1, 6, widths.size), 1)
    start = np.concatenate([[0], np.cumsum(widths)])
    listed = np.concatenate([chance.permutation(ell + 3)[:w] for w in widths])
    most = np.repeat(alpha, widths)
    within = np.clip(most // 2 + chance.integers(-1, 2, most.size), 0, most)
    counts = np.bincount(listed, most, ell + 3).astype(np.int64)
    return start, listed, within, counts, int(within.sum()), int(most.sum()), ell


def test_the_test_is_what_trying_all_turns_gives():
    chance, verdicts = np.random.default_rng(11), []
    for _ in range(2000):
        split = random_split(chance)
        if 0 < split[4] < split[5]:
            verdicts.append(passes(*split))
            assert verdicts[-1] == literal(*split)
    assert min(sum(verdicts), len(verdicts) - sum(verdicts)) >= 100, "both verdicts occur"


def test_the_verdict_is_the_same_for_all_turns():
    chance = np.random.default_rng(12)
    for _ in range(500):
        start, listed, within, *rest = random_split(chance)
        shift = {w: int(chance.integers(w)) for w in np.unique(np.diff(start)).tolist()}
        turned = within.copy()
        for b, w in enumerate(np.diff(start).tolist()):
            turned[start[b] : start[b + 1]] = np.roll(within[start[b] : start[b + 1]], shift[w])
        assert passes(start, listed, within, *rest) == passes(start, listed, turned, *rest)


def test_widths_l_and_l_plus_1_turn_as_one_wheel_of_l_times_l_plus_1():
    """Turning them independently, or all together l (l + 1) times: the same set of turns (Chinese remainders)."""
    for ell in range(2, 9):
        together = {(k % ell, k % (ell + 1)) for k in range(ell * (ell + 1))}
        assert together == set(product(range(ell), range(ell + 1)))


def test_a_share_of_exactly_one_lth_passes():
    start, listed, counts = np.array([0, 3]), np.arange(3), np.array([4, 4, 4])
    assert passes(start, listed, np.array([2, 2, 2]), counts, 6, 12, 3)
    assert not passes(start, listed, np.array([2, 2, 1]), counts, 5, 12, 3)  # 2 of 5 is more than a third
