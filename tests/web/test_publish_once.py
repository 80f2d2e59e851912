"""One state of a draft, one release: two that were drawn differently tell together what neither tells alone."""

import contextlib
import os
from pathlib import Path

import pytest
from nicegui import ui

from tests.web.drafts import prepared
from tests.web.serving import visited
from voile.errors import InputError
from voile.pipeline import silent
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.fingerprint import fingerprint
from voile.web.jobs import CANCELLED, DONE, REFUSED, Jobs
from voile.web.pages import promise, series_preview
from voile.web.screen import OUT_OF_DATE, SHOW_NOW, Screen
from voile.web.series_shelf import asked_of
from voile.web.sessions import Session
from voile.web.shelf import Shelf
from voile.web.tasks import release

PROMISED = {"against": "algorithm", "strong": False, "l": 5, "algorithm": ""}


class Place(contextlib.nullcontext):
    """Where a tab is told something."""

    def clear(self):
        pass


class Work:
    """A draft on the server, its tabs, and its jobs, which end when a test says so."""

    def __init__(self, folder, kind="release"):
        (folder / "shelf").mkdir()
        self.session = Session("s", folder, 0.0)
        jobs = Jobs(at_once=0, memory=0, seconds=0)
        self.desk = Desk(Shelf(folder / "shelf"), None, jobs, None)
        self.table = folder / "t.csv"
        self.table.write_text("age,disease\n31,flu\n")
        self.draft = Draft.begun(folder, kind, self.table, "t.csv")
        self.draft.columns = {
            "age": {"role": "quasi-identifying", "missing": "drop-row", "type": "integer"},
            "disease": {"role": "sensitive"},
        }
        self.draft.choice = dict(PROMISED)
        self.went, self.told = [], []

    @property
    def made(self):
        """The releases that were asked for, the oldest first."""
        jobs = reversed(self.desk.jobs.all_of(self.session))
        return [job for job in jobs if job.task in ("release", "series_publish")]

    def tab(self):
        return Screen(self.draft, "promise")

    def choose(self, tab, **options):
        with tab.own_change():
            self.draft.choice |= options

    def click(self, tab, start=promise.start, *more):
        tab.guarded(Place(), lambda: start(self.desk, self.session, self.draft, *more))()

    def end(self, job, state=DONE):
        self.desk.jobs._queue.remove(job)
        job.state, job.document = state, {"certificate": {"of": job.id}} if state == DONE else {}
        job.then(job)


@pytest.fixture
def work(tmp_path, monkeypatch):
    made = Work(tmp_path)
    listen(made, monkeypatch)
    return made


def listen(work, monkeypatch):
    """Where tabs are led, and which of them are told that they are out of date."""
    monkeypatch.setattr(ui.navigate, "to", work.went.append)
    monkeypatch.setattr(Screen, "tell", lambda tab: work.told.append(tab))


def test_a_double_click_makes_one_release(work):
    tab = work.tab()
    work.click(tab)
    work.click(tab)
    assert len(work.made) == 1 and work.went == [work.draft.place("run")] * 2 and work.told == []


def test_a_reload_shows_the_run_that_there_is(work):
    """While it runs and after: the page is drawn anew, and the button leads to the same release."""
    work.click(work.tab())
    work.click(work.tab())
    work.end(work.made[0])
    out = work.draft.out
    work.click(work.tab())
    (run,) = work.made
    assert work.draft.release == run.document and work.draft.out == out == Path(run.arguments["out"])
    assert len(work.went) == 3


def test_two_tabs_make_one_release(work):
    one, two = work.tab(), work.tab()
    work.click(one)
    work.click(two)
    work.end(work.made[0])
    work.click(two)
    assert len(work.made) == 1 and work.told == []


