"""The documentation becomes a site with search and an API reference, that has no dead links and fetches nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from sphinx.util.inventory import InventoryFile

import foregone
from foregone.cli.help import topics
from tests.docs.pages import ROOT, copy_docs, every_page, is_outside
from tests.pages.chromium import chromium, complaints, found, needs_chromium, opened

pytestmark = pytest.mark.slow


class Targets(HTMLParser):
    """What a page of the site leads to, what it loads, and the places on it that can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.page, self.places = page, {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attributes if value}
        self.places.add(given.get("id", ""))
        self.loaded += [given[name] for name in ("src", "srcset", "data") if name in given and tag != "a"]
        if "href" in given:
            (self.links if tag == "a" else self.loaded).append(given["href"])


def build(root: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """As `make docs` does; every warning is an error."""
    options = ["-q", "-W", "--keep-going", "-d", out / "trees", "-c", root / "docs"]
    command = [sys.executable, "-m", "sphinx", *options, root, out / "site"]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    done = build(ROOT, out)
    assert done.returncode == 0, done.stderr
    return out / "site"


@pytest.fixture(scope="module")
def targets(site: Path) -> dict[Path, Targets]:
    return {page: Targets(page) for page in site.rglob("*.html")}


def test_every_page_is_on_the_site(site: Path) -> None:
    sources = [page.path.relative_to(ROOT) for page in every_page() if page.path.name != "README.md"]
    assert [path for path in sources if not (site / path).with_suffix(".html").is_file()] == []
    assert "docs/index.html" in (site / "index.html").read_text("utf-8")
    navigation = (site / "docs" / "formats.html").read_text("utf-8").partition("<article")[0]
    assert [path for path in sources if path.stem not in ("index", "formats") and f"{path.stem}.html" not in navigation] == []


def test_the_reference_has_every_public_name(site: Path) -> None:
    known = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    described = {name for kind in ("py:function", "py:class", "py:exception") for name in known.data.get(kind, {})}
    assert described >= {f"foregone.{name}" for name in foregone.__all__ if callable(getattr(foregone, name))}
    text = re.sub("<[^>]+>", "", (site / "docs" / "api.html").read_text("utf-8"))
    assert " ".join((foregone.verify.__doc__ or "").split()[:5]) in text


def test_the_reference_lists_each_name_once(site: Path) -> None:
    lines = re.findall(r"(?m)^Names: (.+)$", (ROOT / "docs" / "api.md").read_text("utf-8"))
    named = [name for line in lines for name in re.findall(r"`(\w+)`", line)]
    assert sorted(named) == sorted(name for name in foregone.__all__ if callable(getattr(foregone, name)))
    assert "Names:" not in (site / "docs" / "api.html").read_text("utf-8")


def test_help_topics_are_on_the_site(site: Path) -> None:
    text = (site / "docs" / "help.html").read_text("utf-8")
    assert [name for name in topics() if f'id="{name}"' not in text] == []
    assert 'href="limits.html"' in text


def test_no_link_of_the_site_is_dead(site: Path, targets: dict[Path, Targets]) -> None:
    assert sum(len(each.links) for each in targets.values()) > 500
    assert [(str(page.relative_to(site)), target) for page, target in dead(targets)] == []


def dead(targets: dict[Path, Targets]) -> Iterator[tuple[Path, str]]:
    for page, each in targets.items():
        for target in [*each.links, *each.loaded]:
            if is_outside(target):
                continue
            name, _, place = target.partition("#")
            file = (page.parent / unquote(name.partition("?")[0])).resolve() if name else page
            if not file.is_file() or (file in targets and unquote(place) not in targets[file].places):
                yield page, target


def test_nothing_is_loaded_from_elsewhere(site: Path, targets: dict[Path, Targets]) -> None:
    assert {target for each in targets.values() for target in each.loaded if is_outside(target)} == set()
    styles = [path.read_text("utf-8") for path in site.rglob("*.css")]
    asked = {target for text in styles for target in re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""", text)}
    assert styles
    assert {target for target in asked if is_outside(target) and not target.startswith("data:")} == set()


@pytest.mark.browser
@needs_chromium
def test_search_works_from_a_disk(site: Path, tmp_path: Path) -> None:
    with chromium(tmp_path / "profile") as browser:
        opened(browser, site / "docs" / "formats.html")
        box = browser.find_element("css selector", ".sidebar-search")
        box.send_keys("suppressed\n")
        browser.implicitly_wait(10)
        results = [link.get_attribute("href") for link in browser.find_elements("css selector", "#search-results li a")]
        assert any("/docs/formats.html" in link for link in results), results
        loaded = browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
        assert all(name.startswith("file:") for name in loaded), loaded
        assert complaints(browser) == []
        opened(browser, site / "index.html")
        assert found(browser, "article h1")[0].text.startswith("Foregone")


@pytest.mark.parametrize(
    ("page", "planted", "problem"),
    [("docs/tutorial.md", "[x](formats.md#no-such-heading)", "no-such-heading"), ("docs/lost.md", "# Lost", "toctree")],
    ids=["a dead link", "a page nobody leads to"],
)
def test_a_warning_is_an_error(tmp_path: Path, page: str, planted: str, problem: str) -> None:
    copy_docs(tmp_path)
    with (tmp_path / page).open("a", encoding="utf-8") as file:
        file.write(f"\n{planted}\n")
    done = build(tmp_path, tmp_path / "out")
    assert done.returncode != 0
    assert problem in done.stderr
