"""The page in a real browser: filter, click through to the derivation, click a cell, print, redact, survive hostile words."""

from __future__ import annotations

import base64
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from tests.pages.chromium import choose, complaints, found, needs_chromium, opened
from tests.pages.samples import BAD

pytestmark = [pytest.mark.browser, needs_chromium]


def test_filter_sort_and_search(browser: Any, pages: Path) -> None:
    opened(browser, pages / "demo.html")
    assert complaints(browser) == []
    everything = len(browser.find_elements("css selector", ".fact"))
    singled = len(found(browser, ".fact"))
    assert 0 < singled < everything
    assert str(singled) in browser.find_element("id", "shown").text
    choose(browser, "count", "")
    assert len(found(browser, ".fact")) == everything
    choose(browser, "least", "8")
    assert all(int(fact.get_attribute("data-k")) >= 8 for fact in found(browser, ".fact"))
    choose(browser, "least", "")
    of_each = []
    for printed in ("follows", "printed"):
        choose(browser, "printed", printed)
        shown = found(browser, ".fact .tags")
        assert shown
        assert all(printed in tags.text for tags in shown)
        of_each.append(len(shown))
    assert sum(of_each) == everything
    choose(browser, "printed", "")
    choose(browser, "sort", "count")
    counts = [int(fact.get_attribute("data-count")) for fact in found(browser, ".fact")]
    assert counts == sorted(counts, reverse=True)
    browser.find_element("id", "search").send_keys("mortgage")
    shown = found(browser, ".fact .said")
    assert 0 < len(shown) < everything
    assert all("mortgage" in said.text for said in shown)
    browser.find_element("id", "search").send_keys(" nothing-like-this")
    assert found(browser, ".fact") == []
    assert "No fact matches" in browser.find_element("id", "shown").text
    browser.execute_script("document.querySelector('.tools').reset(); document.querySelector('.pick').open = true")
    browser.find_element("css selector", "input[name=column]").click()
    first = [fact.get_attribute("data-names").split() for fact in found(browser, ".fact")]
    assert first
    assert all("0" in names for names in first)


def test_from_a_fact_to_its_derivation_to_a_cell_to_another_fact(browser: Any, pages: Path) -> None:
    opened(browser, pages / "demo.html")
    browser.find_element("css selector", "#fact-1 summary").click()
    steps = found(browser, "#fact-1 .steps > li")
    assert len(steps) > 3
    assert "exactly one household" in steps[0].text
    used = found(browser, "#fact-1 td.used .cell")
    named = {ref.get_attribute("data-cell") for ref in found(browser, "#fact-1 .steps .ref")}
    assert {cell.get_attribute("data-cell") for cell in used} == named
    shared = browser.find_element("css selector", "#fact-1 td.used .cell")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", shared)
    shared.click()
    assert browser.find_element("id", "cell").is_displayed()
    links = found(browser, "#cell-facts button")
    assert links
    number = links[-1].text.split(".")[0]
    links[-1].click()
    assert not browser.find_element("id", "cell").is_displayed()
    assert found(browser, f"#fact-{number} .steps")
    assert complaints(browser) == []


def test_keyboard(browser: Any, pages: Path) -> None:
    from selenium.webdriver import ActionChains, Keys

    opened(browser, pages / "demo.html")
    ActionChains(browser).send_keys("j", "j").perform()
    active = browser.switch_to.active_element
    assert active.find_element("xpath", "./ancestor::li").get_attribute("id") == "fact-2"
    active.send_keys(Keys.ENTER)
    assert found(browser, "#fact-2 .steps")
    active.send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "search"


def test_space_opens_a_fact_and_tab_reaches_everything(browser: Any, pages: Path) -> None:
    from selenium.webdriver import ActionChains, Keys

    opened(browser, pages / "town.html")
    ActionChains(browser).send_keys(Keys.TAB).perform()
    skip = browser.switch_to.active_element
    assert skip.text == "Skip to the facts"
    assert skip.rect["x"] >= 0
    skip.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "facts"
    ActionChains(browser).send_keys(Keys.TAB).perform()
    assert browser.switch_to.active_element.get_attribute("id") == "search"
    summary = browser.find_element("css selector", "#fact-1 summary")
    browser.execute_script("arguments[0].focus()", summary)
    ActionChains(browser).send_keys(Keys.SPACE).perform()
    assert found(browser, "#fact-1 .steps")
    ActionChains(browser).send_keys(Keys.TAB).perform()
    now = browser.switch_to.active_element
    assert "ref" in now.get_attribute("class")
    assert browser.execute_script("return getComputedStyle(arguments[0]).outlineStyle", now) == "solid"


