"""The page of a comparison: its words, and that a browser shows the answer without scrolling."""

import json

import pytest

from tests.comparing.people import DISEASES, skewed, table
from voile.comparing.comparison import Comparison
from voile.comparing.one_run import outcome_of
from voile.comparing.plan import planned
from voile.comparing.recommending import recommendations
from voile.reporting.comparison_page import GENERALISED, comparison_page
from voile.reporting.frontier import Spot, frontier, on_frontier

SIX = ("elig", "bsgi", "gda", "rda", "ria", "mondrian")


def document(keys, values, **more):
    measure = "qwe_mean[queries=20]"
    runs = planned(keys, {"l": values, **more})
    found = [(run, outcome_of(table(), run.algorithm, dict(run.parameters), measure)) for run in runs]
    about = {"rows": 60, "quasi_identifying": ["age", "sex"], "sensitive": ["<b>disease</b>"], "jobs": 2}
    comparison = Comparison(tuple(found), (measure,), recommendations(table(), results=found), about)
    return json.loads(json.dumps(comparison.document()))


@pytest.fixture(scope="module")
def html():
    return comparison_page(document(SIX, "2..7"))


@pytest.mark.slow
def test_the_page_says_what_must_not_be_made_of_it(html):
    assert "never publish this folder" in html
    assert "Keeping the best of several draws, or tuning by result, breaks the promise" in html
    assert "a fresh run with parameters fixed before" in html
    for rung in ("release", "algorithm, marginal", "algorithm, strong"):
        assert f"<strong>{rung}: </strong>" in html
    assert "5/8 where 1/2 was promised" in html


@pytest.mark.slow
def test_two_tables_are_named_not_drawn():
    html = comparison_page(document(["elig", "anatomy"], 2))
    assert "Not drawn: anatomy." in html and "guessed right" in html


@pytest.mark.slow
def test_beside_the_answer_stands_what_it_does_not_cover(html):
    assert html.count("<strong>Not covered: </strong>") == 2 and "right, where 1/l is 25.0%" in html


@pytest.mark.slow
def test_an_attack_that_says_nothing_is_no_pass():
    """Neither beside the answer nor among the figures; control: one that says something has no such words."""
    found = document(["elig"], "2")
    for run in found["runs"]:
        run |= {"attack_definetti": 0.191, "inconclusive": ["definetti"]}
    text = comparison_page(found)
    assert "19.1% right" in text and "inconclusive and no pass" in text and "19.1 % (inconclusive)" in text
    for run in found["runs"]:
        run["inconclusive"] = []
    assert "inconclusive" not in comparison_page(found)


@pytest.mark.slow
def test_refusals_are_lines_in_words(html):
    assert "Runs without a release, and why" in html and "fewer than l = 7 needs" in html


@pytest.mark.slow
def test_no_value_no_script_and_names_are_text(html):
    assert not any(value in html for value in DISEASES)
    assert "<script" not in html and "<b>disease" not in html and "&lt;b&gt;disease" in html
    assert "http" not in html.replace('http-equiv="', "")


def test_a_comparison_of_nothing_but_refusals_has_a_page():
    html = comparison_page(document(["elig"], 9))
    assert "No run made a release." in html and "It was not among the runs" in html


def test_the_frontier_is_by_who_is_held_off():
    """A run that holds off more is not beaten by one that holds off less."""
    strong, open_ = Spot("rda", 4, 0.5, "algorithm, strong"), Spot("elig", 4, 0.1, "release")
    marginal = Spot("other", 4, 0.3, "algorithm, marginal")
    three = [strong, marginal, open_]
    assert all(on_frontier(spot, three) for spot in three)
    better = Spot("new", 5, 0.05, "algorithm, strong")
    assert not any(on_frontier(spot, [*three, better]) for spot in three)
    chart = frontier("Loss", three, upward="loss")
    assert chart.rows == (
        ("rda", 4, "50 %", "algorithm, strong", "yes"),
        ("other", 4, "30 %", "algorithm, marginal", "yes"),
        ("elig", 4, "10 %", "release", "yes"),
    )