def test_a_stale_tab_is_told_and_publishes_nothing(work):
    """What another tab chose is not on its screen. What it chooses itself does not bring it up to date."""
    stale, fresh = work.tab(), work.tab()
    work.choose(fresh, l=3)
    work.click(stale)
    assert work.made == [] and work.told == [stale] and work.went == []
    work.choose(stale, l=7)
    work.click(stale)
    work.choose(fresh, l=5)  # the draft is as `stale` saw it first, but its screen says 7 by now
    work.click(stale)
    assert work.made == [] and work.told == [stale] * 3
    work.click(work.tab())
    assert len(work.made) == 1, "control: who looks again may publish"


def test_columns_that_another_tab_changed_make_a_tab_stale(work):
    """The promise does not show what is left out: its tab must not publish another choice of columns."""
    stale = work.tab()
    work.draft.take_role("age", "insensitive")
    work.click(stale)
    assert work.made == [] and work.told == [stale]


def test_a_file_that_was_replaced_makes_a_tab_stale(work):
    stale = work.tab()
    work.table.write_text("age,disease\n32,gout\n33,flu\n")
    work.click(stale)
    assert work.made == [] and work.told == [stale]
    work.table.unlink()
    work.click(stale)
    assert work.made == [], "nor is a file that is gone a defect"


def test_the_back_button_and_a_choice_taken_back_lead_to_the_first_release(work):
    """In between another state was released: each keeps its own."""
    work.click(work.tab())
    work.end(work.made[0])
    back = work.tab()
    work.click(back)
    assert len(work.made) == 1, "back and again"
    work.choose(back, l=3)
    work.click(back)
    work.end(work.made[1])
    work.choose(back, l=5)
    work.draft.take("age", "missing", "refuse")
    work.draft.take("age", "missing", "drop-row")  # by now it stands last among the options
    work.click(work.tab())
    assert len(work.made) == 2 and work.draft.release == work.made[0].document
    assert work.draft.out == Path(work.made[0].arguments["out"])


@pytest.mark.parametrize("state", [REFUSED, CANCELLED])
def test_a_run_that_published_nothing_may_be_tried_again(work, state):
    work.click(work.tab())
    work.end(work.made[0], state)
    work.click(work.tab())
    assert len(work.made) == 2 and work.made[0].arguments["out"] != work.made[1].arguments["out"]


def test_a_run_that_failed_after_its_release_was_there_is_not_repeated(work):
    work.click(work.tab())
    (run,) = work.made
    work.end(run, REFUSED)
    Path(run.arguments["out"]).mkdir()
    work.click(work.tab())
    assert work.made == [run]
    Path(run.arguments["out"]).rmdir()
    work.click(work.tab())
    assert len(work.made) == 2, "the steward deleted it"


def test_a_run_that_ends_late_does_not_take_the_place_of_another(work):
    tab = work.tab()
    work.click(tab)
    work.choose(tab, l=3)
    work.click(tab)
    first, second = work.made
    work.end(second)
    work.end(first)
    assert work.draft.release == second.document and work.draft.out == Path(second.arguments["out"])


def test_a_job_that_waited_publishes_what_was_asked_for_or_nothing(work, tmp_path):
    """Another tab may have written another spec meanwhile."""
    work.click(work.tab())
    (run,) = work.made
    assert run.arguments["fingerprint"] == fingerprint(work.table, work.draft.folder / "spec.toml"), "control"
    work.draft.take_role("age", "insensitive")
    work.draft.write_spec()
    with pytest.raises(InputError, match="changed since you asked for the release"):
        release.run(dict(run.arguments), silent)
    assert not os.path.lexists(run.arguments["out"])


def test_a_diagnosis_is_of_the_columns_that_it_was_made_for(work):
    work.draft.diagnosis, work.draft.diagnosed = {"rows": 1}, work.draft.declared()
    assert work.draft.is_diagnosed()
    os.utime(work.table, ns=(1, 1))
    assert not work.draft.is_diagnosed()


@pytest.fixture
def series(tmp_path, monkeypatch):
    made = Work(tmp_path, "series")
    listen(made, monkeypatch)
    (tmp_path / "shelf" / "clinic.ledger").touch()
    made.draft.choice |= {"ledger": "clinic.ledger", "first": True, "m": 4}
    return made


