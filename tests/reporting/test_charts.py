"""Charts: text stays text, colours are the page's, nothing is fetched."""

import os
import re
import signal
import xml.etree.ElementTree as ElementTree

import pytest

from voile.reporting.charts import COLOURS, Point, bars, before_after, histogram, lines, scatter, shown

HOSTILE = "</svg><script>alert(1)</script> & \"quoted\" 'too' {signal: 1} datum.x"


def charts(name=HOSTILE):
    return [
        bars(name, [(name, 3), ("b", 5)], amount=name, name=name, description=name),
        histogram(name, [(0, 10, 3), (10, 20, 5)], value=name, amount=name),
        histogram(name, [(0, 31, 3), (31, 59, 5)], value=name, amount=name, after=[4, 4], days=True),
        before_after(name, [(name, 3, 2.5), ("b", 1, 2)], amount=name),
        lines(name, [(name, [(0.1, 0.3, 0.2, 0.4), (0.2, 0.1, 0, 0.2)]), ("b", [])], across=name, upward=name),
        scatter(name, [Point(2, 0.1, name, name, True), Point(3, 0.2, "b")], across=name, upward=name),
    ]


@pytest.fixture(scope="module")
def drawn():
    return [str(chart.svg()) for chart in charts()]


def test_each_is_one_sound_image_with_a_name(drawn):
    for svg in drawn:
        root = ElementTree.fromstring(svg)
        assert root.tag == "svg" and root.get("role") == "img"
        assert root.get("aria-label").startswith(HOSTILE)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names <= {"svg", "g", "path", "line", "text", "rect", "defs", "clipPath", "tspan"}, names


def test_what_users_write_is_shown_and_nothing_more(drawn):
    for svg in drawn:
        assert "<script" not in svg and "</svg>" not in svg[:-6]
        text = "".join(ElementTree.fromstring(svg).itertext())
        assert "</svg><script>" in text, "control: the text is there, as text"


def test_colours_are_variables_of_the_page(drawn):
    for svg in drawn:
        assert not re.findall(r'(?:fill|stroke)="#[0-9a-f]+"', svg), "dark pages could not change it"
        assert "var(--c1)" in svg
        assert "style=" not in svg, "the page forbids it"


def test_nothing_is_fetched_and_no_ids_clash(drawn):
    for svg in drawn:
        assert "://" not in svg and "href" not in svg and "@import" not in svg
    ids = [name for svg in drawn for name in re.findall(r'\bid="([^"]+)"', svg)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("text", ["\x00", "\u202e", "\ud800", "\n\t", "\x1b[31m", "x" * 10**6, "{" * 300])
def test_no_text_ends_the_process(text):
    """A NUL would: the converter aborts."""
    svg = bars(f"a{text}b", [(f"a{text}b", 1)], amount=text).svg()
    assert svg.startswith("<svg") and len(svg) < 20_000 and text not in svg


@pytest.mark.slow
def test_a_forked_process_draws_the_same(tmp_path):
    """The converter's threads are not in it: it would wait for ever."""
    chart = bars("x", [("a", 1)], amount="n")
    here = chart.svg()
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        (tmp_path / "there.svg").write_text(chart.svg())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / "there.svg").read_text() == here


def test_what_cannot_be_drawn_is_in_the_table():
    """The converter cuts a long label in the middle of a sign, and fails."""
    chart = bars("x", [("\U0001f600" * 60, 1)], amount="n")
    assert "cannot be drawn" in chart.svg() and chart.rows == (("\U0001f600" * 60, 1),)


def test_numbers_are_in_the_table_beside_it():
    assert bars("x", [("a", 0.125)], amount="share", percent=True).rows == (("a", "12.5 %"),)
    assert histogram("x", [(0, 31, 3.0)], value="day", amount="rows", after=[2.5], days=True).rows == (
        ("1970-01-01 to 1970-02-01", 3, 2.5),
    )
    assert shown(1234.5) == 1234 and shown(0.00012345) == 0.0001234


def test_colours_of_the_style_are_those_of_the_charts():
    from voile.reporting.page import _style

    light = _style().partition("@media")[0]
    for i, colour in enumerate(COLOURS, 1):
        assert f"--c{i}: {colour}" in light
