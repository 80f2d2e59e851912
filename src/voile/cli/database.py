"""Databases on the command line: TABLE may be an address, --table or --query says what of it."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from voile.core.address import is_address


class Place(click.Path):
    """A path, or the address of a database."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if is_address(value) else super().convert(value, param, ctx)


def arguments_of(source: Any) -> list[str]:
    """How a command line names what is read."""
    return source.arguments if hasattr(source, "arguments") else [str(source)]


PLACE = Place()
TABLE = click.option("--table", "name", default=None, metavar="NAME", help="Of a database: the table.")
QUERY = click.option("--query", "sql", default=None, metavar="SELECT", help="Of a database: a query instead.")


def from_database(*options: Callable[..., Any], argument: str = "table") -> Callable[..., Any]:
    """Have a command's argument be a path, or what `options` choose of a database."""

    def taken(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def resolved(**given: Any) -> Any:
            from voile.sql.source import source_of

            given[argument] = source_of(given[argument], given.pop("name"), given.pop("sql", None))
            return command(**given)

        for option in reversed(options):
            resolved = option(resolved)
        return resolved

    return taken
