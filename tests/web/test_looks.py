"""Every page for everybody: contrast in light and dark, names for screen readers, an order for keys."""

import pytest

from tests.reporting.browser import CONTRAST
from tests.web.drafts import prepared
from tests.web.serving import held, visited

pytestmark = pytest.mark.slow
UNNAMED = """
() => [...document.querySelectorAll("input, select, textarea, button, a[href], progress")]
  .filter(e => e.checkVisibility())
  .filter(e => !(e.getAttribute("aria-label") || e.title || e.textContent.trim()
    || [...(e.labels || [])].some(label => label.textContent.trim())))
  .map(e => e.outerHTML.slice(0, 80))
"""
USABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
WALK = f"""
() => {{
  const all = [...document.querySelectorAll("{USABLE}")].filter(e => e.checkVisibility() && !e.disabled);
  const now = document.activeElement, style = getComputedStyle(now);
  const inside = now.closest("label, .segments label");
  const ring = [style, inside ? getComputedStyle(inside) : style]
    .some(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2);
  return [all.indexOf(now), ring];
}}
"""


def sound(page, name):
    """What must hold on every page, in both schemes."""
    assert page.locator("h1").count() == 1, name
    assert page.evaluate("document.documentElement.lang").startswith("en"), name
    assert "Voile" in page.title(), name
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(CONTRAST)
        assert len(found) > 10
        assert [entry for entry in found if entry[0] < 4.5] == [], (name, scheme)
    page.emulate_media(color_scheme="light")
    assert page.evaluate(UNNAMED) == [], name


def walked(page, name, most=60):
    """Tab goes through what can be used in the order of the page, and shows where it is."""
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    places = []
    for _ in range(most):
        page.keyboard.press("Tab")
        place, ring = page.evaluate(WALK)
        if place < 0 or (places and place < places[-1]):
            break  # the end, or round to the beginning
        assert ring, (name, place)
        places.append(place)
    assert len(places) >= 5 and places == sorted(places), name


def test_every_page(altered, browser, people):
    with visited(altered, browser) as page:
        sound(page, "home")
        walked(page, "home")
        address = prepared(altered, page, people)
        page.goto(f"{address}columns")
        page.wait_for_selector(".columns")
        sound(page, "columns")
        walked(page, "columns")
        page.goto(f"{address}promise")
        page.wait_for_selector(".diagnosis")
        sound(page, "promise")
        walked(page, "promise")
        page.fill("input[type=number]", "99")
        page.wait_for_selector(".broken")
        sound(page, "an l that is too large")
        page.fill("input[type=number]", "3")
        page.wait_for_selector("text=l = 3 is possible")
        with held(altered):
            page.click("text=Make the release")
            page.wait_for_selector(".job")
            sound(page, "run")
        page.wait_for_selector("h1:has-text('Released')")
        sound(page, "result")
        walked(page, "result")
        for place in ("/series", "/audit"):
            page.goto(altered.address + place)
            page.wait_for_selector("main h1")
            sound(page, place)
            walked(page, place)
        assert page.said == []


def test_the_whole_way_by_keys_alone(app, browser):
    """Space and Enter do what a click does."""
    with visited(app, browser) as page:
        page.focus("text=Try it with an invented hospital")
        page.keyboard.press("Enter")
        page.wait_for_selector(".columns")
        page.focus("[aria-label='what insurance is'] input:checked")
        page.keyboard.press("ArrowRight")  # from "others may know" to "the secret"
        page.keyboard.press("ArrowRight")  # to "leave out"
        page.focus("text=Continue")
        page.keyboard.press("Enter")
        page.wait_for_selector(".diagnosis")
        page.focus("input[type=number]")
        page.keyboard.press("ArrowDown")  # from 5 to 4
        page.wait_for_selector("text=l = 4 is possible")
        page.focus("text=Make the release")
        page.keyboard.press("Space")
        page.wait_for_selector("h1:has-text('Released')")
        assert "insurance" not in page.inner_text(".report >> nth=0").split("What the columns tell")[0]
