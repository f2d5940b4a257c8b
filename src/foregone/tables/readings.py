"""From a block of cells to the one reading that fits its numbers; two that fit are a question to the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

from foregone.formats.beside import OTHER, SAME
from foregone.model.shown import listed, shown
from foregone.rules.rule import CountRange, added
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import (
    Broken,
    Fits,
    Groups,
    Layout,
    Misfit,
    NotTaken,
    Read,
    TwoReadings,
    column_name,
    read_table,
    renamed,
)
from foregone.tables.layout_file import misnamed
from foregone.tables.proposed import propose
from foregone.tables.table import Table, letters
from foregone.tables.totals import (
    check_groups,
    counts_more,
    counts_others,
    find_bases,
    find_total_labels,
    indented_groups,
    two_kinds,
    two_variables,
)
from foregone.tables.values import ANY, CellKind, Meaning
from foregone.tables.words import (
    is_common,
    name_by_labels,
    names_a_value,
    says_code,
    says_count,
    says_measure,
    says_other,
    says_statistic,
    says_total,
    span_of,
)

DATE = re.compile(r"(?i)[0-9]{1,2}[-/ ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
A_FEW = 8  # rows
MOST_TRIED = 500  # sets of columns
MOST_LEFT_OUT = 3  # columns that may have nothing to do with the others


def read_block(block: SheetBlock, name: str, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """The reading of a block of cells, as far as the layout file does not give it."""
    layout = propose(block, name, given)
    if layout is None:
        return Misfit("none of its columns holds counts")
    layout = replace(layout, where=_names(given.get("where", {})))
    if dated := _date_cells(block, layout):
        return Broken(dated)
    if wrong := no_labels(block, layout):
        return wrong
    if "numbers" not in given and (unsure := numbered_labels(block, layout)):
        return unsure
    if "labels" not in given:
        layout = without_codes(block, layout)
    if "body" not in given:
        layout = without_statistics(block, layout)
    of_everybody = tuple(given["outside"]) if "outside" in given else total_rows(block, layout, meaning)
    if isinstance(of_everybody, TwoReadings):
        return of_everybody
    layout = replace(layout, outside=of_everybody)
    sections = given.get("sections", _sections(block, layout))
    if sections and ("sections" in given or _repeated(_table(block, layout))):
        return _in_sections(block, layout, tuple(sections), meaning, given)
    # the same labels in several rows: a further column of labels, in which they are repeated, tells them apart
    table = _table(block, layout)
    while _repeated(table) and _may_be_labels(block, max(layout.labels) + 1):
        further = propose(block, name, given, len(layout.labels) + 1)
        if further is None:
            break
        layout = further
        table = _table(block, layout)
    if twice := _repeated(table):
        return Misfit(f"two cells have the same labels: {twice}")
    if spoilt := _dates(table):
        return Broken(spoilt)
    found = find_totals(block, layout, meaning, given)
    doubt = two_variables(block, layout, sections, found.table, meaning) if sections and isinstance(found, Fits) else None
    return doubt or found


def _groups(given: Mapping[str, Mapping[str, Any]]) -> Groups:
    return tuple((name, _names(groups)) for name, groups in given.items() if groups)


def _may_be_labels(block: SheetBlock, column: int) -> bool:
    """Codes are repeated from row to row; counts seldom are."""
    if column not in block.numbers or len(block.numbers) < 2:
        return False
    cells = [block.grid.cell(row, column) for row in block.body]
    heads = [block.grid.cell(row, column) for row in block.header]
    return len(set(cells)) <= len(cells) / 2 and not any(says_total(head) or says_count(head) for head in heads if head)


def _sections(block: SheetBlock, layout: Layout) -> tuple[int, ...]:
    """Rows with a label and nothing else, above rows with numbers."""
    alone = [
        r for r in block.body if all(not block.grid.cell(r, c) for c in block.numbers) and block.grid.cell(r, layout.labels[0])
    ]
    return tuple(r for r in alone if r != block.body[-1]) if len(layout.labels) == 1 else ()


def _in_sections(block: SheetBlock, layout: Layout, sections: tuple[int, ...], meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """A table in sections: a total below the last one is of that section, or of all of them."""
    labels = tuple(block.grid.cell(row, layout.labels[0]) for row in sections)
    named = given["rows"][0] if len(given.get("rows", ())) > 1 else ""
    variable = named or name_by_labels(labels) or f"{layout.name} sections"
    layout = replace(
        layout, rows=(variable, *layout.rows), sections=sections, unnamed=(*layout.unnamed, *([] if named else [variable]))
    )
    last = tuple(r for r in block.body if r > sections[-1] and says_total(block.grid.cell(r, layout.labels[0])))[-1:]
    tried = [tuple(given["outside"])] if "outside" in given else [(), *([last] if last else [])]
    read: list[Read] = []
    for outside in tried:
        some = replace(layout, outside=outside)
        twice = _repeated(_table(block, some))
        read.append(Misfit(f"two cells have the same labels: {twice}") if twice else find_totals(block, some, meaning, given))
    fitting = [found for found in read if not isinstance(found, Misfit)]
    if len(fitting) > 1:
        where = block.grid.place(last[0], layout.labels[0]).text
        rows = f'sections = "{", ".join(map(str, sections))}" outside = '
        return TwoReadings(f"the last total ({where}) is of {labels[-1]}", "it is of everybody", f'{rows}"" or {rows}"{last[0]}"')
    return fitting[0] if fitting else read[0]


def find_totals(block: SheetBlock, layout: Layout, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """Which labels are made of others, and which mean everybody: indentation and words suggest it, the numbers decide."""
    if wrong_name := misnamed(_table(block, layout), given, layout, {text for row in block.grid.rows for text in row}):
        return Broken(wrong_name)
    layout = replace(layout, groups=_groups(given["groups"]) if "groups" in given else indented_groups(block, layout))
    if wrong := check_groups(_table(block, layout), meaning):
        return wrong
    for axis, name in enumerate(layout.variables):
        if name in given.get("totals", {}):
            totals = tuple(given["totals"][name])
            more = counts_more(_table(block, layout), axis, totals, meaning)
            layout = replace(layout, totals=(*layout.totals, (name, totals)), open=(*layout.open, *([name] if more else [])))
            continue
        table = _table(block, layout)
        judged = find_total_labels(table, axis, meaning)
        if isinstance(judged, Misfit) and axis >= len(layout.rows):
            left = _left_out(block, layout, axis, meaning)
            if isinstance(left, TwoReadings):
                return left
            if left is not None:
                layout = left
                judged = find_total_labels(_table(block, layout), axis, meaning)
        headed = "sections" in given or _sections(block, layout)  # such tables are looked at by their headings
        if (not judged or not isinstance(judged, tuple)) and not headed and (mixed := two_kinds(table, axis)):
            return mixed
        if isinstance(judged, Misfit) and axis >= len(layout.rows) and (whole := counts_others(_table(block, layout), axis)):
            said = NotTaken(f"{whole} counts others, too")
            judged, layout = (whole,), replace(layout, open=(*layout.open, name), left_out=(*layout.left_out, said))
        if not isinstance(judged, tuple):
            return judged
        if judged:
            layout = replace(layout, totals=(*layout.totals, (name, judged)))
    layout = _named_by_labels(layout, _table(block, layout))
    return find_bases(layout, _table(block, layout), meaning, given)


def _named_by_labels(layout: Layout, table: Table) -> Layout:
    """Once totals and other columns are gone, labels may tell what a variable without a name is."""
    names = {}
    for axis in table.axes:
        better = "" if axis.named else name_by_labels(axis.labels)
        names[axis.name] = better if better and better not in layout.variables else axis.name
    return renamed(layout, names)


def _left_out(block: SheetBlock, layout: Layout, axis: int, meaning: Meaning) -> Layout | TwoReadings | None:
    """The fewest columns without which totals add up; None when there are none, or too few numbers to tell."""
    if len(layout.body) < 2:
        return None
    few = layout.body[:: max(1, len(layout.body) // A_FEW)]  # most choices fail on a few rows already

    def fits(tried: Layout) -> bool:
        judged = find_total_labels(_table(block, tried), axis, meaning) if len(tried.numbers) > 1 else ()
        # what is left must still have a total that adds up: leaving out the total itself proves nothing
        return isinstance(judged, tuple) and any(says_total(label) for label in judged)

    for size in range(1, MOST_LEFT_OUT + 1):
        if comb(len(layout.numbers), size) > MOST_TRIED:
            return None
        fitting = []
        for columns in combinations(layout.numbers, size):
            tried = replace(layout, numbers=tuple(c for c in layout.numbers if c not in columns))
            if fits(replace(tried, body=few)) and fits(tried):
                fitting.append((columns, tried))
        if len(fitting) > 1:
            one, other = (" and ".join(column_name(block.grid, layout, c) for c in columns) for columns, _ in fitting[:2])
            return TwoReadings(
                f"{one} is not part of the total", f"{other} is not part of the total", "numbers = [...], the columns to take"
            )
        if fitting:
            columns, tried = fitting[0]
            why = "it is no part of the total"
            said = [NotTaken(column_name(block.grid, layout, c), why, columns=(c,)) for c in columns]
            return replace(tried, left_out=(*layout.left_out, *said))
    return None


def _table(block: SheetBlock, layout: Layout) -> Table:
    return read_table(block.grid, layout, block.title, block.footnotes, block.dotted)


def _repeated(table: Table) -> str:
    """Two cells with the same labels, in words; nothing when all differ."""
    seen: dict[object, str] = {}
    for entry in table.entries:
        key = (entry.labels, entry.percent)
        if key in seen:
            return f"{seen[key]} and {entry.place.text}"
        seen[key] = entry.place.text
    return ""


def _date_cells(block: SheetBlock, layout: Layout) -> str:
    """A heading, label or number that the spreadsheet holds as a date; dates elsewhere on the sheet do no harm."""
    columns = (*layout.labels, *layout.numbers, *layout.percents)
    used = [(row, column) for row in (*block.header, *block.body) for column in columns if (row, column) in block.grid.dates]
    if not used:
        return ""
    more = f" (and {len(used) - 1} more)" if len(used) > 1 else ""
    return (
        f"{block.grid.place(*used[0]).text}: a date, {block.grid.cell(*used[0])}{more}; a spreadsheet makes dates of labels such as"
        " 5-9: format the cell as text and type the label again, a date as well"
    )


def _dates(table: Table) -> str:
    """Labels such as 5-9 that a spreadsheet took for dates."""
    for i, axis in enumerate(table.axes):
        dated = [label for label in axis.labels if DATE.fullmatch(label)]
        if dated and any(span_of(label) is not None for label in axis.labels):
            place = next(entry.place for entry in table.entries if entry.labels[i] == dated[0])
            where = f"row {place.row}" if axis.where == "rows" else f"column {letters(place.column)}"
            return (
                f"{table.source}, {where}: the label {shown(dated[0])} is a date that a spreadsheet made of a group such"
                " as 5-9; type it again as text"
            )
    return ""


def _names(given: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, (codes,) if isinstance(codes, str) else tuple(codes)) for name, codes in given.items())


CODE = re.compile(r"[A-Za-z]{0,4}[-_]?[0-9]{2,12}")


def without_statistics(block: SheetBlock, layout: Layout) -> Layout:
    """Rows below the counts that hold a mean, a rate or percentages are left out, which is said."""
    other = [r for r in layout.body if says_statistic(block.grid.cell(r, layout.labels[-1]))]
    if not other or len(other) == len(layout.body):
        return layout
    names = {r: f"row {r} ({block.grid.cell(r, layout.labels[-1])})" for r in other}
    said = [NotTaken(name, "it does not count records", rows=(r,)) for r, name in names.items()]
    return replace(layout, body=tuple(r for r in layout.body if r not in other), left_out=(*layout.left_out, *said))


def without_codes(block: SheetBlock, layout: Layout) -> Layout:
    """A column of codes that names the same as a column of words beside it says nothing more, and is left out."""
    for column in layout.labels if len(layout.labels) > 1 else ():
        for other in layout.labels:
            if column != other and _is_code(block, column) and not _is_code(block, other) and _names_the_same(block, column, other):
                at = layout.labels.index(column)
                name = column_name(block.grid, layout, column)
                heads = [text for row in block.header if (text := block.grid.cell(row, column))]
                measured = any(says_other(head) and not says_code(head) for head in heads)  # a rate can differ from row to row, too
                why = OTHER if measured else f"{SAME} {column_name(block.grid, layout, other)}"
                said = NotTaken(name, why, columns=(column,))
                return without_codes(
                    block,
                    replace(
                        layout,
                        labels=(*layout.labels[:at], *layout.labels[at + 1 :]),
                        rows=(*layout.rows[:at], *layout.rows[at + 1 :]),
                        left_out=(*layout.left_out, said),
                    ),
                )
    return layout


def _is_code(block: SheetBlock, column: int) -> bool:
    heads = [block.grid.cell(row, column) for row in block.header]
    cells = [text for row in block.body if (text := block.grid.cell(row, column))]
    return any(says_other(head) for head in heads if head) or (bool(cells) and all(CODE.fullmatch(text) for text in cells))


def _names_the_same(block: SheetBlock, one: int, other: int) -> bool:
    """Does each label of one column always stand beside the same label of the other?"""
    pairs = {(block.grid.cell(r, one), block.grid.cell(r, other)) for r in block.body}
    both = [(a, b) for a, b in pairs if a and b]
    return len(both) > 1 and len({a for a, _ in both}) == len({b for _, b in both}) == len(both)


def no_labels(block: SheetBlock, layout: Layout) -> Misfit | Broken | None:
    """Numbers under a heading such as Male are no labels; and what is measured is no variable of people."""
    for name, column in zip(layout.rows, layout.labels, strict=True):
        values = [block.value(row, column) for row in block.body]
        words = list(dict.fromkeys(value.text for value in values if value.text))
        if says_measure(name) and len(words) > 1:
            return Broken(
                f"{block.grid.source}: {column_name(block.grid, layout, column)} has several measures ({listed(words)}), and only"
                " counts can be read; keep the rows with counts"
            )
        counted = all(value.kind in (CellKind.NUMBER, CellKind.MARKED) for value in values)
        if counted and (names_a_value(name) or says_total(name)):
            return Misfit(f"{column_name(block.grid, layout, column)} holds numbers and would have to hold labels of rows")
    return None


def numbered_labels(block: SheetBlock, layout: Layout) -> TwoReadings | None:
    """Numbers left of Male and Female, under a heading such as Ward, may be labels: nothing else on the sheet tells."""
    heads = {c: block.grid.cell(block.header[-1], c) for c in layout.numbers}
    first, *rest = layout.numbers or (0,)
    if sum(names_a_value(heads[c]) for c in rest) < 2 or any(map(says_total, heads.values())):
        return None
    if not heads[first] or names_a_value(heads[first]) or says_count(heads[first]) or is_common(heads[first]):
        return None
    labels, numbers = (", ".join(f'"{letters(c)}"' for c in some) for some in ((*layout.labels, first), rest))
    every = ", ".join(f'"{letters(c)}"' for c in layout.numbers)
    return TwoReadings(
        f"{column_name(block.grid, layout, first)} holds labels",
        "it counts people as the columns beside it do",
        f"labels = [{labels}] numbers = [{numbers}] or numbers = [{every}]",
    )


def total_rows(block: SheetBlock, layout: Layout, meaning: Meaning) -> tuple[int, ...] | TwoReadings:
    """Rows called a total whose first label is blank, and which are totals of everything: not of the label above.

    A blank label repeats the one above in other rows; here the numbers decide.
    """
    found: list[int] = []
    first, last = layout.labels[0], layout.labels[-1]
    for row in block.body if first != last else ():
        text = block.grid.cell(row, last)
        if block.grid.cell(row, first) or not says_total(text):
            continue
        above = [r for r in block.body if r < row and not says_total(block.grid.cell(r, last))]
        named = [r for r in block.body if r < row and block.grid.cell(r, first)]
        of_last = [r for r in above if named and r >= named[-1]]
        of_one, of_all = _adds_up(block, layout, row, of_last, meaning), _adds_up(block, layout, row, above, meaning)
        if of_all and of_one and above != of_last:
            where, label = block.grid.place(row, last).text, block.grid.cell(named[-1], first)
            return TwoReadings(f"{shown(text)} ({where}) is of {label}", "it is of everybody", f'outside = "" or outside = "{row}"')
        if of_all and not (of_one and above == of_last and len({block.grid.cell(r, first) for r in named}) == 1 and not found):
            found.append(row)
    return tuple(found)


def _adds_up(block: SheetBlock, layout: Layout, total: int, rows: list[int], meaning: Meaning) -> bool:
    """Can the numbers of some rows add up to those of the total?"""

    def limits(row: int, column: int) -> CountRange:
        value = block.value(row, column)
        if value.kind == CellKind.BLANK:
            return CountRange(0, 0)
        found = meaning.of(value) if value.kind in (CellKind.NUMBER, CellKind.RANGE) else ANY
        return found if isinstance(found, CountRange) else ANY

    return bool(rows) and all(limits(total, c).meets(added(limits(row, c) for row in rows)) for c in layout.numbers)
