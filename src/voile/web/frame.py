"""What every page has: the name of the product, where one is, what to do next, and words for refusals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nicegui import ui

from voile.reporting.markup import Markup, element, joined
from voile.web.desk import Desk
from voile.web.elements import button, link, shown, tag
from voile.web.jobs import RUNNING, WAITING, Job

HEAD = (
    '<link rel="stylesheet" href="/static/app.css"><script src="/static/app.js" defer></script>'
    '<meta name="referrer" content="no-referrer">'
)
PLACES = {"/": "Home", "/series": "Series", "/audit": "Audit"}
STEPS = {"columns": "Columns", "promise": "Promise", "run": "Release", "result": "Result"}
POLL = 0.4  # seconds between two looks at a job


@contextmanager
def frame(title: str, here: str = "") -> Iterator[None]:
    """The page around its content."""
    ui.add_head_html(HEAD)
    ui.page_title(f"{title} - Voile")
    tag("a", "Skip to the content", "skip", href="#content")
    with tag("header", classes="top"):
        tag("a", "Voile", "brand", href="/")
        with tag("nav", aria_label="Places"):
            for place, name in PLACES.items():
                tag("a", name, "here" if place == here else "", href=place)
        with tag("form", method="post", action="/leave"):
            tag("button", "Log out", "quiet", type="submit")
    with tag("main", id="content", tabindex="-1"):
        tag("h1", title)
        yield
    with tag("footer"):
        tag("p", "Everything happens on this machine: no request leaves it.")


def steps(place: Callable[[str], str], names: Mapping[str, str], now: str, reached: str) -> None:
    """Where one is on the way; steps behind can be gone back to."""
    order = list(names)
    with tag("nav", classes="steps", aria_label="Steps"), tag("ol"):
        for i, (step, name) in enumerate(names.items()):
            with tag("li", classes="now" if step == now else ""):
                if step != now and i <= order.index(reached):
                    link(name, place(step))
                else:
                    tag("span", name, aria_current="step" if step == now else None)


def refusal_markup(error: Mapping[str, Any]) -> Markup:
    """Why something was refused, and what would work."""
    what, where = str(error.get("what", "")), str(error.get("where", ""))
    lines = [element("strong", f"{where}: {what}" if where else what)]
    if error.get("rule"):
        lines.append(element("span", f"The rule: {error['rule']}.", class_="rule"))
    if error.get("remedy"):
        lines.append(element("span", f"What would work: {error['remedy']}.", class_="remedy"))
    parts = [element("p", line) for line in lines]
    return element("div", *parts, class_="refusal", role="alert")


def refusal(error: Mapping[str, Any]) -> None:
    """The same on the page."""
    shown(refusal_markup(error))


def facts(rows: Sequence[tuple[str, object]]) -> Markup:
    """Names and what is said of them."""
    pairs = [joined(element("dt", name), element("dd", what)) for name, what in rows if what != ""]
    return element("dl", *pairs, class_="facts")


def awaited(desk: Desk, job: Job, when_over: Callable[[], Any]) -> None:
    """A job on its way: stage, bar, time left, its place in the queue, and a way to stop it."""
    with tag("section", classes="job", aria_live="polite"):
        tag("h2", job.title)
        stage = tag("p", _stage(desk, job), "stage")
        bar = tag("progress", max=1, aria_label=job.title)
        stop = button("Cancel", lambda: desk.jobs.cancel(job))

    def look() -> None:
        words = _stage(desk, job)
        if stage._text != words:
            stage._text = words
            stage.update()
        share = round(job.share, 3) if job.state == RUNNING and job.share else None
        if share is not None and bar.props.get("value") != share:
            bar.props["value"] = share
        stop.set_visibility(job.cancellable)
        if job.over:
            timer.deactivate()
            when_over()

    timer = ui.timer(POLL, look)


def _stage(desk: Desk, job: Job) -> str:
    if job.state == WAITING:
        before = desk.jobs.place(job)
        return f"waiting: {before} before it" if before else "waiting: next"
    if job.asked_to_stop:
        return "stopping"
    left = job.left
    words = job.stage or "starting"
    return words if left is None or left < 1 else f"{words}, about {_seconds(left)} left"


def _seconds(number: float) -> str:
    """A length of time in words.

    >>> _seconds(7.2), _seconds(200)
    ('8 seconds', '4 minutes')
    """
    whole = int(number) + 1
    if whole < 120:
        return f"{whole} second{'s' * (whole != 1)}"
    return f"{whole // 60 + (whole % 60 > 0)} minutes"
