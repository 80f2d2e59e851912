"""docs/papers/README.md: every claim of the five papers, whether it holds, and where that is shown."""

import json
from importlib import import_module
from pathlib import Path

from benchmarks.papers.page import ASIDE, DOCS, HERE, Study
from benchmarks.run import table

STUDIES = ("streamliner", "m_invariance", "sweep", "bsgi", "k_jump")


def studies() -> list[Study]:
    """The modules, in the order of the papers."""
    return [import_module(f"benchmarks.papers.{name}") for name in STUDIES]  # type: ignore[misc]


def write_contents(results: Path = HERE, docs: Path = DOCS) -> None:
    """The index, from what has been measured so far."""
    lines, runs = [], []
    for study in studies():
        source, paper = results / f"{study.PAPER.key}.json", study.PAPER
        if not source.is_file():
            continue
        found = json.loads(source.read_text(encoding="utf-8"))
        page, run = f"[{paper.key}]({paper.key}.md)", found["run"]
        exhibits = study.exhibits(found)
        shown = {"paper": f"{paper.cited}: {paper.title}", "page": page, "profile": run["profile"]}
        runs.append(shown | {"run of": run["date"], "minutes": f"{run['seconds'] / 60:.1f}"})
        lines += [
            {
                "paper": paper.cited,
                "claim": c.paper,
                "here": c.here,
                "holds": c.holds,
                "where": f"{page}, {e.name}",
            }
            for e in exhibits
            for c in e.claims
            if c.holds != ASIDE
        ]
    counted = {
        word: sum(line["holds"] == word for line in lines) for word in dict.fromkeys(x["holds"] for x in lines)
    }
    tally = ", ".join(f"{word}: {count}" for word, count in counted.items())
    text = f"""# The papers, run again

Every figure and table of the five papers' evaluations, on Adult, Nursery and a census table, with our figure
beside the paper's. `make papers` runs a small profile of all of it, meant for less than ten minutes on two quiet
cores (minutes below are by the wall, whatever else ran); `make papers FULL=1` the whole; a single paper: `python
-m benchmarks.papers.streamliner small`. Each page says which profile and which run made it. The papers' figures
are pictures without numbers in the text we have: where the text states a number it stands beside ours, and
elsewhere "plot only" or "not stated".

{table(runs)}
## Which claims hold

{len(lines)} claims ({tally}). They are in our words.

{table(lines)}"""
    (docs / "papers").mkdir(parents=True, exist_ok=True)
    (docs / "papers" / "README.md").write_text(text, encoding="utf-8")
