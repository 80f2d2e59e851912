"""To be written."""

from typing import Any

from voile.web.desk import Desk


def add(desk: Desk) -> None:
    """Register the page."""


def start(*a: Any) -> None:
    """Begin."""
