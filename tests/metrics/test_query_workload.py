"""Query workload errors against a literal transcription; private, so in no certificate."""

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from tests.generalised_values import partition_of
from tests.oracle import counts_literal as literal
from tests.small_tables import TREE, axis_of, column, tables
from voile import catalog
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import ParameterError
from voile.measuring import parse_measures
from voile.metrics.query_workload import chosen_sides, drawn, estimates, range_length, truths


def within(low, high):
    return lambda code: low <= code <= high


def queries_of(workload):
    """The drawn queries as the oracle takes them."""
    for q in range(workload.queries):
        ends = [within(int(low[q]), int(high[q])) for low, high in zip(workload.low, workload.high, strict=True)]
        yield list(zip(workload.columns, ends, strict=True))


def grouped(data, n):
    drawn_groups = data.draw(st.lists(st.integers(-1, 4), min_size=n, max_size=n))
    used = sorted({g for g in drawn_groups if g >= 0})
    group = np.array([used.index(g) if g >= 0 else -1 for g in drawn_groups])
    return group, [np.flatnonzero(group == g).tolist() for g in range(len(used))]


@given(tables(most=30), st.data())
def test_errors_equal_their_definitions(table, data):
    group, groups = grouped(data, table.n)
    boxes, seed = Boxes.around(table, Partition(group)), data.draw(st.integers(0, 9))
    on = data.draw(st.sampled_from(["all", "number", "letter+tree", "number+other+letter"]))
    theta = data.draw(st.sampled_from(["1/2", "0.1"]))
    sides = chosen_sides(boxes, on)
    sensitive, k = table.sensitive[0], len(sides)

    def queries(power, last):
        def length(values):
            return range_length(values, Fraction(theta), power)

        return list(queries_of(drawn(seed, 12, sides, length, sensitive, last or length)))

    given_ = f"queries=12, seed={seed}, on={on}, theta={theta}"
    (mean,) = parse_measures(f"qwe_mean[{given_}, delta=0.05]").values()
    answered = literal.answers(table.n, groups, queries(k, lambda _: 1))
    assert mean.measure(boxes) == pytest.approx(
        float(literal.mean_error(table.n, answered, Fraction(1, 20))), rel=1e-5, abs=1e-6
    )
    (median,) = parse_measures(f"qwe_median[{given_}]").values()
    answered = literal.answers(table.n, groups, queries(k + 1, None))
    assert median.measure(boxes) == pytest.approx(float(literal.median_error(answered)), rel=1e-5, abs=1e-6)


