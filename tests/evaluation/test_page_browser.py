"""The study's page in real browsers: legible on a phone, dark where that is wanted, nothing running into something else."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.pages.chromium import complaints, needs_chromium, opened
from tests.pages.conftest import browser, other_browser
from tests.pages.firefox import FIREFOX, Firefox

__all__ = ["browser", "other_browser"]
pytestmark = [pytest.mark.slow, pytest.mark.browser]
needs_firefox = pytest.mark.skipif(FIREFOX is None, reason="no Firefox is installed (Debian: apt-get install firefox-esr)")

SMALLEST = 9  # pixels of the smallest label on a phone
LABELS = """(() => {
  const found = { small: [], touching: [], outside: [] };
  for (const svg of document.querySelectorAll('.panels svg')) {
    const frame = svg.getBoundingClientRect(), about = svg.parentElement.getAttribute('aria-label').slice(0, 60);
    const scale = frame.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')].map(text => ({ text: text.textContent, box: text.getBoundingClientRect(),
      size: parseFloat(getComputedStyle(text).fontSize) * scale }));
    for (const one of texts) {
      if (one.size < SMALLEST) found.small.push([about, one.text, one.size]);
      const box = one.box;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        found.outside.push([about, one.text]);
      for (const other of texts) if (one !== other) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (across > 0.5 && down > 3) found.touching.push([about, one.text, other.text]);
      }
    }
  }
  return found;
})()""".replace("SMALLEST", str(SMALLEST))
CLEAN: dict[str, list[Any]] = {"small": [], "touching": [], "outside": []}


@pytest.fixture(scope="module")
def page(country: Path) -> Path:
    return country / "study" / "index.html"


@needs_chromium
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_legible_in_chromium(browser: Any, page: Path, width: int) -> None:
    opened(browser, page, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(f"return {LABELS}") == CLEAN
    assert complaints(browser) == []


@needs_firefox
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_legible_in_firefox(other_browser: Firefox, page: Path, width: int) -> None:
    other_browser.open(page, width)
    assert other_browser.run("document.documentElement.scrollWidth") <= width
    assert other_browser.run(LABELS) == CLEAN
    assert other_browser.errors == []


@needs_chromium
def test_wide_tables_scroll_inside_themselves(browser: Any, page: Path) -> None:
    opened(browser, page, 390)
    measured = "w => [w.scrollWidth > w.clientWidth, w.tabIndex, w.ariaLabel !== '']"
    found = browser.execute_script(f"return [...document.querySelectorAll('.wide')].map({measured})")
    assert any(wider for wider, *_ in found)
    assert all(reached == 0 and named for _, reached, named in found)
    assert browser.execute_script("return document.querySelectorAll('table').length") == len(found)


@needs_chromium
def test_dark_and_printed(browser: Any, page: Path) -> None:
    colours = {}
    of_one = "s => { const c = getComputedStyle(document.querySelector(s)); return [c.fill, c.backgroundColor]; }"
    script = f"return ['.panels svg path', '.panels svg text', 'figure'].map({of_one}).flat().join()"
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        opened(browser, page)
        colours[scheme] = browser.execute_script(script)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert colours["light"] != colours["dark"]
    assert "rgb(255, 255, 255)" not in colours["dark"]
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF")
