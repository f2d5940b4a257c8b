"""Reading and writing text files so that every problem names file, row and column and nothing is left half-written."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from foregone.model.errors import InputError

SHOWN = 40  # problems of one file that are spelled out


def read_text(path: Path) -> str:
    """The file as text; a missing, empty or wrongly encoded file is an error that says so."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, a file was expected") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, row {row}: byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        content = {".json": "JSON", ".toml": "settings"}.get(path.suffix, "a header and rows")
        raise InputError(f"{path}: the file is empty; it should hold {content}")
    return text


def read_json(path: Path) -> Any:
    """JSON in which no name is given twice."""

    def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for name, value in pairs:
            if name in seen:
                raise InputError(f"{path}: {name!r} is given more than once; keep one")
            seen[name] = value
        return seen

    try:
        return json.loads(read_text(path), object_pairs_hook=unrepeated)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, row {error.lineno}, character {error.colno}: not valid JSON ({error.msg}); mend it") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be read; a flat object was expected") from None


def read_rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows of a CSV file; each row with its line number as a spreadsheet shows it."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        header = [name.strip() for name in next(reader)]
        rows = [(reader.line_num, [value.strip() for value in row]) for row in reader if row]
    except csv.Error as error:
        raise InputError(f"{path}, row {reader.line_num}: not valid CSV ({error}); check the quotes") from None
    repeated = [name for name, times in Counter(header).items() if times > 1]
    problems = [f"{path}, row 1: column {name!r} appears twice; keep one" for name in repeated]
    problems += [
        f"{path}, row {line}: {len(row)} values, but the header has {len(header)} columns; add or remove commas"
        for line, row in rows
        if len(row) != len(header)
    ]
    raise_all(problems)
    return header, rows


def raise_all(problems: list[str]) -> None:
    """Raise every problem of a file at once (the first of them spelled out when there are very many)."""
    if problems:
        more = [f"... and {len(problems) - SHOWN} more problems like these"] if len(problems) > SHOWN else []
        raise InputError(problems[:SHOWN] + more)


def csv_text(header: list[str], rows: Iterator[list[object]] | list[list[object]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def write_file(path: Path, write: Callable[[Path], None]) -> None:
    """Write next to the target and move into place, so that a file is either whole or absent."""
    with _target(path, folder=False) as draft:
        write(draft)


def write_text(path: Path, text: str) -> None:
    def write(draft: Path) -> None:
        draft.write_text(text, "utf-8")

    write_file(path, write)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder that appears under its name only when everything in it is written."""
    with _target(path, folder=True) as draft:
        yield draft


@contextmanager
def _target(path: Path, folder: bool) -> Iterator[Path]:
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: there is no such folder; make it first")
    if folder and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path}: already exists; choose another name or remove it first")
    if not folder and path.is_dir():
        raise InputError(f"{path}: this is a folder; give a file name")
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be written to ({error.strerror}); choose another place") from None
    try:
        draft = scratch / path.name
        if folder:
            draft.mkdir()
        yield draft
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{path}: could not be written ({error.strerror}); nothing was left behind") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
