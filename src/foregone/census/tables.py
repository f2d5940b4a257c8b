"""Published tables as data: `tables.json` and `columns.json` of one kind of record, and the definitions that they spell out."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from foregone.batch.plan import stretches
from foregone.batch.subject import TableDefinition, TableLine
from foregone.model.domain import Domain, near, unknown_column
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.shown import shown
from foregone.model.workload import Query

if TYPE_CHECKING:
    from foregone.census.records import RecordKind

CHOSEN = ":"  # between the name of a variant and the tables that are chosen of it
MOST_NAMED = 5  # tables in a message
MANY = 12  # codes that are listed one by one; of more, stretches are told by their ends
NOT_ASKED = "total"  # the kind of a line that adds others up and is not among the published numbers of a release


@dataclass(frozen=True, slots=True)
class TableBook:
    """The tables in the folder of a package. Books are equal when they are the same folder, so that answers are kept."""

    package: str

    @property
    def columns(self) -> dict[str, Any]:
        """Columns, their codes and what both are called."""
        return _content(self.package, "columns.json")

    @property
    def content(self) -> dict[str, Any]:
        return _content(self.package, "tables.json")

    @property
    def variants(self) -> dict[str, str]:
        """The variants of the table definitions and what each one is."""
        return {name: entry["about"] for name, entry in self.content["variants"].items()}

    def knows(self, variant: object) -> bool:
        """Is this the name of a variant, perhaps with some of its tables chosen?"""
        return isinstance(variant, str) and variant.partition(CHOSEN)[0] in self.content["variants"]

    def about(self, variant: str) -> str:
        """What a variant is, in words; with some of its tables chosen, which."""
        name, _, chosen = variant.partition(CHOSEN)
        return self.variants[name] + (f" Only the tables {chosen.replace(',', ', ')}." if chosen else "")

    def choose(self, variant: str, tables: Iterable[str]) -> str:
        """The name of a variant of which only some tables are published: `official:P16,H13B`; `H13*` is H13 and its iterations."""
        known = [table.id for table in self.tables(variant)]
        wanted = [name.strip() for text in tables for name in text.split(",") if name.strip()]
        unknown = [name for name in wanted if not fnmatch.filter(known, name)]
        if unknown:
            more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
            named = ", ".join(map(shown, unknown[:MOST_NAMED])) + more
            are = "is not a table" if len(unknown) == 1 else "are not tables"
            raise InputError(
                f"--tables: {named} {are} of the variant {variant}{near(unknown[0], known)} (`census tables` lists them)"
            )
        chosen = [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]
        return f"{variant}{CHOSEN}{','.join(chosen)}" if chosen else variant

    def variant(self, name: str) -> dict[str, Any]:
        """What a variant changes, with what it is based on."""
        name, entries = name.partition(CHOSEN)[0], self.content["variants"]
        if name not in entries:
            raise InputError(f"{name!r} is not a variant of the tables; use one of {', '.join(entries)}")
        entry = entries[name]
        return {**self.variant(entry["based"]), **entry} if "based" in entry else entry

    def tables(self, variant: str) -> tuple[TableDefinition, ...]:
        """Every table (P20), its iterations by race and origin spelled out (H13B)."""
        return _tables(self, variant)

    def queries(self, variant: str) -> tuple[Query, ...]:
        """(name, table, predicate) of the cells that a release has, which are those that are no totals."""
        return _queries(self, variant)


@cache
def _content(package: str, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files(package).joinpath(name).read_text("utf-8"))
    return content


@cache
def _tables(book: TableBook, variant: str) -> tuple[TableDefinition, ...]:
    content, changes = book.content, book.variant(variant)
    replaced = {entry["id"]: entry for entry in changes.get("tables", ())}
    made = []
    for original in content["tables"]:
        if original["id"] in changes.get("without", ()):
            continue
        entry = replaced.get(original["id"], original)
        made.append(_table(content, changes, entry, "", {}, ""))
        for letter in entry.get("iterations", ""):
            iteration = content["iterations"][letter]
            made.append(_table(content, changes, entry, letter, iteration["where"], f" ({iteration['of']})"))
    chosen = variant.partition(CHOSEN)[2]
    return tuple(table for table in made if not chosen or table.id in chosen.split(","))


def _table(
    content: dict[str, Any], changes: dict[str, Any], entry: dict[str, Any], letter: str, where: dict[str, Any], suffix: str
) -> TableDefinition:
    scope, recoded = {**content["universes"][entry["universe"]], **where}, changes.get("codes", {})
    cells = []
    for cell in entry["cells"]:
        asked = {**scope, **cell["where"]}
        asked = {name: recoded.get(name, {}).get("|".join(codes), codes) for name, codes in asked.items()}
        cells.append(TableLine(cell["line"], cell["label"], cell.get("kind", "leaf"), Predicate.of(asked)))
    return TableDefinition(entry["id"] + letter, entry["title"] + suffix, entry["universe"], tuple(cells), Predicate.of(scope))


@cache
def _queries(book: TableBook, variant: str) -> tuple[Query, ...]:
    return tuple(
        Query(f"{table.id}.{cell.line}", table.id, cell.predicate)
        for table in book.tables(variant)
        for cell in table.cells
        if cell.kind != NOT_ASKED
    )


def list_tables(kind: RecordKind, variant: str) -> str:
    """Every table with its number of leaves (the cells that no others of the table add up to)."""
    shown = kind.book.tables(variant)
    lines = [f"{'table':<7}{'lines':>6}{'leaves':>8}  title"]
    lines += [f"{table.id:<7}{len(table.cells):>6}{_leaves(table):>8}  {table.title}" for table in shown]
    lines.append(f"{len(shown)} tables, {sum(len(t.cells) for t in shown):,} lines, {sum(_leaves(t) for t in shown):,} leaves.")
    lines.append("")
    lines += [f"{'*' if name == variant else ' '} --variant {name:<9} {about}" for name, about in kind.book.variants.items()]
    return "\n".join(lines)


def describe_table(kind: RecordKind, name: str, variant: str) -> str:
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
        if len(ordered) > MANY:  # codes that follow one another, as their first and last
            ends = stretches(np.array([column.index[code] - i for i, code in enumerate(ordered)]))
            ordered = [ordered[a] if b - a == 1 else f"{ordered[a]} to {ordered[b - 1]}" for a, b in ends]
        values = ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
        parts.append(f"{name} = {values}")
    return "; ".join(parts)


def _leaves(table: TableDefinition) -> int:
    return sum(cell.kind != NOT_ASKED for cell in table.cells)
