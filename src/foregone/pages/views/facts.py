"""Facts as a page shows them, whether they are about one release or about many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.sentences import values_text
from foregone.model.subject import Subject
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import fact_sentence, listed, redacted_sentence, short, title
from foregone.pages.views.charts import chance_text
from foregone.pages.views.derivation import HIDDEN, DerivationView

EXPLAIN = "foregone explain shows it"


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact in words. `of` sets the numbers of its release apart from those of others on the page."""

    id: int
    sentence: str
    count: int
    columns: int
    ground: str
    chance: float | None
    chance_text: str
    names: tuple[str, ...]
    known: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    derivation: DerivationView | None
    twin: int = 0  # an earlier fact that reads the same, because different columns say the same thing
    place: str = ""  # what the filter by place compares
    where: str = ""  # the place in words
    of: str = ""
    published: bool = False  # a form of it is itself a published number
    attributes: int = 0  # values or groups that it tells
    idle: tuple[str, ...] = ()  # columns, among `names`, that tell nothing
    how: str = EXPLAIN  # how to get a derivation that is not on the page


def view_fact(
    subject: Subject, domain: Domain, i: int, fact: RankedFact, derivation: DerivationView | None, redact: bool
) -> FactView:
    names = tuple(sorted(fact.names, key=domain.index.__getitem__))
    allowed = dict(fact.predicate.allowed)
    known = tuple(
        (title(domain.column(name)), HIDDEN if redact else values_text(domain.column(name), allowed[name])) for name in names
    )

    def key(predicate: Predicate) -> str:
        if not redact:
            return short(predicate, domain)
        return listed([title(domain.column(name)) for name in domain.names if name in dict(predicate.allowed)])

    return FactView(
        i,
        redacted_sentence(domain, fact) if redact else fact_sentence(subject, domain, fact),
        fact.count,
        fact.columns,
        fact.ground,
        fact.baseline,
        chance_text(fact.baseline),
        names,
        known,
        tuple(dict.fromkeys(map(key, fact.keys))),
        derivation,
        published=fact.published,
        attributes=fact.attributes,
        idle=tuple(name for name in names if name in fact.idle),
    )


@dataclass(frozen=True, slots=True)
class Uses:
    """For each published number on the page, the facts that need it; `statistics` tells which one it is in its release."""

    facts: dict[str, list[int]]
    statistics: dict[str, int]


def uses(items: Iterable[FactView]) -> Uses:
    made = Uses({}, {})
    for item in items:
        for i in sorted(item.derivation.statistics) if item.derivation else ():
            made.facts.setdefault(f"{item.of}{i}", []).append(item.id)
            made.statistics[f"{item.of}{i}"] = i
    return made
