"""A first layout of a block of cells: which columns count, which say something else, and what the variables are called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foregone.formats.beside import CODES, OTHER
from foregone.model.alike import folded
from foregone.tables.blocks import SheetBlock, heading
from foregone.tables.layout import Layout, NotTaken
from foregone.tables.table import letters
from foregone.tables.values import CellKind
from foregone.tables.words import (
    bare,
    name_by_labels,
    names_a_value,
    same_name,
    says_code,
    says_count,
    says_other,
    says_percent,
    says_statistic,
    says_total,
)

BOTH = re.compile(r"(.+?)\s*(?:\\|\s+by\s+|\s+x\s+|\s+×\s+)\s*(.+)")
BY = re.compile(r"(?i)\bby (.+)$")
BETWEEN = re.compile(r"(?i),|;|\band\b|\bby\b|&|\bx\b|×")


def propose(block: SheetBlock, name: str, given: Mapping[str, Any], labels: int | None = None) -> Layout | None:
    """The layout that the headings suggest, with so many columns of labels; None when no column counts anything."""
    grid, left = block.grid, min(block.labels)
    columns = tuple(range(left, left + labels)) if labels else block.labels
    heads = {
        c: [heading(grid, block.header, i, c, left) for i in range(len(block.header))] for c in block.numbers if c not in columns
    }
    counts, percents, left_out = [], [], list[NotTaken]()
    for column, said in heads.items():
        words = " ".join(dict.fromkeys(filter(None, said)))
        what = f"column {letters(column)}" + (f" ({words})" if words else "")
        counting = [row for row in block.body if not says_statistic(grid.cell(row, columns[-1]))]
        kinds = [block.value(row, column).kind for row in counting]
        if "numbers" in given or column in given.get("percents", ()):  # the layout file says it
            if column in given.get("percents", ()):
                percents.append(column)
            elif column in given["numbers"]:
                counts.append(column)
            else:
                left_out.append(NotTaken(what, "as the layout says", columns=(column,)))
        elif any(map(says_percent, said)) or kinds.count(CellKind.PERCENT) > kinds.count(CellKind.NUMBER):
            percents.append(column)
        elif any(map(says_other, filter(None, said))):
            why = CODES if says_code(words) else OTHER
            left_out.append(NotTaken(what, why, columns=(column,)))
        elif CellKind.DECIMAL in kinds:
            left_out.append(NotTaken(what, "it holds numbers that are not whole", columns=(column,)))
        elif not words and len(heads) > 1:
            left_out.append(NotTaken(what, "it has no heading", columns=(column,)))
        else:
            counts.append(column)
    if not counts and not percents:
        return None
    last = max(block.numbers)
    left_out += [
        NotTaken(f"column {letters(column)} ({grid.cell(block.header[-1], column)})", "it holds words", columns=(column,))
        for column in range(min(block.numbers), last)
        if column not in heads and column not in columns and any(grid.cell(r, column) for r in block.body)
    ]
    if percents:
        heads = {c: [bare(text) or text if c in counts else bare(text) for text in said] for c, said in heads.items()}
    own = {tuple(heads[c]) for c in counts}
    different = [*counts, *(c for c in percents if any(heads[c]) and tuple(heads[c]) not in own)]
    levels, over = _levels(block, heads, different)
    rows = [_row_name(block, column) for column in columns]
    split = BOTH.fullmatch(rows[-1]) if rows and levels else None
    if split and not over:
        rows[-1], over = split[1], split[2]
    unnamed: list[str] = []
    names: list[str] = []
    titled = _title_names(block.title)
    for i in range(len(rows) + len(levels)):
        at_row = i < len(rows)
        suggested = rows[i] if at_row else over if i == len(rows) + len(levels) - 1 else ""
        in_rows = tuple(dict.fromkeys(grid.cell(r, columns[i]) for r in block.body)) if at_row else ()
        seen = in_rows if at_row else tuple(dict.fromkeys(heads[c][levels[i - len(rows)]] for c in different))
        if not suggested:
            suggested = _unnamed(name, "rows" if at_row else "columns", seen, titled, [*rows, *names], names)
            unnamed.append(suggested)
        names.append(suggested)
    names = _distinct(names)
    said_rows = given.get("rows", names[: len(rows)])
    wanted = [*said_rows[-len(rows) :], *given.get("columns", names[len(rows) :])]  # a variable of sections comes first
    if len(wanted) == len(names):
        unnamed = [name for name in unnamed if name in wanted]
        names = wanted
    return Layout(
        name,
        grid.file,
        grid.sheet,
        block.header,
        block.body,
        columns,
        tuple(counts),
        tuple(percents),
        tuple(names[: len(rows)]),
        tuple((block.header[level], name) for level, name in zip(levels, names[len(rows) :], strict=True)),
        unnamed=tuple(unnamed),
        left_out=tuple(left_out),
    )


def _levels(block: SheetBlock, heads: Mapping[int, list[str]], counts: list[int]) -> tuple[list[int], str]:
    """The header rows that hold values of a variable, and the name that one above them gives."""
    levels, over = [], ""
    for level in range(len(block.header)):
        seen = dict.fromkeys(heads[c][level] for c in counts if heads[c][level])
        if all(says_percent(label) or (says_count(label) and not says_total(label)) for label in seen):
            continue
        values = [label for label in seen if not says_total(label)]
        below = range(level + 1, len(block.header))
        if len(values) == 1 and any(len({heads[c][i] for c in counts}) > 1 for i in below):
            over = values[0]
            continue
        if len(counts) > 1 or any(map(names_a_value, values)):
            levels.append(level)
    return levels, over


def _row_name(block: SheetBlock, column: int) -> str:
    for row in reversed(block.header):
        text = block.grid.cell(row, column)
        if text:
            return text
    return ""


def _title_names(title: str) -> list[str]:
    """What a title says the table is by: "Patients by age group and sex, 2023"."""
    found = BY.search(title)
    parts = [part.strip(" .:") for part in BETWEEN.split(found[1])] if found else []
    return [part for part in parts if part and not re.search(r"[0-9]", part)]


def _unnamed(name: str, where: str, labels: tuple[str, ...], titled: list[str], known: list[str], names: list[str]) -> str:
    """A name for a variable that the headings do not name: the title's, what everybody calls it, or where it stands."""
    values = tuple(label for label in labels if label and not says_total(label))
    said = [part for part in titled if not any(other and same_name(part, other) for other in known)]
    return (
        name_by_labels(values)
        or (said[0] if len(said) == 1 else "")
        or f"{name} {where}" + (" 2" if f"{name} {where}" in names else "")
    )


def _distinct(names: list[str]) -> list[str]:
    made: list[str] = []
    for name in names:
        other, number = name, 2
        while any(folded(other) == folded(seen) for seen in made):
            other, number = f"{name} {number}", number + 1
        made.append(other)
    return made
