"""The running example of Xiao and Tao 2007, as the adversary sees it: groups, and whom their boxes cover."""

from voile.theory.surjections import Group

FIRST, BAD, GOOD = "T*1_table1b", "T*2_table2b", "T*2_table3a"


def covered(cases, table, release):
    """The groups of a release with the persons of a microdata table whom they cover; zip codes in thousands."""
    groups = []
    for group in cases[release]:
        (a, b), (c, d) = group["age"], group["zip_k"]
        persons = [
            name for name, (age, zip_, _) in cases[table].items() if a <= age <= b and c <= zip_ / 1000 <= d
        ]
        groups.append(Group(tuple(persons), tuple(group["values"]), group["counterfeits"]))
    return groups


def listed(releases):
    """A series as the corner cases list it: persons, values, counterfeits."""
    return [[Group(tuple(p), tuple(v), c) for p, v, c in groups] for groups in releases]
