"""What was read, said in a sentence for each table."""

from __future__ import annotations

from foregone.model.sentences import plural
from foregone.model.shown import listed
from foregone.tables.grid import Grid
from foregone.tables.table import Table


def table_sentence(table: Table, names: list[str], numbers: int, hidden: int) -> str:
    """`t1: Age group in rows x Male/Female in columns, total row and column, 18 numbers, 3 of them hidden`."""
    by = " x ".join(_axis(table, i, name) for i, name in enumerate(names)) or "one number"
    places = [place for place in ("row", "column") if any(axis.totals and axis.where == f"{place}s" for axis in table.axes)]
    totals = f", total {' and '.join(places)}" if places and table.kind in ("cross-tab", "list") else ", totals" if places else ""
    parts = [f"{table.name}: {_kind(table)}{by}{totals}, {numbers} {plural('number', numbers)}"]
    parts += [f"{hidden} of them hidden"] if hidden else []
    text = ", ".join(parts) + "."
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


def _kind(table: Table) -> str:
    return {"cross-tab": "", "list": "list of "}.get(table.kind, f"{table.kind}, ")


def _axis(table: Table, index: int, name: str) -> str:
    axis = table.axes[index]
    place = f" in {axis.where}" if table.kind == "cross-tab" else ""
    values = "/".join(axis.labels[:4]) + ("/..." if len(axis.labels) > 4 else "")
    if not axis.named:
        return f"{values}{place} (not named in the file; called {name})"
    taken = "" if name == axis.name else f" (read as {name})"
    return f"{axis.name}{place}{taken}" if axis.where == "rows" else f"{axis.name} ({values}){place}{taken}"


def left_out_sentence(grid: Grid, first: int, last: int, why: str) -> str:
    return f"{grid.source}, rows {first} to {last} are left out: {why}."
