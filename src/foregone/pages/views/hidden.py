"""Cells that are not shown, and what they must be all the same."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.model.intervals import Interval
from foregone.model.sentences import plural
from foregone.pages.ranking import AuditedRelease
from foregone.pages.sentences import short

SHOWN = 50  # cells on the page


@dataclass(frozen=True, slots=True)
class HiddenCell:
    name: str
    label: str
    says: str
    known: bool


@dataclass(frozen=True, slots=True)
class HiddenView:
    """A sentence about all of them, the first of them one by one, and how many more there are."""

    summary: str
    cells: tuple[HiddenCell, ...]
    left: int


def _label(audited: AuditedRelease, interval: Interval) -> str:
    """What a cell is about and, where it was imported from a spreadsheet, which cell that is."""
    where = audited.release.places.get(interval.name, "")
    said = short(interval.predicate, audited.release.domain)
    return f"{said or 'all ' + plural(audited.release.domain.record, 2)} ({where})" if where else said


def view_hidden(audited: AuditedRelease, redact: bool) -> HiddenView | None:
    """What is known exactly first, then what is known best. A redacted page only tells how many there are."""
    hidden = audited.hidden
    if not hidden:
        return None
    known = sum(interval.known for interval in hidden)
    cells = f"{len(hidden):,} {plural('cell', len(hidden))} that {'is' if len(hidden) == 1 else 'are'} withheld or given as ranges"
    summary = f"{known:,} of the {cells} {'is' if known == 1 else 'are'} exactly known."
    open_ = sum(not interval.proved for interval in hidden)
    if open_:
        summary += f" {open_:,} could not be decided: what is said holds, but may be too wide."
    if redact:
        return HiddenView(summary, (), 0)
    ordered = sorted(hidden, key=lambda interval: (interval.width is None, interval.width or 0))
    shown = tuple(
        HiddenCell(i.name, _label(audited, i), f"{i.published_text}, {i.certain_text}", i.known) for i in ordered[:SHOWN]
    )
    return HiddenView(summary, shown, len(hidden) - len(shown))
