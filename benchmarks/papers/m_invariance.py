"""`python -m benchmarks.papers.m_invariance [small|full]`: Figures 4 to 9 of Xiao and Tao 2007."""

import json
import sys
from dataclasses import dataclass
from typing import Any

from benchmarks import acs, republication, series
from benchmarks.papers.m_invariance_claims import exhibits
from benchmarks.papers.page import Paper, Rows, Say, command
from benchmarks.republication import Run, grouped
from benchmarks.vulnerable import vulnerable
from voile.attacks.candidate_sets import Intersections

__all__ = ["PAPER", "SIZES", "exhibits", "measured"]
PAPER = Paper(
    key="m_invariance",
    cited="Xiao and Tao 2007",
    title="m-invariance",
    setting="""The paper uses OCC and SAL: 600,000 rows of IPUMS, which we do not have. Here they are ACS 2018
recoded to the same domains and resampled to 600,000 persons (`benchmarks/acs.py`,
`benchmarks/republication.py`): T(1) has 200,000 of them, every later table lacks r of these and has r others.
`fill` is the paper's way to balance buckets; `counterfeit` is ours, which fills with counterfeits alone and so
holds against a reader who knows the algorithm. A workload has 1,000 counts, the paper's 10,000.""",
)
LINES = (("occupation", "fill"), ("income", "fill"), ("occupation", "counterfeit"))


@dataclass(frozen=True)
class Sizes:
    """Volumes r, values of m, releases of the long and of the other series; and of l-diverse re-publication the
    volumes, how many tables at most, and l."""

    volumes: tuple[int, ...]
    ms: tuple[int, ...]
    long: int
    short: int
    republished: tuple[int, ...]
    tables: int
    ells: tuple[int, ...]

    def releases(self, r: int) -> int:
        """The paper publishes until everybody was in a table once."""
        return min(self.tables, 1 + (republication.PERSONS - republication.ROWS) // r)


SIZES = {
    "tiny": Sizes((50, 200), (2, 5), 4, 3, (200,), 6, (2, 4)),
    "small": Sizes((5_000, 20_000, 40_000), (2, 6, 10), 8, 4, (20_000, 40_000), 21, (2, 10)),
    "full": Sizes(
        (5_000, 10_000, 20_000, 40_000), (2, 4, 6, 8, 10), 81, 11, (5_000, 20_000, 40_000), 81, (2, 4, 6, 8, 10)
    ),
}


def runs(sizes: Sizes) -> list[Run]:
    """The long series first; then one per other r, and one per other m."""
    r, m = sizes.volumes[0], sizes.ms[-1]
    found = [Run(sensitive, r, m, balance, sizes.long) for sensitive, balance in LINES]
    found += [Run(s, other, m, b, sizes.short) for s, b in LINES for other in sizes.volumes[1:]]
    return found + [Run(s, r, other, b, sizes.short) for s, b in LINES for other in sizes.ms[:-1]]


def measured(sizes: Sizes, say: Say) -> dict[str, Any]:
    """Every series by the algorithm alone, and l-diverse tables that are read together."""
    if not acs.available():
        sys.exit("no data: put acs2018/acs-income-2018-holdout.parquet where docs/testing.md says")
    every = runs(sizes)
    grouped(Run("occupation", sizes.volumes[0], sizes.ms[-1], "fill", 2), lambda line: None)  # compiled now
    readers = {run: Intersections(republication.PERSONS) for run in every if run.r == sizes.volumes[-1]}
    found = {
        run: grouped(run, say, republication.THETAS if run.releases == sizes.long else (0.1,), readers.get(run))
        for run in every
    }
    entries = [entry for own in found.values() for entry in own]
    return {
        "figure_4": republished(sizes, say),
        "attack": [series.left_by(run, reader) for run, reader in readers.items()],
        "violations": series.violations(entries),
        "releases": len(entries),
        "rows": republication.ROWS,
        "volumes": sizes.volumes,
        "ms": sizes.ms,
        "longer": longer(sizes),
        **series.figures(found, sizes.volumes, sizes.ms[-1]),
    }


def longer(sizes: Sizes) -> Rows:
    """Figure 5 of the committed run of `benchmarks.series`, where that has more releases than this one."""
    committed: Rows = json.loads((series.HERE / "series.json").read_text(encoding="utf-8"))["figure_5"]
    return committed if max(row["release"] for row in committed) > sizes.long else []


def republished(sizes: Sizes, say: Say) -> Rows:
    """Figure 4: by Mondrian with distinct l, as in the paper, and by bsgi."""
    tried: dict[str, tuple[str, dict[str, object]]] = {
        "mondrian, distinct l": ("mondrian", {"property": "distinct", "cuts": "median"}),
        "bsgi": ("bsgi", {}),
    }
    found: Rows = []
    for sensitive in ("occupation", "income"):
        for name, (key, more) in tried.items():
            if key == "bsgi":
                volumes, most = sizes.republished[-1:], 4  # slower, and its boxes hide much: a few tables will do
            else:
                volumes, most = sizes.republished, sizes.tables
            for r in volumes:
                releases = min(most, sizes.releases(r))
                own = vulnerable(sensitive, r, releases, sizes.ells, say, key, **more)
                found += [{"algorithm": name, **entry} for entry in own]
    return found


if __name__ == "__main__":
    command(sys.modules[__name__])  # type: ignore[arg-type]
