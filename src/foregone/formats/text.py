"""Reading text files so that every problem names file, row and column."""

from __future__ import annotations

import csv
import gc
import io
import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foregone.formats.cells import guarded, unguarded
from foregone.model.errors import InputError
from foregone.model.shown import shown

SHOWN = 40  # problems of one file that are spelled out
MOST_BYTES = 1_000_000_000  # of a file that is read as a whole


def regular_file(path: Path, what: str = "check the path") -> int:
    """The size of a file that is there and is a file: reading a pipe or a device could wait for ever."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        link = os.path.islink(path)
        missing = "this link leads nowhere; correct or remove it" if link else f"there is no such file; {what}"
        raise InputError(f"{path}: {missing}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)}); check the path and its permissions") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path}: this is a folder, a file was expected")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: this is a pipe, a socket or a device; save the content as a file first")
    return found.st_size


def is_there(path: Path) -> bool:
    """Is there anything under this name, be it a link that leads nowhere? What is there has to be read, or refused."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)}); check the path and its permissions") from None
    return True


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def read_text(path: Path) -> str:
    """The file as text; a missing, empty or wrongly encoded file is an error that says so."""
    size = regular_file(path)
    if size > MOST_BYTES:
        raise InputError(f"{path}: {size:,} bytes are more than the {MOST_BYTES:,} that can be read; cut the file into several")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)}); check its permissions") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, row {row}: byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        content = {".json": "JSON", ".toml": "settings"}.get(path.suffix, "a header and rows")
        raise InputError(f"{path}: the file is empty; it should hold {content}")
    return text


@contextmanager
def uncollected() -> Iterator[None]:
    """Millions of small objects are made and none is thrown away: looking for cycles among them would take most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def read_rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows of a CSV file; each row with its line number as a spreadsheet shows it."""
    text = read_text(path)
    clean = _unguarded if "'" in text else str.strip
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        header = [clean(name) for name in next(reader)]
        rows = [(reader.line_num, [*map(clean, row)]) for row in reader if row]
    except csv.Error as error:
        raise InputError(f"{path}, row {reader.line_num}: not valid CSV ({error}); check the quotes") from None
    repeated = [name for name, times in Counter(header).items() if times > 1]
    problems = [f"{path}, row 1: column {shown(name)} appears twice; keep one" for name in repeated]
    problems += [
        f"{path}, row {line}: {len(row)} values, but the header has {len(header)} columns; add or remove commas"
        for line, row in rows
        if len(row) != len(header)
    ]
    raise_all(problems)
    return header, rows


def _unguarded(cell: str) -> str:
    return unguarded(cell.strip())


def raise_all(problems: list[str]) -> None:
    """Raise every problem of a file at once (the first of them spelled out when there are very many)."""
    if problems:
        more = [f"... and {len(problems) - SHOWN} more problems like these"] if len(problems) > SHOWN else []
        raise InputError(problems[:SHOWN] + more)


def csv_text(header: list[str], rows: Iterator[list[object]] | list[list[object]]) -> str:
    """Rows as CSV in which no cell is a formula to a spreadsheet; `read_rows` gives them back as they were."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(guarded, header))
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()
