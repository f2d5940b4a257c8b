"""What lies beside the numbers of a release: what it takes for granted, where its numbers stand, and what an import left out.

assumptions.txt holds a sentence a line, said again with every result. places.csv names file, sheet, row and column of each number
of an imported release. left_out.csv names every cell with a number that is no part of the release, and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from foregone.formats.text import csv_text, is_there, read_rows, read_text
from foregone.model.errors import ForegoneError
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import some_of

ASSUMPTIONS = "assumptions.txt"
PLACES = "places.csv"
PLACES_HEADER = ["name", "file", "sheet", "row", "column", "shown"]
LEFT_OUT = "left_out.csv"
LEFT_OUT_HEADER = ["file", "sheet", "place", "text", "reason"]
OTHER = "it does not count the same records"
CODES = "it holds codes"
OUTSIDE = "outside the tables"
SAME = "it names the same as"  # what a further column of labels does
CELL = re.compile(r"([A-Z]+)([0-9]+)")
LINE = re.compile(r"(column [A-Z]+|row [0-9]+)(?: \((.*)\))?: (.*)", re.DOTALL)
MORE = re.compile(r"and ([0-9,]+) more")
NOT_SHOWN = "beside cells that are not shown"
NAMED = 12  # cells of one heading that a sentence names


def assumptions_text(sentences: Iterable[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


def read_assumptions(release: Path) -> tuple[str, ...]:
    """The assumptions of a release folder, a sentence each; a single file has none."""
    path = release / ASSUMPTIONS
    return tuple(read_text(path).splitlines()) if release.is_dir() and is_there(path) else ()


def places_text(rows: Iterable[Sequence[object]]) -> str:
    return csv_text(PLACES_HEADER, rows)


def place_rows(release: Path) -> list[list[str]]:
    """The rows of places.csv in a release folder; none for a release that was not imported."""
    return _rows_beside(release, PLACES, PLACES_HEADER)


def _rows_beside(release: Path, name: str, expected: list[str]) -> list[list[str]]:
    """The rows of a file in a release folder; none where it is not there, or is somebody else's file of that name."""
    header, rows = read_rows(release / name) if release.is_dir() and is_there(release / name) else ([], [])
    return [row for _, row in rows] if header == expected else []


def to_be_published(rows: Iterable[Sequence[str]], names: Collection[str]) -> list[list[str]]:
    """The rows of the numbers with these names, without what must not be published: what stood in the cells, which may be withheld
    now, and in which folders the files lie.
    """
    return [[name, file.rpartition("/")[2], sheet, row, column, ""] for name, file, sheet, row, column, _ in rows if name in names]


def read_places(release: Path) -> Mapping[str, str]:
    """Name of a number -> where it stands, in words: `by_age.C4` -> `cell C4 of by_age.csv`."""
    return {name: _place_words(Path(file).name, sheet, row, column) for name, file, sheet, row, column, _ in place_rows(release)}


def _place_words(file: str, sheet: str, row: str, column: str) -> str:
    inside = f"{'sheet' if column else 'dataset'} {sheet} of {file}" if sheet else file
    return f"cell {column}{row} of {inside}" if column else f"number {row} of {inside}"


