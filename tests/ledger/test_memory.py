"""Recall against a plain dictionary, over random lives of a ledger."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ledger.clinic import people_of
from voile.ledger import ERASED, ONCE, UNKNOWN, Ledger
from voile.ledger import memory as module

names = st.integers(0, 40).map(lambda i: f"p{i}")
labels = st.sampled_from([("a", "b"), ("b", "c"), ("a", "c", "d")])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.dictionaries(names, labels, max_size=8)),
        st.tuples(st.just("abandon"), st.dictionaries(names, labels, max_size=8)),
        st.tuples(st.just("once"), st.lists(names, unique=True, max_size=4)),
        st.tuples(st.just("erase"), st.lists(names, max_size=3)),
        st.tuples(st.just("rotate"), st.none()),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=14,
)


def reserve(ledger, model, persons):
    """Reserve those who are new; returns the release and what the model should say afterwards."""
    new = {name: value for name, value in persons.items() if name not in model}
    sets = sorted({value for value in new.values() if value != ONCE})
    chosen = [sets.index(value) if sets else ONCE for value in new.values()]
    release = ledger.reserve(people_of(ledger, new), chosen, sets, {}, "out").release
    return release, model | new


def assert_agrees(ledger, model):
    asked = [f"p{i}" for i in range(41)]
    sets = ledger.signatures()
    found = [sets.get(int(n), int(n)) for n in ledger.recall(people_of(ledger, asked))]
    assert found == [model.get(name, UNKNOWN) for name in asked]


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lives=steps, page=st.integers(1, 9))
def test_recall_agrees_with_a_dictionary(lives, page, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(module, "PAGE", page)
    monkeypatch.setattr(module, "MANY", 2)
    folder = tmp_path_factory.mktemp("life")
    path, key, model = folder / "a.ledger", folder / "keys" / "a.key", {}
    Ledger.create(path, key)
    ledger = Ledger.open(path, key)
    try:
        for step, argument in lives:
            if step in ("publish", "abandon", "once"):
                persons = argument if step != "once" else dict.fromkeys(argument, ONCE)
                release, after = reserve(ledger, model, persons)
                assert_agrees(ledger, after)
                ledger.audited(release, {})
                if step == "abandon":
                    ledger.abandon(release, "no")
                else:
                    ledger.commit(release)
                    model = after
            elif step == "erase":
                known = {name for name in argument if model.get(name, UNKNOWN) not in (UNKNOWN, ERASED)}
                assert ledger.erase(people_of(ledger, argument)) == len(known)
                model |= dict.fromkeys(known, ERASED)
            elif step == "rotate":
                ledger.rotate()
            else:
                ledger.close()
                ledger = Ledger.open(path, key)
            assert_agrees(ledger, model)
    finally:
        ledger.close()


def test_pseudonyms_that_share_a_word_are_told_apart(path):
    people = np.array([[5, 1], [5, 3], [4, 2], [6, 0], [5, 2]], np.uint64)
    with Ledger.open(path) as ledger:
        ledger.reserve(people[:4], [0, 1, 2, 3], [("a", str(i)) for i in range(4)], {}, "out")
        assert ledger.recall(people).tolist() == [1, 2, 3, 4, UNKNOWN]
