"""`glass` on a cluster: large nodes are dealt to buckets, tested and cut from counts, smaller ones by the local
algorithm.

A node is treated as the local kernel treats it: skimmed by its bag, dealt by numbers that its rows drew on this
level alone, and cut if the test that tells nothing passes; the buckets that failed the test are the buckets that
are published. Buckets too large for one executor are matched in chunks (buckets.py). So the proof of
docs/algorithms/glass.md holds word for word. Only the promise equals the local one.
"""

from collections.abc import Callable

import numpy as np

from voile.algorithms.blind_cut import rule_of
from voile.algorithms.fixed_settings import settings_of_glass
from voile.algorithms.glass import FINE, MIDDLE
from voile.algorithms.match import matched
from voile.algorithms.symb import Symb
from voile.algorithms.tree_levels import rows_along_curve
from voile.core.algorithm import Algorithm
from voile.core.draws import Draws
from voile.core.order import canonical_order, distinct_values
from voile.core.partition import Partition
from voile.core.table import Table
from voile.kernels.blind_cuts import NOWHERE, Cut
from voile.kernels.glass import Rule
from voile.kernels.shift_test import passes
from voile.kernels.spread import NO_CUT
from voile.spark.blind_cut import cuts_of, resolved
from voile.spark.buckets import ASIDE, Chunks, Seated, chunks_of, seated
from voile.spark.cells import Work, by_kind, local_run
from voile.spark.planned import Planned
from voile.spark.random_cells import values_of
from voile.spark.spread import Batch, Codes, Spread
from voile.spark.upper_tree import Level, Tree

GROWS, LEAF, CHUNK = range(3)  # kinds of cells: a local tree, local buckets, a chunk of one bucket
Large = dict[int, tuple[Seated, int]]  # nodes that are published as the buckets they were dealt to


def plan(spread: Spread, algorithm: Algorithm, most: int) -> Planned:
    """Cells of at most `most` rows."""
    values = values_of(spread)
    settled = resolved(algorithm, spread, values, settings_of_glass)
    match = str(settled.match)  # type: ignore[attr-defined]
    rule = rule_of(settled, "tau", "limit", "sure", exact=settled.cuts == MIDDLE)  # type: ignore[attr-defined]
    tree, kind = Tree(spread, values), {0: GROWS}
    large: Large = {}
    while due := [node for node, own in kind.items() if own == GROWS and tree.size(node) > most]:
        large |= tested_level(tree, rule, due, kind)
    late = [node for node, own in kind.items() if own == LEAF and tree.size(node) > most]
    if late:
        some = seated(tree, rule, late, skim=False)
        large |= {node: (some, i) for i, node in enumerate(late)}
    nodes, chunks = sorted(set(kind) - set(large)), chunks_of(tree, large, most)
    kinds = np.array([*(kind[node] for node in nodes), *[CHUNK] * chunks.cells], np.int64)
    works = local_run(settled), local_run(Symb(l=rule.ell, match=match)), chunk_run(match)
    return Planned(_cell_of(tree, nodes, chunks), by_kind(works, kinds), settled)


def tested_level(tree: Tree, rule: Rule, due: list[int], kind: dict[int, int]) -> Large:
    """Deal, test and cut all nodes that are due; returns those that are not cut, with their seats."""
    some = seated(tree, rule, due, skim=True)
    below = some.below(tree.values.present.size)
    drawn = some.cells.drawn if any(own.any() for own in some.quotas) else None
    may = [node for node in due if tree.size(node) >= 2 * rule.least]
    found = cuts_of(tree, may, drawn, below, rule.exact, between=2**62 if rule.exact else rule.least)
    cuts = {node: cut for node, cut in found.items() if cut.column != NOWHERE}
    level = tree.level(drawn, below, cuts)
    passed = _passed(tree, some, level, cuts, rule)
    level.column[[node for node in cuts if node not in passed]] = NO_CUT
    tree.grow(level)
    for node in due:
        aside, left, right = level.children[node].tolist()
        del kind[node]
        if tree.size(aside):
            kind[aside] = LEAF
        if node in passed:
            kind[left] = kind[right] = GROWS
    return {node: (some, i) for i, node in enumerate(due) if node not in passed}


def _passed(tree: Tree, some: Seated, level: Level, cuts: dict[int, Cut], rule: Rule) -> set[int]:
    """Nodes whose cut passes the test, by how many rows of each seat go left."""
    wide = max(plan.listed.size for plan in some.plans)
    which = np.full(tree.nodes, -1, np.int64)
    which[some.nodes] = np.arange(len(some.nodes))
    before, after = tree.placer(), tree.placer(level)

    def keys(batch: Batch) -> Codes:
        node, child = before(batch), after(batch)
        left = (which[node] >= 0) & (level.column[node] != NO_CUT) & (child == level.children[node, 1])
        found: Codes = which[node][left] * wide + some.seats(batch)[left]
        return found

    within = np.zeros(len(some.nodes) * wide, np.int64)
    found, counts = tree.spread.tally(keys)
    within[found] = counts
    passed = set()
    for i, (node, own) in enumerate(zip(some.nodes, within.reshape(-1, wide), strict=True)):
        plan, quotas = some.plans[i], some.quotas[i]
        if node in cuts:
            counts = np.sort(tree.bags[node][tree.bags[node] > 0])[::-1] - quotas
            size = int(counts.sum())
            within_it = own[: plan.listed.size].copy()
            if passes(plan.start, plan.listed, within_it, counts, cuts[node].left, size, rule.ell):
                passed.add(node)
    return passed


def _cell_of(tree: Tree, nodes: list[int], chunks: Chunks) -> Callable[[Batch], Codes]:
    """Nodes first, then chunks."""
    first = np.full(tree.nodes, ASIDE, np.int64)
    first[nodes] = np.arange(len(nodes))
    node_of, many = tree.placer(), len(nodes)

    def cell_of(batch: Batch) -> Codes:
        node = node_of(batch)
        if not chunks.cells:
            return first[node]
        return np.where(first[node] >= 0, first[node], many + chunks.cell_of(batch, node))

    return cell_of


def chunk_run(match: str) -> Work:
    """Groups of near rows, one of each value: a chunk of a bucket."""

    def work(cell: int, table: Table, draws: Draws) -> Partition:
        value = distinct_values(table.sensitive[0].codes)[1]
        rows, _ = rows_along_curve(table, value, draws)
        place = rows.matrix[:, -2].astype(np.int32)
        if match == FINE:
            bucket = np.zeros(table.n, np.int64)
            return rows.partition(matched(rows.loss, rows.values(), bucket, place, lambda share: None))
        order = canonical_order([place])
        group = np.empty(table.n, np.int64)
        group[order] = np.tile(np.arange(table.n // rows.different), rows.different)
        return rows.partition(group)

    return work
