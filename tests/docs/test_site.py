"""The documentation has no dead links, and becomes a site that fetches nothing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from docs.site.build import build
from docs.site.pages import AROUND, DOCS, ROOT, Page, dead_links, every_page, is_outside


def test_no_link_is_dead() -> None:
    pages = every_page()
    assert sum(1 for page in pages for _ in page.links) > 20
    assert dead_links(pages) == []


@pytest.mark.parametrize(
    "planted",
    ["[x](no-such-page.md)", "[x](formats.md#no-such-heading)", "![x](images/no.png)", '<img src="images/no.png">', "[x](#no)"],
)
def test_a_dead_link_is_noticed(tmp_path: Path, planted: str) -> None:
    copy_docs(tmp_path)
    tutorial = tmp_path / "docs" / "tutorial.md"
    tutorial.write_text(tutorial.read_text("utf-8") + f"\n{planted}\n", "utf-8")
    assert len(dead_links(every_page(tmp_path))) == 1


def copy_docs(target: Path) -> None:
    shutil.copytree(DOCS, target / "docs")
    for name in (*AROUND, "LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, target / name)


def test_anchors_are_those_of_a_git_host() -> None:
    page = Page(Path("x.md"), "# What it's *like*: `code`, and more\n\n## Twice\n\n## Twice\n")
    assert [anchor for _, _, anchor in page.headings] == ["what-its-like-code-and-more", "twice", "twice-1"]


def test_every_page_is_in_the_index() -> None:
    index = Page.read(DOCS / "index.md")
    linked = {(DOCS / target).resolve() for target, _ in index.links}
    missing = [page.path.name for page in every_page() if page.path.resolve() not in linked]
    assert missing == ["README.md", "index.md"]


def test_site_is_whole_and_fetches_nothing(tmp_path: Path) -> None:
    pages = build(tmp_path / "site")
    assert len(pages) == len(every_page()) - 1
    for page in pages:
        text = page.read_text("utf-8")
        ids = set(re.findall(r'id="([^"]+)"', text))
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            assert not is_outside(target), f"{page.name}: {target}"
            name, _, anchor = target.partition("#")
            assert (page.parent / name).is_file() if name else True, f"{page.name}: {target}"
            assert anchor in ids if anchor and not name else True, f"{page.name}: {target}"
