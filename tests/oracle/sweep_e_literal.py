"""SWEEP-E's own steps as the docstring of algorithms/sweep_e.py states them, with fractions and full scans: which
classes of the sweep are kept, how the sensitive taxonomy is cut, how many different values a group needs.

Classes are numbered as they close: by item, then by their lowest row. Ties go to the lower number; of classes that
a row may join, to the first along a curve, which is given: at which place it passes each row.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tests.oracle.sweep_literal import Requirement, Sensitive, eligible, swept, tree_of, weights_of
from voile.core.axis import Axis
from voile.kernels.z_order import z_order


class Plan(NamedTuple):
    published: list  # the node of each row
    swept: int  # classes of the sweep
    kept: list  # those that are not dissolved
    residue: list  # rows of the others, and those that found no class
    different: int  # values that must differ in each of its groups; 0: it is one class


def plan(trees, columns, tree, values, requirement, unit, curve):
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
    table = Charged(trees, columns)
    left = absorbed(table, sensitive, requirement, published, classes, left, curve, 1 if distinct else 2)
    if not left:
        return Plan(published, len(classes), classes, [], 0)
    goal = Requirement(Fraction(1, d), d) if distinct else requirement
    counted = published if distinct else None
    lost = [table.if_dissolved(rows) or Fraction(1, unit) for rows in classes]
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


class Charged(NamedTuple):
    """The quasi-identifiers, charged by Definition 5: what is not kept is lost."""

    trees: list
    columns: list

    def kept(self, rows):
        """The information of each row of a class."""
        together = zip(self.trees, self.columns, strict=True)
        return sum(tree.information(common(tree, [column[row] for row in rows])) for tree, column in together)

    def stars(self):
        """That of a row published as *."""
        return sum(tree.information(tree.root) for tree in self.trees)

    def lost(self, rows):
        """What all rows of a class lose."""
        return len(rows) * (len(self.trees) - self.kept(rows))

    def if_dissolved(self, rows):
        """What all rows of a class would lose if they were published as * instead."""
        return len(rows) * (self.kept(rows) - self.stars())


def absorbed(table, sensitive, requirement, published, classes, left, curve, price):
    """Each row that is left, in turn, joins the class with room for it where that loses least in all, if that is
    less than `price` rows of stars lose. Classes are changed; the rows that are still left."""
    along = sorted(range(len(classes)), key=lambda g: (curve[min(classes[g])], g))
    still = []
    for row in left:
        least, best = price * (len(table.trees) - table.stars()), None
        for g in along:
            joined = sorted([*classes[g], row])
            if requirement.holds(sensitive.frequencies([published[member] for member in joined])):
                more = table.lost(joined) - table.lost(classes[g])
                if more < least:
                    least, best = more, g
        if best is None:
            still.append(row)
        else:
            classes[best] = sorted([*classes[best], row])
    return still


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
    leaves = [leaves_of(column) for column in table.quasi]
    curve = z_order(np.column_stack(leaves).astype(np.int32), np.array([max(each) + 1 for each in leaves]))
    requirement = Requirement(Fraction(tau), ell)
    tree, values = tree_of(secret.domain), secret.codes.tolist()
    return plan(trees, columns, tree, values, requirement, unit, curve.tolist())


def leaves_of(column):
    """The codes of a column; of numbers those that occur, counted from the lowest."""
    codes = column.codes.tolist()
    return [sorted(set(codes)).index(code) for code in codes] if isinstance(column.domain, Axis) else codes


def sizes(column, tree):
    """How many base values nodes have under them: all of a hierarchy's, of an axis' those that occur."""
    nodes = tree.nodes
    if isinstance(column.domain, Axis):
        nodes = {node for code in column.codes.tolist() for node in tree.path(code)}
    return {len(tree.leaves_under(node)) for node in nodes}
