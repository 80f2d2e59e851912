"""Sets of values: `{a, b}`, put together from words that also sort as the sets do.

A word is a value with what follows it, `a, ` or `b}`. No word begins another (a value that holds a
comma, brace or quote is quoted), so sets are in the order of their texts if and only if they are in
the order of their words, first by the first, then by the second, and so on.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.boxes import LONGEST_SET
from voile.core.hierarchy import Hierarchy


@dataclass(frozen=True, repr=False, eq=False)
class ValueSets:
    """`words[j]` is the j-th word of each group's set as an index into `texts`, which ascend;
    the empty word 0 stands behind the last, and for groups that are published otherwise."""

    texts: pl.Series
    words: NDArray[np.int32]

    @classmethod
    def of(cls, tree: Hierarchy, held: Bag, several: NDArray[np.int64]) -> "ValueSets | None":
        """The sets of some groups; None if there are no such groups."""
        sizes = held.distinct()
        if several.size == 0:
            return None
        texts, inner, last = _words(tree.labels[: tree.leaves])
        words = np.zeros((LONGEST_SET, sizes.size), np.int32)
        for j in range(LONGEST_SET):
            more, end = several[sizes[several] > j + 1], several[sizes[several] == j + 1]
            words[j, more] = inner[held.codes[held.start[more] + j]]
            words[j, end] = last[held.codes[held.start[end] + j]]
        return cls(texts, words)

    def labels(self, otherwise: pl.Series) -> pl.Series:
        """The label of each group, `otherwise` where it has no set."""
        parts = [self.texts.gather(word) for word in self.words]
        return pl.select(
            pl.when(parts[0] == "").then(otherwise).otherwise(pl.concat_str(pl.lit("{"), *parts)).alias("label")
        ).to_series()


def _words(names: tuple[str, ...]) -> tuple[pl.Series, NDArray[np.int32], NDArray[np.int32]]:
    """All words, ascending, and the places of each name's inner and last word."""
    plain = pl.Series(names, dtype=pl.String)
    quoted = '"' + plain.str.replace_all('"', '""', literal=True) + '"'
    safe = quoted.zip_with(plain.str.contains(r'[,{}"]'), plain)
    texts = pl.concat([pl.Series([""]), safe + ", ", safe + "}"])
    order = texts.arg_sort().to_numpy()
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size)
    return texts.gather(order), place[1 : len(names) + 1], place[len(names) + 1 :]
