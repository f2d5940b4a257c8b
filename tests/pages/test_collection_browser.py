"""The page about many releases in Chromium, and both kinds of page in Firefox."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.pages.chromium import choose, complaints, found, needs_chromium, opened
from tests.pages.firefox import FIREFOX, Firefox
from tests.pages.samples import BAD

pytestmark = pytest.mark.browser
needs_firefox = pytest.mark.skipif(not FIREFOX, reason="no Firefox is installed (Debian: apt-get install firefox-esr)")
VISIBLE = "[...document.querySelectorAll('.fact')].filter(fact => !fact.hidden)"
HERE = "[...document.querySelectorAll('.fact')].filter(fact => fact.offsetHeight).map(fact => Number(fact.dataset.id))"


def places(browser: Any) -> list[str]:
    """The places of the facts that are shown, in their order; asked at once, as asking for each fact takes long."""
    shown: list[str] = browser.execute_script(f"return {VISIBLE}.map(fact => fact.dataset.place)")
    return shown


@needs_chromium
def test_place_filters_and_sorts(browser: Any, pages: Path) -> None:
    opened(browser, pages / "run.html")
    assert complaints(browser) == []
    everything = places(browser)
    assert set(everything) == {"01", "02", "04"}
    choose(browser, "place", "02")
    assert 0 < len(places(browser)) < len(everything)
    assert set(places(browser)) == {"02"}
    assert all("Alaska" in words for words in browser.execute_script(f"return {VISIBLE}.map(fact => fact.innerText)"))
    choose(browser, "place", "")
    choose(browser, "sort", "place")
    assert places(browser) == sorted(everything)
    browser.find_element("id", "search").send_keys("alaska")
    assert set(places(browser)) == {"02"}


@needs_chromium
def test_a_place_in_the_picture_leads_to_its_facts(browser: Any, pages: Path) -> None:
    opened(browser, pages / "run.html")
    bar = browser.find_element("css selector", ".places button[data-place='02']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", bar)
    bar.click()
    assert browser.find_element("id", "place").get_attribute("value") == "02"
    assert set(places(browser)) == {"02"}


@needs_chromium
def test_from_a_fact_of_a_run_to_its_tables_and_back(browser: Any, pages: Path) -> None:
    opened(browser, pages / "run.html")
    browser.find_element("css selector", "#fact-1 summary").click()
    assert found(browser, "#fact-1 .steps > li")
    cell = browser.find_element("css selector", "#fact-1 td.used .cell")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", cell)
    cell.click()
    links = found(browser, "#cell-facts button")
    assert len(links) == 1  # the same table of another block is another number
    links[0].click()
    assert not browser.find_element("id", "cell").is_displayed()
    assert complaints(browser) == []


@needs_chromium
@pytest.mark.parametrize("page", ["run.html", "hostile-run.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(browser: Any, pages: Path, page: str, width: int) -> None:
    opened(browser, pages / page, width)
    browser.execute_script("for (const d of document.querySelectorAll('.fact > details')) d.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_a_thousand_facts_come_fifty_at_a_time(browser: Any, pages: Path, width: int) -> None:
    from selenium.webdriver import ActionChains

    def here() -> list[int]:
        shown: list[int] = browser.execute_script(f"return {HERE}")
        return shown

    opened(browser, pages / "many.html", width)
    assert here() == list(range(1, 51))
    assert "1,000 facts match; 1 to 50 are shown here" in browser.find_element("id", "shown").text
    assert not browser.find_element("id", "earlier").is_enabled()
    browser.execute_script("document.getElementById('later').click()")
    assert here() == list(range(51, 101))
    assert browser.switch_to.active_element.find_element("xpath", "./ancestor::li").get_attribute("id") == "fact-51"
    ActionChains(browser).send_keys("k").perform()
    assert here() == list(range(1, 51))
    assert browser.switch_to.active_element.find_element("xpath", "./ancestor::li").get_attribute("id") == "fact-50"
    choose(browser, "least", "3")
    assert len(here()) == 50
    assert all(int(k) == 3 for k in browser.execute_script(f"return {VISIBLE}.map(fact => fact.dataset.k)"))
    browser.find_element("id", "search").send_keys("nothing-like-this")
    assert here() == []
    assert not browser.find_element("id", "pager").is_displayed()
    browser.get("about:blank")
    browser.get((pages / "many.html").as_uri() + "#fact-777")
    assert here() == list(range(751, 801))


@needs_chromium
def test_a_fact_of_a_run_without_its_source_says_how_to_see_why(browser: Any, pages: Path) -> None:
    opened(browser, pages / "run.html")
    browser.find_element("css selector", "#fact-2 summary").click()
    told = browser.find_element("css selector", "#fact-2 .story").text
    assert "Why it cannot be otherwise" in told
    lines = [line.text for line in found(browser, "#fact-2 .command code")]
    assert lines[0].startswith("foregone census release ")
    assert lines[1].startswith("foregone explain release-")


@needs_chromium
def test_opens_quickly_and_prints(browser: Any, pages: Path) -> None:
    opened(browser, pages / "run.html")
    timing = browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert timing < 2000
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF")


@needs_chromium
def test_hostile_words_of_a_run_show_as_text(browser: Any, pages: Path) -> None:
    opened(browser, pages / "hostile-run.html")
    assert "taken" not in browser.title
    assert BAD in browser.find_element("tag name", "main").text
    assert browser.find_elements("css selector", "main img, main script, main b b, main i") == []
    assert complaints(browser) == []


@needs_firefox
@pytest.mark.parametrize("page", ["demo.html", "run.html", "redacted.html", "hostile.html", "hostile-run.html"])
def test_pages_in_firefox(other_browser: Firefox, pages: Path, page: str) -> None:
    other_browser.open(pages / page)
    assert "taken" not in other_browser.run("document.title")
    shown = other_browser.run(f"{VISIBLE}.length")
    assert shown > 0
    assert str(shown) in other_browser.run("document.getElementById('shown').textContent")
    for width in (1280, 800, 390):
        other_browser.open(pages / page, width)
        assert other_browser.run("document.documentElement.scrollWidth") <= width
    assert other_browser.errors == []


@needs_firefox
def test_filter_keyboard_and_derivation_in_firefox(other_browser: Firefox, pages: Path) -> None:
    other_browser.open(pages / "run.html")
    other_browser.run("(() => { place.value = '02'; place.dispatchEvent(new Event('change', { bubbles: true })); })()")
    assert set(other_browser.run(f"{VISIBLE}.map(fact => fact.dataset.place)")) == {"02"}
    other_browser.open(pages / "run.html")
    other_browser.press("j")
    other_browser.run("document.activeElement.click()")  # Enter sent by a program opens no <details> here, not even a bare one
    assert other_browser.run("document.querySelector('#fact-1 details').open")
    assert other_browser.run("document.querySelector('#fact-1 .steps').offsetHeight") > 0
    other_browser.run("document.querySelector('#fact-1 td.used .cell').click()")
    assert other_browser.run("document.getElementById('cell').open")
    assert other_browser.run("document.querySelectorAll('#cell-facts button').length") == 1
    assert other_browser.errors == []
