"""Places of ranges among values, against the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.core.order import places_among

far = st.integers(-(10**12), 10**12)
near = st.integers(-9, 9)


@given(
    st.sampled_from([near, far]).flatmap(
        lambda codes: st.tuples(st.lists(codes, unique=True), st.lists(st.tuples(codes, codes), min_size=1))
    )
)
def test_places_among(drawn):
    values, ends = sorted(drawn[0]), [sorted(pair) for pair in drawn[1]]
    low, high = np.array(ends).T
    first, after = places_among(np.array(values, np.int64), low, high)
    for (least, greatest), begin, end in zip(ends, first.tolist(), after.tolist(), strict=True):
        assert values[begin:end] == [value for value in values if least <= value <= greatest]
        assert 0 <= begin <= end <= len(values)
