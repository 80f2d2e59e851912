"""The theory of Liu and Wang 2012, corrected, for tables small enough to look at in full (docs/theory.md).

>>> from fractions import Fraction
>>> from voile import theory
>>> theory.locally_safe_set((1, 1, 2, 2), Fraction(1, 2))
[((0, 1, 2, 3),), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
"""

from voile.theory.candidates import are_candidates, bijection, colours, is_eligible, lemma_3, lemma_4
from voile.theory.covers import cover, is_cover, is_l_cover, is_l_cover_with, l_cover
from voile.theory.disclosure import (
    after_release,
    disclosure_set,
    highest_ratio,
    is_globally_safe,
    is_strongly_globally_safe,
    posteriors,
    release_ratios,
)
from voile.theory.l_candidates import (
    is_l_candidate,
    is_pairwise_candidate,
    is_row_distinct,
    rechosen_bijections,
    row_distinct_arrangement,
)
from voile.theory.local_safety import is_locally_safe, locally_safe_set, top_ratio
from voile.theory.partitions import coarsenings, meet, partition, refines, set_partitions
from voile.theory.safe_sets import globally_safe_sets, largest, strongly_globally_safe_sets
from voile.theory.self_contained import (
    contains_meet,
    is_family_set,
    is_self_contained,
    minimal_self_contained_partition,
    pairs,
    self_contained_partitions,
)
from voile.theory.surjections import Group, Reconstructions, count_surjections, reconstructions
from voile.theory.worlds import bags, count_worlds, worlds

__all__ = [
    "Group",
    "Reconstructions",
    "after_release",
    "are_candidates",
    "bags",
    "bijection",
    "coarsenings",
    "colours",
    "contains_meet",
    "count_surjections",
    "count_worlds",
    "cover",
    "disclosure_set",
    "globally_safe_sets",
    "highest_ratio",
    "is_cover",
    "is_eligible",
    "is_family_set",
    "is_globally_safe",
    "is_l_candidate",
    "is_l_cover",
    "is_l_cover_with",
    "is_locally_safe",
    "is_pairwise_candidate",
    "is_row_distinct",
    "is_self_contained",
    "is_strongly_globally_safe",
    "l_cover",
    "largest",
    "lemma_3",
    "lemma_4",
    "locally_safe_set",
    "meet",
    "minimal_self_contained_partition",
    "pairs",
    "partition",
    "posteriors",
    "rechosen_bijections",
    "reconstructions",
    "refines",
    "release_ratios",
    "row_distinct_arrangement",
    "self_contained_partitions",
    "set_partitions",
    "strongly_globally_safe_sets",
    "top_ratio",
    "worlds",
]
