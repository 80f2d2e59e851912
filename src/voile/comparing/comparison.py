"""Compare: the same table through several algorithms and parameters, each figure beside the others.

What is made is measured and dropped. Figures that compare with the source stay with the steward, so the folder is
private; and a release is always a fresh run, with parameters that were fixed before.
"""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import voile
from voile.comparing.children import Children
from voile.comparing.choosing import NEEDS, Needs
from voile.comparing.finished_runs import FinishedRuns
from voile.comparing.plan import Run, planned
from voile.comparing.recommending import LOOKING, Recommendation, recommendations, recommended
from voile.core.table import Table
from voile.errors import InputError, ParameterError
from voile.measuring import parse_measures
from voile.metrics.classification import can_learn
from voile.output.staging import Staging
from voile.output.writers import write_bytes, write_document
from voile.prices import price_keys, price_list
from voile.reporting.comparison_page import ATTACK, comparison_page
from voile.unix import require_limits

FORMAT = 1
MEASURES = "qwe_mean, qwe_median"
LEARNT = "classification"  # measured, too, where that does not take longer than the runs
MOST_LEARNT = 50_000  # rows: about three seconds a run
NOTE = (
    "for the steward; never publish this folder. Keeping the best of several draws, or tuning by result, breaks "
    "the "
    "promise against who knows the algorithm: a release is always a fresh run with parameters fixed before"
)
# of every run that made a release, in the order of the table
FIGURES = (
    *("kept", "promise", "rung", "notation", "achieved", "achieved_k", "achieved_l", "achieved_tau"),
    *("gcp_leaves", "gcp_minus1", "dm", "aecs", "um"),
    *("suppressed_rows", "counterfeits", "groups", "rows", "seconds", "cpu_seconds", "peak_mb"),
)
REASON = ("why", "refusal")
Report = Callable[[str, float], None]


