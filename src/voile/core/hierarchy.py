"""Hierarchy: a tree over a column's values, leaves numbered depth-first.

Every node is then an interval of leaf codes, and the lowest common ancestor of two codes is
found by comparisons while climbing (docs/architecture.md).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from voile.errors import HierarchyError

Level = tuple[NDArray[np.int64], Sequence[str]]  # the first leaf of each run, and its label
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
    declared: NDArray[np.int64] | None = None  # node of each leaf on each level as written, leaves first

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
        """Turn depth-first lines into levels of runs; a label means one set of values."""
        n = len(lines)
        meaning = {line[0]: (i, i) for i, line in enumerate(lines)}
        levels: list[Level] = []
        for level in range(1, len(lines[0])):
            runs = _runs([line[level] for line in lines])
            for low, high in runs:
                if meaning.setdefault(lines[low][level], (low, high)) != (low, high):
                    raise HierarchyError(
                        f"label of level {level} stands for two different sets of values",
                        where=f"{where}, line {numbers[low]}",
                        rule="a label means one thing",
                        remedy="rename one of the two",
                    )
            levels.append((np.array([low for low, _ in runs]), [lines[low][level] for low, _ in runs]))
        if meaning.get(EVERYTHING, (0, n - 1)) != (0, n - 1):
            raise HierarchyError(
                "some lines end in * and others do not",
                where=where,
                rule="* means everything",
                remedy="end every line with *; a hierarchy file has no header line",
            )
        return cls.from_levels([line[0] for line in lines], levels, where=where)

    @classmethod
    def from_levels(
        cls, leaves: Sequence[str], levels: Sequence[Level], *, where: str = "hierarchy"
    ) -> "Hierarchy":
        """Build from ordered leaves and nested levels of runs, fine to coarse; a root is added.

        A run that repeats its only child is no node.

        >>> Hierarchy.from_levels(["1", "2", "7"], [(np.array([0, 2]), ["[0, 4]", "[5, 9]"])]).labels
        ('1', '2', '7', '[0, 4]', '*')
        """
        n, labels = len(leaves), list(leaves)
        low, high = [np.arange(n)], [np.arange(n)]
        top, end = np.arange(n), np.arange(n)  # the highest node so far above each leaf, and where it ends
        links, declared = [], [top]
        for starts, names in (*levels, (np.arange(min(n, 1)), [EVERYTHING] * min(n, 1))):
            last = np.append(starts[1:], n)[: starts.size] - 1
            new = end[starts] < last
            node = np.where(new, len(labels) - 1 + np.cumsum(new), -1)
            above, ends = np.repeat(node, last - starts + 1), np.repeat(last, last - starts + 1)
            links.append((top[above >= 0], above[above >= 0]))
            top, end = np.where(above >= 0, above, top), np.where(above >= 0, ends, end)
            declared.append(top)
            labels += [name for name, is_new in zip(names, new.tolist(), strict=True) if is_new]
            low.append(starts[new])
            high.append(last[new])
        parent = np.full(len(labels), -1)
        for children, above in links:
            parent[children] = above
        _refuse_twins(labels, where)
        written = np.array(declared).reshape(len(declared), n)
        return cls(tuple(labels), np.concatenate(low), np.concatenate(high), parent, n, declared=written)

    def with_leaf(self, label: str) -> "Hierarchy":
        """This tree with one more leaf, directly under `*`."""
        n = self.leaves
        if n == 0:
            return replace(Hierarchy.flat([label]), is_flat=self.is_flat)
        labels, low, high, parent = self.labels, self.low, self.high, self.parent
        if labels[-1] != EVERYTHING:  # the root says what it contains: there must be one above it
            parent = np.append(np.where(parent < 0, len(labels), parent), -1)
            labels, low, high = (*labels, EVERYTHING), np.append(low, 0), np.append(high, n - 1)
        low, high = np.insert(low, n, n), np.insert(high, n, n)
        high[-1] = n
        parent = np.insert(np.where(parent < 0, -1, parent + 1), n, len(labels))
        shown = (*labels[:n], label, *labels[n:])
        return Hierarchy(shown, low, high, parent, n + 1, self.is_flat, self._declared_with_leaf(len(labels)))

    def _declared_with_leaf(self, root: int) -> NDArray[np.int64] | None:
        """The levels as written, of a tree with one more leaf: on all but the last it stands for itself."""
        if self.declared is None:
            return None
        n, written = self.leaves, self.levels()
        moved = np.where(written >= n, written + 1, written)
        levels = np.append(moved, np.full((len(moved), 1), n), axis=1)
        return np.append(levels[:-1], np.full((1, n + 1), root), axis=0)

    def levels(self) -> NDArray[np.int64]:
        """The node of each leaf on each level: those of the hierarchy file, leaves first; the last is the root.

        >>> tree = Hierarchy.from_lines([["20s", "young", "young", "*"], ["30s", "young", "young", "*"],
        ...     ["40s", "40s", "old", "*"], ["50s", "50s", "old", "*"]])
        >>> [[tree.labels[node] for node in level] for level in tree.levels()[1:3]]
        [['young', 'young', '40s', '50s'], ['young', 'young', 'old', 'old']]
        """
        if self.declared is not None:
            closed = len(self.declared) > 1 and np.array_equal(self.declared[-1], self.declared[-2])
            return self.declared[:-1] if closed else self.declared  # the file's own last level holds everything
        whole = np.full(self.leaves, len(self.labels) - 1)
        return np.array([np.arange(self.leaves), whole][: 1 + (self.leaves > 1)])

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

    def lines(self) -> list[list[str]]:
        """The tree as ARX lines, all of equal width: a leaf is repeated where its branch is short.

        >>> Hierarchy.from_lines([["flu", "lung", "*"], ["asthma", "lung", "*"], ["gout", "gout", "*"]]).lines()
        [['flu', 'lung', '*'], ['asthma', 'lung', '*'], ['gout', 'gout', '*']]
        """
        chain = [np.arange(self.leaves)]  # of each leaf; the root repeats itself
        while (self.parent[chain[-1]] >= 0).any():
            above = self.parent[chain[-1]]
            chain.append(np.where(above >= 0, above, chain[-1]))
        nodes = np.array(chain)
        short = (nodes == nodes[-1]).sum(axis=0) - 1
        steps = np.arange(len(chain))[:, None] - short
        aligned = np.take_along_axis(nodes, np.maximum(steps, 0), axis=0)
        columns = [[self.labels[node] for node in level] for level in aligned.tolist()]
        if self.labels and self.labels[-1] != EVERYTHING:  # ARX's lines all end so
            columns.append([EVERYTHING] * self.leaves)
        return [list(line) for line in zip(*columns, strict=True)]


def _runs(values: Sequence[str]) -> list[tuple[int, int]]:
    """First and last index of each run of equal values."""
    starts = [i for i, value in enumerate(values) if i == 0 or value != values[i - 1]]
    return list(zip(starts, [s - 1 for s in starts[1:]] + [len(values) - 1], strict=True))


def _refuse_twins(labels: list[str], where: str) -> None:
    if len(set(labels)) < len(labels):
        raise HierarchyError(
            "a label stands for two different sets of values",
            where=where,
            rule="a label means one thing",
            remedy="rename the value that reads like a label, or write the hierarchy as a file",
        )


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


def _outside(label: str, leaf: Decimal) -> bool:
    """Whether a label is an interval that does not contain the number."""
    between, beyond = _BETWEEN.fullmatch(label), _BEYOND.fullmatch(label)
    if between:
        opening, low, high, closing = between.groups()
        below = leaf <= Decimal(low) if opening and opening in "(]" else leaf < Decimal(low)
        above = leaf >= Decimal(high) if closing and closing in ")[" else leaf > Decimal(high)
        return below or above
    if beyond:
        sign, bound = beyond.group(1), Decimal(beyond.group(2))
        return not {"<": leaf < bound, "<=": leaf <= bound, ">": leaf > bound, ">=": leaf >= bound}[sign]
    return False


def misleading(lines: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """Line and level of the first label that is an interval without the line's number in it.

    >>> misleading([["5", "0-9", "*"], ["12", "0-9", "*"]])
    (2, 1)
    """
    for number, line in enumerate(lines, 1):
        if re.fullmatch(_NUMBER, line[0]):
            for level, label in enumerate(line[1:], 1):
                if _outside(label, Decimal(line[0])):
                    return number, level
    return None


def _check_intervals(lines: Sequence[Sequence[str]], where: str) -> None:
    found = misleading(lines)
    if found:
        raise HierarchyError(
            f"the interval at level {found[1]} does not contain its value",
            where=f"{where}, line {found[0]}",
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
