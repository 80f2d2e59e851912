"""Which count vectors `make test` tries: all of up to five persons, and every larger one on which a control is
caught, with its l. `make nightly` tries all others."""

import pytest

from tests.oracle import safe_controls, verdicts

FEW, MOST = 4, 5  # persons: for `make quick`, and for `make test`
OF_ALGORITHMS = frozenset((2, values) for _, _, values in verdicts.CONTROLS.values())
OF_TREES = frozenset((ell, values) for _, _, ell, values, _ in safe_controls.CONTROLS.values())


def is_telling(ell, values, caught_on=OF_ALGORITHMS):
    """Whether `make test` tries it."""
    return len(values) <= MOST or (ell, values) in caught_on


def vector(*parameters, few=FEW, caught_on=OF_ALGORITHMS, **options):
    """Parameters of a test, l and a count vector last: slow with more than a few persons, nightly if it tells
    nothing that others do not."""
    ell, values = parameters[-2:]
    telling = is_telling(ell, values, caught_on)
    mark = [] if len(values) <= few else [pytest.mark.slow if telling else pytest.mark.nightly]
    return pytest.param(*parameters, marks=mark, **options)
