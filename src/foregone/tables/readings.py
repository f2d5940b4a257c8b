"""From a block of cells to the one reading that fits its numbers; two that fit are a question to the user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from foregone.model.alike import folded
from foregone.model.shown import listed, shown
from foregone.tables.blocks import Block
from foregone.tables.grid import letters
from foregone.tables.layout import Layout, column_name, read_table, renamed
from foregone.tables.meaning import Meaning
from foregone.tables.percents import bases, with_bases
from foregone.tables.proposed import propose
from foregone.tables.spans import span_of
from foregone.tables.sums import misfit, parts_of, shows_exact_sums
from foregone.tables.table import Table
from foregone.tables.values import Kind, value_of
from foregone.tables.words import name_by_labels, says_count, says_total

DATE = re.compile(r"(?i)[0-9]{1,2}[-/ ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
MOST_LEFT_OUT = 3  # columns that may have nothing to do with the others
STRONG = ("total", "all", "sum", "overall", "grand", "tot", "_t")  # what begins like this is a total, or else the table is wrong


@dataclass(frozen=True, slots=True)
class Fits:
    layout: Layout
    table: Table


@dataclass(frozen=True, slots=True)
class Misfit:
    """No reading fits: what is wrong with the likeliest one."""

    why: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two readings fit, each in words, and how the layout file tells them apart."""

    one: str
    other: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Something in the file was spoilt on the way; a line that names the place."""

    why: str


Read = Fits | Misfit | Doubt | Broken


def read_block(block: Block, name: str, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """The reading of a block of cells, as far as the layout file does not give it."""
    layout = propose(block, name, given)
    if layout is None:
        return Misfit("no column of it holds counts")
    # the same labels in several rows: a further column of labels tells them apart
    while _repeated(_table(block, layout)) and len(layout.numbers) + len(layout.percents) > 1:
        further = propose(block, name, given, len(layout.labels) + 1)
        if further is None:
            break
        layout = further
    if twice := _repeated(_table(block, layout)):
        return Misfit(f"two cells have the same labels: {twice}")
    if spoilt := _dates(_table(block, layout)):
        return Broken(spoilt)
    return find_totals(block, replace(layout, where=_names(given.get("where", {}))), meaning, given)


def find_totals(block: Block, layout: Layout, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """Which labels mean everybody: the words suggest it, the numbers decide."""
    for axis, name in enumerate(layout.variables):
        if name in given.get("totals", {}):
            layout = replace(layout, totals=(*layout.totals, (name, tuple(given["totals"][name]))))
            continue
        table = _table(block, layout)
        judged = judge(table, axis, meaning)
        if isinstance(judged, Misfit) and axis >= len(layout.rows):
            left = _left_out(block, layout, axis, meaning)
            if isinstance(left, Doubt):
                return left
            if left is not None:
                layout = left
                judged = judge(_table(block, layout), axis, meaning)
        if not isinstance(judged, tuple):
            return judged
        if judged:
            layout = replace(layout, totals=(*layout.totals, (name, judged)))
    layout = _named_by_labels(layout, _table(block, layout))
    return find_bases(layout, _table(block, layout), meaning, given)


def find_bases(layout: Layout, table: Table, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """What percentages are of: the one way that fits all of them."""
    if not layout.percents:
        return Fits(layout, table)
    names = [axis.name for axis in table.axes]
    if "percent_within" in given:
        over = tuple(i for i, name in enumerate(names) if name not in given["percent_within"])
        return Fits(replace(layout, within=tuple(given["percent_within"])), with_bases(table, over))
    found = bases(table, meaning)
    rounding = meaning.rule is not None and meaning.rule.rounds
    if rounding or not found:
        why = "they may be of rounded counts" if rounding else "no base fits them"
        said = f"the percentages are left out: {why}"
        entries = tuple(entry for entry in table.entries if not entry.percent)
        table = replace(table, entries=entries, left_out=(*table.left_out, said))
        return Fits(layout, table) if entries else Misfit(said)
    if len(found) > 1:
        one, other = (_of(names, over) for over in found[:2])
        lists = " or ".join(f"percent_within = {_toml(names, over)}" for over in found[:2])
        return Doubt(f"the percentages are of {one}", f"of {other}", lists)
    within = tuple(name for i, name in enumerate(names) if i not in found[0])
    return Fits(replace(layout, within=within), with_bases(table, found[0]))


def _of(names: list[str], over: tuple[int, ...]) -> str:
    kept = [name for i, name in enumerate(names) if i not in over]
    return f"the total for each {' and '.join(kept)}" if kept else "the total of everything"


def _toml(names: list[str], over: tuple[int, ...]) -> str:
    return f"[{', '.join(json.dumps(name, ensure_ascii=False) for i, name in enumerate(names) if i not in over)}]"


def _named_by_labels(layout: Layout, table: Table) -> Layout:
    """Once totals and other columns are gone, labels may tell what a variable without a name is."""
    names = {}
    for axis in table.axes:
        better = "" if axis.named else name_by_labels(axis.labels)
        names[axis.name] = better if better and better not in layout.variables else axis.name
    return renamed(layout, names)


def judge(table: Table, axis: int, meaning: Meaning) -> tuple[str, ...] | Misfit | Doubt:
    """The labels of an axis that are totals."""
    labels, column = table.axes[axis].labels, table.axes[axis].where == "columns"
    said = tuple(label for label in labels if says_total(label) or (column and says_count(label)))
    if len(said) == len(labels):
        said = said[-1:] if len(labels) > 1 else said
    weak = tuple(label for label in said if not folded(label).startswith(STRONG))
    for totals in dict.fromkeys((said, tuple(label for label in said if label not in weak))):
        parts = parts_of(table, axis, totals)
        wrong = [] if parts is None else [why for total in totals if (why := misfit(table, axis, total, parts, meaning))]
        if not wrong and (totals or not said or totals != said):
            return totals if totals else _unsaid(table, axis, labels)
    return Misfit(f"the total does not add up; {wrong[0]}{_rounded(table, meaning)}")


def _rounded(table: Table, meaning: Meaning) -> str:
    """A hint where numbers look rounded and no rule was named."""
    values = [value_of(entry.shown, table.dotted) for entry in table.entries]
    numbers = [value.counts.low for value in values if value.kind == Kind.NUMBER and value.counts is not None]
    base = next((base for base in (10, 5, 3) if len(numbers) > 3 and all(number % base == 0 for number in numbers)), 0)
    return (
        f"; every number is a multiple of {base}: if they are rounded, say --rule round:{base}"
        if base and meaning.rule is None
        else ""
    )


def _unsaid(table: Table, axis: int, labels: tuple[str, ...]) -> tuple[str, ...] | Doubt:
    """No label says that it is a total: one that is the sum of all others may be one all the same."""
    if len(labels) < 3 or all(span_of(label) is not None for label in labels):
        return ()
    for total in (labels[-1], labels[0]):
        others = tuple(label for label in labels if label != total)
        if shows_exact_sums(table, axis, total, others):
            name = table.axes[axis].name
            return Doubt(
                f"{shown(total)} is the total of {listed(map(shown, others))}",
                f"{shown(total)} is a value of {name} like the others",
                f'totals = {{"{name}" = ["{total}"]}} or totals = {{"{name}" = []}}',
            )
    return ()


def _left_out(block: Block, layout: Layout, axis: int, meaning: Meaning) -> Layout | Doubt | None:
    """The fewest columns without which totals add up; None when there are none, or too few numbers to tell."""
    if len(layout.body) < 2:
        return None
    for size in range(1, MOST_LEFT_OUT + 1):
        fitting = []
        for columns in combinations(layout.numbers, size):
            numbers = tuple(c for c in layout.numbers if c not in columns)
            tried = replace(layout, numbers=numbers)
            judged = judge(_table(block, tried), axis, meaning) if len(numbers) > 1 else ()
            # what is left must still have a total that adds up: leaving out the total itself proves nothing
            if isinstance(judged, tuple) and judged and any(says_total(label) for label in judged):
                fitting.append((columns, tried))
        if len(fitting) > 1:
            one, other = (" and ".join(column_name(block.grid, layout, c) for c in columns) for columns, _ in fitting[:2])
            return Doubt(
                f"{one} is not part of the total", f"{other} is not part of the total", "numbers = [...], the columns to take"
            )
        if fitting:
            columns, tried = fitting[0]
            said = [f"{column_name(block.grid, layout, c)} is left out: it is no part of the total" for c in columns]
            return replace(tried, left_out=(*layout.left_out, *said))
    return None


def _table(block: Block, layout: Layout) -> Table:
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


def _dates(table: Table) -> str:
    """Labels such as 5-9 that a spreadsheet took for dates."""
    for i, axis in enumerate(table.axes):
        dated = [label for label in axis.labels if DATE.fullmatch(label)]
        if dated and any(span_of(label) is not None for label in axis.labels):
            place = next(entry.place for entry in table.entries if entry.labels[i] == dated[0])
            where = f"row {place.row}" if axis.where == "rows" else f"column {letters(place.column)}"
            sheet = f", sheet {table.sheet}" if table.sheet else ""
            return (
                f"{table.file}{sheet}, {where}: the label {shown(dated[0])} is a date that a spreadsheet made of a group such"
                " as 5-9; type it again as text"
            )
    return ""


def _names(given: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, (codes,) if isinstance(codes, str) else tuple(codes)) for name, codes in given.items())
