"""Propose roles and types for the columns of a table: `voile inspect` for the page."""

from pathlib import Path
from typing import Any

from voile.inspection.inspecting import inspect
from voile.web.child import Report


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """`file` has encoding and delimiter where the steward named them."""
    path, file = Path(arguments["path"]), dict(arguments.get("file", {}))
    header = bool(arguments.get("header"))
    found = inspect(path, header=header, show_values=bool(arguments.get("show_values")), report=report, **file)
    roles = {column.name: column.role.value for column in found.columns}
    return {
        **found.document(),
        "largest_l": found.largest_l,
        "looks_like": roles,
        "only_release": found.only_release,
    }
