"""What a release of a series does, in the same words on the command line and on the page."""

from collections.abc import Mapping

from voile.errors import counted
from voile.series.publishing import Plan

NOT_KNOWN = "not known: there is no note of who was in the last release"
_REASONS = {
    "changed": "whose value is not in the signature any more",
    "erased": "erased on request",
    "waiting": "new, waiting for the next release: their values are too alike",
}


def coming_and_going(plan: Plan) -> list[tuple[str, str]]:
    """Who is gone, and who returns: two lines, where there was a release before."""
    if plan.release.certificate["series"]["after"] == 0:
        return []
    returned = NOT_KNOWN if plan.returned is None else counted(plan.returned, "person")
    return [
        ("gone", f"{counted(plan.gone, 'person')} published before and not in this table"),
        ("returned", returned if plan.returned is None else f"{returned} known, and not in the last release"),
    ]


def held_back(counts: Mapping[str, int]) -> str:
    """Rows that are not in the release, and why."""
    parts = [f"{counted(counts[name], 'person')} {why}" for name, why in _REASONS.items() if counts[name]]
    return "; ".join(parts) or "nobody"


def warnings(plan: Plan) -> list[tuple[str, str]]:
    """What the steward may want to avoid before it is published."""
    found = []
    if plan.counts["waiting"]:
        more = (
            "hold only against a reader who does not know the algorithm; a larger batch, or -p ineligible=refuse"
        )
        found.append(("weaker", f"this release and all later ones {more}, avoids that"))
    alone = int((plan.partition.sizes == 1).sum())
    if alone:
        words = "of one real person, whose own values are published unless min_width or a hierarchy hides"
        found.append(("alone", f"{counted(alone, 'group')} {words} them"))
    return found
