"""What a steward and a recipient see first: `python -m benchmarks.first_screens` takes pictures of glass, elig and
anatomy on the demo and on Adult, l = 4: the command's screen, and the first screens of both reports."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.text import Text

from benchmarks import adult

PICTURES = Path(__file__).parents[1] / "docs" / "pictures" / "first_screens"
ALGORITHMS = ("glass", "elig", "anatomy")
WIDTH, HEIGHT = 1000, 760
SPEC = """[columns]
age = { role = "quasi-identifying", type = "integer" }
sex = { role = "quasi-identifying" }
race = { role = "quasi-identifying" }
marital-status = { role = "quasi-identifying" }
education-num = { role = "quasi-identifying", type = "integer" }
hours-per-week = { role = "quasi-identifying", type = "integer" }
occupation = { role = "sensitive" }
"""


def main() -> None:
    """Publish, and look."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for name, table, spec in _tables(Path(place)):
            for key in ALGORITHMS:
                _look(page, f"{name}-{key}", key, table, spec)
        chromium.close()


def _tables(place: Path) -> list[tuple[str, Path, Path]]:
    _said("demo", "-o", str(place / "demo"))
    columns = [line.split(" =")[0] for line in SPEC.splitlines()[1:]]
    adult.complete_rows().select(columns).write_csv(place / "adult.csv")
    (place / "adult.toml").write_text(SPEC, encoding="utf-8")
    demo = place / "demo"
    return [
        ("demo", demo / "patients.csv", demo / "patients.toml"),
        ("adult", place / "adult.csv", place / "adult.toml"),
    ]


def _look(page: Page, name: str, key: str, table: Path, spec: Path) -> None:
    out, shown = table.parent / f"release-{name}", table.parent / "screen.html"
    line = ["anonymize", table.name, "-s", spec.name, "-a", key, "-p", "l=4", "-o", out.name]
    screen = Console(record=True, width=98, file=io.StringIO())
    screen.print(Text.from_ansi(_said(*line, folder=table.parent)))
    shown.write_text(screen.export_html(), encoding="utf-8")
    pages = {"screen": shown, "report": out / "report.html", "private": out / "private" / "report.html"}
    for what, path in pages.items():
        page.goto(path.as_uri())
        page.screenshot(path=PICTURES / f"{name}-{what}.png")


def _said(*arguments: str, folder: Path | None = None) -> str:
    environment = {**os.environ, "COLUMNS": "98", "FORCE_COLOR": "1", "VOILE_REPORT": "yes"}
    command = [sys.executable, "-m", "voile", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