@given(tables(most=30), st.data())
def test_generalised_values_count_by_their_base_values(table, data):
    """A node counts by the share of its weight that a query accepts, row by row."""
    group, groups = grouped(data, table.n)
    codes = data.draw(st.lists(st.integers(0, 4), min_size=table.n, max_size=table.n))
    raised_by = data.draw(st.lists(st.integers(0, 2), min_size=table.n, max_size=table.n))
    secret = column("secret", TREE, codes, Role.SENSITIVE)
    table = Table([*table.quasi, secret])
    partition = partition_of(table, group, raised_by)
    boxes, weight = Boxes.around(table, partition), partition.weight.tolist()
    sides = chosen_sides(boxes, "number+letter")
    workload = drawn(
        1, 12, sides, lambda values: -(-values // 2), table.sensitive[0], lambda values: -(-values // 2)
    )
    found = estimates(boxes, workload)
    for q, query in enumerate(queries_of(workload)):
        expected = Fraction(0)
        for rows in groups:
            chance = Fraction(1)
            for side, accepts in query[:-1]:
                cell = literal.cell_values(side, rows)
                chance *= Fraction(sum(map(accepts, cell)), len(cell))
            for node in partition.node[rows].tolist():
                under = range(int(TREE.low[node]), int(TREE.high[node]) + 1)
                accepted = sum(weight[leaf] for leaf in under if query[-1][1](leaf))
                expected += chance * Fraction(accepted, sum(weight[leaf] for leaf in under))
        assert found[q] == pytest.approx(float(expected), rel=1e-5, abs=1e-6)


def test_all_private_metrics_are_tested_here():
    private = {key for key, metric in catalog.metrics().items() if metric.private}
    assert private == {"qwe_mean", "qwe_median", "classification"}  # the last in a file of its own


def big(n=3000, groups=400, seed=0):
    rng = np.random.default_rng(seed)
    table = Table(
        [
            column("wide", axis_of([0, 10**9]), rng.integers(0, 10**9, n)),
            column("age", axis_of([0, 70]), rng.integers(0, 70, n)),
            column("letter", Hierarchy.flat([f"{i:02}" for i in range(12)]), rng.integers(0, 12, n)),
            column("s", Hierarchy.flat([f"v{i:02}" for i in range(30)]), rng.integers(0, 30, n), Role.SENSITIVE),
        ]
    )
    return table, Boxes.around(table, Partition(rng.permutation(np.arange(n) % groups)))


def test_blocks_and_threads_change_nothing():
    """More queries than one block, more rows than a byte counts to, a column of many values."""
    table, boxes = big()
    workload = drawn(
        3, 700, boxes.sides, lambda v: range_length(v, Fraction(1, 3), 4), table.sensitive[0], lambda v: 9
    )
    actual = truths(workload)
    groups = [np.flatnonzero(boxes.group == g).tolist() for g in range(boxes.sizes.size)]
    queries = list(queries_of(workload))
    for q in (0, 63, 64, 511, 512, 699):
        assert actual[q] == literal.truth(table.n, queries[q]) > 0
    sides = [s for s in boxes.sides if s.column.name != "wide"]  # the oracle lists every value of a cell
    narrow = drawn(3, 300, sides, lambda v: range_length(v, Fraction(1, 3), 3), table.sensitive[0], lambda v: 9)
    estimated = estimates(boxes, narrow)
    for q in (0, 127, 128, 299):
        query = list(queries_of(narrow))[q]
        expected = literal.estimate(groups, query[:-1], query[-1])
        assert estimated[q] == pytest.approx(float(expected), rel=1e-5)


def test_a_release_of_single_rows_is_exact():
    """Positive control: nothing is lost, so nothing is wrong; and one group for all is wrong."""
    table, _ = big(300)
    exact = Boxes.around(table, Partition(np.arange(300)))
    whole = Boxes.around(table, Partition(np.zeros(300, int)))
    for words in ("qwe_mean[queries=200]", "qwe_median[queries=200]"):
        (metric,) = parse_measures(words).values()
        assert metric.measure(exact) == pytest.approx(0, abs=1e-6)
        assert metric.measure(whole) > 0.01


def test_suppressed_rows_are_missed():
    table, _ = big(300)
    nothing = Boxes.around(table, Partition(np.full(300, -1)))
    (metric,) = parse_measures("qwe_median[queries=50, theta=1/2]").values()
    assert metric.measure(nothing) == 1


@pytest.mark.parametrize(
    "text",
    [
        "qwe",
        "qwe_mean[",
        "qwe_mean[theta]",
        "qwe_mean[theta=0]",
        "qwe_mean[theta=2]",
        "qwe_median[theta=1.01]",
        "qwe_mean[colour=1]",
        "dm[x=1]",
    ],
)
def test_measures_that_are_refused(text):
    with pytest.raises(ParameterError):
        parse_measures(text)


def test_unknown_columns_are_refused_with_the_known_ones():
    _, boxes = big(30, 3)
    with pytest.raises(ParameterError, match="wide, age, letter"):
        parse_measures("qwe_mean[on=age+colour]")["qwe_mean[on=age+colour]"].measure(boxes)


@pytest.mark.slow
def test_measured_errors_stay_private(tmp_path):
    frame = pl.DataFrame({"age": range(40), "d": [f"d{i % 7}" for i in range(40)]})
    spec = {"age": {"role": "qi", "type": "integer"}, "d": "sa"}
    release, _ = voile.publish(frame, spec, "bsgi", tmp_path / "out", l=3, measure="qwe_mean, dm")
    assert set(release.private_record["measured"]) == {"qwe_mean", "dm"}
    public = (tmp_path / "out" / "certificate.json").read_text()
    assert "qwe" not in public and "measured" not in public
    private = json.loads((tmp_path / "out" / "private" / "record.json").read_text())
    assert private["measured"] == release.private_record["measured"]
    plain = voile.anonymize(voile.read(frame, spec), "bsgi", l=3)
    assert "measured" not in plain.private_record


def test_unknown_columns_are_refused_before_the_grouping(monkeypatch):
    frame = pl.DataFrame({"age": range(40), "sex": list("fm") * 20, "d": [f"d{i % 7}" for i in range(40)]})
    table = voile.read(frame, {"age": {"role": "qi", "type": "integer"}, "sex": "qi", "d": "sa"})
    spaced = voile.anonymize(table, "bsgi", l=3, measure="qwe_mean[on=age + sex]")  # control
    joined = voile.anonymize(table, "bsgi", l=3, measure="qwe_mean[on=age+sex]")
    assert [*spaced.private_record["measured"].values()] == [*joined.private_record["measured"].values()]
    monkeypatch.setattr("voile.pipeline._drawn", lambda *_: pytest.fail("grouped first"))
    for on in ("agee", "d", "age+age", "age+"):
        with pytest.raises(ParameterError, match="age, sex joined"):
            voile.anonymize(table, "bsgi", l=3, measure=f"qwe_mean[on={on}]")
