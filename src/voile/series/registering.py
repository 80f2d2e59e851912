"""The order in which a release becomes visible and the ledger learns of it (docs/facts/threats.md 2.4).

reserve -> write privately -> audit the bytes -> note their digests -> reveal -> commit. Whatever happens between,
what the world can see is in the ledger: a reservation counts as published until recovery proves otherwise.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile import pipeline
from voile.algorithms.m_invariant import MInvariant
from voile.auditing import AuditReport
from voile.core.release import Release
from voile.errors import LedgerRefused, ParameterError, VoileError, counted
from voile.intake.spec_file import Spec
from voile.ledger import UNKNOWN, Ledger, Reservation
from voile.ledger.manifests import newer_than
from voile.ledger.pseudonyms import People
from voile.ledger.store import Place
from voile.output.staging import Staging
from voile.pipeline import Report, silent
from voile.series.recollection import person_texts, refuse_other_subject, subject_of
from voile.writing import write_audited


def write_registered(
    release: Release,
    staging: Staging,
    format: str,
    ledger: Ledger,
    newcomers: tuple[People, NDArray[np.int64], Sequence[tuple[str, ...]]],
    body: dict[str, Any],
    with_report: bool | None = None,
) -> tuple[Release, AuditReport]:
    """Publish a release that the ledger remembers; `newcomers`: persons, and the signature of each among sets."""
    newer_than(ledger, [staging.target, *(known.folder for known in ledger.releases())])
    reservation = ledger.reserve(*newcomers, body, staging.target)
    stamped = replace(release, certificate=_stamped(release.certificate, ledger, reservation))
    found = None
    try:
        found = write_audited(
            stamped, staging, format, lambda files: ledger.audited(reservation.release, files), with_report
        )
        ledger.commit(reservation.release)
    except BaseException:
        if _still_private(staging):
            _abandon(ledger, reservation.release)
            raise
        found = None
    if found is None:  # whatever it was, an interruption, too: the world can see the release
        raise LedgerRefused(
            f"release {reservation.release} is visible, but the ledger could not note it",
            where=f"output folder {staging.target.name}",
            rule="it counts as published",
            remedy=f"voile ledger recover {ledger.home.name}",
        )
    return replace(stamped, certificate=found.certificate or {}), found


def _still_private(staging: Staging) -> bool:
    """Only while the private folder is there can nothing have been revealed: the rename takes it away."""
    return staging.path != staging.target and staging.path.is_dir()


def _stamped(certificate: Any, ledger: Ledger, reservation: Reservation) -> dict[str, Any]:
    """The certificate carries number and record: an old copy of the ledger is recognised by it."""
    known = {
        "ledger": ledger.id,
        "release": reservation.release,
        "record": reservation.record,
        "previous": reservation.previous,
    }
    return {**certificate, "series": {**known, **certificate.get("series", {})}}


def _abandon(ledger: Ledger, release: int) -> None:
    """If even this note cannot be written, the reservation stays, and counts as published."""
    with contextlib.suppress(VoileError, OSError):
        ledger.abandon(release, "failed before it was revealed")


def publish_once(
    source: Any,
    spec: Spec,
    algorithm: str | None,
    folder: str | Path,
    ledger: Place,
    *,
    key: str | Path | None = None,
    format: str = "csv",
    report: Report = silent,
    with_report: bool | None = None,
    **options: Any,
) -> tuple[Release, AuditReport]:
    """Publish by any algorithm, and have the ledger remember its persons: they are never published again.

    Two draws of a randomised algorithm together can tell everything, and two groupings by any other can be
    intersected; so persons whom this ledger knows are refused.
    """
    if algorithm == MInvariant.key:
        raise ParameterError(
            "m_invariant is for persons who are published again",
            where="ledger",
            remedy="use voile publish (voile.Series), or leave the ledger out",
        )
    with Staging(folder) as staging:
        report("reading", 0)
        table = pipeline.read(source, spec)
        with Ledger.open(ledger, key, waiting=lambda: report("waiting for another publisher", 0)) as book:
            texts = person_texts(table)
            refuse_other_subject(table, book.releases())
            people = book.pseudonyms(texts)
            _refuse_known(book.recall(people))
            release = pipeline.anonymize(table, algorithm, report=report, **options)
            report("writing and auditing", 0)
            chosen = release.certificate["algorithm"]
            body = {
                "algorithm": chosen["key"],
                "parameters": chosen["parameters"],
                "rows": release.certificate["table"]["rows"],
                "subject": subject_of(table.schema),
            }
            nobody_else = np.zeros(len(people), np.int64)
            return write_registered(release, staging, format, book, (people, nobody_else, ()), body, with_report)


def _refuse_known(number: NDArray[np.int64]) -> None:
    known = int((number != UNKNOWN).sum())
    if known:
        raise LedgerRefused(
            f"{counted(known, 'person')} of this table in an earlier release",
            where="ledger",
            rule="only a series made by voile publish shows a person again",
            remedy="leave these persons out, or use voile publish if they are of its series",
        )
