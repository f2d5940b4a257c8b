"""Rows that say that they count some of those above: of which part-time. Of which row above, only a person can be sure."""

from __future__ import annotations

from foregone.model.shown import shown
from foregone.tables.layout import Misfit
from foregone.tables.reading.groups import indented_groups
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.reading.sums import exceeds
from foregone.tables.table import rows_text
from foregone.tables.words import says_part, says_total


def of_which(sketch: Sketch) -> Sketch | Stop:
    """Rows of this kind are a group of the row above, or are left out: never values beside it. Indentation says it, too."""
    layout, given = sketch.layout, sketch.given
    if len(layout.labels) != 1 or "groups" in given:
        return sketch
    column, name = layout.labels[0], layout.rows[-1]
    said = [row for row in sketch.block.body if row not in layout.sections and says_part(sketch.cell(row, column))]
    inside = {part for _, groups in indented_groups(sketch.block, layout) for _, parts in groups for part in parts}
    empty = [row for row in said if not any(sketch.cell(row, c) for c in sketch.block.numbers)]
    found = [row for row in said if row in layout.body and row not in empty and sketch.cell(row, column) not in inside]
    if any(sketch.cell(row + 1, column) not in inside for row in empty):
        return Misfit(
            f"row {empty[0]} says {shown(sketch.cell(empty[0], column))}, and which rows below it are meant is not clear; say it in"
            f' a layout file: groups = {{"{name}" = {{"the row above" = ["the rows below"]}}}}'
        )
    if not found or found[0] == layout.body[0] or name in given.get("exclusive", ()):
        return sketch
    groups: dict[str, list[str]] = {}
    above = ""
    for row in layout.body:
        label = sketch.cell(row, column)
        if row in found and above:
            groups.setdefault(above, []).append(label)
        elif row not in found:
            above = label
    labels = [label for parts in groups.values() for label in parts]
    without = ReadingChoice(
        Reads.WITHOUT_ROWS, (quoted(labels),), {"body": rows_text(tuple(row for row in layout.body if row not in found))}
    )
    axis = layout.variables.index(name)
    if any(says_total(label) or exceeds(sketch.table, axis, label, parts) for label, parts in groups.items()):
        return Misfit(
            f"{quoted(labels)} counts some of another row, but not of {quoted(groups)} just above; leave it out:"
            f' body = "{without.settings["body"]}" in a layout file'
        )
    clues = (Clue(Speaks.SAID, (quoted(labels),)),)
    part = ReadingChoice(Reads.OF_WHICH, (quoted(labels), quoted(groups)), {"groups": {name: groups}}, clues)
    return TableQuestion(sketch.block.grid.source, layout.name, f"variable {name}", (part, without))

