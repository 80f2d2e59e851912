"""`python -m benchmarks.papers.k_jump [small|full]`: sections 5 to 7 of Liu et al. 2015, its constructions
counted."""

import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks import adult, k_jump, nursery
from benchmarks.papers.k_jump_claims import exhibits
from benchmarks.papers.page import Paper, Rows, Say, command
from tests.theory.liu_et_al import codes, partition
from voile.core.generalizations import Generalizations
from voile.theory.evaluation import disclosure_set, evaluate
from voile.theory.set_properties import HighestRatio
from voile.theory.strategies import Strategy

__all__ = ["PAPER", "SIZES", "exhibits", "measured"]
PAPER = Paper(
    key="k_jump",
    cited="Liu et al. 2015",
    title="k-jump",
    setting="""The paper has no experiment: it compares strategies by constructed tables. Here every construction
of sections 5 to 7 is counted by the exact engine. The text that we have lost the lines between groups in its
tables; they are reconstructed from the numbers that the proofs state ([facts](../facts/k_jump.md), section 1).
Then what the paper leaves for later: how the strategies compare on little tables drawn from Adult and Nursery,
and what exact answers cost.""",
)
HALF = HighestRatio(Fraction(1, 2))
TABLE_10 = ("ABCD|EFGHI|JKLM|NO", "AB|CDEFG|HIJKLM|NO", "AB|CD|EFGH|IJKLMNO")
VALUES_10 = ["C0", "C1", "C2", "C3", "C4", "C5", "C6", "C6", "C6", "C7", "C7", "C8", "C8", "C9", "C9"]
G1, G2, FILLER = "ABC|DE|FG|HI|JKL", "ABCD|EF|GH|IJKL", "ABCDE|FG|HIJKL"
LEFT, RIGHT, ALL = "ABCDEFG|HIJKL", "ABCDEF|GHIJKL", "ABCDEFGHIJKL"
VALUES_11 = ["C0", "C1", "C2", "C3", "C4", "S", "S", "C5", "C6", "C7", "C8", "C9"]
TABLE_12 = ("AB|CDE|FG", "ABC|DEFG", "ABCDE|FG")
VALUES_12 = ["C1", "C2", "C3", "C4", "C5", "C3", "C3"]
TABLE_17 = ("AB|CDEFGHI", "AC|BDEFGHI", "BC|ADEFGHI", "ABC|DEFGHI", "ABCDEFGHI")
VALUES_17 = ["C0", "C0", "C0", "C1", "C2", "C3", "C4", "C5", "C6"]
MILLIONS = 100_000  # of steps: eight functions are estimated at more than the usual limit
MARRIED = {"Never-married": "never", "Widowed": "widowed", "Divorced": "apart", "Separated": "apart"}


@dataclass(frozen=True)
class Sizes:
    """Pairs i, j of Theorem 3; how many little tables are drawn of each source, with how many rows; rows at which
    the engine and the definition are timed."""

    pairs: tuple[tuple[int, int], ...]
    drawn: int
    rows: int
    timed: tuple[int, ...]


SIZES = {
    "tiny": Sizes(((2, 3),), 5, 9, (8,)),
    "small": Sizes(((2, 3), (2, 4)), 150, 12, (12, 13, 14)),
    "full": Sizes(((2, 3), (2, 4), (3, 4), (3, 5), (2, 6)), 1000, 12, (12, 13, 14, 15)),
}


def measured(sizes: Sizes, say: Say) -> dict[str, Any]:
    """The constructions, little tables, and times."""
    if not (adult.available() and nursery.available()):
        sys.exit("no data: `make data` gets it")
    found: dict[str, Any] = {"table_10": [_row(TABLE_10, VALUES_10, k) for k in (1, 2, 3)]}
    found["table_11"] = [row for i, j in sizes.pairs for row in table_11(i, j)]
    found["table_12"] = [_row(TABLE_12, VALUES_12, 1), _row((*TABLE_12, TABLE_12[1]), VALUES_12, 1)]
    say("constructions")
    found["little"] = little_tables(sizes)
    say("little tables")
    found |= {"dial": dial(sizes), "reach": reach(sizes), "table_18": table_18()}
    return found


def _searched(functions: tuple[str, ...], values: list[str], k: int) -> tuple[Any, Generalizations]:
    sequence = Generalizations.of_groups([partition(text) for text in functions], len(values))
    strategy = Strategy.jump(k, len(functions))
    return evaluate(sequence, codes(values), HALF, strategy, limit=MILLIONS), sequence


def _row(functions: tuple[str, ...], values: list[str], k: int) -> dict[str, Any]:
    """What a_jump(k) does with a table, and the last disclosure set it looked at."""
    found, _ = _searched(functions, values, k)
    last = [step for step in found.steps if step.ds is not None][-1]
    return {
        "functions": len(functions),
        "k": k,
        "disclosed": found.outcome,
        "last looked at": last.function,
        "tables left": last.ds.size,
        "highest": str(last.ds.highest),
    }


