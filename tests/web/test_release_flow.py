"""From a file to a downloaded release, in a real browser."""

import json
import re
import tomllib

import polars as pl
import psutil
import pytest

import voile
from tests import command_line
from tests.web.drafts import prepared
from tests.web.pictures import pictured
from tests.web.serving import blank, held, upload, visited
from voile.pipeline import silent
from voile.web.child import outcome_of

pytestmark = pytest.mark.slow
MOST_CLICKS = 12
ENOUGH = 2_000  # rows of Adult, from which the same is read off as from all
RELEASED = "h1:has-text('Released')"


def partners(app):
    """Whom the server and its children talk to: on this machine, and elsewhere."""
    server = psutil.Process(app.process.pid)
    joined = [c for p in (server, *server.children(recursive=True)) for c in p.net_connections() if c.raddr]
    near = {c.raddr for c in joined if c.raddr.ip == "127.0.0.1"}
    return near, {c.raddr for c in joined} - near


def clicks(page):
    """Counts what a person clicks."""
    page.clicked = 0

    def click(selector):
        page.clicked += 1
        page.click(selector)

    return click


def downloaded(page, click, words):
    with page.expect_download() as got:
        click(f"a.button:has-text('{words}')")
    return got.value.path().read_bytes()


def test_the_demo_from_the_first_page_to_the_files(app, browser):
    with visited(app, browser) as page:
        pictured(page, "home")
        page.click("text=Try it with an invented hospital")
        page.wait_for_selector(".columns")
        assert page.locator(".one-column").count() == 8
        checked = page.locator("[aria-label='what diagnosis is'] input:checked + span").inner_text()
        assert checked == "the secret"
        pictured(page, "columns")
        page.click("text=Continue")
        page.wait_for_selector(".diagnosis")
        assert "l = 5 is possible" in page.inner_text(".diagnosis")
        pictured(page, "promise")
        page.click("text=Make the release")
        page.wait_for_selector(RELEASED)
        page.wait_for_selector(".report svg")
        pictured(page, "result")
        data = downloaded(page, page.click, "The table (csv)")
        certificate = json.loads(downloaded(page, page.click, "The certificate (json)"))
        report = downloaded(page, page.click, "The report (html)").decode()
        folder = app.folder / re.search(r"release-[0-9-]+", page.inner_text("main"))[0]
        assert page.said == []
        assert all(address.startswith((app.address, app.address.replace("http", "ws"))) for address in page.asked)
        assert any(address.startswith("ws") for address in page.asked), "control: the websocket is among them"
        near, far = partners(app)
        assert near and far == set(), "control: the browser is among those it talks to"
    assert data == (folder / "data.csv").read_bytes() and "<h1>" in report
    assert (
        certificate["adversary"]["rung"] == "algorithm, marginal"
        and certificate["promise"]["parameters"]["l"] == 5
    )


def test_adult_in_few_clicks_and_the_same_by_hand(app, browser, twins, tmp_path):
    """A newcomer's count; and the command line that the page shows does the same."""
    whole = (twins / "adult" / "arx_adult.csv").read_bytes()
    table = tmp_path / "arx_adult.csv"
    table.write_bytes(b"".join(whole.splitlines(keepends=True)[: 1 + ENOUGH]))
    with visited(app, browser) as page:
        click = clicks(page)
        page.clicked += 1
        upload(page, table)
        page.wait_for_selector(".columns")
        click("text=Continue")
        page.wait_for_selector(".diagnosis")
        page.fill("input[type=number]", "4")
        page.wait_for_selector("text=l = 4 is possible")
        click("text=Make the release")
        page.wait_for_selector(RELEASED)
        data = downloaded(page, click, "The table (csv)")
        assert page.clicked <= MOST_CLICKS
        page.click("text=Do the same on the command line")
        command = page.inner_text("pre[aria-label='command line']")
        spec = downloaded(page, page.click, "The spec").decode()
        assert page.said == []
        _prices(page)
    frame = pl.read_csv(data, infer_schema=False)
    assert frame.height == ENOUGH and "occupation" in frame.columns
    (tmp_path / "arx_adult.toml").write_text(spec)
    words = command.split()
    assert words[:2] == ["voile", "anonymize"]
    assert command_line.voile(*words[1:], cwd=tmp_path).code == 0
    made = voile.audit(tmp_path / "arx_adult-release", tmp_path / "arx_adult.toml", "l>=4", against="algorithm")
    assert made.ok and made.rows == frame.height


