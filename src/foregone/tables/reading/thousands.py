"""Numbers that are given in thousands: each stands for the counts that are rounded to it."""

from __future__ import annotations

from collections.abc import Iterable

from foregone.model.shown import shown
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.values import in_units, value_of
from foregone.tables.words import says_thousands

SIZES = {"hundred": 100, "million": 1_000_000, "lakh": 100_000}


def unit_question(source: str, table: str, texts: Iterable[str], numbers: Iterable[str]) -> TableQuestion | None:
    """Are numbers given in thousands, as words about them say? None where no words do."""
    said = says_thousands(*texts)
    if not said:
        return None
    unit = next((size for word, size in SIZES.items() if word in said), 1000)
    first = next((text for text in numbers if (value := value_of(text)).counts is not None or value.printed), "1")
    counts = in_units(value_of(first), unit).counts
    meant = f"{counts.low:,} to {counts.high:,}" if counts is not None else ""
    clue = Clue(Speaks.FILE_SAYS, (shown(said),))
    choices = (
        ReadingChoice(Reads.IN_UNITS, (f"{unit:,}", first, meant), {"unit": unit}, (clue,)),
        ReadingChoice(Reads.AS_SHOWN, (), {"unit": 1}),
    )
    return TableQuestion(source, table, "the numbers", choices)