def test_a_command_is_copied_or_at_least_selected(browser: Any, pages: Path) -> None:
    opened(browser, pages / "town.html")
    browser.execute_script("document.querySelector('.next .copy').click()")
    said = "return document.querySelector('.next .copy').firstChild.textContent"
    for _ in range(50):
        if browser.execute_script(said) != "Copy":
            break
        sleep(0.02)
    assert browser.execute_script(said) in ("Copied", "Selected")


PROBLEMS = """
const named = element => (element.getAttribute('aria-label') || element.textContent || element.title || '').trim();
const bad = [];
for (const control of document.querySelectorAll('button, summary, a')) if (!named(control)) bad.push(control.outerHTML);
for (const field of document.querySelectorAll('input, select')) if (!field.labels.length) bad.push(field.outerHTML);
for (const picture of document.querySelectorAll('svg:not([aria-hidden=true])')) if (!named(picture)) bad.push('svg');
for (const table of document.querySelectorAll('table')) if (!table.getAttribute('aria-label')) bad.push('table');
for (const head of document.querySelectorAll('th')) if (!head.scope) bad.push(head.outerHTML);
const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map(head => Number(head.tagName[1]));
levels.forEach((level, i) => { if (level > (i ? levels[i - 1] : 0) + 1) bad.push(`h${level} after h${levels[i - 1]}`); });
if (levels.filter(level => level === 1).length !== 1) bad.push('not one h1');
const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
if (new Set(ids).size !== ids.length) bad.push('an id stands twice');
return bad;
"""


@pytest.mark.parametrize("page", ["demo.html", "titled.html", "run.html", "what-if.html"])
def test_everything_has_a_name_and_headings_go_down_step_by_step(browser: Any, pages: Path, page: str) -> None:
    opened(browser, pages / page)
    browser.execute_script("for (const d of [...document.querySelectorAll('.fact > details')].slice(0, 3)) d.open = true")
    assert browser.execute_script(PROBLEMS) == []


LINES = """
const lines = [];
for (const shown of document.querySelectorAll('td, .bars b, .ref .num')) {
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    if (/[0-9]/.test(walker.currentNode.data)) lines.push(range.getClientRects().length);
  }
}
return lines;
"""


@pytest.mark.parametrize("page", ["demo.html", "wide.html", "what-if.html"])
def test_numbers_stay_on_one_line_on_a_phone(browser: Any, pages: Path, page: str) -> None:
    opened(browser, pages / page, 390)
    browser.execute_script("for (const d of [...document.querySelectorAll('.fact > details')].slice(0, 2)) d.open = true")
    assert max(browser.execute_script(LINES)) == 1


@pytest.mark.parametrize("width", [1280, 800, 390])
@pytest.mark.parametrize("page", ["demo.html", "wide.html", "what-if.html", "titled.html"])
def test_nothing_sticks_out(browser: Any, pages: Path, page: str, width: int) -> None:
    opened(browser, pages / page, width)
    browser.execute_script("for (const d of document.querySelectorAll('.fact > details')) d.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_print_has_every_derivation(browser: Any, pages: Path) -> None:
    opened(browser, pages / "town.html")
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        heights = browser.execute_script(
            "dispatchEvent(new Event('beforeprint'));"
            "return [...document.querySelectorAll('.fact:not([hidden]) .story')].map(story => story.offsetHeight)"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert heights
    assert all(heights)


def test_redacted_page_works_and_shows_no_values(browser: Any, pages: Path) -> None:
    opened(browser, pages / "redacted.html")
    browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    text = browser.find_element("tag name", "body").text
    assert "hidden" in text
    assert not any(word in text for word in ("Ardmore", "Brewood", "young"))
    assert complaints(browser) == []


def test_hostile_words_show_as_text(browser: Any, pages: Path) -> None:
    opened(browser, pages / "hostile.html")
    browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    assert "taken" not in browser.title
    assert BAD in browser.find_element("tag name", "main").text
    assert browser.find_elements("css selector", "main img, main script, main b b, main i") == []
    cell = browser.find_element("css selector", ".fact .used .cell")
    browser.execute_script("arguments[0].click()", cell)
    assert BAD in browser.find_element("id", "cell").text
    assert "taken" not in browser.title
    assert complaints(browser) == []


def test_dark_mode_is_dark(browser: Any, pages: Path) -> None:
    opened(browser, pages / "town.html")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert all(int(part) < 60 for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
