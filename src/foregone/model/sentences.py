"""Findings in plain English, for any domain, and what published numbers say."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection
from typing import TYPE_CHECKING

from foregone.model.domain import Column, Domain
from foregone.model.errors import what_to_do
from foregone.model.families import Groups, families_of
from foregone.model.figure import Figure, Measure
from foregone.model.marks import range_text
from foregone.model.measures import base_of, said_by
from foregone.model.predicate import Predicate
from foregone.model.statement import Either, Statement, Statistic, terms_text

if TYPE_CHECKING:
    from foregone.model.audit import Audit, Fact
    from foregone.model.dataset import Dataset
    from foregone.model.release import Release

IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
THINGS = ("household", "record")  # spoken of as "it"; everybody else is a "them"
RANGE = re.compile(r"^(\d+)-(\d+)$")  # a code such as 18-24, which reads badly in a list
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def plural(noun: str, count: int) -> str:
    """
    >>> plural("household", 2), plural("person", 3), plural("city", 0), plural("record", 1)
    ('households', 'people', 'cities', 'record')
    """
    if count == 1:
        return noun
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def folded(line: str, width: int = 80) -> str:
    """A long line as several; a word that is too long, such as a path, stays whole.

    >>> folded("two lines of it", 10)
    'two lines\\nof it'
    """
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) if len(line) > width else line


def number(count: int) -> str:
    return SMALL[count] if count < len(SMALL) else f"{count:,}"


def values_text(column: Column, codes: frozenset[str]) -> str:
    """Values in words: the label of a value; for a group its own label, or else those of its values.

    Whole numbers that follow on each other are said as a span.

    >>> age = Column("AGE", ("0-17", "18-24", "25-34"), groups=(("young adults", ("18-24", "25-34")),))
    >>> [values_text(age, frozenset(some)) for some in (["0-17"], ["18-24", "25-34"], ["0-17", "18-24"])]
    ['0-17', 'young adults', '0 to 17 or 18 to 24']
    """
    label = column.group_label(codes)
    if label is not None:
        return label
    ordered = list(map(column.label_of, column.ordered(codes)))
    return ordered[0] if len(ordered) == 1 else " or ".join(RANGE.sub(r"\1 to \2", text) for text in _spans(ordered))


def _spans(texts: list[str]) -> list[str]:
    """Texts in which three and more whole numbers in a row are one.

    >>> _spans(["1", "2", "4", "5", "6", "7", "older"])
    ['1', '2', '4 to 7', 'older']
    """
    runs: list[list[str]] = []
    for text in texts:
        follows = runs and text.isdecimal() and runs[-1][-1].isdecimal() and int(text) == int(runs[-1][-1]) + 1
        if follows:
            runs[-1].append(text)
        else:
            runs.append([text])
    return [part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"])]


def condition(column: Column, codes: frozenset[str]) -> str:
    """One column's part of a sentence: its title and its values."""
    return f"{column.title or column.name}: {values_text(column, codes)}"


def describe(predicate: Predicate, domain: Domain) -> str:
    parts = sorted(predicate.allowed, key=lambda pair: domain.index[pair[0]])
    return "; ".join(condition(domain.column(name), codes) for name, codes in parts)


def printed_sentence(published: bool) -> str:
    """Is a fact printed already, or does it only follow?"""
    return "A table prints this, in these or fewer words." if published else "No table prints this; it follows."


def claim_sentence(domain: Domain, predicate: Predicate, count: int) -> str:
    """
    >>> domain = Domain.of({"SEX": {"F": "female", "M": "male"}}, {"SEX": "sex"}, "person")
    >>> claim_sentence(domain, Predicate.of({"SEX": "F"}), 1)
    'Exactly one person has sex: female.'
    """
    noun = plural(domain.record, count)
    if not predicate.allowed:
        return f"There {'is' if count == 1 else 'are'} exactly {number(count)} {noun}."
    return f"Exactly {number(count)} {noun} {'has' if count == 1 else 'have'} {describe(predicate, domain)}."


