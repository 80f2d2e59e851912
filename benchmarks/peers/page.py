"""The run of everybody as text and as a picture; docs/comparison.md takes its figures from the same place."""

import itertools
from pathlib import Path
from typing import Any

from benchmarks.peers.comparison import NUMBERS, SUPPRESS
from benchmarks.peers.environment import CPU_SECONDS, NOT_RUN
from benchmarks.pictures import sheet, write_svg

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMPARISON = ROOT / "docs" / "comparison.md"
BEGIN, END = "<!-- figures: begin (make peers) -->", "<!-- figures: end -->"
TITLES = {
    "frequency": "Frequency l = {}: no value has more than 1/{} of a group",
    "distinct": "Distinct l = {}: {} different values in a group, however uneven",
    "k_anonymity": "k = {}: groups of {} rows",
}
ACHIEVED = {"frequency": "frequency_l", "distinct": "distinct_l", "k_anonymity": "k"}
POINTERS = """How each figure is made, audits, and what was not run:
[benchmarks/peers/results.md](../benchmarks/peers/results.md).

![What each tool loses, and how long it takes](pictures/peers.svg)
"""
Row = dict[str, Any]


def of_task(found: dict[str, Any], promise: str, number: int) -> list[Row]:
    """The runs of one task: those that lose least first, then those without a release."""
    rows = [row for row in found["releases"] if (row["promise"], row["l"]) == (promise, number)]
    return sorted(rows, key=lambda row: row.get("gcp_minus1", 2))


def task_table(rows: list[Row], promise: str) -> str:
    """One task as Markdown."""
    lines = [
        "| tool | GCP | sets as nodes | suppressed | CPU s | wall s | peak GB | achieved | top share 1/l |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        name = row["tool"] if row["tool"].startswith("voile") else f"{row['tool']} {row.get('version', '')}"
        if "error" in row:
            lines.append(f"| {name} | failed: {row['error']} | | | | | | | |")
            continue
        lines.append(
            f"| {name} | {row['gcp_minus1']:.4f} | {row['gcp_as_nodes']:.4f} | {row['suppressed']:.1%} "
            f"| {row['cpu_seconds']:.2f} "
            f"| {row['seconds']:.2f} | {row['peak_gb']:.2f} | {row[ACHIEVED[promise]]:.4g} "
            f"| {row['frequency_l']:.4g} |"
        )
    return "\n".join(lines) + "\n"


def tables(found: dict[str, Any]) -> str:
    """All tasks."""
    parts = []
    for promise, numbers in NUMBERS.items():
        for number in numbers:
            title = TITLES[promise].format(number, number)
            parts.append(f"### {title}\n\n{task_table(of_task(found, promise, number), promise)}")
    return "\n".join(parts)


def audit_table(found: dict[str, Any]) -> str:
    """pyCANON's checks beside ours."""
    lines = ["| model | voile, CPU ms | pyCANON, CPU ms | times |", "|---|---|---|---|"]
    for row in found["audits"]:
        if row["pycanon"] is not None:
            ours, theirs = 1000 * row["seconds"], 1000 * row["pycanon"]
            lines.append(f"| {row['model']} | {ours:.1f} | {theirs:.0f} | {row['times']:.0f} |")
    return "\n".join(lines) + "\n"


def share_words(rows: list[Row]) -> None:
    """Points that nearly coincide have their words at one of them."""
    for row, after in itertools.pairwise(rows):
        near = after["gcp"] - row["gcp"] < 0.03 and 2 / 3 < after["cpu"] / row["cpu"] < 3 / 2
        if near and row["who"] == after["who"]:
            after["tool"], row["tool"] = f"{row['tool']} and {after['tool']}", ""


def panel(found: dict[str, Any], promise: str, number: int) -> dict[str, Any]:
    """Loss by time of one task, a point per tool."""
    rows = [
        {
            "tool": row["tool"].removeprefix("voile ")
            + ("" if row["suppressed"] == 0 else f" ({row['suppressed']:.1%} suppressed)"),
            "gcp": row["gcp_minus1"],
            "cpu": row["cpu_seconds"],
            "who": "voile" if row["tool"].startswith("voile") else "peers",
        }
        for row in of_task(found, promise, number)
        if "error" not in row
    ]
    share_words(rows)
    x = {"field": "cpu", "type": "quantitative", "scale": {"type": "log", "domain": [0.05, 1000]}}
    y = {"field": "gcp", "type": "quantitative", "scale": {"domain": [0, 1]}}
    colour = {"domain": ["voile", "peers"], "range": ["#00798c", "#d1495b"]}
    return {
        "title": {"text": f"{promise.replace('_', '-')} {number}", "anchor": "start", "fontSize": 13},
        "data": {"values": rows},
        "width": 360,
        "height": 240,
        "encoding": {
            "x": {**x, "axis": {"title": "CPU seconds (log)", "tickCount": 5}},
            "y": {**y, "axis": {"title": "GCP (0 nothing lost, 1 everything)"}},
            "color": {
                "field": "who",
                "type": "nominal",
                "scale": colour,
                "legend": {"title": None, "orient": "bottom"},
            },
        },
        "layer": [
            {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1}},
            {
                "mark": {"type": "text", "align": "left", "dx": 7, "dy": 0, "fontSize": 11},
                "encoding": {"text": {"field": "tool"}},
            },
        ],
    }


