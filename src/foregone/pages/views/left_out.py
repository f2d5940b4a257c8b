"""What an import left out, for the page: by heading and reason, with a mark on what stands beside a count that is not shown."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.formats.left_out import AllLeftOut, LeftOut
from foregone.model.sentences import plural

GROUPS = 40  # headings on the page
CELLS = 60  # numbers under a heading


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
    groups = tuple(_group(cells, beside) for cells in ordered[:GROUPS])
    return LeftOutView(found.warning, summary, groups, sum(cell.number for cells in ordered[GROUPS:] for cell in cells))


def _group(cells: list[LeftOut], beside: set[LeftOut]) -> LeftOutGroup:
    first = cells[0]
    ordered = sorted((cell for cell in cells if cell.place), key=lambda cell: cell not in beside)
    shown = tuple((cell.place, cell.text, cell in beside) for cell in ordered[:CELLS])
    heading = f"{first.heading[:1].upper()}{first.heading[1:]}"
    return LeftOutGroup(heading, first.why, first.source, shown, sum(cell.number for cell in cells) - len(shown))
