"""Hierarchies in a real browser: imported, refused, edited, completed, built, and used by a release."""

import csv

import pytest

from tests.web.drafts import prepared
from tests.web.pictures import pictured
from tests.web.serving import upload, visited

pytestmark = pytest.mark.slow

PLACES = ("north", "south", "east", "west")
ILLNESSES = ("flu", "gout", "asthma", "measles")
GOOD = "north;cold;*\nsouth;warm;*\neast;cold;*\n"  # west is lacking
TWO_PARENTS = "north;cold;*\nsouth;warm;*\neast;cold;x\nwest;warm;*\n"
MARK = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("hierarchies")
    rows = [f"{20 + i % 40},{PLACES[i % 4]},{ILLNESSES[i * 7 // 3 % 4]}" for i in range(200)]
    (place / "people.csv").write_text("age,region,disease\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (place / "good.csv").write_text(GOOD, encoding="utf-8")
    (place / "bad.csv").write_text(TWO_PARENTS, encoding="utf-8")
    (place / "large.csv").write_bytes(b"north;*\n" * (2**20 + 1))
    return place


def begun(app, page, folder):
    """A table that was looked at: the address of its draft."""
    return prepared(app, page, folder / "people.csv").removesuffix("/")


def tree(page):
    return page.locator(".tree .label").all_inner_texts()


def edit(page, text):
    page.click(".editor > summary")
    page.fill(".editor textarea", text)
    page.click("text=Check and keep")


def test_imported_refused_edited_and_used(altered, browser, folder):
    before = set(altered.folder.glob("release-*/data.csv"))
    with visited(altered, browser) as page:
        base = begun(altered, page, folder)
        page.goto(f"{base}/columns")
        page.click('.one-column:has(h2:text-is("region")) a:has-text("hierarchy: none")')
        page.wait_for_selector("text=Now: none")
        upload(page, folder / "good.csv")
        page.wait_for_selector("text=Now: a file")
        assert "1 value of the table (50 rows) is not in it" in page.inner_text("main")
        assert tree(page)[:2] == ["*", "cold"]
        pictured(page, "hierarchy")

        upload(page, folder / "bad.csv")  # what is refused changes nothing
        page.wait_for_selector(".refusal p")
        assert "hierarchy bad.csv, line 3" in page.inner_text(".refusal")
        assert "line 3 east;cold;x" in page.inner_text("main")
        assert "Nothing has changed" in page.inner_text("main")
        assert tree(page)[:2] == ["*", "cold"]

        upload(page, folder / "large.csv")
        page.wait_for_selector(".drop .refusal")
        assert "8 MiB" in page.inner_text(".drop .refusal")

        page.click("text=Add the missing values directly under *")
        page.wait_for_selector(".fits")
        assert "west" in tree(page)
        assert page.input_value(".editor textarea") == GOOD + "west;west;*\n"

        page.goto(f"{base}/columns")
        page.click("button:text-is('Continue')")
        page.fill(".confidence input", "2")
        page.click("button:text-is('Make the release')")
        page.wait_for_url("**/result")
        page.wait_for_selector(".downloads")
        assert page.locator("text=hierarchy-2.csv").count()
        assert page.said == []
    (released,) = set(altered.folder.glob("release-*/data.csv")) - before
    with released.open(encoding="utf-8", newline="") as file:
        cells = {row["region"] for row in csv.DictReader(file)}
    assert cells <= {*PLACES, "cold", "warm", "*"}


def test_built_edited_and_removed(altered, browser, folder):
    with visited(altered, browser) as page:
        base = begun(altered, page, folder)
        page.goto(f"{base}/hierarchy/0")
        page.fill("label:has-text('widths') input", "10, 20")
        page.click("text=Build intervals")
        page.wait_for_selector("text=Now: intervals 10, 20")
        assert tree(page)[:3] == ["*", "[20, 39]", "[20, 29]"]
        lines = page.locator(".editor textarea").input_value()
        assert lines.startswith("20;[20, 29];[20, 39];*\n")
        edit(page, lines.replace("[20, 39]", MARK).replace("[40, 59]", "old") + "99;99;old;*\n")
        page.wait_for_selector("text=Now: a file")
        assert tree(page)[:2] == ["*", MARK]  # text, whatever it looks like
        assert "1 leaf does not occur" in page.inner_text("main")
        edit(page, lines.replace("[20, 29]", "[60, 69]"))  # a label that lies
        page.wait_for_selector(".refusal p")
        assert "does not contain its value" in page.inner_text(".refusal")
        assert "[60, 69]" in page.input_value(".editor textarea")  # nothing typed is lost
        assert tree(page)[:2] == ["*", MARK]
        page.click("text=Remove it")
        page.wait_for_selector("text=Now: none")
        assert page.said == []


def test_only_what_has_a_hierarchy_has_a_page(app, folder):
    client = app.client()
    key = client.post("/upload", headers={"x-name": "people.csv"}).json()["id"]
    client.post(f"/upload/{key}", content=(folder / "people.csv").read_bytes())
    place = client.post(f"/upload/{key}/done/release").json()["next"].removesuffix("/columns")
    for position in ("99", "-1", "x", "1e3", "%2e%2e"):
        assert "There is nothing here" in client.get(f"{place}/hierarchy/{position}").text
    other = app.client()
    assert "There is nothing here" in other.get(f"{place}/hierarchy/1").text
    key = other.post("/upload", headers={"x-name": "tree.csv"}).json()["id"]
    draft = place.rsplit("/", 1)[1]
    assert other.post(f"/upload/{key}/done/hierarchy/{draft}/1").status_code == 404
