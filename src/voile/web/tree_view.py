"""A hierarchy as a tree that opens at a click."""

from collections.abc import Mapping
from typing import Any

from voile.errors import counted
from voile.reporting.markup import Markup, element

OPEN_TO = 2  # levels that are open at first, where that is not too much to see
AT_ONCE = 40


def tree_view(root: Mapping[str, Any]) -> Markup:
    """Nodes with the rows under them; what was cut off is counted."""
    first = len(root["children"])
    seen = first + sum(len(child["children"]) for child in root["children"])
    depth = OPEN_TO if seen <= AT_ONCE else 1
    return element("ul", _node(root, depth), class_="tree")


def _node(node: Mapping[str, Any], depth: int) -> Markup:
    rows = counted(node["rows"], "row") if node["rows"] else "not in the table"
    if not node["children"] and not node["more"]:
        said = element("span", node["label"], class_="label"), " ", element("span", rows, class_="note")
        return element("li", *said, class_=False if node["rows"] else "unused")
    what = element("span", f"{counted(node['leaves'], 'value')}, {rows}", class_="note")
    inside = [_node(child, depth - 1) for child in node["children"]]
    if node["more"]:
        inside.append(element("li", f"and {node['more']} more, not shown", class_="note"))
    summary = element("summary", element("span", node["label"], class_="label"), " ", what)
    return element("li", element("details", summary, element("ul", *inside), open=depth > 0))