def previewed(work):
    """What a tab shows when its preview is over."""
    job = work.desk.jobs.start(work.session, "series_preview", "Previewing", asked_of(work.desk, work.draft))
    work.desk.jobs._queue.remove(job)
    job.state, job.document = DONE, {"number": 1}
    work.draft.jobs["preview"] = job.id
    return job


def test_a_release_of_a_series_is_published_once(series):
    one, two, preview = series.tab(), series.tab(), previewed(series)
    for tab in (one, one, two):
        series.click(tab, series_preview.start, preview)
    series.end(series.made[0])
    series.click(series.tab(), series_preview.start, preview)
    assert len(series.made) == 1 and series.told == []


def test_a_stale_tab_publishes_no_other_preview_than_its_own(series):
    """Neither the click, nor what is behind it: the last preview of the draft may be another tab's."""
    stale, fresh, own = series.tab(), series.tab(), previewed(series)
    series.choose(fresh, m=3)
    other = previewed(series)
    series.click(stale, series_preview.start, own)
    assert series.told == [stale]
    series_preview.start(series.desk, series.session, series.draft, own)
    assert series.made == []
    series.click(fresh, series_preview.start, other)
    assert len(series.made) == 1, "control"


ROWS = "".join(f"{20 + i % 40},{('flu', 'gout', 'asthma', 'measles')[i * 7 // 3 % 4]}\n" for i in range(200))
MAKE = "button:text-is('Make the release')"


@pytest.mark.slow  # starts a server and a browser
def test_clicks_and_tabs_before_a_real_draft(altered, browser, tmp_path):
    """A stale tab, a double click, another tab, back and reload: one folder in the end."""
    (tmp_path / "t.csv").write_text(f"age,disease\n{ROWS}")
    before = releases(altered)
    with visited(altered, browser) as page:
        address = prepared(altered, page, tmp_path / "t.csv")
        page.goto(f"{address}columns")
        page.wait_for_selector(".one-column")
        other = page.context.new_page()
        other.goto(page.url)
        other.click("[aria-label='what age is'] label:has-text('leave out')")
        other.wait_for_selector("[aria-label='age'] select", state="detached")
        page.click("button:text-is('Continue')")
        page.wait_for_selector(f"[role=alert] :text-is('{OUT_OF_DATE}')")
        page.click(f"text={SHOW_NOW}")
        page.click("[aria-label='what age is'] label:has-text('others may know')")
        page.click("button:text-is('Continue')")
        page.fill(".confidence input", "2")
        page.wait_for_selector("text=l = 2 is possible")

        other.goto(page.url)
        other.fill(".confidence input", "3")
        other.wait_for_selector("text=l = 3 is possible")
        page.click(MAKE)
        page.wait_for_selector(f"[role=alert] :text-is('{OUT_OF_DATE}')")
        assert page.url.endswith("/promise") and releases(altered) == before
        page.click(f"text={SHOW_NOW}")
        page.wait_for_selector("text=l = 3 is possible")

        page.dblclick(MAKE)
        other.click(MAKE)
        for tab in (page, other):
            tab.wait_for_selector("h1:has-text('Released')")
        page.goto(f"{address}promise")
        page.click(MAKE)
        page.wait_for_selector("h1:has-text('Released')")
        with page.expect_response(
            "**/run"
        ):  # not `go_back`: the run leads to its result before it is done waiting
            page.evaluate("setTimeout(() => history.back())")
        page.wait_for_selector("h1:has-text('Released')")
        page.reload()
        page.wait_for_selector("h1:has-text('Released')")
        assert len(releases(altered)) == len(before) + 1
        wrong = [words for words in page.said if not words.endswith("/run")]  # the second click asks for it anew
        assert wrong == []


def releases(app):
    return sorted(path.name for path in app.folder.glob("release-*"))
