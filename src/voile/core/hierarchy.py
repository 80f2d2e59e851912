"""Hierarchy: a tree over a column's values, leaves numbered depth-first.

Every node is then an interval of leaf codes, and the lowest common ancestor of two codes is
found by comparisons while climbing (design section 2).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.errors import HierarchyError

EVERYTHING = "*"
_NUMBER = r"-?\d+(?:\.\d+)?"
_BETWEEN = re.compile(rf"([\[\](]?)\s*({_NUMBER})\s*(?:-|,|;|\.\.|to)\s*({_NUMBER})\s*([\[\])]?)")
_BEYOND = re.compile(rf"([<>]=?)\s*({_NUMBER})")


@dataclass(frozen=True, repr=False, eq=False)
class Hierarchy:
    """A tree as parallel arrays; nodes 0 .. leaves-1 are the leaves in depth-first order.

    >>> tree = Hierarchy.from_lines([["flu", "lung", "*"], ["ulcer", "gut", "*"], ["asthma", "lung", "*"]])
    >>> tree.labels
    ('flu', 'asthma', 'ulcer', 'lung', '*')
    >>> tree.labels[tree.ancestor(0, 1)]
    'lung'
    >>> Hierarchy.flat(["a", "b"]).labels
    ('a', 'b', '*')
    """

    labels: tuple[str, ...]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    parent: NDArray[np.int64]
    leaves: int
    is_flat: bool = False  # no hierarchy was given: groups are published as sets of values

    @classmethod
    def flat(cls, labels: Sequence[str]) -> "Hierarchy":
        """Distinct leaves in the given order under one root."""
        n = len(labels)
        root = [EVERYTHING] if n > 1 else []
        low, high = np.arange(n + len(root)), np.arange(n + len(root))
        low[n:], high[n:] = 0, n - 1
        parent = np.full(low.size, n if root else -1)
        parent[n:] = -1
        return cls((*labels, *root), low, high, parent, n, is_flat=True)

    @classmethod
    def from_lines(
        cls, lines: Sequence[Sequence[str]], *, where: str = "hierarchy", check_labels: bool = True
    ) -> "Hierarchy":
        """Build from ARX lines: leaf, parent, ..., root; refuses what is not a tree, by line number."""
        _check_width(lines, where)
        _check_one_parent(lines, where)
        if check_labels:
            _check_intervals(lines, where)
        order = _depth_first(lines)
        return cls._from_ordered([lines[i] for i in order], [i + 1 for i in order], where)

    @classmethod
    def _from_ordered(cls, lines: list[Sequence[str]], numbers: list[int], where: str) -> "Hierarchy":
        """Turn depth-first lines into nodes, dropping each node that repeats its only child."""
        n = len(lines)
        nodes: list[tuple[int, int, str]] = [(i, i, line[0]) for i, line in enumerate(lines)]
        meaning = {label: (low, high) for low, high, label in nodes}
        seen = set(meaning.values())
        for level in range(1, len(lines[0])):
            for low, high in _runs([line[level] for line in lines]):
                label = lines[low][level]
                if meaning.setdefault(label, (low, high)) != (low, high):
                    raise HierarchyError(
                        f"label of level {level} stands for two different sets of values",
                        where=f"{where}, line {numbers[low]}",
                        rule="a label means one thing",
                        remedy="rename one of the two",
                    )
                if (low, high) not in seen:
                    seen.add((low, high))
                    nodes.append((low, high, label))
        if n > 1 and nodes[-1][:2] != (0, n - 1):
            if EVERYTHING in meaning:
                raise HierarchyError(
                    "some lines end in * and others do not",
                    where=where,
                    rule="* means everything",
                    remedy="end every line with *; a hierarchy file has no header line",
                )
            nodes.append((0, n - 1, EVERYTHING))
        low_high = np.array([node[:2] for node in nodes], np.int64).reshape(-1, 2)
        return cls(
            tuple(node[2] for node in nodes),
            np.ascontiguousarray(low_high[:, 0]),
            np.ascontiguousarray(low_high[:, 1]),
            _parents(nodes, n),
            n,
        )

    def with_leaf(self, label: str) -> "Hierarchy":
        """This tree with one more leaf, directly under the root."""
        n = self.leaves
        inner = [
            (int(a), int(b), name) for a, b, name in zip(self.low[n:], self.high[n:], self.labels[n:], strict=True)
        ]
        leaves = [*self.labels[:n], label]
        nodes = [(i, i, name) for i, name in enumerate(leaves)]
        if inner:
            nodes += [*inner[:-1], (0, n, inner[-1][2])]
        else:
            nodes.append((0, n, EVERYTHING))
        low_high = np.array([node[:2] for node in nodes], np.int64)
        return Hierarchy(
            tuple(node[2] for node in nodes),
            low_high[:, 0].copy(),
            low_high[:, 1].copy(),
            _parents(nodes, n + 1),
            n + 1,
            self.is_flat,
        )

    def __repr__(self) -> str:
        return f"Hierarchy({self.leaves} leaves, {len(self.labels)} nodes)"

    def ancestor(self, low: int, high: int) -> int:
        """The lowest node above all codes low .. high."""
        node = low
        while self.high[node] < high:
            node = int(self.parent[node])
        return node

    def size(self, node: int) -> int:
        """How many leaves lie under a node."""
        return int(self.high[node] - self.low[node] + 1)


def _runs(values: Sequence[str]) -> list[tuple[int, int]]:
    """First and last index of each run of equal values."""
    starts = [i for i, value in enumerate(values) if i == 0 or value != values[i - 1]]
    return list(zip(starts, [s - 1 for s in starts[1:]] + [len(values) - 1], strict=True))


def _parents(nodes: list[tuple[int, int, str]], leaves: int) -> NDArray[np.int64]:
    """Parent of each node: the smallest later node around it. Nodes of one level are disjoint."""
    parent = np.full(len(nodes), -1, np.int64)
    top = np.arange(leaves)  # highest node so far above each leaf
    for node in range(leaves, len(nodes)):
        low, high = nodes[node][:2]
        parent[np.unique(top[low : high + 1])] = node
        top[low : high + 1] = node
    return parent


def _check_width(lines: Sequence[Sequence[str]], where: str) -> None:
    if not lines:
        raise HierarchyError("empty", where=where, remedy="write one line per value: value;parent;...;*")
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise HierarchyError(
                f"{len(line)} levels where line 1 has {len(lines[0])}",
                where=f"{where}, line {number}",
                rule="equal width",
                remedy="repeat a label to fill the levels of a shorter branch",
            )


def _check_one_parent(lines: Sequence[Sequence[str]], where: str) -> None:
    leaf_line: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if leaf_line.setdefault(line[0], number) != number:
            raise HierarchyError(
                f"the value of line {leaf_line[line[0]]} again",
                where=f"{where}, line {number}",
                rule="one line per value",
                remedy="delete one of the two lines",
            )
    parents: dict[tuple[int, str], tuple[str, int]] = {}
    for number, line in enumerate(lines, 1):
        for level in range(len(line) - 1):
            parent, first = parents.setdefault((level, line[level]), (line[level + 1], number))
            if parent != line[level + 1]:
                raise HierarchyError(
                    f"level {level} has another parent than in line {first}",
                    where=f"{where}, line {number}",
                    rule="one parent per child",
                    remedy="make the two lines agree",
                )


def _outside(label: str, leaf: float) -> bool:
    """Whether a label is an interval that does not contain the number."""
    between, beyond = _BETWEEN.fullmatch(label), _BEYOND.fullmatch(label)
    if between:
        opening, low, high, closing = between.groups()
        below = leaf <= float(low) if opening and opening in "(]" else leaf < float(low)
        above = leaf >= float(high) if closing and closing in ")[" else leaf > float(high)
        return below or above
    if beyond:
        sign, bound = beyond.group(1), float(beyond.group(2))
        return not {"<": leaf < bound, "<=": leaf <= bound, ">": leaf > bound, ">=": leaf >= bound}[sign]
    return False


def _check_intervals(lines: Sequence[Sequence[str]], where: str) -> None:
    for number, line in enumerate(lines, 1):
        if not re.fullmatch(_NUMBER, line[0]):
            continue
        for level, label in enumerate(line[1:], 1):
            if _outside(label, float(line[0])):
                raise HierarchyError(
                    f"the interval at level {level} does not contain its value",
                    where=f"{where}, line {number}",
                    rule="labels say what they contain",
                    remedy="correct the label, or set check_labels = false in the spec to use only the structure",
                )


def _depth_first(lines: Sequence[Sequence[str]]) -> list[int]:
    """Line indices so that every label's lines are neighbours; first appearance decides the order."""
    rank: dict[tuple[int, str], int] = {}
    for i, line in enumerate(lines):
        for level, label in enumerate(line):
            rank.setdefault((level, label), i)
    return sorted(
        range(len(lines)),
        key=lambda i: [rank[level, lines[i][level]] for level in range(len(lines[i]) - 1, -1, -1)],
    )
