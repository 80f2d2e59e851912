"""The page of a comparison: first which one to use, then every figure, then what may be made of them."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from voile import catalog
from voile.core.algorithm import Rung
from voile.core.privacy_model import READER
from voile.prices import BEWARE, LOSS, TITLE, is_complete, price_rows
from voile.reporting.charts import shown
from voile.reporting.frontier import Spot, frontier
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import bullets, code, figure, page, paragraph, section, table

Runs = Sequence[Mapping[str, Any]]
ATTACK = "attack_"  # before the key of an attack: the share of persons whose value it guessed
LEARNING = f"{ATTACK}definetti"
SILENT = "inconclusive"  # the keys of attacks whose share says nothing
TWO_TABLES = "two tables"
GENERALISED = "one table, sensitive values generalised"
_PROMISED = ("k", "l", "m", "c", "tau", "t")  # parameters of promises; others say how they are kept
_READERS = {
    "algorithm": "Readers may know how it was made (assume so if in doubt)",
    "release": "Readers only look at the release",
}
_RUNGS = {
    Rung.RELEASE.value: "readers who do not reason about how it was made",
    Rung.ALGORITHM_MARGINAL.value: "readers who know the algorithm",
    Rung.ALGORITHM_STRONG.value: "readers who know the algorithm, and everybody else's values",
}
_TIERS = {  # behind the name of an algorithm: who is held off, in a word
    Rung.RELEASE.value: "release",
    Rung.ALGORITHM_MARGINAL.value: "marginal",
    Rung.ALGORITHM_STRONG.value: "strong",
}
# beside the metrics of the catalog: what the tables call them, and whether little or much is good
_OWN = {
    "achieved_k": ("achieved k", "rows that share a group, at least", "high"),
    "achieved_l": ("achieved l (frequency)", f"the confidence of {READER} is at most 1/l", "high"),
    "achieved_tau": ("achieved tau", "the largest share of a value in a group (tau,l with l = 2)", "low"),
    "achieved": ("achieved of its own promise", "in the figure of the model that the algorithm promises", ""),
    "suppressed_rows": ("suppressed rows", "rows that are not published", "low"),
    "counterfeits": ("counterfeits", "published rows that stand for nobody", "low"),
    "seconds": ("seconds", "by the clock, with other runs beside it", "low"),
    "cpu_seconds": ("CPU seconds", "of all threads: grouping, checking, attacking and rendering in memory", "low"),
    "peak_mb": ("peak memory, MB", "of the whole process, with Python and the table", "low"),
}
_FIGURES = (LOSS, "gcp_minus1", "dm", "aecs", "um")


def comparison_page(document: Mapping[str, Any]) -> str:
    """The page of `Comparison.document()`: self-contained, without a script."""
    runs: Runs = document["runs"]
    made = [run for run in runs if run.get("kept")]
    sections = [
        section("prices", TITLE, *_prices(document)),
        section("why", "Why", *(_reasons(found) for found in document["recommendations"])),
        section("figures", "Figures", *_tables(made, document["measured"]), _not_measured(document)),
        section("refused", "Refused", _refused(runs)),
        section("choosing", "What choosing by these figures costs", *_looking(document)),
        section("method", "Method", _method(document)),
    ]
    return page("Which one should I use?", sections, lead=_lead(document, made), foot=_foot(document))


def _lead(document: Mapping[str, Any], made: Runs) -> Markup:
    """The answer, and the picture it rests on, side by side where there is room."""
    answers = [_answer(found, made) for found in document["recommendations"]]
    private = paragraph(
        element("strong", "For you alone. "),
        "These figures compare with the source: never publish this folder. A release is a fresh run, with "
        "parameters fixed before.",
        kind="warning",
    )
    drawn = list(_spots(made, LOSS))
    chart = frontier("Loss against promise", drawn, upward=f"detail lost ({LOSS})")
    picture = figure(chart, *_not_drawn(made)) if drawn else ""
    return element("div", element("div", *answers), element("div", picture, private), class_="answer")


def _not_drawn(made: Runs) -> Iterator[Markup]:
    """Whose loss is elsewhere."""
    apart = _named(run for run in made if run["notation"] == TWO_TABLES)
    if apart:
        yield joined(f" Not drawn: {apart}. Two tables, with quasi-identifiers as they are, lose ")
        yield joined("none of their detail; compare the ", element("a", "errors of counts", href="#figures"), ".")
    uncounted = _named(run for run in made if _uncounted(run))
    if uncounted:
        yield joined(
            f" Not drawn: runs of {uncounted} that generalise sensitive values or add counterfeits, which "
        )
        yield joined(
            f"{LOSS} does not count; compare the ", element("a", "errors of counts", href="#figures"), "."
        )


def _prices(document: Mapping[str, Any]) -> Iterator[Markup]:
    """What each promise costs, and that nobody may choose by it."""
    if not is_complete(document["prices"]):
        yield paragraph("Not all of it was run; with ", code("--prices"), " it is.")
    if not document["prices"]:
        return
    header, rows = price_rows(document["prices"])
    yield table(f"Detail lost ({LOSS})", header, rows)
    yield paragraph(BEWARE, kind="warning")


def _named(runs: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({run["algorithm"] for run in runs}))


def _uncounted(run: Mapping[str, Any]) -> bool:
    """Whether a run lost what the loss of quasi-identifiers does not count."""
    return run["notation"] == GENERALISED or bool(run["counterfeits"])


def _answer(found: Mapping[str, Any], made: Runs) -> Markup:
    adversary = found["needs"]["adversary"]
    what = _verdict(found)
    options = "".join(f" -p {shlex.quote(f'{name}={value}')}" for name, value in found["parameters"].items())
    command = f"-a {found['algorithm']}{options}" if found["algorithm"] else ""
    return element(
        "section",
        element("h2", _READERS[adversary]),
        paragraph(element("strong", found["answer"]), kind="lead"),
        paragraph(what, _outcome(found, made), " ", _how_chosen(found)),
        *_guesses(found, made),
        paragraph(code(command)) if command else "",
        class_="card",
    )


def _verdict(found: Mapping[str, Any]) -> str:
    if not found["algorithm"]:
        return str(found["reasons"][-1]["answer"])
    return f"Holds against {_RUNGS[found['rung']]}."


def _how_chosen(found: Mapping[str, Any]) -> str:
    """By results or not, and what that gave up."""
    if not found["algorithm"]:
        return ""
    if not found["looked"]:
        return "Chosen without a look at results."
    if not found["rung_given_up"]:
        return "Chosen by results: free here."
    return (
        f'Chosen by results: the stronger rung of its certificate ("{found["rung_given_up"]}") no longer applies '
        "to this setting."
    )


def _outcome(found: Mapping[str, Any], made: Runs) -> str:
    """What the chosen run came to."""
    for run in _own_run(found, made):
        lost = f" Here it lost {run[LOSS]:.1%} of the detail ({LOSS})"
        return (
            f"{lost}, {run['suppressed_rows'] or 'no'} rows suppressed, in {run['cpu_seconds']:.2g} CPU seconds."
        )
    return " It was not among the runs." if found["algorithm"] else ""


def _guesses(found: Mapping[str, Any], made: Runs) -> Iterator[Markup]:
    """What an attack got right that the promise does not cover, beside what it says: for the reader to compare."""
    if not found["algorithm"]:
        return
    own = _own_run(found, made)[:1]
    for name in dict.fromkeys(name for run in own or made for name in run if name.startswith(ATTACK)) or [
        LEARNING
    ]:
        attack = catalog.attacks()[name.removeprefix(ATTACK)]
        told = _guessed_by_it(own[0], name) if own else _guessed_elsewhere(made, name)
        yield paragraph(
            element("strong", "Not covered: "),
            f"readers who learn from all groups which values go with whom. {attack.title} {told}.",
        )


def _guessed_by_it(run: Mapping[str, Any], name: str) -> str:
    achieved = run["achieved_l"]
    promised = f", where 1/l is {1 / achieved:.1%}" if isinstance(achieved, int | float) and achieved else ""
    return f"guessed {run[name]:.1%} right{promised}" + (_UNSAID if _is_silent(run, name) else "")


def _guessed_elsewhere(made: Runs, name: str) -> str:
    """The answer was not among the runs: what others came to is the best that can be said."""
    rates = [run[name] for run in made if name in run]
    if not rates:
        return "was not tried: no run was made. A release tells it in its private record"
    return f"was not tried on it; on the runs here it guessed {min(rates):.1%} to {max(rates):.1%} right"


_UNSAID = "; inconclusive and no pass: it did not learn, or there are too few persons"


def _is_silent(run: Mapping[str, Any], metric: str) -> bool:
    """Whether a figure is of an attack that says nothing."""
    return metric.startswith(ATTACK) and metric.removeprefix(ATTACK) in run.get(SILENT, ())


def _own_run(found: Mapping[str, Any], made: Runs) -> Runs:
    """The run that was chosen, if it is among those that were made."""
    return [r for r in made if (r["algorithm"], r["parameters"]) == (found["algorithm"], found["parameters"])]


def _reasons(found: Mapping[str, Any]) -> Markup:
    lines = [joined(element("strong", r["question"]), " ", r["answer"]) for r in found["reasons"]]
    return joined(element("h3", _READERS[found["needs"]["adversary"]]), bullets(lines))


def _spots(made: Runs, metric: str) -> Iterator[Spot]:
    """Runs with a figure. A loss is of quasi-identifiers: it says nothing of two tables, which publish them
    exactly, and too little of runs that generalise sensitive values or add counterfeits."""
    for run in made:
        if metric == LOSS and (run["notation"] == TWO_TABLES or _uncounted(run)):
            continue
        achieved = run["achieved_l"]
        if isinstance(achieved, int | float) and run.get(metric) is not None:
            yield Spot(_name(run), float(achieved), float(run[metric]), run["rung"])


def _name(run: Mapping[str, Any]) -> str:
    """The algorithm with the parameters that are not the promise's own."""
    given = {name: value for name, value in run["parameters"].items() if name not in _PROMISED}
    return " ".join([run["algorithm"], *(f"{name}={value}" for name, value in given.items())])


