"""The spec: a TOML file with [columns], and [file] where the source needs it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from voile.core.schema import Schema
from voile.errors import SpecError

Spec = str | Path | Schema | Mapping[str, object]


def schema_of(spec: Spec) -> Schema:
    """A Schema as it is; else from a spec file, or a mapping of columns.

    >>> len(schema_of({"age": "qi", "disease": "sensitive"}).columns)
    2
    """
    if isinstance(spec, Schema):
        return spec
    return Schema.of(spec) if isinstance(spec, Mapping) else read_spec(spec)


def read_spec(path: str | Path) -> Schema:
    """Read and check a spec; hierarchy files are looked for beside it."""
    path = Path(path)
    text, line = "", ""
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError:
        line = "cannot be read"
    except UnicodeDecodeError:
        line = "is not UTF-8"
    except tomllib.TOMLDecodeError as error:  # its message gives line and column, not content
        line = f"is not TOML: {error}"
    if line:
        raise SpecError(
            f"the spec {line}", where=path.name, remedy="check the path; docs/tutorial.md has an example"
        )
    unknown = sorted(set(document) - {"columns", "file"})
    if unknown:
        raise SpecError(f"unknown section [{unknown[0]}]", where=path.name, rule="[columns] and [file]")
    columns = document.get("columns", {})
    file = document.get("file", {})
    if not isinstance(columns, Mapping) or not isinstance(file, Mapping):
        raise SpecError("[columns] and [file] are tables", where=path.name)
    return Schema.of({name: _beside(path.parent, options) for name, options in columns.items()}, file)


def _beside(folder: Path, options: object) -> object:
    """Options with the hierarchy's path made relative to the spec."""
    if isinstance(options, Mapping) and isinstance(options.get("hierarchy"), str):
        return {**options, "hierarchy": folder / options["hierarchy"]}
    return options
