"""One page about a study, which needs nothing but itself: every section with its pictures, the paper's numbers beside ours."""

from __future__ import annotations

import re
from dataclasses import asdict
from importlib.resources import files

from foregone.model.sentences import plural
from foregone.study import tables
from foregone.study.figures import THEMED, Panel
from foregone.study.findings import Findings
from foregone.study.sections import SECTIONS
from foregone.version import __version__

SHARED = ("page.html", "parts.html", "study.css")


def page(found: Findings, panels: dict[str, list[Panel]], drawn: dict[str, str]) -> str:
    """`panels` are the pictures of each section, `drawn` the svg of each picture."""
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    sections = [(section, rows) for section in SECTIONS if (rows := section.rows(found)) is not None]
    texts = {name: _template(name) for name in (*SHARED, *(f"{section.name}.html" for section, _ in sections))}
    environment = Environment(
        loader=DictLoader(texts), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {"count": lambda n: "–" if n is None else f"{n:,}", "percent": _percent, "decimal": _decimal}
    kind = found.results.kind
    return environment.get_template("page.html").render(
        **asdict(found.options),
        style=Markup(files("foregone.pages").joinpath("templates", "style.css").read_text("utf-8") + texts["study.css"]),
        version=__version__,
        sections=sections,
        pictures={
            section: [(panel, Markup(themed(drawn[panel.name]))) for panel in some]
            for section, some in panels.items()
        },
        kind=kind.name,
        noun=found.noun,
        nouns=found.nouns,
        about=kind.book.about(found.options.variant),
        queries=found.queries,
        unit_words=kind.meant[found.options.units],
        paper=found.paper,
        synthetic=found.synthetic,
        undecided=found.undecided,
        widths=list(found.results.widths),
        names=found.results.names,
        cards=_cards(found),
    )


def themed(svg: str) -> str:
    """A drawing to be part of the page: without what only a file needs, in the colours of the page."""
    text = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'^<svg[^>]*viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1" aria-hidden="true">', text)
    for colour, name in THEMED.items():
        text = text.replace(colour, f"var(--{name})")
    return text.strip()


def _template(name: str) -> str:
    return files("foregone.study").joinpath("templates", name).read_text("utf-8")


def _percent(share: float | str | None, decimals: int = 1) -> str:
    return "–" if share is None or share == "" else f"{100 * float(share):.{decimals}f}"


def _decimal(number: float | None, decimals: int = 2) -> str:
    return "–" if number is None else f"{number:,.{decimals}f}"


def _cards(found: Findings) -> list[tuple[str, str]]:
    """The numbers to remember; a block that is in both sets counts once."""
    results = found.results
    sizes = {block: size for _, block, size in results.chosen.blocks}
    every, singled = sum(sizes.values()), {k: [results.measured[block].singleton[k] for block in sizes] for k in results.widths}
    k = max(singled, key=lambda k: (sum(singled[k]), -k))
    share = f"{100 * tables.share(sum(singled[k]), every):.0f}\N{NO-BREAK SPACE}%"
    having = f"{100 * tables.share(sum(n > 0 for n in singled[k]), len(sizes)):.0f}\N{NO-BREAK SPACE}%"
    return [
        (f"{len(sizes):,}", f"{plural('block', len(sizes))} looked at"),
        (f"{every:,}", f"{plural(found.noun, every)} in them"),
        (f"{sum(singled[k]):,}", f"of them ({share}) singled out by a claim with exactly {k} {plural('column', k)}"),
        (having, f"of the blocks have such a {found.noun}"),
    ]
