"""Facts and conditions in the words that pages use."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.model.domain import Column, Domain
from foregone.model.predicate import Predicate
from foregone.model.sentences import THINGS, claim_sentence, describe, number, plural
from foregone.model.subject import Subject
from foregone.pages.ranking import RankedFact


def fact_sentence(subject: Subject, domain: Domain, fact: RankedFact) -> str:
    """In the subject's own words where it has some."""
    if subject.sentence is not None:
        told: dict[str, str | frozenset[str]] = dict(fact.predicate.allowed)
        told |= {name: code for name, (code, *more) in fact.predicate.allowed if not more}
        return subject.sentence(told)
    text = claim_sentence(domain, fact.predicate, fact.count)
    return text if len(text) < 2000 else text[:2000] + " ..."


def redacted_sentence(domain: Domain, fact: RankedFact) -> str:
    telling = [name for name in fact.names if name not in fact.idle] or fact.names
    names = [title(domain.column(name)) for name in sorted(telling, key=domain.index.__getitem__)]
    its = pronouns(domain, fact.count)[1]
    known = f"{its} {listed(names)} {'are' if len(names) != 1 else 'is'} certain"
    return f"{number(fact.count).capitalize()} {plural(domain.record, fact.count)}: {known}."


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


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["age", "sex", "town"])
    'age, sex and town'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
