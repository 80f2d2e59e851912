"""l for an algorithm that protects one sensitive column."""

import numpy as np

from voile.core.eligibility import feasible_l
from voile.core.order import distinct_values
from voile.core.parameters import AUTO
from voile.core.table import Table


def resolved_l(wanted: int | str, table: Table, key: str, suppressing: bool | None = None) -> int:
    """The l that was wanted, or floor(n / n1) for "auto" (docs/facts/bsgi.md A4.3); refuses what the table does
    not allow, unless `suppressing` surplus rows. None: an algorithm that never does."""
    column = table.single_sensitive(key)
    sizes = np.bincount(distinct_values(column.codes)[1])
    return feasible_l(None if wanted == AUTO else int(wanted), {column.name: sizes}, suppressing)
