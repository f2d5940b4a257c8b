"""A derivation as sentences and tables: what one reads after clicking a fact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.engine import ways_sentences
from foregone.model.sentences import number, plural, values_text
from foregone.pages.derivation import Derivation
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import listed, pronouns, title
from foregone.pages.views.sheet import TableView
from foregone.pages.views.tables import TableViews

HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Reference:
    """A published number as a step names it."""

    statistic: int
    name: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One step: what now is certain, the numbers that are new in it and how many earlier ones it needs too."""

    text: str
    references: tuple[Reference, ...]
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class DerivationView:
    opening: str
    sentences: tuple[Sentence, ...]
    closing: tuple[str, ...]
    tables: tuple[TableView, ...]
    statistics: frozenset[int]


def view_derivation(tables: TableViews, fact: RankedFact, derivation: Derivation, redact: bool) -> DerivationView:
    release = tables.release
    domain = release.domain
    noun = plural(domain.record, fact.count)
    alias = {statistic: i for i, statistic in enumerate(derivation.statistics, start=1)}

    def refer(statistics: Iterable[int]) -> tuple[Reference, ...]:
        if redact:
            return tuple(Reference(i, f"number {alias[i]}", "", HIDDEN) for i in statistics)
        known = derivation.statistics
        return tuple(Reference(i, release.name_of(i), tables.label(i, known), tables.amount(i)) for i in statistics)

    amount = len(derivation.statistics)
    fewer = "" if derivation.sure else "; fewer may do"
    opening = f"{number(amount).capitalize()} published {plural('number', amount)} {'is' if amount == 1 else 'are'} enough{fewer}."
    sentences: list[Sentence] = []
    if not amount:
        opening = "The rules alone are enough."
    elif derivation.anchor is None:
        sentences.append(
            Sentence(
                f"Only together do these numbers leave no other possibility than {number(fact.count)}.",
                refer(derivation.statistics),
            )
        )
    else:
        one = fact.count == 1
        who = f"the {domain.record} in question" if one else f"the {noun} in question"
        first = f"One published number counts exactly {number(fact.count)} {noun}: {'this is' if one else 'these are'} {who}."
        sentences.append(Sentence(first, refer([derivation.anchor])))
        seen = {derivation.anchor}
        for step in derivation.steps:
            new = [i for i in step.statistics if i not in seen]
            seen.update(new)
            its = pronouns(domain, fact.count)[1]
            names = [title(domain.column(name)) for name in step.columns]
            labels = [values_text(domain.column(name), dict(fact.predicate.allowed)[name]) for name in step.columns]
            told = [f"{its} {name} can only be “{label}”" for name, label in zip(names, labels, strict=True)]
            text = f"{its} {listed(names)} can only be one thing" if redact else listed(told)
            text = f"{text[0].upper()}{text[1:]}."
            sentences.append(Sentence(text, refer(new), len(step.statistics) - len(new)))
    closing = []
    if len(derivation.terms) > 1 and not redact:
        parts = []
        for i, coefficient in derivation.terms:
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} × "
            parts.append(f"{'−' if coefficient < 0 else '+'} {size}{tables.stated[i].low} [{release.name_of(i)}]")
        closing.append(f"Added up: {' '.join(parts).removeprefix('+ ')} = {fact.count}.")
    if derivation.ways is not None:
        closing += ways_sentences(release, derivation.ways, redact, derivation.sure)
    order = [ref.statistic for sentence in sentences for ref in sentence.references]
    shown = () if redact else tuple(tables.holding(order))
    return DerivationView(opening, tuple(sentences), tuple(closing), shown, frozenset(derivation.statistics))
