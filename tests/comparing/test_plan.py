"""The notation of parameters, and what is refused before anything runs."""

import pytest

from voile import catalog
from voile.comparing.comparison import FIGURES, REASON
from voile.comparing.plan import MOST_RUNS, Run, planned
from voile.errors import ParameterError


def words(*arguments):
    return [run.words for run in planned(*arguments)]


def test_ranges_lists_and_single_values():
    assert words(["elig"], {"l": "2..4"}) == ["elig l=2", "elig l=3", "elig l=4"]
    assert words(["elig"], {"l": [2, "4..5", 5]}) == ["elig l=2", "elig l=4", "elig l=5"]
    assert words(["elig"], {"l": range(2, 4)}) == ["elig l=2", "elig l=3"]
    assert words(["elig"], {"l": 3}) == ["elig l=3"]


def test_a_parameter_reaches_those_that_have_it():
    found = words(["sweep_e", "rda"], {"l": 2, "tau": ["0.5", "3/5"]})
    assert found == ["sweep_e tau=0.5 l=2", "sweep_e tau=3/5 l=2", "rda l=2"]


def test_one_algorithm_may_have_its_own():
    assert words(["elig", "bsgi"], {"l": 2, "bsgi.l": 3}) == ["elig l=2", "bsgi l=3"]


def test_the_same_run_is_made_once():
    assert words(["rda", "rda"], {"l": [2, 2]}) == ["rda l=2"]


@pytest.mark.parametrize(
    ("keys", "given"),
    [
        ([], {"l": 2}),
        (["nothing"], {"l": 2}),
        (["elig"], {}),  # it needs l
        (["elig"], {"l": 1}),
        (["elig"], {"l": 2, "tau": "0.5"}),  # nobody has it
        (["elig"], {"l": 2, "bsgi.l": 3}),  # not compared
        (["elig"], {"l": 2, "elig.colour": 3}),
        (["elig"], {"l": "7..2"}),
        (["elig"], {"l": f"2..{MOST_RUNS + 9}"}),
        (["elig", "bsgi"], {"l": f"2..{MOST_RUNS}"}),
        (["elig"], {"l": []}),
    ],
)
def test_refused_before_anything_runs(keys, given):
    with pytest.raises(ParameterError):
        planned(keys, given)


def test_parameters_are_not_named_like_figures():
    """They share the columns of one table."""
    names = {card.name for a in catalog.algorithms().values() for card in a.parameters()}
    assert not names & {"algorithm", *FIGURES, *REASON, *catalog.metrics()}


def test_a_run_says_what_it_is():
    assert repr(Run("rda", (("l", "2"),))) == "Run('rda l=2')"
