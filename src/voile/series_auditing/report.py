"""SeriesReport: what several releases tell together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voile.core.attack import Finding
from voile.series_auditing.exact_risk import ExactRisk


@dataclass(frozen=True)
class ReleaseFigures:
    """One release, and what is known after it. `None`: not known without the tables of persons."""

    name: str
    rows: int
    groups: int
    counterfeits: int
    suppressed: int
    m: int | None  # m-uniqueness achieved; None: nothing is published
    signatures: int  # different sets of values
    old_signatures: int  # of those, the ones an earlier release has, too
    persons: int | None = None
    told: int | None = None  # persons with one value left, now
    newly_told: int | None = None
    below: int | None = None  # persons with fewer than m values left, now


@dataclass(frozen=True)
class SeriesReport:
    """What was found in a series."""

    releases: tuple[ReleaseFigures, ...]
    m: int | None  # required, or promised by certificates
    persons: int | None = None
    told: int | None = None
    right: int | None = None  # of those told, the ones who have or had that value
    none_left: int | None = None
    below: int | None = None
    changed: int | None = None  # persons with different values in different tables
    sizes: Mapping[int, int] = field(default_factory=dict)  # values left -> persons
    pairs: tuple[tuple[int, ...], ...] = ()  # [first release][release that told], persons
    exact: ExactRisk | None = None
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()  # what attacks on the releases together found

    @property
    def ok(self) -> bool:
        """Whether nothing that was promised or required is broken."""
        return not self.failures

    @property
    def next_step(self) -> str:
        """What to do now, in words."""
        if self.failures or self.told:
            return "next: publish further releases with a ledger (voile publish); these cannot be taken back"
        if self.persons is None:
            return "next: name the source of each release with --known, to see what is left of whom"
        if self.m is None:
            return 'nothing was promised or required: judge by the figures (or use --require "m>=4")'
        return "everything promised and required is met"

    def document(self) -> dict[str, Any]:
        """For `--json`. Figures of persons come from the truth: they are the steward's, never to be published."""
        return {
            "ok": self.ok,
            "releases": [vars(each) for each in self.releases],
            "m": self.m,
            "persons": self.persons,
            "told": self.told,
            "told_right": self.right,
            "none_left": self.none_left,
            "below_m": self.below,
            "changed_values": self.changed,
            "values_left": {str(size): persons for size, persons in self.sizes.items()},
            "told_by_first_and_telling_release": [list(row) for row in self.pairs],
            "exact_risk": self._exact(),
            "notes": list(self.notes),
            "failures": list(self.failures),
            "met": list(self.met),
            "attacks": [finding.document() for finding in self.findings],
            "next": self.next_step,
        }

    def _exact(self) -> dict[str, Any] | None:
        return None if self.exact is None else {**vars(self.exact), "highest": str(self.exact.highest)}
