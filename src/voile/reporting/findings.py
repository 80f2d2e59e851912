"""Attacks and verdicts as parts of a report."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from voile import catalog
from voile.auditing import AuditReport
from voile.core.attack import ABOVE, INCONCLUSIVE
from voile.core.privacy_model import READER
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import Section, paragraph, section, table, verdict

_SAFER = {">=": "larger", "<=": "smaller", "<": "smaller"}
_RISKS = ("prosecutor_risk", "journalist_risk", "marketer_risk")


def attacks_section(found: AuditReport) -> Section:
    """What attacks on the release found, and the risks to be found in it."""
    documents = [finding.document() for finding in found.findings if not finding.private]
    told = (found.certificate or {}).get("attacks")
    if not documents and isinstance(told, list):
        documents = [entry for entry in told if isinstance(entry, dict)]
    models = catalog.models()
    risks = [
        (models[key].title, _percent(found.achieved[key].shown()), models[key].meaning)
        for key in _RISKS
        if key in found.achieved
    ]
    return section(
        "attacks",
        "Attacks, and what they found",
        paragraph(
            "Each attack below knows everybody's quasi-identifying values and this table, and nothing of how the "
            "table was made. Persons concerned are those whose value it tells, by luck or not."
        )
        if documents
        else "",
        findings_table("Attacks on this table", documents) if documents else "",
        table("The risk to be found", ("who looks", "chance", "meaning"), risks),
    )


def best_guess(share: float | None, generalised: bool) -> tuple[object, ...]:
    """In one sentence how surely a value can be guessed, and by whom; `share` is the largest in a group."""
    if share is None:
        return ("Nothing is published.",)
    doubt = (
        ", as long as a broader term, a set or a missing value may be any value that it covers"
        if generalised
        else ""
    )
    said = (
        f"{READER[:1].upper()}{READER[1:]}, and guesses a person's sensitive value from that person's group "
        "alone, is right with a chance of at most "
    )
    return said, element("strong", f"{100 * share:.3g} %"), f"{doubt}."


def findings_table(caption: str, documents: Iterable[Mapping[str, Any]]) -> Markup:
    """One line for each attack, with what it means in words."""
    header = ("attack", "verdict", "what it means", "persons concerned", "95 % interval", "best guess", "allowed")
    return table(caption, header, [_line(document) for document in documents])


def succeeds(document: Mapping[str, Any]) -> bool:
    """Whether an attack breaks a promise; or breaks none, but the truth says that it works."""
    graded = document.get("private") is True and document.get("warning") is True
    return document.get("ok") is False or graded


def _line(document: Mapping[str, Any]) -> tuple[object, ...]:
    ok = document.get("ok")
    ok = ok if isinstance(ok, bool) else None
    words = str(document.get("state", ""))
    if ok and words in (ABOVE, INCONCLUSIVE):  # neither held off nor a broken promise
        ok = None
    if succeeds(document):
        ok = False
    interval = document.get("interval")
    ends = [_percent(end) for end in interval] if isinstance(interval, list) else []
    return (
        str(document.get("title", document.get("attack", ""))),
        joined(verdict(ok, words)),
        ". Next: ".join(str(document[name]) for name in ("meaning", "remedy") if document.get(name)),
        f"{_percent(document.get('rate'))} ({document.get('successes')} of {document.get('trials')})",
        " to ".join(ends),
        _percent(document.get("highest")),
        _percent(document.get("allowed")),
    )


def _percent(share: object) -> str:
    """A share as a percentage: of a number or its text, such as 0.25 or 1/3; other text as it is."""
    text = str(share)
    try:
        return f"{100 * float(Fraction(text) if '/' in text else text):.3g} %"
    except (ValueError, ArithmeticError):
        return "-" if share is None else text


def models_table(found: AuditReport) -> Markup:
    """What each privacy model says: first the figures that protect by being large."""
    models = catalog.models()
    order = sorted(found.achieved, key=lambda key: (models[key].sense != ">=", list(models).index(key)))
    rows = []
    for key in order:
        model, figure = models[key], found.achieved[key].shown()
        others = [f"{card.name} = {card.default}" for card in model.parameters() if card.name != model.bound]
        shown = "-" if figure is None else figure
        rows.append((", ".join([model.title, *others]), shown, _SAFER[model.sense], model.meaning))
    return table("What the table achieves, by privacy model", ("model", "achieved", "safer", "meaning"), rows)
