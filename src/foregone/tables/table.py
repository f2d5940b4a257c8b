"""A table whose cells are understood: which variables, which labels mean everybody, and what is shown where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from foregone.tables.grid import CellPlace

Labels = tuple[str | None, ...]
"""One label for each variable of the table; None: any value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A variable of a table: its labels in order, without those that mean any value (`totals`)."""

    name: str
    labels: tuple[str, ...]
    totals: tuple[str, ...] = ()
    named: bool = True  # the file itself names it
    where: str = "rows"
    words: tuple[tuple[str, str], ...] = ()  # what codes mean, where a file says so
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()  # labels that are several others together, where a file says so
    title: str = ""
    open: bool = False  # people may have other values than these labels say


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: which labels it is about and what it shows. `withheld`: the file says that its number is not shown."""

    labels: Labels
    shown: str
    place: CellPlace
    withheld: bool = False
    percent: bool = False
    base: Labels | None = None  # of a percentage: what it is of


@dataclass(frozen=True)
class Table:
    """A table as it was read; `left_out` says what was not taken, and why, a sentence each."""

    name: str
    file: str
    sheet: str
    kind: str
    axes: tuple[Axis, ...]
    entries: tuple[TableCell, ...]
    left_out: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()  # every cell is about these records only
    title: str = ""
    note: str = ""
    dotted: bool = field(default=False, compare=False)  # a point stands between thousands
    fixed: tuple[Axis, ...] = ()  # variables with one value, which all cells have

    @property
    def source(self) -> str:
        part = "sheet" if self.kind in ("cross-tab", "list") else "dataset"
        return f"{self.file}, {part} {self.sheet}" if self.sheet else self.file

    @cached_property
    def by_labels(self) -> dict[Labels, TableCell]:
        return {entry.labels: entry for entry in self.entries if not entry.percent}

    def with_axis(self, at: int, axis: Axis, renamed: Mapping[str, str | None]) -> Table:
        """The table with another axis in one place, and other labels of its cells there."""
        cells = (
            replace(c, labels=(*c.labels[:at], renamed.get(c.labels[at] or "", c.labels[at]), *c.labels[at + 1 :]))
            for c in self.entries
        )
        return replace(self, axes=(*self.axes[:at], axis, *self.axes[at + 1 :]), entries=tuple(cells))

    def lines(self, axis: int) -> Iterator[dict[str | None, TableCell]]:
        """The cells along one axis, for every combination of labels of the others."""
        found: dict[Labels, dict[str | None, TableCell]] = {}
        for labels, entry in self.by_labels.items():
            found.setdefault((*labels[:axis], *labels[axis + 1 :]), {})[labels[axis]] = entry
        yield from found.values()
