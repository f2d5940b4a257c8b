"""Tables as they stand in their files: every cell in its place, tinted by what it was read as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from foregone.batch.subject import Subject
from foregone.formats.beside import LeftOut
from foregone.model.release import Release
from foregone.pages.views.tables import TableViews
from foregone.tables.table import Grid, letters, number_of
from foregone.tables.values import CellKind, value_of

MOST_ROWS, MOST_COLUMNS = 400, 60  # of a sheet that are drawn
NUMBERS = (CellKind.NUMBER, CellKind.RANGE, CellKind.TOKEN, CellKind.MARKED, CellKind.DECIMAL, CellKind.PERCENT)
SIGN_LENGTH = 4  # letters of a word that may stand for a number

COUNT, TOTAL, PERCENT, LEFT, HEADING, LABEL, NOTE, CHANGED = (
    "count", "total", "percent", "unused", "heading", "label", "note", "changed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell: its text, what it was read as, and the name of the number in it."""

    text: str
    role: str = ""
    name: str = ""
    why: str = ""  # it was left out because of this
    span: int = 1  # columns that it takes, as a title does


@dataclass(frozen=True, slots=True)
class SheetRow:
    number: str
    cells: tuple[SheetCell, ...]


@dataclass(frozen=True, slots=True)
class WorkSheet:
    """A sheet to be drawn; `hidden` more rows are not."""

    title: str
    letters: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    hidden: int = 0

    @property
    def names(self) -> frozenset[str]:
        return frozenset(cell.name for row in self.rows for cell in row.cells if cell.name)


@dataclass(frozen=True, slots=True)
class KnownCells:
    """What a reading says of the cells of one sheet, by row and column."""

    names: Mapping[tuple[int, int], str] = field(default_factory=dict)
    left: Mapping[tuple[int, int], str] = field(default_factory=dict)
    totals: frozenset[str] = frozenset()
    percents: frozenset[str] = frozenset()


def known_cells(
    release: Release, places: Iterable[Sequence[str]], left_out: Iterable[LeftOut]
) -> dict[tuple[str, str], KnownCells]:
    """For each file and sheet, what its cells were read as; `places` are the rows of places.csv."""
    names: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
    left: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
    for name, file, sheet, row, column, _ in places:
        if column:
            names.setdefault((file, sheet), {}).setdefault((int(row), number_of(column)), name)
    for cell in left_out:
        column, row = cell.place.rstrip("0123456789"), cell.place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        if column and row.isdecimal():
            left.setdefault((cell.file, cell.sheet), {})[int(row), number_of(column)] = cell.reason
    totals, percents = totals_of(release), frozenset(figure.name for figure in release.figures)
    return {key: KnownCells(names.get(key, {}), left.get(key, {}), totals, percents) for key in dict.fromkeys((*names, *left))}


def totals_of(release: Release) -> frozenset[str]:
    """The counts of each table that leave out a column which others of it name, or that hold a group of the others."""
    most: Counter[str] = Counter()
    for count in release.statistics:
        most[count.table] = max(most[count.table], len(count.predicate))
    return frozenset(count.name for count in release.statistics if len(count.predicate) < most[count.table])


def sheet_of(grid: Grid, known: KnownCells | None) -> WorkSheet:
    """A sheet in its own layout. Without a reading, what looks like a number is tinted."""
    width = max((max(grid.filled(row), default=0) for row in range(1, len(grid.rows) + 1)), default=0)
    width = min(width, MOST_COLUMNS)
    said = known or KnownCells()
    numbers = (
        set(said.names)
        if known
        else {(r, c) for r in range(1, len(grid.rows) + 1) for c in grid.filled(r) if value_of(grid.cell(r, c)).kind in NUMBERS}
    )
    first, last = (min((r for r, _ in numbers), default=1), max((r for r, _ in numbers), default=0))
    rows = []
    for r in range(1, min(len(grid.rows), MOST_ROWS) + 1):
        cells = []
        for c in range(1, width + 1):
            text, name = ("" if (r, c) in grid.merged else grid.cell(r, c)), said.names.get((r, c), "")
            role = _role(r, c, text, name, said, first, last, bool(known), (r, c) in numbers)
            cells.append(SheetCell(text, role, name, said.left.get((r, c), "")))
        rows.append(SheetRow(str(r), _spread(cells)))
    title = f"{Path(grid.file).name}, {grid.sheet}" if grid.sheet else Path(grid.file).name
    return WorkSheet(title, tuple(map(letters, range(1, width + 1))), tuple(rows), max(0, len(grid.rows) - MOST_ROWS))


