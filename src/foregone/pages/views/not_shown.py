"""What the tables do not show: how a policy is broken, what cells that are not shown must be, and what an import left out."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.formats.beside import AllLeftOut, LeftOut
from foregone.model.intervals import Interval
from foregone.model.sentences import plural
from foregone.pages.outcome import Outcome
from foregone.pages.ranking import AuditedRelease
from foregone.pages.sentences import counted, placed
from foregone.policy.judge import Breach, pierced
from foregone.policy.sentences import by_weight, placed_sentence

BREACHES_SHOWN = 300  # of each kind on the page
CELLS_SHOWN = 50  # cells on the page
HEADINGS_SHOWN = 40  # headings on the page
NUMBERS_SHOWN = 60  # numbers under a heading


@dataclass(frozen=True, slots=True)
class BreachList:
    """Breaches of one kind, a sentence each; all of them, and those that stand on the page."""

    title: str
    all: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        return self.all[:BREACHES_SHOWN]

    @property
    def left(self) -> int:
        return len(self.all) - len(self.shown)


def view_breaches(audited: AuditedRelease, outcome: Outcome, redact: bool) -> list[BreachList]:
    """Marks that are pierced, whether or not a policy forbids it, and then what breaks the policy. Redacted, nothing is named."""
    found: tuple[Breach, ...] = outcome.judgement.breaches if outcome.judgement is not None else ()
    marks = pierced(audited.judged).breaches
    every = dict.fromkeys((*marks, *found))
    release = audited.release
    return [] if redact else [
        BreachList(title, tuple(placed_sentence(release, breach) for breach in some)) for title, some in by_weight(every)
    ]


@dataclass(frozen=True, slots=True)
class HiddenView:
    """A sentence about all of them, the first of them one by one, and how many more there are."""

    summary: str
    cells: tuple[tuple[Interval, str], ...]  # what it must be, and what it is about
    left: int


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
    release = audited.release
    shown = tuple((cell, placed(release, cell.name, counted(cell.predicate, release.domain))) for cell in ordered[:CELLS_SHOWN])
    return HiddenView(summary, shown, len(hidden) - len(shown))


@dataclass(frozen=True, slots=True)
class LeftOutGroup:
    """What stands under one heading of one file; `left` more are in the file."""

    heading: str
    why: str
    source: str
    cells: tuple[tuple[str, str, bool], ...]  # place, what it shows, does it stand beside a count that is not shown?
    left: int


@dataclass(frozen=True, slots=True)
class LeftOutView:
    """A warning for the top of the page, a sentence about everything, and the numbers; `left` are in headings not shown."""

    warning: str
    summary: str
    groups: tuple[LeftOutGroup, ...]
    left: int


def view_left_out(found: AllLeftOut, redact: bool) -> LeftOutView | None:
    """A redacted page only tells how many there are."""
    if not found.cells:
        return None
    beside = set(found.beside)
    are, them = ("is", "it") if found.number == 1 else ("are", "them")
    summary = (
        f"{found.number:,} {plural('number', found.number)} of the files {are} no part of the release, so nothing else on this page"
        f" takes {them} into account. Whoever has the files sees {them}."
    )
    if redact:
        return LeftOutView(found.bare_warning, summary, (), 0)
    every: dict[tuple[str, str], list[LeftOut]] = {}
    for cell in found.cells:
        every.setdefault((cell.source, cell.reason), []).append(cell)
    ordered = sorted(every.values(), key=lambda cells: not any(cell in beside for cell in cells))
    groups = tuple(_group(cells, beside) for cells in ordered[:HEADINGS_SHOWN])
    return LeftOutView(found.warning, summary, groups, sum(cell.number for cells in ordered[HEADINGS_SHOWN:] for cell in cells))


def _group(cells: list[LeftOut], beside: set[LeftOut]) -> LeftOutGroup:
    first = cells[0]
    ordered = sorted((cell for cell in cells if cell.place), key=lambda cell: cell not in beside)
    shown = tuple((cell.place, cell.text, cell in beside) for cell in ordered[:NUMBERS_SHOWN])
    heading = f"{first.heading[:1].upper()}{first.heading[1:]}"
    return LeftOutGroup(heading, first.why, first.source, shown, sum(cell.number for cell in cells) - len(shown))
