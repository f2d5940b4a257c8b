"""A table as a page draws it: lines of cells with headings, cut to what a page can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.model.release import Release
from foregone.model.statement import Statement, Statistic

MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class CellView:
    """A number in a table; `statistic` is None for a total that follows from the others, or for a blank."""

    statistic: int | None
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    label: str
    cells: tuple[CellView, ...]
    depth: int = 0
    total: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready to be drawn; `across` are the column headings, `down` says what the lines are and `hidden` counts the
    lines left out."""

    id: str
    title: str
    across: tuple[str, ...]
    lines: tuple[LineView, ...]
    hidden: int = 0
    down: str = ""


def number_text(statistic: Statistic | Statement) -> str:
    return f"{statistic.low:,}" if statistic.low == statistic.high else statistic.range_text.replace(" to ", "–")


def cell_view(release: Release, i: int | None) -> CellView:
    return CellView(None, "") if i is None else CellView(i, number_text(release.statistics[i]), release.name_of(i))


def cut(shown: TableView, wanted: set[int]) -> TableView:
    """Long tables keep the lines that matter and, as far as there is room, those at the top."""
    if len(shown.lines) <= MOST_LINES:
        return shown
    matter = [any(cell.statistic in wanted for cell in line.cells) for line in shown.lines]
    room = max(0, MOST_LINES - sum(matter))
    kept = []
    for line, needed in zip(shown.lines, matter, strict=True):
        if needed or room > 0:
            kept.append(line)
            room -= not needed
    return replace(shown, lines=tuple(kept), hidden=len(shown.lines) - len(kept))
