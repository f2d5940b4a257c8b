"""What stands beside an imported release: where its numbers are from, and how the tables were read."""

from __future__ import annotations

from foregone.formats.text import csv_text
from foregone.tables.grid import letters
from foregone.tables.importing import Imported


def beside(imported: Imported) -> dict[str, str]:
    """File name -> text: places.csv names the cell of every published number, layout.toml can be changed and given back."""
    rows: list[list[object]] = [
        [at.name, at.place.file, at.place.sheet, at.place.row, letters(at.place.column), at.shown] for at in imported.standing
    ]
    return {"places.csv": csv_text(["name", "file", "sheet", "row", "column", "shown"], rows), "layout.toml": imported.layout}
