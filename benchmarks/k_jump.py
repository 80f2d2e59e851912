"""`python -m benchmarks.k_jump`: how large a table the exact engine of k-jump decides, beside the definition.

Writes k_jump.md, k_jump.json, k_jump.svg and k_jump.png. The timed question: does the disclosure set of the last
function keep the highest ratio delta? It is the hardest one, whatever the search does with the table itself.
"""

import json
import time
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import k_jump_pictures
from benchmarks.child import measured_within
from benchmarks.k_jump_ideas import ideas
from benchmarks.nested_cuts import SEED, table
from benchmarks.run import markdown
from voile.theory.costs import Cost, Costs
from voile.theory.evaluation import disclosure_set
from voile.theory.set_properties import HighestRatio
from voile.theory.strategies import Strategy

HERE = Path(__file__).parent
BUDGET = 80  # CPU seconds of a point
MOST_WORK = 10**12  # so large that the time decides, not the product's limit
DELTA = Fraction(3, 5)
FOUR, EIGHT, SIXTEEN = [4, 3, 2, 1], [8, 6, 3, 1], [16, 12, 8, 5, 1]
REFERENCE_FROM = 13  # rows; fewer take it a moment
TIMES = {"1": [2, 3, 3.25, 3.5, 4], "n": [6, 12, 24, 48, 96]}  # the reference's rows; until one is too slow
TARGETS = {"1": 3, "n": 12}
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Point:
    """A table of the generator, and a jump strategy over its functions."""

    rows: int
    groups: list[int]
    s: int
    k: int | tuple[int, ...]
    delta: Fraction = DELTA


FACTS = [  # points of docs/facts/k_jump.md, section 5, with its CPU seconds and matrices
    (Point(48, EIGHT, 3, 1), 4.3, 4.0e6),
    (Point(28, EIGHT, 4, 1), 0.8, 1.0e6),
    (Point(32, EIGHT, 4, 1), 19, None),
    (Point(36, EIGHT, 4, 1), 44, 35e6),
    (Point(20, EIGHT, 6, 1), 4.0, 2.7e6),
    (Point(256, EIGHT, 3, 4), 4.1, 1),
    (Point(96, EIGHT, 4, 4), 5.0, 1),
    (Point(128, EIGHT, 4, 4), 24, 1),
    (Point(48, EIGHT, 6, 4), 7.3, 1),
    (Point(512, SIXTEEN, 2, 5, Fraction(3, 4)), 0.14, 1),
]
DIAL = [
    (Point(48, EIGHT, 3, 1), None, None),
    (Point(48, EIGHT, 3, (4, 4, 1, 1)), None, None),
    (Point(48, EIGHT, 3, 4), None, None),
    (Point(40, SIXTEEN, 3, 1), None, None),
    (Point(40, SIXTEEN, 3, (5, 5, 1, 1, 1)), None, None),
    (Point(40, SIXTEEN, 3, (5, 5, 5, 1, 1)), None, None),
    (Point(40, SIXTEEN, 3, 5), None, None),
    (Point(32, SIXTEEN, 3, (5, 5, 1, 1, 1)), 8.5, 8.0e6),
    (Point(32, SIXTEEN, 3, (5, 5, 5, 1, 1)), 0.13, 75e3),
    (Point(48, SIXTEEN, 3, (5, 5, 5, 1, 1)), 0.74, None),
    (Point(32, SIXTEEN, 4, (5, 5, 5, 1, 1)), 2.1, None),
]

_PREPARE = """
from fractions import Fraction
from benchmarks import k_jump
from benchmarks.k_jump import Point
k_jump.{side}(Point(13, {warm}, 3, {k}))  # kernels compiled
point = {point!r}
"""
_WORK = "found = k_jump.{side}(point)"


def engine(point: Point) -> dict[str, Any]:
    """The product's answer."""
    sequence, values = table(point.rows, point.groups, point.s)
    n = len(sequence)
    wanted, strategy = HighestRatio(point.delta), Strategy.jump(point.k, n)
    left = disclosure_set(sequence, values, wanted, strategy, n, limit=MOST_WORK)
    return {"left": str(left.size), "highest": str(left.highest), "holds": left.holds}


