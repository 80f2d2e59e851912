"""The table whose every cell is a unique token, through every flow of the app and every failure.

Identifying tokens are on no page. Others see nothing at all: neither another session, nor the terminal, nor the
list of processes, nor who looks into temporary folders.
"""

import json
from pathlib import Path

import psutil
import pytest

from tests.leaks.test_canaries import FAILURES, row, tokens_in, write
from tests.web.serving import held, sent, served, upload, visited, wait_until
from voile.kernels.compiled import cache_folder
from voile.pipeline import silent
from voile.web.child import outcome_of
from voile.web.frame import refusal_markup

pytestmark = pytest.mark.slow  # starts a server and a browser
IDENTIFYING = ("name", "person")
PUBLISHED = {"income", "born", "code", "town", "secret"}
ROLES = {
    **{"name": "names a person", "person": "person id", "income": "others may know", "born": "others may know"},
    **{"code": "others may know", "town": "others may know", "ward": "leave out", "secret": "the secret"},
}
OF_TABLES = [name for name in FAILURES if not name.startswith(("hierarchy", "missing column", "kept", "output"))]
OF_HIERARCHIES = [name for name in FAILURES if name.startswith("hierarchy")]
WALKED = ("hierarchy two parents", "ragged", "NUL", "case twins")  # through the app; all of them without it


class Walk:
    """A person's way through the app: what every page showed, and what was to be seen of processes meanwhile."""

    def __init__(self, app, page, folder):
        self.app, self.page, self.folder = app, page, folder
        self.pages, self.processes, self.addresses = {}, [], []
        self.client = app.client_of(page)

    def look(self, name):
        """At a page that stays: it is connected, and its job, if it shows one, is held."""
        self.page.wait_for_function("window.did_handshake")
        self.pages[name] = self.page.evaluate("document.documentElement.outerHTML + document.body.innerText")
        self.addresses.append(self.page.url.removeprefix(self.app.address))
        server = psutil.Process(self.app.process.pid)
        for process in (server, *server.children(recursive=True)):
            place = Path(f"/proc/{process.pid}")
            try:
                self.processes += [(place / part).read_bytes().decode("utf-8", "replace") for part in SEEN]
            except OSError:
                continue

    def wait(self, what):
        self.page.wait_for_selector(what)

    def choose_roles(self):
        self.wait(".one-column")
        self.look(f"columns {len(self.pages)}")
        for column, words in ROLES.items():
            self.page.click(f"[aria-label='what {column} is'] label:has-text('{words}')")

    def sent(self, path, purpose):
        """The same over HTTP: the address of the next page."""
        return sent(self.client, path.name, path.read_bytes(), purpose)[1]


SEEN = ("cmdline", "environ", "comm")
RELEASED = "h1:has-text('Released')"


def release_flow(walk):
    page = walk.page
    upload(page, walk.folder / "t.csv")
    walk.choose_roles()
    walk.base = page.url.removesuffix("/columns")
    page.click("button:has-text('Continue')")
    walk.wait(".diagnosis")
    walk.look("promise")
    page.fill(".confidence input", "3")
    with held(walk.app):
        page.click("text=Make the release")
        walk.wait(".job")
        walk.look("run")
    walk.wait(RELEASED)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.click("text=What would other promises and algorithms cost with l = 3?")
    walk.wait("text=Detail lost by other algorithms")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    walk.look("result")
    links = page.eval_on_selector_all("a[href*='/download/']", "all => all.map(one => one.getAttribute('href'))")
    walk.downloads = {address: walk.client.get(address).text for address in links}
    walk.addresses += links
    page.goto(f"{walk.base}/hierarchy/4")
    walk.wait("text=Now:")  # until its job is over the page goes on by itself
    walk.look("hierarchy")
    page.goto(walk.app.address)
    walk.wait("main h1")
    walk.look("home")


