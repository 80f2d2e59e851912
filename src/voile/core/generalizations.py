"""Generalizations: a sequence g_1 .. g_n of ways to group the same rows, best utility first
(Liu et al. 2015, 3.1).

Each is decided from the quasi-identifiers alone, before anybody looks at a sensitive value. A function may stand
in the sequence more than once (Liu et al. 2015, section 5.2: reuse).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.order import dense_rank
from voile.errors import ParameterError

Groups = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Generalizations:
    """The group of each row in each function, groups numbered from 0; `titles` say what each does, in names of
    columns and levels.

    >>> sequence = Generalizations((np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])))
    >>> sequence, sequence.refines(0, 1), sequence.refines(1, 0)
    (Generalizations(2 functions of 4 rows), True, False)
    """

    functions: tuple[Groups, ...]
    titles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        numbered = tuple(dense_rank([np.asarray(groups, np.int64)]) for groups in self.functions)
        if not numbered or any(groups.shape != numbered[0].shape for groups in numbered):
            raise ValueError("a sequence has at least one function, and all are of the same rows")
        object.__setattr__(self, "functions", numbered)
        object.__setattr__(self, "titles", self.titles or tuple(f"g{i}" for i in range(1, len(numbered) + 1)))

    @classmethod
    def of_groups(cls, functions: Sequence[Sequence[Sequence[int]]], rows: int) -> "Generalizations":
        """From groups of row numbers, counted from 0; refuses what is not a partition.

        >>> Generalizations.of_groups([[[0, 2], [1]], [[0, 1, 2]]], 3).functions[0].tolist()
        [0, 1, 0]
        """
        found = []
        for i, groups in enumerate(functions, 1):
            group = np.full(rows, -1, np.int64)
            for number, members in enumerate(groups):
                inside = [row for row in members if 0 <= row < rows]
                if len(inside) < len(members) or (group[inside] >= 0).any() or len(set(inside)) < len(inside):
                    raise not_a_partition(i, "a row is named twice, or is not in the table")
                group[inside] = number
            if (group < 0).any():
                raise not_a_partition(i, "a row is in no group")
            found.append(group)
        return cls(tuple(found))

    def __repr__(self) -> str:
        return f"Generalizations({len(self)} functions of {self.rows} rows)"

    def __len__(self) -> int:
        return len(self.functions)

    @property
    def rows(self) -> int:
        """How many rows each function groups."""
        return int(self.functions[0].size)

    def at(self, places: Sequence[int]) -> "Generalizations":
        """The functions at these places (counted from 0), in this order."""
        return Generalizations(tuple(self.functions[i] for i in places), tuple(self.titles[i] for i in places))

    def refines(self, fine: int, coarse: int) -> bool:
        """Whether every group of one function (counted from 0) lies inside a group of the other."""
        return refines(self.functions[fine], self.functions[coarse])


def refines(fine: Groups, coarse: Groups) -> bool:
    """Whether every group of the one lies inside a group of the other.

    >>> refines(np.array([0, 1, 2]), np.array([0, 0, 1]))
    True
    """
    around = np.zeros(int(fine.max(initial=-1)) + 1, np.int64)
    around[fine] = coarse  # of one row of each group
    return bool((around[fine] == coarse).all())


def distinct_functions(found: Sequence[tuple[Groups, str]]) -> Generalizations:
    """Functions with their titles as a sequence; one that groups the rows like an earlier one is left out.

    >>> halves, whole = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])
    >>> distinct_functions([(halves, "age level 0"), (1 - halves, "age level 1"), (whole, "age level 2")]).titles
    ('age level 0', 'age level 2')
    """
    kept: dict[bytes, tuple[Groups, str]] = {}
    for groups, title in found:
        first = np.unique(groups, return_index=True)[1]  # the first row of each group tells functions apart
        kept.setdefault(first[groups].tobytes(), (groups, title))
    return Generalizations(*map(tuple, zip(*kept.values(), strict=True)))


def not_a_partition(function: int, what: str) -> ParameterError:
    """The refusal of a function whose groups are not a partition of the rows."""
    return ParameterError(
        what,
        where=f"function {function} of the sequence",
        rule="every row is in exactly one group of each function",
        remedy="correct its groups; a list of cells covers several, * a whole column",
    )