def reference(point: Point) -> dict[str, Any]:
    """The answer of the definition, table by table."""
    from tests.oracle.k_jump_literal import Search, highest, max_ratio

    sequence, values = table(point.rows, point.groups, point.s)
    functions = [[np.flatnonzero(g == i).tolist() for i in range(int(g.max()) + 1)] for g in sequence.functions]
    search = Search(functions, max_ratio(point.delta), "jump", point.k)
    left = search.ds(len(functions), tuple(values.tolist()))
    share = highest(left)
    return {"left": str(len(left)), "highest": str(share), "holds": share <= point.delta}


def cost(point: Point) -> Cost:
    """What the product expects, before it looks at who has what."""
    sequence, values = table(point.rows, point.groups, point.s)
    n = len(sequence)
    return Costs(sequence, np.bincount(values), HighestRatio(point.delta)).of(Strategy.jump(point.k, n), n)


def timed(side: str, point: Point, seconds: float) -> dict[str, Any] | None:
    """One point in a process of its own; None where it does not finish, or would not fit into memory."""
    if side == "engine" and not cost(point).fits(MOST_WORK):
        return None
    small = FOUR if len(point.groups) == len(FOUR) else [4, 3, 3, 2, 1]
    prepare = _PREPARE.format(side=side, warm=small, k=point.k, point=point)
    found = measured_within(seconds, prepare, _WORK.format(side=side))
    print(side, point, found, flush=True)
    return found


def reach(k: str) -> Rows:
    """The reference on more and more rows until one is too slow; the engine on the same tables, and then on
    multiples of the largest within the time the reference took for that."""
    n = len(EIGHT)
    jump = 1 if k == "1" else n
    rows, found = REFERENCE_FROM, []
    while True:
        point = Point(rows, FOUR, 3, jump)
        theirs = timed("reference", point, BUDGET)
        found.append(_entry("reference", k, point, theirs))
        if theirs is None:
            break
        ours = timed("engine", point, BUDGET)
        found.append({**_entry("engine", k, point, ours), "same": _same(ours, theirs)})
        last, rows = theirs, rows + 1
    for times in TIMES[k]:
        point = Point(round(times * (rows - 1)), EIGHT, 3, jump)
        ours = timed("engine", point, last["cpu_seconds"])
        found.append({**_entry("engine", k, point, ours), "times": times})
        if ours is None:
            break
    return found


def _entry(side: str, k: str, point: Point, found: dict[str, Any] | None) -> dict[str, Any]:
    asked = {"side": side, "k": k, "rows": point.rows, "leaves": point.groups[0], "tables": about(_tables(point))}
    return {**asked, **(found or {"seconds": None, "cpu_seconds": None, "peak_gb": None})}


def _same(ours: dict[str, Any] | None, theirs: dict[str, Any]) -> bool:
    return ours is not None and all(ours[name] == theirs[name] for name in ("left", "highest", "holds"))


def about(number: int) -> str:
    """A number that may be too large for a float.

    >>> about(10**400)
    '1.0e+400'
    """
    return f"{Decimal(number):.1e}"


def _tables(point: Point) -> int:
    """How many tables the permutation set of the root has."""
    counts = np.bincount(table(point.rows, point.groups, point.s)[1]).tolist()
    return factorial(point.rows) // prod(map(factorial, counts))


def reached(entries: Rows) -> Rows:
    """Rows within the same time, per k."""
    lines = []
    for k, target in TARGETS.items():
        own = [entry for entry in entries if entry["k"] == k and entry["cpu_seconds"] is not None]
        theirs = max((entry for entry in own if entry["side"] == "reference"), key=lambda entry: entry["rows"])
        ours = max((entry for entry in own if entry["side"] == "engine"), key=lambda entry: entry["rows"])
        line = {"k": k, "reference rows": theirs["rows"], "reference CPU s": theirs["cpu_seconds"]}
        line |= {"engine rows": ours["rows"], "engine CPU s": ours["cpu_seconds"]}
        at_same = next(e for e in own if e["side"] == "engine" and e["rows"] == theirs["rows"])
        line |= {"engine CPU s, same table": at_same["cpu_seconds"]}
        lines.append({**line, "times the rows": ours["rows"] / theirs["rows"], "to be reached": target})
    return lines


