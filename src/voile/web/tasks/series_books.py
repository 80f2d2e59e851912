"""What ledgers say: their releases, who is remembered, what is to do. Needs no key, and changes nothing."""

import tomllib
from pathlib import Path
from typing import Any

from voile.errors import VoileError
from voile.ledger import Ledger, LedgerView
from voile.ledger.chain import DANGLING
from voile.reporting.page import figure
from voile.reporting.series_charts import history_charts
from voile.series.publishing import history_of
from voile.web.child import Report

LARGEST_SPEC = 2**20


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """`ledgers`: paths by name; one that refuses does not hide the others. `charts`: also draw them."""
    found = {}
    for done, (name, path) in enumerate(arguments["ledgers"].items()):
        report("reading the ledgers", done / len(arguments["ledgers"]))
        found[name] = _book(Path(path), bool(arguments.get("charts")))
    return {"books": found}


def _book(path: Path, charts: bool) -> dict[str, Any]:
    try:
        view = Ledger.read(path)
    except VoileError as error:
        return {"error": error.document()}
    releases = view.releases()
    history = history_of(releases)
    ours = [known.body for known in releases if known.remembered and known.body.get("algorithm") == "m_invariant"]
    return {
        "persons": view.persons,
        "releases": history.to_dicts(),
        "next": view.next_release,
        "m": ours[0]["parameters"]["m"] if ours else None,
        "balance": ours[-1]["parameters"]["balance"] if ours else None,
        "subject": ours[0]["subject"].get("name", "") if ours else "",
        "sensitive": ", ".join(ours[0]["sensitive"]) if ours else "",
        "interrupted": [known.number for known in releases if known.state in DANGLING],
        "columns": _columns_beside(path),
        **_key(view),
        **({"charts": [str(figure(chart)) for chart in history_charts(history)]} if charts else {}),
    }


def _key(view: LedgerView) -> dict[str, Any]:
    return {"key": str(view.key_path), "key_is_there": view.key_path.is_file()}


def _columns_beside(ledger: Path) -> dict[str, Any]:
    """What the spec beside the ledger, of the same name, says of columns: the next release begins with it."""
    spec = ledger.with_suffix(".toml")
    try:
        if spec.is_symlink() or spec.stat().st_size > LARGEST_SPEC:
            return {}
        columns = tomllib.loads(spec.read_text(encoding="utf-8")).get("columns", {})
    except (OSError, ValueError):
        return {}
    whole = all(isinstance(options, dict) and isinstance(options.get("role"), str) for options in columns.values())
    return dict(columns) if whole else {}
