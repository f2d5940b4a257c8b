"""Facts as a page shows them, whether they are about one release or about many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.sentences import plural, printed_sentence, values_text
from foregone.model.subject import Subject
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import fact_sentence, listed, redacted_sentence, short, title
from foregone.pages.views.charts import chance_text
from foregone.pages.views.derivation import HIDDEN, DerivationView

EXPLAIN = "foregone explain shows it"
PRINTED, FOLLOWS = "already printed", "follows"


@dataclass(frozen=True, slots=True)
class Known:
    """What a fact tells of one column; `idle`: it goes without saying."""

    label: str
    value: str
    idle: bool


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
    known: tuple[Known, ...]
    keys: tuple[str, ...]
    derivation: DerivationView | None
    twin: int = 0  # an earlier fact that reads the same, because different columns say the same thing
    place: str = ""  # what the filter by place compares
    where: str = ""  # the place in words
    of: str = ""
    printed: str = ""  # already printed, or follows; nothing where nobody looked
    why_printed: str = ""  # the same as a sentence
    attributes: int = 0  # values or groups that it tells
    size: str = ""  # the same in words
    idle: tuple[str, ...] = ()  # columns, among `names`, that tell nothing
    unnamed: int = 0  # how many more tell nothing, without it being known which
    how: str = EXPLAIN  # how to get a derivation that is not on the page


def view_fact(
    subject: Subject, domain: Domain, i: int, fact: RankedFact, derivation: DerivationView | None, redact: bool
) -> FactView:
    names = tuple(sorted(fact.names, key=domain.index.__getitem__))
    allowed = dict(fact.predicate.allowed)
    known = tuple(
        Known(
            title(domain.column(name)), HIDDEN if redact else values_text(domain.column(name), allowed[name]), name in fact.idle
        )
        for name in names
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
        printed="" if fact.published is None else PRINTED if fact.published else FOLLOWS,
        why_printed=why_printed(fact),
        attributes=fact.attributes,
        size=size_text(fact),
        idle=tuple(name for name in names if name in fact.idle),
        unnamed=fact.columns - fact.attributes - len(fact.idle),
    )


def why_printed(fact: RankedFact) -> str:
    """What its tag means: often the fewer words are printed, and only all published numbers together bring the rest."""
    if fact.published is None:
        return ""
    rest = " Where they are fewer, the rest follows." if fact.published and fact.columns > 1 else ""
    return printed_sentence(fact.published) + rest


def size_text(fact: RankedFact) -> str:
    """How much it tells, single values apart from groups where they differ.

    >>> fact = RankedFact(Predicate.of({"AGE": {"0-17", "18-24"}, "SEX": "F"}), 1, "linear", None, ())
    >>> size_text(fact)
    '2 attributes, 1 of them a single value'
    """
    told, exact = fact.attributes, fact.exact_attributes
    text = f"{told:,} {plural('attribute', told)}"
    if exact is None or exact == told:
        return text
    if exact == 0:
        return f"{text}, {'a group' if told == 1 else 'all of them groups'} of values"
    return f"{text}, {exact:,} of them {'a single value' if exact == 1 else 'single values'}"


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
