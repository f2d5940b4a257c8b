"""Which columns name the rows: codes beside words, values that are the same in every row, numbers that may be labels."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from foregone.formats.beside import OTHER, SAME
from foregone.model.alike import DASHES
from foregone.model.shown import listed, shown
from foregone.tables.block_columns import is_time_column
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Broken, Misfit, NotTaken, column_name
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.spans import is_moment, span_of
from foregone.tables.table import letters
from foregone.tables.values import CellKind, value_of
from foregone.tables.words import (
    is_common,
    names_a_value,
    says_code,
    says_count,
    says_measure,
    says_other,
    says_statistic,
    says_total,
)

CODE = re.compile(r"[A-Za-z]{0,4}[-_]?[0-9]{2,12}")
DATE = re.compile(r"(?i)[0-9]{1,2}[-/ ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")


def no_spoilt_dates(sketch: Sketch) -> Sketch | Stop:
    """Dates beside labels such as 10-14 are what a spreadsheet made of 5-9; dates among dates are labels."""
    block = sketch.block
    columns = (*sketch.layout.labels, *sketch.layout.numbers, *sketch.layout.percents)
    for column in columns:
        cells = [(row, column) for row in (*block.header, *block.body)]
        dated = [at for at in cells if at in block.grid.dates]
        below = [text for row in block.body if (text := block.grid.cell(row, column)) and (row, column) not in block.grid.dates]
        if dated and (
            column not in sketch.layout.labels or any(span_of(text) is not None and not is_moment(text) for text in below)
        ):
            if all(row in block.header and _dates_beside(sketch, row) for row, _ in dated):
                continue  # a date among dates as headings
            more = f" (and {len(dated) - 1} more)" if len(dated) > 1 else ""
            return Broken(
                f"{block.grid.place(*dated[0]).text}: a date, {block.grid.cell(*dated[0])}{more}; a spreadsheet makes dates of"
                " labels such as 5-9: format the cell as text and type the label again, a date as well"
            )
    return sketch


def _dates_beside(sketch: Sketch, row: int) -> bool:
    """Are most headings of a row dates?"""
    numbers = sketch.layout.numbers
    return len(numbers) > 1 and sum(1 for c in numbers if (row, c) in sketch.block.grid.dates) > len(numbers) / 2


def no_spoilt_labels(sketch: Sketch) -> Sketch | Stop:
    """Labels such as 5-9 that a spreadsheet took for dates, in a text file."""
    for i, axis in enumerate(sketch.table.axes):
        dated = [label for label in axis.labels if DATE.fullmatch(label)]
        if dated and any(span_of(label) is not None and not is_moment(label) for label in axis.labels):
            place = next(entry.place for entry in sketch.table.entries if entry.labels[i] == dated[0])
            where = f"row {place.row}" if axis.where == "rows" else f"column {letters(place.column)}"
            return Broken(
                f"{sketch.table.source}, {where}: the label {shown(dated[0])} is a date that a spreadsheet made of a group such"
                " as 5-9; type it again as text"
            )
    return sketch


def labels_that_count(sketch: Sketch) -> Sketch | Stop:
    """Numbers under a heading such as Male are no labels; and what is measured is no variable of people."""
    block, layout = sketch.block, sketch.layout
    for name, column in zip(layout.rows, layout.labels, strict=True):
        values = [block.value(row, column) for row in block.body]
        words = list(dict.fromkeys(value.text for value in values if value.text))
        if says_measure(name) and len(words) > 1 and name not in sketch.given.get("only", {}) and "exclusive" not in sketch.given:
            first = ReadingChoice(
                Reads.ONE_MEASURE,
                (shown(words[0]), f" (or another: {listed(map(shown, words[1:]))})"),
                {"only": {name: [words[0]]}},
            )
            return TableQuestion(
                block.grid.source,
                layout.name,
                column_name(block.grid, layout, column),
                (first, ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True})),
            )
        counted = all(value.kind in (CellKind.NUMBER, CellKind.MARKED) for value in values)
        if counted and (names_a_value(name) or says_total(name)):
            return Misfit(f"{column_name(block.grid, layout, column)} holds numbers and would have to hold labels of rows")
    return sketch


def numbered_labels(sketch: Sketch) -> Sketch | Stop:
    """Numbers left of Male and Female, under a heading such as Ward, may be labels: nothing else on the sheet tells."""
    block, layout = sketch.block, sketch.layout
    if "numbers" in sketch.given or not layout.numbers or not block.header:
        return sketch
    heads = {c: block.grid.cell(block.header[-1], c) for c in layout.numbers}
    first, *rest = layout.numbers
    if sum(names_a_value(heads[c]) for c in rest) < 2 or any(map(says_total, heads.values())):
        return sketch
    if not heads[first] or names_a_value(heads[first]) or says_count(heads[first]) or is_common(heads[first]):
        return sketch
    labels, numbers, every = ([letters(c) for c in some] for some in ((*layout.labels, first), rest, layout.numbers))
    named = column_name(block.grid, layout, first)
    choices = (
        ReadingChoice(Reads.LABELS, (named,), {"labels": labels, "numbers": numbers}),
        ReadingChoice(Reads.COUNTS, (), {"numbers": every, "exclusive": [layout.levels[-1][1]] if layout.levels else []}),
    )
    return TableQuestion(block.grid.source, layout.name, named, choices)


def without_statistics(sketch: Sketch) -> Sketch | Stop:
    """Rows below the counts that hold a mean, a rate or percentages are left out, which is said."""
    layout = sketch.layout
    if "body" in sketch.given or not layout.labels:
        return sketch
    other = [r for r in layout.body if says_statistic(sketch.cell(r, layout.labels[-1]))]
    if not other or len(other) == len(layout.body):
        return sketch
    names = {r: f"row {r} ({sketch.cell(r, layout.labels[-1])})" for r in other}
    said = [NotTaken(name, "it does not count records", rows=(r,)) for r, name in names.items()]
    return sketch.with_(body=tuple(r for r in layout.body if r not in other)).without(*said)


def without_codes(sketch: Sketch) -> Sketch | Stop:
    """A column that names the same as another one in every row says nothing more, and is left out: codes beside words first."""
    block, layout = sketch.block, sketch.layout
    if "labels" in sketch.given or len(layout.labels) < 2:
        return sketch
    ordered = sorted(layout.labels, key=lambda c: not _is_code(block, c))
    for column in ordered:
        for other in reversed(ordered):
            if column != other and _says_more(block, other, column) and _names_the_same(block, column, other):
                heads = [text for row in block.header if (text := block.grid.cell(row, column))]
                measured = any(says_other(head) and not says_code(head) for head in heads)  # a rate can differ from row to row, too
                why = OTHER if measured else f"{SAME} {column_name(block.grid, layout, other)}"
                return without_codes(_without_label(sketch, column, why))
    return sketch


def without_constants(sketch: Sketch) -> Sketch | Stop:
    """A column of labels that says the same in every row tells nothing, and is left out."""
    layout = sketch.layout
    if "labels" in sketch.given or len(layout.labels) < 2 or len(layout.body) < 3:
        return sketch
    named = {name for key in ("only", "exclusive", "totals", "groups", "dates") for name in sketch.given.get(key, ())}
    for name, column in zip(layout.rows, layout.labels, strict=True):
        values = {sketch.cell(row, column) for row in layout.body}
        if len(values) == 1 and name not in named and (value := values.pop()):
            return without_constants(_without_label(sketch, column, f"it is {shown(value)} in every row"))
    return _named_on_the_left(sketch, named)


def named_rows(sketch: Sketch) -> Sketch | Stop:
    """Coordinates and other numbers that are not whole name no row: what does stands elsewhere, or nowhere."""
    block, layout = sketch.block, sketch.layout
    if "labels" in sketch.given or not layout.labels or len(layout.body) < 2:
        return sketch
    for column in layout.labels:
        texts = [text.lstrip(DASHES) for row in layout.body if (text := sketch.cell(row, column))]
        decimals = [text for text in texts if value_of(text).kind == CellKind.DECIMAL]
        if len(decimals) <= len(texts) / 2:
            return sketch
    first, such = column_name(block.grid, layout, layout.labels[0]), sketch.cell(layout.body[-1], layout.labels[0])
    return Misfit(
        f"its rows have no names: {first} holds numbers that are not whole, such as {shown(such)};"
        " put a column of names beside its numbers, or describe the table with labels and numbers in a layout file"
    )


def without_coarser_times(sketch: Sketch) -> Sketch | Stop:
    """Year and week beside a date say nothing more than the date: of several times that of which the others follow is kept."""
    block, layout = sketch.block, sketch.layout
    named = {name for key in ("only", "exclusive", "totals", "groups", "dates") for name in sketch.given.get(key, ())}
    times = [c for c in layout.labels if is_time_column(block.grid, block.header, layout.body, c)]
    if "labels" in sketch.given or len(times) < 2 or any(layout.rows[layout.labels.index(c)] in named for c in times):
        return sketch
    values = {c: [sketch.cell(row, c) for row in layout.body] for c in times}
    finest = max(times, key=lambda c: len(set(values[c])))
    for column in times:
        if column != finest and len(set(zip(values[finest], values[column], strict=True))) == len(set(values[finest])):
            why = f"it follows from {column_name(block.grid, layout, finest)}"
            return without_coarser_times(_without_label(sketch, column, why))
    return sketch


def _named_on_the_left(sketch: Sketch, said: Collection[str]) -> Sketch:
    """A first column without a heading that holds one text, and perhaps a word for totals, names the variable beside it."""
    layout = sketch.layout
    if len(layout.labels) != 2 or not set(layout.rows) <= set(layout.unnamed) or set(layout.rows) & set(said):
        return sketch
    texts = {row: text for row in layout.body if (text := sketch.cell(row, layout.labels[0]))}
    values = {text for text in texts.values() if not says_total(text)}
    totals = [row for row, text in texts.items() if says_total(text)]
    if len(values) != 1 or layout.body[0] not in texts or any(sketch.cell(row, layout.labels[1]) for row in totals):
        return sketch
    name = values.pop()
    made = _without_label(sketch, layout.labels[0], "it names the column beside it")
    unnamed = tuple(some for some in layout.unnamed if some not in layout.rows)
    return made.with_(rows=(name,), unnamed=unnamed, outside=tuple(dict.fromkeys((*layout.outside, *totals))))


def _without_label(sketch: Sketch, column: int, why: str) -> Sketch:
    layout = sketch.layout
    at = layout.labels.index(column)
    said = NotTaken(column_name(sketch.block.grid, layout, column), why, columns=(column,))
    return replace(
        sketch,
        layout=replace(
            layout,
            labels=(*layout.labels[:at], *layout.labels[at + 1 :]),
            rows=(*layout.rows[:at], *layout.rows[at + 1 :]),
            left_out=(*layout.left_out, said),
        ),
    )


def _is_code(block: SheetBlock, column: int) -> bool:
    heads = [block.grid.cell(row, column) for row in block.header]
    cells = [text for row in block.body if (text := block.grid.cell(row, column))]
    return any(says_other(head) or says_code(head) for head in heads if head) or (
        bool(cells) and all(CODE.fullmatch(text) or (" " not in text and len(re.findall("[0-9]", text)) > 3) for text in cells)
    )


def _says_more(block: SheetBlock, one: int, other: int) -> bool:
    """Does one column say in words what another one says in codes? Of two that say the same word by word the first is kept.

    Two columns of words may go together by accident, as Male with Yes and Female with No in two rows.
    """
    if _is_code(block, other) and not _is_code(block, one):
        return True
    pairs = {(block.grid.cell(r, one), block.grid.cell(r, other)) for r in block.body}
    if all(a == b for a, b in pairs):
        return one < other
    if len(pairs) < 3 and len(block.body) < 2 * len(pairs):
        return False
    short = all(" " not in b and len(b) <= len(a) and (b.isupper() or any(map(str.isdigit, b)) or not b) for a, b in pairs)
    return short and abs(one - other) == 1 and not (_is_code(block, one) and not _is_code(block, other))


def marked_totals(sketch: Sketch) -> Sketch | Stop:
    """A column that holds nothing but a word for totals in some rows marks them: labels that are blank there mean everybody."""
    layout = sketch.layout
    if "labels" in sketch.given or len(layout.labels) < 2:
        return sketch
    for column in layout.labels:
        texts = {row: text for row in layout.body if (text := sketch.cell(row, column))}
        if texts and len(texts) < len(layout.body) and all(map(says_total, texts.values())):
            others = [c for c in layout.labels if c != column]
            if all(any(not sketch.cell(row, c) for c in others) for row in texts):
                said = _without_label(sketch, column, "it marks totals")
                return said.with_(outside=tuple(dict.fromkeys((*said.layout.outside, *texts))))
    return sketch


def _names_the_same(block: SheetBlock, one: int, other: int) -> bool:
    """Does each label of one column always stand beside the same label of the other?"""
    pairs = {(block.grid.cell(r, one), block.grid.cell(r, other)) for r in block.body}
    both = [(a, b) for a, b in pairs if a and b]
    return len(both) > 1 and len({a for a, _ in both}) == len({b for _, b in both}) == len(both)


def only_rows(sketch: Sketch) -> Sketch | Stop:
    """Rows with other labels than those that the layout file takes are left out."""
    layout, taken = sketch.layout, sketch.given.get("only", {})
    for name, column in zip(layout.rows, layout.labels, strict=True):
        if name in taken:
            # a row without numbers may be a heading over others
            counted = [r for r in layout.body if any(sketch.cell(r, c) for c in (*layout.numbers, *layout.percents))]
            rows = tuple(r for r in counted if sketch.cell(r, column) not in taken[name])
            said = NotTaken(
                f"rows with another {name}", f"as the layout takes {listed(map(shown, taken[name]))}", rows=rows, verb="are"
            )
            sketch = sketch.with_(body=tuple(r for r in layout.body if r not in rows)).without(*([said] if rows else []))
            if not sketch.layout.body:
                return Broken(
                    f"layout, table {layout.name}, only: no row has {name} {listed(map(shown, taken[name]))};"
                    " name one that a row has"
                )
            layout = sketch.layout
    return sketch
