"""Draw the pictures of the page that README.md and docs/ show: `make pictures`, after a change to how pages look.

It needs Chromium with its driver, and takes about a minute. What is shown is made here from bundled and synthetic data, so that
the pictures are of the page as it is. (docs/images/your-tables.png is a drawing of three spreadsheets and stays.)
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from pathlib import Path
from time import sleep
from typing import Any

from tests.country import command
from tests.pages.chromium import chromium, opened
from tests.workbench.serving import serving

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SPREADSHEETS = ROOT / "examples"
DATE = "1700000000"  # printed on the pages
SCREEN, PHONE = (1280, 1000), (390, 844)


def make_pages(folder: Path) -> None:
    """The pages that are shown, in a folder."""
    command("demo", "--page", folder / "demo.html")
    command("census", "synth", "--out", folder / "units.csv", "--states", 50, "--tracts", 2, "--blocks", 6)
    command("census", "ingest", folder / "units.csv", "--out", folder / "units.parquet")
    command("run", folder / "units.parquet", "--out", folder / "RUN", "--workers", os.cpu_count() or 1)
    command("report", folder / "RUN", "--out", folder / "run.html")
    tables = [folder / name for name in ("by_age.csv", "by_town.csv", "smokers.csv")]
    for table in tables:
        shutil.copy(SPREADSHEETS / table.name, folder)
    command("import", *tables, "--out", folder / "clinic", "--record", "patient", "--token", "*=1..4")
    command("protect", folder / "clinic", "--out", folder / "protected", "--page", folder / "protect.html", "--alternatives", 0)


def take(browser: Any, page: Path, size: tuple[int, int], out: Path, first: str = "") -> None:
    """A picture of a page from its top, or with the element `first` at the top."""
    opened(browser, page, *size)
    if first:
        browser.execute_script(f"document.querySelector('{first}').scrollIntoView({{block: 'start', behavior: 'instant'}})")
    save(browser, out)


def save(browser: Any, out: Path) -> None:
    """What the window shows, without bars to scroll."""
    browser.execute_script("document.documentElement.style.scrollbarWidth = 'none'")
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    out.write_bytes(base64.b64decode(taken["data"]))
    print(out.relative_to(ROOT))


def workbench(browser: Any, folder: Path) -> None:
    """The five screens of the workbench on its example, each after what somebody does there."""
    with serving(folder) as bench:
        bench.see("exposed")
        for name in ("by_age.B4", "by_age.C5"):
            bench.post("/do/try", name=name, action="withhold", screen="try")
        bench.see("try")
        for screen in ("protect", "publish"):
            bench.post(f"/begin/{screen}")
            while "data-working" in bench.see_now(screen):
                sleep(0.2)
        name, _, value = bench.cookie.partition("=")
        browser.execute_cdp_cmd("Network.enable", {})
        browser.execute_cdp_cmd("Network.setCookie", {"name": name, "value": value, "url": f"http://{bench.host}/"})
        size = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        for screen in ("read", "exposed", "try", "protect", "publish"):
            browser.get(f"http://{bench.host}/{screen}")
            if screen == "exposed":
                browser.find_element("css selector", ".star.lit[data-name='by_age.B5']").click()
                while not browser.find_elements("css selector", "#arrows path.line"):
                    sleep(0.2)
            save(browser, IMAGES / f"workbench-{screen}.png")
        browser.get("about:blank")


def main() -> None:
    os.environ["SOURCE_DATE_EPOCH"] = DATE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with chromium(folder / "profile") as browser:
            workbench(browser, folder)
            make_pages(folder)
            take(browser, folder / "demo.html", PHONE, IMAGES / "report-phone.png")
            take(browser, folder / "run.html", (1280, 1180), IMAGES / "report-run.png")
            take(browser, folder / "protect.html", (1280, 1040), IMAGES / "protect.png")
            linked = folder / "linked.html"
            linked.write_text((folder / "demo.html").read_text("utf-8").replace("<details>", "<details open>", 1), "utf-8")
            take(browser, linked, SCREEN, IMAGES / "report.png", first="#fact-1")


if __name__ == "__main__":
    main()
