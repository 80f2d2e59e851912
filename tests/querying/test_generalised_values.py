"""Counts of generalised sensitive values: a node counts by its base values, as the certificate weighs them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile
from tests.generalised_values import patients, release_of, schema
from tests.small_tables import TREE
from voile.errors import InputError, SpecError

CELLS = ["p1", "p1", "p2", "q1", "q2", "q3", "p1", "q1"]


def found(release, query, *spec):
    answer = voile.estimate(release, query, *spec)
    return round(answer.count, 6), answer.at_least, answer.at_most


def all_in_one(levels, weight=None, cells=CELLS, **options):
    table = patients(cells, **options)  # sorted by age: ages 20 to 26, and 20 again
    return release_of(table, np.zeros(table.n, int), levels, weight)


def test_nodes_count_by_weights():
    cells = ["p1", "p2", "q1", "q2", "q3"]
    release = all_in_one([1, 0, 1, 2, 2], cells=cells, hierarchy=TREE)
    assert found(release, "value = 'p1'") == (0.5 + 2 / 5, 0, 3)
    assert found(release, "value = 'p'") == (2 + 4 / 5, 2, 4)
    assert found(release, "value in ('p', 'q')") == (5, 5, 5)
    assert found(release, "value != 'q1'") == (round(5 - 1 / 3 - 2 / 5, 6), 2, 5)
    weighed = all_in_one([1, 0, 1, 2, 2], [3, 1, 2, 2, 2], cells=cells, hierarchy=TREE)
    assert found(weighed, "value = 'p1'") == (round(3 / 4 + 2 * 3 / 10, 6), 0, 3)
    impossible = all_in_one([1, 0, 1, 2, 2], [1, 1, 1, 1, 0], cells=cells, hierarchy=TREE)
    assert found(impossible, "value in ('q1', 'q2')") == (2, 1, 3)


@pytest.mark.slow
@given(st.data())
def test_estimates_equal_the_definition(data):
    n = data.draw(st.integers(1, 12))
    cells = data.draw(st.lists(st.sampled_from(TREE.labels[:5]), min_size=n, max_size=n))
    table = patients(cells, hierarchy=TREE)
    codes = table.sensitive[0].codes
    extra = np.array(data.draw(st.lists(st.integers(0, 3), min_size=5, max_size=5)))
    weight = np.bincount(codes, minlength=5) + extra
    release = release_of(
        table, np.zeros(n, int), data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), weight
    )
    wanted = data.draw(st.sets(st.integers(0, 4), min_size=1))
    expected = sure = possible = 0
    for label in release.frame["value"]:
        node = TREE.labels.index(label)
        under = [leaf for leaf in range(TREE.low[node], TREE.high[node] + 1) if weight[leaf]]
        share = sum(weight[leaf] for leaf in under if leaf in wanted) / sum(weight[leaf] for leaf in under)
        expected, sure, possible = expected + share, sure + (share == 1), possible + (share > 0)
    answer = voile.estimate(release, "value in (" + ", ".join(f"'{TREE.labels[leaf]}'" for leaf in wanted) + ")")
    assert answer.count == pytest.approx(expected)
    assert (answer.at_least, answer.at_most) == (sure, possible)
    assert sure <= sum(int(code) in wanted for code in codes) <= possible


DATES = ["2024-01-31", "2024-01-01", "2023-12-01", "2023-11-01"]
KINDS = {  # the first is raised by one level, the last to the root
    "integers": ([21, 23, 37, 38], {"type": "integer", "hierarchy": {"intervals": [10]}}),
    "decimals": (["1.5", "2", "7", "8"], {"type": "decimal", "hierarchy": {"intervals": [2]}}),
    "dates": (DATES, {"type": "date", "hierarchy": {"dates": ["month", "year"]}}),
    "mask": (["81675", "81677", "12", "9"], {"hierarchy": {"mask": 1}}),
    "missing": (["a", "b", "c", None], {"missing": "category"}),
    "none missing": (["a", "b", "c", "d"], {"missing": "category"}),
    "flat and quoted": (["-a", "=b", "c", "d"], {}),
}


@pytest.mark.parametrize(
    "kind, query, figures",
    [
        ("integers", "value < 22", (0.75, 0, 2)),
        ("decimals", "value >= 7", (2, 1, 3)),
        ("dates", "value <= '2024-01-01'", (3.25, 2, 4)),
        ("mask", "value = '81675'", (0.75, 0, 2)),
        ("missing", "value = 'a'", (0.5, 0, 2)),
        ("none missing", "value = 'a'", (0.5, 0, 2)),
        ("flat and quoted", "value = '-a'", (0.5, 0, 2)),
    ],
)
def test_every_kind(kind, query, figures, tmp_path):
    cells, options = KINDS[kind]
    release = all_in_one([1, 0, 0, 4], cells=cells, **options)
    release.write(tmp_path / "out")
    assert found(release, query) == found(tmp_path / "out", query, schema(**options)) == figures


def test_without_the_spec(tmp_path):
    """What * stands for is in the certificate; what other nodes do is not."""
    all_in_one([9, 0, 0, 0], cells=["a", "b", "c", "d"]).write(tmp_path / "flat")
    assert found(tmp_path / "flat", "value = 'b'") == found(tmp_path / "flat", "value = 'b'", schema())
    assert found(tmp_path / "flat", "value = 'b'") == (1.25, 1, 2)
    assert found(tmp_path / "flat", "value = 'e'") == (0, 0, 0)
    all_in_one([0, 0, 0, 1, 0, 0, 2, 2], hierarchy=TREE).write(tmp_path / "nodes")
    with pytest.raises(SpecError, match="not published; give the spec"):
        voile.estimate(tmp_path / "nodes", "value = 'p1'")
    assert voile.estimate(tmp_path / "nodes", "age > 3").count == 8  # other columns can be asked


def test_another_spec_is_refused(tmp_path):
    all_in_one([0, 0, 0, 1, 0, 0, 2, 2], hierarchy=TREE).write(tmp_path / "out")
    for other in (schema(), schema(hierarchy={"mask": 1})):
        with pytest.raises(InputError, match="cannot be read"):
            voile.estimate(tmp_path / "out", "value = 'p1'", other)
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    document["table"]["columns"][-1]["weights"][0] = -1
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="damaged"):
        voile.estimate(tmp_path / "out", "value = 'p1'")
    document["table"]["columns"][-1]["weights"][0] = 1
    path.write_text(json.dumps(document))
    assert found(tmp_path / "out", "value = 'p1'", schema(hierarchy=TREE))[1:] == (2, 5)  # control


def test_a_column_with_a_hierarchy_that_is_not_generalised(tmp_path):
    """The spec of a release whose sensitive values are published as they are."""
    table = patients(CELLS, hierarchy=TREE)
    voile.anonymize(table, "elig", l=2).write(tmp_path / "out")
    assert found(tmp_path / "out", "value = 'p'", schema(hierarchy=TREE)) == (4, 4, 4)
    assert found(tmp_path / "out", "value = 'p1'") == (3, 3, 3)


def test_a_star_without_a_certificate_may_be_any_value(tmp_path):
    (tmp_path / "theirs.csv").write_text("age,sex,value\n1,f,*\n1,f,a\n1,f,b\n")
    assert found(tmp_path / "theirs.csv", "value = 'a'", schema()) == (1.5, 1, 2)
