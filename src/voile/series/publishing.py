"""Series: publish today's table so that it stays safe together with every release before it
(Xiao and Tao 2007)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.algorithms.m_invariant import MInvariant
from voile.auditing import AuditReport
from voile.core.draws import SECRET, Draws
from voile.core.history import NEW, signatures_of
from voile.core.partition import Partition
from voile.core.release import Release
from voile.core.table import Table
from voile.errors import Infeasible, InputError, LedgerRefused, ParameterError, PromiseBroken, counted
from voile.intake.exact_sets import refuse_exact_sets
from voile.ledger import Ledger, ReleaseRecord
from voile.ledger.chain import ABANDONED
from voile.ledger.home import home_of
from voile.ledger.members import are_among
from voile.ledger.store import Place
from voile.measuring import parse_measures
from voile.output.certificate import Claim
from voile.output.pictures import history_picture
from voile.output.staging import Staging
from voile.pipeline import Report, released, silent
from voile.rendering.labels import value_labels
from voile.requirements import promise_of
from voile.series.recollection import Recollection, recollect, subject_of
from voile.series.registering import write_registered

Signatures = tuple[NDArray[np.int64], list[NDArray[np.int64]]]  # number of each group's, and the sets of codes
_KEY = MInvariant.key
_COUNTED = ("published", "new", "counterfeits", "changed", "erased", "waiting")


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """What publishing a table would do; nothing is written."""

    release: Release
    number: int  # of the release
    counts: Mapping[
        str, int
    ]  # real rows: published, of them new; counterfeits; held back: changed, erased, waiting
    recollection: Recollection
    partition: Partition
    signatures: Signatures
    secret: bool  # whether the draws were
    returned: int | None = 0  # published now, and before, but not in the last release; None if that is not known

    @property
    def gone(self) -> int:
        """Persons who were published before and have no row in this table."""
        return self.recollection.gone

    def __repr__(self) -> str:
        return f"Plan(release {self.number}: {', '.join(f'{n} {name}' for name, n in self.counts.items())})"


class Series:
    """Releases of one table over time, remembered by a ledger.

    `Series.create(path)` makes a new ledger with its key; `Series(path)` continues one. In place of a path:
    postgresql://user@host/database#name.
    """

    def __init__(self, ledger: Place, *, key: str | Path | None = None) -> None:
        self.home, self.key = home_of(ledger), None if key is None else Path(key)
        if self.home.is_missing():
            raise LedgerRefused(
                "there is no ledger",
                where=self.home.name,
                rule="a series without its memory would publish everybody anew",
                remedy="restore it, or correct the name; a series that begins needs voile ledger create",
            )

    @property
    def path(self) -> Path | None:
        """The file of the ledger; None on a server."""
        return self.home.path

    @classmethod
    def create(cls, ledger: Place, *, key: str | Path | None = None) -> "Series":
        """A new ledger and its key, in a place of its own: keep a copy of the key (voile ledger key --backup)."""
        Ledger.create(ledger, key)
        return cls(ledger, key=key)

    def __repr__(self) -> str:
        return f"Series({self.home.name})"

    def publish(
        self,
        table: Table,
        folder: str | Path | None = None,
        *,
        format: str = "csv",
        measure: str = "",
        report: Report = silent,
        draws: Draws = SECRET,
        all_new: bool = False,
        with_report: bool | None = None,
        **parameters: object,
    ) -> tuple[Plan, AuditReport]:
        """Publish a table as the next release, into a new folder (default: release-N beside the ledger,
        here if it is on a server).

        `parameters` are those of m_invariant: m (as in the first release, and there required), balance, changed,
        ineligible. `all_new`: nobody of a later table is known, and that is right. `with_report=False`
        leaves report.html out. Returns the plan and the audit.
        """
        with self._open(report) as ledger:
            target = Path(folder) if folder else self.home.folder / f"release-{ledger.next_release}"
            with Staging(target) as staging:
                plan = _planned(table, ledger, parameters, measure, report, draws, all_new)
                report("writing and auditing", 0)
                newcomers = _newcomers(plan)
                release, found = write_registered(
                    plan.release, staging, format, ledger, newcomers, _body(plan, table), with_report
                )
                ledger.note_members(plan.number, plan.recollection.people[plan.partition.group >= 0])
        return replace(plan, release=release), found

    def preview(
        self,
        table: Table,
        *,
        measure: str = "",
        report: Report = silent,
        all_new: bool = False,
        **parameters: object,
    ) -> Plan:
        """What publishing would do: counterfeits, rows held back, utility. Nothing is written, no draw is kept."""
        with self._open(report) as ledger:
            return _planned(table, ledger, parameters, measure, report, SECRET, all_new)

    def history(self) -> pl.DataFrame:
        """The releases so far: number, date, state, and what each held."""
        return history_of(Ledger.read(self.home, self.key).releases())

    def picture(self, path: str | Path) -> Path:
        """The history as a picture, .svg or .png."""
        return history_picture(self.history(), Path(path))

    def _open(self, report: Report) -> Ledger:
        return Ledger.open(self.home, self.key, waiting=lambda: report("waiting for another publisher", 0))


_LINE: dict[str, Any] = {
    "release": pl.Int64,
    "date": pl.String,
    "state": pl.String,
    "algorithm": pl.String,
    "m": pl.Int64,
    "balance": pl.String,
    **dict.fromkeys(_COUNTED, pl.Int64),
    "gcp_leaves": pl.Float64,
    "folder": pl.String,
}


def history_of(releases: Iterable[ReleaseRecord]) -> pl.DataFrame:
    """Releases as a table: number, date, state, and what each held."""
    return pl.DataFrame([_line(known) for known in releases], schema=_LINE)


def _line(known: ReleaseRecord) -> dict[str, Any]:
    body = known.body
    own = {name: body.get("parameters", {}).get(name) for name in ("m", "balance")}
    first = {"release": known.number, "date": known.date, "state": known.state, "folder": known.folder}
    counts = {name: body.get(name) for name in _COUNTED}
    return {**dict.fromkeys(_LINE), **counts, **own, **first} | {
        name: body[name] for name in ("algorithm", "gcp_leaves") if name in body
    }


def _planned(
    table: Table,
    ledger: Ledger,
    parameters: Mapping[str, object],
    measure: str,
    report: Report,
    draws: Draws,
    all_new: bool,
) -> Plan:
    """Recall, partition, check; all in memory."""
    if not isinstance(table, Table):
        raise InputError(
            "not a table that was read", where="series", remedy="read it first: voile.read(file, spec)"
        )
    wanted = parse_measures(measure, table)
    ours = [known for known in ledger.releases() if known.remembered and known.body.get("algorithm") == _KEY]
    chosen = _configured(ours, parameters)
    _refuse_other_column(ours, table)
    refuse_exact_sets(table.columns, table.n)
    report("recalling", 0)
    known = recollect(table, ledger, _KEY)
    if ours and table.n and not all_new and (known.history.signature == NEW).sum() == table.n:
        _refuse_strangers(table.n)
    if known.changed and chosen.changed == "refuse":
        _refuse_changed(known.changed)
    partition = chosen.partition(
        known.table, lambda share: report("grouping", share), draws, known.history if ours or table.n else None
    )
    report("checking and rendering", 0)
    signatures = signatures_of(known.table.sensitive[0].codes, partition)
    _refuse_broken(known, partition, signatures)
    counts = _counts(known, partition)
    weakened = bool(counts["waiting"]) or any(_weakens(known.body) for known in ours)
    claim = Claim(chosen, promise_of(chosen), secret=draws is SECRET, series=True, weakened=weakened)
    shown = partition.group >= 0  # who waits leaves no trace in what is published, either
    seen = known.table if shown.all() else known.table.of_rows(shown)
    visible = Partition(partition.group[shown], partition.counterfeit_group, partition.counterfeit_value)
    release = released(seen, visible, claim, wanted, report)
    stated = {
        "m": chosen.m,
        "balance": chosen.balance,
        "promise": "m-invariance",
        "after": ours[-1].number if ours else 0,
        "counterfeits": counts["counterfeits"],
    }
    certificate = {**release.certificate, "series": stated}
    record = {**release.private_record, "series": dict(counts)}
    release = replace(release, certificate=certificate, private_record=record, writer=None)
    returned = _returned(ledger, ours, known, partition)
    return Plan(release, ledger.next_release, counts, known, partition, signatures, draws is SECRET, returned)


def _returned(ledger: Ledger, ours: list[ReleaseRecord], known: Recollection, partition: Partition) -> int | None:
    """How many are published again who were not in the last release; None if nobody knows who was."""
    visible = [release for release in ours if release.state != ABANDONED]
    if not visible:
        return 0
    last = ledger.members(visible[-1].number)
    if last is None:
        return None
    again = (known.history.signature != NEW) & (partition.group >= 0)
    return int((~are_among(known.people[again], last)).sum())


def _configured(ours: list[ReleaseRecord], parameters: Mapping[str, object]) -> MInvariant:
    """The algorithm; m is the promise of the whole series, fixed by its first release."""
    given = dict(parameters)
    if ours:
        m = ours[0].body["parameters"]["m"]
        given.setdefault("m", m)
        chosen = MInvariant.configure(given)
        if chosen.m != m:
            raise ParameterError(
                f"m = {chosen.m}, but this series promises m = {m}",
                where="parameter m",
                rule="signatures stay as they are for ever",
                remedy=f"use m = {m}, or leave it out; another m needs a new series with other persons",
            )
        return chosen
    if "m" not in given:
        raise ParameterError(
            "m is missing", where="parameter m", rule="the first release fixes it", remedy="-p m=4"
        )
    return MInvariant.configure(given)


def _refuse_other_column(ours: list[ReleaseRecord], table: Table) -> None:
    if ours and ours[0].body["sensitive"] != [column.name for column in table.sensitive]:
        raise LedgerRefused(
            "another sensitive column than in this series",
            where="spec",
            rule="signatures are values of one column",
            remedy="use the spec of the first release, or another ledger with other persons",
        )


def _refuse_strangers(persons: int) -> None:
    """Ids that lost their zeros, or changed their case, would begin the series anew."""
    raise LedgerRefused(
        f"none of the {counted(persons, 'person')} is known to the ledger",
        where="table",
        rule="a series goes on with persons it knows, spelled as before",
        remedy="check how persons are written; if they are all new indeed: --all-new (all_new=True)",
    )


def _refuse_changed(rows: int) -> None:
    raise Infeasible(
        f"{counted(rows, 'person')} with a new value that is not in the signature",
        where="table",
        largest_l=0,
        rows_to_suppress=rows,
        rule="changed = refuse",
        remedy="hold these rows back (-p changed=hold-back), and read in the certificate what that tells",
    )


def _weakens(body: Mapping[str, Any]) -> bool:
    """Whether a release weakens all that come after it: by filling from new rows (docs/facts/m_invariance.md B3),
    by letting rows wait, who are then known to be alike (docs/known-limits.md), or by draws that can be
    repeated."""
    return body["parameters"]["balance"] != "counterfeit" or bool(body.get("waiting")) or not body["secret"]


def _refuse_broken(known: Recollection, partition: Partition, signatures: Signatures) -> None:
    """Definition 17, second condition: whoever was published before is in a group of the same signature."""
    number, sets = signatures
    place = {tuple(found.tolist()): i for i, found in enumerate(sets)}
    wanted = np.array([place.get(tuple(old.tolist()), -1) for old in known.history.sets] or [-1], np.int64)
    again = (known.history.signature >= 0) & (partition.group >= 0)
    if (number[partition.group[again]] != wanted[known.history.signature[again]]).any():
        raise PromiseBroken(
            "a person would be published with another signature",
            rule="m-invariance",
            remedy="this is a defect: please report it",
        )


def _counts(known: Recollection, partition: Partition) -> dict[str, int]:
    new = known.history.signature == NEW
    placed = partition.group >= 0
    return {
        "published": int(placed.sum()),
        "new": int((new & placed).sum()),
        "counterfeits": partition.counterfeits,
        "changed": known.changed,
        "erased": known.erased,
        "waiting": int((new & ~placed).sum()),
    }


def _newcomers(plan: Plan) -> tuple[Any, Any, list[tuple[str, ...]]]:
    """The persons whom the ledger must remember from now on, with the labels of their signatures."""
    known, partition = plan.recollection, plan.partition
    column = known.table.sensitive[0]
    rows = np.flatnonzero((known.history.signature == NEW) & (partition.group >= 0))
    number, sets = plan.signatures
    used, signature = np.unique(number[partition.group[rows]], return_inverse=True)
    codes = np.unique(np.concatenate([np.empty(0, np.int64), *(sets[i] for i in used.tolist())]))
    names = dict(zip(codes.tolist(), value_labels(column, codes).cast(pl.String), strict=True))
    labels = [tuple(sorted(names[code] for code in sets[i].tolist())) for i in used.tolist()]
    return known.people[rows], signature.astype(np.int64), labels


def _body(plan: Plan, table: Table) -> dict[str, Any]:
    certificate = plan.release.certificate
    return {
        "algorithm": _KEY,
        "parameters": certificate["algorithm"]["parameters"],
        "rows": certificate["table"]["rows"],
        **plan.counts,
        "withheld": plan.counts["changed"] + plan.counts["erased"],
        "gcp_leaves": certificate["utility"]["gcp_leaves"],
        "secret": plan.secret,
        "subject": subject_of(table.schema),
        "sensitive": [column.name for column in table.sensitive],
    }
