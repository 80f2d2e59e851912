"""What the next release of a series would do: `voile publish --preview` for the page. Nothing is written."""

from typing import Any

from voile.core.table import Table
from voile.intake.spec_file import schema_of
from voile.pipeline import read
from voile.series.plan_words import coming_and_going, held_back, warnings
from voile.series.publishing import Plan, Series
from voile.web.child import Report


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """Counts of persons, the loss, and what to beware of."""
    table = table_of(arguments, report)
    options = {**arguments["parameters"], "all_new": bool(arguments["all_new"])}
    return described(Series(arguments["ledger"]).preview(table, report=report, **options))


def table_of(arguments: dict[str, Any], report: Report) -> Table:
    """The table, if its spec names persons: without that nobody would be recognised."""
    schema = schema_of(arguments["spec"])
    schema.required_subject()
    report("reading", 0)
    return read(arguments["path"], schema, may_be_empty=True)


def described(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    certificate = plan.release.certificate
    return {
        "number": plan.number,
        "after": certificate["series"]["after"],
        "m": certificate["series"]["m"],
        "counts": {**plan.counts, "gone": plan.gone, "returned": plan.returned},
        "rows": certificate["table"]["rows"],
        "groups": certificate["table"]["groups"],
        "loss": certificate["utility"]["gcp_leaves"],
        "holds_against": certificate["adversary"]["holds_against"],
        "not_promised": list(certificate["adversary"]["not_promised"]),
        "coming_and_going": coming_and_going(plan),
        "held_back": held_back(plan.counts),
        "warnings": [words for _, words in warnings(plan)],
        "attacks": plan.release.private_record.get("attacks", []),
    }
