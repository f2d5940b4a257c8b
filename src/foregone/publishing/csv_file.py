"""CSV files, byte for byte but for the cells that change: separator, quotes, encoding, line ends and blanks stay as they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from foregone.model.shown import shown
from foregone.publishing.outcome import NotPublished
from foregone.tables.readers.csv_file import decoded, separator_of
from foregone.tables.table import CellPlace

BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))
Cells = Mapping[tuple[int, int], str]
"""Row and column from 1 -> what stands there now."""


def csv_with(path: Path, cells: Cells, notes: Sequence[str] = (), apart: bool = True) -> bytes:
    """The bytes of a CSV file with other texts in some cells, and `notes` as further rows; `apart`: after a blank one."""
    raw = path.read_bytes()
    text, said = decoded(path)  # also refuses what is no text
    bom, encoding = next(((bom, encoding) for bom, encoding in BOMS if raw.startswith(bom)), (b"", ""))
    encoding = encoding or {"UTF-16": "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be", "": "utf-8"}.get(said, "cp1252")
    if bom + text.encode(encoding) != raw:
        raise NotPublished(f"{path}: cannot be written back byte for byte; save it as UTF-8 and import it again")
    separator = separator_of(text)
    spans = _spans(text, separator)
    if [[_content(text[a:b]) for a, b in row] for row in spans] != list(
        csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    ):
        raise NotPublished(f"{path}: its quotes are used in a way that cannot be written back; save it again and import it again")
    pieces: list[str] = []
    at = 0
    for (row, column), new in sorted(cells.items()):
        first, last = spans[row - 1][column - 1]
        pieces += [text[at:first], _written(text[first:last], new, separator)]
        at = last
    pieces.append(text[at:])
    end = _line_end(text)
    if notes:
        ended = text.endswith(("\n", "\r"))
        further = [_written("", note, separator) for note in notes]
        pieces.append(("" if ended else end) + (end if apart else "") + end.join(further) + (end if ended else ""))
    try:
        return bom + "".join(pieces).encode(encoding)
    except UnicodeEncodeError as error:
        raise NotPublished(
            f"{path}: {shown(error.object[error.start : error.end])} cannot be written in the encoding of this file ({encoding});"
            " choose another --mark, or save the file as UTF-8 and import it again"
        ) from None


def _spans(text: str, separator: str) -> list[list[tuple[int, int]]]:
    """From where to where each cell goes, quotes included, row by row; as the reader of CSV files has it, blank lines too."""
    rows: list[list[tuple[int, int]]] = []
    row: list[tuple[int, int]] = []
    first = at = 0
    while at < len(text):
        if at == first and text[at] == '"':  # up to the quote that closes it; a doubled one is a letter
            at += 1
            while at < len(text) and (text[at] != '"' or text[at + 1 : at + 2] == '"'):
                at += 2 if text[at] == '"' else 1
            at += 1
            continue
        if text[at] == separator:
            row.append((first, at))
            first = at = at + 1
            continue
        if text[at] in "\r\n":
            if row or at > first:
                row.append((first, at))
            rows.append(row)
            at += 2 if text[at : at + 2] == "\r\n" else 1
            row, first = [], at
            continue
        at += 1
    if row or at > first:
        row.append((first, len(text)))
        rows.append(row)
    return rows


def _content(cell: str) -> str:
    """What stands in a cell, without the quotes around it."""
    if not cell.startswith('"'):
        return cell
    end = len(cell) - 1
    while end > 0 and cell[end] != '"':
        end -= 1
    return cell[1:end].replace('""', '"') + cell[end + 1 :]


def _written(before: str, new: str, separator: str) -> str:
    """A cell with another text: in quotes if it was, or if it has to be; blanks around it stay."""
    if before.startswith('"'):
        return '"' + new.replace('"', '""') + '"'
    if any(sign in new for sign in (separator, '"', "\n", "\r")):
        return '"' + new.replace('"', '""') + '"'
    core = before.strip()
    return before.replace(core, new, 1) if core else new


def _line_end(text: str) -> str:
    first = next((at for at, letter in enumerate(text) if letter in "\r\n"), None)
    if first is None:
        return "\n"
    return "\r\n" if text[first : first + 2] == "\r\n" else text[first]


def place_text(path: Path, row: int, column: int, sheet: str = "") -> str:
    """Where a cell stands, for a sentence that refuses it."""
    return CellPlace(path.name, row, column, sheet).text