def _tables(made: Runs, measured: Sequence[str]) -> Iterator[Markup]:
    if not made:
        yield paragraph("No run made a release.")
        return
    errors = [metric for metric in measured if metric.startswith("qwe")]
    drawn = {metric: list(_spots(made, metric)) for metric in errors}
    yield _pairs(
        *(
            figure(frontier(f"Error of counts: {metric}", spots, upward=metric, percent=False))
            for metric, spots in drawn.items()
            if spots
        )
    )
    yield from _promises(made)
    attacks = dict.fromkeys(name for run in made for name in run if name.startswith(ATTACK))
    yield _pairs(*(_one_table(made, metric) for metric in (*_FIGURES, *measured, *attacks, *_OWN)))


def _not_measured(document: Mapping[str, Any]) -> Markup:
    missing = document["not_measured"]
    return paragraph(f"{missing[0].upper()}{missing[1:]}.", kind="note") if missing else joined()


def _promises(made: Runs) -> Iterator[Markup]:
    """What each run promises and against whom: a figure means nothing without them."""
    models = {run["promise"]: catalog.models()[run["promise"]] for run in made}
    rows = dict.fromkeys((_name(run), models[run["promise"]].title, run["rung"], _published(run)) for run in made)
    yield table(
        "What is promised, and against whom", ("algorithm", "promise", "holds against", "published"), list(rows)
    )
    yield bullets(
        [
            *(joined(element("strong", model.title), f": {model.meaning}.") for model in models.values()),
            *(
                joined(element("strong", rung), f": holds against {words}.")
                for rung, words in _RUNGS.items()
                if any(run["rung"] == rung for run in made)
            ),
        ]
    )


