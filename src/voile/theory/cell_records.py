"""Records of cells: for each histogram a cell can have, the ways to pass each set of tests, and who has what.

They are what kernels/disclosure_classes.py multiplies. For a set of fine functions the record of a histogram holds
the number of assignments of the cell's rows in which all their groups inside the cell pass, and for each kind of
person and each value the number of those in which the person has it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.kernels.histograms import multinomials
from voile.theory.group_trees import GroupTree, PassingCounts
from voile.theory.residues import Residues
from voile.theory.search_plan import SearchPlan
from voile.theory.set_properties import SetProperty

Codes = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class CellRecords:
    """The records of all cells. `subsets` are the sets of fine functions; `start[i, c]` says where the records of
    cell c for subset i begin in `record`; `kind` is the kind of person of each row, numbered through all cells."""

    lines: Codes
    first: Codes
    kinds: Codes
    kind: Codes
    subsets: tuple[int, ...]
    start: Codes
    record: NDArray[np.uint32]


def records_of(
    plan: SearchPlan, lines: list[Codes], bounds: Codes, wanted: SetProperty, system: Residues
) -> CellRecords:
    """The records of the histograms `lines` of each cell, all below the cell's bound."""
    subsets = tuple(sorted({part for bits in plan.visited for part in subsets_of(bits)}))
    start = np.zeros((len(subsets), len(lines)), np.int64)
    kind = np.empty(plan.cell.size, np.int64)
    kinds, parts, at = [0], [], 0
    known: dict[tuple[GroupTree, bytes], PassingCounts] = {}
    for c, own in enumerate(lines):
        inside = sorted({bits & plan.fine_in(c) for bits in subsets})
        trees = {bits: plan.tree(c, bits) for bits in inside}
        rows = np.flatnonzero(plan.cell == c).tolist()
        of_row = [tuple(trees[bits][1][row] for bits in inside) for row in rows]
        number = {each: i for i, each in enumerate(dict.fromkeys(of_row))}
        kind[rows] = [kinds[-1] + number[each] for each in of_row]
        for i, bits in enumerate(inside):
            shape, ways = trees[bits][0], [each[i] for each in number]
            if not shape.parts:
                found = _untested(own, len(number), system)
            else:
                key = (shape, bounds[c].tobytes())
                if key not in known:
                    known[key] = PassingCounts(shape, bounds[c], wanted, system)
                found = _passing(known[key], own, ways)
            for j, subset in enumerate(subsets):
                if subset & plan.fine_in(c) == bits:
                    start[j, c] = at
            parts.append(found.astype(np.uint32).ravel())
            at += parts[-1].size
        kinds.append(kinds[-1] + len(number))
    first = np.cumsum([0, *(len(own) for own in lines[:-1])])
    return CellRecords(np.concatenate(lines), first, np.array(kinds), kind, subsets, start, np.concatenate(parts))


def subsets_of(bits: int) -> list[int]:
    """All subsets of a set of bits, itself and none among them.

    >>> subsets_of(5)
    [5, 4, 1, 0]
    """
    found, part = [bits], bits
    while part:
        part = (part - 1) & bits
        found.append(part)
    return found


def _untested(lines: Codes, kinds: int, system: Residues) -> NDArray[np.uint64]:
    """Every assignment counts, and all persons of the cell are alike."""
    size, values = int(lines[0].sum()), lines.shape[1]
    all_ways = multinomials(lines, *system.factorials(size), system.primes)
    person = all_ways[:, None, :] * lines[:, :, None].astype(np.uint64) % system.primes
    person = person * system.inverse_of(size) % system.primes
    found = np.empty((len(lines), 1 + kinds * values, system.length), np.uint64)
    found[:, 0] = all_ways
    found[:, 1:] = np.tile(person, (1, kinds, 1))
    return found


def _passing(counts: PassingCounts, lines: Codes, ways: list[tuple[GroupTree, ...]]) -> NDArray[np.uint64]:
    """Only assignments count in which all tested groups pass."""
    values = lines.shape[1]
    found = np.empty((len(lines), 1 + len(ways) * values, counts.system.length), np.uint64)
    for i, line in enumerate(lines):
        found[i, 0], persons = counts.of(line)
        found[i, 1:] = np.concatenate([persons[way] for way in ways])
    return found