def hierarchy_failures(walk):
    """Refused lines are shown to who sent them: codes, which are published; nobody's name."""
    draft = walk.base.rsplit("/", 1)[1]
    for name in set(OF_HIERARCHIES) & set(WALKED):
        write(walk.folder)
        FAILURES[name](walk.folder)
        place = walk.sent(walk.folder / "code.csv", f"hierarchy/{draft}/4")
        walk.pages[name] = finished(walk.client, place)
    write(walk.folder)


def table_failures(walk):
    walked = [name for name in OF_TABLES if name in WALKED]
    for name in walked:
        write(walk.folder)
        FAILURES[name](walk.folder)
        walk.addresses.append(walk.sent(walk.folder / "t.csv", "release"))
        walk.pages[name] = ""
    write(walk.folder)
    for name, address in zip(walked, walk.addresses[-len(walked) :], strict=True):
        walk.pages[name] = finished(walk.client, address)
        assert "defect" not in walk.pages[name], name


def finished(client, address):
    """A page whose job is over."""
    return wait_until(lambda: '"class":["job"]' not in (text := client.get(address).text) and text)


def series_flow(walk):
    page = walk.page
    page.goto(f"{walk.app.address}/series")
    page.fill("input[placeholder='clinic-2026']", "canary")
    page.click("text=Begin the series")
    walk.wait("text=No release yet")
    upload(page, walk.folder / "t.csv")
    walk.choose_roles()
    page.click("button:has-text('Continue')")
    walk.wait("input[type=number]")
    page.fill("input[type=number]", "3")
    walk.wait("text=the same 3 or more values")  # by then the button is drawn anew: the old one would be deaf
    page.click("button:has-text('Preview')")
    walk.wait("button:has-text('Publish as release')")
    walk.look("preview")
    page.click("button:has-text('Publish as release')")
    walk.wait("a:has-text('The history of the series')")
    walk.look("series result")
    page.click("a:has-text('The history of the series')")
    walk.wait("figure svg, tbody tr")
    walk.look("history")


def audit_flow(walk):
    page = walk.page
    (walk.folder / "audited").mkdir()
    table = walk.folder / "audited" / "published.csv"
    table.write_text("\n".join(["town,secret", *(f"{r[5]},{r[7]}" for r in map(row, range(9))), ""]))
    page.goto(f"{walk.app.address}/audit")
    upload(page, table)
    walk.wait(".one-column")
    for column in ("town", "secret"):
        page.click(f"[aria-label='what {column} is'] label:has-text('{ROLES[column]}')")
    page.click("button:has-text('Continue')")
    walk.wait(".keys, .refusal")
    walk.look("audit")


FLOWS = (release_flow, hierarchy_failures, table_failures, series_flow, audit_flow)


@pytest.fixture
def walk(tmp_path_factory, browser):
    around = tmp_path_factory.mktemp("canaries")
    places = {name: around / name for name in ("served", "tmp", "home", "source")}
    for place in places.values():
        place.mkdir()
    write(places["source"])
    cache = cache_folder().parents[1]  # compiled kernels: made anew they would take a minute
    environment = {"HOME": places["home"], "TMPDIR": places["tmp"], "XDG_CACHE_HOME": cache}
    given = {name: str(value) for name, value in environment.items()}
    with served(places["served"], **given) as app, visited(app, browser) as page:
        taken = Walk(app, page, places["source"])
        for flow in FLOWS:
            flow(taken)
        other = app.client()
        taken.others = {
            address: other.get(address).text for address in {*taken.addresses, "/", "/series", "/audit"}
        }
        taken.said_by_page, taken.places = list(page.said), places
        yield taken


def assert_identifying_tokens_are_on_no_page(walk):
    assert len(walk.pages) >= 15
    for name, text in {**walk.pages, **walk.downloads}.items():
        assert tokens_in(text, IDENTIFYING) == set(), name
    assert tokens_in(walk.pages["result"]) & {"town", "code"}, "control: what is published is on its page"


def assert_a_failure_is_told_without_a_cell(walk):
    """Not even with what would have been published; names of columns and positions are enough."""
    pages = {name: walk.pages[name] for name in WALKED if name in OF_TABLES}
    assert {name for name, text in pages.items() if tokens_in(text)} == set()
    assert len([name for name, text in pages.items() if "refusal" in text]) >= 2, "control: they were refused"