def compared(points: list[tuple[Point, float | None, float | None]]) -> Rows:
    """Points of the facts, measured here."""
    lines = []
    for point, seconds, matrices in points:
        found = timed("engine", point, BUDGET) or {"seconds": None, "cpu_seconds": None, "peak_gb": None}
        k = "n" if point.k == len(point.groups) else str(point.k).replace(" ", "")
        line = {"s": point.s, "k": k, "rows": point.rows, "groups": ",".join(map(str, point.groups))}
        line |= {"CPU s": found["cpu_seconds"], "facts' CPU s": seconds, "peak GB": found["peak_gb"]}
        line |= {"matrices, at most": cost(point).matrices, "facts' matrices": matrices}
        line |= {"tables": about(_tables(point))}
        lines.append({**line, "left": about(int(found["left"])) if "left" in found else None})
    return lines


def text_of(found: dict[str, Any]) -> str:
    """The results as a page."""
    shown = [
        {name: entry[name] for name in ("side", "k", "leaves", "rows", "tables", "cpu_seconds")}
        | {"same answer": {True: "yes", False: "NO", None: ""}[entry.get("same")]}
        for entry in found["reach"]
    ]
    return "\n".join(
        [
            "# How far k-jump can be computed exactly\n\nMade by `python -m benchmarks.k_jump`; one run, CPU "
            "seconds of all threads, to be read as ratios. Each point is\na process of its own with compiled "
            f"kernels; empty: not finished in {found['budget']} s, or in the time of the reference.\n",
            "The question: does the disclosure set of the last function, the root, keep the highest ratio 3/5? "
            "One ordered\nquasi-identifier, nested cuts of a binary tree with uneven leaves of at least two rows "
            "(groups 8, 6, 3, 1), values\nby Zipf's law, one seed for both sides. The reference is the definition "
            "with memory, in plain Python\n(`tests/oracle/k_jump_literal.py`). Its tables have four leaves "
            "(groups 4, 3, 2, 1): with eight it takes about as\nlong, but of so few rows hardly a table passes a "
            "finer function, and there is little to find out. For the same reason\nthe seed was chosen among 400: "
            "one with which most small tables can pass, before anything of the engine was timed.\n",
            markdown("Rows within the same time (3 values)", reached(found["reach"])),
            "![CPU seconds by rows](k_jump.svg)\n",
            markdown("Every point of it", shown),
            markdown("The points of docs/facts/k_jump.md, section 5", found["facts"]),
            "The tables of the facts came from another draw of the same generator: compare the order of size. n "
            "is the number of\nfunctions: every jump ends in nothing. `tables` is the permutation set of the "
            "root, `left` its disclosure set.\n",
            markdown("The vector k as a dial for cost", found["dial"]),
            "The longer the jumps of the fine functions, the fewer disclosure sets depend on one another. "
            "The search is safe with\nany vector; what it publishes may differ. With 32 rows all sixteen leaves "
            "are pairs: within every group of g3 all\nrows look alike, and its disclosure sets need not be judged "
            "(transitivity lemma, docs/facts/k_jump.md section 4.7).\n",
            markdown("What there is to look at (counted, k = 1 unless said)", found["ideas"]),
            "A table is one assignment of values to persons; a matrix stands for all tables with the same counts "
            "in each leaf, or\nin each group of the finest function whose disclosure set is needed. Finer "
            "functions are failed or passed inside these by\ninclusion and exclusion.\n",
            f"The run took {found['seconds'] / 60:.0f} minutes.\n",
        ]
    )


def main() -> None:
    """Measure, and write it down."""
    began = time.perf_counter()
    found: dict[str, Any] = {"budget": BUDGET, "seed": SEED, "reach": [*reach("1"), *reach("n")]}
    found |= {"facts": compared(FACTS), "dial": compared(DIAL), "ideas": ideas()}
    found["seconds"] = time.perf_counter() - began
    (HERE / "k_jump.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    k_jump_pictures.draw(found["reach"], HERE)
    text = text_of(found)
    (HERE / "k_jump.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
