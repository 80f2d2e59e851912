"""How quick the app is: the first page, twenty jobs at once, and what is refused.

`python -m benchmarks.app` writes app.md. Needs chromium and the extra [web].
"""

import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from tests.reporting.browser import chromium
from tests.web.serving import served, visited
from tests.web.test_uploads import Watched, begun, bomb, refusal_of, rested
from voile.hospital import write_hospital

HERE = Path(__file__).parent
AT_ONCE = 20
TURNS = 5
_GB = 10**9


def main() -> None:
    """Measure and write."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, served(folder) as app, chromium() as browser:
        rows.append(("first page on a warm start, median", f"{_first_page(app, browser):.2f} s"))
        rows.append(
            ("from the first page to the result, demo table of 10,000 rows", f"{_demo(app, browser):.1f} s")
        )
        slowest, whole = _many(app, Path(folder))
        rows.append((f"{AT_ONCE} uploads and inspections at once: all done after", f"{whole:.1f} s"))
        rows.append(("the first page meanwhile, slowest answer", f"{slowest:.2f} s"))
    for name, seconds, grown in _refusals():
        rows.append((f"{name}: refused after", f"{seconds:.2f} s, memory grown by {grown:.0f} MB"))
    lines = ["# The app, measured", "", "By `python -m benchmarks.app`, on one shared machine of two cores.", ""]
    lines += ["| what | figure |", "|---|---|", *(f"| {what} | {figure} |" for what, figure in rows), ""]
    (HERE / "app.md").write_text("\n".join(lines), encoding="utf-8")


def _first_page(app: Any, browser: Any) -> float:
    times = []
    with visited(app, browser) as page:
        for _ in range(TURNS):
            began = time.perf_counter()
            page.goto(app.address)
            page.wait_for_selector("main h1")
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def _demo(app: Any, browser: Any) -> float:
    with visited(app, browser) as page:
        began = time.perf_counter()
        page.click("text=Try it with an invented hospital")
        page.click("text=Continue", timeout=90_000)
        page.click("text=Make the release", timeout=90_000)
        page.wait_for_selector("h1:has-text('Released')", timeout=90_000)
        return time.perf_counter() - began


def _sent(client: httpx.Client, name: str, content: bytes) -> str:
    key = client.post("/upload", headers={"X-Name": name}).json()["id"]
    assert client.post(f"/upload/{key}", content=content).json()["ok"]
    return str(client.post(f"/upload/{key}/done/release").json()["next"])


def _many(app: Any, folder: Path) -> tuple[float, float]:
    """Twenty uploads from as many threads; meanwhile the first page is asked for again and again."""
    content = write_hospital(folder / "hospital")[0].read_bytes()
    client, places = app.client(), []
    began = time.perf_counter()
    threads = [
        threading.Thread(target=lambda i=i: places.append(_sent(client, f"t{i}.csv", content)))
        for i in range(AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    slowest, done = 0.0, False
    while not done:
        asked = time.perf_counter()
        text = client.get("/").text
        slowest = max(slowest, time.perf_counter() - asked)
        done = text.count(", done") >= AT_ONCE
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    return slowest, time.perf_counter() - began


def _refusals() -> list[tuple[str, float, float]]:
    """How long until the page says no, and how much server and children grow meanwhile, in MB."""
    found = []
    with tempfile.TemporaryDirectory() as folder, served(folder) as app:
        client = app.client()
        bomb(Path(folder) / "bomb.parquet")
        key = begun(client, "bomb.parquet")
        client.post(f"/upload/{key}", content=(Path(folder) / "bomb.parquet").read_bytes())
        rested(app)
        watched = Watched(app)
        refusal_of(client, client.post(f"/upload/{key}/done/release").json()["next"])
        over = watched.over("a Parquet file of 124 kB with 200 million rows")
        found.append(("a Parquet file of 124 kB with 200 million rows", over.seconds, over.most / 1e6))
        key, sent, answer = begun(client), 0, {"ok": True}
        rested(app)
        watched = Watched(app)
        while answer["ok"] and sent < _GB:
            answer = client.post(f"/upload/{key}", content=b"x" * (8 * 2**20)).json()
            sent += 8 * 2**20
        over = watched.over("a field of 1 GB")
        found.append((f"a field of 1 GB, after {sent // 2**20} MiB of it", over.seconds, over.most / 1e6))
    return found


if __name__ == "__main__":
    main()
