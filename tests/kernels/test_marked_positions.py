"""The set of positions equals a Python set."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels.marked_positions import NONE, at_or_after, before, mark, no_marks, unmark


@given(
    size=st.sampled_from([1, 63, 64, 65, 4096, 4097, 300_000]),
    chance=st.randoms(use_true_random=False),
    steps=st.integers(1, 60),
)
def test_neighbours_are_those_of_a_set(size, chance, steps):
    words, levels = no_marks(size)
    truth = set()
    for _ in range(steps):
        position = chance.randrange(size)
        if chance.random() < 0.6:
            mark(words, levels, position)
            truth.add(position)
        elif truth:
            position = chance.choice(sorted(truth))
            unmark(words, levels, position)
            truth.remove(position)
        asked = chance.randrange(size)
        assert at_or_after(words, levels, asked) == min((p for p in truth if p >= asked), default=NONE)
        assert before(words, levels, asked) == max((p for p in truth if p < asked), default=NONE)


def test_the_ends():
    words, levels = no_marks(130)
    for position in (0, 129):
        mark(words, levels, np.int64(position))
    assert at_or_after(words, levels, 130) == NONE
    assert before(words, levels, 0) == NONE
    assert before(words, levels, 130) == 129
