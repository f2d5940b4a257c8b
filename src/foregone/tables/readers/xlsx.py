"""Excel workbooks, read by openpyxl: a grid per sheet, cells as a reader sees them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from foregone.formats.extras import need
from foregone.formats.text import raise_all, regular_file
from foregone.model.errors import InputError
from foregone.tables.grid import Grid, Place, indent
from foregone.tables.readers.xlsx_parts import AGAIN, Area, Sheet, parts_of
from foregone.tables.size import MOST_CELLS
from foregone.tables.table import Table

OLD = b"\xd0\xcf\x11\xe0"  # how files of old Office programs begin, and workbooks with a password
BLANKS = 3  # that a step of indentation takes
DECIMALS = 30  # of a percentage; a format may ask for any number


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
                held = parts.sheets.pop(sheet._worksheet_path, Sheet())  # a part that several sheets share is read once
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


def _problems(path: Path, title: str, held: Sheet) -> list[str]:
    """Why a sheet cannot be read, before it is."""
    last = Place(str(path), held.height, held.width, title)
    if held.cells > MOST_CELLS:
        far = f"its cells go down to row {held.height:,} and right to column {last.cell.rstrip('0123456789')}"
        return [f"{path}, sheet {title}: {far}, more than {MOST_CELLS:,} cells; delete cells that stand apart, or cut the table"]
    if sum(map(_size, _inside(held))) > held.cells:
        return [f"{path}, sheet {title}: merged areas overlap; {AGAIN}"]
    return [
        f"{Place(str(path), row, column, title).text}: a formula without its result; open the file in a spreadsheet and save it"
        for row, column in held.unsolved
    ]


def _inside(held: Sheet) -> list[Area]:
    """Merged areas as far as there are cells: a title may be merged over all columns there can be."""
    areas = [(top, left, min(bottom, held.height), min(right, held.width)) for top, left, bottom, right in held.merged]
    return [(top, left, bottom, right) for top, left, bottom, right in areas if top <= bottom and left <= right]


def _size(area: Area) -> int:
    top, left, bottom, right = area
    return (bottom - top + 1) * (right - left + 1)


def _grid(path: Path, sheet: Any, held: Sheet) -> list[Grid]:
    """The cells of a sheet, or nothing where all are blank."""
    rows: list[list[str]] = []
    indents: dict[tuple[int, int], int] = {}
    dates: set[tuple[int, int]] = set()
    for r, row in enumerate(sheet.iter_rows(1, held.height, 1, held.width), start=1):
        texts = [""] * held.width
        for c, cell in enumerate(row, start=1):
            if cell.value is None:
                continue
            if isinstance(cell.value, str) and (moved := indent(cell.value) + BLANKS * int(cell.alignment.indent or 0)):
                indents[r, c] = moved
            if isinstance(cell.value, datetime | date):
                dates.add((r, c))
            texts[c - 1] = _text(cell.value, str(cell.number_format))
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
    note = "a hidden sheet" if sheet.sheet_state != "visible" else ""
    grid = Grid.of(str(path), rows, sheet.title, frozenset(merged), note, indents)
    return [replace(grid, dates=frozenset(dates))]


def _text(value: Any, form: str) -> str:
    """A cell as its number format shows it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, int | float) and "%" in form:
        decimals = len(form.split("%")[0].rpartition(".")[2].strip('"')) if "." in form else 0
        return f"{value * 100:.{min(decimals, DECIMALS)}f}%"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return " ".join(str(value).split("\n")).strip()
