"""The page about many releases: a run."""

from __future__ import annotations

import os
from dataclasses import replace
from shlex import join

from foregone.model.sentences import number, plural
from foregone.pages.collection import Collection, LocatedFact
from foregone.pages.commands import HIDDEN_PLACE, Place, after_collection, explain_command
from foregone.pages.explanations import LocatedExplanations
from foregone.pages.outcome import Outcome, outcome_of_collection
from foregone.pages.release_page import PageOptions
from foregone.pages.sentences import ONLY_CERTAIN, singled_out_means, title
from foregone.pages.template import Page, fill, fitting
from foregone.pages.views.charts import Bar, by_attributes, exposed
from foregone.pages.views.derivation import view_derivation
from foregone.pages.views.facts import FactView, uses, view_fact
from foregone.pages.views.tables import TableViews

MANY = 6  # attributes from which on a headline speaks of "many"


def render_collection(
    collection: Collection, explained: LocatedExplanations, options: PageOptions, outcome: Outcome | None = None
) -> Page:
    judged = outcome or outcome_of_collection(collection)

    def draw(top: int, tell: int) -> str:
        return _render(collection, explained if tell else {}, options, judged, top)

    return fitting(draw, len(collection.found), len(explained))


def _render(
    collection: Collection, explained: LocatedExplanations, options: PageOptions, outcome: Outcome, top: int
) -> str:
    redact, domain, totals, geography = options.redact, collection.domain, collection.totals, collection.subject.geography
    numbers: dict[str, dict[str, str]] = {}
    place = HIDDEN_PLACE if redact else options.place or Place(str(collection.path))
    items = []
    for i, located in enumerate(collection.found[:top], start=1):
        items.append(_item(collection, i, located, explained, redact, numbers))
    titles = {column.name: title(column) for column in domain.columns}
    shown = {item.place for item in items}
    return fill(
        "collection.html",
        domain,
        items,
        options=options,
        redact=redact,
        collection=collection,
        fingerprint="" if redact else collection.fingerprint,
        fingerprint_of="Fingerprint of the input",
        told=sum(item.derivation is not None for item in items),
        headline=headline(collection),
        meaning=singled_out_means(domain),
        looked="" if totals.with_any else f"Looked for: every statement “exactly so many {plural(domain.record, 2)} have these"
        f" values”, {collection.noun} by {collection.noun}. {ONLY_CERTAIN}",
        outcome=outcome,
        steps=[] if redact else after_collection(collection, place, outcome, str(options.out), len(explained)),
        assumed=[(label, words) for label, words, quoting in collection.assumed if not (redact and quoting)],
        bars=by_attributes(collection.facts_by, collection.facts_of_one_by),
        people=[
            replace(Bar.of(str(k), n, max(collection.singled_out_by.values())), part=1.0)
            for k, n in sorted(collection.singled_out_by.items())
        ],
        of_hundred=round(100 * totals.singled_out / totals.records) if totals.singled_out and totals.records else 0,
        columns=exposed(collection.exposed, {name: words for name, words in titles.items() if name not in collection.shared}),
        unlisted=[titles[name] for name in titles if name in collection.shared],
        with_chances=False,
        places=[] if redact else _place_bars(collection),
        filters=[] if redact else [(code, geography.name_of(code, collection.level)) for code in sorted(shown)],
        level_word=collection.level if collection.level in geography.levels else collection.noun,
        rest=os.path.relpath(collection.rest, options.out.parent),
        folder=os.path.relpath(collection.path, options.out.parent),
        data={"uses": {} if redact else uses(items).facts, "numbers": {} if redact else numbers},
    )


