"""Signs that mean something to a browser or a template, wherever a table can bring them: shown as they are."""

import pytest

from tests.web.drafts import prepared
from tests.web.serving import visited

pytestmark = pytest.mark.slow  # starts a server and a browser
NAMES = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "{{7*7}} ${7*7} `x`",
    "</script><script>alert(3)</script>",
    "<b>secret</b> &lt;i&gt; \\u003cscript>",
)
VALUES = (
    "<img src=x onerror=alert(4)>",
    "</textarea><script>alert(5)</script>",
    "{{constructor.constructor('alert(6)')()}}",
    "`${alert(7)}`",
    "javascript:alert(8)",
    '"\' onmouseover=alert(9) x="',
    "<svg onload=alert(10)>",
)
LABEL = "<img src=x onerror=alert(11)>{{7*7}}\"'`${1}.csv"


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def table():
    rows = [",".join(map(quoted, NAMES))]
    for i in range(84):
        cells = (f"p{i}", str(20 + i % 40), VALUES[i % 3], str(i % 5), VALUES[i % 7])
        rows.append(",".join(map(quoted, cells)))
    return "\n".join([*rows, ""]).encode()


def given(page, name, content):
    """A file of any name, as a page can get it."""
    with page.expect_file_chooser() as chooser:
        page.click(".drop label")
    chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content})


def on_the_way(page, app, folder):
    """Every page of a release, one after the other."""
    (folder / LABEL).write_bytes(table())
    kinds = ("identifying", *["quasi-identifying"] * 3, "sensitive")
    base = prepared(app, page, folder / LABEL, zip(NAMES, kinds, strict=True))
    page.goto(f"{base}columns")
    page.wait_for_selector(".one-column")
    yield "columns"
    page.goto(f"{base}hierarchy/2")
    page.wait_for_selector("text=Now: none")
    yield "hierarchy"
    lines = "".join(f"{quoted(value)};{quoted(NAMES[0])};*\n" for value in VALUES[:3])
    given(page, LABEL, lines.encode())
    page.wait_for_selector(".tree .label, .refusal p")
    yield "tree"
    given(page, LABEL, b"<script>alert(12)</script>;{{7*7}};x;y\n")
    page.wait_for_selector(".refusal p")
    yield "refused"
    base = prepared(app, page, folder / LABEL, zip(NAMES, kinds, strict=True))
    page.goto(f"{base}promise")
    page.wait_for_selector(".diagnosis")
    page.check("label:has-text('show values') input")
    page.wait_for_selector(f".diagnosis :text('{VALUES[0]}')", state="attached")
    page.fill("input[type=number]", "2")
    yield "promise"
    page.click("text=Make the release")
    page.wait_for_selector("h1:has-text('Released')")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.wait_for_selector(".report svg")
    yield "result"
    page.goto(app.address)
    page.wait_for_selector("main h1")
    yield "home"


SHOWN = {
    "columns": (*NAMES, LABEL),
    "tree": (NAMES[0], *VALUES[:3]),
    "promise": (NAMES[-1], *VALUES),
    "result": (NAMES[1], NAMES[-1], VALUES[0]),
    "home": (LABEL,),
}


def test_nothing_of_a_table_runs(altered, browser, tmp_path):
    defects = altered.said.count("defect")
    with visited(altered, browser) as page:
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        for step in on_the_way(page, altered, tmp_path):
            text = page.evaluate("document.body.textContent + document.title")
            for words in SHOWN.get(step, ()):
                assert words in text, f"{step}: {words} is shown as it is"
            made = page.evaluate("[...document.querySelectorAll('main img, main script, main b')].length")
            assert made == 0, f"{step}: a table makes no element"
            marks = "main [onerror], main [onload], main [onmouseover], main [href^=javascript]"
            assert page.locator(marks).count() == 0, step
            assert dialogs == [], (step, dialogs)
            assert page.said == [], (step, page.said)
        with page.expect_event("dialog"):
            page.evaluate("(() => { setTimeout(() => alert('control')) })()")
        assert dialogs == ["control"], "control: a dialog would have been seen"
    assert altered.said.count("defect") == defects
