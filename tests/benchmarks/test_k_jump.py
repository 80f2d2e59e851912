"""The tables on which k-jump is measured, both sides of the measurement, and what it writes."""

import numpy as np
import pytest

from benchmarks import k_jump, k_jump_ideas, k_jump_pictures, nested_cuts
from benchmarks.k_jump import FOUR, Point


@pytest.mark.parametrize("groups", [[4, 3, 2, 1], [8, 6, 3, 1], [16, 12, 8, 5, 1]])
@pytest.mark.parametrize("rows", [32, 61])
def test_cuts_are_nested_and_leaves_have_two_rows(groups, rows):
    sequence, values = nested_cuts.table(rows, groups, s=3)
    assert [int(function.max()) + 1 for function in sequence.functions] == groups
    assert all(sequence.refines(i, i + 1) for i in range(len(sequence) - 1))
    assert all((np.diff(function) >= 0).all() for function in sequence.functions), "runs of the ordered column"
    assert np.bincount(sequence.functions[0]).min() >= 2 and values.size == rows
    again = nested_cuts.table(rows, groups, s=3)
    assert (again[1] == values).all() and (again[0].functions[1] == sequence.functions[1]).all()


def test_every_halving_is_a_node_of_one_tree():
    for seed in range(30):
        sequence, _ = nested_cuts.table(40, [8, 6, 3, 1], s=3, seed=seed)
        leaf = sequence.functions[0]
        for function in sequence.functions[1:]:
            for group in range(int(function.max()) + 1):
                inside = np.unique(leaf[function == group])
                assert inside.size in (1, 2, 4, 8) and inside[0] % inside.size == 0


def test_shares_follow_zipf():
    assert np.bincount(nested_cuts.zipf(11, 3)).tolist() == [6, 3, 2]
    assert np.bincount(nested_cuts.zipf(100, 4)).tolist() == [48, 24, 16, 12]


@pytest.mark.parametrize("k", [1, 4, (2, 1, 3, 1)])
def test_both_sides_answer_the_same_question(k):
    point = Point(10, FOUR, 3, k)
    assert k_jump.engine(point).items() >= k_jump.reference(point).items()


def test_matrices_are_as_many_as_the_product_expects():
    sequence, values = nested_cuts.table(32, k_jump.EIGHT, s=3)
    counts, (_, g2, g3, _) = np.bincount(values), map(np.bincount, sequence.functions)
    assert k_jump_ideas.matrices(g2, counts) == k_jump.cost(Point(32, k_jump.EIGHT, 3, 1)).matrices
    assert k_jump_ideas.matrices(g3, counts) <= k_jump.cost(Point(32, k_jump.EIGHT, 3, (1, 4, 1, 1))).matrices


def entry(side, k, rows, seconds, **more):
    asked = {"side": side, "k": k, "rows": rows, "leaves": 4, "tables": k_jump.about(10 ** (9 * rows))}
    return {**asked, "seconds": seconds, "cpu_seconds": seconds, "peak_gb": 0.1, **more}


def test_page_and_picture():
    reach = []
    for k in ("1", "n"):
        reach += [entry("reference", k, 16, 14.0), entry("engine", k, 16, 0.1, same=True)]
        reach += [entry("reference", k, 17, None), entry("engine", k, 48, 9.0), entry("engine", k, 64, None)]
    line = {"s": 3, "k": "1", "rows": 48, "CPU s": 4.0, "left": None}
    lines = {"facts": [line], "dial": [line], "ideas": [line]}
    text = k_jump.text_of({"budget": 80, "reach": reach, **lines, "seconds": 300})
    assert "| 1 | 16 | 14 | 48 |" in text
    assert "| yes |" in text and "NO" not in text and "5 minutes" in text
    assert k_jump.reached(reach)[0]["times the rows"] == 3
    assert len(k_jump_pictures.picture(reach)["hconcat"]) == 2