def _item(
    collection: Collection,
    i: int,
    located: LocatedFact,
    explained: LocatedExplanations,
    redact: bool,
    numbers: dict[str, dict[str, str]],
) -> FactView:
    domain, fact, geography = collection.domain, located.fact, collection.subject.geography
    found = explained.get((located.release, fact.predicate.text(domain), fact.count))
    derivation = tables = None
    prefix = f"{i}-"
    if found is not None:
        tables = TableViews(found.release, collection.subject)
        fact = replace(found.fact, baseline=fact.baseline, guess=fact.guess, modal=fact.modal)
        derivation = view_derivation(tables, fact, found.derivation, redact)
        numbers |= {f"{prefix}{n}": {"name": found.release.name_of(n), "label": tables.label(n)} for n in derivation.statistics}
    item = view_fact(collection.subject, domain, i, fact, derivation, redact, tables)
    known = located.records is not None and not redact
    size = f" · {located.records:,} {plural(domain.record, located.records or 0)} there" if known else ""
    where = f"one of {collection.totals.releases:,} {plural(collection.noun, 2)}" if redact else geography.describe(located.release)
    return replace(
        item,
        of=prefix,
        place="" if redact else geography.code_of(located.release, collection.level),
        where=where[0].upper() + where[1:] + size if collection.noun == geography.noun or redact else where + size,
        commands=() if redact else _derivation_commands(collection, located),
        among=located.records,
    )


def _derivation_commands(collection: Collection, located: LocatedFact) -> tuple[str, ...]:
    """How to see why a fact is certain: its release, made again where that can be done, and the claim to explain."""
    publish, release, fact = collection.subject.publish, located.release, located.fact
    explain = explain_command(f"release-{release}" if publish else release, collection.domain, fact.predicate, fact.count)
    if not publish or not collection.source:
        return (explain,)
    return (join([*(word.format(source=collection.source, release=release) for word in publish)]), explain)


def _place_bars(collection: Collection) -> list[tuple[str, Bar]]:
    """Places in the order of their codes, so that one can be found; releases without codes by size."""
    places = collection.places
    if collection.level not in collection.subject.geography.levels:
        most = max((place.part for place in places), default=0) or 1
        return [(place.code, Bar(place.name, place.part, place.part / most, text=f"{place.part:,}")) for place in places]
    ordered = sorted(places, key=lambda place: place.code)
    largest = max((place.share for place in ordered), default=0) or 1
    return [(p.code, Bar(p.name, p.part, p.share / largest, text=f"{100 * p.share:.1f} %")) for p in ordered]


def headline(collection: Collection) -> tuple[str, str]:
    """The headline and what it means, for somebody who has never heard of any of this."""
    totals, noun, nouns = collection.totals, collection.domain.record, plural(collection.domain.record, 2)
    releases = plural(collection.noun, totals.releases)
    if not totals.with_any:
        open_ = f" {totals.undecided:,} statements are still undecided." if totals.undecided else ""
        published = f"the numbers published for {totals.releases:,} {releases}"
        none = f"No statement about exactly one {noun} is shown to follow from {published}.{open_}"
        return f"No {noun} is singled out by these numbers.", none
    if totals.singled_out is None:
        first = f"Somebody is singled out in {totals.with_any:,} of {totals.releases:,} {releases}."
    else:
        are = "is" if totals.singled_out == 1 else "are"
        first = f"{totals.singled_out:,} of {totals.records:,} {nouns} {are} singled out."
    most = max(collection.facts_of_one_by, default=0)
    text = (
        f"From the tables published for {totals.releases:,} {releases} alone, anyone can be certain of up to {number(most)}"
        f" {plural('attribute', most)} of a single {noun}."
        " It is true in every dataset that fits the numbers: not a guess, not a probability."
    )
    if collection.singled_out_by:
        text += f" {_ladder(collection)}"
        text += f" Somebody is singled out in {totals.with_any:,} of the {totals.releases:,} {releases}."
    if collection.guessed:
        text += f" {collection.guessed}"
    return first, text


def _ladder(collection: Collection) -> str:
    """How many records are pinned down by how many attributes: two or three steps."""
    noun = collection.domain.record
    steps = [k for k in sorted(collection.singled_out_by) if k >= min(MANY, max(collection.singled_out_by))][::2][:3]
    first, *others = [(collection.singled_out_by[k], number(k)) for k in steps]
    are = "is" if first[0] == 1 else "are"
    told = f"{first[0]:,} {plural(noun, first[0])} {are} singled out by {first[1]} attributes at once"
    return f"{', '.join([told, *(f'{n:,} by {k}' for n, k in others)])}."
