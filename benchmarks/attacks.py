"""Attacks on releases of Adult: by a reader of the release, by who knows everybody, and in the worst case.

`python -m benchmarks.attacks` writes attacks.md.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import voile
from benchmarks import adult

RELEASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("glass", {"l": 4}),
    ("blind_cut", {"l": 4}),
    ("symb", {"l": 4}),
    ("anatomy", {"l": 4}),
    ("anatomy", {"l": 6}),
    ("rda", {"l": 4}),
    ("elig", {"l": 4}),
    ("bsgi", {"l": 4}),
    ("gda", {"l": 4}),
    ("mondrian", {"l": 4}),
    ("mondrian", {"property": "k_anonymity", "k": 10}),
)
HERE = Path(__file__).parent


def main() -> None:
    """Publish, attack, write."""
    spec = adult.columns() | {"occupation": adult.tree_columns()["occupation"]}
    frame = adult.complete_rows()
    table = voile.read(frame, spec)
    lines = [_attacked(table, frame, spec, key, parameters) for key, parameters in RELEASES]
    (HERE / "attacks.md").write_text("\n".join([*_HEAD, *lines, "", *_NOTES, ""]), encoding="utf-8")


def _attacked(table: Any, frame: Any, spec: Any, key: str, parameters: dict[str, Any]) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        release = voile.anonymize(table, key, **parameters)
        release.write(Path(folder) / "out")
        begun = time.perf_counter()
        report = voile.audit_with_known(Path(folder) / "out", spec, frame)
        spent = time.perf_counter() - begun
    found = {each.key: each for each in report.findings}
    inside = release.private_record["attacks"][0]
    name = f"`{key}` {', '.join(f'{n} = {v}' for n, v in parameters.items())}"
    learnt = found["definetti"]
    cells = [
        name,
        found["homogeneity"].successes,
        f"{float(found['homogeneity'].highest or 0):.0%}",
        f"{found['background_elimination'].details['values_ruled_out']}: "
        f"{float(found['background_elimination'].highest or 0):.0%}",
        f"{found['similarity'].successes} ({float(found['similarity'].highest or 0):.0%})",
        f"{found['skewness'].details['lift']:.0f} ({found['skewness'].rate:.0%})",
        f"{float(found['reidentification'].highest or 0):.0%}",
        f"{inside['rate']:.1%}",
        f"{inside['control']:.1%}",
        inside["state"],
        f"{learnt.rate:.1%}",
        f"{learnt.details['control']:.1%}",
        learnt.state,
    ]
    print(name, f"audited with everybody known in {spent:.1f} s", file=sys.stderr)
    return "| " + " | ".join(map(str, cells)) + " |"


_HEAD = [
    "# Attacks on Adult",
    "",
    "30,162 rows, seven quasi-identifiers, occupation sensitive with ARX's hierarchy. Written by",
    "`python -m benchmarks.attacks`.",
    "",
    "| release | homogeneous, persons | best guess | ruled out: best guess | one meaning, persons (best guess) "
    "| lift (persons above 4) | found with | deFinetti, group known | strangers | verdict on it "
    "| deFinetti, persons known | strangers | verdict on it |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
]
_NOTES = [
    "*Group known*: everybody's quasi-identifiers and group, 4,000 persons, as in every private record.",
    "*Persons known*: everybody's quasi-identifiers alone, linked to the published groups",
    "(`voile audit --known`), 30,000 persons. *Strangers*: guesses by the same model about persons",
    "it did not learn from, without their group. Each figure of deFinetti has its own",
    "verdict. *Inconclusive*: fewer were right than the most frequent value of each group gets. The attack did",
    "not work, mostly because persons are linked to wrong groups; that is no pass. Draws are secret: figures of",
    "random groups differ from run to run.",
]

if __name__ == "__main__":
    main()
