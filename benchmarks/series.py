"""`python -m benchmarks.series`: a table that is published again and again, as in Xiao and Tao 2007, section 5,
and the 15 waves of nlswork. Writes series.md, series.json, series.svg and series.png; needs the extra `bench` for
the pictures.

Speed and memory as multiples of the floor: `python -m benchmarks.series_speed`.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import voile
from benchmarks import acs, nlswork, series_pictures
from benchmarks.republication import PERSONS, THETAS, Run, Say, grouped, published
from benchmarks.run import markdown
from benchmarks.vulnerable import ELLS, vulnerable
from voile.attacks.candidate_sets import Intersections

HERE = Path(__file__).parent
BALANCES = ("counterfeit", "fill")
LONG, SHORT = 40, 11  # releases of the series with r = 5,000, and of those that are compared with one another
VOLUMES, MS = (5_000, 10_000, 20_000, 40_000), (2, 4, 6, 8, 10)
FAULTS = ("not_m_unique", "without_real_row", "signature_changed")
REPUBLISHED = {5_000: 8, 20_000: 8, 40_000: 8}  # r, and how many l-diverse releases are made
Found = dict[Run, list[dict[str, Any]]]


def whole_runs() -> list[Run]:
    """Published from Parquet to Parquet with ledger and audit."""
    every = [Run("occupation", 5_000, 10, balance, LONG) for balance in BALANCES]
    return every + [Run("occupation", 20_000, m, "counterfeit", 21) for m in MS]


def grouped_runs() -> list[Run]:
    """By the algorithm alone, for the figures: both balances for occupation, the paper's for income."""
    wanted = [("occupation", "counterfeit"), ("occupation", "fill"), ("income", "fill")]
    runs = [Run("income", 5_000, 10, "fill", LONG)]
    runs += [Run(s, r, 10, b, SHORT) for s, b in wanted for r in VOLUMES[1:]]
    return runs + [Run(s, 5_000, m, b, SHORT) for s, b in wanted for m in MS[:-1]]


