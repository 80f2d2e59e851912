"""SWEEP-E's own steps as the docstring of algorithms/sweep_e.py states them, with fractions and full scans: which
classes of the sweep are kept, how the sensitive taxonomy is cut, how many different values a group needs.

Classes are numbered as they close: by item, then by their lowest row. Ties go to the lower number.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from tests.oracle.sweep_literal import Requirement, Sensitive, eligible, swept, tree_of, weights_of
from voile.core.axis import Axis


class Plan(NamedTuple):
    published: list  # the node of each row
    swept: int  # classes of the sweep
    kept: list  # those that are not dissolved
    residue: list  # rows of the others, and those that found no class
    different: int  # values that must differ in each of its groups; 0: it is one class


def plan(trees, columns, tree, values, requirement, unit):
    """What is kept, and what is grouped anew; None where nothing can satisfy the requirement. `unit` is how many
    parts make a cell of information: a class that would lose nothing is charged one of them."""
    sensitive = Sensitive(tree, weights_of("present", tree, values))
    published = list(values)
    if not requirement.holds(sensitive.frequencies(values)):
        if not eligible(sensitive.weight, requirement):
            return None
        cut = cut_of(sensitive, requirement, values)
        published = [cut[value] for value in values]
    _, closed, left = swept(trees, columns, sensitive, requirement, published)
    classes = [rows for _, rows in closed]
    if not left:
        return Plan(published, len(classes), classes, [], 0)
    d = different_values(sensitive, requirement, published)
    distinct = d > 1 and max(Counter(published).values()) * d <= len(published)
    goal = Requirement(Fraction(1, d), d) if distinct else requirement
    counted = published if distinct else None
    lost = [information_lost(trees, columns, rows) or Fraction(1, unit) for rows in classes]
    gone = dissolved(classes, left, lost, goal, lambda rows: frequencies(sensitive, published, rows, counted))
    kept = [rows for number, rows in enumerate(classes) if number not in gone]
    residue = sorted(left + [row for number in gone for row in classes[number]])
    return Plan(published, len(classes), kept, residue, d if distinct else 0)


def frequencies(sensitive, published, rows, counted):
    """Of published nodes, or of what they induce."""
    if counted is None:
        return sensitive.frequencies([published[row] for row in rows])
    return {node: Fraction(count, len(rows)) for node, count in Counter(published[row] for row in rows).items()}


def cut_of(sensitive, requirement, values):
    """The node of each base value in one cut: the one of the dominant base value gives way to the one above it
    until the whole table keeps the line."""
    tree = sensitive.tree
    cut = {leaf: leaf for leaf in tree.leaves}
    while True:
        found = sensitive.frequencies([cut[value] for value in values])
        if requirement.holds(found):
            return cut
        movable = [a for a in tree.leaves if found[a] and sensitive.above(cut[a]) is not None]
        higher = sensitive.above(cut[max(movable, key=lambda a: found[a])])
        cut.update(dict.fromkeys(tree.leaves_under(higher), higher))


def different_values(sensitive, requirement, published):
    """The least d such that any d different published nodes keep the line; 0 if there is none."""
    nodes = sorted(set(published))
    for d in range(1, len(nodes) + 1):
        if all(requirement.holds(sensitive.frequencies(some)) for some in combinations(nodes, d)):
            return d
    return 0


def common(tree, leaves):
    """The lowest node above some leaves."""
    return next(node for node in tree.path(leaves[0]) if all(node in tree.path(leaf) for leaf in leaves))


def information_lost(trees, columns, rows):
    """What the rows of a class would lose if they were published as * instead of by what they have in common."""
    kept = [common(tree, [column[row] for row in rows]) for tree, column in zip(trees, columns, strict=True)]
    each = (tree.information(node) - tree.information(tree.root) for tree, node in zip(trees, kept, strict=True))
    return len(rows) * sum(each, Fraction(0))


def dissolved(classes, left, lost, requirement, shares):
    """The numbers of the classes that go to the residue until it keeps the line."""
    gone = []
    while True:
        rows = left + [row for number in gone for row in classes[number]]
        found = shares(rows)
        ranked = sorted(found, key=lambda v: (-found[v], v))
        over = [sum(found[v] for v in ranked[:k]) - requirement.psi(k) for k in range(1, requirement.ell)]
        if max(over) <= 0:
            return gone
        k = over.index(max(over)) + 1
        room = {}
        for number, members in enumerate(classes):
            if number not in gone:
                here = shares(members)
                room[number] = len(members) * (requirement.psi(k) - sum(here.get(v, 0) for v in ranked[:k]))
        missing = max(over) * len(rows)
        for number in sorted(room, key=lambda number: (-room[number] / lost[number], number)):
            if room[number] > 0 and missing > 0:
                gone.append(number)
                missing -= room[number]


def plan_of_table(table, tau, ell):
    """The same of a Table."""
    trees = [tree_of(column.domain) for column in table.quasi]
    columns = [column.codes.tolist() for column in table.quasi]
    secret = table.sensitive[0]
    unit = math.lcm(*(s for column, tree in zip(table.quasi, trees, strict=True) for s in sizes(column, tree)))
    return plan(
        trees, columns, tree_of(secret.domain), secret.codes.tolist(), Requirement(Fraction(tau), ell), unit
    )


def sizes(column, tree):
    """How many base values nodes have under them: all of a hierarchy's, of an axis' those that occur."""
    nodes = tree.nodes
    if isinstance(column.domain, Axis):
        nodes = {node for code in column.codes.tolist() for node in tree.path(code)}
    return {len(tree.leaves_under(node)) for node in nodes}
