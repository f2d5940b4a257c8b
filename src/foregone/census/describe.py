"""The table definitions as text: the list of all tables, and one table with the condition of each line."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.batch.subject import TableDefinition
from foregone.census.kind import Kind
from foregone.census.table_book import NOT_ASKED
from foregone.model.domain import Domain, unknown_column
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate

MANY = 12  # codes that are listed one by one; of more, stretches are told by their ends


def list_tables(kind: Kind, variant: str) -> str:
    """Every table with its number of leaves (the cells that no others of the table add up to)."""
    shown = kind.book.tables(variant)
    lines = [f"{'table':<7}{'lines':>6}{'leaves':>8}  title"]
    lines += [f"{table.id:<7}{len(table.cells):>6}{_leaves(table):>8}  {table.title}" for table in shown]
    lines.append(f"{len(shown)} tables, {sum(len(t.cells) for t in shown):,} lines, {sum(_leaves(t) for t in shown):,} leaves.")
    lines.append("")
    lines += [f"{'*' if name == variant else ' '} --variant {name:<9} {about}" for name, about in kind.book.variants.items()]
    return "\n".join(lines)


def describe_table(kind: Kind, name: str, variant: str) -> str:
    """One table: line number, condition and label; a leaf is part of the finest partition, a total adds leaves up."""
    found = {table.id: table for table in kind.book.tables(variant)}
    if name.upper() not in found:
        raise InputError(unknown_column(name, found).replace("a column (columns:", f"a table of variant {variant} (tables:"))
    table, domain = found[name.upper()], kind.domain(variant, kind.units)
    rows = [(str(cell.line), condition(cell.predicate, table, domain), cell.label, cell.kind) for cell in table.cells]
    width = max(len("condition"), *(len(row[1]) for row in rows))
    lines = [
        f"{table.id}: {table.title}",
        f"about {table.universe}" + (f" with {_words(table.scope, domain)}" if table.scope.allowed else ""),
        "",
        f"{'line':>4}  {'condition':<{width}}  {'kind':<5}  description",
    ]
    lines += [f"{line:>4}  {text:<{width}}  {sort:<5}  {label}" for line, text, label, sort in rows]
    return "\n".join(lines)


def condition(predicate: Predicate, table: TableDefinition, domain: Domain) -> str:
    """What a cell asks of a record beyond the table's own scope, as in the paper: THHLDRAGE = 7, 8 or 9."""
    scope = dict(table.scope.allowed)
    return _words(Predicate(tuple(pair for pair in predicate.allowed if scope.get(pair[0]) != pair[1])), domain) or "all"


def _words(predicate: Predicate, domain: Domain) -> str:
    parts = []
    for name, codes in sorted(predicate.allowed, key=lambda pair: domain.index[pair[0]]):
        column = domain.column(name)
        ordered = [code for code in column.codes if code in codes]
        if len(ordered) > MANY:
            ordered = _stretches(ordered, column.codes)
        values = ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
        parts.append(f"{name} = {values}")
    return "; ".join(parts)


def _stretches(chosen: list[str], codes: Sequence[str]) -> list[str]:
    """Codes that follow one another, as their first and last."""
    runs: list[list[str]] = []
    place = {code: i for i, code in enumerate(codes)}
    for code in chosen:
        if runs and place[code] == place[runs[-1][-1]] + 1:
            runs[-1].append(code)
        else:
            runs.append([code])
    return [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]


def _leaves(table: TableDefinition) -> int:
    return sum(cell.kind != NOT_ASKED for cell in table.cells)
