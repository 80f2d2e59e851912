"""What `make test` does by day, `make nightly` does at length and with other seeds every night."""

import os

NIGHT = bool(os.environ.get("VOILE_NIGHTLY"))


def examples(by_day, by_night):
    """How many examples of a property are tried."""
    return by_night if NIGHT else by_day
