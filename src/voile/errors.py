"""Everything Voile refuses, as one tree.

    VoileError                 exit 2
    |-- SpecError              the spec contradicts itself or the file
    |-- InputError             the file cannot be read as a table
    |-- HierarchyError         a hierarchy file is not a tree over the column's values
    |-- ParameterError         an unknown or impossible parameter
    |-- OutputError            the release cannot be written
    |-- Unsupported            this system lacks what a command needs
    |-- LedgerRefused          exit 3: the ledger is damaged, rolled back, forked, busy, or says no
    |-- Infeasible             exit 1: no algorithm can keep this promise on this table
    |-- NothingDisclosed       exit 1: a search for a release ended without one
    |-- BeyondReach            exit 1: an exact answer would cost more than allowed
    |-- PromiseBroken          exit 1: the release, as written, does not keep its promise
    `-- Untold                 exit 4: what was asked for is done, but could not be printed

An error says what, where, which rule and what would work. It is made of positions, counts and
names from the spec, **never of a cell's value**: column names of the file itself are not used
either, since the first line of a file without a header is a person.
"""

import os
import traceback
from typing import Any


def counted(number: int, thing: str) -> str:
    """A number of things, in words that agree.

    >>> counted(1, "row"), counted(3, "row")
    ('1 row', '3 rows')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


class VoileError(Exception):
    """A refusal a person can act on.

    >>> print(VoileError("not an integer", where="age, row 3", rule="type = integer", remedy="correct the cell"))
    age, row 3: not an integer (type = integer); correct the cell
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", rule: str = "", remedy: str = "") -> None:
        self.what, self.where, self.rule, self.remedy = what, where, rule, remedy
        place = f"{where}: " if where else ""
        law = f" ({rule})" if rule else ""
        advice = f"; {remedy}" if remedy else ""
        super().__init__(f"{place}{what}{law}{advice}")

    def document(self) -> dict[str, Any]:
        """As plain data, for JSON and pages.

        >>> VoileError("empty", where="file").document()
        {'kind': 'VoileError', 'what': 'empty', 'where': 'file'}
        """
        parts = {"what": self.what, "where": self.where, "rule": self.rule, "remedy": self.remedy}
        return {"kind": type(self).__name__, **{name: words for name, words in parts.items() if words}}


class SpecError(VoileError):
    """The spec contradicts itself or the file."""


class InputError(VoileError):
    """The file cannot be read as a table."""


class HierarchyError(VoileError):
    """A hierarchy file is not a tree over the column's values."""


class ParameterError(VoileError):
    """An unknown or impossible parameter."""


class OutputError(VoileError):
    """The release cannot be written."""


class Unsupported(VoileError):
    """This system lacks what a command needs; nothing was written."""


class LedgerRefused(VoileError):
    """The memory of a series cannot be trusted, is in use, or forbids this release; nothing was changed."""

    exit_code = 3


class Infeasible(VoileError):
    """No algorithm can keep this promise on this table; says the nearest request that works."""

    exit_code = 1

    def __init__(
        self, what: str, *, where: str, largest_l: int, rows_to_suppress: int, rule: str, remedy: str
    ) -> None:
        super().__init__(what, where=where, rule=rule, remedy=remedy)
        self.largest_l, self.rows_to_suppress = largest_l, rows_to_suppress

    def document(self) -> dict[str, Any]:
        """With the largest l that works, for a page that offers it."""
        return {**super().document(), "largest_l": self.largest_l}


class NothingDisclosed(VoileError):
    """A search for a release ended without one; what that tells a reader is said with it."""

    exit_code = 1


class BeyondReach(VoileError):
    """An exact answer would cost more than allowed; says what would fit."""

    exit_code = 1


class PromiseBroken(VoileError):
    """The release, as written, does not keep its promise; nothing was revealed."""

    exit_code = 1


class Untold(VoileError):
    """What was asked for is done, but its answer could not be printed; says what was done."""

    exit_code = 4


def place_of(defect: BaseException) -> str:
    """Where a defect is, without its message: that may hold a cell.

    >>> try:
    ...     {}["a name"]
    ... except KeyError as error:
    ...     place_of(error).split(":")[0]
    'KeyError at <doctest voile.errors.place_of[0]>'
    """
    frame = traceback.extract_tb(defect.__traceback__)[-1]
    return f"{type(defect).__name__} at {os.path.basename(frame.filename)}:{frame.lineno}"
