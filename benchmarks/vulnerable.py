"""Plain l-diverse re-publication, as in Xiao and Tao 2007, section 5.1: every table is anonymized by itself, and a
reader intersects what the releases allow for each person (`voile.attacks.candidate_sets`).

The paper's l-diverse algorithm is Mondrian, whose boxes do not overlap: quasi-identifiers tell the group. Here it
may also be bsgi, whose boxes do overlap, so there are two figures: `by_boxes`, of a reader who has the
quasi-identifiers alone, and `by_groups`, of one who knows a person's group, as the paper's reader does.
"""

import numpy as np

import voile
from benchmarks.republication import Say, as_published, columns, population, tables
from voile import catalog
from voile.attacks.candidate_sets import Intersections, PublishedGroups, score

ELLS = (2, 4, 6, 8, 10)
Entry = dict[str, str | int]


class OwnGroups:
    """What is left for each person when the group is known: at most 64 values, a bit for each."""

    def __init__(self, persons: int) -> None:
        self.left = np.full(persons, -1, np.int64)

    def see(self, groups: PublishedGroups, group: np.ndarray, persons: np.ndarray) -> None:
        """One more release."""
        held = np.bitwise_or.reduceat(np.int64(1) << groups.codes, groups.start[:-1])
        self.left[persons] &= held[group]

    def told(self, persons: np.ndarray) -> int:
        """Of these, how many have one value left."""
        return int((np.bitwise_count(self.left[persons]) == 1).sum())


def vulnerable(
    sensitive: str, r: int, releases: int, ells: tuple[int, ...], say: Say, key: str = "bsgi", **more: object
) -> list[Entry]:
    """For each l: persons ever published, and those with a single value left; by any algorithm that has an l."""
    spec, found = columns(sensitive), []
    people = population()
    algorithms = {ell: catalog.algorithm(key).configure({"l": ell, **more}) for ell in ells}
    boxes = {ell: Intersections(people.height) for ell in ells}
    own = {ell: OwnGroups(people.height) for ell in ells}
    for present in tables(r, releases):
        table = voile.read(people[present].select(list(spec)), spec)
        for ell, algorithm in algorithms.items():
            partition = algorithm.partition(table)
            groups, points, persons = as_published(table, partition)
            boxes[ell].see(groups, points, persons, values=1 + int(groups.codes.max()))
            own[ell].see(groups, partition.group, persons)
    truth = people[sensitive].to_numpy()
    for ell in ells:
        ever = np.flatnonzero(boxes[ell].first)
        graded = score(boxes[ell], ever, truth[ever])
        if graded.right != graded.told:
            raise AssertionError("a conclusion from true releases is false")
        entry: Entry = {"sensitive": sensitive, "r": r, "l": ell, "releases": releases, "persons": int(ever.size)}
        entry |= {"by_groups": own[ell].told(ever), "by_boxes": graded.told}
        found.append(entry)
        say(f"l = {ell}, r = {r:,}, {sensitive}: {entry['by_groups']:,} told by groups, {graded.told:,} by boxes")
    return found
