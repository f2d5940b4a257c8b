"""Is a fact printed already, wholly or in part, and by which number? Or does it only follow?"""

from __future__ import annotations

from dataclasses import dataclass

from foregone.model.sentences import printed_sentence
from foregone.pages.ranking import RankedFact
from foregone.pages.views.tables import TableViews

PRINTED, FOLLOWS = "printed", "follows"  # what the filter of a page asks for


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
    if fact.printed_by is None or tables is None:
        if fact.attributes <= 1:
            return PrintedView(PRINTED, "printed", "A published number prints this.")
        some = f"{printed_sentence(True)} Where they are fewer, the rest follows."
        return PrintedView(PRINTED, "printed, at least in part", some)
    whole = _prints_all(fact, tables, fact.printed_by)
    name = "A published number" if redact else tables.release.name_of(fact.printed_by)
    if whole:
        return PrintedView(PRINTED, "printed", f"{name} prints this.")
    rest = "The rest follows from all the published numbers together."
    label = "" if redact else f": “{tables.label(fact.printed_by)}” is {tables.amount(fact.printed_by)}"
    return PrintedView(PRINTED, "partly printed", f"{name} prints a part of this{label}. {rest}")


def _prints_all(fact: RankedFact, tables: TableViews, i: int) -> bool:
    """Does it name every value that is worth telling?"""
    said = dict(tables.release.statistics[i].predicate.allowed)
    return all(said.get(name) == codes for name, codes in fact.predicate.allowed if name not in fact.idle)
