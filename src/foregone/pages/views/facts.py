"""Facts as a page shows them, whether they are about one release or about many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foregone.batch.subject import Subject
from foregone.model.audit import PrintedHow
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.sentences import plural, printed_sentence, values_text
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import Words, fact_words, listed, redacted_sentence, short, title
from foregone.pages.views.derivation import HIDDEN, DerivationView
from foregone.pages.views.tables import TableViews

PRINTED, FOLLOWS = "printed", "follows"  # what the filter of a page asks for
GROUNDS = {
    "published": "A published number says so.",
    "linear": "It follows from sums and differences of published numbers.",
    "bound": "The published numbers leave no more and no less: two exact bounds meet.",
    "search": "Every other possibility was excluded, in exact arithmetic: none fits the published numbers.",
}
"""Why a fact is certain, in a sentence, where its derivation is not on the page."""


@dataclass(frozen=True, slots=True)
class PrintedView:
    """`kind` is what the filter compares, `tag` the few words beside a fact, `sentence` the same in full."""

    kind: str = ""
    tag: str = ""
    sentence: str = ""


NOBODY_LOOKED = PrintedView()
NOT_PRINTED = PrintedView(FOLLOWS, FOLLOWS, printed_sentence(False))


def view_printed(fact: RankedFact, tables: TableViews | None, redact: bool) -> PrintedView:
    """A number that counts the same records in fewer words prints only a part; all the numbers together bring the rest."""
    if fact.published is None:
        return NOBODY_LOOKED
    if not fact.published:
        return NOT_PRINTED
    if fact.printed is None and fact.attributes > 1:
        some = f"{printed_sentence(True)} Where they are fewer, the rest follows."
        return PrintedView(PRINTED, "printed, at least in part", some)
    known = None if fact.printed_by is None or tables is None or redact else (tables, fact.printed_by)
    name = "A published number" if known is None else known[0].release.name_of(known[1])
    if fact.printed != PrintedHow.PARTLY:
        return PrintedView(PRINTED, "printed", f"{name} prints this.")
    rest = "The rest follows from all the published numbers together."
    label = "" if known is None else f": “{known[0].label(known[1])}” is {known[0].amount(known[1])}"
    return PrintedView(PRINTED, "partly printed", f"{name} prints a part of this{label}. {rest}")


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact in words. `of` sets the numbers of its release apart from those of others on the page."""

    id: int
    fact: RankedFact
    words: tuple[Words, ...]  # the sentence, what goes without saying apart
    known: dict[str, tuple[str, str]]  # for each column that it names, in order, the column and the value in words
    keys: tuple[str, ...]
    printed: PrintedView
    derivation: DerivationView | None
    twin: int = 0  # an earlier fact that reads the same, because different columns say the same thing
    place: str = ""  # what the filter by place compares
    where: str = ""  # the place in words
    of: str = ""
    commands: tuple[str, ...] = ()  # that show the derivation, where it is not on the page
    among: int | None = None  # records of its release

    @property
    def sentence(self) -> str:
        return "".join(part.text for part in self.words)

    @property
    def ground(self) -> str:
        return GROUNDS.get(self.fact.ground, "")

    @property
    def unnamed(self) -> int:
        """How many columns tell nothing without it being known which."""
        return self.fact.columns - self.fact.attributes - len(self.fact.idle)


def view_fact(
    subject: Subject,
    domain: Domain,
    i: int,
    fact: RankedFact,
    derivation: DerivationView | None,
    redact: bool,
    tables: TableViews | None = None,
) -> FactView:
    """A fact in words; `tables` are those of its release, where they are at hand."""

    def key(predicate: Predicate) -> str:
        if not redact:
            return short(predicate, domain)
        return listed([title(domain.column(name)) for name in domain.names if name in dict(predicate.allowed)])

    told = sorted(fact.predicate.allowed, key=lambda pair: domain.index[pair[0]])
    columns = {name: domain.column(name) for name, _ in told}
    known = {name: (title(columns[name]), HIDDEN if redact else values_text(columns[name], codes)) for name, codes in told}
    words = (Words(redacted_sentence(domain, fact)),) if redact else fact_words(subject, domain, fact)
    keys = tuple(dict.fromkeys(map(key, fact.keys)))
    return FactView(i, fact, words, known, keys, view_printed(fact, tables, redact), derivation)


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
