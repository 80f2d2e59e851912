"""The accuracy ratio: what it must be at both ends, and each rule of what a release teaches."""

import json
import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.small_tables import LETTERS, TREE, UNBALANCED, axis_of, column, tables
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import ParameterError
from voile.measuring import parse_measures
from voile.metrics.classification import Classification, _originals, _published

needs_sklearn = pytest.mark.usefixtures("sklearn")


@pytest.fixture(scope="session")
def sklearn():
    return pytest.importorskip("sklearn", reason="no scikit-learn: pip install 'voile[ml]'")


def learnable(n=600, seed=0):
    """The secret is the half of the tree, and most have the first."""
    rng = np.random.default_rng(seed)
    trees, numbers = rng.choice(5, n, p=[0.4, 0.3, 0.1, 0.1, 0.1]), rng.integers(0, 10**9, n)
    secret = (trees >= 2).astype(int)
    columns = [column("tree", TREE, trees), column("number", axis_of(numbers.tolist()), numbers)]
    return Table([*columns, column("s", UNBALANCED, secret, Role.SENSITIVE)])


def ratio(table, partition, **parameters):
    return Classification(**parameters).measure(Boxes.around(table, partition))


@pytest.mark.slow
@needs_sklearn
@settings(max_examples=15)
@given(tables(least=6, most=24), st.integers(0, 5), st.integers(1, 4))
def test_the_source_itself_is_exactly_one(table, seed, leaf):
    """Whether every row is a group, or every different line of cells."""
    alone = ratio(table, Partition(np.arange(table.n)), seed=seed, smallest_leaf=leaf)
    assert alone in (0, 1)  # 0 where nothing is learned from the source either
    as_nodes = Partition(np.arange(table.n), node=table.sensitive[0].codes, weight=np.ones(6, int))
    assert ratio(table, as_nodes, seed=seed, smallest_leaf=leaf) == alone


@needs_sklearn
def test_the_source_itself_is_one():
    assert ratio(learnable(), Partition(np.arange(600))) == 1


@needs_sklearn
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_stars_teach_the_most_frequent_value(seed):
    """The tree on originals is always right here, so the ratio is the accuracy."""
    table = learnable()
    asked = Classification(seed=seed)._held_out(600)
    secret = table.sensitive[0].codes
    ((top, _),) = Counter(secret[~asked].tolist()).most_common(1)
    stars = ratio(table, Partition(np.zeros(600, int)), seed=seed)
    assert stars == pytest.approx((secret[asked] == top).mean())
    assert 0.6 < stars < 0.8


@needs_sklearn
def test_groups_that_are_pure_teach_all_and_mixed_ones_less():
    """Their cells alone tell: with a column of chance beside them, a tree may tell groups apart by its ends."""
    table = learnable()
    pure, mixed = table.sensitive[0].codes, np.arange(600) % 6
    table = Table([table.quasi[0], *table.sensitive])
    assert ratio(table, Partition(pure)) == 1
    assert ratio(table, Partition(mixed)) < 0.8


@needs_sklearn
def test_suppressed_rows_teach_nothing():
    """Without the rare half, the tree never answers it; without any row, it answers nothing."""
    table = learnable()
    rare = table.sensitive[0].codes == 1
    group = np.cumsum(~rare) - 1
    group[rare] = -1
    asked = Classification()._held_out(600)
    assert ratio(table, Partition(group)) == pytest.approx((~rare[asked]).mean())
    assert ratio(table, Partition(np.full(600, -1))) == 0


@needs_sklearn
def test_a_value_above_the_truth_teaches_what_it_induces():
    """All published as the root: the heaviest base value is what is learned."""
    table = learnable()
    everything, asked = np.full(600, len(UNBALANCED.labels) - 1), Classification()._held_out(600)
    for heavy in (0, 1):
        weight = np.array([1, 1, 0, 0])
        weight[heavy] = 3
        measured = ratio(table, Partition(np.arange(600), node=everything, weight=weight))
        assert measured == pytest.approx((table.sensitive[0].codes[asked] == heavy).mean())


def test_induced_lines_by_hand():
    """Two rows, one published as x = {a, b, c}: a weighs 1, b 2, c cannot be."""
    table = Table([column("tree", TREE, [0, 4]), column("s", UNBALANCED, [1, 0], Role.SENSITIVE)])
    node = np.array([UNBALANCED.labels.index("x"), 0])
    boxes = Boxes.around(table, Partition(np.array([0, 1]), node=node, weight=np.array([1, 2, 0, 5])))
    taught = _published(boxes, table.sensitive[0], np.ones(2, bool))
    assert taught.cells.tolist() == [[0, 0], [0, 0], [1, 1]]
    assert taught.value.tolist() == [0, 1, 0]
    assert taught.weight.tolist() == pytest.approx([1 / 3, 2 / 3, 1])


