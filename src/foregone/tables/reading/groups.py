"""Labels that are made of others: indentation, codes and paths suggest it, the numbers decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from foregone.model.alike import folded
from foregone.model.shown import shown
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Groups, Layout, Misfit, Names
from foregone.tables.reading.sums import exceeds, misfit
from foregone.tables.reading.totals import STRONG
from foregone.tables.spans import span_of
from foregone.tables.table import Table
from foregone.tables.values import Meaning

REMAINDER = " (any other)"  # part of a label whose other parts do not add up to it


def indented_groups(block: SheetBlock, layout: Layout) -> Groups:
    """For each column of labels the rows that have deeper ones below them; spans of numbers say by themselves what they hold."""
    found = []
    for name, column in zip(layout.rows[len(layout.rows) - len(layout.labels) :], layout.labels, strict=True):
        found.append((name, _indented(block, layout, column, [row for row in layout.body if row not in layout.sections])))
        if layout.sections and column == layout.labels[0]:
            found.append((layout.rows[0], _indented(block, layout, column, list(layout.sections))))
    return tuple((name, groups) for name, groups in found if groups)


def _indented(block: SheetBlock, layout: Layout, column: int, rows: list[int]) -> Names:
    parts: dict[str, list[str]] = {}
    seen: set[str] = set()
    above: list[tuple[int, str]] = []  # the rows that the next one may be below, outermost first
    last = 0
    for row in rows:
        label, depth = block.grid.cell(row, column), block.grid.indents.get((row, column), 0)
        numbered = any(block.grid.cell(row, c) for c in (*layout.numbers, *layout.percents))
        if (not numbered and row not in layout.sections) or any(
            last < section < row for section in layout.sections if rows[0] != section
        ):
            above = []  # a heading over the rows below, not a row that they could be parts of
        if (numbered or row in layout.sections) and label and label not in seen and not folded(label).startswith(STRONG):
            seen.add(label)
            above = [(deep, outer) for deep, outer in above if deep < depth]
            if above:
                parts.setdefault(above[-1][1], []).append(label)
            above.append((depth, label))
        last = row
    if all(span_of(label) is not None for label in seen):
        return ()
    return tuple((label, tuple(some)) for label, some in parts.items())


def tree_groups(labels: Sequence[str]) -> dict[str, list[str]]:
    """Headings with !! in them are paths: each is made of those that are one step longer.

    >>> tree_groups(["Estimate!!Total:", "Estimate!!Total:!!Male", "Estimate!!Total:!!Female"])
    {'Estimate!!Total:': ['Estimate!!Total:!!Male', 'Estimate!!Total:!!Female']}
    """
    found: dict[str, list[str]] = {}
    for label in labels:
        above = label.rpartition("!!")[0]
        if above in labels:
            found.setdefault(above, []).append(label)
    return found


CODE = re.compile(r"([0-9]{1,12}|[A-Z]{2}[A-Z0-9]{0,10})(?=[ :.,-]|$)")


def coded_groups(
    labels: Sequence[str], words: Mapping[str, str], coded: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Labels that begin with codes, the longer ones within the shorter: `01 Stockholm county` holds `0114 Upplands Väsby`.

    `coded` are codes that the file gives beside its labels.

    >>> coded_groups(["00 All", "01 North", "0114 A", "0115 B", "03 South"], {})
    {'01 North': ['0114 A', '0115 B']}
    """
    coded = coded or {}
    codes = {
        label: found[1] for label in labels if (found := CODE.match(coded.get(label, label))) is not None and span_of(label) is None
    }
    # bare numbers are no tree of places
    named = any(words.get(label, label) != code for label, code in codes.items()) or not all(map(str.isdigit, codes.values()))
    if not named or len(codes) < len(labels) or len(set(codes.values())) < len(labels) or len(set(map(len, codes.values()))) < 2:
        return {}
    by_code = {code: label for label, code in codes.items()}
    found_groups: dict[str, list[str]] = {}
    for label, code in codes.items():
        above = next((by_code[code[:n]] for n in range(len(code) - 1, 0, -1) if code[:n] in by_code), None)
        if above is not None:
            found_groups.setdefault(above, []).append(label)
    return found_groups


def check_groups(table: Table, meaning: Meaning) -> Table | Misfit:
    """The table with groups whose parts add up to them; where they are less, a further part stands for the rest."""
    for i, axis in enumerate(table.axes):
        groups = []
        own = coded_groups(axis.labels, dict(axis.words), dict(axis.coded))
        coded = axis.groups == tuple((label, tuple(parts)) for label, parts in own.items())
        code = {label: dict(axis.coded).get(label, label).strip().partition(" ")[0] for label in axis.labels}
        for label, parts in axis.groups:
            why = misfit(table, i, label, parts, meaning)
            if why and not coded and exceeds(table, i, label, parts):
                return Misfit(
                    f"the rows indented below {shown(label)} do not add up to it; {why}; if they are values like any other, say so"
                    f' in a layout file: groups = {{"{axis.name}" = {{}}}}'
                )
            if coded and not any(label in line and any(part in line for part in parts) for line in table.lines(i)):
                continue  # no number of one can be compared with one of the other
            if why and coded:  # then labels and parts all have codes
                near = len(code[label]) + 1 >= len(code[parts[0]]) and code[label].isdigit()
                if near or exceeds(table, i, label, parts):
                    continue  # codes that begin alike by accident
            groups.append((label, (*parts, f"{label}{REMAINDER}") if why else parts))
        if tuple(groups) != axis.groups:
            table = table.with_axis(i, replace(axis, groups=tuple(groups)), {})
    return table
