"""Eight at once on a small machine: none is lost, the queue is shown, and pages come first. And whatever is
written meanwhile is the steward's alone, whatever the umask."""

import os
import re
import stat

import psutil
import pytest

from tests.web.serving import children_of, held, sent, served, visited, wait_until

pytestmark = pytest.mark.slow  # starts a server and many processes
MANY = 8
TABLE = b"age,town,illness\n" + b"".join(b"%d,t%d,i%d\n" % (i % 90, i % 97, i % 13) for i in range(200))


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder, usual = tmp_path_factory.mktemp("load"), os.umask(0)
    try:
        with served(folder) as running:
            yield running
    finally:
        os.umask(usual)


def under_way(client):
    """How many of a session's jobs are not over, as the first page tells."""
    text = client.get("/").text
    assert text.count("looking at table-") == MANY // 4, "none is lost"
    return len(re.findall(r"looking at table-\d+\.csv, (?:waiting|running)", text))


def test_eight_at_once(app):
    """The first two are held, so that the others wait until all are there."""
    clients = [app.client() for _ in range(4)]
    numbers = [(client, number) for number in range(MANY // 4) for client in clients]

    def begun(some):
        return [(client, sent(client, f"table-{number}.csv", TABLE)[1]) for client, number in some]

    with held(app):
        places = begun(numbers[:1])
        with held(app, 2):
            places += begun(numbers[1:])
            last = clients[-1].get(places[-1][1]).text
            assert sum(map(under_way, clients)) == MANY, "pages come while jobs are under way"
    assert f"waiting: {MANY - 3} before it" in last, "control: they waited, and the page said for how many"
    wait_until(lambda: sum(map(under_way, clients)) == 0)
    for client, place in places:
        assert "correct what is wrong" in client.get(place).text, "all are done in the end"
    server = psutil.Process(app.process.pid)
    wait_until(lambda: all(child.nice() > server.nice() for child in children_of(app)))  # pages come first


def test_whatever_is_written_is_the_stewards_alone(app, browser):
    """With umask 000, the demo, a release and an upload; in the served folder and below."""
    with visited(app, browser) as page:
        sent(app.client_of(page), "t.csv", TABLE)
        page.click("text=Try it with an invented hospital")
        page.wait_for_selector(".columns")
        page.click("text=Continue")
        page.wait_for_selector(".diagnosis")
        page.click("text=Make the release")
        page.wait_for_selector("h1:has-text('Released')")
        found = {path: stat.S_IMODE(path.lstat().st_mode) for path in app.folder.rglob("*")}
    kinds = {path: 0o700 if path.is_dir() else 0o600 for path in found if path.exists()}
    assert {p: oct(found[p]) for p in kinds if found[p] != kinds[p]} == {}
    names = " ".join(map(str, found))
    assert all(part in names for part in ("patients.csv", "table-", "draft-", "certificate.json", "private/")), (
        names
    )
