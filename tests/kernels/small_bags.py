"""Bags of values as trees meet them."""

from hypothesis import assume
from hypothesis import strategies as st


@st.composite
def bags(draw, most=30, values=12):
    """Counts that descend, and an l that they allow."""
    counts = sorted(draw(st.lists(st.integers(1, most), min_size=2, max_size=values)), reverse=True)
    assume(sum(counts) // counts[0] >= 2)
    return counts, draw(st.integers(2, sum(counts) // counts[0]))
