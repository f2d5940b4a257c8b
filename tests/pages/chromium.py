"""Chromium, driven from Python: opening pages and looking at what they show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
needs_chromium = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no Chromium with chromedriver is installed (Debian: apt-get install chromium chromium-driver)"
)
QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync"
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in [*QUIET.split(), "--disable-dev-shm-usage", f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def opened(browser: Any, page: Path, width: int = 1280, height: int = 900) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get(page.as_uri())


def found(browser: Any, selector: str) -> list[Any]:
    return [element for element in browser.find_elements("css selector", selector) if element.is_displayed()]


def choose(browser: Any, field: str, value: str) -> None:
    browser.find_element("css selector", f"#{field} option[value='{value}']").click()


def complaints(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser")]
