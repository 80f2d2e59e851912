"""What the columns of a published table are: as its certificate says, or as they look. For an audit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile.core.schema import GROUP, NUMERIC, FileOptions, Role, Schema, Type
from voile.inspection.headerless import refuse_headerless
from voile.inspection.inspecting import inspect
from voile.intake.part_files import read_parts, suffix_of
from voile.release_files import locate, read_sensitive
from voile.web.child import Report

PUBLISHING = ("question", "ways_out", "warnings")  # advice on how to publish: too late for that


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """As `inspect_table`; the column of group numbers is nobody's value. `certified`: there is a certificate."""
    path, file = Path(arguments["path"]), dict(arguments.get("file", {}))
    header = bool(arguments.get("header"))
    report("reading", 0)
    data, certificate, _ = locate(path)
    frame = read_parts(data, Schema((), FileOptions(file.get("encoding", "utf-8"), file.get("delimiter"))))
    if suffix_of(data) != ".parquet" and not header and certificate is None:
        refuse_headerless(frame)
    found = inspect(
        frame.drop(GROUP, strict=False),
        header=True,
        show_values=bool(arguments.get("show_values")),
        report=report,
    )
    document = found.document()
    columns = [_plain(column) for column in document["columns"]]
    columns += _apart(data, certificate, {column["name"] for column in columns})
    said = _as_certified(certificate)
    for column in columns:
        if column["name"] in said:
            column |= {"written": said[column["name"]], "reason": "as its certificate says"}
    return {
        "rows": found.rows,
        "columns": columns,
        "warnings": [],
        "file": file,
        "largest_l": found.largest_l,
        "only_release": found.only_release,
        "looks_like": {column["name"]: column["written"]["role"] for column in columns},
        "certified": certificate is not None,
    }


def _plain(column: Mapping[str, Any]) -> dict[str, Any]:
    """A column by what it looks like; of how it would be published only a number's type stays."""
    kept = {name: value for name, value in column.items() if name not in PUBLISHING}
    options = {"role": column["role"]}
    type_ = column["written"].get("type")
    if column["role"] == Role.SENSITIVE and type_ in NUMERIC:
        options["type"] = type_
    return {**kept, "written": options}


def _as_certified(certificate: Mapping[str, Any] | None) -> dict[str, dict[str, str]]:
    """Roles, and types of sensitive numbers, as far as a certificate has them: anybody can edit one."""
    told = (certificate or {}).get("table", {}).get("columns", [])
    said = {}
    for column in told if isinstance(told, list) else []:
        known = (
            isinstance(column, dict) and isinstance(column.get("name"), str) and column.get("role") in list(Role)
        )
        if known:
            said[column["name"]] = {"role": column["role"]}
            if column["role"] == Role.SENSITIVE and column.get("type") in (Type.INTEGER, Type.DECIMAL, Type.DATE):
                said[column["name"]]["type"] = column["type"]
    return said


def _apart(data: Path, certificate: Mapping[str, Any] | None, known: set[str]) -> list[dict[str, Any]]:
    """Sensitive columns that have a table of their own, beside that of the quasi-identifiers."""
    beside = None if certificate is None else read_sensitive(data, certificate)
    if beside is None:
        return []
    names = [name for name, said in _as_certified(certificate).items() if said["role"] == Role.SENSITIVE]
    return [
        {"name": name, "role": "sensitive", "distinct": beside[name].n_unique(), "missing": 0, "written": {}}
        for name in names
        if name in beside.columns and name not in known
    ]
