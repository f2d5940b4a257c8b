"""From words and numbers to the text of a page: one template, its style and its script in one file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from foregone.model.domain import Domain
from foregone.model.sentences import plural
from foregone.pages.sentences import pronouns, title
from foregone.pages.views.charts import chance_text
from foregone.pages.views.facts import FactView, size_text
from foregone.version import __version__

MOST_BYTES = 5_000_000
FILES = (
    *("base.html", "parts.html", "release.html", "collection.html", "protection.html", "what_if.html", "review.html"),
    *("style.css", "script.js"),
)


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    shown: int  # how many of the facts are on it


def fitting(draw: Callable[[int, int], str], top: int, tell: int) -> Page:
    """Draw a page with `top` facts, `tell` of them explained; with fewer when it would be too large to open with ease."""
    while True:
        text = draw(top, tell)
        if len(text.encode()) < MOST_BYTES or top == 0:
            return Page(text, top)
        tell, top = (tell // 2, top) if tell else (0, top // 2)


def page_texts() -> dict[str, str]:
    """The templates of the pages, their style and their script, by name."""
    return {name: files("foregone.pages").joinpath("templates", name).read_text("utf-8") for name in FILES}


def page_environment(texts: Mapping[str, str]) -> Environment:
    """Templates by name, with the filters that the pages use. Everything that comes from data is escaped."""
    environment = Environment(
        loader=DictLoader(dict(texts)), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {"coded": coded, "chance": chance_text, "size": size_text}
    return environment


def fill(template: str, domain: Domain, items: Sequence[FactView], **values: Any) -> str:
    """The text of a page. Everything that comes from data is escaped, and the browser runs only the script in the page."""
    texts = page_texts()
    environment = page_environment(texts)
    told = {name for item in items for name in item.known if name not in item.fact.idle}
    return environment.get_template(template).render(
        items=items,
        version=__version__,
        style=texts["style.css"],
        script=texts["script.js"],
        style_hash=_hash(texts["style.css"]),
        script_hash=_hash(texts["script.js"]),
        noun=domain.record,
        nouns=plural(domain.record, 2),
        it=pronouns(domain, 1)[0],
        plural=plural,
        titles={column.name: title(column) for column in domain.columns if column.name in told},
        sizes=sorted({item.fact.attributes for item in items}, reverse=True),
        kinds_of_fact=sorted({item.printed.kind for item in items if item.printed.kind}),
        counts=sorted({item.fact.count for item in items}),
        **values,
    )


def coded(text: str) -> Markup:
    """A sentence in which code stands between backticks, as HTML.

    >>> print(coded("see `foregone query` & <b>"))
    see <code>foregone query</code> &amp; &lt;b&gt;
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone one is just a character
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def _hash(text: str) -> str:
    """What a content security policy calls this very text, so that the browser runs nothing else."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
