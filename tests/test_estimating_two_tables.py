"""Counts from two tables, against every way that the values of a group can belong to its rows."""

from fractions import Fraction
from itertools import permutations, product

import polars as pl
import pytest

import voile
from tests.algorithms.test_anatomy import CLINIC, SPEC
from voile import catalog
from voile.core.boxes import Boxes
from voile.core.draws import InsecureDraws
from voile.metrics.query_workload import drawn, estimates

QUERIES = {
    "age between 30 and 64 and disease in ('flu', 'dyspepsia')": (
        lambda r: 30 <= r["age"] <= 64,
        lambda v: v in ("flu", "dyspepsia"),
    ),
    "sex = 'F' and age > 60 and disease = 'flu'": (
        lambda r: r["sex"] == "F" and r["age"] > 60,
        lambda v: v == "flu",
    ),
    "sex = 'M'": (lambda r: r["sex"] == "M", lambda v: True),
    "disease = 'flu'": (lambda r: True, lambda v: v == "flu"),
    "disease <> 'flu' and sex <> 'F'": (lambda r: r["sex"] != "F", lambda v: v != "flu"),
    "age < 10 and disease = 'flu'": (lambda r: r["age"] < 10, lambda v: v == "flu"),
}


def counts_of_all_worlds(release, row_meets, value_meets):
    """The counts in all worlds that the two tables allow, each as likely as another."""
    rows = release.frame.to_dicts()
    each = []
    for group in sorted({row["group"] for row in rows}):
        members = [row for row in rows if row["group"] == group]
        lines = release.sensitive.filter(pl.col("group") == group)
        values = [v for v, n in lines.select("disease", "count").rows() for _ in range(n)]
        each.append(
            [
                sum(row_meets(row) and value_meets(value) for row, value in zip(members, order, strict=True))
                for order in permutations(values)
            ]
        )
    return [sum(world) for world in product(*each)]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("ell", [2, 4])
@pytest.mark.parametrize("written", [False, True], ids=["in memory", "on disk"])
def test_mean_and_bounds_are_those_of_all_worlds(query, ell, written, tmp_path):
    release = voile.anonymize(voile.read(CLINIC.head(8 if ell == 2 else 7), SPEC), "anatomy", l=min(ell, 3))
    worlds = counts_of_all_worlds(release, *QUERIES[query])
    mean = Fraction(sum(worlds), len(worlds))
    found = voile.estimate(release.write(tmp_path / "out") if written else release, query)
    assert found.count == pytest.approx(float(mean))
    assert (found.at_least, found.at_most) == (min(worlds), max(worlds))
    assert found.at_least <= found.count <= found.at_most and found.low is found.high is None
    assert ("equally likely" in found.note) == (len(set(worlds)) > 1)


def test_numbers_with_a_hierarchy_words_in_braces_and_nodes(tmp_path):
    """Nothing is generalised: a label is a value, whatever it looks like; a node may be asked for."""
    source = CLINIC.with_columns(sex=pl.Series(["{a, b}", "*b", "[1, 2]", "c"] * 2))
    spec = {
        "age": {"role": "qi", "type": "integer", "hierarchy": {"intervals": [10, 50]}},
        "sex": "qi",
        "disease": "sensitive",
    }
    out = voile.anonymize(voile.read(source, spec), "anatomy", l=2).write(tmp_path / "out")
    assert voile.audit(out, spec).ok
    for told in (None, spec):
        assert voile.estimate(out, "sex = '{a, b}'", told).count == 2
        assert voile.estimate(out, "age between 60 and 65", told).count == 3


def test_query_error_is_that_of_estimates():
    """Each query of a workload, put to `estimate`, gives what the metric takes as its answer."""
    table = voile.read(CLINIC, SPEC)
    partition = catalog.algorithm("anatomy").configure({"l": 2}).partition(table, draws=InsecureDraws(4))
    boxes = Boxes.around(table, partition)
    release = voile.anonymize(table, "anatomy", l=2, insecure_seed=4)
    workload = drawn(3, 20, boxes.sides, lambda values: max(1, values // 2), boxes.sensitive[0], lambda values: 1)
    sexes, diseases = table.quasi[1].domain.labels, table.sensitive[0].domain.labels
    for i, answer in enumerate(estimates(boxes, workload).tolist()):
        (age, sex, disease), (last_age, last_sex, _) = (
            [int(e[i]) for e in x] for x in (workload.low, workload.high)
        )
        words = ", ".join(f"'{sexes[code]}'" for code in range(sex, last_sex + 1))
        query = f"age between {age} and {last_age} and sex in ({words}) and disease = '{diseases[disease]}'"
        assert voile.estimate(release, query).count == pytest.approx(answer, abs=1e-5)


def test_a_tree_learns_from_shares():
    """Rows teach each value of their group: with groups of everything there is nothing to learn but the most
    frequent, with the source's own rows alone everything."""
    pytest.importorskip("sklearn", reason="no scikit-learn: pip install 'voile[ml]'")
    rows = 120
    source = pl.DataFrame({"age": list(range(rows)), "sex": ["F"] * rows, "disease": ["a"] * 60 + ["b"] * 60})
    made = voile.anonymize(voile.read(source, SPEC), "anatomy", l=2, measure="classification")
    assert 0 < made.private_record["measured"]["classification"] <= 0.75