def _prices(page):
    """What other promises and algorithms cost, with the warning beside them."""
    page.click("text=What each promise costs here")
    assert "Decide who must be held off before you look" in page.inner_text("main")
    page.click("text=What would other promises and algorithms cost with l = 4?")
    page.wait_for_selector("text=Detail lost by other algorithms")
    text = page.inner_text("main")
    assert all(key in text for key in ("elig", "glass", "blind_cut", "mondrian", "hilbert"))
    pictured(page, "prices")


def test_a_run_that_is_refused_stopped_and_left_alone(altered, browser, people):
    """An l that is too large is refused with one that works; a stop leaves nothing; the run is the server's: it
    goes on without its page, and is found again."""
    with visited(altered, browser) as page:
        page.goto(prepared(altered, page, people) + "promise")
        page.click("label:has-text('Readers of the release alone')")
        page.fill("input[type=number]", "40")
        page.wait_for_selector("text=l = 40 is not possible")
        assert "choose l =" in page.inner_text(".diagnosis")
        page.click("text=Make the release")
        page.wait_for_selector(".refusal")
        assert "What would work" in page.inner_text(".refusal")
        pictured(page, "refused")
        before = {path.name for path in altered.folder.iterdir()}
        with held(altered):
            page.click("button:has-text('Use l =')")
            page.wait_for_selector(".job")
            pictured(page, "run")
            page.reload()
            page.click("text=Cancel")
            page.wait_for_selector(".stage:has-text('stopping')")
        page.wait_for_selector("text=You stopped it")
        pictured(page, "cancelled")
        assert {path.name for path in altered.folder.iterdir()} == before
        with held(altered):
            page.click("text=Try again")
            page.wait_for_selector(".job")
            assert page.said == []
            other = page.context.new_page()
            page.close()
        other.goto(altered.address)
        other.click(".work a >> nth=0")
        other.wait_for_selector(RELEASED)
        assert "readers of the release alone" in other.inner_text("main")
        assert "rows published" in other.inner_text("main") and other.locator(".report svg").count() > 0


def test_reload_while_a_table_is_looked_at(app, browser):
    with visited(app, browser) as page:
        with held(app):
            page.click("text=Try it with an invented hospital")
            page.wait_for_selector(".job")
            page.reload()
            page.wait_for_selector(".job")
        page.wait_for_selector(".columns")


BAD = {
    "no header.csv": (b"1990-01-02,x\n1991-02-03,y\n1992-02-03,z\n", "column names on top"),
    "ragged.csv": (b"age,disease\n31,flu\n32,gout,more\n", "correct the line"),
    "twice.csv": (b"age,Age\n1,2\n", "rename one"),
    "empty.csv": (b"", "a header and one line per row"),
    "nobody.csv": (b"age,disease\n", "at least one row"),
    "open quote.csv": (b'age,disease\n31,"flu\n', "close the quote"),
    "book.xlsx": (b"PK\x03\x04" + bytes(100), "unpack it"),
    "packed.csv.gz": (b"\x1f\x8b" + bytes(100), "unpack it"),
    "broken.parquet": (b"PAR1" + bytes(100), "complete"),
    "binary.csv": (b"age,disease\n31,fl\x00u\n", "UTF-8"),
}


WHILE_SENT = ("packed.csv.gz", "book.xlsx")


@pytest.mark.parametrize("name", [name for name in BAD if name not in WHILE_SENT])
def test_a_bad_file_is_refused_when_it_is_looked_at(tmp_path, name):
    """By the task itself, as its child calls it: what a page then shows is tested below."""
    content, remedy = BAD[name]
    (tmp_path / name).write_bytes(content)
    assert remedy in outcome_of("inspect_table", {"path": str(tmp_path / name)}, silent)["error"]["remedy"]