@pytest.mark.parametrize("task", ["inspect_table", "inspect_published"])
def test_no_refusal_of_a_table_has_a_cell(tmp_path, task):
    """Every failure, by what its child would say, and as every page shows that."""
    refused = []
    for name in OF_TABLES:
        write(tmp_path)
        FAILURES[name](tmp_path)
        error = outcome_of(task, {"path": str(tmp_path / "t.csv")}, silent).get("error")
        if error is not None:
            refused.append(name)
            assert error["kind"] != "Defect", name
            assert tokens_in(json.dumps(error) + refusal_markup(error)) == set(), name
    assert len(refused) >= 6, f"control: most of them were refused ({refused})"


@pytest.mark.parametrize("name", OF_HIERARCHIES)
def test_no_refusal_of_a_hierarchy_names_a_person(tmp_path, name):
    """Its lines come with it, for the page of who sent them: codes, which are published."""
    write(tmp_path)
    FAILURES[name](tmp_path)
    tree = {"role": "quasi-identifying", "hierarchy": str(tmp_path / "code.csv")}
    asked = {"path": str(tmp_path / "t.csv"), "file": {}, "column": "code", "options": tree, "out": ""}
    found = outcome_of("hierarchy_tree", asked, silent)
    assert "error" not in found and tokens_in(json.dumps(found), IDENTIFYING) == set()
    assert tokens_in(json.dumps(found["done"].get("refused", ""))) == set()


def assert_another_session_sees_no_token(walk):
    assert len(walk.others) > 15
    for address, text in walk.others.items():
        assert tokens_in(text) == set(), address


def assert_the_terminal_and_the_console_show_no_token(walk):
    assert tokens_in(walk.app.said + "".join(walk.said_by_page)) == set()
    assert "defect" not in walk.app.said and "Traceback" not in walk.app.said
    assert "Voile is open at" in walk.app.said, "control"


def assert_the_list_of_processes_shows_no_token_and_no_secret(walk):
    assert any("voile.web.child" in text for text in walk.processes), "control: children were seen"
    together = "".join(walk.processes)
    assert tokens_in(together) == set()
    assert not any(token in together for token in walk.app.tokens()), "nor what opens the app"
    assert "t.csv" not in together, "nor what is worked on"


def assert_files_hold_tokens_only_in_their_place(walk):
    places, seen = walk.places, set()
    for kind in ("served", "tmp", "home"):
        for path in (p for p in places[kind].rglob("*") if p.is_file()):
            found = tokens_in(path.read_bytes().decode("utf-8", "replace"))
            parts = path.relative_to(places[kind]).parts
            if parts[0].startswith(".voile-serve-") and len(parts) > 2 and parts[1].startswith("session-"):
                seen |= {"session"} if found >= set(IDENTIFYING) else set()
            elif path.suffix == ".ledger":
                assert found <= {"secret"}, path
            elif any(part.startswith("release-") for part in parts):
                assert found <= PUBLISHED, path
                seen |= {"release"} if found else set()
            else:
                assert found == set(), path
            assert tokens_in(str(path)) == set()
    assert seen == {"session", "release"}, "control: tokens are found where they belong"
    assert not list(places["served"].rglob(".nicegui")) and not list(places["home"].rglob(".nicegui"))
    print(
        "in TMPDIR:", [str(p) for p in places["tmp"].rglob("*")], "in HOME:", len(list(places["home"].rglob("*")))
    )


def test_no_token_is_where_it_does_not_belong(walk):
    """One test, since workers that share the checks would each walk the whole way."""
    for check in CHECKS:
        check(walk)


CHECKS = (
    assert_identifying_tokens_are_on_no_page,
    assert_a_failure_is_told_without_a_cell,
    assert_another_session_sees_no_token,
    assert_the_terminal_and_the_console_show_no_token,
    assert_the_list_of_processes_shows_no_token_and_no_secret,
    assert_files_hold_tokens_only_in_their_place,
)