def _spread(cells: list[SheetCell]) -> tuple[SheetCell, ...]:
    """A row with words in its first cell alone: as in a spreadsheet, they run on over the empty ones."""
    if len(cells) > 1 and cells[0].role in (HEADING, NOTE) and not any(cell.text.strip() for cell in cells[1:]):
        return (replace(cells[0], span=len(cells)),)
    return tuple(cells)


def _role(r: int, c: int, text: str, name: str, said: KnownCells, first: int, last: int, known: bool, number: bool) -> str:
    if name:
        return PERCENT if name in said.percents else TOTAL if name in said.totals else COUNT
    if (r, c) in said.left:
        return LEFT
    if not text.strip():
        return ""
    if number and not known:
        return COUNT
    return HEADING if r < first else NOTE if r > last else LABEL


def marked(sheet: WorkSheet, changed: Collection[str]) -> WorkSheet:
    """The sheet with some cells, such as C5, set apart because something else stands there now."""
    rows = []
    for row in sheet.rows:
        places = [f"{letters(c)}{row.number}" for c in range(1, len(row.cells) + 1)]
        cells = (replace(cell, role=CHANGED) if at in changed else cell for at, cell in zip(places, row.cells, strict=True))
        rows.append(replace(row, cells=tuple(cells)))
    return replace(sheet, rows=tuple(rows))


def drawn_tables(release: Release, subject: Subject) -> tuple[WorkSheet, ...]:
    """The tables of a release that stands on no sheet, as its page would draw them."""
    views, made = TableViews(release, subject), []
    totals = totals_of(release)
    for table, members in views.members.items():
        view = views.draw(table, set(members))
        heads = [SheetRow("", tuple(SheetCell(text, HEADING) for text in (view.down, *view.across)))] if view.across else []
        lines = [
            SheetRow(
                "",
                (
                    SheetCell(line.label, LABEL),
                    *(
                        SheetCell(cell.text, "" if cell.statistic is None else TOTAL if cell.name in totals else COUNT, cell.name)
                        for cell in line.cells
                    ),
                ),
            )
            for line in view.lines[:MOST_ROWS]
        ]
        title = f"{view.id}: {view.title}" if view.title else view.id
        made.append(WorkSheet(title, (), tuple(heads + lines), max(0, len(view.lines) - MOST_ROWS)))
    return tuple(made)


def signs_in(grids: Iterable[Grid]) -> dict[str, int]:
    """Texts that stand where numbers stand, and how often: what somebody may have to say the meaning of."""
    found: Counter[str] = Counter()
    for grid in grids:
        rows = range(1, len(grid.rows) + 1)
        kinds = {(r, c): value_of(grid.cell(r, c)).kind for r in rows for c in grid.filled(r)}
        in_row, in_column = Counter[int](), Counter[int]()
        for (r, c), kind in kinds.items():
            in_row[r] += kind in (CellKind.NUMBER, CellKind.DECIMAL)
            in_column[c] += kind in (CellKind.NUMBER, CellKind.DECIMAL)
        for (r, c), kind in kinds.items():
            text = grid.cell(r, c).strip()
            short = kind == CellKind.TEXT and len(text) <= SIGN_LENGTH and in_row[r] > 0 and 2 * in_column[c] > len(rows) // 2
            if (kind == CellKind.TOKEN and in_row[r] and in_column[c]) or short:
                found[text] += 1
    return dict(found)
