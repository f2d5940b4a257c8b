"""How Sphinx makes the site: `make docs`. The pages are the Markdown that is read on the repository page, unchanged.

The source folder is the root of the repository, so that links between docs/, CONTRIBUTING.md and CHANGELOG.md are the same in
both places. What Git hosts would show as code (lists of pages, directives for the reference) is added here while Sphinx reads.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import foregone

project = "Foregone"
author = "the Foregone contributors"
version = release = foregone.__version__
root_doc = "docs/index"
include_patterns = ["docs/**", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = [".*", "benchmarks", "build", "dist", "formal", "src", "tests"]  # or they would be searched for pages

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]  # napoleon: sections such as Parameters in docstrings
nb_execution_mode = "off"  # the outputs shown are those stored in the notebook, which a test compares with a fresh run
myst_heading_anchors = 4  # links to headings, as Git hosts make them

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
default_role = "code"  # docstrings put code between single backticks
add_module_names = False

html_theme = "furo"
html_title = f"Foregone {version}"
GALLERY = Path(__file__).resolve().parents[1] / "build" / "gallery"  # what `make docs` lets docs/gallery.py write
html_extra_path = ["front", *([str(GALLERY)] if GALLERY.is_dir() else [])]
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # it would be fetched, which browsers forbid to pages opened from a disk

LINK = re.compile(r"\]\((?!\w+:)([^)#]+)\.(?:md|ipynb)\)")
NAMES = re.compile(r"(?m)^Names: (.+)$")  # a line of docs/api.md; what follows it on the site is made from docstrings
LIVE = re.compile(r"(?m)^Live: `([\w-]+\.html)`$")  # a line of docs/gallery.md; a link where the page was made
TEXTS = Path(foregone.__file__).parent / "cli" / "texts"
PAGE = re.compile(r"docs/([\w-]+(?:/[\w-]+)?\.(?:md|ipynb))")


def navigation(index: str) -> str:
    """The pages that the index links to, in its order and under its headings."""
    parts = []
    for section in re.split(r"(?m)^## ", index)[1:]:
        pages = "\n".join(dict.fromkeys(LINK.findall(section)))
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {section.splitlines()[0]}\n\n{pages}\n```\n")
    return "\n".join(parts)


def reference(page: str) -> str:
    """The page with the signature and the docstring of every name below the line that lists it."""
    return NAMES.sub(lambda line: described(re.findall(r"`(\w+)`", line[1])), page)


def described(names: list[str]) -> str:
    entries = "\n".join(f".. {directive(name)}:: foregone.{name}\n" for name in names)
    return f"```{{eval-rst}}\n{entries}```\n"


def directive(name: str) -> str:
    thing = getattr(foregone, name)
    if not inspect.isclass(thing):
        return "autofunction"
    return "autoexception" if issubclass(thing, Exception) else "autoclass"


def topics(page: str) -> str:
    """The page with all that `foregone help` can show; a topic that is a page of its own is led to."""
    parts = []
    for file in sorted(TEXTS.glob("*.md")):
        page_itself = Path(__file__).with_name(file.name)
        title, _, text = file.read_text("utf-8").partition("\n")
        body = PAGE.sub(r"[\g<0>](\1)", text.replace("\n## ", "\n### "))
        alone = page_itself.is_file() and page_itself.read_bytes() == file.read_bytes()
        shown = f"See [{title.removeprefix('# ')}]({file.name})." if alone else body.strip()
        parts.append(f"## {file.stem}\n\n*{title.removeprefix('# ')}*\n\n{shown}\n")
    return page + "\n" + "\n".join(parts)


def live(page: str) -> str:
    """The gallery with links to the pages that were made; without them the lines that name them go."""

    def link(line: re.Match[str]) -> str:
        made = (GALLERY / "gallery" / line[1]).is_file()
        return f'<p><a href="../gallery/{line[1]}">Open the live page</a></p>' if made else ""

    return LIVE.sub(link, page)


def complete(_: Sphinx, page: str, source: list[str]) -> None:
    if page == root_doc:
        source[0] += "\n" + navigation(source[0])
    elif page == "docs/api":
        source[0] = reference(source[0])
    elif page == "docs/help":
        source[0] = topics(source[0])
    elif page == "docs/gallery":
        source[0] = live(source[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", complete)
    app.add_lexer("csv", TextLexer)  # Pygments knows none, and would warn
