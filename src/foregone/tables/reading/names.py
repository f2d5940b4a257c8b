"""What the variables of a table are called: headings, a line above them, the title, or what everybody calls such labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foregone.model.alike import folded
from foregone.tables.blocks import SheetBlock
from foregone.tables.spans import are_moments
from foregone.tables.words import name_by_labels, names_a_value, same_name, says_count, says_percent, says_total

BOTH = re.compile(r"(.+?)\s*(?:\\|\s+by\s+|\s+x\s+|\s+×\s+)\s*(.+)")
BY = re.compile(r"(?i)\bby (.+)$")
BETWEEN = re.compile(r"(?i),|;|\band\b|\bby\b|&|\bx\b|×")


def variable_names(
    block: SheetBlock,
    name: str,
    given: Mapping[str, Any],
    columns: tuple[int, ...],
    heads: Mapping[int, tuple[str, ...]],
    different: list[int],
    levels: list[int],
    over: str,
) -> tuple[list[str], list[str]]:
    """The names of the variables of rows, then of columns; and those that the file does not give."""
    rows = [_row_name(block, column) for column in columns]
    split = BOTH.fullmatch(rows[-1]) if rows and levels else None
    if split and not over:
        rows[-1], over = split[1], split[2]
    unnamed: list[str] = []
    names: list[str] = []
    titled = _title_names(block.title)
    beside = [_level_name(block, columns, level) for level in levels]
    for i in range(len(rows) + len(levels)):
        at_row = i < len(rows)
        above = "" if at_row else beside[i - len(rows)] or (over if i == len(rows) + len(levels) - 1 else "")
        suggested = rows[i] if at_row else above
        in_rows = tuple(dict.fromkeys(block.grid.cell(r, columns[i]) for r in block.body)) if at_row else ()
        seen = in_rows if at_row else tuple(dict.fromkeys(heads[c][levels[i - len(rows)]] for c in different))
        if not suggested:
            suggested = _unnamed(name, "rows" if at_row else "columns", seen, titled, [*rows, *names], names)
            unnamed.append(suggested)
        names.append(suggested)
    names = _distinct(names)
    said_rows = given.get("rows", names[: len(rows)])
    wanted = [*said_rows[-len(rows) :], *given.get("columns", names[len(rows) :])] if rows else given.get("columns", names)
    if len(wanted) == len(names):  # a variable of sections comes first
        return list(wanted), [name for name in unnamed if name in wanted]
    return names, unnamed


def heading_levels(block: SheetBlock, heads: Mapping[int, tuple[str, ...]], counts: list[int]) -> tuple[list[int], str]:
    """The header rows that hold values of a variable, and the name that one above them gives."""
    levels, over = [], ""
    again = _said_again(block, heads, counts)
    for level in range(len(block.header)):
        if level in again:
            continue
        seen = dict.fromkeys(heads[c][level] for c in counts if heads[c][level])
        counted = [label for label in seen if says_count(label) and not says_total(label) and not says_percent(label)]
        several = len(counted) == len(seen) == len(counts) > 1  # Households beside Persons
        if not several and all(says_percent(label) or label in counted for label in seen):
            continue
        values = [label for label in seen if not says_total(label)]
        below = range(level + 1, len(block.header))
        if len(values) == 1 and any(len({heads[c][i] for c in counts}) > 1 for i in below):
            over = values[0]
            continue
        if len(counts) > 1 or any(map(names_a_value, values)):
            levels.append(level)
    return levels, over


def _said_again(block: SheetBlock, heads: Mapping[int, tuple[str, ...]], counts: list[int]) -> list[int]:
    """Rows of headings that name every column once more: codes beside words, or another language above."""
    seen = [[heads[c][level] for c in counts] for level in range(len(block.header))]
    whole = [level for level, texts in enumerate(seen) if len(set(texts)) == len(texts) > 2 and all(texts)]
    coded = [level for level in whole if all(" " not in text and any(c.isdigit() for c in text) for text in seen[level])]
    kept = ([level for level in whole if level not in coded] or whole)[-1:]
    return [level for level in whole if level not in kept]


def _row_name(block: SheetBlock, column: int) -> str:
    for row in reversed(block.header):
        text = block.grid.cell(row, column)
        if text:
            return text
    return ""


def _level_name(block: SheetBlock, columns: tuple[int, ...], level: int) -> str:
    """The name of a variable that stands in a row of its headings, left of them."""
    if not block.named or not columns:
        return ""
    said = [text for c in range(min(columns), min(block.numbers)) if (text := block.grid.cell(block.header[level], c))]
    return said[-1] if said else ""


def _title_names(title: str) -> list[str]:
    """What a title says the table is by: "Patients by age group and sex, 2023"."""
    found = BY.search(title)
    parts = [part.strip(" .:") for part in BETWEEN.split(found[1])] if found else []
    return [part for part in parts if part and not re.search(r"[0-9]", part)]


def _unnamed(name: str, where: str, labels: tuple[str, ...], titled: list[str], known: list[str], names: list[str]) -> str:
    """A name for a variable that the headings do not name: the title's, what everybody calls it, or where it stands."""
    values = tuple(label for label in labels if label and not says_total(label))
    titled = [] if are_moments("", values) else titled
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
