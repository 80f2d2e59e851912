"""`python -m benchmarks.safety [RUNS]`: what safety from someone who knows the algorithm costs.

GCP of `glass`, `symb`, `blind_cut` and `rda`, which are safe, and of rivals that are not, on Adult and ACS
beside docs/facts/safety.md 4.1, and on tables that nothing was tuned on; beside ARX; and how wrong counts from the
releases are. What draws at random is run RUNS times (20), on large tables until its mean is steady. Writes
safety.md, safety.json, safety.png and safety.svg, safety_queries.png and safety_queries.svg. Speed: `python -m
benchmarks.safety_speed`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import safety_pictures
from benchmarks.run import table
from benchmarks.safety_facts import ARX, SEX
from benchmarks.safety_runs import LARGE, MOST, RIVALS, STEADY, all_runs, queries
from benchmarks.safety_tables import TABLES, TUNED, UNTUNED, available

HERE = Path(__file__).parent
ABOVE_FACTS, ABOVE_SYMB = 1.03, 1.01  # ratios from which on they are flagged
QUERIED = ("rda", "blind_cut", "glass", "symb", "elig", "mondrian")
Entries = list[dict[str, Any]]


def ratio(entry: dict[str, Any]) -> float | None:
    """GCP over that of the facts."""
    return entry["gcp_leaves"] / entry["facts"] if entry["facts"] else None


def above_facts(entries: Entries) -> list[str]:
    """Safe runs whose mean lies above the facts by more than 3 %."""
    return [
        f"{entry['run']} at l = {entry['l']}: {times:.3f} times"
        for entry in entries
        if entry["safe"] != "no" and (times := ratio(entry)) and times > ABOVE_FACTS
    ]


def above_symb(entries: Entries) -> list[str]:
    """Where cutting did not pay: the mean of glass above that of symb by more than 1 %."""
    blind = {entry["l"]: entry["gcp_leaves"] for entry in entries if entry["run"] == "symb"}
    return [
        f"l = {entry['l']}: {entry['gcp_leaves'] / blind[entry['l']]:.3f} times"
        for entry in entries
        if entry["run"] == "glass" and entry["gcp_leaves"] > ABOVE_SYMB * blind[entry["l"]]
    ]


def losses(name: str, entries: Entries) -> str:
    """GCP of one table: a line per run, a column per l."""
    own = [entry for entry in entries if entry["table"] == name]
    lines = []
    for label in dict.fromkeys(entry["run"] for entry in own):
        cells = {f"l = {entry['l']}": _loss(entry) for entry in own if entry["run"] == label}
        counts = sorted({entry["runs"] for entry in own if entry["run"] == label})
        runs = "-".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
        lines.append({"run": label, "safe": RIVALS[label].safe, "runs": runs, **cells})
    notes = [f"glass above symb by more than 1 %: {'; '.join(above_symb(own)) or 'nowhere'}.\n"]
    if name in TUNED:
        notes.insert(0, f"Safe and above the facts by more than 3 %: {'; '.join(above_facts(own)) or 'none'}.\n")
    return f"## {TABLES[name].title}\n\n{table(lines)}\n" + "\n".join(notes)


def _loss(entry: dict[str, Any]) -> str:
    error, times = entry["standard_errors"]["gcp_leaves"], ratio(entry)
    small = "<0.0001" if error < 0.0001 else f"{error:.4f}"
    words = f"{entry['gcp_leaves']:.4f}" + (f" ±{small}" if error else "")
    return words if times is None else f"{words} ({times:.2f})"


def beside_arx(entries: Entries) -> list[dict[str, Any]]:
    """Six QI with ARX's hierarchies: glass, with nothing suppressed, and ARX, which is not safe."""
    rows = []
    for entry in entries:
        if (entry["table"], entry["run"]) == ("adult6", "glass") and entry["l"] in ARX:
            gcp, suppressed = ARX[entry["l"]]
            rows.append(
                {
                    "l": entry["l"],
                    "glass, gcp_leaves": entry["gcp_leaves"],
                    "glass, gcp_minus1": entry["gcp_minus1"],
                    "standard error": entry["standard_errors"]["gcp_minus1"],
                    "rows suppressed": f"{entry['suppressed']:.0f}",
                    "ARX, gcp_minus1": gcp,
                    "ARX, suppressed": f"{suppressed:.1%}",
                    "both below ARX": "yes" if max(entry["gcp_leaves"], entry["gcp_minus1"]) < gcp else "**no**",
                }
            )
    return rows


