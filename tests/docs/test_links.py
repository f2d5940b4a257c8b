"""Links and headings of the documentation, as they stand on the repository page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, Page, copy_docs, dead_links, every_page


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


def test_anchors_are_those_of_a_git_host() -> None:
    page = Page(Path("x.md"), "# What it's *like*: `code`, and more\n\n## Twice\n\n## Twice\n")
    assert [anchor for _, _, anchor in page.headings] == ["what-its-like-code-and-more", "twice", "twice-1"]


def test_every_page_is_in_the_index() -> None:
    index = Page.read(DOCS / "index.md")
    linked = {(DOCS / target).resolve() for target, _ in index.links}
    missing = [page.path.name for page in every_page() if page.path.resolve() not in linked]
    assert missing == ["README.md", "index.md"]