def _published(run: Mapping[str, Any]) -> str:
    return f"{run['notation']}, with counterfeits" if run["counterfeits"] else str(run["notation"])


def _pairs(*parts: Markup) -> Markup:
    """Two beside each other where there is room: tables have a column for each l."""
    return element("div", *parts, class_="pairs")


def _one_table(made: Runs, metric: str) -> Markup:
    """A line per algorithm, a column per value of the promise's parameters."""
    columns = list(dict.fromkeys(_promise(run) for run in made))
    lines = list(dict.fromkeys(_tiered(run) for run in made))
    cells = {(_tiered(run), _promise(run)): _cell(run, metric) for run in made}
    rows = [[line, *(cells.get((line, column), "\u2013") for column in columns)] for line in lines]
    uncounted = _named(run for run in made if _uncounted(run)) if metric in (LOSS, "gcp_minus1") else ""
    note = (
        f"; of {uncounted} not what is lost by generalised sensitive values or counterfeits" if uncounted else ""
    )
    return table(_caption(metric) + note, ["algorithm", *columns], rows)


def _tiered(run: Mapping[str, Any]) -> str:
    """A run's name and who is held off: figures of different rungs must not look alike."""
    return f"{_name(run)} ({_TIERS[run['rung']]})"


def _promise(run: Mapping[str, Any]) -> str:
    given = [f"{name} = {v}" for name, v in run["parameters"].items() if name in _PROMISED]
    return ", ".join(given) or "as it is"