@pytest.mark.parametrize("name", [*WHILE_SENT, "ragged.csv"])
def test_a_bad_file_is_refused_with_what_would_work(app, browser, tmp_path, name):
    """While it is sent, and when it is looked at."""
    content, remedy = BAD[name]
    (tmp_path / name).write_bytes(content)
    with visited(app, browser) as page:
        upload(page, tmp_path / name)
        page.wait_for_selector(".refusal")
        assert remedy in page.inner_text(".refusal")


def test_another_encoding_is_chosen_on_the_page(app, browser, tmp_path):
    rows = "".join(f"{20 + i},{'grippe' if i % 2 else 'fièvre'},{i % 7}\n" for i in range(40))
    (tmp_path / "latin.csv").write_bytes(f"age,maladie,salle\n{rows}".encode("latin-1"))
    with visited(app, browser) as page:
        upload(page, tmp_path / "latin.csv")
        page.wait_for_selector(".refusal")
        page.select_option("select >> nth=0", "latin-1")
        page.click("text=Look again")
        page.wait_for_selector(".columns")
        assert page.locator(".one-column").count() == 3


def test_missing_cells_and_roles_are_corrected_at_a_click(altered, browser, tmp_path):
    """What is refused is said above the columns, and mended there."""
    rows = [f"{20 + i},{'' if i == 3 else 'mf'[i % 2]},{('flu', 'gout', 'asthma')[i % 3]}" for i in range(60)]
    (tmp_path / "small.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n")
    with visited(altered, browser) as page:
        page.goto(prepared(altered, page, tmp_path / "small.csv") + "columns")
        page.wait_for_selector(".columns")
        page.select_option("[aria-label=sex] select >> nth=1", "refuse")
        page.click("text=Continue")
        page.wait_for_selector(".refusal")
        assert "missing values" in page.inner_text(".refusal")
        page.select_option("[aria-label=sex] select >> nth=1", "drop-row")
        page.click("[aria-label='what age is'] label:has-text('leave out')")
        page.click("text=Continue")
        page.wait_for_selector(".diagnosis")
        assert "1 dropped for missing values" in page.inner_text("main")
        spec = altered.client_of(page).get(f"/download/{page.url.split('/')[-2]}/spec").text
        assert tomllib.loads(spec)["columns"]["age"] == {"role": "insensitive"}
        assert page.said == []


def test_the_tables_of_the_folder(app, browser, tmp_path):
    rows = "".join(f"{20 + i % 30},{('flu', 'gout', 'asthma')[i % 3]}\n" for i in range(60))
    (app.folder / "in the folder.csv").write_text(f"age,disease\n{rows}")
    with visited(app, browser) as page:
        page.select_option("main select", "in the folder.csv")
        page.click("text=Use it")
        page.wait_for_selector(".columns")
        assert "in the folder.csv" in page.inner_text("h1")


def test_an_algorithm_by_name(altered, browser, tmp_path):
    """With tau, for a column so skewed that no l works."""
    rows = "".join(f"{20 + i % 40},{'flu' if i % 10 else ('gout', 'asthma', 'HIV')[i % 3]}\n" for i in range(200))
    (tmp_path / "skewed.csv").write_text(f"age,disease\n{rows}")
    with visited(altered, browser) as page:
        address = prepared(altered, page, tmp_path / "skewed.csv")
        assert "No l works" in altered.client_of(page).get(f"{address}columns").text
        page.goto(f"{address}promise")
        page.click("text=Name the algorithm yourself")
        page.select_option("label:has-text('algorithm') select", "sweep_e")
        page.fill("label:has-text('tau:') input", "0.95")
        page.fill("input[type=number]", "2")
        page.click("text=Make the release")
        page.wait_for_selector(RELEASED)
        assert "(tau,l)-diversity" in page.inner_text("main")


def test_a_wrong_token_shows_where_the_right_one_is(app, browser):
    with blank(browser) as page:
        page.goto(f"{app.address}/login?token=wrong")
        assert "terminal" in page.inner_text("body")
        pictured(page, "login")
        page.goto(f"{app.address}/release/x/columns")
        assert page.locator("input[name=token]").count() == 1
