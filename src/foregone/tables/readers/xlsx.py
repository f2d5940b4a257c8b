"""Excel workbooks, read by openpyxl: a grid per sheet, cells as a reader sees them."""

from __future__ import annotations

import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from foregone.formats.extras import need
from foregone.formats.text import raise_all, regular_file
from foregone.model.errors import InputError
from foregone.model.sentences import plural
from foregone.model.shown import shown
from foregone.tables.readers.number_formats import shown_instead, shown_text
from foregone.tables.table import (
    LAST_COLUMN,
    LAST_ROW,
    MOST_CELLS,
    CellPlace,
    Grid,
    Table,
    indent,
    letters,
    number_of,
    read_bytes,
    rows_text,
)

MOST_PARTS = 10_000
MOST_UNPACKED = 100_000_000  # bytes of all parts that are read
# elements of all parts, so that a workbook takes seconds: of rows, of texts, and of anything else, such as styles and merged areas
MOST_ELEMENTS = {"cells": 600_000, "parts of cells": 2_000_000, "parts of texts": 600_000, "parts of other kinds": 100_000}
DEEPEST = 200
PIECE = 1 << 16
AGAIN = "open it in a spreadsheet and save it again"
# what a table can do without; these parts are often damaged, and libraries fall over them
NEEDLESS = re.compile(
    r"(?i)docProps/|(.*/)?(chartsheets|dialogsheets|drawings|charts|media|theme|pivot\w+|externalLinks|worksheets/_rels)/"
)
PARENTS = {"row": "sheetData", "c": "row", "f": "c", "v": "c", "is": "c"}  # in which element each stands
ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")

Area = tuple[int, int, int, int]
OLD = b"\xd0\xcf\x11\xe0"  # how files of old Office programs begin, and workbooks with a password
BLANKS = 3  # that a step of indentation takes
HIDES = ("1", "true")
MOST_NAMED = 3  # cells in a remark
MOST_RUNS = 1_000  # of hidden columns that are looked at


@dataclass(slots=True)
class HeldCells:
    """What a sheet holds: how far its cells go, which formulas have no result, and which areas are merged (rows, then columns)."""

    height: int = 0
    width: int = 0
    unsolved: list[tuple[int, int]] = field(default_factory=list)
    merged: list[Area] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)  # the first and the last of each run

    @property
    def cells(self) -> int:
        return self.height * self.width


@dataclass(frozen=True, slots=True)
class Parts:
    """A copy of a workbook that holds nothing but XML, and its sheets by the names of their parts."""

    copy: BytesIO
    sheets: dict[str, HeldCells]


def parts_of(path: Path) -> Parts:
    """The parts of a workbook that matter to its tables, looked at before a spreadsheet library sees them.

    A workbook is a zip archive of XML parts. Either can be made so that a few bytes ask for gigabytes or hours, so every part is
    unpacked piece by piece and its XML is gone through once, without making anything of it. What is passed on is a copy without
    surprises.
    """
    raw = read_bytes(path)
    try:
        return _parts(path, raw)
    except (BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, UnicodeError) as error:
        raise InputError(f"{path}: is not an Excel workbook ({error}); save it as .xlsx, or as CSV") from None


def _parts(path: Path, raw: bytes) -> Parts:
    if raw.count(b"PK\x01\x02") > MOST_PARTS:  # how each entry of the archive's contents begins
        raise InputError(f"{path}: has more than {MOST_PARTS:,} parts, which no workbook has; {AGAIN}")
    copy, scan = BytesIO(), _Scan()
    with ZipFile(BytesIO(raw)) as archive, ZipFile(copy, "w", ZIP_STORED) as made:
        wanted = [info for info in archive.infolist() if _wanted(info.filename)]
        repeated = [name for name, times in Counter(info.filename for info in wanted).items() if times > 1]
        if repeated:
            raise InputError(f"{path}: has two parts called {shown(repeated[0])}; {AGAIN}")
        left = MOST_UNPACKED
        for info in wanted:
            place = f"{path}, part {shown(info.filename)}"
            if info.flag_bits & 1:
                raise InputError(f"{place}: has a password; save the workbook without one")
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise InputError(f"{place}: is packed in a way that no spreadsheet uses; {AGAIN}")
            content = _unpacked(archive, info, place, left, scan.part(info.filename, place))
            left -= len(content)
            made.writestr(ZipInfo(info.filename), content)
    copy.seek(0)
    return Parts(copy, scan.sheets)


