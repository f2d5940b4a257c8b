"""Tables with the cells lit that do not show a number, and whose number can be worked out all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foregone.model.intervals import Interval
from foregone.pages.ranking import AuditedRelease
from foregone.pages.views.tables import UNNAMED, TableView, TableViews

TABLES_SHOWN = 6
LINES_LIT = 40  # of a long table: lit cells whose lines are drawn for certain; the page lists all of them


@dataclass(frozen=True, slots=True)
class ExposedTables:
    """The tables, the number that each lit cell must be, and how many more tables have such cells."""

    tables: tuple[TableView, ...]
    lit: Mapping[int, int]
    more: int


def view_exposed(audited: AuditedRelease, tables: TableViews, redact: bool) -> ExposedTables | None:
    """None where no hidden cell is known exactly, or where a redacted page may not show it."""
    lit = {i: cell.low for i, cell in hidden_cells(audited).items() if cell.known}
    if redact or not lit:
        return None
    by_table: dict[str, list[int]] = {}
    for i in sorted(lit):
        by_table.setdefault(audited.release.statistics[i].table or UNNAMED, []).append(i)
    shown = tuple(tables.draw(name, set(cells[:LINES_LIT])) for name, cells in list(by_table.items())[:TABLES_SHOWN])
    return ExposedTables(shown, lit, len(by_table) - len(shown))


def hidden_cells(audited: AuditedRelease) -> dict[int, Interval]:
    """For each count in whose place a mark is printed, or nothing, what it must be."""
    counts = audited.release.statistics
    found = {(cell.name, cell.predicate): cell for cell in audited.hidden if cell.withheld or cell.mark}
    made = ((i, found.get((count.name, count.predicate))) for i, count in enumerate(counts) if count.mark or count.withheld)
    return {i: cell for i, cell in made if cell is not None}
