"""The first spec as text: aligned, commented, questions visible. No cell value unless it was asked for."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from voile.core.schema import Role
from voile.inspection.candidate import EDGE, Candidate
from voile.inspection.plain_text import shown
from voile.inspection.plan import options_of
from voile.inspection.proposal import Proposal

WIDTH = 100
_WIDEST_KEY, _WIDEST_OPTIONS = 24, 56
_FATE = {Role.IDENTIFYING: "dropped", Role.SUBJECT: "the person; dropped", Role.INSENSITIVE: "dropped"}


def quoted(text: str) -> str:
    r"""A TOML string.

    >>> print(quoted('say "hi"'))
    "say \"hi\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """A column's name as a TOML key, bare where that is possible."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def spec_text(
    title: str,
    command: str,
    proposals: Sequence[Proposal],
    candidates: Sequence[Candidate],
    warnings: Sequence[str],
    file: Mapping[str, Any],
) -> str:
    """The whole file."""
    questions = sum(bool(p.question) for p in proposals)
    lines = [*_comment(f"A first spec for {title}, proposed by voile inspect.")]
    if questions:
        lines += _comment(f"Lines with # ? are questions ({questions}): answer them by editing the line below.")
    lines += [*_comment("Roles and options: docs/tutorial.md. Next:"), f"#   {shown(command)}", "#"]
    for c in candidates:
        if c.chosen:  # what the others allow stands in their questions
            lines += _comment(_allows(c))
    if warnings:
        lines += ["#", "# Warnings:", *(line for w in warnings for line in _comment(f"- {w}", "  "))]
    if file:
        lines += ["", "[file]", *(f"{name} = {written(value)}" for name, value in file.items())]
    return "\n".join([*lines, "", "[columns]", *_columns(proposals), ""])


def _allows(found: Candidate) -> str:
    named = f" ({shown(found.top_value)})" if found.top_value else ""
    largest = f"l = {found.largest_l} is the largest possible" if found.largest_l > 1 else "no l works as it is"
    return (
        f"{shown(found.name)}: {largest} ({found.values} values, the most frequent{named} in "
        f"{float(found.top_share):.1%} of rows). For l = {found.largest_l + 1}: {found.advice}. (tau,l)-diversity "
        f"on true values (sweep_e): {found.on_true_values}; of generalised values (sweep): {found.generalised}"
        + (f"; {EDGE}, for example sweep_e {found.suggested}." if found.suggested else ".")
    )


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(shown(text), WIDTH, initial_indent="# ", subsequent_indent=f"# {indent}")


def written(value: Any) -> str:
    """A value as TOML.

    >>> print(written({"intervals": [5, 10], "origin": 0}), written(["a", True]))
    { intervals = [5, 10], origin = 0 } ["a", true]
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key(name)} = {written(part)}' for name, part in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else quoted(str(value))


def _columns(proposals: Sequence[Proposal]) -> list[str]:
    keys = [key(p.name) for p in proposals]
    tables = [written(options_of(p)) for p in proposals]
    left = max((len(k) for k in keys if len(k) <= _WIDEST_KEY), default=0)
    right = max((len(t) for t in tables if len(t) <= _WIDEST_OPTIONS), default=0)
    lines: list[str] = []
    for p, name, table in zip(proposals, keys, tables, strict=True):
        if p.question:
            lines += textwrap.wrap(f"? {p.question}", WIDTH, initial_indent="# ", subsequent_indent="#   ")
        remarks = [*([_FATE[p.written]] if p.written in _FATE else []), p.reason, *p.notes]
        line = f"{name:<{left}} = {table}"
        lines.append(f"{line:<{left + right + 3}}  # {shown('; '.join(remarks))}")
    return lines