def summary(run: Run, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """A series in one line; counterfeits on average of all releases but the first, which needs none."""
    later = [entry["counterfeits"] for entry in entries[1:]]
    line: dict[str, Any] = {
        "series": run.name,
        "releases": len(entries),
        "violations": violations(entries),
        "waiting": sum(entry["waiting"] for entry in entries),
        "counterfeits": float(np.mean(later)),
        "most": max(later),
        "releases_without": sum(not entry["counterfeits"] for entry in entries),
    }
    for theta in THETAS:
        line[f"error, theta = {theta:.0%}"] = float(np.mean([entry[f"error_{theta:g}"] for entry in entries]))
    for name in ("publish_seconds", "publish_cpu_seconds", "grouping_cpu_seconds"):
        line[name] = float(np.median([entry[name] for entry in entries]))
    line["last / first quarter"] = last_over_first([entry["publish_seconds"] for entry in entries])
    line["the same, CPU"] = last_over_first([entry["publish_cpu_seconds"] for entry in entries])
    return line


def violations(entries: list[dict[str, Any]]) -> int:
    """All that the checker found."""
    unlike = sum(not entry.get("as_written", True) for entry in entries)
    return unlike + sum(entry[name] for entry in entries for name in FAULTS)


def last_over_first(seconds: list[float]) -> float:
    """The median time of the last quarter over that of the first: about 1 if time does not grow."""
    quarter = max(1, len(seconds) // 4)
    return float(np.median(seconds[-quarter:]) / np.median(seconds[:quarter]))


def left_by(run: Run, reader: Intersections) -> dict[str, Any]:
    """What candidate sets leave for the persons of a series."""
    sizes = reader.sizes[reader.first > 0]
    told, below = int((sizes == 1).sum()), int((sizes < run.m).sum())
    return {"series": run.name, "releases": reader.releases, "persons": sizes.size, "told": told, "below_m": below}


def figures(found: Found, volumes: tuple[int, ...] = VOLUMES, m: int = MS[-1]) -> dict[str, list[dict[str, Any]]]:
    """What the paper's figures 5 to 9 show; averages are over the releases 2 to 11 of each series."""
    fives = {run: entries for run, entries in found.items() if run.r == volumes[0] and run.m == m}
    shown: dict[str, list[dict[str, Any]]] = {
        "figure_5": [
            {"line": f"{run.sensitive}, {run.balance}", **_some(entry, "release", "counterfeits")}
            for run, entries in fives.items()
            for entry in entries
        ],
        "figure_7": [
            {"line": f"{run.sensitive}, r = {run.r:,}", "release": entry["release"], "error": entry["error_0.1"]}
            for run, entries in found.items()
            if run.m == m and run.r in (volumes[0], volumes[-1]) and run.balance == "fill"
            for entry in entries
        ],
        "figure_8a": [
            {
                "line": f"{run.sensitive}, {run.balance}",
                "theta": theta,
                "error": _mean(entries, f"error_{theta:g}"),
            }
            for run, entries in fives.items()
            for theta in THETAS
        ],
    }
    points = [_point(run, entries) for run, entries in sorted(found.items(), key=lambda pair: _place(pair[0]))]
    by_r = [point for point in points if point["m"] == m]
    by_m = [point for point in points if point["r"] == volumes[0]]
    for number, name in ((6, "counterfeits"), (9, "seconds")):
        shown[f"figure_{number}a"] = [_some(point, "line", "r", name) for point in by_r]
        shown[f"figure_{number}b"] = [_some(point, "line", "m", name) for point in by_m]
    shown["figure_8b"] = [_some(point, "line", "m", "error") for point in by_m]
    return shown


def _place(run: Run) -> tuple[Any, ...]:
    return run.sensitive != "occupation", run.balance, run.r, run.m


def _point(run: Run, entries: list[dict[str, Any]]) -> dict[str, Any]:
    line = f"{run.sensitive}, {run.balance}"
    averages = {"counterfeits": "counterfeits", "error": "error_0.1", "seconds": "grouping_cpu_seconds"}
    later = entries[1:SHORT]
    return {"line": line, "r": run.r, "m": run.m, **{name: _mean(later, key) for name, key in averages.items()}}


def _some(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: entry[name] for name in names}


def _mean(entries: list[dict[str, Any]], name: str) -> float:
    return float(np.mean([entry[name] for entry in entries]))


def side_by_side(rows: list[dict[str, Any]], x: str, y: str) -> list[dict[str, Any]]:
    """Lines of a figure as lines of a table, a column per place on x."""
    wide: dict[str, dict[str, Any]] = {}
    for row in rows:
        wide.setdefault(row["line"], {"": row["line"]})[f"{x} = {row[x]:,}"] = row[y]
    return list(wide.values())


def survey(folder: Path, say: Say) -> dict[str, list[dict[str, Any]]]:
    """nlswork, m = 2, both balances: each wave, and what an adversary with all releases can tell."""
    waves: dict[str, list[dict[str, Any]]] = {}
    attacks = []
    for balance in BALANCES:
        own = folder / f"nlswork-{balance}"
        own.mkdir()
        waves[balance], releases, shown = nlswork.published(own, 2, balance)
        report = voile.audit_series(releases, nlswork.columns(), shown, require_m=2)
        faults = sum(entry[name] for entry in waves[balance] for name in FAULTS)
        attacks.append(
            {"balance": balance, "persons": report.persons, "below_m": report.below, "violations": faults}
        )
        attacks[-1] |= {"told": report.told, "audit_ok": report.ok}
        say(f"nlswork, {balance}: {report.below} of {report.persons} persons below m")
    return {**waves, "attack": attacks}


def text_of(found: dict[str, Any]) -> str:
    """series.md."""
    parts = [
        """# A series of releases

Made by `python -m benchmarks.series`; one run, to be read as ratios. ACS 2018 recoded to the papers' domains and
resampled to 600,000 persons (`acs.py`): T(1) has 200,000 of them, every later table lacks r of these and has r
others. A batch that is not m-eligible would wait as a whole (`waiting`), a first table that is not would be
refused. `violations` counts, by a checker that shares no code with the product: groups that are not m-unique or
have no real row, persons whose signature changed, and releases whose bags on disk are others than those checked.
Speed as multiples of the floor: [series_speed.md](series_speed.md).

![figures](series.png)
""",
        markdown("By `Series.publish`, Parquet to Parquet with ledger and audit", found["series"]),
        f"""`counterfeits` are the average of all releases but the first; errors are the median relative error of
1,000 random counts, averaged over the releases (the paper finds at most 10 %: it depends on the data); the last
columns are the median time of the last quarter of the releases over that of the first, by the wall and in CPU
seconds of all threads, which other programs disturb less. `fill` is the paper's algorithm; `counterfeit` never
fills from new rows, and holds against a reader who knows the algorithm: that is what its counterfeits are for.
All releases of all {found["runs"]} series, also those of the figures: {found["violations"]} violations.
Every release of this table is in series.json.
""",
        markdown("Figure 4: persons whose value plain l-diverse re-publication tells", found["figure_4"]),
        """Every table anonymized by bsgi on its own, and candidate sets intersected. `by_boxes`: the reader has
the quasi-identifiers alone; boxes of bsgi overlap, which hides many. `by_groups`: the reader knows a person's
group, as with the paper's Mondrian, whose boxes do not overlap. The paper publishes up to 81 tables, here are
fewer, and as many for each r: the larger r is, the more persons there are, and the less often each is seen.
""",
        markdown("The same reader, by boxes, of m-invariant series", found["attack"]),
        _figure_tables(found),
        _survey_tables(found["nlswork"]),
        f"The whole run took {found['seconds'] / 60:.1f} minutes.\n",
    ]
    return "\n".join(parts)


def _figure_tables(found: dict[str, Any]) -> str:
    titles = {
        "figure_6a": ("Figure 6a: counterfeits per release, m = 10", "r", "counterfeits"),
        "figure_6b": ("Figure 6b: counterfeits per release, r = 5,000", "m", "counterfeits"),
        "figure_8a": ("Figure 8a: median error, r = 5,000, m = 10", "theta", "error"),
        "figure_8b": ("Figure 8b: median error, r = 5,000, theta = 10 %", "m", "error"),
        "figure_9a": ("Figure 9a: CPU seconds of grouping, m = 10", "r", "seconds"),
        "figure_9b": ("Figure 9b: CPU seconds of grouping, r = 5,000", "m", "seconds"),
    }
    parts = [markdown(title, side_by_side(found[name], x, y)) for name, (title, x, y) in titles.items()]
    quarters = []
    for name, y in (("figure_5", "counterfeits"), ("figure_7", "error")):
        for line in dict.fromkeys(row["line"] for row in found[name]):
            own = [row[y] for row in found[name] if row["line"] == line]
            numbers = {"figure": name[-1], "series": line, "what": y, "first": own[0], "second": own[1]}
            quarters.append({**numbers, "middle": own[len(own) // 2], "last": own[-1], "most": max(own)})
    return "\n".join([*parts, markdown("Figures 5 and 7: over time", quarters)])


def _survey_tables(waves: dict[str, list[dict[str, Any]]]) -> str:
    left_out = (*FAULTS,)
    parts = []
    for balance in BALANCES:
        rows = [{name: value for name, value in row.items() if name not in left_out} for row in waves[balance]]
        parts.append(markdown(f"nlswork, 15 waves, m = 2, balance = {balance}", rows))
    parts.append(
        "`changed` rows were held back: the occupation is no longer in the person's signature. `waiting`: new\n"
        "rows of which more than half have one occupation. `returned`: published before, not in the last wave.\n"
    )
    parts.append(markdown("nlswork: what all 15 releases tell together", waves["attack"]))
    return "\n".join(parts)


def measured(folder: Path, say: Say) -> dict[str, Any]:
    """Everything."""
    began = time.perf_counter()
    published(Run("occupation", 5_000, 10, "counterfeit", 2), folder / "warm", lambda line: None)  # compiled now
    whole = {run: published(run, folder / f"run-{i}", say) for i, run in enumerate(whole_runs())}
    readers = {run: Intersections(PERSONS) for run in grouped_runs() if run.r == 20_000}
    more = {
        run: grouped(run, say, THETAS if run.releases == LONG else (0.1,), readers.get(run))
        for run in grouped_runs()
    }
    figure_4 = [
        row for r, releases in REPUBLISHED.items() for row in vulnerable("occupation", r, releases, ELLS, say)
    ]
    every = [entry for entries in (*whole.values(), *more.values()) for entry in entries]
    compared = {run: entries for run, entries in whole.items() if run.r == 5_000} | more
    return {
        "series": [summary(run, entries) for run, entries in whole.items()],
        "runs": len(whole) + len(more),
        "violations": violations(every),
        "figure_4": figure_4,
        "attack": [left_by(run, reader) for run, reader in readers.items()],
        **figures(compared),
        "nlswork": survey(folder, say),
        "releases": {run.name: entries for run, entries in whole.items()},
        "seconds": time.perf_counter() - began,
    }


def main() -> None:
    """Measure, write the tables and draw the pictures."""
    if not (acs.available() and nlswork.available()):
        sys.exit("no data: put acs2018/ and longitudinal/ where docs/testing.md says")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        found = measured(
            Path(name), lambda line: print(f"{time.perf_counter() - began:6.1f} s  {line}", flush=True)
        )
    (HERE / "series.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    text = text_of(found)
    (HERE / "series.md").write_text(text, encoding="utf-8")
    print(text)
    series_pictures.draw(found, HERE)
    if found["violations"]:
        sys.exit(f"{found['violations']} violations of m-invariance")


if __name__ == "__main__":
    main()
