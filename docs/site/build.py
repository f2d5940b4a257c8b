"""Make a small site from the Markdown of the docs folder: `python -m docs.site.build OUT`. Nothing is fetched, then or later."""

from __future__ import annotations

import html
import os
import shutil
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from docs.site.pages import ROOT, Page, every_page, is_outside, reader

HERE = Path(__file__).parent
INDEX = "index.md"


def build(out: Path, root: Path = ROOT) -> list[Path]:
    """Write every page of the docs, and the files they link to, into `out`."""
    docs = root / "docs"
    pages = [page for page in every_page(root) if page.path.name != "README.md"]
    places = {page.path.resolve(): place_of(page, docs) for page in pages}
    order = navigation(pages, docs)
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "style.css", out / "style.css")
    for page in pages:
        place = places[page.path.resolve()]
        text = environment.get_template("page.html").render(
            title=page.title,
            body=body(page, places, root, out),
            up="../" * place.count("/"),
            here=place,
            pages=[(places[other.path.resolve()], other.title) for other in order],
            sections=[(anchor, words) for level, words, anchor in page.headings if level == 2],
        )
        target = out / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return [out / place for place in places.values()]


def place_of(page: Page, docs: Path) -> str:
    if page.path.is_relative_to(docs):
        return page.path.relative_to(docs).with_suffix(".html").as_posix()
    return f"{page.path.stem.lower()}.html"


def navigation(pages: list[Page], docs: Path) -> list[Page]:
    """The index page and then all others in the order in which it links to them."""
    index = next(page for page in pages if page.path == docs / INDEX)
    linked = [(docs / target.partition("#")[0]).resolve() for target, _ in index.links if not is_outside(target)]
    known = {page.path.resolve(): page for page in pages}
    return [index, *(known[path] for path in dict.fromkeys(linked) if path in known)]


def body(page: Page, places: dict[Path, str], root: Path, out: Path) -> str:
    here = places[page.path.resolve()]
    anchors = iter(anchor for _, _, anchor in page.headings)
    for token in page.tokens:
        if token.type == "heading_open":
            token.attrs["id"] = next(anchors)
        for part in token.children or ():
            for name in ("href", "src"):
                if name in part.attrs and not is_outside(str(part.attrs[name])):
                    part.attrs[name] = moved(page, str(part.attrs[name]), here, places, root, out)
    markdown = reader()
    markdown.add_render_rule("fence", lambda _, tokens, i, *__: coloured(tokens[i]))
    text = str(markdown.renderer.render(page.tokens, markdown.options, {}))
    return text.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def moved(page: Page, target: str, here: str, places: dict[Path, str], root: Path, out: Path) -> str:
    """Where a link leads on the site: to the page made from a file, or to a copy of the file."""
    name, mark, anchor = target.partition("#")
    if not name:
        return target
    file = (page.path.parent / name).resolve()
    if file == (root / "README.md").resolve():
        file = (root / "docs" / INDEX).resolve()
    place = places.get(file)
    if place is None:
        place = file.relative_to(root.resolve()).as_posix().removeprefix("docs/")
        if file.is_file():
            (out / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, out / place)
    return os.path.relpath(place, os.path.dirname(here) or ".") + mark + anchor


def coloured(token: Token) -> str:
    language = token.info.split()[0] if token.info.strip() else "text"
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return f"<pre>{html.escape(token.content)}</pre>"
    return str(highlight(token.content, lexer, HtmlFormatter(cssclass="code out" if language == "text" else "code")))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    print(f"{len(build(target))} pages written; open {target / 'index.html'}.")
