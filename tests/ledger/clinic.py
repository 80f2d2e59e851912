"""Publishing without tables: only what a ledger hears of it."""

import numpy as np
import polars as pl

from voile.ledger import Ledger

FLU, HIV = ("cold", "flu"), ("HIV", "gout")


def people_of(ledger, names):
    return ledger.pseudonyms(pl.Series(list(names), dtype=pl.String))


def known(ledger, names):
    """What the ledger knows of persons, as labels or a number below 1."""
    sets = ledger.signatures()
    return [sets.get(int(number), int(number)) for number in ledger.recall(people_of(ledger, names))]


def begin(ledger, names, labels=FLU, folder="out", body=None):
    """Reserve a release of new persons with one signature."""
    people = people_of(ledger, names)
    sets = [labels] if labels else []
    return ledger.reserve(people, np.zeros(len(people), np.int64), sets, body or {"rows": len(people)}, folder)


def publish(ledger, names, labels=FLU, folder="out", files=None):
    """All steps of a publication."""
    reservation = begin(ledger, names, labels, folder)
    ledger.audited(reservation.release, files or {"data.csv": "0" * 64})
    ledger.commit(reservation.release)
    return reservation


def session(path, *names, **options):
    """One release per group of names, each in a session of its own."""
    for some in names:
        with Ledger.open(path, **options) as ledger:
            publish(ledger, some)
