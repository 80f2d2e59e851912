"""What a reader who learns from all groups gets right: said directly under every verdict.

A promise is about one group at a time. What all groups together teach is measured, for the steward alone: the
record of a release has the figure, and everybody is told that nothing is promised against such a reader.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from voile.reporting.findings import succeeds
from voile.reporting.markup import Markup
from voile.reporting.page import paragraph, verdict

NOTHING_PROMISED = (
    "Nothing is promised against a reader who learns from all groups together which values go with which "
    "quasi-identifiers."
)
NOT_MEASURED = "what such a reader gets right was not measured here, and nothing is promised"


class Learner(NamedTuple):
    """The figure in words, and whether it is above the promise: then it stands in red."""

    words: str
    above: bool


def learners(record: Mapping[str, Any]) -> list[Learner]:
    """One line for each sensitive column of a private record, which may have been written by hand.

    >>> learners({"attacks": [{"title": "deFinetti", "meaning": "54.3% are guessed right", "ok": False}]})
    [Learner(words='deFinetti: 54.3% are guessed right', above=True)]
    >>> learners({})
    [Learner(words='what such a reader gets right was not measured here, and nothing is promised', above=False)]
    """
    graded = graded_attacks(record)
    found = [Learner(f"{each.get('title')}: {each.get('meaning')}", succeeds(each)) for each in graded]
    return found or [Learner(NOT_MEASURED, False)]


def graded_attacks(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attacks of a private record; what is no attack is left out."""
    found = record.get("attacks")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def learner_paragraphs(record: Mapping[str, Any]) -> list[Markup]:
    """The same for a page of the steward's: in red where it is above the promise."""
    return [
        paragraph(verdict(False if above else None, f"{words}."), kind="warning" if above else "")
        for words, above in learners(record)
    ]