def places(release: Release) -> Callable[[int], str]:
    """For the number of a statement its file and row, ready to stand before what is said about it; empty when it is not known."""
    source = release.source
    if source is None:
        return lambda _: ""
    if not source.is_dir():
        return lambda i: f"{source}, number {i + 1}: "
    path = source / "statistics.csv"
    try:
        header, rows = read_rows(path)
    except (ForegoneError, OSError):  # changed since it was read
        return lambda _: f"{path}: "
    at = header.index("measure") if "measure" in header else -1
    plain = [line for line, values in rows if at < 0 or values[at] in ("", "count")]
    figures = [line for line, values in rows if at >= 0 and values[at] not in ("", "count")]

    def place(i: int) -> str:
        rows, at = (*plain, *figures), release.row_of(i)
        return f"{path}, row {rows[at]}: " if at is not None and at < len(rows) else f"{path}: "

    return place


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A cell that holds a number and was not taken. Without a `place` it stands for several more, whose number is its text."""

    file: str
    sheet: str
    place: str  # such as C5; the number of the number where a file has no cells
    text: str
    reason: str  # `column C (Rate per 100,000): it does not count the same records`

    @property
    def number(self) -> int:
        """
        >>> LeftOut("t.csv", "", "", "and 1,200 more", "table t: the total does not add up").number
        1200
        """
        found = None if self.place else MORE.fullmatch(self.text)
        return 1 if found is None else int(found[1].replace(",", ""))

    @property
    def heading(self) -> str:
        """What stands above its column or beside its row; or what larger thing was left out.

        >>> LeftOut("t.csv", "", "C5", "41.2", "column C (Rate per 100,000): it does not count the same records").heading
        'Rate per 100,000'
        """
        found = LINE.fullmatch(self.reason)
        return self.reason.partition(": ")[0] if found is None else found[2] or found[1]

    @property
    def why(self) -> str:
        found = LINE.fullmatch(self.reason)
        return self.reason.partition(": ")[2] if found is None else found[3]

    @property
    def source(self) -> str:
        file = self.file.replace("\\", "/").rpartition("/")[2]
        return f"sheet {self.sheet} of {file}" if self.sheet else file


@dataclass(frozen=True, slots=True)
class AllLeftOut:
    """Everything that was left out, and what of it stands `beside` a count that is not shown."""

    cells: tuple[LeftOut, ...] = ()
    beside: tuple[LeftOut, ...] = ()

    @property
    def number(self) -> int:
        return sum(cell.number for cell in self.cells)

    @property
    def said(self) -> str:
        """How much was left out, and the warning, for somebody who has just imported it; nothing where nothing was."""
        if not self.cells:
            return ""
        number = f"{self.number:,} {plural('number', self.number)} {'was' if self.number == 1 else 'were'} left out"
        return f"{number}. {self._stand(f'{len(self.beside):,} of them')}" if self.beside else f"{number}."

    @property
    def warning(self) -> str:
        """What a reader of the tables can make of it, in a sentence or two; nothing where nothing stands beside a hidden count."""
        return self._stand(self._some) if self.beside else ""

    @property
    def bare_warning(self) -> str:
        """How many numbers that were left out stand beside cells that are not shown, without naming any."""
        return f"{self._some} {self._verb} {NOT_SHOWN}." if self.beside else ""

    @property
    def _some(self) -> str:
        some = len(self.beside)
        return f"{some:,} {plural('number', some)} that {'was' if some == 1 else 'were'} left out"

    @property
    def _verb(self) -> str:
        return "stands" if len(self.beside) == 1 else "stand"

    def _stand(self, some: str) -> str:
        them = "it" if len(self.beside) == 1 else "them"
        return f"{some} {self._verb} {NOT_SHOWN} ({self._where}). A reader may work the count back from {them}."

    @property
    def _where(self) -> str:
        groups: dict[tuple[str, str], list[str]] = {}
        for cell in self.beside:
            groups.setdefault((cell.heading, cell.source), []).append(cell.place)
        said = [f"{heading} in {source}: {some_of(cells, most=NAMED)}" for (heading, source), cells in groups.items()]
        more = len(said) > NAMED or any(len(cells) > NAMED for cells in groups.values())
        return f"{some_of(said, '; ', NAMED)}{f'; all in {LEFT_OUT}' if more else ''}"


def left_out_text(cells: Iterable[LeftOut]) -> str:
    return csv_text(LEFT_OUT_HEADER, map(astuple, cells))


def read_left_out(release: Path) -> tuple[LeftOut, ...]:
    """The rows of left_out.csv in a release folder; none where nothing was left out."""
    return tuple(LeftOut(*row) for row in _rows_beside(release, LEFT_OUT, LEFT_OUT_HEADER))


def left_out_of(folder: Path, release: Release) -> AllLeftOut:
    """What was left out when `folder` was imported, and what of it stands beside counts that `release` does not show.

    `release` is what the folder holds, or a form of it in which more is withheld.
    """
    cells = read_left_out(folder)
    return AllLeftOut(cells, standing_beside(cells, place_rows(folder), hidden_names(release))) if cells else AllLeftOut()


def hidden_names(release: Release) -> frozenset[str]:
    """The counts that are withheld, printed as a mark, or known as a range only."""
    return frozenset(s.name for s in release.statistics if s.name and s.open)


def standing_beside(cells: Iterable[LeftOut], places: Iterable[Sequence[str]], hidden: frozenset[str]) -> tuple[LeftOut, ...]:
    """The cells that share a row of a sheet with a hidden count or, where a whole row was left out (a rate, a total), a column.

    `places` are rows of places.csv. Codes and further labels of rows say nothing about how many there are.
    """
    rows: set[tuple[str, str, str]] = set()
    columns: set[tuple[str, str, str]] = set()
    for name, file, sheet, row, column, _ in places:
        if name in hidden and column:
            rows.add((file, sheet, row))
            columns.add((file, sheet, column))
    found = []
    for cell in cells:
        at = CELL.fullmatch(cell.place)
        if at is None or cell.why.startswith((CODES, SAME)):
            continue
        whole_row = cell.reason.startswith(("row ", OUTSIDE))
        if (cell.file, cell.sheet, at[2]) in rows or (whole_row and (cell.file, cell.sheet, at[1]) in columns):
            found.append(cell)
    return tuple(found)
