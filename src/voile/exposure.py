"""What every model and every attack of the catalog says of a release."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from voile import catalog
from voile.core.attack import Finding, View
from voile.core.bags import Bags
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.core.verdict import Verdict

ATTACKED = 4_000  # persons, of every release, for the steward: enough to be within 2 points of the rate


def verdicts(bags: Bags) -> dict[str, Verdict]:
    """What every model of the catalog says of some bags, by key."""
    models = catalog.models()
    with ThreadPoolExecutor(2) as pair:
        figures = pair.map(lambda model: model.achieved(bags), models.values())
        return {key: Verdict(True, *figure) for key, figure in zip(models, figures, strict=True)}


def exact_findings(bags: Bags, achieved: dict[str, Verdict], promises: Sequence[PrivacyModel]) -> list[Finding]:
    """What attacks find that need nothing but the bags: as public as the release itself."""
    view = View(bags, promises=tuple(promises), achieved=achieved)
    chosen = [attack for attack in catalog.attacks().values() if not attack.graded and attack.releases == 1]
    with ThreadPoolExecutor(2) as pair:
        return list(pair.map(lambda attack: attack().run(view), chosen))


def graded_findings(view: View, truth: Sequence[NDArray[np.int64]] | None, persons: int) -> list[Finding]:
    """What attacks find on so many persons whose quasi-identifiers and groups are known, graded by the true codes
    of each sensitive column where these are known, too: for the steward alone."""
    chosen = [attack for attack in catalog.attacks().values() if attack.graded and attack.releases == 1]
    found = []
    for place, bag in enumerate(view.bags.columns):
        seen = replace(view, bags=replace(view.bags, columns=(bag,)))
        column = {"sensitive_column": place + 1} if len(view.bags.columns) > 1 else {}
        for attack in chosen:
            finding = attack.configure({"persons": persons}).run(seen, None if truth is None else truth[place])
            found.append(replace(finding, details=finding.details | column))
    return found


def worst_case(
    table: Table, group: NDArray[np.int64], bags: Bags, promises: Sequence[PrivacyModel]
) -> list[Finding]:
    """The same on a grouping that is at hand, by who knows everybody's group."""
    truth = [column.codes for column in table.sensitive]
    return graded_findings(View.inside(table, group, bags, promises), truth, ATTACKED)