def table_11(i: int, j: int) -> Rows:
    """Both sides, for a_jump(i) and a_jump(j)."""
    left = (G1, G2, *[FILLER] * (i - 1), *[LEFT] * (j - i), ALL)
    right = (G1, G2, *[FILLER] * (j - 2), RIGHT, ALL)
    sides = {"a": left, "b": right}
    return [
        {"side": side, "i": i, "j": j, **_row(functions, VALUES_11, k)}
        for side, functions in sides.items()
        for k in (i, j)
    ]


def table_18() -> Rows:
    """For every subset of functions with g5: how likely A, B and C have C0, if it was the secret choice."""
    found = []
    for size in range(1, 5):
        for chosen in combinations(range(1, 5), size):
            subset = (*chosen, 5)
            sequence = Generalizations.of_groups([partition(TABLE_17[g - 1]) for g in subset], len(VALUES_17))
            left = disclosure_set(sequence, codes(VALUES_17), HALF, Strategy.naive(len(subset)), len(subset))
            told = [str(Fraction(left.counts[int(left.kind[row])][0], left.size)) for row in range(3)]
            found.append(
                {
                    "subset": ", ".join(f"g{g}" for g in subset),
                    **dict(zip("ABC", told, strict=True)),
                    "tables": left.size,
                }
            )
    return found


def sources() -> dict[str, list[str]]:
    """Sensitive values in the order of one quasi-identifier: Adult by age, Nursery as it is."""
    by_age = adult.complete_rows("age", "marital-status").sort("age", maintain_order=True)
    married = [MARRIED.get(value, "married") for value in by_age["marital-status"]]
    return {"Adult, marital status by age": married, "Nursery, class": nursery.rows()[nursery.SENSITIVE].to_list()}


def little_tables(sizes: Sizes) -> Rows:
    """Rows drawn from a table, random cuts of their order from fine to coarse, and what strategies disclose."""
    found: Rows = []
    for name, values in sources().items():
        rng = np.random.default_rng(4)
        for number in range(sizes.drawn):
            rows = np.sort(rng.choice(len(values), sizes.rows, replace=False))
            sequence = cuts(rng, sizes.rows)
            found.append(
                {"source": name, "table": number, **_strategies(sequence, codes([values[row] for row in rows]))}
            )
    return found


def cuts(rng: np.random.Generator, rows: int) -> Generalizations:
    """Cuts of an order at random places, in groups of two rows at least; sorted by their discernibility."""
    functions = []
    for groups in (4, 3, 3, 2):
        sizes = 2 + rng.multinomial(rows - 2 * groups, np.full(groups, 1 / groups))
        functions.append(np.repeat(np.arange(groups), sizes))
    functions.sort(key=lambda function: int((np.bincount(function) ** 2).sum()))
    return Generalizations((*functions, np.zeros(rows, np.int64)))


def _strategies(sequence: Generalizations, values: np.ndarray) -> dict[str, Any]:
    """The function each discloses (0: nothing), and how much a reader of naive knows who knows the search."""
    n, wanted = len(sequence), HighestRatio(Fraction(1, 2))
    naive = evaluate(sequence, values, wanted, Strategy.naive(n)).outcome
    found: dict[str, Any] = {"functions": n, "naive": naive or 0, "told by naive": None}
    if naive:
        left = disclosure_set(sequence, values, wanted, Strategy.naive(n), naive)
        found["told by naive"] = str(left.highest)
    found["safe"] = evaluate(sequence, values, wanted, Strategy.safe(n)).outcome or 0
    for k in (1, 2, 3):
        found[f"k = {k}"] = evaluate(sequence, values, wanted, Strategy.jump(k, n)).outcome or 0
    return found


def dial(sizes: Sizes) -> Rows:
    """CPU seconds of the engine by k, one table."""
    rows = 13 if len(sizes.timed) == 1 else 34
    groups = k_jump.FOUR if rows < 16 else k_jump.EIGHT
    found = []
    for k in (1, 2, 3, 4):
        point = k_jump.Point(rows, groups, 3, k)
        k_jump.engine(point)  # compiled now
        began = time.process_time()
        answer = k_jump.engine(point)
        spent = time.process_time() - began
        found.append(
            {
                "k": k,
                "rows": rows,
                "CPU seconds": spent,
                "matrices": k_jump.cost(point).matrices,
                "left": k_jump.about(int(answer["left"])),
            }
        )
    return found


def reach(sizes: Sizes) -> Rows:
    """CPU seconds of the definition and of the engine on the same tables, k = 1."""
    found = []
    for rows in sizes.timed:
        point, answers = k_jump.Point(rows, k_jump.FOUR, 3, 1), []
        for side, work in (("definition", k_jump.reference), ("engine", k_jump.engine)):
            began = time.process_time()
            answers.append(work(point))
            found.append({"line": side, "rows": rows, "seconds": time.process_time() - began})
        same = all(answers[0][name] == answers[1][name] for name in answers[0])
        found[-1]["same"] = found[-2]["same"] = same
    return found


if __name__ == "__main__":
    command(sys.modules[__name__])  # type: ignore[arg-type]