def _silent(stage: str, share: float) -> None:
    """Report nothing."""


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Runs and their outcomes; `.frame` has a line for each."""

    runs: tuple[tuple[Run, Mapping[str, Any]], ...]
    measures: tuple[str, ...]
    recommendations: Mapping[str, Recommendation]  # by adversary, the one who was asked about first
    about: Mapping[str, Any]  # the table: rows, columns and what it allows; no value
    not_measured: str = ""  # what usually is, why not, and how to have it

    def __repr__(self) -> str:
        return f"Comparison({len(self.runs)} runs)"

    @property
    def frame(self) -> pl.DataFrame:
        """A line per run: algorithm, parameters, figures, or the refusal in words."""
        named = list(dict.fromkeys(name for run, _ in self.runs for name, _ in run.parameters))
        attacks = dict.fromkeys(name for _, outcome in self.runs for name in outcome if name.startswith(ATTACK))
        lines = []
        for run, outcome in self.runs:
            given = dict(run.parameters)
            line = {"algorithm": run.algorithm, **{name: given.get(name) for name in named}}
            line |= {name: _cell(name, outcome) for name in (*FIGURES, *self.measures, *attacks, *REASON)}
            lines.append(line)
        frame = pl.DataFrame(lines, infer_schema_length=None)
        return frame.with_columns(
            frame[name].cast(pl.Int64) for name in named if all(_whole(v) for v in frame[name].drop_nulls())
        )

    @property
    def prices(self) -> list[dict[str, Any]]:
        """What each promise costs with each l that was compared: a loss, a refusal, or nothing where it was not
        run. Of runs that leave all but l to the algorithm; empty where there is none of the algorithms."""
        found, sensitive = _with_l_alone(self.runs), len(self.about.get("sensitive", ()))
        priced = {ell for key, ell in found if key in price_keys(sensitive)}
        return price_list(sensitive, sorted(priced), found)

    def document(self) -> dict[str, Any]:
        """For JSON: all there is."""
        return {
            "comparison": FORMAT,
            "note": NOTE,
            "version": voile.__version__,
            "table": dict(self.about),
            "measured": list(self.measures),
            "not_measured": self.not_measured,
            "prices": self.prices,
            "recommendations": [found.document() for found in self.recommendations.values()],
            "cost_of_choosing_by_result": LOOKING,
            "runs": [
                {"algorithm": run.algorithm, "parameters": dict(run.parameters), **outcome}
                for run, outcome in self.runs
            ],
        }

    def write(self, folder: str | Path) -> Path:
        """comparison.csv, comparison.json and index.html in a new private folder."""
        with Staging(folder) as staging:
            self.write_into(staging)
        return staging.target

    def write_into(self, staging: Staging) -> None:
        """Write and reveal; the folder is for its owner alone."""
        document = self.document()
        with staging.writing():
            write_bytes(self.frame.write_csv().encode(), staging.path / "comparison.csv")
            write_document(document, staging.path / "comparison.json")
            write_bytes(comparison_page(document).encode(), staging.path / "index.html")
            os.chmod(staging.path, 0o700)
        staging.reveal()


def compare(
    table: Table,
    algorithms: Sequence[str],
    *,
    measure: str | None = None,
    folder: str | Path | None = None,
    jobs: int | None = None,
    limit: float | None = None,
    needs: Needs = NEEDS,
    report: Report = _silent,
    **parameters: object,
) -> Comparison:
    """Run each algorithm with each value of its parameters, in processes of their own, and measure.

    A parameter has one value, a list of them, or a range such as "2..7"; `**{"elig.refine": 0}` is for one
    algorithm. `measure` names metrics, by default errors of counts and, up to 50,000 rows and with scikit-learn,
    the classification ratio. `folder` receives the files, and an interrupted comparison goes on when it is called
    again with the same. `jobs` runs at a time, by default as many as there are cores; `limit` is the seconds that
    one may take.
    """
    if not isinstance(table, Table):
        raise InputError("not a table that was read", where="compare", remedy="voile.read(file or frame, spec)")
    require_limits()  # every run is measured
    runs = planned(algorithms, parameters)
    measure, not_measured = usual_measures(table) if measure is None else (measure, "")
    measures = tuple(parse_measures(measure, table))
    _refuse_numbers(jobs, limit)
    at_once = min(jobs or _cores(), len(runs))
    recommended(table, replace(needs, adversary="algorithm"))  # what this cannot judge is not told after all runs
    with contextlib.ExitStack() as stack:
        staging = None if folder is None else stack.enter_context(Staging(folder))
        place = staging.path if staging else None
        finished = stack.enter_context(FinishedRuns(staging.target, table, measure)) if staging else None
        outcomes = {} if finished is None else {run: finished.known[run] for run in runs if run in finished.known}
        report("comparing", len(outcomes) / len(runs))
        with Children(table, place, jobs=at_once, measure=measure, limit=limit) as children:
            for run, outcome in children.outcomes([run for run in runs if run not in outcomes]):
                outcomes[run] = outcome
                if finished is not None:
                    finished.add(run, outcome)
                report("comparing", len(outcomes) / len(runs))
        results = tuple((run, outcomes[run]) for run in runs)
        chosen, about = recommendations(table, needs, results), _about(table, at_once)
        found = Comparison(results, measures, chosen, about, not_measured)
        if staging is not None and finished is not None:
            report("writing", 0)
            found.write_into(staging)
            finished.forget()
    return found


def _with_l_alone(
    runs: Sequence[tuple[Run, Mapping[str, Any]]],
) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Outcomes by algorithm and l, of runs with no other parameter."""
    return {
        (run.algorithm, int(run.parameters[0][1])): outcome
        for run, outcome in runs
        if [name for name, _ in run.parameters] == ["l"] and _whole(run.parameters[0][1])
    }


def usual_measures(table: Table) -> tuple[str, str]:
    """What is measured where nothing else is asked for; and what is left out of that, in words."""
    get = f'ask for it: --measure "{MEASURES}, {LEARNT}"'
    if not can_learn():
        return MEASURES, f"{LEARNT} is not measured: scikit-learn is not installed. pip install 'voile[ml]'"
    if table.n > MOST_LEARNT:
        return MEASURES, f"{LEARNT} is not measured: more than {MOST_LEARNT:,} rows take long. To have it, {get}"
    return f"{MEASURES}, {LEARNT}", ""


def _refuse_numbers(jobs: int | None, limit: float | None) -> None:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ParameterError("not a number of runs", where="jobs", rule="a whole number from 1")
    if limit is not None and not limit > 0:
        raise ParameterError("not a number of seconds", where="limit", rule="a number above 0")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _about(table: Table, jobs: int) -> dict[str, Any]:
    """Of the table only what the page says; names of columns are the steward's own."""
    return {
        "rows": table.n,
        "quasi_identifying": [column.name for column in table.quasi],
        "sensitive": [column.name for column in table.sensitive],
        "jobs": jobs,
    }


def _cell(name: str, outcome: Mapping[str, Any]) -> Any:
    """A figure; those that may be "infinite" as numbers."""
    value = outcome.get(name)
    return (
        float("inf") if value == "infinite" else float(value) if name.startswith("achieved") and value else value
    )


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
