"""Every model against its literal definition, exactly."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile import catalog
from voile.core.bags import Bags

DEFINITIONS = {
    "k_anonymity": lambda bag: Fraction(len(bag)),
    "distinct_l_diversity": lambda bag: Fraction(len(set(bag))),
    "frequency_l_diversity": lambda bag: Fraction(len(bag), max(Counter(bag).values())),
    "unique_distinct_l_diversity": lambda bag: Fraction(len(bag) if len(set(bag)) == len(bag) else 0),
}


def test_every_model_has_a_definition_here():
    assert set(DEFINITIONS) == set(catalog.models())


groupings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40)


@given(groupings)
def test_achieved_is_the_least_over_groups_and_columns(rows):
    group = np.unique([r[0] for r in rows], return_inverse=True)[1]
    columns = [np.array([r[i] for r in rows]) for i in (1, 2)]
    bags = Bags.of(group, columns)
    for key, definition in DEFINITIONS.items():
        expected = min(
            definition(column[group == g].tolist()) for column in columns for g in range(group.max() + 1)
        )
        model = catalog.models()[key]
        achieved, worst = model.achieved(bags)
        assert achieved == expected
        assert min(definition(column[group == worst].tolist()) for column in columns) == expected
        (name,) = (card.name for card in model.parameters())
        for bound in range(1, 6):
            assert model(**{name: bound}).check(bags).ok == (expected >= bound)


def test_nothing_published_breaks_no_promise():
    bags = Bags.of(np.array([-1, -1]), [np.array([0, 0])])
    for model in catalog.models().values():
        assert model.achieved(bags) == (None, None)


def test_thresholds_are_exact():
    """7 of 21 is exactly 1/3; one more row of the value is not."""
    frequency = catalog.models()["frequency_l_diversity"]
    values = np.repeat([0, 1, 2, 3], [7, 7, 4, 3])
    assert frequency(l=3).check(Bags.of(np.zeros(21, int), [values])).ok
    values = np.repeat([0, 1, 2, 3], [8, 7, 4, 3])
    assert not frequency(l=3).check(Bags.of(np.zeros(22, int), [values])).ok
