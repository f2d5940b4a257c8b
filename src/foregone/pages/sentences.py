"""Facts and conditions in the words that pages use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foregone.batch.subject import Subject
from foregone.model.domain import Column, Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import THINGS, claim_sentence, condition, describe, number, plural
from foregone.pages.ranking import RankedFact

MOST = 2000  # characters of a sentence
ONLY_CERTAIN = "Only what is certain was looked for: likely guesses, and what somebody knows from elsewhere, are another matter."


@dataclass(frozen=True, slots=True)
class Words:
    """A part of a sentence; `idle`: it goes without saying."""

    text: str
    idle: bool = False


def fact_words(subject: Subject, domain: Domain, fact: RankedFact) -> tuple[Words, ...]:
    """A fact as a sentence in parts: in the subject's own words where it has some, otherwise column by column."""
    if subject.sentence is not None:
        told: dict[str, str | frozenset[str]] = dict(fact.predicate.allowed)
        told |= {name: code for name, (code, *more) in fact.predicate.allowed if not more}
        return (Words(subject.sentence(told)),)
    text = claim_sentence(domain, fact.predicate, fact.count)
    if len(text) > MOST:
        return (Words(text[:MOST] + " ..."),)
    parts = sorted(fact.predicate.allowed, key=lambda pair: domain.index[pair[0]])
    said = [Words(condition(domain.column(name), codes), name in fact.idle) for name, codes in parts]
    if not any(part.idle for part in said):
        return (Words(text),)
    start = text.removesuffix(f"{describe(fact.predicate, domain)}.")
    between = [part for words in said for part in (Words("; "), words)]
    return (Words(start), *between[1:], Words("."))


def redacted_sentence(domain: Domain, fact: RankedFact) -> str:
    telling = [name for name in fact.names if name not in fact.idle] or fact.names
    names = [title(domain.column(name)) for name in sorted(telling, key=domain.index.__getitem__)]
    its = pronouns(domain, fact.count)[1]
    known = f"{its} {listed(names)} {'are' if len(names) != 1 else 'is'} certain"
    return f"{number(fact.count).capitalize()} {plural(domain.record, fact.count)}: {known}."


def singled_out_means(domain: Domain) -> str:
    """The word that everything on a page is about, in one sentence."""
    return (
        f"Singled out means: the published numbers leave no doubt that exactly one {domain.record} has a particular combination of"
        " values."
    )


def pronouns(domain: Domain, count: int) -> tuple[str, str]:
    """How to speak of records again: a household is an it, a person is not."""
    return ("it", "its") if count == 1 and domain.record in THINGS else ("them", "their")


def title(column: Column) -> str:
    return column.title or column.name


def short(predicate: Predicate, domain: Domain) -> str:
    """Like `describe`, but a long list of values is told by what it leaves out."""
    parts = []
    for name, codes in sorted(predicate.allowed, key=lambda pair: domain.index[pair[0]]):
        column = domain.column(name)
        missing = [code for code in column.codes if code not in codes]
        if len(codes) > 3 and 0 < len(missing) <= 3:
            parts.append(f"{title(column)}: not {' or '.join(column.label_of(code) for code in missing)}")
        else:
            parts.append(describe(Predicate.of({name: codes}), domain))
    return "; ".join(parts)


def counted(predicate: Predicate, domain: Domain) -> str:
    """What a number counts: records that match, or all of them."""
    return short(predicate, domain) or f"all {plural(domain.record, 2)}"


def placed(release: Release, name: str, label: str) -> str:
    """What a number is about and, where it was imported from a spreadsheet, which cell it is."""
    where = release.places.get(name, "")
    return f"{label} ({where})" if where else label


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["age", "sex", "town"])
    'age, sex and town'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