def _cell(run: Mapping[str, Any], metric: str) -> object:
    value = run.get(metric)
    if value is None:
        return "\u2013"
    if not isinstance(value, int | float):
        return str(value)
    text = shown(value, percent=metric in (LOSS, "gcp_minus1") or metric.startswith(ATTACK))
    return f"{text} (inconclusive)" if _is_silent(run, metric) else text


def _caption(metric: str) -> str:
    if metric.startswith(ATTACK):
        attack = catalog.attacks()[metric.removeprefix(ATTACK)]
        title, meaning, best = f"{attack.title}, guessed right", attack.meaning, "low"
    elif metric in _OWN:
        title, meaning, best = _OWN[metric]
    else:
        card = catalog.metrics()[metric.partition("[")[0].strip()]
        title, meaning, best = f"{metric}: {card.title}", card.meaning, card.best
    good = {"low": " (less is better)", "high": " (more is better)", "": ""}[best]
    return f"{title}{good}: {meaning}"


def _refused(runs: Runs) -> Markup:
    rows = [
        (run["algorithm"], " ".join(f"{n}={v}" for n, v in run["parameters"].items()), run["why"], run["refusal"])
        for run in runs
        if not run.get("kept")
    ]
    if not rows:
        return paragraph("No run: each made a release that keeps its promise, checked exactly.")
    return table("Runs without a release, and why", ("algorithm", "parameters", "kind", "in words"), rows)


def _looking(document: Mapping[str, Any]) -> Iterator[Markup]:
    yield paragraph(
        "Keeping the best of several draws, or tuning by result, breaks the promise against who knows the "
        "algorithm. "
        "A release is always a fresh run with parameters fixed before. What it costs to choose an algorithm or a "
        "parameter because of a figure on this page, by the adversary it is meant to hold off:"
    )
    costs = document["cost_of_choosing_by_result"]
    yield bullets(joined(element("strong", f"{rung}: "), cost) for rung, cost in costs.items())
    yield paragraph(
        "Free in every case: what depends only on how often each sensitive value occurs, on which rows are one "
        "person's and on the quasi-identifiers, such as the largest l that the table allows."
    )


def _method(document: Mapping[str, Any]) -> Markup:
    about = document["table"]
    columns = (
        f"quasi-identifying: {', '.join(about['quasi_identifying'])}; sensitive: {', '.join(about['sensitive'])}"
    )
    return bullets(
        (
            f"{about['rows']} rows; {columns}.",
            "Each run is a process of its own, its kernels compiled beforehand; of a random algorithm it is one "
            "draw. "
            f"Up to {about['jobs']} ran at a time, so compare CPU seconds rather than seconds.",
            "Time and memory are of grouping, checking, attacking and rendering in memory; reading, writing and "
            "measuring are not counted. Memory is that of the whole process.",
            "Every promise was checked again, exactly, on the groups; releases were dropped, not kept.",
            "The l of the picture is the frequency l that was achieved, for every algorithm alike: 1 over the "
            "largest "
            "share of a value in a group. A loss is only comparable under the same metric and with its "
            "suppression.",
            "A promise is for readers to whom each value of a group is as likely for each of its persons. Who "
            "learns from all groups which values go with which quasi-identifiers guesses better: the share that "
            "such an attack got right stands among the figures, for every algorithm.",
            "Query errors compare with the source. They are of random queries, the same for all runs. So does the "
            "classification ratio: a decision tree that learned from the release against one that learned from "
            "the source, both asked about rows that were held out.",
        )
    )


def _foot(document: Mapping[str, Any]) -> Markup:
    return joined(f"Made by voile compare {document['version']}. {document['note'].capitalize()}.")
