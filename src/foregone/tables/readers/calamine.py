"""Old Excel workbooks (.xls) and OpenDocument spreadsheets (.ods), read by python-calamine: a grid per sheet."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from foregone.formats.extras import need
from foregone.model.errors import InputError
from foregone.tables.readers.number_formats import shown_text
from foregone.tables.readers.xlsx import MOST_UNPACKED
from foregone.tables.table import Grid, Table, check_bytes, check_cells, indent


def read_calamine(path: Path) -> list[Grid | Table]:
    """Every sheet that holds something. These formats have no number formats here, so percentages are shares of 1."""
    need("python_calamine", extra="xls")
    import python_calamine

    check_bytes(path)
    if path.suffix.lower() == ".ods":
        _check_unpacked(path)
    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        sheets = [(name, book.get_sheet_by_name(name)) for name in book.sheet_names]
    except python_calamine.CalamineError as error:
        raise InputError(f"{path}: is not a workbook that can be read ({error}); save it as .xlsx, or as CSV") from None
    grids: list[Grid | Table] = []
    for name, sheet in sheets:
        check_cells(f"{path}, sheet {name}", sheet.total_height * sheet.total_width)
        rows = sheet.to_python(skip_empty_area=False)
        grids += _grid(path, name, rows)
    if not grids:
        raise InputError(f"{path}: every sheet is empty; it should hold a table")
    return grids


def _check_unpacked(path: Path) -> None:
    """Refuse an archive that says itself that it unpacks to more than any table for people."""
    try:
        with ZipFile(path) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except BadZipFile as error:
        raise InputError(f"{path}: is not a workbook that can be read ({error}); save it as .xlsx, or as CSV") from None
    if size > MOST_UNPACKED:
        raise InputError(f"{path}: unpacks to more than {MOST_UNPACKED:,} bytes; cut it into several")


def _grid(path: Path, name: str, rows: list[list[Any]]) -> list[Grid]:
    texts = [["" if value == "" else shown_text(value, "") for value in row] for row in rows]
    if not any(map(any, texts)):
        return []
    places = [(r, c, value) for r, row in enumerate(rows, start=1) for c, value in enumerate(row, start=1)]
    indents = {(r, c): indent(value) for r, c, value in places if isinstance(value, str) and indent(value)}
    dates = frozenset((r, c) for r, c, value in places if isinstance(value, datetime | date))
    return [replace(Grid.of(str(path), texts, name, indents=indents), dates=dates)]
