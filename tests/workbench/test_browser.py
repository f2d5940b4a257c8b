"""The workbench in real browsers: the five interactions end to end, once with the keyboard alone, on a phone, in the dark."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tests.pages.chromium import chromium, complaints, found, needs_chromium
from tests.pages.firefox import FIREFOX, Firefox, firefox
from tests.workbench.serving import serving
from tests.workbench.test_flow import ASKS

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CACHE = Path.home() / ".cache" / "foregone-tests"  # outside of the repository
NO_AXE = "axe-core is not at hand: npm is not installed, or its registry cannot be reached"
PATIENCE = 240.0  # seconds; other tests may take most of the machine
LIT, STARS = ".star.lit", "button.star"


def until(true: Callable[[], Any], what: str) -> Any:
    replaced = pytest.importorskip("selenium.common.exceptions").StaleElementReferenceException
    begun = monotonic()
    while monotonic() - begun < PATIENCE:
        with suppress(replaced):  # the screen was put in place anew just then
            if value := true():
                return value
        sleep(0.1)
    raise AssertionError(f"not in time: {what}")


def axe() -> str:
    """The source of axe-core, fetched once; an empty text where that cannot be done."""
    path = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists() and (npm := shutil.which("npm")):
        CACHE.mkdir(parents=True, exist_ok=True)
        options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(
            [npm, "install", "--prefix", str(CACHE), *options, "axe-core@4"], capture_output=True, timeout=120, check=False
        )
    return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def look(browser: Any, width: int = 1280, dark: bool = False) -> None:
    """A window of this width, with nothing left of what was open before."""
    browser.get("about:blank")
    complaints(browser)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def there(browser: Any, screen: str, selector: str = "h1") -> None:
    """Go to a screen by its link, and wait until its work is done."""
    browser.find_element("css selector", f".path a[href='/{screen}']").click()
    until(
        lambda: browser.current_url.endswith(f"/{screen}") and not found(browser, "[data-working]") and found(browser, selector),
        screen,
    )


def loaded(browser: Any) -> bool:
    """Is the page whole, with its script at work? A click before that is lost."""
    return bool(browser.execute_script("return document.readyState === 'complete'"))


def heading(browser: Any) -> str:
    text: str = browser.find_element("css selector", "h1").text
    return text


@needs_chromium
def test_the_five_interactions_in_chromium(tmp_path: Path, browser: Any) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "t.csv").write_text(ASKS.replace("12,7,9", "*,7,9"))
    look(browser)
    with serving(tmp_path, folder, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: found(browser, ".path"), "the workbench")
        there(browser, "read", ".ask")
        choice = next(button for button in found(browser, "button.answer") if "one variable" in button.text)
        choice.click()  # a reading corrected by a click
        until(lambda: "What you answered" in browser.page_source, "the answer")
        for name, value in (("least", "1"), ("most", "20")):
            until(partial(found, browser, f"form[action='/do/token'] input[name={name}]"), name)[0].send_keys(value)
        found(browser, "form[action='/do/token'] button")[0].click()
        until(lambda: "12 numbers were read" in heading(browser), "the numbers")
        assert complaints(browser) == []
    look(browser)
    with serving(tmp_path, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: loaded(browser) and found(browser, LIT), "a lit star")
        assert len(found(browser, LIT)) == 3
        found(browser, LIT)[0].click()  # why: steps in words and arrows on the sheet
        until(lambda: found(browser, "#why .steps > li"), "the steps")
        assert browser.find_elements("css selector", "#arrows path.line")
        assert found(browser, "td.forces")
        found(browser, ".person")[0].click()
        until(
            lambda: "exactly one" in browser.find_element("css selector", ".whytitle").text.lower(), "why somebody is singled out"
        )
        there(browser, "try", ".tryable")
        for name in ("by_age.B4", "by_age.C5", "by_age.D4"):
            browser.find_element("css selector", f".tryable[data-name='{name}']").click()
            browser.find_element("css selector", ".menu button[value=withhold]").click()
            until(partial(found, browser, f".tryable.withheld[data-name='{name}']"), name)
        assert "1 of 2" in heading(browser)
        browser.find_element("css selector", "[data-key=undo]").click()
        until(lambda: len(found(browser, ".tryable.withheld")) == 2, "undo")
        browser.find_element("css selector", "[data-key=redo]").click()
        until(lambda: len(found(browser, ".tryable.withheld")) == 3, "redo")
        browser.refresh()
        until(lambda: len(found(browser, ".tryable.withheld")) == 3, "reloading keeps it")
        there(browser, "protect", ".pinnable")
        browser.find_element("css selector", ".pinnable[data-name='by_age.D8']").click()
        until(lambda: found(browser, ".pinnable.kept"), "a pin")
        browser.find_element("css selector", "form[action='/begin/protect'] button").click()
        until(lambda: "withheld, and nothing less would do" in heading(browser), "the least to withhold")
        assert len(found(browser, ".pinnable.withheld")) >= 5
        there(browser, "publish", "form[action='/begin/publish']")
        browser.find_element("css selector", "form[action='/begin/publish'] button").click()
        until(lambda: "3 files ready to publish" in heading(browser), "the files")
        assert found(browser, "td.changed")
        assert found(browser, "a[href='/files.zip']")
        browser.back()
        until(lambda: browser.current_url.endswith("/protect") and found(browser, ".pinnable.withheld"), "the back button")
        assert complaints(browser) == []


@needs_chromium
def test_with_the_keyboard_alone(tmp_path: Path, browser: Any) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    look(browser)
    with serving(tmp_path, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: loaded(browser) and found(browser, LIT), "a lit star")
        browser.execute_script("document.activeElement.blur()")

        def press(*some: str) -> None:
            browser.switch_to.active_element.send_keys(*some)

        def tab_to(selector: str) -> None:
            for _ in range(80):
                if browser.switch_to.active_element.get_attribute("outerHTML") and browser.execute_script(
                    "return document.activeElement.matches(arguments[0])", selector
                ):
                    return
                press(keys.TAB)
            raise AssertionError(f"{selector} was not reached with the keyboard")

        tab_to(LIT)
        press(keys.ENTER)
        until(lambda: found(browser, "#why .steps > li"), "the steps")
        press(keys.ESCAPE)
        browser.execute_script("document.activeElement.blur()")
        tab_to(".path a[href='/try']")
        press(keys.ENTER)
        until(lambda: found(browser, ".tryable"), "the numbers")
        tab_to(".tryable")
        press(keys.ARROW_DOWN)
        press(keys.ENTER)
        assert browser.execute_script("return document.activeElement.value") == "show"
        press(keys.ARROW_DOWN)
        press(keys.ENTER)
        until(lambda: found(browser, ".tryable.withheld"), "a number withheld")
        assert browser.execute_script("return document.activeElement.matches('.tryable.withheld')")  # the focus stays
        press(keys.CONTROL, "z")
        until(lambda: not found(browser, ".tryable.withheld"), "undo")
        browser.execute_script("document.activeElement.blur()")
        tab_to(".path a[href='/protect']")
        press(keys.ENTER)
        until(lambda: found(browser, ".pinnable"), "the rule")
        tab_to("input[name=stars]")
        press(keys.BACKSPACE, "3")
        press(keys.ENTER)
        state = tmp_path / "foregone-example/workbench/state.json"
        until(lambda: json.loads(state.read_text())["wanted"]["stars"] == 3, "the rule")


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (820, True)])
def test_no_screen_is_wider_than_the_window_and_axe_finds_nothing(tmp_path: Path, browser: Any, width: int, dark: bool) -> None:
    source = axe()
    look(browser, width, dark)
    with serving(tmp_path, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: loaded(browser) and found(browser, LIT), "a lit star")
        if dark:
            paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
            assert sum(map(int, paper.removeprefix("rgb(").rstrip(")").split(","))) < 150
        every: list[tuple[str, str]] = []
        for screen in ("read", "exposed", "try", "protect", "publish"):
            there(browser, screen)
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            if screen == "exposed":
                found(browser, LIT)[0].click()
                until(lambda: found(browser, "#why .steps > li"), "the steps")
            if source:
                browser.execute_script(source)
                wrong = browser.execute_async_script(
                    "axe.run(document, {resultTypes: ['violations']}).then(r => arguments[arguments.length - 1](r.violations.map("
                    "v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(' | '))))"
                )
                every += [(screen, violation) for violation in wrong]
        assert every == []
        assert complaints(browser) == []
    if not source:
        pytest.skip(NO_AXE)


@needs_chromium
def test_the_page_says_when_the_process_is_gone(tmp_path: Path, browser: Any) -> None:
    look(browser)
    with serving(tmp_path, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: loaded(browser) and found(browser, LIT), "a lit star")
        bench.process.terminate()
        bench.process.wait(20)
        until(lambda: found(browser, "#gone"), "what happened")
        assert "Nothing is lost" in browser.find_element("id", "gone").text


@needs_chromium
def test_a_second_tab_follows_the_first(tmp_path: Path, browser: Any) -> None:
    look(browser)
    with serving(tmp_path, opened=False) as bench:
        browser.get(bench.address)
        until(lambda: loaded(browser) and found(browser, LIT), "a lit star")
        there(browser, "try", ".tryable")
        first = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(f"http://{bench.host}/try")
        until(lambda: found(browser, ".tryable"), "the second tab")
        browser.find_element("css selector", ".tryable[data-name='by_age.B6']").click()
        browser.find_element("css selector", ".menu button[value='round:5']").click()
        until(lambda: found(browser, ".tryable.rounded"), "a number rounded")
        browser.close()
        browser.switch_to.window(first)
        until(lambda: found(browser, ".tryable.rounded"), "the first tab")


@pytest.mark.skipif(not FIREFOX, reason="no Firefox is installed")
def test_the_five_interactions_in_firefox(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    with serving(tmp_path, opened=False) as bench, firefox(profile) as tab:

        def go(address: str) -> None:
            tab.ask("browsingContext.navigate", context=tab.tab, url=address, wait="complete")

        def sees(selector: str, number: int = 1) -> None:
            counted = f"document.readyState === 'complete' && document.querySelectorAll({json.dumps(selector)}).length"
            until(lambda: _run(tab, counted) == number, f"{number} {selector}")

        def click(selector: str) -> None:
            tab.run(f"document.querySelector({json.dumps(selector)}).click()")

        def says(text: str) -> None:
            try:
                until(lambda: text in str(_run(tab, "(document.querySelector('h1') || {}).textContent || ''")), text)
            except AssertionError as error:
                raise AssertionError(f"{error}; the page says: {_run(tab, 'document.body.innerText')}") from None

        tab.ask("browsingContext.setViewport", context=tab.tab, viewport={"width": 1280, "height": 900})
        go(bench.address)
        sees(LIT, 3)
        click(LIT)
        until(lambda: _run(tab, "document.querySelectorAll('#arrows path.line').length") > 0, "arrows")
        go(f"http://{bench.host}/read")
        says("39 numbers were read")
        go(f"http://{bench.host}/try")
        until(lambda: _run(tab, "document.querySelectorAll('.tryable').length") > 30, "the numbers")
        for number, name in enumerate(("by_age.B4", "by_age.C5", "by_age.D4"), start=1):
            click(f".tryable[data-name='{name}']")
            click(".menu button[value=withhold]")
            sees(".tryable.withheld", number)
        says("1 of 2")
        click("[data-key=undo]")
        sees(".tryable.withheld", 2)
        go(f"http://{bench.host}/protect")
        sees("form[action='/begin/protect'] button")
        click("form[action='/begin/protect'] button")
        says("7 cells withheld, and nothing less would do")
        go(f"http://{bench.host}/publish")
        sees("form[action='/begin/publish'] button")
        click("form[action='/begin/publish'] button")
        says("3 files ready to publish")
        assert tab.errors == []


def _run(tab: Firefox, script: str) -> Any:
    """The value of an expression, or nothing while the page is being replaced."""
    try:
        return tab.run(script)
    except AssertionError:
        return 0
