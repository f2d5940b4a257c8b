"""A derivation as sentences and tables: what one reads after clicking a finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.model.sentences import number, plural
from foregone.pages.derivation import Why
from foregone.pages.ranking import Finding, listed, pronouns, title
from foregone.pages.views.tables import Shown, Tables, number_text

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
class Story:
    opening: str
    sentences: tuple[Sentence, ...]
    closing: tuple[str, ...]
    tables: tuple[Shown, ...]
    statistics: frozenset[int]


def tell_story(tables: Tables, finding: Finding, reason: Why, redact: bool) -> Story:
    release = tables.release
    domain = release.domain
    noun = plural(domain.record, finding.count)
    alias = {statistic: i for i, statistic in enumerate(reason.statistics, start=1)}

    def refer(statistics: Iterable[int]) -> tuple[Reference, ...]:
        if redact:
            return tuple(Reference(i, f"number {alias[i]}", "", HIDDEN) for i in statistics)
        return tuple(Reference(i, release.name_of(i), tables.label(i), number_text(release.statistics[i])) for i in statistics)

    amount = len(reason.statistics)
    opening = f"{number(amount).capitalize()} published {plural('number', amount)} {'is' if amount == 1 else 'are'} enough."
    sentences: list[Sentence] = []
    if not amount:
        opening = "The rules alone are enough."
    elif reason.anchor is None:
        sentences.append(
            Sentence(
                f"Only together do these numbers leave no other possibility than {number(finding.count)}.", refer(reason.statistics)
            )
        )
    else:
        one = finding.count == 1
        who = f"the {domain.record} in question" if one else f"the {noun} in question"
        first = f"One published number counts exactly {number(finding.count)} {noun}: {'this is' if one else 'these are'} {who}."
        sentences.append(Sentence(first, refer([reason.anchor])))
        seen = {reason.anchor}
        for step in reason.steps:
            new = [i for i in step.statistics if i not in seen]
            seen.update(new)
            its = pronouns(domain, finding.count)[1]
            names = [title(domain.column(name)) for name in step.columns]
            labels = [domain.column(name).label_of(finding.values[name]) for name in step.columns]
            told = [f"{its} {name} can only be “{label}”" for name, label in zip(names, labels, strict=True)]
            text = f"{its} {listed(names)} can only be one thing" if redact else listed(told)
            text = f"{text[0].upper()}{text[1:]}."
            sentences.append(Sentence(text, refer(new), len(step.statistics) - len(new)))
    closing = []
    if len(reason.terms) > 1 and not redact:
        parts = []
        for i, coefficient in reason.terms:
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} × "
            parts.append(f"{'−' if coefficient < 0 else '+'} {size}{release.statistics[i].low} [{release.name_of(i)}]")
        closing.append(f"Added up: {' '.join(parts).removeprefix('+ ')} = {finding.count}.")
    if amount > 1:
        closing.append(
            "Leave any one of these numbers out and it is no longer certain."
            if reason.sure
            else "Perhaps fewer of them are enough: a test on the way was too large to decide."
        )
    order = [ref.statistic for sentence in sentences for ref in sentence.references]
    shown = () if redact else tuple(tables.holding(order))
    return Story(opening, tuple(sentences), tuple(closing), shown, frozenset(reason.statistics))
