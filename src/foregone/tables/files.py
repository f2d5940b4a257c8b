"""What stands beside an imported release: where its numbers are from, and how the tables were read."""

from __future__ import annotations

from foregone.formats.assumptions import ASSUMPTIONS, assumptions_text
from foregone.formats.standing import PLACES, places_text
from foregone.model.shown import shown
from foregone.tables.grid import letters
from foregone.tables.importing import Imported


def beside(imported: Imported) -> dict[str, str]:
    """File name -> text: places.csv names the cell of every published number, layout.toml can be changed and given back."""
    rows: list[list[object]] = [
        [at.name, at.place.file, at.place.sheet, at.place.row, letters(at.place.column), at.shown] for at in imported.standing
    ]
    texts = {PLACES: places_text(rows), "layout.toml": imported.layout}
    assumed = assumptions(imported)
    return texts | ({ASSUMPTIONS: assumptions_text(assumed)} if assumed else {})


def assumptions(imported: Imported) -> list[str]:
    """What the user said the tables mean, a sentence each: every answer about the release hangs on it."""
    rule, seen = imported.meaning.rule, {at.shown for at in imported.standing}
    said = [f"the tables follow the release rule {rule.name}"] if rule is not None else []
    return said + [f"{shown(token)} stands for {counts.words}" for token, counts in imported.meaning.tokens if token in seen]
