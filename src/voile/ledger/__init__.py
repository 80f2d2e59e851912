"""The memory of a series of releases: crash-safe, and it refuses when it cannot be trusted."""

from voile.ledger.chain import ReleaseRecord
from voile.ledger.memory import ERASED, ONCE, UNKNOWN
from voile.ledger.store import Ledger, Reservation
from voile.ledger.view import LedgerView

__all__ = ["ERASED", "ONCE", "UNKNOWN", "Ledger", "LedgerView", "ReleaseRecord", "Reservation"]