def interruption(found: dict[str, Any]) -> str:
    """What to say of a run that was interrupted."""
    apart = sum("apart" in row for row in found["releases"])
    lines = f" It was interrupted: {apart} of its {len(found['releases'])} lines were run apart, at another load."
    return lines if apart else ""


def write_pages(found: dict[str, Any]) -> None:
    """results.md, docs/pictures/peers.svg, and the figures of docs/comparison.md."""
    tasks = [(promise, number) for promise in ("frequency", "distinct") for number in NUMBERS[promise]]
    panels = [panel(found, *task) for task in tasks]
    title = "Adult, 30,162 rows: what each tool loses, and how long it takes"
    subtitle = [
        "Lower left is better. Distinct l promises less: a value may have most of a group.",
        "Sets count as sets.",
    ]
    write_svg(sheet(title, panels, subtitle), ROOT / "docs" / "pictures", "peers")
    not_run = "\n".join(f"* {name}: {why}." for name, why in NOT_RUN.items())
    interrupted = interruption(found)
    text = f"""# Peers

Made by `make peers` on {found["date"]}: every figure of one run on one machine, to be read as ratios. Each
run is a process of its own, at most {CPU_SECONDS} CPU seconds long, from a data frame in memory to a data
frame; ours with compiled kernels warm. Versions: {", ".join(found["peers"])}.{interrupted}

Adult, 30,162 rows; age, education, marital-status, race, sex and native-country with ARX's hierarchies;
sensitive occupation. GCP is `gcp_minus1`: the mean over cells of (high - low)/73 for age and (leaves -
1)/(all leaves - 1) of the published node; a suppressed row counts 1 in every cell. The sets of values that
AnonyPy and AnonyPyx publish are charged as sets; "sets as nodes" charges each by the lowest node above it,
as the other tools' cells are. anjana and one line of ours may suppress {SUPPRESS} % of rows; the others
suppress nothing. "Achieved" is the promise that was asked for as our audit finds it in what was published;
"top share 1/l" is the frequency l of the same release.

![What each tool loses, and how long it takes](../../docs/pictures/peers.svg)

{tables(found)}
## Audits

One release of `elig`, l = 3; ours with grouping and counting.

{audit_table(found)}
## Not run

{not_run}
"""
    (HERE / "results.md").write_text(text, encoding="utf-8")
    page = COMPARISON.read_text(encoding="utf-8")
    before, after = page[: page.index(BEGIN)], page[page.index(END) :]
    COMPARISON.write_text(
        f"{before}{BEGIN}\n\nRun on {found['date']}.{interrupted} {POINTERS}\n{tables(found)}\n{after}",
        encoding="utf-8",
    )
