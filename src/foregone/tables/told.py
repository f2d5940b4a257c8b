"""How tables were read, in words: a sentence for each, how many records they count, and every row and column."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.model.sentences import plural
from foregone.model.shown import listed
from foregone.rules.rule import CountRange, added
from foregone.tables.blocks import SheetBlock, Unread
from foregone.tables.layout import Fits, column_name
from foregone.tables.reading.dates import AGAIN
from foregone.tables.reading.sentences import clue_text
from foregone.tables.reading.sums import everybody
from foregone.tables.table import Grid, Table, letters, rows_text
from foregone.tables.values import Meaning


def table_sentence(table: Table, names: list[str], numbers: int, hidden: int) -> str:
    """`t1: Age group in rows x Male/Female in columns, total row and column, 18 numbers, 3 of them hidden`."""
    by = " x ".join(_axis_words(table, i, name) for i, name in enumerate(names)) or "one number"
    places = [place for place in ("row", "column") if any(axis.totals and axis.where == f"{place}s" for axis in table.axes)]
    totals = f", total {' and '.join(places)}" if places and table.kind in ("cross-tab", "list") else ", totals" if places else ""
    kind = {"cross-tab": "", "list": "list of "}.get(table.kind, f"{table.kind}, ")
    parts = [f"{table.name}: {kind}{by}{totals}, {numbers} {plural('number', numbers)}"]
    parts += [f"{hidden} of them hidden"] if hidden else []
    text = ", ".join(parts) + "."
    if table.unit > 1:
        text += f" Numbers are in units of {table.unit:,} and rounded, so each stands for a range."
    percents = [entry for entry in table.entries if entry.base is not None]
    if percents:
        kept = [name for i, name in enumerate(names) if any(entry.base and entry.base[i] is not None for entry in percents)]
        text += f" Percentages are of the total{' for each ' + ' and '.join(kept) if kept else ''}."
    grouped = [label for axis in table.axes for label, _ in axis.groups]
    if grouped and table.kind in ("cross-tab", "list"):
        verb, which = ("is", "it") if len(grouped) == 1 else ("are", "them")
        text += f" {listed(grouped)} {verb} made of the rows below {which}."
    if table.where:
        text += f" Only {', '.join(f'{name} {listed(codes)}' for name, codes in table.where)}, as the layout says."
    rest = [*([table.note] if table.note else []), *table.left_out]
    return text + (f" ({'; '.join(rest)})" if rest else "")


def _axis_words(table: Table, index: int, name: str) -> str:
    axis = table.axes[index]
    place = f" in {axis.where}" if table.kind == "cross-tab" else ""
    values = "/".join(axis.labels[:4]) + ("/..." if len(axis.labels) > 4 else "")
    if not axis.named:
        return f"{values}{place} (not named in the file; called {name})"
    taken = "" if name == axis.name else f" (read as {name})"
    return f"{axis.name}{place}{taken}" if axis.where == "rows" else f"{axis.name} ({values}){place}{taken}"


def left_out_sentences(grid: Grid, unread: Sequence[Unread]) -> list[str]:
    """What was found on a sheet and is no table, a sentence for each reason."""
    by_reason: dict[str, list[Unread]] = {}
    for some in unread:
        by_reason.setdefault(some.why, []).append(some)
    return [
        f"{grid.source}, rows {listed(f'{some.first} to {some.last}' for some in alike)} are left out: {why}."
        for why, alike in by_reason.items()
    ]


def records_text(tables: Sequence[Table], meaning: Meaning, noun: str) -> str:
    """How many records the tables count, as far as they were understood: `together 38 patients`."""
    counted = [(everybody(table, meaning), table) for table in tables if any(not entry.percent for entry in table.entries)]
    if not counted:
        return ""
    counted += _added_apart(counted)
    most, table = max(counted, key=lambda pair: pair[0].low)
    number = (
        f"{most.low:,}"
        if most.low == most.high
        else f"{most.low:,} or more"
        if most.high is None
        else f"{most.low:,} to {most.high:,}"
    )
    again = [name for name, said in table.dates if said == AGAIN]
    each = f", the same ones counted again for each {' and '.join(again)}" if again else ""
    return f"{number} {plural(noun, most.low)}{each}"


def _added_apart(counted: Sequence[tuple[CountRange, Table]]) -> list[tuple[CountRange, Table]]:
    """Tables that are each about one value of a variable count together what their values do."""
    alike: dict[tuple[str, ...], dict[tuple[str, ...], tuple[CountRange, Table]]] = {}
    for counts, table in counted:
        only = [axis for axis in table.axes if len(axis.labels) == 1]
        single = tuple(axis.labels[0] for axis in only)
        known = alike.setdefault(tuple(axis.name if axis.named else axis.where for axis in only), {})
        if single not in known or known[single][0].low < counts.low:
            known[single] = counts, table
    sets = [list(some.values()) for some in alike.values() if len(some) > 1]
    return [(added(counts for counts, _ in some), some[0][1]) for some in sets]


def rows_of(unread: Unread) -> str:
    return f"row {unread.first}" if unread.first == unread.last else f"rows {unread.first} to {unread.last}"


def explained(fits: Fits, grid: Grid) -> list[str]:
    """How a table on a sheet was read, row by row and column by column, and what says so."""
    layout = fits.layout

    def columns(some: Sequence[int]) -> str:
        return ", ".join(column_name(grid, layout, c).removeprefix("column ") for c in some)

    lines = [f"{layout.name} ({grid.source})"]
    lines += [f"  rows {rows_text(layout.header)}: headings"] if layout.header else []
    lines += [f"  rows {rows_text(layout.body)}: numbers"]
    lines += [f"  columns {columns(layout.labels)}: labels of {', '.join(layout.rows)}"] if layout.labels else []
    lines += [f"  columns {columns(layout.numbers)}: counts"]
    lines += [f"  columns {columns(layout.percents)}: percentages"] if layout.percents else []
    lines += [f"  {some.text}" for some in layout.left_out]
    for told in fits.told:
        lines.append(f"  {told.what}" + (f": {'; '.join(map(clue_text, told.clues))}" if told.clues else ""))
    return lines


def before_answer(block: SheetBlock, name: str) -> list[str]:
    """How the rows and columns of a table were taken about which something is still to be asked."""
    grid, heads = block.grid, block.header

    def columns(some: Sequence[int]) -> str:
        said = [" ".join(filter(None, (grid.cell(row, c) for row in heads))) for c in some]
        return ", ".join(f"{letters(c)} ({text})" if text else letters(c) for c, text in zip(some, said, strict=True))

    lines = [f"{name} ({grid.source}), as far as it is clear"]
    lines += [f"  rows {rows_text(heads)}: headings"] if heads else []
    lines += [f"  rows {rows_text(block.body)}: numbers"]
    lines += [f"  columns {columns(block.labels)}: labels"] if block.labels else []
    return [*lines, f"  columns {columns(block.numbers)}: numbers"]
