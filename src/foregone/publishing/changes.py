"""Which cells change, and why: numbers that a protected release does not show, and cells that would give one of them back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from foregone.formats.beside import CODES, OUTSIDE, SAME, LeftOut, standing_beside
from foregone.model.figure import Figure
from foregone.model.marks import Ranges, ranges_words
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.publishing.footnotes import footnote, renewed
from foregone.publishing.gives_back import ENOUGH, GivesBack, Quotient, quotients
from foregone.publishing.outcome import NotPublished
from foregone.publishing.secrets import SMALL, Secrets, number_in
from foregone.tables.build import Standing
from foregone.tables.importing import Imported
from foregone.tables.remaining import Sheet, unused
from foregone.tables.table import Grid, Table, TableCell, letters
from foregone.tables.values import CellKind, value_of
from foregone.tables.words import says_base

MARK = "[c]"  # where a whole table is withheld, which leaves it no mark of its own
WITHHELD = "withheld"
FOOTNOTE = "footnote"
NUMBERS = (CellKind.NUMBER, CellKind.DECIMAL, CellKind.PERCENT, CellKind.MARKED)
At = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CellChange:
    """What stands in a cell from now on, and why."""

    text: str
    why: str


@dataclass
class SheetChanges:
    """What changes in a sheet, or in a file without sheets, whose numbers are counted and have column 0."""

    cells: dict[At, CellChange] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # footnotes to add below
    apart: bool = True  # with a blank row between
    kept: set[At] = field(default_factory=set)  # numbers of the release that stay as they are
    loose: set[At] = field(default_factory=set)  # other numbers, which are no part of the release
    is_cube: bool = False  # the file says itself what each number is about
    look_at: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AllChanges:
    """What changes in each file and sheet, the withheld numbers, and what is printed in their place."""

    sheets: Mapping[tuple[str, str], SheetChanges]
    secrets: Secrets
    marks: Mapping[str, Ranges]
    old: frozenset[str]  # marks that were printed before

    @property
    def footnotes(self) -> dict[str, str]:
        return {mark: footnote(mark, meant) for mark, meant in self.marks.items()}


def is_cell(at: Standing) -> bool:
    """Does a number have a cell of its own? The whole that percentages are of may be printed nowhere."""
    return at.name.rpartition(".")[2] in (at.place.cell, f"{at.place.cell}%")


def marks_of(protected: Release) -> dict[str, Ranges]:
    """Every mark that is to be printed, and what it stands for."""
    used = {s.mark for s in protected.statistics if s.mark}
    marks = {mark: meant for mark, meant in protected.domain.marks if mark in used}
    if any(s.withheld and not s.mark for s in protected.statistics) or (not marks and any(f.withheld for f in protected.figures)):
        marks.setdefault(MARK, ((0, None),))
    return marks


def is_hidden(number: Statistic | Figure) -> bool:
    return number.hidden if isinstance(number, Statistic) else number.withheld


def _printed(after: Statistic | Figure, before: Statistic | Figure, marks: Mapping[str, Ranges]) -> str:
    """What stands in the cell of a number from now on; nothing if it stays as it is."""
    if is_hidden(after):
        own = after.mark if isinstance(after, Statistic) else ""
        return own or (MARK if MARK in marks else next(iter(marks)))
    if not isinstance(after, Statistic) or not isinstance(before, Statistic) or after.ranges == before.ranges:
        return ""
    if after.low == after.high or not (after.holds(before.low) and (before.high is None or after.holds(before.high))):
        raise NotPublished(
            f"{after.label}: is {before.range_text} in the files, and {after.range_text} in the protected release; protect again"
        )
    return ranges_words(after.ranges)  # rounded: a range says what is known


def changes_of(imported: Imported, protected: Release) -> AllChanges:
    """What changes in every sheet of every file that was imported."""
    numbers = {n.name: n for n in protected.published if isinstance(n, Statistic | Figure)}
    before = {n.name: n for n in imported.release.published if isinstance(n, Statistic | Figure)}
    if numbers.keys() != before.keys():
        raise NotPublished(
            f"{min(numbers.keys() ^ before.keys())}: is not in both releases, as values were merged; a table of another shape"
            " cannot be written into these files"
        )
    marks = marks_of(protected)
    old = frozenset(mark for mark, _ in imported.release.domain.marks)
    standing = [at for at in imported.standing if is_cell(at)]
    new = {at: _printed(numbers[at.name], before[at.name], marks) for at in standing}
    withheld = [at for at in standing if is_hidden(numbers[at.name])]
    made = AllChanges({}, Secrets.of(at.shown for at in withheld), marks, old)
    sheets: dict[tuple[str, str], SheetChanges] = {}
    for at, text in new.items():
        changes = sheets.setdefault((at.place.file, at.place.sheet), SheetChanges())
        place = (at.place.row, at.place.column)
        if not text:
            changes.kept.add(place)
        elif at.name.endswith("%") and any(other.place == at.place and not new[other] for other in standing if other != at):
            count = next(other.shown for other in standing if other.place == at.place and other != at)
            changes.cells[place] = CellChange(count, WITHHELD)  # of 12 (3.5%) only the count stays
        elif place not in changes.cells or not at.name.endswith("%"):
            changes.cells[place] = CellChange(text, WITHHELD if is_hidden(numbers[at.name]) else "rounded")
    hidden = frozenset(at.name for at in withheld)
    places = [[at.name, at.place.file, at.place.sheet, str(at.place.row), letters(at.place.column), ""] for at in standing]
    for sheet in imported.sheets:
        changes = sheets.setdefault((sheet.grid.file, sheet.grid.sheet), SheetChanges())
        _beside(sheet, changes, places, hidden, made)
        _texts(sheet, changes, made)
    for table in imported.cubes:
        changes = sheets.setdefault((table.file, table.sheet), SheetChanges())
        changes.is_cube = True
        _cube(table, changes, marks)
    return AllChanges(sheets, made.secrets, marks, old)


def _beside(sheet: Sheet, changes: SheetChanges, places: list[list[str]], hidden: frozenset[str], all_: AllChanges) -> None:
    """Cells that were not read as numbers of the release and that would give one of them back."""
    grid = sheet.grid
    taken = {*changes.cells, *changes.kept}
    rest = {(row, column): (reason, whole) for row, column, reason, whole in unused(sheet, taken)}
    rest |= dict.fromkeys(_year_like(sheet, {*taken, *rest}, all_.secrets), (f"{OUTSIDE}: a number like a year", True))
    as_left_out = {
        at: LeftOut(grid.file, grid.sheet, grid.place(*at).cell, grid.cell(*at), reason) for at, (reason, _) in rest.items()
    }
    beside = set(standing_beside(as_left_out.values(), places, hidden))
    mark = next(iter(all_.marks), MARK)
    gone = {
        at: number for at, c in changes.cells.items() if c.why == WITHHELD and (number := number_in(grid.cell(*at))) is not None
    }
    shown = {at: number for at in changes.kept if (number := number_in(grid.cell(*at))) is not None}
    bases = {at: number for at, cell in as_left_out.items() if (number := _base(cell, grid.cell(*at), all_.secrets)) is not None}
    near = (*_lines(shown), *_lines(gone))

    def adds_up(at: At) -> bool:
        """Could it be the sum or the difference of a number beside it that is shown and one that is not?"""
        others = [*near[0].get(at[0], ()), *near[1].get(at[1], ())]
        return GivesBack([*near[2].get(at[0], ()), *near[3].get(at[1], ())]).sum(grid.cell(*at), others)

    whole_numbers = {
        at: number
        for at in rest
        if at not in bases
        and value_of(grid.cell(*at)).kind is CellKind.NUMBER
        and (number := number_in(grid.cell(*at))) is not None
    }
    ways = _quotients(grid, rest, gone, {**shown, **bases}, whole_numbers)
    # what rates are of is a population, whatever it is called
    below = {way.below for some in ways.values() for way in some}
    bases |= {at: n for at, n in whole_numbers.items() if at[1] in below and n not in all_.secrets.numbers and not adds_up(at)}
    safe, given = _followed(grid, ways, rest, {**shown, **bases})
    every = GivesBack(gone.values())
    labels = _labels_of(grid, list(gone))
    doubtful = 0
    for at, (_, whole) in rest.items():
        cell, text = as_left_out[at], grid.cell(*at)
        if cell.why.startswith((CODES, SAME)) or at in bases or at in safe:
            continue
        number = number_in(text)
        others = [*near[0].get(at[0], ()), *near[1].get(at[1], ())]
        is_rate = at in given or (value_of(text).kind in (CellKind.DECIMAL, CellKind.PERCENT) and every.ratio(text, others))
        why = ""
        if cell in beside:
            why = f"stands beside a number that is not shown ({cell.heading})"
        elif is_rate:
            why = "is a rate or a percentage of a number that is not shown"
        elif not whole and adds_up(at):
            why = "is a sum or a difference with a number that is not shown"
        elif number is not None and number in all_.secrets.numbers:
            if number >= SMALL or number != int(number) or _same_line(grid, at, labels.get(number, ())):
                why = "is a number that is not shown elsewhere"
            else:
                doubtful += 1
        if why:
            changes.cells[at] = CellChange(mark, why)
        elif number is not None:
            changes.loose.add(at)
    if doubtful:
        changes.look_at.append(
            f"{grid.source}: {doubtful} small numbers outside the tables that were read equal numbers that are not shown; they stay"
        )
    if grid.note == "a hidden sheet" and not changes.kept and not any(c.why == WITHHELD for c in changes.cells.values()):
        first = next((at for at in rest if at not in changes.cells and number_in(grid.cell(*at)) is not None), None)
        if first is not None:
            some = sum(number_in(grid.cell(*at)) is not None for at in rest)
            changes.problems.append(
                f"{grid.place(*first).text}: is on a hidden sheet with {some} numbers that are no part of the release, so nobody"
                " can tell what they give back; delete the sheet, or show it to everybody, and import the file again"
            )


def _year_like(sheet: Sheet, looked_at: Collection[At], secrets: Secrets) -> Iterator[At]:
    """Cells that import passes over because they could be years, and that are withheld numbers."""
    grid = sheet.grid
    for row in range(1, len(grid.rows) + 1):
        for column in grid.filled(row):
            if (row, column) not in looked_at and secrets.holds(grid.cell(row, column)) and not is_name(sheet, row, column):
                yield row, column


def _base(cell: LeftOut, text: str, secrets: Secrets) -> Decimal | None:
    """A population or the like that others are parts of, which says nothing about them by itself."""
    number = number_in(text)
    return number if number is not None and says_base(cell.heading) and number not in secrets.numbers else None


def _quotients(
    grid: Grid, rest: Iterable[At], gone: Mapping[At, Decimal], shown: Mapping[At, Decimal], more: Mapping[At, Decimal]
) -> dict[int, list[Quotient]]:
    """For each column of rates or percentages that was left out: how it follows from other columns, if that is understood."""
    columns: dict[int, dict[int, str]] = {}
    for row, column in rest:
        if value_of(grid.cell(row, column)).kind in (CellKind.DECIMAL, CellKind.PERCENT):
            columns.setdefault(column, {})[row] = grid.cell(row, column)
    if not gone:
        return {}
    return {c: quotients(texts, {**more, **gone, **shown}) for c, texts in columns.items() if len(texts) >= ENOUGH}


def _followed(
    grid: Grid, ways: Mapping[int, list[Quotient]], rest: Iterable[At], shown: Mapping[At, Decimal]
) -> tuple[set[At], set[At]]:
    """Cells of columns that are understood: those that follow from what is shown, and those that do not."""
    safe: set[At] = set()
    given: set[At] = set()
    for row, column in rest:
        known = ways.get(column, ())
        if known and value_of(grid.cell(row, column)).kind in (CellKind.DECIMAL, CellKind.PERCENT):
            follows = all(at in shown for way in known for at in way.made_of(row))
            (safe if follows else given).add((row, column))
    return safe, given


def _lines(numbers: Mapping[At, Decimal]) -> tuple[dict[int, list[Decimal]], dict[int, list[Decimal]]]:
    """Numbers by row, and by column."""
    rows: dict[int, list[Decimal]] = {}
    columns: dict[int, list[Decimal]] = {}
    for (row, column), number in numbers.items():
        rows.setdefault(row, []).append(number)
        columns.setdefault(column, []).append(number)
    return rows, columns


def _labels_of(grid: Grid, places: list[At]) -> dict[Decimal, set[str]]:
    """For each number that is not shown: the texts that name its row."""
    found: dict[Decimal, set[str]] = {}
    for row, column in places:
        number = number_in(grid.cell(row, column))
        assert number is not None, "only numbers are asked about"
        texts = {grid.cell(row, c) for c in grid.filled(row) if value_of(grid.cell(row, c)).kind is CellKind.TEXT}
        found.setdefault(number, set()).update(texts)
    return found


def _same_line(grid: Grid, at: At, labels: set[str] | tuple[()]) -> bool:
    """Does the row of a cell have one of some labels?"""
    return any(grid.cell(at[0], column) in labels for column in grid.filled(at[0]))


def _texts(sheet: Sheet, changes: SheetChanges, all_: AllChanges) -> None:
    """Titles and notes: without numbers that are not shown, and with one footnote in place of the old ones."""
    if not all_.marks:
        return
    grid, mark = sheet.grid, next(iter(all_.marks))
    tables = {row for part in sheet.parts if part.layout is not None for row in part.rows}
    told = False
    for row in range(1, len(grid.rows) + 1):
        for column in grid.filled(row):
            text = grid.cell(row, column)
            changes.apart = row in tables
            if (row, column) in changes.cells or (row, column) in changes.kept or value_of(text).kind in NUMBERS:
                continue
            if row in tables and is_name(sheet, row, column):
                continue
            new = renewed(text, {*all_.old, *all_.marks}, {} if told else all_.footnotes)
            told = told or new is not None
            clean = all_.secrets.cleaned(text if new is None else new, mark)
            if clean.text != text:
                why = FOOTNOTE if new is not None else "holds a number that is not shown"
                changes.cells[row, column] = CellChange(clean.text, why)
            if clean.doubtful and new is None:
                held = ", ".join(dict.fromkeys(clean.doubtful))
                changes.look_at.append(f"{grid.place(row, column).text}: holds {held}, which is not shown elsewhere, and stays")


def add_footnotes(changes: SheetChanges, all_: AllChanges) -> None:
    """Footnotes for the marks on a sheet that no line of it explains yet."""
    texts = [change.text for change in changes.cells.values()]
    for mark, note in all_.footnotes.items():
        if mark in texts and not any(note in text for text in (*texts, *changes.notes)):
            changes.notes.append(note)


def is_name(sheet: Sheet, row: int, column: int) -> bool:
    """Is a cell a heading or a label of a table that was read?"""
    return any(
        part.layout is not None and row in part.rows and (row in part.layout.header or column in part.labels)
        for part in sheet.parts
    )


def _cube(table: Table, changes: SheetChanges, marks: Mapping[str, Ranges]) -> None:
    """In a file that says itself what each number is about: other measures of what is not shown, such as its percentage.

    A variable of which the release uses one value only (the measure that was taken, one year) does not tell apart what is beside.
    """
    entries = {(entry.place.row, entry.place.column): entry for entry in table.entries}
    used = [entries[at] for at in (*changes.cells, *changes.kept) if at in entries]
    if not used:
        return
    fixed = [a for a in range(len(table.axes)) if len({entry.labels[a] for entry in used}) == 1 and len(table.axes[a].labels) > 1]

    def about(entry: TableCell) -> tuple[str | None, ...]:
        return tuple(label for a, label in enumerate(entry.labels) if a not in fixed)

    gone = {about(entries[at]) for at, change in changes.cells.items() if change.why == WITHHELD and at in entries}
    mark = next(iter(marks), MARK)
    taken = {*changes.cells, *changes.kept}
    for at, entry in entries.items():
        if at not in taken and about(entry) in gone and fixed:
            changes.cells[at] = CellChange(mark, "is about the same records as a number that is not shown")
