"""What a release looks like: labels, canonical order, nothing of the source."""

import numpy as np
import polars as pl
import pytest

import voile
from tests.small_tables import TREE, axis_of, column
from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role, Type
from voile.core.table import Table
from voile.rendering.release_frame import render

SECRET = Hierarchy.flat(["A", "B", "C", "D"])


def rendered(group, *columns):
    table = Table([*columns, column("secret", SECRET, range(len(group)), Role.SENSITIVE)])
    partition = Partition(np.array(group)[table.sensitive[0].codes])  # the Table has sorted its rows
    return render(table, partition, Boxes.around(table, partition))[0]


def test_labels():
    letters = Hierarchy.flat(["a", "b", "c, d", "e"])
    frame = rendered(
        [0, 0, 1, 1],
        column("number", axis_of([3, 9]), [3, 9, 5, 5]),
        column("tree", TREE, [0, 1, 2, 2]),
        column("all", TREE, [0, 4, 3, 3]),
        column("letter", letters, [0, 2, 3, 3]),
    )
    assert frame.rows() == [
        (1, "[3, 9]", "p", "*", '{a, "c, d"}', "A"),
        (1, "[3, 9]", "p", "*", '{a, "c, d"}', "B"),
        (2, "5", "q1", "q2", "e", "C"),
        (2, "5", "q1", "q2", "e", "D"),
    ]


def test_all_values_of_a_flat_column_are_a_star():
    frame = rendered([0, 0], column("letter", Hierarchy.flat(["a", "b"]), [0, 1]))
    assert frame["letter"].to_list() == ["*", "*"]


def test_dates_decimals_and_ordinals():
    ordinal = Axis(Type.ORDINAL, 0, 2, names=("low", "mid", "high"))
    frame = rendered(
        [0, 0],
        column("date", Axis(Type.DATE, -1, 1), [-1, 1]),
        column("decimal", Axis(Type.DECIMAL, -25, 5, scale=1), [-25, 5]),
        column("ordinal", ordinal, [0, 1]),
    )
    assert frame.row(0)[1:4] == ("[1969-12-31, 1970-01-02]", "[-2.5, 0.5]", "[low, mid]")


def test_suppressed_rows_are_absent():
    frame = rendered([0, 0, -1, -1], column("number", axis_of([0, 3]), [0, 1, 2, 3]))
    assert frame["secret"].to_list() == ["A", "B"]


def test_sensitive_numbers_stay_numbers():
    table = Table(
        [
            column("age", axis_of([1, 2]), [1, 2]),
            column("pay", Axis(Type.DECIMAL, 5, 15, scale=1), [5, 15], Role.SENSITIVE),
        ]
    )
    partition = Partition(np.array([0, 0]))
    frame, _ = render(table, partition, Boxes.around(table, partition))
    assert frame["pay"].dtype == pl.Decimal(38, 1)


@pytest.mark.slow
def test_equal_boxes_are_ordered_by_content(tmp_path):
    """Twenty permutations of rows that only differ in their secrets: the same bytes."""
    rng = np.random.default_rng(0)
    secrets = [f"s{i % 6}" for i in range(36)]
    frame = pl.DataFrame({"age": ["7"] * 36, "sex": ["f", "m"] * 18, "d": secrets})
    schema = voile.Schema.of({"age": {"role": "qi", "type": "integer"}, "sex": "qi", "d": "sa"})
    seen = set()
    for turn in range(20):
        frame[rng.permutation(36)].write_csv(tmp_path / "t.csv")
        out = tmp_path / f"out{turn}"
        voile.publish(tmp_path / "t.csv", schema, "bsgi", out, l=3)
        seen.add((out / "data.csv").read_bytes())
    assert len(seen) == 1


def test_sets_are_ordered_by_what_is_published():
    """Sets under one node are different boxes: the algorithm's numbering of groups does not show."""
    letters = Hierarchy.flat(list("abcdef"))
    frames = []
    for group in ([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 1, 1]):
        table = Table(
            [
                column("letter", letters, range(6)),
                column("secret", SECRET, [0, 1] * 3, Role.SENSITIVE),
            ]
        )
        partition = Partition(np.array(group))
        frames.append(render(table, partition, Boxes.around(table, partition))[0])
    assert frames[0].equals(frames[1])
    assert frames[0]["letter"].to_list()[::2] == ["{a, b}", "{c, d}", "{e, f}"]


def test_dates_that_are_not_generalised_are_dates():
    """A sensitive or kept date is published as it is."""
    days = ["2026-03-31", "1969-12-31", "2026-04-01", "2000-02-29"]
    table = pl.DataFrame({"age": [1, 2, 3, 4], "seen": days, "visit": days})
    columns = {
        "age": {"role": "qi", "type": "integer"},
        "seen": {"role": "sensitive", "type": "date"},
        "visit": {"role": "insensitive", "type": "date", "keep": True},
    }
    source, partition = voile.read(table, columns), Partition(np.zeros(4, np.int64))
    frame, _ = render(source, partition, Boxes.around(source, partition))
    assert frame.schema["seen"] == frame.schema["visit"] == pl.Date
    assert sorted(frame["seen"].cast(pl.String)) == sorted(days)
