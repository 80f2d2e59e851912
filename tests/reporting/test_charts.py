"""Charts: text stays text, colours are the page's, nothing is fetched."""

import os
import re
import signal
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from voile.reporting.charts import Point, bars, before_after, histogram, lines, scatter, shown
from voile.reporting.palette import COLOURS
from voile.reporting.scales import width_of

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
    chart = scatter("x", [Point(1, 2, "a")], across="n", upward="m")
    here = chart.svg()
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        (tmp_path / "there.svg").write_text(chart.svg())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / "there.svg").read_text() == here


def test_what_cannot_be_drawn_is_in_the_table():
    """The converter cuts a long label in the middle of a sign, and fails; our own pictures have it."""
    emoji = "\U0001f600" * 60
    chart = scatter("x", [Point(1, 2, emoji)], across="n", upward="m")
    assert "cannot be drawn" in chart.svg() and chart.rows[0][0] == emoji
    assert "\U0001f600" * 5 in bars("x", [(emoji, 1)], amount="n").svg()


ODD = [float("nan"), float("inf"), -float("inf"), 10**400, -5, 0, 1e-300, 2**53]


@pytest.mark.parametrize("odd", ODD)
def test_no_number_breaks_a_picture(odd):
    """A record may be written by hand: what cannot be drawn leaves a gap, and every place is a number."""
    drawn = [
        bars("x", [("a", odd), ("b", 3)], amount="n"),
        before_after("x", [("a", odd, 3), ("b", odd, odd)], amount="n"),
        histogram("x", [(0, 10, odd), (10, 20, 4)], value="v", amount="n", after=[odd, 1]),
        lines("x", [("a", [(0.1, odd, odd, odd), (0.2, 1, 0, 2)])], across="x", upward="y", log=True),
    ]
    for chart in drawn:
        svg = chart.svg()
        places = re.findall(r'\b(?:[dxy]|x1|y1|x2|y2|width|height)="([^"]*)"', svg)
        assert svg.startswith("<svg") and not any("nan" in place or "inf" in place for place in places)


@pytest.mark.parametrize("kind", [bars, before_after])
def test_nothing_at_all_is_drawn_empty(kind):
    assert kind("x", [], amount="n").svg().startswith("<svg")
    assert histogram("x", [], value="v", amount="n").svg().startswith("<svg")
    assert lines("x", [], across="x", upward="y", log=True).svg().startswith("<svg")


def test_lengths_are_amounts():
    """A bar is as long as its amount, from the same edge, and the ticks say so."""
    root = ElementTree.fromstring(bars("x", [("a", 40), ("b", 80), ("c", 0)], amount="n").svg())
    lengths = [(float(bar.get("x")), float(bar.get("width"))) for bar in root.iter("rect")]
    (start, half), (_, whole), (_, none) = lengths
    assert whole == pytest.approx(2 * half, abs=0.11) and none == 0 and {x for x, _ in lengths} == {start}
    labels = {text.text: float(text.get("x")) for text in root.iter("text")}
    assert labels["40"] == pytest.approx(start + half, abs=0.1) and labels["0"] == pytest.approx(start, abs=0.1)


def test_heights_are_amounts():
    """Also of the line, which has each amount from the beginning to the end of its bin."""
    drawn = histogram("x", [(0, 10, 20), (10, 30, 40)], value="v", amount="n", after=[40, 20])
    root = ElementTree.fromstring(drawn.svg())
    first, second, *_ = root.iter("rect")
    assert float(second.get("height")) == pytest.approx(2 * float(first.get("height")), abs=0.11)
    assert float(second.get("width")) == pytest.approx(2 * float(first.get("width")), abs=1)
    path = next(path.get("d") for path in root.iter("path"))
    places = [tuple(map(float, place.split(","))) for place in path.strip("M").split("L")]
    assert [y for _, y in places] == pytest.approx([float(bar.get("y")) for bar in (second, second, first, first)])
    assert places[1][0] == places[2][0] == pytest.approx(float(second.get("x")), abs=0.5)


def test_names_and_labels_stay_inside():
    """Long names are cut, and no label hangs over an edge."""
    names = ["w" * 300, "名" * 100, "short"]
    for chart in (
        bars("x", [(name, 10**i) for i, name in enumerate(names)], amount="n" * 300, name="m" * 300),
        before_after("x", [(name, 10, 1) for name in names], amount="n", names=("b" * 90, "a" * 90)),
        histogram("x", [(10**9, 2 * 10**9, 5)], value="v" * 300, amount="n" * 300, after=[3]),
    ):
        root = ElementTree.fromstring(chart.svg())
        for text in root.iter("text"):
            if not text.get("transform"):
                share = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
                left = float(text.get("x")) - share * width_of(text.text)
                assert left >= 0 and left + width_of(text.text) <= float(root.get("width")) + 1


def test_without_the_converter_a_chart_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    note = "This chart cannot be drawn without vl-convert (pip install vl-convert-python); its numbers are below."
    chart = scatter("x", [Point(1, 2, "a")], across="n", upward="m")
    assert chart.svg() == f'<p class="note">{note}</p>'


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
