"""Times at which was counted: does each date count new records, or the same ones again?"""

from __future__ import annotations

import re

from foregone.model.shown import shown
from foregone.tables.reading.numbers import hardly_falls, lines_along
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.table import Table
from foregone.tables.words import words_in

WITH = re.compile(r"(?i)\bnumber of ([^\W\d_]+) with\b")
NEW, AGAIN = "new", "again"
LONG = 8  # dates over which numbers that never fall are a running sum


def judge_dates(table: Table, axis: int, adds_up: tuple[Clue, ...]) -> tuple[str, tuple[Clue, ...]] | TableQuestion:
    """New records or the same again, and what says so: words of the file, the nearest ones first, and numbers that never fall."""
    one = table.axes[axis]
    new, again = list(adds_up), list[Clue]()
    if table.stock:
        again += [Clue(Speaks.FILE_SAYS, (table.stock,))] if table.stock == "STOCKFA=S" else []
        new += [Clue(Speaks.FILE_SAYS, (table.stock,))] if table.stock == "STOCKFA=F" else []
    if not new and not again:
        for text in table.texts:  # the heading of the numbers says more than the name of the file
            events, stocks = words_in("events", text), words_in("stocks", text)
            if whose := WITH.findall(text):  # homes with new cases are the same homes again, most likely
                stocks = (*stocks, *(f"{word} with" for word in whose))
            elif any(word in ("new", "weekly", "daily", "monthly") for word in events):
                stocks = ()  # whoever is counted, only new ones are
            new += [Clue(Speaks.EVENT_WORDS, (", ".join(map(shown, events[:3])),))] if events else []
            again += [Clue(Speaks.STOCK_WORDS, (", ".join(map(shown, stocks[:3])),))] if stocks else []
            if events or stocks:
                break
    lines = [list(line.values()) for line in lines_along(table, axis)]
    long = [line for line in lines if len(line) >= LONG]
    if hardly_falls(long) or hardly_falls([line[::-1] for line in long]):
        again.append(Clue(Speaks.NEVER_FALLS, (str(max(map(len, long))),)))
    if bool(new) != bool(again):
        return (NEW, tuple(new)) if new else (AGAIN, tuple(again))
    fresh = ReadingChoice(Reads.NEW, (one.name,), {"dates": {one.name: NEW}}, tuple(new))
    same = ReadingChoice(Reads.AGAIN, (one.name,), {"dates": {one.name: AGAIN}}, tuple(again))
    return TableQuestion(table.source, table.name, f"variable {one.name}", (fresh, same))
