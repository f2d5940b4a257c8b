"""Where the numbers of an imported release stand: places.csv names file, sheet, row and column of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from foregone.formats.text import csv_text, is_there, read_rows

PLACES = "places.csv"
HEADER = ["name", "file", "sheet", "row", "column", "shown"]


def places_text(rows: Iterable[Sequence[object]]) -> str:
    return csv_text(HEADER, [list(row) for row in rows])


def place_rows(release: Path) -> list[list[str]]:
    """The rows of places.csv in a release folder; none for a release that was not imported."""
    path = release / PLACES
    if not release.is_dir() or not is_there(path):
        return []
    header, rows = read_rows(path)
    return [row for _, row in rows] if header == HEADER else []  # somebody else's file of that name


def to_be_published(rows: Iterable[Sequence[str]], names: Collection[str]) -> list[list[str]]:
    """The rows of the numbers with these names, without what must not be published: what stood in the cells, which may be withheld
    now, and in which folders the files lie.
    """
    return [[name, file.rpartition("/")[2], sheet, row, column, ""] for name, file, sheet, row, column, _ in rows if name in names]


def read_places(release: Path) -> Mapping[str, str]:
    """Name of a number -> where it stands, in words: `by_age.C4` -> `cell C4 of by_age.csv`."""
    return {name: _words(Path(file).name, sheet, row, column) for name, file, sheet, row, column, _ in place_rows(release)}


def _words(file: str, sheet: str, row: str, column: str) -> str:
    inside = f"{'sheet' if column else 'dataset'} {sheet} of {file}" if sheet else file
    return f"cell {column}{row} of {inside}" if column else f"number {row} of {inside}"
