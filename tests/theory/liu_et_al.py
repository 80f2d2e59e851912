"""The worked cases of Liu et al. 2015 (cases/k_jump.json), read for the product and for the literal
implementation."""

from fractions import Fraction

import numpy as np

from tests.oracle import k_jump_literal as literal
from voile.core.generalizations import Generalizations
from voile.theory.evaluation import disclosure_set
from voile.theory.set_properties import Distinct, HighestRatio
from voile.theory.strategies import Strategy


def partition(text):
    """Groups of rows from letters: AB|C."""
    return [[ord(letter) - ord("A") for letter in group] for group in text.split("|")]


def partitions(case):
    """The functions of a case as groups of rows."""
    row = {person: i for i, person in enumerate(case["identities"])}
    return [[[row[person] for person in group] for group in function] for function in case["functions"]]


def codes(values):
    """Values numbered in order of their names, as the product has them."""
    return np.array([sorted(set(values)).index(value) for value in values])


def wanted_of(case):
    """The product's property, and the literal one."""
    p = case["property"]
    if p["type"] == "distinct":
        return Distinct(p["L"]), literal.distinct(p["L"])
    return HighestRatio(Fraction(p["delta"])), literal.max_ratio(Fraction(p["delta"]))


def strategy_of(kind, k, n):
    """The product's strategy."""
    return {"naive": Strategy.naive, "safe": Strategy.safe}[kind](n) if kind != "jump" else Strategy.jump(k, n)


class Case:
    """One case: what the product and the literal implementation need."""

    def __init__(self, case, functions=None, k=None, values=None):
        self.functions = functions or partitions(case)
        self.values = values or case["sensitive"]
        self.n, self.k = len(self.functions), k or case["algorithm"].get("k")
        self.wanted, self.p = wanted_of(case)
        self.kind = case["algorithm"]["kind"]

    def product(self):
        """The first four arguments of voile.theory.evaluation."""
        sequence = Generalizations.of_groups(self.functions, len(self.values))
        return sequence, codes(self.values), self.wanted, strategy_of(self.kind, self.k, self.n)

    def ds(self, function):
        """The product's disclosure set."""
        return disclosure_set(*self.product(), function)

    def literal(self, **options):
        """The literal search, and the table."""
        return literal.Search(self.functions, self.p, self.kind, self.k, **options), tuple(self.values)

    def ratio(self, found, person, value):
        """Which part of the tables of a product's set give a person a value."""
        row = ord(person) - ord("A")
        line = found.counts[int(found.kind[row])]
        return Fraction(line[sorted(set(self.values)).index(value)], found.size)
