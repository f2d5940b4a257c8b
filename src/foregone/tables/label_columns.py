"""Columns of labels that need a second look: codes beside names, totals whose first label is blank, numbers that are no labels."""

from __future__ import annotations

import re
from dataclasses import replace

from foregone.formats.beside import OTHER, SAME
from foregone.model.shown import listed, shown
from foregone.rules.rule import CountRange
from foregone.tables.blocks import SheetBlock
from foregone.tables.grid import letters
from foregone.tables.layout import Broken, Layout, Misfit, NotTaken, TwoReadings, column_name
from foregone.tables.values import CellKind, Meaning
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
            if column != other and _is_code(block, column) and not _is_code(block, other) and _same(block, column, other):
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


def _same(block: SheetBlock, one: int, other: int) -> bool:
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
    for column in layout.numbers:
        whole = _limits(block, total, column, meaning)
        parts = [_limits(block, row, column, meaning) for row in rows]
        low = sum(part[0] for part in parts)
        highs = [part[1] for part in parts]
        high = None if None in highs else sum(number for number in highs if number is not None)
        if (whole[1] is not None and low > whole[1]) or (high is not None and high < whole[0]):
            return False
    return bool(rows)


def _limits(block: SheetBlock, row: int, column: int, meaning: Meaning) -> tuple[int, int | None]:
    value = block.value(row, column)
    found = meaning.of(value) if value.kind in (CellKind.NUMBER, CellKind.RANGE) else None
    if value.kind == CellKind.BLANK:
        return 0, 0
    return (found.low, found.high) if isinstance(found, CountRange) else (0, None)