def _wanted(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels")) and NEEDLESS.match(name) is None


def _unpacked(archive: ZipFile, info: ZipInfo, place: str, most: int, parser: expat.XMLParserType) -> bytes:
    """A part whose XML is well formed; what the archive says about its size is not believed."""
    pieces, size = [], 0
    try:
        with archive.open(info) as packed:
            while piece := packed.read(PIECE):
                size += len(piece)
                if size > most:
                    raise InputError(f"{place}: the workbook unpacks to more than {MOST_UNPACKED:,} bytes; cut it into several")
                pieces.append(piece)
                parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        raise InputError(f"{place}, row {error.lineno}, character {error.offset + 1}: not valid XML ({why}); {AGAIN}") from None
    except (LookupError, ValueError) as error:  # there is no such encoding
        raise InputError(f"{place}: not valid XML ({error}); {AGAIN}") from None
    return b"".join(pieces)


class _Scan:
    """Goes through the XML of all parts once, counts, and keeps where cells stand."""

    def __init__(self) -> None:
        self.sheets: dict[str, HeldCells] = {}
        self.found = dict.fromkeys(MOST_ELEMENTS, 0)

    def part(self, name: str, place: str) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator=" ")
        path: list[str] = []
        shared: set[tuple[str, ...]] = set()  # which sheets there are, and their parts
        sheet, row, column = HeldCells(), 0, 0
        inside = text = formula = filled = False  # of the cell at hand

        def wrong(what: str) -> InputError:
            return InputError(f"{place}, row {parser.CurrentLineNumber}: {what}; {AGAIN}")

        def count(kind: str) -> None:
            self.found[kind] += 1
            if self.found[kind] > MOST_ELEMENTS[kind]:
                raise InputError(f"{place}: the workbook has more than {MOST_ELEMENTS[kind]:,} {kind}; cut it into several")

        def once(*named: str) -> None:
            if named in shared:  # a large sheet would be read as often as it is named
                raise wrong(f"two sheets are one, {shown(named[-1])}")
            shared.add(named)

        def start(tag: str, given: dict[str, str]) -> None:
            nonlocal row, column, inside, text, formula, filled
            word = tag.rpartition(" ")[2]
            path.append(word)
            if len(path) > DEEPEST:
                raise wrong("is nested too deeply")
            if word == "worksheet" and len(path) == 1:
                self.sheets[name] = sheet
            table = path[:2] == ["worksheet", "sheetData"]
            count("parts of cells" if table else "parts of texts" if path[0] == "sst" else "parts of other kinds")
            if table and word in PARENTS and path[-2] != PARENTS[word]:
                raise wrong(f"<{word}> stands in <{path[-2]}>")
            if table and word == "row":
                here, column = _number(given.get("r", str(row + 1))), 0
                if not row < here <= LAST_ROW:
                    raise wrong(f"row {shown(given.get('r', ''))} comes after row {row}")
                row = here
                if given.get("hidden") in HIDES:
                    sheet.hidden_rows.append(row)
            elif table and word == "c":
                count("cells")
                said = ADDRESS.fullmatch(given["r"]) if "r" in given else None
                here = number_of(said[1]) if said else column + 1 if "r" not in given else 0
                if not column < here <= LAST_COLUMN or (said and int(said[2]) != row):
                    raise wrong(f"the cell {shown(given.get('r', ''))} is out of order")
                # the result of a formula that is a text may be an empty one
                column, inside, formula, filled = here, True, False, False
                text = given.get("t") == "str"
            elif inside and word == "f":
                formula = not text
            elif inside and word in ("v", "is"):
                parser.CharacterDataHandler = heard
            elif word == "sheet" and path == ["workbook", "sheets", "sheet"]:
                once("sheet", *(value for key, value in given.items() if key.endswith(" id")))
            elif word == "Relationship" and given.get("Type", "").endswith("/worksheet"):
                once("part", given.get("Target", "").rpartition("/")[2])
            elif word == "col" and path == ["worksheet", "cols", "col"] and given.get("hidden") in HIDES:
                sheet.hidden_columns.append((_number(given.get("min", "")), _number(given.get("max", ""))))
            elif word == "mergeCell" and path[0] == "worksheet":
                sheet.merged.append(_area(given.get("ref", ""), wrong))

        def heard(_: str) -> None:
            nonlocal filled
            filled = True

        def end(_: str) -> None:
            nonlocal inside
            word = path.pop()
            if inside and word in ("v", "is"):
                parser.CharacterDataHandler = None
            elif inside and word == "c":
                inside = False
                if filled:
                    sheet.height, sheet.width = row, max(sheet.width, column)
                elif formula:
                    sheet.unsolved.append((row, column))

        def doctype(*_: object) -> None:
            raise wrong("declares entities, which no spreadsheet writes")

        parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, doctype
        return parser


