"""Published sums, means, medians and percentages in words, with what follows from each where the number of people is published."""

from __future__ import annotations

from collections.abc import Collection

from foregone.model.domain import Domain
from foregone.model.figure import Figure, Measure
from foregone.model.measures import base_of, said_by
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import describe, number, plural
from foregone.model.statement import Either, Statement, Statistic, range_text, terms_text


def said(release: Release, index: int, among: Collection[int] | None = None) -> str:
    """What was published that makes a statement, by its number, in words. For a count, what it counts.

    Everything that comes from one figure says the same. With `among` no count is known but those.
    """
    match release.statements[index].printed:
        case Figure() as figure:
            return figure_sentence(figure, release, among)
        case Statistic() as count:
            return describe(count.predicate, release.domain)
        case Statement() as stated:
            return terms_text(stated.terms)
        case Either() as either:
            return either.range_text


def figure_sentence(figure: Figure, release: Release, among: Collection[int] | None = None) -> str:
    """The mean age of the four people with sex: female is 33.5, so their ages add up to 134."""
    domain = release.domain
    base = base_of(figure, release.statistics)
    count = _count(release, base, among)
    if figure.measure is Measure.PERCENT:
        what = describe(figure.predicate, domain) or "any values"
        text = f"{figure.range_text.removesuffix('%')} percent of {_people(domain, base, count)} have {what}"
    else:
        title = domain.column(figure.of).title or figure.of
        kind = "sum of the column" if figure.measure is Measure.SUM else str(figure.measure)
        text = f"the {kind} {title} of {_people(domain, base, count)} is {figure.range_text}"
    follows = "" if count is None or figure.withheld else _follows(figure, release)
    return f"{text}, so {follows}" if follows else text


def _people(domain: Domain, base: Predicate, count: int | None) -> str:
    noun = plural(domain.record, 2 if count is None else count)
    who = f"the {number(count)} {noun}" if count is not None else f"all {noun}" if not base.allowed else f"the {noun}"
    return f"{who} with {describe(base, domain)}" if base.allowed else who


def _count(release: Release, base: Predicate, among: Collection[int] | None) -> int | None:
    masks = base.masks(release.domain)
    known = range(len(release.masks)) if among is None else [i for i in among if i < len(release.masks)]
    return next((release.low[i] for i in known if release.masks[i] == masks and release.low[i] == release.high[i]), None)


def _follows(figure: Figure, release: Release) -> str:
    """What the first of the statements that a figure makes comes to."""
    made = said_by(release.domain, release.statistics, [figure])  # with the count put in, whatever the release does
    first = next((stated for stated in made if isinstance(stated, Statement)), None)
    if first is None:
        return ""
    if figure.measure is Measure.PERCENT:
        count = first.low if first.low is not None else first.high
        return f"{range_text(first.low, first.high)} {'does' if first.low == first.high and count == 1 else 'do'}"
    if figure.measure is Measure.MEDIAN:
        return _halves(figure, first)
    if figure.measure is Measure.SUM or not _unscaled(figure, release, first):
        return ""
    return f"their {plural(release.domain.column(figure.of).title or figure.of, 2)} add up to {range_text(first.low, first.high)}"


def _halves(figure: Figure, first: Statement) -> str:
    if figure.low is None or figure.low != figure.high or first.low is None:
        return ""
    there = "is" if first.low == 1 else "are"
    return f"at least {number(first.low)} of them {there} that or less, and at least {number(first.low)} that or more"


def _unscaled(figure: Figure, release: Release, first: Statement) -> bool:
    """Are the weights of a sum the numbers themselves? Where they have decimals or a common factor they are not."""
    column = release.domain.column(figure.of)
    return all(column.number_of(next(iter(dict(p.allowed)[figure.of]))) == weight for weight, p in first.terms)
