"""The page about many releases: a run or a study."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from foregone.model.sentences import number, plural
from foregone.pages.collection import LEVELS, Gathered, Sighted, place_key, place_name, where_of
from foregone.pages.explanations import Behind
from foregone.pages.ranking import title
from foregone.pages.results import many_results
from foregone.pages.template import Page, fill, fitting
from foregone.pages.thresholds import Thresholds
from foregone.pages.views.charts import Bar, boxes, by_columns, chance_text, exposed
from foregone.pages.views.derivation import tell_story
from foregone.pages.views.facts import Item, make_item, uses
from foregone.pages.views.tables import Tables

Explained = Mapping[tuple[str, str, int], Behind]
MANY = 6  # attributes from which on a headline speaks of "many"


@dataclass(frozen=True, slots=True)
class ManyOptions:
    """What the page should hold; `date` is printed as it is."""

    date: str
    redact: bool = False
    thresholds: Thresholds = field(default_factory=Thresholds)
    out: Path = Path("report.html")  # places of other files are told from here


def render_many(gathered: Gathered, explained: Explained, options: ManyOptions) -> Page:
    def draw(top: int, tell: int) -> str:
        return _render(gathered, explained if tell else {}, options, top)

    return fitting(draw, len(gathered.found), len(explained))


def _render(gathered: Gathered, explained: Explained, options: ManyOptions, top: int) -> str:
    redact, domain = options.redact, gathered.domain
    numbers: dict[str, dict[str, str]] = {}
    items = []
    for i, sighted in enumerate(gathered.found[:top], start=1):
        items.append(_item(gathered, i, sighted, explained, redact, numbers))
    titles = {column.name: title(column) for column in domain.columns}
    shown = {item.place for item in items}
    rest = os.path.relpath(gathered.rest, options.out.parent)
    return fill(
        "collection.html",
        domain,
        items,
        options=options,
        redact=redact,
        gathered=gathered,
        fingerprint="" if redact else gathered.fingerprint,
        fingerprint_of="Fingerprint of the input",
        told=sum(item.story is not None for item in items),
        verdict=verdict(gathered),
        outcome=many_results(gathered, options.thresholds, redact),
        assumed=[pair for pair in gathered.assumed if not redact or pair[0] != "Failed"],
        bars=by_columns(gathered.claims, gathered.singletons),
        people=[
            replace(Bar.of(str(k), n, max(gathered.households.values())), part=1.0) for k, n in sorted(gathered.households.items())
        ],
        of_hundred=round(100 * gathered.singled_out / gathered.records) if gathered.singled_out and gathered.records else 0,
        columns=exposed(gathered.exposed, titles),
        boxes=boxes(gathered.chances),
        with_chances=bool(gathered.chances),
        places=[] if redact else _place_bars(gathered),
        filters=[] if redact else [(code, place_name(code, gathered.level)) for code in sorted(shown)],
        level_word={"county": "county", "tract": "tract", "state": "state"}.get(gathered.level, gathered.noun),
        rest=rest,
        folder=os.path.relpath(gathered.path, options.out.parent),
        data={"uses": {} if redact else uses(items).facts, "numbers": {} if redact else numbers},
    )


def _item(
    gathered: Gathered, i: int, sighted: Sighted, explained: Explained, redact: bool, numbers: dict[str, dict[str, str]]
) -> Item:
    domain, finding = gathered.domain, sighted.finding
    found = explained.get((sighted.release, finding.predicate.text(domain), finding.count))
    story = None
    prefix = f"{i}-"
    if found is not None:
        tables = Tables(found.release)
        finding = replace(found.finding, baseline=finding.baseline)
        story = tell_story(tables, finding, found.reason, redact)
        numbers |= {f"{prefix}{n}": {"name": found.release.name_of(n), "label": tables.label(n)} for n in story.statistics}
    item = make_item(domain, i, finding, story, redact)
    known = sighted.records is not None and not redact
    size = f" · {sighted.records:,} {plural(domain.record, sighted.records or 0)} there" if known else ""
    where = f"one of {gathered.releases:,} {plural(gathered.noun, 2)}" if redact else where_of(sighted.release)
    return replace(
        item,
        of=prefix,
        place="" if redact else place_key(sighted.release, gathered.level),
        where=where[0].upper() + where[1:] + size if gathered.blocks or redact else where + size,
        how="--source UNITS works it out for the most telling facts"
        if gathered.blocks
        else "foregone report on that release shows it",
        ground=item.ground or "in claims.parquet",
    )


def _place_bars(gathered: Gathered) -> list[tuple[str, Bar]]:
    """Places in the order of their codes, so that one can be found; releases without codes by size."""
    shares = gathered.level in LEVELS
    places = sorted(gathered.places, key=lambda place: place.code) if shares else gathered.places
    largest = max((place.share if shares else place.part for place in places), default=0) or 1
    return [
        (
            place.code,
            Bar(
                place.name,
                place.part,
                (place.share if shares else place.part) / largest,
                text=_place_text(place.share, place.part, shares),
            ),
        )
        for place in places
    ]


def _place_text(share: float, part: int, shares: bool) -> str:
    return f"{100 * share:.1f} %" if shares else f"{part:,}"


def verdict(gathered: Gathered) -> tuple[str, str]:
    """The headline and what it means, for somebody who has never heard of any of this."""
    noun, nouns = gathered.domain.record, plural(gathered.domain.record, 2)
    releases = plural(gathered.noun, gathered.releases)
    if not gathered.with_any:
        open_ = f" {gathered.undecided:,} statements are still undecided." if gathered.undecided else ""
        none = (
            f"No statement about exactly one {noun} follows from the numbers published for {gathered.releases:,} {releases}.{open_}"
        )
        return f"No {noun} is singled out.", none
    if gathered.singled_out is None:
        headline = f"Somebody is singled out in {gathered.with_any:,} of {gathered.releases:,} {releases}."
    else:
        least = "At least " if gathered.kind == "study" else ""
        are = "is" if gathered.singled_out == 1 else "are"
        headline = f"{least}{gathered.singled_out:,} of {gathered.records:,} {nouns} {are} singled out."
    most = max(gathered.singletons, default=0)
    text = (
        f"From the tables published for {gathered.releases:,} {releases} alone, anyone can be certain of up to {number(most)}"
        f" {plural('attribute', most)} of a single {noun}."
        " It is true in every dataset that fits the numbers: not a guess, not a probability."
    )
    if gathered.households:
        text += f" {_ladder(gathered)}"
        text += f" Somebody is singled out in {gathered.with_any:,} of the {gathered.releases:,} {releases}."
    if gathered.chances:
        widest = gathered.chances[-1]
        least_chance = min(chance.least for chance in gathered.chances)
        text += (
            f" A claim with {number(widest.columns)} attributes would hold with a median chance of {chance_text(widest.median)}"
            f" among {nouns} drawn from {gathered.prior}, the most surprising claim with {chance_text(least_chance)}."
        )
    return headline, text


def _ladder(gathered: Gathered) -> str:
    """How many records are pinned down by how many attributes: two or three steps."""
    noun = gathered.domain.record
    steps = [k for k in sorted(gathered.households) if k >= min(MANY, max(gathered.households))][::2][:3]
    first, *others = [(gathered.households[k], number(k)) for k in steps]
    are = "is" if first[0] == 1 else "are"
    told = f"{first[0]:,} {plural(noun, first[0])} {are} singled out by {first[1]} attributes at once"
    return f"{', '.join([told, *(f'{n:,} by {k}' for n, k in others)])}."
