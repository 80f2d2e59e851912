"""A page of docs/papers: what a paper shows, our figures beside it, and which of its claims hold.

Every paper is a module with `PAPER`, `SIZES`, `measured(sizes, say)` and `exhibits(found)`. What was measured is
kept as JSON, and the page is made from that alone, so that text and figures cannot differ.
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from benchmarks.pictures import write_svg
from benchmarks.run import table

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PROFILES = ("tiny", "small", "full")  # tiny: for tests
YES, NO, PARTLY, UNKNOWN = "yes", "**no**", "in part", "not measured"
ASIDE = "(not claimed)"  # of what the paper does not say
NOT_STATED = "not stated"
Rows = list[dict[str, Any]]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Paper:
    """Which paper, on what it is run here, and what differs from its own setting."""

    key: str
    cited: str  # as in docs/bibliography.md
    title: str
    setting: str


@dataclass(frozen=True)
class Claim:
    """What a paper says (in our words), what was found here, and whether it holds."""

    paper: str
    here: str
    holds: str


@dataclass(frozen=True)
class Exhibit:
    """A figure, table or section: its claims, our figures, and one sentence on the difference.

    `notes` come after the figures.
    """

    name: str
    title: str
    claims: Sequence[Claim]
    difference: str
    figures: dict[str, Rows] = field(default_factory=dict)
    picture: dict[str, Any] | None = None
    notes: str = ""

    def picture_name(self, key: str) -> str:
        """Of its file, without the ending."""
        return f"papers-{key}-{self.name.lower().replace(' ', '-')}"


class Study(Protocol):
    """A module of this package."""

    PAPER: Paper
    SIZES: dict[str, Any]
    exhibits: Callable[[dict[str, Any]], list[Exhibit]]

    def measured(self, sizes: Any, say: Say) -> dict[str, Any]:
        """Everything the exhibits need, as JSON."""


def text_of(paper: Paper, found: dict[str, Any], exhibits: Sequence[Exhibit]) -> str:
    """The page."""
    run = found["run"]
    head = f"""# {paper.cited}: {paper.title}

Made by `python -m benchmarks.papers.{paper.key} {run["profile"]}` (profile **{run["profile"]}**) on {run["date"]},
revision {run["revision"]}, in {run["seconds"] / 60:.1f} minutes: {run["with"]}.
One run on a shared machine: times are to be read as ratios. All figures: `benchmarks/papers/{paper.key}.json`.

{paper.setting}
"""
    return "\n".join([head, *(_section(paper.key, exhibit) for exhibit in exhibits)])


def _section(key: str, exhibit: Exhibit) -> str:
    parts = [f"## {exhibit.name}: {exhibit.title}\n"]
    if exhibit.claims:
        parts.append(table([{"the paper": c.paper, "here": c.here, "holds": c.holds} for c in exhibit.claims]))
    parts.append(f"Difference: {exhibit.difference}\n")
    if exhibit.picture:
        parts.append(f"![{exhibit.name}](../pictures/{exhibit.picture_name(key)}.svg)\n")
    for words, rows in exhibit.figures.items():
        parts += [f"{words}:\n", table(rows)]
    return "\n".join([*parts, *([exhibit.notes + "\n"] if exhibit.notes else [])])


def graded(so: bool, partly: bool = False) -> str:
    """Whether a claim holds."""
    return YES if so else PARTLY if partly else NO


def run_of(profile: str, seconds: float) -> dict[str, Any]:
    """When, with what, and from which revision a run was made."""
    asked = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    revision = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "profile": profile,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "revision": revision or "unknown",
        "seconds": seconds,
        "with": f"Python {platform.python_version()}, polars {pl.__version__}, {pl.thread_pool_size()} threads",
    }


def regenerate(study: Study, profile: str, results: Path = HERE, docs: Path = DOCS) -> dict[str, Any]:
    """Measure, and write the JSON, the page and its pictures."""
    began = time.perf_counter()
    say = lambda line: print(f"{time.perf_counter() - began:6.1f} s  {study.PAPER.key}: {line}", flush=True)  # noqa: E731
    found = study.measured(study.SIZES[profile], say)
    found["run"] = run_of(profile, time.perf_counter() - began)
    target = results / f"{study.PAPER.key}.json"
    target.with_suffix(".new").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    target.with_suffix(".new").replace(target)  # whole, for another paper's process may read it for the index
    return write(study, results, docs)


def write(study: Study, results: Path = HERE, docs: Path = DOCS) -> dict[str, Any]:
    """The page and its pictures, from the JSON."""
    found: dict[str, Any] = json.loads((results / f"{study.PAPER.key}.json").read_text(encoding="utf-8"))
    exhibits = study.exhibits(found)
    for folder in (docs / "papers", docs / "pictures"):
        folder.mkdir(parents=True, exist_ok=True)
    text = text_of(study.PAPER, found, exhibits)
    (docs / "papers" / f"{study.PAPER.key}.md").write_text(text, encoding="utf-8")
    for exhibit in exhibits:
        if exhibit.picture:
            write_svg(exhibit.picture, docs / "pictures", exhibit.picture_name(study.PAPER.key))
    return found


def asked_profile(arguments: Sequence[str]) -> str:
    """The first argument; without one, full where FULL is set, else small."""
    profile = arguments[0] if arguments else "full" if os.environ.get("FULL") else "small"
    if profile not in PROFILES:
        sys.exit(f"a profile is one of {', '.join(PROFILES)}")
    return profile


def command(study: Study) -> None:
    """`python -m benchmarks.papers.NAME [small|full]`."""
    from benchmarks.papers.contents import write_contents

    regenerate(study, asked_profile(sys.argv[1:]))
    write_contents()
    print(f"written: docs/papers/{study.PAPER.key}.md")
