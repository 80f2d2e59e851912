"""The page: escaped, self-contained, forbidden to load anything."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.reporting.charts import bars
from voile.reporting.markup import Markup, element, escaped
from voile.reporting.page import bullets, details, figure, key_figures, listing, page, paragraph, section, table

EVIL = "<img src=x onerror=alert(1)>\"'&\x00\u202e"


class Elements(HTMLParser):
    """The elements and the text that a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.names, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.text.append(data)


def a_page(word=EVIL):
    parts = [
        section(
            "one",
            word,
            paragraph(word),
            bullets([word]),
            table(word, [word, "n"], [[word, 3], [word, "4 %"]], [1]),
            details(word, listing(word, word)),
            key_figures({word: word}),
        ),
        section("two", "Two", figure(bars(word, [(word, 1)], amount=word))),
    ]
    return page(word, parts, lead=paragraph(word, kind="lead"), foot=word)


def test_nothing_that_is_shown_becomes_markup():
    seen = Elements(a_page())
    assert "img" not in seen.names and "script" not in seen.names
    assert "onerror" not in seen.attributes and "style" not in seen.attributes
    assert "<img src=x" in "".join(seen.text), "control: it is there, as text"
    assert "\x00" not in a_page() and "\u202e" not in a_page(), "signs that nobody sees are marked"


@pytest.mark.slow
@settings(max_examples=50)
@given(st.text())
def test_escaped_text_is_only_text(text):
    seen = Elements(f"<p>{escaped(text)}</p>")
    assert seen.names == ["p"]
    assert element("b", text) == Markup(f"<b>{escaped(text)}</b>")


def test_policy_allows_its_own_style_and_nothing_else():
    text = a_page()
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert text.count("<style>") == 1 and "url(" not in style and "@import" not in style
    assert (
        "://" not in text
        and "<link" not in text
        and "src=" not in text.replace(escaped("src="), "").replace(escaped(EVIL), "")
    )


def test_landmarks_and_links():
    text = a_page("word")
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    for name in ("<main", "<nav", "<header", "<footer", 'lang="en"', 'name="viewport"', "<h1>"):
        assert name in text
    assert text.count("<caption>") == text.count("<table>") == 2
