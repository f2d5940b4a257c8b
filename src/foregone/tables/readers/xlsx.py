"""Excel workbooks, read by openpyxl: a grid per sheet, cells as a reader sees them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from foregone.formats.extras import need
from foregone.formats.text import raise_all, regular_file
from foregone.model.errors import InputError
from foregone.tables.grid import Grid, Place, indent
from foregone.tables.table import Table

OLD = b"\xd0\xcf\x11\xe0"  # how files of old Office programs begin, and workbooks with a password
BLANKS = 3  # that a step of indentation takes


def read_xlsx(path: Path) -> list[Grid | Table]:
    """Every sheet that holds something; hidden rows and sheets too, since whoever has the file has them."""
    need("openpyxl", extra="xlsx")
    import openpyxl

    regular_file(path)
    with path.open("rb") as opened:
        old = opened.read(len(OLD)) == OLD
    if old:
        raise InputError(f"{path}: has a password, or is an old .xls under another name; save it as .xlsx without a password")
    try:
        shown = openpyxl.load_workbook(path, data_only=True)
        formulas = openpyxl.load_workbook(path, data_only=False)
    except (BadZipFile, KeyError, ValueError, OSError, TypeError) as error:
        raise InputError(f"{path}: is not an Excel workbook ({error}); save it as .xlsx, or as CSV") from None
    problems: list[str] = []
    grids: list[Grid | Table] = []
    for sheet in shown.worksheets:
        rows = []
        indents: dict[tuple[int, int], int] = {}
        dates: set[tuple[int, int]] = set()
        for row in sheet.iter_rows():
            texts = []
            for cell in row:
                place = Place(str(path), cell.row or 0, cell.column or 0, sheet.title)
                formula = formulas[sheet.title].cell(place.row, place.column).value if cell.value is None else None
                if isinstance(formula, str) and formula.startswith("="):
                    problems.append(f"{place.text}: a formula without its result; open the file in a spreadsheet and save it")
                if isinstance(cell.value, str) and (moved := indent(cell.value) + BLANKS * int(cell.alignment.indent or 0)):
                    indents[place.row, place.column] = moved
                if isinstance(cell.value, datetime | date):
                    dates.add((place.row, place.column))
                texts.append(_text(cell.value, str(cell.number_format)))
            rows.append(texts)
        if not any(any(row) for row in rows):
            continue
        merged = set()
        for area in sheet.merged_cells.ranges:
            text = rows[area.min_row - 1][area.min_col - 1]
            for r in range(area.min_row, area.max_row + 1):
                for c in range(area.min_col, area.max_col + 1):
                    if (r, c) != (area.min_row, area.min_col):
                        rows[r - 1][c - 1] = text
                        merged.add((r, c))
        note = "a hidden sheet" if sheet.sheet_state != "visible" else ""
        grid = Grid.of(str(path), rows, sheet.title, frozenset(merged), note, indents)
        grids.append(replace(grid, dates=frozenset(dates)))
    raise_all(problems)
    if not grids:
        raise InputError(f"{path}: every sheet is empty; it should hold a table")
    return grids


def _text(value: Any, form: str) -> str:
    """A cell as its number format shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, int | float) and "%" in form:
        decimals = len(form.split("%")[0].rpartition(".")[2].strip('"')) if "." in form else 0
        return f"{value * 100:.{decimals}f}%"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return " ".join(str(value).split("\n")).strip()
