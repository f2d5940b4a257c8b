"""One table of writers, as there is one of readers: by the ending of a file, what writes it back with some cells changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foregone.model.shown import shown
from foregone.publishing.changes import AllChanges, SheetChanges, add_footnotes
from foregone.publishing.csv_file import csv_with
from foregone.publishing.jsonstat import write_jsonstat
from foregone.publishing.outcome import NotPublished
from foregone.publishing.px import write_px
from foregone.publishing.written import FileWritten, Sheets, marked_cells
from foregone.publishing.xlsx import write_xlsx
from foregone.tables.readers.csv_file import csv_grid

SDMX = (("CONF_STATUS", "C"), ("OBS_CONF", "C"), ("OBS_STATUS", "Q"))  # columns that say it, and how
Writer = Callable[[Path, Sheets, AllChanges], FileWritten]


def write_csv(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A CSV file, byte for byte but for the cells that change."""
    (sheet,) = sheets.values()
    marked, signs = marked_cells(sheets), tuple(changes.marks.items())
    if sheet.is_cube:
        return FileWritten(csv_with(path, _sdmx(path, sheet)), marked, (), tuple(sheet.look_at))
    add_footnotes(sheet, changes)
    content = csv_with(path, {at: change.text for at, change in sheet.cells.items()}, sheet.notes, sheet.apart)
    return FileWritten(content, marked, (), tuple(sheet.look_at), signs)


def _sdmx(path: Path, sheet: SheetChanges) -> dict[tuple[int, int], str]:
    """Of SDMX-CSV: no value, and the standard's own word for what is confidential, as there is no place for a footnote."""
    header = [name.partition(":")[0].strip() for name in csv_grid(path).rows[0]]
    status = next(((name, code) for name, code in SDMX if name in header), None)
    if not sheet.cells:
        return {}
    if status is None:
        raise NotPublished(f"{path}: SDMX-CSV needs a column {SDMX[0][0]} to say that a number is confidential; add one")
    said, code = header.index(status[0]) + 1, status[1]
    return {at: text for row, column in sheet.cells for at, text in (((row, column), ""), ((row, said), code))}


def write_file(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A file with some cells changed, by the writer for its kind; what cannot be cleaned is refused."""
    problems = [problem for sheet in sheets.values() for problem in sheet.problems]
    if problems:
        raise NotPublished(problems)
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        instead = " as .xlsx" if suffix in (".xls", ".ods", ".xlsm") else ""
        raise NotPublished(
            f"{path}: files that end in {shown(path.suffix)} are read but not written back; save it{instead or ' as CSV'}, and"
            " import and protect that"
        )
    return WRITERS[suffix](path, sheets, changes)


WRITERS: dict[str, Writer] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), write_csv),
    ".xlsx": write_xlsx,
    ".px": write_px,
    **dict.fromkeys((".json", ".jsonstat"), write_jsonstat),
}
