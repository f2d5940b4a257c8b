"""What is inside a workbook, looked at before a spreadsheet library sees it.

A workbook is a zip archive of XML parts. Either can be made so that a few bytes ask for gigabytes or hours, so every part is
unpacked piece by piece and its XML is gone through once, without making anything of it. What is passed on is a copy without
surprises.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.grid import number_of
from foregone.tables.size import LAST_COLUMN, LAST_ROW, read_bytes

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


@dataclass(slots=True)
class Sheet:
    """What a sheet holds: how far its cells go, which formulas have no result, and which areas are merged (rows, then columns)."""

    height: int = 0
    width: int = 0
    unsolved: list[tuple[int, int]] = field(default_factory=list)
    merged: list[Area] = field(default_factory=list)

    @property
    def cells(self) -> int:
        return self.height * self.width


@dataclass(frozen=True, slots=True)
class Parts:
    """A copy of a workbook that holds nothing but XML, and its sheets by the names of their parts."""

    copy: BytesIO
    sheets: dict[str, Sheet]


def parts_of(path: Path) -> Parts:
    """The parts of a workbook that matter to its tables."""
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
    except (LookupError, ValueError) as error:  # an encoding that is none
        raise InputError(f"{place}: not valid XML ({error}); {AGAIN}") from None
    return b"".join(pieces)


class _Scan:
    """Goes through the XML of all parts once, counts, and keeps where cells stand."""

    def __init__(self) -> None:
        self.sheets: dict[str, Sheet] = {}
        self.found = dict.fromkeys(MOST_ELEMENTS, 0)

    def part(self, name: str, place: str) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator=" ")
        path: list[str] = []
        shared: set[tuple[str, ...]] = set()  # which sheets there are, and their parts
        sheet, row, column = Sheet(), 0, 0
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
                parser.CharacterDataHandler = letters
            elif word == "sheet" and path == ["workbook", "sheets", "sheet"]:
                once("sheet", *(value for key, value in given.items() if key.endswith(" id")))
            elif word == "Relationship" and given.get("Type", "").endswith("/worksheet"):
                once("part", given.get("Target", "").rpartition("/")[2])
            elif word == "mergeCell" and path[0] == "worksheet":
                sheet.merged.append(_area(given.get("ref", ""), wrong))

        def letters(_: str) -> None:
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
