"""Which count vectors `make test` tries: all of up to five persons, and every larger one on which a control of the
same family is caught. A mistake that the controls know is seen on these; `make nightly` tries all others."""

import pytest

from tests.oracle import safe_controls, verdicts

FEW, MOST = 4, 5  # persons: for `make quick`, and for `make test`
OF_ALGORITHMS = frozenset(control[2] for control in verdicts.CONTROLS.values())
OF_TREES = frozenset(control[3] for control in safe_controls.CONTROLS.values())


def is_telling(values, caught_on=OF_ALGORITHMS):
    """Whether `make test` tries it."""
    return len(values) <= MOST or values in caught_on


def vector(*parameters, few=FEW, caught_on=OF_ALGORITHMS, **options):
    """Parameters of a test, its count vector last: slow with more than a few persons, nightly if it tells nothing
    that others do not."""
    values = parameters[-1]
    telling = is_telling(values, caught_on)
    mark = [] if len(values) <= few else [pytest.mark.slow if telling else pytest.mark.nightly]
    return pytest.param(*parameters, marks=mark, **options)