def _number(text: str) -> int:
    return int(text) if re.fullmatch("[0-9]{1,9}", text, re.ASCII) else 0


def _area(text: str, wrong: Callable[[str], InputError]) -> Area:
    corners = [ADDRESS.fullmatch(corner) for corner in text.split(":")]
    first, last = corners[0], corners[-1]
    if len(corners) > 2 or first is None or last is None:
        raise wrong(f"{shown(text)} is no area of cells")
    top, left, bottom, right = int(first[2]), number_of(first[1]), int(last[2]), number_of(last[1])
    if not (0 < top <= bottom <= LAST_ROW and left <= right <= LAST_COLUMN):
        raise wrong(f"{shown(text)} is no area of cells")
    return top, left, bottom, right


def read_xlsx(path: Path) -> list[Grid | Table]:
    """Every sheet that holds something; hidden rows and sheets too, since whoever has the file has them."""
    need("openpyxl", extra="xlsx")
    import openpyxl

    regular_file(path)
    with path.open("rb") as opened:
        old = opened.read(len(OLD)) == OLD
    if old:
        raise InputError(f"{path}: has a password, or is an old .xls under another name; save it as .xlsx without a password")
    parts = parts_of(path)
    problems: list[str] = []
    grids: list[Grid | Table] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and dates that it passes over
            book: Any = openpyxl.load_workbook(parts.copy, read_only=True, data_only=True, keep_links=False)
            for sheet in book.worksheets:
                held = parts.sheets.pop(sheet._worksheet_path, HeldCells())  # a part that several sheets share is read once
                problems += _problems(path, sheet.title, held)
                if held.cells and not problems:
                    grids += _grid(path, sheet, held)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # well-formed XML that is no workbook makes the library fail in any way
        why = str(error).partition("\n")[0]
        raise InputError(f"{path}: is not an Excel workbook ({type(error).__name__}: {why}); save it as .xlsx, or as CSV") from None
    raise_all(problems)
    if not grids:
        raise InputError(f"{path}: every sheet is empty; it should hold a table")
    return grids


