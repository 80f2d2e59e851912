"""Propose roles and types for the columns of a table: `voile inspect` for the page."""

from pathlib import Path
from typing import Any

from voile.core.schema import GROUP, FileOptions, Schema
from voile.inspection.headerless import refuse_headerless
from voile.inspection.inspecting import inspect
from voile.intake.table_reader import read_frame
from voile.web.child import Report


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """`file` has encoding and delimiter where the steward named them; `published`: the table is somebody's release,
    whose column of group numbers is nobody's value."""
    path, file = Path(arguments["path"]), dict(arguments.get("file", {}))
    header = bool(arguments.get("header"))
    source: Any = path
    if arguments.get("published"):
        report("reading", 0)
        frame = read_frame(path, Schema((), FileOptions(file.get("encoding", "utf-8"), file.get("delimiter"))))
        if path.suffix.lower() != ".parquet" and not header:
            refuse_headerless(frame)
        source, file = frame.drop(GROUP, strict=False), {}
    found = inspect(
        source, header=header, show_values=bool(arguments.get("show_values")), report=report, **file
    )
    roles = {column.name: column.role.value for column in found.columns}
    return {**found.document(), "largest_l": found.largest_l, "looks_like": roles, "only_release": found.only_release}
