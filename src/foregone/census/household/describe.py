"""The table definitions as text: the list of all tables, and one table with the condition of each line."""

from __future__ import annotations

from foregone.census.household.tables import household_domain, tables, variants
from foregone.model.domain import unknown_column
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.subject import TableDefinition


def list_tables(variant: str) -> str:
    """Every table with its number of leaves (the cells that no others of the table add up to)."""
    shown = tables(variant)
    lines = [f"{'table':<7}{'lines':>6}{'leaves':>8}  title"]
    lines += [f"{table.id:<7}{len(table.cells):>6}{_leaves(table):>8}  {table.title}" for table in shown]
    lines.append(f"{len(shown)} tables, {sum(len(t.cells) for t in shown):,} lines, {sum(_leaves(t) for t in shown):,} leaves.")
    lines.append("")
    lines += [f"{'*' if name == variant else ' '} --variant {name:<9} {about}" for name, about in variants().items()]
    return "\n".join(lines)


def describe_table(name: str, variant: str) -> str:
    """One table: line number, condition and label; a leaf is part of the finest partition, a total adds leaves up."""
    found = {table.id: table for table in tables(variant)}
    if name.upper() not in found:
        raise InputError(unknown_column(name, found).replace("a column (columns:", f"a table of variant {variant} (tables:"))
    table = found[name.upper()]
    rows = [(str(cell.line), condition(cell.predicate, table), cell.label, cell.kind) for cell in table.cells]
    width = max(len("condition"), *(len(row[1]) for row in rows))
    lines = [
        f"{table.id}: {table.title}",
        f"about {table.universe}" + (f" with {_words(table.scope)}" if table.scope.allowed else ""),
        "",
        f"{'line':>4}  {'condition':<{width}}  {'kind':<5}  description",
    ]
    lines += [f"{line:>4}  {text:<{width}}  {kind:<5}  {label}" for line, text, label, kind in rows]
    return "\n".join(lines)


def condition(predicate: Predicate, table: TableDefinition) -> str:
    """What a cell asks of a record beyond the table's own scope, as in the paper: THHLDRAGE = 7, 8 or 9."""
    scope = dict(table.scope.allowed)
    return _words(Predicate(tuple(pair for pair in predicate.allowed if scope.get(pair[0]) != pair[1]))) or "all"


def _words(predicate: Predicate) -> str:
    columns = {**household_domain("pac").index}
    parts = []
    for name, codes in sorted(predicate.allowed, key=lambda pair: columns[pair[0]]):
        ordered = sorted(codes, key=int)
        values = ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
        parts.append(f"{name} = {values}")
    return "; ".join(parts)


def _leaves(table: TableDefinition) -> int:
    return sum(cell.kind != "total" for cell in table.cells)
