"""Numbers that hardly count records: lines that add up to 100, and 9999 in place of a number that is not known."""

from __future__ import annotations

from foregone.tables.layout import Misfit
from foregone.tables.reading.numbers import lines_along, plain
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.reading.sums import parts_of
from foregone.tables.table import letters

STAND_INS = ("99", "999", "9999", "99999", "999999", "9999999", "8888", "88888")
TIMES = 5  # as large as the largest other number
LINES = 3  # that add up to 100 by accident hardly ever


def adds_up_to_100(sketch: Sketch) -> Sketch | Stop:
    """Whole percentages look like counts, but for what they add up to."""
    layout = sketch.layout
    if layout.percents or {"numbers", "measure"} & set(sketch.given):
        return sketch
    table = sketch.table
    for i, axis in enumerate(table.axes):
        parts = parts_of(table, i) or ()
        lines = [line for line in lines_along(table, i) if line]
        sums = [sum(line[part] for part in parts) for line in lines if all(part in line for part in parts)]
        if len(parts) > 1 and len(sums) == len(lines) >= LINES and sums.count(100) >= LINES and all(99 <= s <= 101 for s in sums):
            clue = Clue(Speaks.HUNDRED, (str(len(sums)),))
            choices = (
                ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True}, (clue,)),
                ReadingChoice(Reads.COUNT_AMONG, (quoted(axis.labels),), {"numbers": [letters(c) for c in layout.numbers]}),
            )
            return TableQuestion(table.source, table.name, f"variable {axis.name}", choices)
    return sketch


def no_stand_ins(sketch: Sketch) -> Sketch | Stop:
    """Programs write 999 or 9999 for what is not known; a number like that which is far above all others is not taken."""
    block, layout = sketch.block, sketch.layout
    told = dict(sketch.meaning.tokens)
    cells = [(block.grid.cell(row, c), row, c) for row in layout.body for c in layout.numbers]
    found = [(text, row, c) for text, row, c in cells if text in STAND_INS and text not in told]
    others = [number for text, _, _ in cells if text not in STAND_INS and (number := plain(text, block.dotted)) is not None]
    if len(found) < 2 or len({text for text, _, _ in found}) > 1 or int(found[0][0]) < TIMES * max(others, default=0):
        return sketch
    text, row, column = found[0]
    return Misfit(
        f"{text} stands in {block.grid.place(row, column).text} and {len(found) - 1} more, far above all other numbers, and may"
        f" be in place of one that is not known; say --token '{text}=0..' if it is, or '{text}={text}' if it is a count"
    )
