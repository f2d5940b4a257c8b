"""One page about a study, which needs nothing but itself: sections with their pictures, the paper's numbers beside ours.

Each section has a template of its own and a function that makes its rows. To add one, write `templates/NAME.html` and an entry in
SECTIONS. A function that returns None leaves its section out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import pairwise, product
from typing import Any

from foregone.census.geography import describe
from foregone.evaluation import beside, tables
from foregone.evaluation.beyond import REGISTER, WEIGHINGS
from foregone.evaluation.deviations import Numbers, deviations, numbers_of, paper_numbers
from foregone.evaluation.figures import THEMED, Panel
from foregone.evaluation.findings import Findings
from foregone.evaluation.panels import REMOVED_WORDS, SET_WORDS
from foregone.evaluation.sample import SETS
from foregone.evaluation.tables import CLAIM_KINDS, EDIT
from foregone.model.sentences import plural
from foregone.version import __version__

SHARED = ("page.html", "parts.html", "study.css")

MEASURES = {  # what experiments look at, in words
    "met per record": "counts that a record meets",
    "share of zeros": "% of the counts that are 0",
    "share of ones": "% of the counts that are 1",
    "singled out": "households singled out per block",
    "blocks": "% of blocks in which somebody is singled out",
    "without ones": "% of those singled out that still are when counts of 1 are withheld",
    "without zeros": "% that still are when counts of 0 are withheld",
    "without either": "% that still are when counts of 0 and of 1 are withheld",
    "tract chance": "% chance of a claim about one household by the tract, on median (paper: at most)",
    "state chance": "% chance of a claim about one household by the state, on median (paper: at most)",
}

Rows = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """`name` is that of its template and of its place on the page."""

    name: str
    title: str
    rows: Callable[[Findings], Rows | None]


def _sample(found: Findings) -> Rows:
    chosen, paper = found.chosen, found.paper
    medians = [median for _, median, _ in chosen.medians]
    names = [block for _, block, _ in chosen.blocks]
    sets = []
    for which in SETS:
        sizes = [size for name, _, size in chosen.blocks if name == which]
        mean = tables.share(sum(sizes), len(sizes))
        published = paper.get("blocks", "value"), paper.get("records", which)
        sets.append({"words": SET_WORDS[which], "blocks": len(sizes), "records": sum(sizes), "mean": mean, "paper": published})
    return {
        "median": chosen.median,
        "medians": (min(medians), max(medians)),
        "states": len(medians),
        "all_blocks": sum(blocks for *_, blocks in chosen.medians),
        "distinct": len(set(names)),
        "twice": len(names) - len(set(names)),
        "short": any(len(found.of(which)) < found.options.per_state * len(medians) for which in SETS),
        "sets": sets,
    }


def _counts(found: Findings) -> Rows:
    known = list(zip(*(found.paper.get("values", name) or () for name in ("mean", "share")), strict=True))
    rows: list[Rows] = []
    for value, number, share in tables.statistics_values(found)[1]:
        paper = known[len(rows)] if len(rows) < len(known) else None
        rows.append({"value": value, "mean": number, "share": share, "paper": paper})
    return {"values": rows[:25], "more": max(0, len(rows) - 25)}


def _identified(found: Findings) -> Rows:
    paper, several = found.paper, found.kind.counted
    table, edit = tables.households(found), tables.households(found, edit=True)
    known = any(m.edit for m in found.measured.values())
    groups = [
        {
            "title": f"{SET_WORDS[which].capitalize()}, {'singled out' if claims == 'singleton' else 'all claims'}",
            "blocks": len(found.of(which)),
            "total": tables.column(table, several, set=which, claims=claims),
            "per_block": tables.column(table, "per_block", set=which, claims=claims),
            "edit": tables.column(edit, several, set=which, claims=claims) if known else [],
            "paper": paper.by_width(found.widths, "identified", "total", which, claims),
            "paper_per_block": paper.per_block(found.widths, which, claims),
            "printed": _printed_otherwise(found, which, claims),
        }
        for claims, which in product(CLAIM_KINDS, SETS)
    ]
    return {"groups": groups}


def _printed_otherwise(found: Findings, which: str, claims: str) -> list[Any]:
    """What the paper prints per block, where that is not its totals over its blocks."""
    printed = found.paper.by_width(found.widths, "identified", "per_block", which, claims)
    pairs = zip(printed, found.paper.per_block(found.widths, which, claims), strict=True)
    differ = any(a is not None and b is not None and abs(a - b) > 0.01 for a, b in pairs)
    return printed if differ else []


def _surprise(found: Findings) -> Rows:
    table = tables.baseline_summary(found)
    points = {"median": "median", "q3": "third quartile", "p90": "90th percentile"}
    limits = found.paper.get("chances", "singleton") or {}
    alone = {
        (which, prior): [beside.median_chance(found, found.guessed[prior].without_own, which, k) for k in found.widths]
        for which, prior in product(SETS, found.guessed)
    }
    groups = [
        (
            f"{points[name].capitalize()}, {SET_WORDS[which]}",
            [
                {
                    "prior": prior,
                    "values": tables.column(table, name, set=which, claims="singleton", prior=prior),
                    "paper": limits.get(name),
                }
                for prior in found.guessed
            ]
            + [
                {"prior": f"{prior}, without the block", "values": alone[which, prior], "paper": limits.get(name)}
                for prior in found.guessed
                if name == "median"
            ],
        )
        for name, which in product(points, SETS)
    ]
    header, rows = tables.guessers(found)
    guessers = [dict(zip(header, row, strict=True)) for row in rows if row[1] == "singleton"]
    by_set = [(SET_WORDS[which].capitalize(), [row for row in guessers if row["set"] == which]) for which in SETS]
    return {"groups": groups, "guessers": by_set}


def _beside(found: Findings) -> Rows | None:
    """The main numbers of the paper and of each reading; and what experiments say about what still differs."""
    if not found.paper:
        return None
    table, several = beside.side_by_side(found), found.kind.counted
    wanted = [
        (f"{several} per block, singled out, {SET_WORDS[which]}", {"measure": f"{several} per block", "set": which})
        for which in SETS
    ]
    wanted += [
        (f"% of them left without counts of {name}", {"measure": f"share left without counts of {name}"})
        for name in ("1", "0", "0,1")
    ]
    groups = []
    for words, where in wanted:
        given = {"claims": "singleton", **where}
        lines = [(who, tables.column(table, who, **given)) for who in ("paper", *found.readings)]
        groups.append({"title": words, "lines": lines, "percent": words.startswith("%")})
    sets = beside.marginal_sets(found)
    return {
        "groups": groups,
        "readings": [(name, found.kind.book.about(name)) for name in found.readings],
        "met": [(who, tables.column(table, who, measure="counts that a record meets")[0]) for who in ("paper", *found.readings)],
        "sets": [(counted, [row[1:] for row in sets[1] if row[0] == counted]) for counted in ("count", "table")],
        "experiments": _experiments(found),
        "deviations": [(MEASURES[one.measure], one) for one in deviations(found)],
    }


def _experiments(found: Findings) -> Rows | None:
    """What each setting gave in the last reading, beside the paper: about the counts, and by number of columns."""
    last = [one for one in found.experiments if one.reading == found.readings[-1]]
    if not last:
        return None

    def lines(name: str) -> list[tuple[str, Numbers]]:
        return [("paper", paper_numbers(found, name)), *((one.setting, numbers_of(one, name)) for one in last)]

    names = list(dict.fromkeys(name for name, _ in last[0].measures))
    single = [name for name in names if (name, None) in last[0].measures]
    about = {who: [numbers[0] for name in single for w, numbers in lines(name) if w == who] for who, _ in lines(names[0])}
    return {
        "blocks": last[0].blocks,
        "counts": [MEASURES[name] for name in single],
        "about": list(about.items()),
        "groups": [(MEASURES[name], lines(name)) for name in names if name not in single],
    }


def _withheld(found: Findings) -> Rows:
    table = tables.ablation(found)
    words = {**REMOVED_WORDS, EDIT: "nothing, edit rules known"}
    totals = {name: tables.column(table, found.kind.counted, removed=name) for name in tables.column(table, "removed")}
    shown = [
        {
            "words": words[name],
            "share": tables.column(table, "share_removed", removed=name)[0],
            "total": total,
            "paper_share": found.paper.get("ablation", name, "share"),
            "paper": found.paper.by_width(found.widths, "ablation", name),
        }
        for name, total in totals.items()
    ]
    return {"rows": shown, "zeros_free": totals["0"][0] >= 0.95 * totals["none"][0]}


def _columns(found: Findings) -> Rows:
    """The most common combinations here and in the paper, each with both shares."""
    common, rows = tables.combinations(found), list[Rows]()
    for k in reversed(found.widths):
        masks = found.claims.singletons(k)
        here = {found.named(mask): number for mask, number in Counter(masks.tolist()).items()}
        mine = tables.column(common, "combination", columns=k)
        published = dict(found.paper.get("combinations", str(k)) or ())
        for words in dict.fromkeys([*mine, *published]):
            ranks = [list(ranked).index(words) + 1 if words in ranked else None for ranked in (mine, published)]
            share = tables.share(here.get(words, 0), len(masks))
            rows.append({"k": k, "named": words.split(), "share": share, "paper": published.get(words), "ranks": ranks})
    for before, row in zip([None, *rows], rows, strict=False):
        row["first"] = before is None or before["k"] != row["k"]
    return {"rows": rows, "titles": [(name, found.domain.column(name).title) for name in found.names]}


def _whole(found: Findings) -> Rows:
    rows = []
    for which in SETS:
        measured = found.of(which)
        answers = [m.unique for m in measured]
        apart = [m.variability for m in measured if m.variability is not None]
        counts = [answers.count(word) for word in ("true", "false", "undecided")]
        rows.append({"words": SET_WORDS[which], "counts": counts, "apart": tables.share(sum(apart), len(apart)) if apart else None})
    return {"rows": rows, "published": found.paper.get("whole")}


def _likely(found: Findings) -> Rows | None:
    if found.beyond is None:
        return None
    made = tables.calibration(found.beyond)
    bins = [(low, high) for low, high in pairwise(tables.EDGES)]
    cells = {name: tables.column(made, "claims", prior=name) for name in WEIGHINGS}, {
        name: tables.column(made, "true", prior=name) for name in WEIGHINGS
    }
    calibrated = [
        {"low": low, "high": high, "cells": [(cells[0][name][i], cells[1][name][i]) for name in WEIGHINGS]}
        for i, (low, high) in enumerate(bins)
    ]
    order = tables.ranking(found.beyond)
    first = sorted(set(tables.column(order, "k")))
    ranked = [{"k": k, "cells": [next(iter(tables.column(order, "right", prior=n, k=k)), None) for n in WEIGHINGS]} for k in first]
    counted = sum(block.counted for block in found.beyond)
    return {"names": WEIGHINGS, "calibrated": calibrated, "ranked": ranked, "counted": counted, "blocks": len(found.beyond)}


def _register(found: Findings) -> Rows | None:
    if found.beyond is None:
        return None
    header, rows = tables.register(found.beyond)
    titles = [(name, found.domain.column(name).title) for name in REGISTER[found.options.subject]]
    return {"rows": [dict(zip(header, row, strict=True)) for row in rows], "on": titles}


def _examples(found: Findings) -> Rows | None:
    shown = [(describe(one.block), one.columns, one.words, one.chance) for one in found.examples]
    return {"examples": shown} if shown else None


def _limits(found: Findings) -> Rows:
    return {
        "differences": found.paper.differences(found.options, found.synthetic, found.queries),
        "sources": found.paper.sources,
        "notes": found.paper.get("notes") or [],
    }


SECTIONS = (
    Section("sample", "The blocks", _sample),
    Section("counts", "The published counts", _counts),
    Section("beside", "Side by side with the paper", _beside),
    Section("identified", "Who is described", _identified),
    Section("surprise", "How common, and how likely to be guessed", _surprise),
    Section("withheld", "When counts are withheld", _withheld),
    Section("columns", "Which columns the claims name", _columns),
    Section("whole", "Whole blocks", _whole),
    Section("protection", "What could still be published", lambda found: {"found": found.protected}),
    Section("likely", "Beyond certain: are shares to be relied on?", _likely),
    Section("register", "What a register makes of it", _register),
    Section("examples", "Examples", _examples),
    Section("limits", "Limits", _limits),
)


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
    environment.filters["by_measure"] = _by_measure
    kind = found.kind
    return environment.get_template("page.html").render(
        **asdict(found.options),
        style=Markup(files("foregone.pages").joinpath("templates", "style.css").read_text("utf-8") + texts["study.css"]),
        version=__version__,
        sections=sections,
        pictures={section: [(panel, Markup(themed(drawn[panel.name]))) for panel in some] for section, some in panels.items()},
        kind=kind.name,
        noun=found.noun,
        nouns=found.nouns,
        about=kind.book.about(found.options.variant),
        queries=found.queries,
        unit_words=kind.meant[found.options.units],
        paper=found.paper,
        synthetic=found.synthetic,
        undecided=found.undecided,
        widths=list(found.widths),
        names=found.names,
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
    return files("foregone.evaluation").joinpath("templates", name).read_text("utf-8")


def _percent(share: float | str | None, decimals: int = 1) -> str:
    return "–" if share is None or share == "" else f"{100 * float(share):.{decimals}f}"


def _decimal(number: float | None, decimals: int = 2) -> str:
    return "–" if number is None else f"{number:,.{decimals}f}"


def _by_measure(number: float | None, words: str) -> str:
    """A number of an experiment: a share where the words for what it measures say so."""
    return _percent(number) if words.startswith("%") else _decimal(number)


def _cards(found: Findings) -> list[tuple[str, str]]:
    """The numbers to remember; a block that is in both sets counts once."""
    sizes = {block: size for _, block, size in found.chosen.blocks}
    every, singled = sum(sizes.values()), {k: [found.measured[block].singleton[k] for block in sizes] for k in found.widths}
    k = max(singled, key=lambda k: (sum(singled[k]), -k))
    share = f"{100 * tables.share(sum(singled[k]), every):.0f}\N{NO-BREAK SPACE}%"
    having = f"{100 * tables.share(sum(n > 0 for n in singled[k]), len(sizes)):.0f}\N{NO-BREAK SPACE}%"
    return [
        (f"{len(sizes):,}", f"{plural('block', len(sizes))} looked at"),
        (f"{every:,}", f"{plural(found.noun, every)} in them"),
        (f"{sum(singled[k]):,}", f"of them ({share}) singled out by a claim with exactly {k} {plural('column', k)}"),
        (having, f"of the blocks have such a {found.noun}"),
    ]
