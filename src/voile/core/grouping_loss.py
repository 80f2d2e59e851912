"""What a grouping of the rows loses: the utility by which a sequence of generalizations is sorted, exactly."""

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.certainty_penalty import certainty_penalty, leaf_share
from voile.core.partition import Partition
from voile.core.table import Table

Utility = Literal["dm", "gcp"]


def grouping_loss(table: Table, groups: NDArray[np.int64], utility: Utility) -> Fraction:
    """dm: the sum of squared group sizes. gcp: the mean loss of a cell in the boxes around the groups, with the
    weights of the columns. Groups are numbered from 0 without a gap; only quasi-identifiers are looked at.

    >>> from voile.core.axis import Axis
    >>> from voile.core.schema import Role, Type
    >>> from voile.core.table import Column
    >>> age = Column("age", Role.QUASI_IDENTIFYING, Axis(Type.INTEGER, 20, 60), np.array([20, 30, 60]))
    >>> [grouping_loss(Table([age]), np.array([0, 0, 1]), utility) for utility in ("dm", "gcp")]
    [Fraction(5, 1), Fraction(1, 6)]
    """
    if utility == "dm":
        sizes = np.bincount(groups)
        return Fraction(int((sizes * sizes).sum()))
    boxes = Boxes.around(table, Partition(groups))
    return certainty_penalty(boxes, leaf_share, [column.weight for column in table.quasi])