def errors(entries: Entries) -> Entries:
    """Mean errors of counts, one row per table, run, l and condition; facts where they are comparable."""
    return [
        {
            "table": entry["table"],
            "run": entry["run"],
            "l": entry["l"],
            "condition": condition,
            "error": entry[queries(condition)],
            "standard_error": entry["standard_errors"][queries(condition)],
            "facts": _sex(entry) if condition == "sex" else None,
        }
        for entry in entries
        for condition in TABLES[entry["table"]].queried
        if entry["run"] in QUERIED
    ]


def _sex(entry: dict[str, Any]) -> float | None:
    return SEX.get((entry["table"], entry["run"]), {}).get(entry["l"])


def counts(name: str, found: Entries) -> str:
    """Errors of one table: a line per run, a column per l, for each condition."""
    parts = []
    for condition in TABLES[name].queried:
        lines = []
        for label in QUERIED:
            own = [e for e in found if (e["table"], e["condition"], e["run"]) == (name, condition, label)]
            lines.append({condition: label, **{f"l = {e['l']}": _error(e) for e in own}})
        parts.append(table(lines))
    return f"### {TABLES[name].title}\n\n" + "\n".join(parts)


def _error(entry: dict[str, Any]) -> str:
    words = f"{entry['error']:.3f}" + (f" ±{entry['standard_error']:.3f}" if entry["standard_error"] else "")
    return words if entry["facts"] is None else f"{words} ({entry['facts']:.3f})"


def text_of(found: dict[str, Any]) -> str:
    """safety.md."""
    entries = found["entries"]
    parts = [
        f"""# What safety from someone who knows the algorithm costs

Made by `python -m benchmarks.safety` in {found["seconds"] / 60:.0f} minutes. What draws is run {found["most"]}
times; on tables of more than {LARGE:,} rows until the standard error of its mean is below {STEADY:.2%} of it.
± is that error. In brackets: times the figure of docs/facts/safety.md 4.1. "strong": safe even if everybody
outside the victim's group is known;
"marginal": safe from someone who knows the algorithm, but no other person's value; "no": not safe from someone
who knows the algorithm. All groups keep frequency l; nothing is suppressed unless said. GCP is `gcp_leaves`.

![loss](safety.png)
""",
        *(losses(name, entries) for name in TUNED),
        "The facts have Mondrian with medians alone; free cuts are ours. Settings were chosen on Adult, and some\n"
        "of them (`limit`, `sure`, only halves for blind_cut) by looking at ACS as well: both flatter a little.\n",
        "## Beside ARX: six QI, ARX's hierarchies, frequency l\n\n" + table(beside_arx(entries)),
        "ARX 3.9.2 from docs/facts/peers.md, not run here; it is not safe from someone who knows it.\n",
        "# Tables we did not tune on\n",
        *(losses(name, entries) for name in UNTUNED),
        "# Counts from these releases\n\nMean error of 400 counts of one sensitive value and one sex, a range of\n"
        "ages, or both (`qwe_mean`: relative to the true count, or to .5 % of all rows if that is more). In\n"
        "brackets: docs/facts/safety.md 4.2, which does not say how long its ranges of ages are.\n\n"
        "![errors of counts](safety_queries.png)\n",
        *(counts(name, found["errors"]) for name in TABLES if TABLES[name].queried),
        "Speed: [safety_speed.md](safety_speed.md).\n",
    ]
    return "\n".join(parts)


def main() -> None:
    """Measure, write the tables and draw the pictures."""
    if not available():
        sys.exit("no data: put adult/, acs2018/, nursery/ and longitudinal/ where docs/testing.md says")
    began, most = time.perf_counter(), int(sys.argv[1]) if len(sys.argv) > 1 else MOST
    entries = all_runs(list(TABLES), most)
    seconds = time.perf_counter() - began
    found = {"most": most, "seconds": seconds, "entries": entries, "errors": errors(entries)}
    (HERE / "safety.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    text = text_of(found)
    (HERE / "safety.md").write_text(text, encoding="utf-8")
    print(text)
    safety_pictures.draw(found, HERE)


if __name__ == "__main__":
    main()
