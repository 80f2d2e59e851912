"""A real browser for pages: what it loads, says, shows, and how it is walked by keys."""

import contextlib
import shutil

import pytest

# Of every text that is shown: its contrast against the first background behind it that is not transparent.
# SVG text has a fill instead of a colour.
CONTRAST = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const known = new Map();  // of a colour; it is asked for at every text and all that is around it
  const drawn = text => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = "rgba(0,0,0,0)"; canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const rgba = text => known.get(text) ?? known.set(text, drawn(text)).get(text);
  const luminance = ([r, g, b]) => {
    const part = [r, g, b].map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = node => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.getClientRects().length) continue;
    const style = getComputedStyle(node), inSvg = node instanceof SVGElement;
    const [front, back] = [rgba(inSvg ? style.fill : style.color), behind(node)].map(luminance);
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    found.push([ratio, node.tagName, walker.currentNode.textContent.slice(0, 40)]);
  }
  return found;
}
"""


@contextlib.contextmanager
def chromium():
    """A browser without a network, or the reason why there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no browser: install chromium (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser, path, **options):
    """A page in a context of its own; `page.said` are messages and requests that should not be."""
    page = browser.new_context(offline=True, **options).new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: None if request.url == path.as_uri() else page.said.append(request.url))
    page.goto(path.as_uri())
    return page


def open_everything(page):
    """All that opens at a click."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
