"""How much a table may hold. Sizes are looked at before memory is spent: a small file can ask for a lot of it."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import regular_file
from foregone.model.errors import InputError

MOST_CELLS = 250_000  # of a sheet; larger tables are read by programs, not by people
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # of a sheet, in every spreadsheet program
MOST_BYTES = 32_000_000  # of a file with a table for people
TOO_MANY = f"more than the {MOST_CELLS:,} that are read as a table for people; cut it, or write statistics.csv yourself"


def check_cells(source: str, cells: int) -> None:
    """Refuse a table before it is made."""
    if cells > MOST_CELLS:
        number = f"{cells:,}" if cells < 10**15 else "very many"  # a few keywords of a file can ask for more than can be told
        raise InputError(f"{source}: {number} cells are {TOO_MANY}")


def check_bytes(path: Path) -> None:
    """Refuse a file before it is read."""
    size = regular_file(path)
    if size > MOST_BYTES:
        raise InputError(f"{path}: {size:,} bytes are more than the {MOST_BYTES:,} of a table for people; cut it into several")


def read_bytes(path: Path) -> bytes:
    """A file of bounded size."""
    check_bytes(path)
    return path.read_bytes()