@given(tables(most=20), st.data())
def test_ends_are_those_of_the_cell(table, data):
    """By rank: the least and the greatest of the source's values in an interval or a node; of a set, its own."""
    group = np.array([data.draw(st.integers(0, 2)) for _ in range(table.n)])
    group = np.searchsorted(sorted(set(group.tolist())), group)
    boxes = Boxes.around(table, Partition(group))
    taught = _published(boxes, table.sensitive[0], np.ones(table.n, bool)).cells
    source = _originals(boxes, table.sensitive[0]).cells
    for j, c in enumerate(table.quasi):
        values = sorted(set(c.codes.tolist()))
        assert [values[i] for i in source[:, 2 * j]] == c.codes.tolist()
        assert (source[:, 2 * j] == source[:, 2 * j + 1]).all()
        for i, g in enumerate(group.tolist()):
            own = c.codes[group == g].tolist()
            low, high = min(own), max(own)
            if c.domain is TREE or (c.domain is LETTERS and len(set(own)) == 5):
                node = c.domain.ancestor(low, high)
                low, high = c.domain.low[node], c.domain.high[node]
            inside = [v for v in values if low <= v <= high]
            assert [values[e] for e in taught[i, 2 * j : 2 * j + 2]] == [inside[0], inside[-1]]


def test_counterfeits_teach_what_they_say():
    table = Table([column("tree", TREE, [0, 1]), column("s", TREE, [0, 1], Role.SENSITIVE)])
    partition = Partition(np.zeros(2, int), counterfeit_group=np.array([0]), counterfeit_value=np.array([4]))
    taught = _published(Boxes.around(table, partition), table.sensitive[0], np.array([True, False]))
    assert taught.value.tolist() == [0, 4]
    assert taught.cells.tolist() == [[0, 1], [0, 1]]


@needs_sklearn
def test_target_and_seed():
    table = learnable()
    again = column("t", LETTERS, np.random.default_rng(1).integers(0, 5, 600), Role.SENSITIVE)
    table = Table([*table.quasi, *table.sensitive, again])
    stars = Partition(np.zeros(600, int))
    first, named, other = (ratio(table, stars, target=t) for t in ("first", "s", "t"))
    assert first == named != other
    assert len({ratio(table, stars, seed=seed) for seed in (1, 1, 2, 3)}) > 1
    assert ratio(table, stars, seed=2) == ratio(table, stars, seed=2)


@needs_sklearn
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_hardly_any_rows(n):
    table = Table([column("tree", TREE, [0] * n), column("s", TREE, [1] * n, Role.SENSITIVE)])
    assert ratio(table, Partition(np.arange(n))) == (1 if n > 1 else 0)


@needs_sklearn
@pytest.mark.parametrize("words", ["held_out=1", "held_out=3/2", "held_out=0", "smallest_leaf=0", "seed=-1"])
def test_refuses(words):
    with pytest.raises(ParameterError, match="not an accepted value"):
        parse_measures(f"classification[{words}]")


def patients(n=60):
    frame = pl.DataFrame({"age": [20 + i for i in range(n)], "disease": [f"d{i % 5}" for i in range(n)]})
    return voile.read(frame, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})


@needs_sklearn
def test_a_target_that_is_not_there_is_refused_before_the_run():
    with pytest.raises(ParameterError, match="not a sensitive column"):
        voile.anonymize(patients(), "elig", l=2, measure="classification[target=age]", report=_never)


def _never(stage, share):
    raise AssertionError("the run has begun")


def test_without_scikit_learn_it_says_so_before_the_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ParameterError, match=r"pip install 'voile\[ml\]'"):
        voile.anonymize(patients(), "elig", l=2, measure="dm, classification", report=_never)


@needs_sklearn
def test_it_is_private(tmp_path):
    release = voile.anonymize(patients(), "elig", l=2, measure="classification[smallest_leaf=2]")
    release.write(tmp_path / "out")
    assert "classification" not in (tmp_path / "out" / "certificate.json").read_text()
    record = json.loads((tmp_path / "out" / "private" / "record.json").read_text())
    assert record["measured"]["classification[smallest_leaf=2]"] >= 0


@needs_sklearn
def test_wide_numbers_keep_their_order():
    """Features are single precision in the tree; ranks are exact where values are not."""
    numbers = np.arange(400) + 10**14
    secret = np.arange(400) // 200
    flat = Hierarchy.flat(["a", "b"])
    table = Table([column("n", axis_of(numbers.tolist()), numbers), column("s", flat, secret, Role.SENSITIVE)])
    assert ratio(table, Partition(secret)) == 1
