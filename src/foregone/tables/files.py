"""What stands beside an imported release: where its numbers are from, and how the tables were read."""

from __future__ import annotations

from foregone.formats.assumptions import ASSUMPTIONS, assumptions_text
from foregone.formats.left_out import LEFT_OUT, AllLeftOut, hidden_names, left_out_text, standing_beside
from foregone.formats.standing import PLACES, places_text
from foregone.model.marks import mark_sentence
from foregone.tables.grid import letters
from foregone.tables.importing import Imported


def beside(imported: Imported) -> dict[str, str]:
    """File name -> text: places.csv names the cell of every published number, left_out.csv those that were not taken, and
    layout.toml can be changed and given back.
    """
    texts = {PLACES: places_text(_places(imported)), "layout.toml": imported.layout}
    if imported.left_out:
        texts[LEFT_OUT] = left_out_text(imported.left_out)
    assumed = assumptions(imported)
    return texts | ({ASSUMPTIONS: assumptions_text(assumed)} if assumed else {})


def all_left_out(imported: Imported) -> AllLeftOut:
    """What was left out, and what of it stands beside counts that are not shown."""
    return AllLeftOut(imported.left_out, standing_beside(imported.left_out, _places(imported), hidden_names(imported.release)))


def _places(imported: Imported) -> list[list[str]]:
    return [
        [at.name, at.place.file, at.place.sheet, str(at.place.row), letters(at.place.column), at.shown] for at in imported.standing
    ]


def assumptions(imported: Imported) -> list[str]:
    """What the user said the tables mean, a sentence each: every answer about the release hangs on it."""
    rule, seen = imported.meaning.rule, {at.shown for at in imported.standing}
    said = [f"the tables follow the release rule {rule.name}"] if rule is not None else []
    return said + [mark_sentence(token, ((counts.low, counts.high),)) for token, counts in imported.meaning.tokens if token in seen]
