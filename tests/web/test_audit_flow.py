"""Audits in a real browser: a table that Voile did not make, a release folder, what is required and not kept."""

import pytest

from tests.web.pictures import pictured
from tests.web.serving import upload, visited
from voile.pipeline import publish

pytestmark = pytest.mark.slow

# 2-anonymous, and all of the second group have HIV
FOREIGN = """age,zip,disease
20-29,816**,flu
20-29,816**,gout
20-29,816**,HIV
30-39,816**,HIV
30-39,816**,HIV
40-49,12***,flu
40-49,12***,asthma
40-49,12***,gout
"""
SPEC = """[columns]
name = { role = "identifying" }
age = { role = "qi", type = "integer" }
disease = { role = "sensitive" }
"""


@pytest.fixture(scope="module")
def folder(app, tmp_path_factory):
    place, source = app.folder, tmp_path_factory.mktemp("source")
    illnesses = ("flu", "gout", "asthma", "measles")
    rows = [f"person {i},{20 + i % 40},{illnesses[i * 7 % 4]}" for i in range(120)]
    (source / "people.csv").write_text("name,age,disease\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (source / "people.toml").write_text(SPEC, encoding="utf-8")
    publish(source / "people.csv", source / "people.toml", None, place / "ours", against="algorithm", l=2)
    (place / "foreign.csv").write_text(FOREIGN, encoding="utf-8")
    return place


def role(page, column, words):
    page.locator(f'.one-column:has(h2:text-is("{column}")) .segments label', has_text=words).click()


def roles(page):
    script = """all => all.map(one => [one.querySelector('h2').textContent,
        one.querySelector('input:checked + span').textContent])"""
    return dict(page.eval_on_selector_all(".one-column", script))


def audited(page):
    page.click("button:text-is('Continue')")
    page.wait_for_url("**/result")
    page.wait_for_selector(".keys, .refusal")


def test_a_table_of_somebody_else(app, browser, folder, tmp_path):
    with visited(app, browser) as page:
        page.goto(f"{app.address}/audit")
        pictured(page, "audit")
        upload(page, folder / "foreign.csv")
        page.wait_for_selector(".one-column")
        role(page, "age", "others may know")
        role(page, "zip", "others may know")
        role(page, "disease", "the secret")
        pictured(page, "audit-columns")
        audited(page)
        text = page.inner_text("main")
        assert "a chance of at most 100 %" in text
        assert "Nothing was promised or required: judge by the figures." in text
        assert "no certificate" in text
        assert "can be read off" in text
        assert page.locator(".keys dd").all_inner_texts()[:3] == ["8", "3", "2 rows"]
        assert page.locator(".report h2").count() >= 4  # groups, columns, attacks, ...
        with page.expect_download() as coming:
            page.click("text=The report (html)")
        coming.value.save_as(tmp_path / "report.html")
        assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
        require(page, "k>=2, l>=2")
        page.wait_for_selector(".verdicts")
        pictured(page, "audit-result")
        broken, kept = (page.locator(f".verdicts .{kind}").all_inner_texts() for kind in ("broken", "kept"))
        assert len(broken) == len(kept) == 1
        assert "achieved 1, required >= 2; 1 group of 3 with 2 rows below" in broken[0]
        assert "achieved 2, required >= 2" in kept[0]
        require(page, "k>=2, much")
        page.wait_for_selector(".refusal")
        assert "not a requirement" in page.inner_text(".refusal")
        assert page.said == []
        other, key = app.client(), page.url.split("/")[-2]
        assert "There is nothing here" in other.get(f"/audit/{key}/result").text
        assert other.get(f"/download/{key}/audit").status_code == 404


def require(page, text):
    page.fill("label:has-text('requirements') input", text)
    page.click("button:text-is('Audit again')")


def test_a_release_of_voile(app, browser, folder):
    with visited(app, browser) as page:
        page.goto(f"{app.address}/audit")
        page.select_option("label:has-text('releases in the folder') select", "ours")
        page.click("button:text-is('Audit it')")
        page.wait_for_selector(".one-column")
        assert roles(page) == {"age": "others may know", "disease": "the secret"}
        page.select_option("label:has-text('must hold against') select", "algorithm")
        audited(page)
        text = page.inner_text("main")
        assert "Everything promised and required is kept" in text
        assert "against readers who know how it was made: frequency l-diversity" in text
        assert page.said == []
