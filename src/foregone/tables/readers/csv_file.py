"""CSV files as spreadsheets and statistics packages save them."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from foregone.formats.text import raise_all
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.readers.statcan import is_statcan, statcan_table
from foregone.tables.table import MOST_CELLS, Grid, Table, check_cells, indent, read_bytes

SEPARATORS = ",;\t|"
QUOTED = re.compile(r'"[^"]*"(?: (?:"[^"]*"|[^\s"]+))+')  # a line with blanks between its cells, the first of them in quotes
LOOKED_AT = 500_000  # letters from which the separator is told
VALUE = "OBS_VALUE"
ABOUT = ("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "DATAFLOW", "ACTION")
ATTRIBUTES = ("OBS_STATUS", "CONF_STATUS", "OBS_CONF", "UNIT_MULT", "DECIMALS", "UNIT_MEASURE", "OBS_FLAG", "COMMENT_OBS")
FREE = ("F", "R", "")
TOTALS = ("_T", "TOTAL")


def read_csv(path: Path) -> list[Grid | Table]:
    """One grid, as every reader returns a list."""
    return [csv_grid(path)]


def csv_grid(path: Path, separator: str = "") -> Grid:
    """One grid, whatever separates the cells; a file in the encoding of Windows is read too, and that is said."""
    text, note = decoded(path)
    separator = separator or separator_of(text)
    if (roughly := text.count(separator) + text.count("\n")) > 4 * MOST_CELLS:  # some may stand in quotes
        check_cells(str(path), roughly)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    indents: dict[tuple[int, int], int] = {}
    try:
        # a cell with line breaks takes several lines of the file, but one row of a spreadsheet
        for number, row in enumerate(reader, start=1):
            indents |= {(number, c): indent(cell) for c, cell in enumerate(row, start=1) if indent(cell)}
            rows.append([" ".join(cell.split("\n")).strip() for cell in row])
    except csv.Error as error:
        raise not_csv(path, len(rows) + 1, error) from None
    if separator == " " and len(rows) > 1 and len(rows[0]) + 1 == len(rows[1]):  # R gives row names no heading
        rows[0] = ["", *rows[0]]
    named = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}.get(separator)
    notes = [note] if note else []
    notes += [f"cells separated by {named}"] if named else []
    return Grid.of(str(path), rows, note=", ".join(notes), indents=indents)


def not_csv(path: Path, row: int, error: csv.Error) -> InputError:
    """The error for a row that cannot be read as CSV."""
    why = f"a cell has more than {csv.field_size_limit():,} letters" if "field limit" in str(error) else str(error)
    return InputError(f"{path}, row {row}: not valid CSV ({why}); check the quotes")


def decoded(path: Path) -> tuple[str, str]:
    """The text of a file, and a remark where its encoding is not UTF-8."""
    raw = read_bytes(path)
    if not raw.strip():
        raise InputError(f"{path}: the file is empty; it should hold a table")
    if b"\0" in raw[:200] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        wide = "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be"
        try:
            text = raw.decode(wide)
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise InputError(f"{path}: is not a text file; save the table as CSV or .xlsx")
        return text, "UTF-16"
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"", "utf-8-sig"), (b"", "cp1252")):
        if raw.startswith(mark):
            try:
                return raw.decode(encoding), {"utf-16": "UTF-16", "cp1252": "read as Windows-1252"}.get(encoding, "")
            except UnicodeDecodeError:
                continue
    raise InputError(f"{path}: is neither UTF-8 nor Windows-1252 text; save the file as UTF-8")


def separator_of(text: str) -> str:
    """The separator that gives most lines the same number of cells, more than one."""
    lines = [line for line in text[:LOOKED_AT].splitlines() if line.strip()][:200]

    def score(separator: str) -> tuple[int, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
        except csv.Error:  # a cell of more letters than any has, because this does not separate them
            return 0, 0
        often = max(set(widths), key=lambda width: (width > 1, widths.count(width), width), default=0)
        return (widths.count(often) if often > 1 else 0), often

    best = max(SEPARATORS, key=score)
    if not score(best)[0] and all(map(QUOTED.fullmatch, lines)) and score(" ")[0] >= len(lines) - 1:
        return " "  # as R writes tables; blanks stand in many texts, so labels must be quoted
    return best


def read_csv_or_sdmx(path: Path) -> list[Grid | Table]:
    """A CSV file; if its header says that it is SDMX-CSV, a table, otherwise a sheet of cells."""
    grid = csv_grid(path)
    header = [name.partition(":")[0].strip() for name in grid.rows[0]] if grid.rows else []
    if is_statcan(header):
        return [statcan_table(path, grid, header)]
    return [_sdmx_table(path, grid, header)] if VALUE in header and (header[0] in ABOUT) else [grid]


def _sdmx_table(path: Path, grid: Grid, header: list[str]) -> Table:
    at = header.index(VALUE)
    where = [i for i, name in enumerate(header[:at]) if name not in ABOUT and name not in ATTRIBUTES and name]
    where += [i for i, name in enumerate(header) if i > at and name == "TIME_PERIOD"]
    titles = [grid.rows[0][i].partition(":")[2].strip() for i in where]
    status = {name: header.index(name) for name in ATTRIBUTES if name in header}
    words: list[dict[str, str]] = [{} for _ in where]
    observations, problems = [], []
    units: dict[str, int] = {}  # powers of ten, and the first row of each
    for row, cells in enumerate(grid.rows[1:], start=2):
        if not any(cells):
            continue
        codes = []
        for k, i in enumerate(where):
            code, _, word = cells[i].partition(": ")
            words[k][code] = word
            codes.append(code)
        multiplied = (cells[status["UNIT_MULT"]] if "UNIT_MULT" in status else "").partition(":")[0] or "0"
        units.setdefault(multiplied, row)
        secret = any(cells[status[name]].partition(":")[0] not in FREE for name in ("CONF_STATUS", "OBS_CONF") if name in status)
        text = "" if secret else cells[at]
        missing = "OBS_STATUS" in status and cells[status["OBS_STATUS"]].partition(":")[0] in ("Q",)  # suppressed
        observations.append(Observation(tuple(codes), text, grid.place(row, at + 1), secret or (missing and not text)))
    for multiplied, row in units.items():
        if len(units) > 1 or not re.fullmatch("[0-9]", multiplied):
            place = grid.place(row, status["UNIT_MULT"] + 1).text
            problems.append(f"{place}: {shown(multiplied)} was found; give numbers of one power of ten, such as 0 or 3")
    raise_all(problems)
    dimensions = []
    for k, i in enumerate(where):
        known = tuple(words[k])
        labels = tuple(words[k].values()) if any(words[k].values()) else ()
        totals = tuple(code for code in known if code in TOTALS)
        dimensions.append(Dimension(header[i], known, labels, titles[k], totals))
    return cube(path, "SDMX-CSV", dimensions, observations, unit=10 ** int(next(iter(units), "0")))
