"""A derivation as sentences and tables: what one reads after clicking a fact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.engine import StoryStep, ways_sentences
from foregone.model.domain import Domain
from foregone.model.sentences import claim_sentence, number, plural, values_text
from foregone.pages.derivation import Derivation
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import listed, pronouns, title
from foregone.pages.views.tables import TableView, TableViews

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
    """One step: what now is certain, the numbers that are new in it and how many earlier ones it needs too.

    In a story `steps` are the earlier steps that it rests on, and `sums` is the addition behind it: `6 − 5 = 1`.
    """

    text: str
    references: tuple[Reference, ...]
    earlier: int = 0
    steps: str = ""
    sums: str = ""


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
    named = [*derivation.statistics, *(i for step in derivation.story for i in step.statistics)]
    alias = {statistic: i for i, statistic in enumerate(dict.fromkeys(named), start=1)}

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
    elif derivation.story:
        amount = len({i for step in derivation.story for i in step.statistics})
        opening = f"{number(amount).capitalize()} published {plural('number', amount)}, a few at a time, lead to it."
        sentences += [_story_sentence(domain, step, refer(step.statistics), redact) for step in derivation.story]
    elif derivation.anchor is None:
        sentences.append(
            Sentence(
                _together(amount, fact.count),
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
    if len(derivation.terms) > 1 and not redact and not derivation.story:
        parts = []
        for i, coefficient in sorted(derivation.terms, key=lambda term: term[1] < 0):  # a sum begins with what is added
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} × "
            parts.append(f"{'−' if coefficient < 0 else '+'} {size}{tables.stated[i].low} [{release.name_of(i)}]")
        closing.append(f"Together: {' '.join(parts).removeprefix('+ ')} = {fact.count}.")
    if derivation.ways is not None:
        closing += ways_sentences(release, derivation.ways, redact, derivation.sure)
    order = [ref.statistic for sentence in sentences for ref in sentence.references]
    shown = () if redact else tuple(tables.holding(order))
    used = frozenset(order if derivation.story else derivation.statistics)
    return DerivationView(opening, tuple(sentences), tuple(closing), shown, used)


def _together(amount: int, count: int) -> str:
    return f"{'This number allows' if amount == 1 else 'Together these numbers allow'} only one answer: {count:,}."


def _story_sentence(domain: Domain, step: StoryStep, references: tuple[Reference, ...], redact: bool) -> Sentence:
    """What one step of a story concludes, and from what."""
    names = [title(domain.column(name)) for name in domain.names if name in dict(step.predicate.allowed)]
    hidden = f"It is certain how many {plural(domain.record, 2)} have one particular {listed(names)}."
    text = hidden if redact else claim_sentence(domain, step.predicate, step.count)
    before = [str(at + 1) for at in step.earlier]
    steps = "" if not before else f"step {before[0]}" if len(before) == 1 else f"steps {listed(before)}"
    return Sentence(text, references, steps=steps, sums="" if redact or not step.sums else f"{_sum_text(step)}.")


def _sum_text(step: StoryStep) -> str:
    parts = []
    for value, times in step.sums:
        size = "" if abs(times) == 1 else f"{abs(times)} × "
        parts.append(f"{'−' if times < 0 else '+'} {size}{value:,}")
    return f"{' '.join(parts).removeprefix('+ ')} = {step.comes_to}"