def _problems(path: Path, title: str, held: HeldCells) -> list[str]:
    """Why a sheet cannot be read, before it is."""
    last = CellPlace(str(path), held.height, held.width, title)
    if held.cells > MOST_CELLS:
        far = f"its cells go down to row {held.height:,} and right to column {last.cell.rstrip('0123456789')}"
        return [f"{path}, sheet {title}: {far}, more than {MOST_CELLS:,} cells; delete cells that stand apart, or cut the table"]
    if sum(map(_size, _inside(held))) > held.cells:
        return [f"{path}, sheet {title}: merged areas overlap; {AGAIN}"]
    return [
        f"{CellPlace(str(path), row, column, title).text}: a formula without its result; open the file in a spreadsheet and save it"
        for row, column in held.unsolved
    ]


def _inside(held: HeldCells) -> list[Area]:
    """Merged areas as far as there are cells: a title may be merged over all columns there can be."""
    areas = [(top, left, min(bottom, held.height), min(right, held.width)) for top, left, bottom, right in held.merged]
    return [(top, left, bottom, right) for top, left, bottom, right in areas if top <= bottom and left <= right]


def _size(area: Area) -> int:
    top, left, bottom, right = area
    return (bottom - top + 1) * (right - left + 1)


def _grid(path: Path, sheet: Any, held: HeldCells) -> list[Grid]:
    """The cells of a sheet, or nothing where all are blank."""
    rows: list[list[str]] = []
    indents: dict[tuple[int, int], int] = {}
    dates: set[tuple[int, int]] = set()
    covered: dict[str, list[str]] = {}  # texts that formats show in place of numbers, and the cells
    for r, row in enumerate(sheet.iter_rows(1, held.height, 1, held.width), start=1):
        texts = [""] * held.width
        for c, cell in enumerate(row, start=1):
            if cell.value is None:
                continue
            if isinstance(cell.value, str) and (moved := indent(cell.value) + BLANKS * int(cell.alignment.indent or 0)):
                indents[r, c] = moved
            if isinstance(cell.value, datetime | date):
                dates.add((r, c))
            texts[c - 1] = shown_text(cell.value, str(cell.number_format))
            if (instead := shown_instead(cell.value, str(cell.number_format))) is not None:
                covered.setdefault(instead, []).append(f"{letters(c)}{r}")
        rows.append(texts)
    if not any(map(any, rows)):
        return []
    merged = set()
    for top, left, bottom, right in _inside(held):
        for r in range(top, bottom + 1):
            for c in range(left, right + 1):
                if (r, c) != (top, left):
                    rows[r - 1][c - 1] = rows[top - 1][left - 1]
                    merged.add((r, c))
    notes = ["a hidden sheet"] if sheet.sheet_state != "visible" else []
    grid = Grid.of(str(path), rows, sheet.title, frozenset(merged), ", ".join([*notes, *_hidden(rows, held, covered)]), indents)
    return [replace(grid, dates=frozenset(dates))]


def _hidden(rows: list[list[str]], held: HeldCells, covered: Mapping[str, Sequence[str]]) -> list[str]:
    """What a spreadsheet does not show and a reader of the file sees all the same, in words."""
    lines = tuple(r for r in held.hidden_rows if r <= len(rows) and any(rows[r - 1]))
    inside = [(first, min(last, held.width)) for first, last in held.hidden_columns if 0 < first <= held.width]
    hidden = sorted({c for first, last in dict.fromkeys(inside[:MOST_RUNS]) for c in range(first, last + 1)})
    columns = [letters(c) for c in hidden if any(row[c - 1] for row in rows)]
    said = [f"hidden {plural('row', len(lines))} {rows_text(lines)} {'are' if len(lines) > 1 else 'is'} read, too"] if lines else []
    if columns:
        verb = "are" if len(columns) > 1 else "is"
        said.append(f"hidden {plural('column', len(columns))} {', '.join(columns)} {verb} read, too")
    for text, cells in covered.items():
        more = f" and {len(cells) - MOST_NAMED} more" if len(cells) > MOST_NAMED else ""
        where = f"{', '.join(cells[:MOST_NAMED])}{more}"
        said.append(f"{where} {'show' if len(cells) > 1 else 'shows'} {shown(text)} over a number, and the number is read")
    return said