def test_each_rung_is_drawn_in_its_own_way():
    spots = [Spot("rda", 4, 0.5, "algorithm, strong"), Spot("other", 4, 0.3, "algorithm, marginal")]
    chart = frontier("Loss", spots, upward="loss")
    assert "(strong)" in chart.description and "(marginal)" in chart.description
    assert "Hollow" not in chart.description, "only what is there is explained"
    drawn = chart.svg()
    assert 'fill-opacity="0.4"' in drawn and 'stroke-dasharray="7,3"' in drawn


def test_promise_and_adversary_stand_beside_the_figures():
    """In plain words, and behind every name: strong and marginal must not look alike."""
    html = comparison_page(document(["elig", "rda", "m_invariant"], 2, m=2))
    assert "What is promised, and against whom" in html
    for name, promise, rung in [
        ("elig", "unique distinct l-diversity", "release"),
        ("rda", "frequency l-diversity", "algorithm, strong"),
        ("m_invariant", "m-uniqueness", "algorithm, marginal"),
    ]:
        assert f'<th scope="row">{name}</th><td>{promise}</td><td>{rung}</td>' in html
        assert f'<th scope="row">{name} ({rung.split()[-1]})</th>' in html
    assert "every group has at least l rows and no sensitive value twice" in html
    assert "holds against readers who know the algorithm, and everybody else&#x27;s values" in html


def test_what_a_loss_does_not_count_is_not_drawn():
    """Generalised sensitive values and counterfeits; and the table of losses says so."""
    runs = document(["elig", "m_invariant"], 2, m=2)
    elig, fakes = runs["runs"]
    assert "runs of m_invariant" not in comparison_page(runs), "none was needed here"
    fakes["counterfeits"] = 3
    html = comparison_page(runs)
    assert "Not drawn: runs of m_invariant that generalise" in html and "one table, with counterfeits" in html
    assert "of m_invariant not what is lost by" in html
    elig["notation"], fakes["counterfeits"] = GENERALISED, 0
    assert "Not drawn: runs of elig that generalise" in comparison_page(runs)


def test_values_that_were_generalised_are_said_so_of_the_run_that_did():
    """Not of every run of an algorithm that may."""
    skew = outcome_of(skewed(), "sweep", {"tau": "1/2", "l": "2"}, "")
    assert skew["notation"] == GENERALISED
    assert outcome_of(table(), "sweep_e", {"tau": "1/2", "l": "2"}, "")["notation"] == "one table"


def test_an_answer_that_was_not_run_has_its_attack_beside_it_too():
    html = comparison_page(document(["elig"], 3))
    assert html.count("<strong>Not covered: </strong>") == 2
    assert "was not tried on it; on the runs here it guessed" in html and "It was not among the runs" in html
    alone = comparison_page(document(["elig"], 9))
    assert alone.count("<strong>Not covered: </strong>") == 2 and "no run was made" in alone


def opened(browser, html, folder, **options):
    """The page in a tab without network, and what it complained about."""
    (folder / "index.html").write_text(html, encoding="utf-8")
    context = browser.new_context(offline=True, **options)
    tab, complaints = context.new_page(), []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("request", lambda request: complaints.extend([] if request.url.startswith("file:") else [request.url]))
    tab.goto((folder / "index.html").as_uri())
    return tab, complaints


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_answer_is_there_without_scrolling(browser, html, tmp_path, scheme):
    tab, complaints = opened(browser, html, tmp_path, viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    shown = [
        *tab.locator(".card").all(),
        tab.locator(".answer svg"),
        tab.locator("h1"),
        tab.locator(".warning").first,
    ]
    assert len(shown) == 5
    for part in shown:
        box = part.bounding_box()
        assert box["x"] >= 0 and box["y"] >= 0, part
        assert box["x"] + box["width"] <= 1280 and box["y"] + box["height"] <= 800, (part, box)
    assert "GLASS (glass), l = 4" in tab.locator(".card").first.inner_text()
    assert tab.locator(".answer svg").get_attribute("aria-label").startswith("Loss against promise")
    assert complaints == []


@pytest.mark.slow
def test_a_phone_scrolls_down_only(browser, html, tmp_path):
    tab, complaints = opened(browser, html, tmp_path, viewport={"width": 360, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert complaints == []
