"""What the formulas of a workbook are made of: which cells they read, and which numbers stand in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from foregone.publishing.secrets import Secrets, number_in
from foregone.tables.table import LAST_COLUMN, LAST_ROW, number_of

Cell = tuple[str, int, int]
"""Sheet, row and column."""
Area = tuple[str, int, int, int, int]
"""Sheet, first row, first column, last row, last column."""

CORNER = re.compile(r"\$?([A-Za-z]{1,3})?\$?([0-9]{1,7})?")
# functions that read cells which their text does not name
INDIRECT = ("INDIRECT(", "OFFSET(", "GETPIVOTDATA(", "CUBEVALUE(", "CELL(", "EVALUATE(")


@dataclass(frozen=True, slots=True)
class Formula:
    """The areas that a formula reads. `unknown`: it may read others as well. `outside`: it reads another file."""

    text: str
    areas: tuple[Area, ...]
    unknown: bool
    outside: bool
    constants: tuple[str, ...]  # numbers and texts that stand in it

    def reads(self, cells: Iterable[Cell]) -> bool:
        """Does it certainly read one of some cells?"""
        return any(_inside(cell, area) for cell in cells for area in self.areas)

    def cells(self, filled: Mapping[str, Collection[tuple[int, int]]]) -> Iterator[Cell]:
        """Those cells that it reads and that hold something."""
        for area in self.areas:
            for row, column in sorted(filled.get(area[0], ())):
                if _inside((area[0], row, column), area):
                    yield area[0], row, column

    def holds(self, secrets: Secrets) -> bool:
        """Does a number that is withheld stand in it?"""
        return any(secrets.holds(one) or secrets.cleaned(one, "").text != one for one in self.constants)


def _inside(cell: Cell, area: Area) -> bool:
    sheet, top, left, bottom, right = area
    return cell[0] == sheet and top <= cell[1] <= bottom and left <= cell[2] <= right


def formula_of(value: Any, sheet: str, names: Mapping[str, str], depth: int = 0) -> Formula | None:
    """What a cell's content reads, if it is a formula. `names` are the defined names of the workbook and what they stand for."""
    text = value if isinstance(value, str) else getattr(value, "text", None)
    if text is None and value is not None and hasattr(value, "ref"):
        return Formula("", (), True, False, ())  # a table of what-ifs, as spreadsheets call it
    if not isinstance(text, str) or not text.startswith("="):
        return None
    return read_formula(text, sheet, names, depth)


def read_formula(text: str, sheet: str, names: Mapping[str, str], depth: int = 0) -> Formula:
    """The parts of a formula, which begins with an equal sign."""
    from openpyxl.formula.tokenizer import Token, Tokenizer, TokenizerError

    areas: list[Area] = []
    constants: list[str] = []
    unknown = any(word in text.upper() for word in INDIRECT)
    outside = False
    try:
        tokens = Tokenizer(text).items
    except (TokenizerError, IndexError):
        return Formula(text, (), True, False, ())
    for token in tokens:
        if token.type != Token.OPERAND:
            continue
        if token.subtype == Token.NUMBER:
            constants.append(token.value)
        elif token.subtype == Token.TEXT:
            constants.append(token.value.strip('"'))
        elif token.subtype == Token.RANGE:
            outside = outside or re.match(r"'?[^'!]*\[[0-9]+\]", token.value) is not None
            area = area_of(token.value, sheet)
            said = names.get(token.value.upper())
            if area is not None:
                areas.append(area)
            elif said is not None and depth < 5:
                inner = read_formula(f"={said}", sheet, names, depth + 1)
                areas += inner.areas
                constants += inner.constants
                unknown, outside = unknown or inner.unknown, outside or inner.outside
            else:
                unknown = True
    return Formula(text, tuple(areas), unknown, outside, tuple(constants))


def area_of(text: str, sheet: str) -> Area | None:
    """`Data!$A$1:B7`, `B:B` or `3:3` as an area; None for a name, or for cells of several sheets."""
    where, bang, cells = text.rpartition("!")
    if bang:
        sheet = where[1:-1].replace("''", "'") if where.startswith("'") else where
        if ":" in sheet or "[" in sheet:
            return None
    corners = [CORNER.fullmatch(corner) for corner in cells.rstrip("#").split(":")]
    first, last = corners[0], corners[-1]
    if len(corners) > 2 or first is None or last is None or not (first[0] and last[0]) or (not first[2] and len(corners) == 1):
        return None
    if not first[1] and len(corners) == 1:
        return None
    top, bottom = int(first[2] or 1), int(last[2] or LAST_ROW)
    left, right = number_of(first[1]) if first[1] else 1, number_of(last[1]) if last[1] else LAST_COLUMN
    return sheet, min(top, bottom), min(left, right), max(top, bottom), max(left, right)


def constant_numbers(text: str, secrets: Secrets) -> bool:
    """Does a formula, a list of choices or a limit, as text, name a withheld number?"""
    formula = read_formula(text if text.startswith("=") else f"={text}", "", {})
    pieces = [piece for one in formula.constants for piece in re.split(r"[,;|{}]", one)]
    return any(number is not None and secrets.holds(piece) and number >= 10 for piece in pieces for number in [number_in(piece)])
