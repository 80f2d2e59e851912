"""Reports in a real browser: no network, no errors, readable, walked by keys, narrow and printed."""

import pytest

from tests.leaks.test_canaries import tokens_in
from tests.reporting.browser import CONTRAST, open_everything, opened
from tests.reporting.releases import canary
from voile.reporting.charts import bars
from voile.reporting.page import details, figure, page, paragraph, section

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Of the canary table: the public report, and the steward's."""
    folder, _ = canary(tmp_path_factory.mktemp("canary"))
    return [folder / "report.html", folder / "private" / "report.html"]


def test_opens_without_network_and_says_nothing(browser, reports):
    for path in reports:
        seen = opened(browser, path)
        open_everything(seen)
        assert seen.said == []
        assert seen.locator("svg").count() >= 6 and seen.locator("h2").count() >= 7
        text = seen.locator("body").inner_text()
        assert tokens_in(text, ("name", "person", "ward")) == set()
        assert tokens_in(text), "control: what is published is seen"


def test_a_page_that_loads_something_is_noticed(browser, tmp_path):
    """Positive control: the policy forbids it, and the listener hears it."""
    text = page("x", [section("a", "A", paragraph("x"))])
    (tmp_path / "bad.html").write_text(text.replace("<h2", '<img src="other.png"><script>1</script><h2'))
    assert opened(browser, tmp_path / "bad.html").said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(browser, reports, scheme):
    for path in reports:
        seen = opened(browser, path, color_scheme=scheme)
        open_everything(seen)
        found = seen.evaluate(CONTRAST)
        assert len(found) > 200
        assert any(tag == "text" for _, tag, _ in found), "control: texts of charts are among them"
        assert [entry for entry in found if entry[0] < 4.5] == []


def test_too_little_contrast_is_noticed(browser, tmp_path):
    """Positive control."""
    text = page("x", [section("a", "A", paragraph("faint"))])
    faint = text.replace("--ink: #1b1f24", "--ink: #b0b0b0").replace("style-src", "x")
    (tmp_path / "faint.html").write_text(faint.replace("default-src 'none'; x", "img-src 'none'; style-x"))
    seen = opened(browser, tmp_path / "faint.html", color_scheme="light")
    assert min(ratio for ratio, _, _ in seen.evaluate(CONTRAST)) < 4.5


def test_keys_walk_the_page_in_its_order(browser, reports):
    """Tab goes from the skip link through all that can be used, in the order of the page, and shows where."""
    seen = opened(browser, reports[0])
    usable = "a[href], summary, [tabindex='0']"
    expected = seen.evaluate(f'[...document.querySelectorAll("{usable}")].filter(e => e.checkVisibility()).length')
    order = []
    for _ in range(expected):
        seen.keyboard.press("Tab")
        place, shown = seen.evaluate(
            f"""() => {{
              const all = [...document.querySelectorAll("{usable}")], now = document.activeElement;
              const style = getComputedStyle(now), box = now.getBoundingClientRect();
              const visible = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
              return [all.indexOf(now), visible && box.right > 0];
            }}"""
        )
        order.append(place)
        assert shown, place
    assert order == sorted(order) and -1 not in order and len(set(order)) == expected
    assert order[0] == 0
    seen.keyboard.press("Home")
    seen.evaluate("document.querySelector('summary').focus()")
    seen.keyboard.press("Enter")
    assert seen.evaluate("document.querySelector('details').open"), "Enter opens"


def test_the_skip_link_leads_to_the_content(browser, reports):
    seen = opened(browser, reports[0])
    seen.keyboard.press("Tab")
    assert seen.evaluate("document.activeElement.className") == "skip"
    seen.keyboard.press("Enter")
    assert seen.evaluate("document.activeElement.id") == "content"


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(browser, reports, width):
    for path in reports:
        seen = opened(browser, path, viewport={"width": width, "height": 800})
        open_everything(seen)
        assert seen.evaluate("document.documentElement.scrollWidth") <= width
        scale = "e => e.getBoundingClientRect().width / e.viewBox.baseVal.width"
        assert min(seen.evaluate(f"[...document.querySelectorAll('svg')].map({scale})")) > 0.85, (
            "texts of charts stay readable"
        )


def test_prints(browser, reports):
    """On paper: black on white also for who likes it dark, without what only a screen needs."""
    seen = opened(browser, reports[0], color_scheme="dark")
    seen.emulate_media(media="print", color_scheme="dark")
    colours = seen.evaluate(
        "[document.body].map(e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor])[0]"
    )
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert not seen.locator("nav").is_visible()
    assert [entry for entry in seen.evaluate(CONTRAST) if entry[0] < 4.5] == []
    assert seen.pdf()[:5] == b"%PDF-"


def test_a_page_without_charts_or_links(browser, tmp_path):
    (tmp_path / "p.html").write_text(page("x", [section("a", "A", details("more", paragraph("less")))]))
    assert opened(browser, tmp_path / "p.html").said == []
    one = figure(bars("b", [("x" * 300, 1)], amount="n"))
    (tmp_path / "q.html").write_text(page("x", [section("a", "A", one)]))
    seen = opened(browser, tmp_path / "q.html", viewport={"width": 360, "height": 600})
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360
