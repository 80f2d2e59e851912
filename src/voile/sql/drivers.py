"""The drivers, which come with the extra [sql]: imported when a database is first asked for."""

import importlib
from typing import Any

from voile.errors import InputError


def driver(name: str) -> Any:
    """The ADBC driver of a kind of database."""
    found = None
    try:
        importlib.import_module("pyarrow")
        found = importlib.import_module(f"adbc_driver_{name}.dbapi")
    except ImportError:
        found = None
    if found is None:
        raise InputError(
            f"no driver for {name}",
            where="database",
            rule="databases need the extra [sql]",
            remedy="pip install 'voile[sql]'",
        )
    return found
