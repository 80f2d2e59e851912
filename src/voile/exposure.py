"""What every model and every attack of the catalog says of a release."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from voile import catalog
from voile.core.attack import Finding, View
from voile.core.bags import Bags
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.core.verdict import Verdict
from voile.kernels.threads import Threads

ATTACKED = 4_000  # persons, of every release, for the steward: enough to be within 2 points of the rate


def verdicts(bags: Bags) -> dict[str, Verdict]:
    """What every model of the catalog says of some bags, by key."""
    models = catalog.models()
    with Threads(int(bags.rows.sum()), 2) as pair:
        figures = pair.map(lambda model: model.achieved(bags), models.values())
        return {key: Verdict(True, *figure) for key, figure in zip(models, figures, strict=True)}


def exact_findings(
    bags: Bags, achieved: dict[str, Verdict], promises: Sequence[PrivacyModel], algorithm: object = None
) -> list[Finding]:
    """What attacks find that need nothing but the bags: as public as the release itself. `algorithm` is the key of
    the one that made it, where that is known: what to do next depends on it."""
    view = View(bags, promises=tuple(promises), achieved=achieved, larger=_larger_groups(algorithm, promises))
    chosen = [attack for attack in catalog.attacks().values() if not attack.graded and attack.releases == 1]
    with Threads(int(bags.rows.sum()), 2) as pair:
        return list(pair.map(lambda attack: attack().run(view), chosen))


def _larger_groups(algorithm: object, promises: Sequence[PrivacyModel]) -> str:
    """How an algorithm, whose own promise comes first, is asked for larger groups; "" of one that is not known."""
    card = catalog.algorithms().get(algorithm) if isinstance(algorithm, str) else None
    if card is None:
        return ""
    if card.counterfeits:
        return (
            "counterfeits hide values, not persons: give quasi-identifying columns a min_width or a hierarchy in "
            "the spec, so that a group of one real row does not show its own values"
        )
    if card.mergeable and promises and promises[0].survives_merging:
        return 'ask for larger groups: --also "k>=5"'
    bound = catalog.models()[card.promise].bound
    return f"take a greater {bound}" if bound in ("k", "l") else ""


def graded_findings(
    view: View, truth: Sequence[NDArray[np.int64]] | None, persons: int, names: Sequence[str] = ()
) -> list[Finding]:
    """What attacks find on so many persons whose quasi-identifiers and groups are known, graded by the true codes
    of each sensitive column where these are known, too: for the steward alone. Of several columns each finding
    says by name which it is about."""
    chosen = [attack for attack in catalog.attacks().values() if attack.graded and attack.releases == 1]
    found = []
    for place, bag in enumerate(view.bags.columns):
        seen = replace(view, bags=replace(view.bags, columns=(bag,)))
        for attack in chosen:
            finding = attack.configure({"persons": persons}).run(seen, None if truth is None else truth[place])
            if len(view.bags.columns) > 1:
                name = names[place] if names else f"column {place + 1}"
                column = {"sensitive_column": name}
                finding = replace(finding, title=f"{finding.title}: {name}", details=finding.details | column)
            found.append(finding)
    return found


def worst_case(
    table: Table, group: NDArray[np.int64], bags: Bags, promises: Sequence[PrivacyModel]
) -> list[Finding]:
    """The same on a grouping that is at hand, by who knows everybody's group."""
    truth = [column.codes for column in table.sensitive]
    names = [column.name for column in table.sensitive]
    return graded_findings(View.inside(table, group, bags, promises), truth, ATTACKED, names)
