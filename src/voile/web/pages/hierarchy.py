"""How a column is coarsened."""

from typing import Any


def described(hierarchy: Any) -> str:
    """A hierarchy in a few words."""
    if hierarchy is None:
        return "none"
    if isinstance(hierarchy, str):
        return "a file"
    kind = next(iter(hierarchy))
    levels = hierarchy[kind]
    return f"{kind} {', '.join(map(str, levels)) if isinstance(levels, list) else levels}"
