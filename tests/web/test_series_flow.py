"""A series over three releases in a real browser: persons come, leave, return and change."""

import csv
import shlex

import numpy as np
import pytest

import voile
from tests.web.pictures import pictured
from tests.web.serving import upload, visited
from voile.ledger import Ledger

pytestmark = pytest.mark.slow
DISEASES = ("flu", "cold", "gout", "asthma", "angina", "anemia")
M = 3


def person(i, disease=None):
    return (f"p{i:04}", 20 + i * 7 % 60, "mf"[i % 2], disease or DISEASES[i % len(DISEASES)])


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("patient", "age", "sex", "disease"), *rows])
    return path


def tables(folder):
    """Three quarters: some leave, others come; in the last some return, and some have another value."""
    first = [person(i) for i in range(120)]
    second = [person(i) for i in range(30, 180)]
    third = [person(i, "measles") if 100 <= i < 105 else person(i) for i in [*range(15), *range(40, 200)]]
    return [write(folder / f"q{n}.csv", rows) for n, rows in enumerate((first, second, third), 1)]


def names_in(table):
    return {line.split(",")[0] for line in table.read_text().splitlines()[1:]}


def figures(page):
    """The key figures of a page by name."""
    return {
        pair.locator("dt").inner_text().lower(): pair.locator("dd").inner_text()
        for pair in page.locator("dl.keys > div").all()
    }


def choose(page, table):
    upload(page, table)
    page.wait_for_selector("button:has-text('Continue')")


def role_of(page, column, words):
    page.click(f"[aria-label='what {column} is'] label:has-text('{words}')")


def previewed(page):
    page.click("button:has-text('Continue')")
    page.wait_for_selector("h1:has-text('What would be published')")
    page.click("button:has-text('Preview')")
    page.wait_for_selector("button:has-text('Publish as release')")
    return figures(page)


def publish(page):
    page.click("button:has-text('Publish as release')")
    page.wait_for_selector("a:has-text('The history of the series')")


def test_three_releases(app, browser, tmp_path, monkeypatch):
    """The second one on another way than by the app, which finds it."""
    monkeypatch.setenv("VOILE_KEYS", str(app.folder / "keys"))
    first, second, third = tables(tmp_path)
    known = [names_in(table) for table in (first, second, third)]
    with visited(app, browser) as page:
        page.goto(f"{app.address}/series")
        page.fill("input[placeholder='clinic-2026']", "../up")
        page.click("text=Begin the series")
        page.wait_for_selector(".refusal:has-text('letters a to z')")
        page.fill("input[placeholder='clinic-2026']", "clinic")
        page.click("text=Begin the series")
        page.wait_for_selector("h1:has-text('The series clinic')")
        page.wait_for_selector("text=No release yet")
        assert (app.folder / "clinic" / "clinic.ledger").stat().st_mode & 0o777 == 0o600
        key = next((app.folder / "keys").glob("*.key"))
        assert str(key) in page.inner_text("main"), "it says where the key lies"

        choose(page, first)
        for column, words in {"patient": "person id", "disease": "the secret"}.items():
            role_of(page, column, words)
        page.click("button:has-text('Continue')")
        page.wait_for_selector("text=m stays the same for the whole series")
        page.fill("input[type=number]", str(M))
        page.wait_for_selector(f"text=the same {M} or more values")  # the button is drawn anew
        page.click("button:has-text('Preview')")
        page.wait_for_selector("button:has-text('Publish as release 1')")
        found = figures(page)
        assert (found["published"], found["new"], found["held back"]) == ("120", "120", "0")
        assert "gone" not in found and not (app.folder / "clinic" / "release-1").exists()
        publish(page)

        page.click("a:has-text('The history of the series')")
        page.wait_for_selector("figure svg")
        series = voile.Series(app.folder / "clinic" / "clinic.ledger")
        series.publish(voile.read(second, SPEC))

        page.goto(f"{app.address}/series")
        page.wait_for_selector("text=2 releases")
        pictured(page, "series")
        choose(page, third)
        assert "as in the series clinic before" in page.inner_text("main")
        found = previewed(page)
        page.reload()  # in the middle: the preview is still there
        page.wait_for_selector("button:has-text('Publish as release 3')")
        assert figures(page) == found
        before = known[0] | known[1]
        signed = signatures_of(app)
        outside = [p for p in known[2] if 100 <= int(p[1:]) < 105 and "measles" not in signed]
        assert found["new"] == str(len(known[2] - before)) and found["gone"] == str(len(before - known[2]))
        assert found["returned"] == str(len((known[2] & before) - known[1])) == "15"
        assert found["held back"] == str(len(outside)) == "5"
        assert found["published"] == str(len(known[2]) - 5)
        pictured(page, "series-preview")
        publish(page)
        pictured(page, "series-result")
        assert figures(page)["rows published"] == str(len(known[2]) - 5 + int(found["counterfeits"]))
        page.click("a:has-text('The history of the series')")
        page.wait_for_selector("figure svg")
        assert page.locator("tbody tr:has-text('published')").count() >= 3
        found = figures(page)
        assert (found["releases"], found["values for everybody, at least (m)"]) == ("3", "3")
        pictured(page, "series-history")
        assert page.said == []
    history = series.history()
    assert history["state"].to_list() == ["published"] * 3 and history["changed"].to_list() == [0, 0, 5]


