"""The spec for a recommendation: the steward's own, with the choice and its reasons in comments on top.

A spec declares columns, not an algorithm; the command that goes with it stands in the comment.
"""

import os
import re
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile.comparing.recommending import Recommendation
from voile.inspection.plain_text import shown

WIDTH = 100
_NAMED = re.compile(r"""(hierarchy\s*=\s*)("[^"\\\n]*"|'[^'\n]*')""")
_UNMOVED = "Hierarchy files are looked for beside this file: put it where the first spec is."


def recommended_spec(found: Recommendation, spec: Path, target: Path, command: str) -> str:
    """The text of a spec for the folder of `target`; hierarchy files are found from there, too."""
    text = spec.read_text(encoding="utf-8")
    moved = _moved(text, spec, target)
    lines = [f"Recommended by voile compare: {found.answer}."]
    lines += [f"{question} {answer}" for question, answer in found.reasons]
    if moved is None:
        lines.append(_UNMOVED)
    head = [part for line in lines for part in textwrap.wrap(shown(line), WIDTH, subsequent_indent="  ")]
    told = ["", "Next:", f"  {shown(command)}"] if command else []
    comment = "\n".join(f"# {line}".rstrip() for line in [*head, *told])
    return f"{comment}\n\n{text if moved is None else moved}"


def spec_to_name(spec: Path, target: Path) -> Path:
    """The spec for the next command: the new one, or the steward's own where only that finds its hierarchies."""
    return spec if _moved(spec.read_text(encoding="utf-8"), spec, target) is None else target


def _moved(text: str, spec: Path, target: Path) -> str | None:
    """The text with hierarchy files named as seen from the target; None where that cannot be done in place."""

    def renamed(name: str) -> str:
        place = os.path.join(os.path.realpath(spec.parent), name)
        return name if os.path.isabs(name) else os.path.relpath(place, os.path.realpath(target.parent))

    changed = _NAMED.sub(lambda match: match[1] + match[2][0] + renamed(match[2][1:-1]) + match[2][-1], text)
    return changed if _parsed(changed) == _with_files(_parsed(text), renamed) else None


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _with_files(document: dict[str, Any] | None, renamed: Any) -> dict[str, Any] | None:
    """A spec as it should read: named hierarchy files renamed, all else as it was."""
    if document is None:
        return None
    columns = {
        name: {**options, "hierarchy": renamed(options["hierarchy"])}
        if isinstance(options, Mapping) and isinstance(options.get("hierarchy"), str)
        else options
        for name, options in document.get("columns", {}).items()
    }
    return {**document, "columns": columns}