def certain_claims(
    claims: int, facts: int, ones: int, record: str, undecided: int, *, single_facts: int | None = None, failed: int | None = None
) -> str:
    """What is certain, how much of it is about exactly one record and what stayed open: one sentence wherever this is said.

    Facts are counted only where they are fewer than the claims that state them.

    >>> certain_claims(5, 2, 4, "person", 0, single_facts=1)
    '5 claims are certain (2 facts); 4 of them (1 fact) single out exactly one person. Undecided: 0.'
    >>> certain_claims(35, 35, 1, "patient", 0, single_facts=1)
    '35 claims are certain; 1 of them singles out exactly one patient. Undecided: 0.'
    """
    lost = "" if failed is None else f" Failed: {failed:,}."
    return (
        f"{claims:,} {plural('claim', claims)} {_are(claims)} certain{_stated(claims, facts)};"
        f" {ones:,} of them{_stated(ones, single_facts)} {'singles' if ones == 1 else 'single'} out exactly one {record}."
        f" Undecided: {undecided:,}.{lost}"
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _stated(claims: int, facts: int | None) -> str:
    return "" if facts in (None, claims) else f" ({facts:,} {plural('fact', facts or 0)})"


def published_text(release: Release) -> str:
    """How many numbers are shown, counts and figures alike, and how many cells are not: one count wherever it is said."""
    withheld = sum(row.withheld for row in release.published)
    shown = len(release.published) + len(release.own) - withheld
    if withheld and not shown:
        return f"no published number and {withheld:,} withheld {plural('cell', withheld)}"
    hidden = f" and {withheld:,} withheld {plural('cell', withheld)}" if withheld else ""
    return f"{shown:,} published {plural('number', shown)}{hidden}"


def audit_counts(audit: Audit) -> str:
    """The one sentence of a summary that says how much is certain."""
    total = sum(audit.claims_by_columns().values())
    ones = sum(audit.claims_by_columns(count=1).values())
    single = sum(fact.count == 1 for fact in audit)
    return certain_claims(total, len(audit), ones, audit.release.domain.record, len(audit.open), single_facts=single)


def singled_out_sentence(audit: Audit, truth: Dataset | None = None) -> str:
    """How many records are singled out whichever dataset is the true one and, with the truth at hand, how many really are.

    The terminal and the page both say this sentence.
    """
    domain, known = audit.release.domain, audit.singled_out
    nouns = plural(domain.record, 2)
    if not any(fact.count == 1 for fact in audit):
        return f"No {domain.record} is singled out."
    low, high = audit.size
    exactly = "" if truth is None else f" In the true records it is {audit.singled_out_in(truth):,}."
    if known is None:  # an engine that proves nothing
        return f"At least one {domain.record} is singled out.{exactly}"
    if low == high == known[0]:
        return f"The one {domain.record} is singled out." if low == 1 else f"All {low:,} {nouns} are singled out."
    of = f" of the {low:,} {nouns}" if low == high else f" {plural(domain.record, known[0])}"
    open_ = "" if known[0] == known[1] else f" (it may be up to {known[1]:,}: that is undecided)"
    return f"At least {known[0]:,}{of} {'is' if known[0] == 1 else 'are'} singled out{open_}.{exactly}"


def size_text(size: tuple[int, int | None]) -> str:
    """How many records a release is about, as far as that is known.

    >>> size_text((5, 5)), size_text((5, 8)), size_text((5, None)), size_text((0, None))
    ('5', '5 to 8', 'at least 5', 'not known')
    """
    low, high = size
    if high is None:
        return f"at least {low:,}" if low else "not known"
    return f"{low:,} to {high:,}" if low < high else f"{high:,}"


def single_values_only(audit: Audit) -> str:
    """A sentence that says so where the tables have groups and the audit did not look at them; else nothing."""
    blind = audit.groups == Groups.NONE and any(families_of(audit.release.workload).sets)
    return "Only claims about single values were looked for, none about groups of values." if blind else ""


def printed_words(audit: Audit, fact: Fact) -> str:
    """Is a fact printed already, in part, or does it only follow? Of one that is printed in part, which part."""
    from foregone.model.audit import Printed, PrintedHow, exact_numbers, printer

    release = audit.release
    how = Printed(release, audit.groups).how(fact.predicate, fact.count, fact.unsaid)
    at = printer(release, exact_numbers(release), fact.predicate, fact.count, fact.unsaid)
    if how == PrintedHow.NO or at is None:
        return printed_sentence(False)
    if how == PrintedHow.YES:
        return "A table prints this."
    part = describe(release.statistics[at].predicate, release.domain)
    return f"A table prints a part of this ({release.name_of(at)}: {part or 'everybody'}); the rest follows."


def audit_summary(audit: Audit) -> str:
    """What was published, what is certain, who is singled out, and what stayed open."""
    release, facts = audit.release, audit.facts
    domain = release.domain
    low, high = audit.size
    size = "an unknown number of" if audit.size == (0, None) else size_text(audit.size)
    single = [fact for fact in facts if fact.count == 1]
    possible = "" if audit.kinds is None else f", {audit.kinds:,} {plural('kind', audit.kinds)} of {domain.record} still possible"
    lines = [
        f"{size[0].upper()}{size[1:]} {plural(domain.record, low if low == high else 2)}, {published_text(release)}{possible}.",
        audit.method,
        audit_counts(audit),
    ]
    lines.append(single_values_only(audit))
    if audit.open:
        lines.append(f"Undecided because {audit.reason or 'a limit was reached'}; {what_to_do(audit.reason)}.")
    if audit.uncounted:
        lines.append(
            f"{audit.uncounted:,} {plural('fact', audit.uncounted)} can be stated in more ways than can be counted, because many"
            " groups overlap; of these ways only the fullest and the shortest are known."
        )
    if single:
        lines.append(singled_out_sentence(audit))
        best = max(single, key=lambda fact: (fact.attributes, fact.exact, fact.columns))
        lines.append("Most telling: " + claim_sentence(domain, best.predicate, 1) + " " + printed_words(audit, best))
    return "\n".join(line for line in lines if line)


def confirmation(audit: Audit, truth: Dataset) -> str:
    """Say that the truth bears every claim out; one that it does not is a bug, and stops everything."""
    broken = audit.broken_by(truth)
    if broken:
        first = claim_sentence(audit.release.domain, broken[0].predicate, broken[0].count)
        raise AssertionError(f"{len(broken)} claims are false in the truth, the first: {first}")
    facts = len(audit.facts)
    right = "it is right" if facts == 1 else "every one is right"
    return f"{facts:,} {plural('fact', facts)} compared with the true records afterwards: {right}."


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
