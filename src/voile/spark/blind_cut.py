"""`blind_cut` on a cluster: certain cuts of large nodes from counted bags, smaller nodes by the local algorithm.

A node is skimmed and cut exactly as the local kernel does it: quotas from its bag, rows of a value by the numbers
they drew, halves by quasi-identifiers. A leaf that is too large for one executor is dealt to random cells first,
as `rda` is. So the proof of docs/algorithms/blind_cut.md holds word for word. Only the promise equals the local
one: cuts are judged by other pairs of rows, and groups of a large leaf do not cross cells.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np

from voile.algorithms.blind_cut import BlindCut, rule_of
from voile.algorithms.fixed_settings import Settings, settings_of_blind_cut
from voile.algorithms.streamliner.rda import Rda
from voile.core.algorithm import Algorithm
from voile.core.eligibility import feasible_l
from voile.core.parameters import AUTO
from voile.core.schema import Role
from voile.kernels.blind_cut import certain
from voile.kernels.blind_cuts import NOWHERE, Cut
from voile.kernels.glass import Rule
from voile.kernels.skim import FAILED
from voile.spark.buckets import descending
from voile.spark.cells import by_kind, local_run
from voile.spark.nodes import Nodes
from voile.spark.planned import Planned
from voile.spark.random_cells import Values, cells_at, many_cells, quotas, values_of
from voile.spark.spread import Batch, Codes, Spread
from voile.spark.upper_tree import Tree, best_cut

GROWS, DEALT = range(2)  # kinds of cells


def plan(spread: Spread, algorithm: Algorithm, most: int) -> Planned:
    """Cells of at most `most` rows."""
    values = values_of(spread)
    settled = resolved(cast(BlindCut, algorithm), spread, values, settings_of_blind_cut)
    tree, rule = Tree(spread, values), rule_of(settled, "tau", "limit")
    kind = {0: GROWS}
    while due := [node for node, own in kind.items() if own == GROWS and tree.size(node) > most]:
        cut_level(tree, rule, due, kind)
    cell_of, cells = numbered_cells(tree, kind, rule.ell, most)
    works = (local_run(settled), local_run(Rda(l=rule.ell)))
    return Planned(cell_of, by_kind(works, cells), settled)


def resolved(asked: Algorithm, spread: Spread, values: Values, auto: Callable[[int], Settings]) -> Algorithm:
    """Fix l, by counts alone, and what l settles."""
    name = next(c.name for c in spread.layout.columns if c.role == Role.SENSITIVE)
    wanted = asked.l  # type: ignore[attr-defined]
    ell = feasible_l(None if wanted == AUTO else int(wanted), {name: values.counts}, suppressing=None)
    own = {setting: value for setting, value in auto(ell).items() if getattr(asked, setting) == AUTO}
    return replace(asked, l=ell, **own)  # type: ignore[type-var]


def cut_level(tree: Tree, rule: Rule, due: list[int], kind: dict[int, int]) -> None:
    """Skim and cut all nodes that are due, or make them leaves; told by their bags alone."""
    skims: dict[int, Codes] = {}
    for node in due:
        values, counts = descending(tree.bags[node])
        own = np.zeros(counts.size, np.int64)
        taken = certain(rule, counts, tree.size(node), own) if tree.size(node) >= 2 * rule.least else FAILED
        if taken == FAILED:
            kind[node] = DEALT
            continue
        skims[node] = np.zeros(tree.values.present.size, np.int64)
        skims[node][values] = own
    if not skims:
        return
    drawn, below = set_aside(tree, skims)
    cuts = cuts_of(tree, list(skims), drawn, below, exact=True, between=2**62)
    for node, cut in cuts.items():
        if cut.column == NOWHERE:  # rows that are all alike: the first half in the order they drew
            size = tree.size(node) - int(skims[node].sum())
            cuts[node] = Cut(0, cut.code, size // 2, size, size // 2)
    level = tree.level(drawn, below, cuts)
    tree.grow(level)
    for node in cuts:
        del kind[node]
        for child, becomes in zip(level.children[node].tolist(), (DEALT, GROWS, GROWS), strict=True):
            if tree.size(child):
                kind[child] = becomes


def set_aside(tree: Tree, skims: dict[int, Codes]) -> tuple[Callable[[Batch], Codes] | None, dict[int, Codes]]:
    """A number for each row, and below which one it is set aside, by node and value: so many of each are."""
    values, none = tree.values, np.zeros(tree.values.present.size, np.int64)
    if not any(skim.any() for skim in skims.values()):
        return None, dict.fromkeys(skims, none)
    node_of, which = tree.placer(), np.full(tree.nodes, -1, np.int64)
    which[list(skims)] = np.arange(len(skims))
    many = values.present.size

    def list_of(batch: Batch) -> Codes:
        own = which[node_of(batch)]
        return np.where(own >= 0, own * many + values.of(batch), -1)

    sizes = np.concatenate([tree.bags[node] for node in skims])
    ranks = np.concatenate(list(skims.values()))
    ends = [np.array([rank, size]) for rank, size in zip(ranks.tolist(), sizes.tolist(), strict=True)]
    dealt = cells_at(tree.spread, list_of, sizes, ends)
    bounds = dealt.bound.second.reshape(len(skims), many)
    return dealt.drawn, {node: bounds[i] for i, node in enumerate(skims)}


def cuts_of(
    tree: Tree,
    nodes: list[int],
    drawn: Callable[[Batch], Codes] | None,
    below: dict[int, Codes],
    exact: bool,
    between: int,
) -> dict[int, Cut]:
    """The best cut of what is left of each node, by quasi-identifiers alone."""
    node_of, values = tree.placer(), tree.values
    lows = np.zeros((tree.nodes + 1, values.present.size), np.int64)
    for node, low in below.items():
        lows[node] = low

    def left(batch: Batch) -> Codes:
        node = node_of(batch)
        return (
            node
            if drawn is None
            else np.where(drawn(batch) < lows[node, values.of(batch)], lows.shape[0] - 1, node)
        )

    histograms, samples = tree.histograms(nodes, left), tree.samples(nodes, left)
    columns = range(len(tree.frame.names))
    return {
        node: best_cut(tree.frame, samples[node], [histograms[node, j] for j in columns], exact, between)
        for node in nodes
    }


def numbered_cells(
    tree: Nodes, kind: dict[int, int], ell: int, most: int
) -> tuple[Callable[[Batch], Codes], Codes]:
    """The cell of each row, and the kind of each cell: a node, or one of the random cells of a large leaf."""
    nodes, values = sorted(kind), tree.values
    many = {node: 1 if kind[node] == GROWS else many_cells(tree.bags[node], ell, most) for node in nodes}
    first = np.zeros(tree.nodes, np.int64)
    first[nodes] = np.cumsum([0, *(many[node] for node in nodes)])[:-1]
    kinds = np.repeat([kind[node] for node in nodes], [many[node] for node in nodes])
    node_of, large = tree.placer(), [node for node in nodes if many[node] > 1]
    if not large:
        return lambda batch: first[node_of(batch)], kinds
    which = np.full(tree.nodes, -1, np.int64)
    which[large] = np.arange(len(large))

    def list_of(batch: Batch) -> Codes:
        own = which[node_of(batch)]
        return np.where(own >= 0, own * values.present.size + values.of(batch), -1)

    sizes = np.concatenate([tree.bags[node] for node in large])
    ends = [end for node in large for end in np.cumsum(quotas(tree.bags[node], ell, many[node]), axis=0).T]
    dealt = cells_at(tree.spread, list_of, sizes, ends)

    def cell_of(batch: Batch) -> Codes:
        return first[node_of(batch)] + dealt.among(list_of(batch), batch)

    return cell_of, kinds
