"""Tables as they are and as they would be, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.batch.subject import Subject
from foregone.model.release import Release
from foregone.pages.views.sheet import TableView
from foregone.pages.views.tables import UNNAMED, TableViews

MOST_TABLES = 60


@dataclass(frozen=True, slots=True)
class Sides:
    """Tables in which something changed, each before and after; `marked` are the numbers that did, `hidden` more tables."""

    tables: tuple[tuple[TableView, TableView], ...]
    marked: frozenset[int]
    hidden: int


def side_by_side(before: Release, after: Release, subject: Subject) -> Sides:
    marked = changed(before, after)
    old, new = TableViews(before, subject), TableViews(after, subject)
    names = dict.fromkeys(before.statistics[i].table or UNNAMED for i in sorted(marked))
    shown = [name for name in list(names)[:MOST_TABLES] if name in new.members]
    tables = tuple((old.draw(name, set(marked)), new.draw(name, set(marked))) for name in shown)
    return Sides(tables, marked, len(names) - len(shown))


def changed(before: Release, after: Release) -> frozenset[int]:
    """Counts that are not shown as they were, while both releases have the same rows."""
    if len(before.statistics) != len(after.statistics):  # values were merged: rows are others
        return frozenset()
    rows = zip(before.statistics, after.statistics, strict=True)
    return frozenset(
        i for i, (old, new) in enumerate(rows) if (old.low, old.high, old.withheld) != (new.low, new.high, new.withheld)
    )
