"""Rows that hold for others: headings inside a table, regions with the same labels indented below each, totals of everybody."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from foregone.model.shown import shown
from foregone.rules.rule import CountRange, added
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Layout, Misfit, NotTaken, ReadAs
from foregone.tables.reading.columns import propose
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.reading.sums import TotalsFound, counts_of
from foregone.tables.reading.totals import find_total_labels
from foregone.tables.spans import span_of
from foregone.tables.table import CellPlace, Table, rows_text
from foregone.tables.values import ANY, CellKind, Meaning
from foregone.tables.words import name_by_labels, says_count, says_total

MOST_COMPARED = 3_000  # rows of a table in which repeated ones are looked for
LONGEST = 40  # rows that are repeated together


def totals_of_everybody(sketch: Sketch) -> Sketch | Stop:
    """Rows called a total whose first label is blank, and which are totals of everything: not of the label above.

    A blank label repeats the one above in other rows; here the numbers decide.
    """
    block, layout, meaning = sketch.block, sketch.layout, sketch.meaning
    if "outside" in sketch.given:
        return sketch.with_(outside=tuple(sketch.given["outside"]))
    if len(layout.labels) < 2:
        return sketch
    found: list[int] = list(layout.outside)
    first, last = layout.labels[0], layout.labels[-1]
    for row in (r for r in block.body if r not in found):
        text = block.grid.cell(row, last)
        if block.grid.cell(row, first) or not says_total(text):
            continue
        above = [r for r in block.body if r < row and not says_total(block.grid.cell(r, last))]
        named = [r for r in block.body if r < row and block.grid.cell(r, first)]
        of_last = [r for r in above if named and r >= named[-1]]
        of_one, of_all = _adds_up(block, layout, row, of_last, meaning), _adds_up(block, layout, row, above, meaning)
        if of_all and of_one and above != of_last:
            where, label = block.grid.place(row, last).text, block.grid.cell(named[-1], first)
            choices = (
                ReadingChoice(Reads.OF_SECTION, (f"{shown(text)} ({where})", label), {"outside": ""}),
                ReadingChoice(Reads.OF_EVERYBODY, (), {"outside": str(row)}),
            )
            return TableQuestion(block.grid.source, layout.name, f"row {row}", choices)
        if of_all and not (of_one and above == of_last and len({block.grid.cell(r, first) for r in named}) == 1 and not found):
            found.append(row)
    return sketch.with_(outside=tuple(found))


def _adds_up(block: SheetBlock, layout: Layout, total: int, rows: list[int], meaning: Meaning) -> bool:
    """Can the numbers of some rows add up to those of the total?"""

    def limits(row: int, column: int) -> CountRange:
        value = block.value(row, column)
        if value.kind == CellKind.BLANK:
            return CountRange(0, 0)
        found = meaning.of(value) if value.kind in (CellKind.NUMBER, CellKind.RANGE) else ANY
        return found if isinstance(found, CountRange) else ANY

    return bool(rows) and all(limits(total, c).meets(added(limits(row, c) for row in rows)) for c in layout.numbers)


def headings_inside(block: SheetBlock, layout: Layout) -> tuple[int, ...]:
    """Rows with a label and nothing else, above rows with numbers."""
    if len(layout.labels) != 1:
        return ()
    label = layout.labels[0]
    alone = [r for r in block.body if block.grid.cell(r, label) and all(not block.grid.cell(r, c) for c in block.numbers)]
    return tuple(r for r in alone if r != block.body[-1])


def regions_above(sketch: Sketch) -> tuple[int, ...]:
    """Rows of a table whose labels are repeated: those with a label of its own, each above the same labels once more."""
    layout = sketch.layout
    if len(layout.labels) != 1 or len(layout.body) < 4:
        return ()
    texts = {row: sketch.cell(row, layout.labels[0]) for row in layout.body}
    often: dict[str, int] = {}
    for text in texts.values():
        often[text] = often.get(text, 0) + 1
    own = tuple(row for row in layout.body if often[texts[row]] == 1)
    if not own or own[0] != layout.body[0] or len(own) < 2:
        return ()
    while len(own) > 2 and layout.body.index(own[1]) == layout.body.index(own[0]) + 1:
        own = own[1:]  # a total of everybody above the first
    below = [[texts[r] for r in layout.body if own[i] < r and (i + 1 == len(own) or r < own[i + 1])] for i in range(len(own))]
    return own if all(some and set(some) <= set(below[0]) and len(set(some)) == len(some) for some in below) else ()


def sections(sketch: Sketch) -> Sketch | Stop:
    """Rows that hold for those below become a variable of their own where labels are repeated, or the layout file says so."""
    block, layout = sketch.block, sketch.layout
    found = tuple(sketch.given["sections"]) if "sections" in sketch.given else headings_inside(block, layout)
    if not found and _repeated(sketch.table):
        found = regions_above(sketch)
    if not found or ("sections" not in sketch.given and not _repeated(sketch.table)):
        return sketch
    return _in_sections(sketch, found)


def _in_sections(sketch: Sketch, rows: tuple[int, ...]) -> Sketch | Stop:
    """A table in sections: a total below the last one is of that section, or of all of them."""
    block, layout, given = sketch.block, sketch.layout, sketch.given
    labels = tuple(block.grid.cell(row, layout.labels[0]) for row in rows)
    named = given["rows"][0] if len(given.get("rows", ())) > 1 else ""
    variable = named or name_by_labels(labels) or f"{layout.name} sections"
    counted = any(block.grid.cell(row, c) for row in rows for c in layout.numbers)
    # a heading over both names one of the two; where sections show numbers, sums tell the rest
    unnamed = [] if named else [variable] if counted else [variable, *(name for name in layout.rows if name not in layout.unnamed)]
    sketch = sketch.with_(rows=(variable, *layout.rows), sections=rows, unnamed=(*layout.unnamed, *unnamed))
    last = tuple(r for r in block.body[-1:] if r > rows[-1] and says_total(block.grid.cell(r, layout.labels[0])))
    tried = [tuple(given["outside"])] if "outside" in given else [(), *([last] if last else [])]
    read = [sketch.with_(outside=outside) for outside in tried]
    fitting = [one for one in read if not _repeated(one.table) and not _contradicted(one)]
    if len(fitting) > 1:
        where, sections_text = block.grid.place(last[0], layout.labels[0]).text, rows_text(rows)
        choices = (
            ReadingChoice(Reads.OF_SECTION, (f"the last total ({where})", labels[-1]), {"sections": sections_text, "outside": ""}),
            ReadingChoice(Reads.OF_EVERYBODY, (), {"sections": sections_text, "outside": str(last[0])}),
        )
        return TableQuestion(block.grid.source, layout.name, f"row {last[0]}", choices)
    if fitting:
        return _only_sections(fitting[0], variable).tell(
            ReadAs(f"the labels of rows {rows_text(rows)} hold for the rows below them")
        )
    twice = _repeated(read[0].table)
    return (
        Misfit(f"two cells have the same labels: {twice}; rename one, or leave a row out of body in a layout file")
        if twice
        else read[0]
    )


def _only_sections(sketch: Sketch, variable: str) -> Sketch:
    """The sections that the layout file takes."""
    taken, layout = sketch.given.get("only", {}).get(variable), sketch.layout
    if taken is None:
        return sketch
    rows, inside = list[int](), True
    for row in layout.body:
        inside = sketch.cell(row, layout.labels[0]) in taken if row in layout.sections else inside
        rows += [row] if inside else []
    left = tuple(row for row in layout.body if row not in rows)
    said = NotTaken(f"rows of another section than {quoted(taken)}", "as the layout says", rows=left, verb="are")
    return sketch.with_(body=tuple(rows), sections=tuple(row for row in layout.sections if row in rows)).without(said)


def _contradicted(sketch: Sketch) -> bool:
    """Is a total of a section, or of all of them, not what it would have to be?"""
    table = sketch.table
    return any(not isinstance(find_total_labels(table, axis, sketch.meaning), TotalsFound | TableQuestion) for axis in range(2))


def told_apart(sketch: Sketch) -> Sketch | Stop:
    """Rows with equal labels are told apart by a further column of labels, or are a reason to stop."""
    block, layout = sketch.block, sketch.layout
    while _repeated(sketch.table) and layout.labels and "labels" not in sketch.given:
        after = max(layout.labels) + 1
        words = [c for c in range(after, block.grid.width + 1) if _are_words(sketch, c)]
        if not _may_be_labels(block, after) and not words:
            break
        further = propose(block, layout.name, sketch.given, (*layout.labels, *(words or [after])))
        if not isinstance(further, Layout):
            break
        kept = tuple(some for some in layout.left_out if not set(some.columns) & set(further.labels))
        added = tuple(some for some in further.left_out if some not in kept)
        further = replace(further, left_out=(*kept, *added), outside=layout.outside)
        sketch, layout = replace(sketch, layout=further), further
    if twice := _repeated(sketch.table):
        return Misfit(
            f"two cells have the same labels: {twice}{_gap(sketch.table)}; rename one, leave a row out of body, or name a further"
            " column in labels, in a layout file"
        )
    return sketch


def without_repeats(sketch: Sketch) -> Sketch | Stop:
    """Rows that say the same as those just above, further indented, as a region that is its own only part does, are left out."""
    layout, grid = sketch.layout, sketch.block.grid
    if len(layout.labels) != 1 or len(layout.body) > MOST_COMPARED or "body" in sketch.given:
        return sketch
    column, rows = layout.labels[0], layout.body
    cells = [(grid.cell(row, column), *(grid.cell(row, c) for c in layout.numbers)) for row in rows]
    again: list[int] = []
    i = 1
    while i < len(rows):
        for size in range(1, min(i, len(rows) - i, LONGEST) + 1):
            deeper = grid.indents.get((rows[i], column), 0) > grid.indents.get((rows[i - size], column), 0)
            if deeper and cells[i][0] and cells[i - size : i] == cells[i : i + size]:
                again += rows[i : i + size]
                i += size - 1
                break
        i += 1
    if not again:
        return sketch
    said = NotTaken(f"rows {rows_text(tuple(again))}", "they say the same as the rows above them", rows=tuple(again), verb="are")
    return sketch.with_(body=tuple(row for row in rows if row not in again)).without(said)


def _gap(table: Table) -> str:
    """The one combination of labels that no cell has, in words: a repeated one may stand for it."""
    if len(table.axes) != 2:
        return ""
    first, second = (axis.labels for axis in table.axes)
    missing = [(a, b) for a in first for b in second if (a, b) not in table.by_labels][:2]
    return f" (and none has {missing[0][0]}, {missing[0][1]})" if len(missing) == 1 else ""


def _are_words(sketch: Sketch, column: int) -> bool:
    """Does a column that is no part of the table so far hold words that differ from row to row, and a heading?"""
    block, layout = sketch.block, sketch.layout
    if column in (*block.numbers, *layout.labels) or not any(block.grid.cell(row, column) for row in block.header):
        return False
    cells = [block.grid.cell(row, column) for row in layout.body]
    return all(cells) and 1 < len(set(cells)) <= len(cells) / 2


def _may_be_labels(block: SheetBlock, column: int) -> bool:
    """Codes are repeated from row to row; counts seldom are."""
    if column not in block.numbers or len(block.numbers) < 2:
        return False
    cells = [block.grid.cell(row, column) for row in block.body]
    heads = [block.grid.cell(row, column) for row in block.header]
    return len(set(cells)) <= len(cells) / 2 and not any(says_total(head) or says_count(head) for head in heads if head)


def _repeated(table: Table) -> str:
    """Two cells with the same labels, in words; nothing when all differ."""
    seen: dict[object, CellPlace] = {}
    for entry in table.entries:
        key = (entry.labels, entry.percent)
        if key in seen:
            return f"{seen[key].text} and {entry.place.text}"
        seen[key] = entry.place
    return ""


def several_variables(sketch: Sketch) -> Sketch | Stop:
    """Rows under headings whose numbers add up to the same may count the same people several times, by several variables."""
    block, layout = sketch.block, sketch.layout
    rows = headings_inside(block, layout) if not layout.sections else ()
    if (
        len(rows) < 2
        or "sections" in sketch.given
        or sketch.table.axes[0].totals
        or layout.rows[0] in sketch.given.get("exclusive", ())
    ):
        return sketch
    column, table = layout.labels[0], sketch.table
    below = [[r for r in layout.body if row < r and not any(row < other <= r for other in rows)] for row in rows]
    parts = [[block.grid.cell(r, column) for r in some] for some in below]
    if not all(parts):
        return sketch
    kinds = {name_by_labels(tuple(labels)) or ("spans" if all(map(span_of, labels)) else "") for labels in parts}
    same = True
    for line in table.lines(0):
        cells = [[counts_of(table, line[label], sketch.meaning, False) for label in labels if label in line] for labels in parts]
        sums = [added(cell for cell in some if cell is not None) for some in cells]
        same = same and all(one.meets(other) for one, other in combinations(sums, 2))
    if len(kinds) == 1 and not same:
        return sketch
    heads = [block.grid.cell(row, column) for row in rows]
    clues = (Clue(Speaks.SAME_SUMS, (quoted(parts[0]), quoted(parts[1]))),) if same else ()
    choices = (
        ReadingChoice(Reads.TWO_VARIABLES, (quoted(heads),), {"body": rows_text(tuple(below[0])), "rows": [heads[0]]}, clues),
        ReadingChoice(
            Reads.ONE_VARIABLE,
            (quoted(label for some in parts for label in some),),
            {"sections": "", "exclusive": [layout.rows[0]]},
        ),
    )
    return TableQuestion(
        block.grid.source, layout.name, f"column {block.grid.cell(block.header[-1], column) if block.header else column}", choices
    )
