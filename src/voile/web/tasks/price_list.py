"""What other promises and other algorithms would cost on this table: for the steward alone."""

from typing import Any

from voile import catalog
from voile.pipeline import read
from voile.prices import LOSS, losses, tried
from voile.web.child import Report

# of those that the rule does not choose, the ones that take an l and answer within seconds
OTHERS = ("bsgi", "hilbert", "mondrian", "gda", "symb", "rda")


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The price list of one l, and a line for each further algorithm."""
    report("reading", 0)
    table, ell = read(arguments["path"], arguments["spec"]), int(arguments["l"])
    listed = losses(table, ell, {}, lambda share: report("grouping by the other promises", share))
    others = []
    for done, key in enumerate(OTHERS):
        report("grouping by other algorithms", (done + 0.1) / len(OTHERS))
        card = catalog.algorithm(key)
        found = tried(table, key, ell)
        line = {"algorithm": key, "title": card.title, "rung": card.rung.value, "promise": card.promise}
        others.append({**line, **{name: found[name] for name in (LOSS, "refusal") if name in found}})
    return {"l": ell, "prices": listed, "others": others}