def signatures_of(app):
    sets = Ledger.read(app.folder / "clinic" / "clinic.ledger").signatures().values()
    return {value for labels in sets for value in labels}


SPEC = {"patient": "subject", "age": {"role": "qi", "type": "integer"}, "sex": "qi", "disease": "sensitive"}


def pick(page, name):
    """A table of the folder, without an upload."""
    page.select_option("label:has-text('Or pick from the folder') select", name)
    page.click("button:has-text('Use it')")
    page.wait_for_selector("button:has-text('Continue')")


def preview_refused(page):
    page.click("button:has-text('Preview')")
    page.wait_for_selector(".refusal")
    return page.inner_text("main")


def test_refusals_come_with_what_would_work(app, browser, tmp_path, monkeypatch):
    """Nobody is named; everybody is a stranger; a release was interrupted; a ledger is damaged."""
    monkeypatch.setenv("VOILE_KEYS", str(app.folder / "keys"))
    (app.folder / "ward").mkdir()
    series = voile.Series.create(app.folder / "ward" / "ward.ledger")
    first, *_ = tables(tmp_path)
    series.publish(voile.read(first, SPEC), m=M)
    write(app.folder / "strangers.csv", [(f"z{row[0]}", *row[1:]) for row in map(person, range(60))])
    with Ledger.open(series.path) as ledger:
        body = {"algorithm": "rda", "parameters": {}, "rows": 0}
        ledger.reserve(np.empty((0, 2), np.uint64), [], (), body, app.folder / "ward" / "release-2")
    damaged = app.folder / "damaged.ledger"
    damaged.write_bytes(b"x" * 5000)
    damaged.chmod(0o600)
    with visited(app, browser) as page:
        page.goto(f"{app.address}/series")
        page.wait_for_selector(".books .refusal:has-text('is damaged')")
        page.click(".books a:has-text('ward')")
        page.wait_for_selector(".refusal pre")
        assert page.inner_text(".refusal pre") == shlex.join(["voile", "ledger", "recover", str(series.path)])
        pick(page, "strangers.csv")
        role_of(page, "disease", "the secret")
        role_of(page, "patient", "names a person")
        page.click("button:has-text('Continue')")
        page.wait_for_selector("button:has-text('Preview')")
        assert "subject" in preview_refused(page) and "What would work" in page.inner_text(".refusal")
        page.click("a:has-text('Back')")
        page.wait_for_selector("button:has-text('Continue')")
        role_of(page, "patient", "person id")
        page.click("button:has-text('Continue')")
        page.wait_for_selector("button:has-text('Preview')")
        assert page.locator(".refusal").count() == 0, "the old refusal was of another spec"
        text = preview_refused(page)
        assert "none of the 60 persons is known" in text and "zp00" not in text
        assert "voile ledger verify" in text
        pictured(page, "series-refused")
        page.click("text=Nobody in this table was published before")
        page.wait_for_selector(".refusal", state="detached")
        page.wait_for_selector("button:text-is('Preview')")
        page.select_option("label:has-text('Which series') select", "damaged.ledger")
        page.wait_for_selector(".refusal:has-text('is damaged')")
        page.wait_for_selector("button:has-text('Preview')", state="detached")
        assert page.locator("button:has-text('Publish as')").count() == 0
        assert page.said == []
    assert series.history().height == 2
