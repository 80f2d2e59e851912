"""What a library raises on a damaged file: exceptions, and panics, which Python does not count among these."""

from polars.exceptions import PanicException

FAILURES = (Exception, PanicException)
