"""Rows that are indented below another are parts of it, if their numbers add up to it."""

from __future__ import annotations

from foregone.model.alike import folded
from foregone.model.shown import listed, shown
from foregone.tables.blocks import Block
from foregone.tables.layout import Groups, Layout
from foregone.tables.meaning import Meaning
from foregone.tables.outcome import Doubt, Misfit
from foregone.tables.spans import span_of
from foregone.tables.sums import counts_of, misfit
from foregone.tables.table import Table
from foregone.tables.totals import STRONG
from foregone.tables.words import is_common, name_by_labels, names_a_value, says_total

A_TABLE_EACH = "save the rows of each as a file of its own, or give each a [[table]] with its header, body, labels and numbers"


def indented_groups(block: Block, layout: Layout) -> Groups:
    """For each column of labels the rows that have deeper ones below them; spans of numbers say by themselves what they hold."""
    found = []
    for name, column in zip(layout.rows[len(layout.rows) - len(layout.labels) :], layout.labels, strict=True):
        parts: dict[str, list[str]] = {}
        seen: set[str] = set()
        above: list[tuple[int, str]] = []  # the rows that the next one may be below, outermost first
        for row in block.body:
            label, depth = block.grid.cell(row, column), block.grid.indents.get((row, column), 0)
            if not any(block.grid.cell(row, c) for c in (*layout.numbers, *layout.percents)):
                above = []  # a heading over the rows below, not a row that they could be parts of
            elif label and label not in seen and not folded(label).startswith(STRONG):
                seen.add(label)
                above = [(deep, outer) for deep, outer in above if deep < depth]
                if above:
                    parts.setdefault(above[-1][1], []).append(label)
                above.append((depth, label))
        if parts and not all(span_of(label) is not None for label in seen):
            found.append((name, tuple((label, tuple(some)) for label, some in parts.items())))
    return tuple(found)


def check_groups(table: Table, meaning: Meaning) -> Misfit | None:
    """Do the parts of every group add up to it?"""
    for i, axis in enumerate(table.axes):
        for label, parts in axis.groups:
            if why := misfit(table, i, label, parts, meaning):
                return Misfit(
                    f"the rows indented below {shown(label)} do not add up to it; {why}; if they are values like any other, say so"
                    f' in a layout file: groups = {{"{axis.name}" = {{}}}}'
                )
    return None


def two_kinds(table: Table, axis: int) -> Doubt | None:
    """Labels such as Male, Female, 0-17, 18+ without a total of all of them are likely two variables, one below the other."""
    labels = [label for label in table.axes[axis].labels if not says_total(label)]
    name = table.axes[axis].name
    known = [label for label in labels if names_a_value(label)]
    spans = [label for label in labels if span_of(label) is not None]
    rest = [label for label in labels if label not in known and not is_common(label)]
    others = rest if len(known) > 1 else [label for label in rest if label not in spans]
    first = known if len(known) > 1 else spans
    if len(first) < 2 or len(others) < 2 or table.axes[axis].where == "columns" or table.axes[axis].groups:
        return None
    return Doubt(
        f"{listed(map(shown, first))} and {listed(map(shown, others))} are values of two variables that count the same people",
        f"all of them are values of {name}, and everybody has one of them",
        f'totals = {{"{name}" = []}} for one variable; for two, {A_TABLE_EACH}',
    )


def two_variables(block: Block, layout: Layout, sections: tuple[int, ...], table: Table, meaning: Meaning) -> Doubt | None:
    """Rows under two headings whose numbers add up to the same may count the same people twice, by two variables."""
    column, below = layout.labels[0], {row: [r for r in block.body if r > row] for row in sections}
    parts = [
        [block.grid.cell(r, column) for r in rows if not any(row < other <= r for other in sections)] for row, rows in below.items()
    ]
    if len(parts) < 2 or table.axes[0].totals:
        return None
    kinds = {name_by_labels(tuple(labels)) or ("spans" if all(map(span_of, labels)) else "") for labels in parts}
    for line in table.lines(0) if len(kinds) == 1 else ():
        sums = []
        for labels in parts:
            cells = [counts_of(table, line[label], meaning, False) for label in labels if label in line]
            known = [cell for cell in cells if cell is not None]
            open_ = any(cell.high is None for cell in known)
            sums.append((sum(cell.low for cell in known), None if open_ else sum(cell.high or 0 for cell in known)))
        least, highs = max(low for low, _ in sums), [high for _, high in sums if high is not None]
        if highs and least > min(highs):
            return None
    heads = [shown(block.grid.cell(row, column)) for row in sections]
    return Doubt(
        f"{listed(heads)} are values of several variables that count the same people",
        f"all of their rows are values of {layout.rows[0]}",
        f'sections = "" for one variable; for several, {A_TABLE_EACH}',
    )
