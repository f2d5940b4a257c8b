"""A page of the documentation as it stands on the repository page, taken apart: its headings, links and code blocks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AROUND = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")  # pages outside the folder
RAW_LINK = re.compile(r"""(?:src|href)=["']([^"']+)["']""")


@dataclass(frozen=True)
class Block:
    """A piece of code on a page; `words` is what stands after the fence, such as `python` or `sh`."""

    words: str
    text: str
    line: int

    @property
    def language(self) -> str:
        return self.words.split()[0] if self.words else ""


@dataclass(frozen=True)
class Page:
    path: Path
    text: str

    @staticmethod
    def read(path: Path) -> Page:
        if path.suffix == ".ipynb":
            words = [cell["source"] for cell in nbformat.read(path, as_version=4).cells if cell["cell_type"] == "markdown"]
            return Page(path, "\n\n".join(words) + "\n")
        return Page(path, path.read_text("utf-8"))

    @cached_property
    def tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable("table").parse(self.text)

    @cached_property
    def headings(self) -> list[tuple[int, str, str]]:
        """Level, words and anchor of each heading; anchors are made as Git hosts make them."""
        found: list[tuple[int, str, str]] = []
        for token, inside in zip(self.tokens, self.tokens[1:], strict=False):
            if token.type == "heading_open":
                words = "".join(part.content for part in inside.children or () if part.type in ("text", "code_inline"))
                anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
                before = sum(re.sub(r"-\d+$", "", other) == anchor for _, _, other in found)
                found.append((int(token.tag[1]), words, f"{anchor}-{before}" if before else anchor))
        return found

    @property
    def links(self) -> Iterator[tuple[str, int]]:
        """Every target and the line it stands near, images included."""
        for token in self.tokens:
            line = token.map[0] + 1 if token.map else 0
            if token.type == "html_block":
                yield from ((target, line) for target in RAW_LINK.findall(token.content))
            for part in token.children or ():
                if part.type == "html_inline":
                    yield from ((target, line) for target in RAW_LINK.findall(part.content))
                for name in ("href", "src"):
                    if name in part.attrs:
                        yield str(part.attrs[name]), line

    @property
    def blocks(self) -> list[Block]:
        kinds = ("fence", "code_block")
        return [Block(t.info.strip(), t.content, t.map[0] + 1 if t.map else 0) for t in self.tokens if t.type in kinds]


def is_outside(target: str) -> bool:
    return re.match(r"[a-z][a-z+.-]*:", target) is not None


def every_page(root: Path = ROOT) -> list[Page]:
    """All Markdown that is written for readers, and the notebooks."""
    docs = root / "docs"
    paths = [*(root / name for name in AROUND), *sorted(docs.glob("*.md")), *sorted(docs.glob("notebooks/*.ipynb"))]
    return [Page.read(path) for path in paths]


def dead_links(pages: list[Page]) -> list[str]:
    """Links that lead nowhere: no such file, or no such heading on the page."""
    anchors = {page.path.resolve(): {anchor for _, _, anchor in page.headings} for page in pages}
    problems = []
    for page in pages:
        for target, line in page.links:
            if is_outside(target):
                continue
            name, _, anchor = target.partition("#")
            file = (page.path.parent / name).resolve() if name else page.path.resolve()
            if not file.exists():
                problems.append(f"{page.path.name}, line {line}: {target} leads to no file")
            elif anchor and anchor not in anchors.get(file, set()):
                problems.append(f"{page.path.name}, line {line}: {target} leads to no heading")
    return problems


def copy_docs(target: Path) -> None:
    """All that pages lead to, so that something can be planted there."""
    shutil.copytree(DOCS, target / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*AROUND, "LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, target / name)
