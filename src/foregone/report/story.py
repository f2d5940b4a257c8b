"""A derivation as sentences and tables: what one reads after clicking a finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.report.derivation import Why
from foregone.report.findings import Finding, listed, short, title
from foregone.report.tables import Shown, Tables, number_text
from foregone.words import number, plural

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
        counted = release.statistics[reason.anchor].predicate
        if redact:
            what = " and ".join(title(domain.column(name)) for name, _ in counted.allowed) or "nothing"
            what = f"their values of {what}"
        else:
            what = short(counted, domain) or "any values"
        who = f"This is the {domain.record} in question" if one else f"These are the {noun} in question"
        first = f"The tables count exactly {number(finding.count)} {noun} with {what}. {who}."
        sentences.append(Sentence(first, refer([reason.anchor])))
        seen = {reason.anchor}
        for step in reason.steps:
            new = [i for i in step.statistics if i not in seen]
            seen.update(new)
            parts = []
            for name in step.columns:
                column = domain.column(name)
                value = "certain" if redact else f"“{column.label_of(finding.values[name])}”"
                parts.append(f"{title(column)} {value}" if not redact else title(column))
            told = f"Its {listed(parts)}" if one else f"Their {listed(parts)}"
            text = f"{told}: no other value fits." if not redact else f"{told}: certain."
            sentences.append(Sentence(text, refer(new), len(step.statistics) - len(new)))
    closing = []
    if reason.terms and not redact:
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
    shown = () if redact else tuple(tables.holding(reason.statistics))
    return Story(opening, tuple(sentences), tuple(closing), shown, frozenset(reason.statistics))
