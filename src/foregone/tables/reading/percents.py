"""What percentages are of: the one total that fits all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from foregone.model.figure import rounded
from foregone.rules.rule import CountRange, added
from foregone.tables.layout import Fits, Layout, Misfit, NotTaken, Read
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sums import counts_of, parts_of
from foregone.tables.table import Labels, Table, TableCell
from foregone.tables.values import RAISED, CellKind, Meaning, value_of


def printed(entry: TableCell, table: Table) -> str:
    """The digits of a percentage; nothing where it shows something else."""
    value = value_of(entry.shown, table.dotted)
    if value.kind in (CellKind.PERCENT, CellKind.DECIMAL):
        return value.printed
    if value.kind != CellKind.NUMBER or value.counts is None:
        return ""
    zeros = value.text.rstrip(RAISED).partition(".")[2]  # 40.0 is rounded less than 40
    return f"{value.counts.low}.{zeros}" if zeros and not table.dotted else str(value.counts.low)


def bases(table: Table, meaning: Meaning) -> list[tuple[int, ...]]:
    """The sets of axes that percentages may be taken over: those for which every percentage fits its count and its base."""
    some = [entry for entry in table.entries if entry.percent and printed(entry, table)]
    axes = range(len(table.axes))
    tried = [over for size in (1, 2, 3) for over in combinations(axes, size)]
    return [over for over in tried if some and _fits(table, some, over, meaning)]


def base_of(labels: Labels, over: tuple[int, ...]) -> Labels:
    return tuple(None if i in over else label for i, label in enumerate(labels))


def with_bases(table: Table, over: tuple[int, ...]) -> Table:
    """The table with the base of each percentage; those of a whole of itself are always 100 and say nothing."""
    entries = [
        replace(entry, base=base_of(entry.labels, over)) if entry.percent else entry
        for entry in table.entries
        if not entry.percent or (printed(entry, table) and base_of(entry.labels, over) != entry.labels)
    ]
    return replace(table, entries=tuple(entries))


def _fits(table: Table, some: list[TableCell], over: tuple[int, ...], meaning: Meaning) -> bool:
    tested = False
    for entry in some:
        base = base_of(entry.labels, over)
        low, high = rounded(printed(entry, table))
        part, whole = _counts_at(table, entry.labels, (), meaning), _counts_at(table, base, over, meaning)
        if base == entry.labels:
            if not low <= 100 <= high:
                return False
            continue
        if part is None or whole is None:
            continue
        tested = True
        if not _possible(part, whole, low, high):
            return False
    added = _add_up(table, some, over)
    return added is not False and (tested or added is True)


def _possible(part: CountRange, whole: CountRange, low: Fraction, high: Fraction) -> bool:
    """Can some count within `part` be this percentage of some count within `whole`?"""
    if whole.high == 0:
        return False
    least = 0 if whole.high is None else Fraction(100 * part.low, whole.high)
    most = None if part.high is None or whole.low == 0 else Fraction(100 * part.high, whole.low)
    return least <= high and (most is None or low <= most)


def _add_up(table: Table, some: list[TableCell], over: tuple[int, ...]) -> bool | None:
    """Do percentages of the same base add up to 100 over one axis? None: nowhere are all of them shown."""
    if len(over) != 1 or table.axes[over[0]].open:
        return None
    parts = parts_of(table, over[0])
    if parts is None:
        return None
    lines: dict[Labels, dict[str | None, TableCell]] = {}
    for entry in some:
        lines.setdefault(base_of(entry.labels, over), {})[entry.labels[over[0]]] = entry
    seen = None
    for line in lines.values():
        if all(part in line for part in parts):
            ends = [rounded(printed(line[part], table)) for part in parts]
            if not sum(low for low, _ in ends) <= 100 <= sum(high for _, high in ends):
                return False
            seen = True
    return seen


def _counts_at(table: Table, labels: Labels, over: tuple[int, ...], meaning: Meaning) -> CountRange | None:
    """What a cell counts; one that is not shown counts what its parts over an axis do."""
    entry = table.by_labels.get(labels)
    if entry is not None:
        return counts_of(table, entry, meaning)
    if len(over) != 1 or table.axes[over[0]].open:
        return None
    parts = [table.by_labels.get((*labels[: over[0]], part, *labels[over[0] + 1 :])) for part in parts_of(table, over[0]) or ()]
    counts = [counts_of(table, part, meaning) for part in parts if part is not None]
    known = [count for count in counts if count is not None]
    return added(known) if known and len(known) == len(parts) else None


def find_bases(layout: Layout, table: Table, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """What percentages are of: the one way that fits all of them."""
    if not layout.percents and not layout.pairs:
        return Fits(layout, table)
    names = [axis.name for axis in table.axes]
    if "percent_within" in given:
        over = tuple(i for i, name in enumerate(names) if name not in given["percent_within"])
        return Fits(replace(layout, within=tuple(given["percent_within"])), with_bases(table, over))
    found = bases(table, meaning)
    rounding = meaning.rule is not None and meaning.rule.rounds
    if rounding or not found:
        why = "they may be percentages of rounded counts" if rounding else "no total fits as what they are percentages of"
        said = NotTaken("the percentages", why, columns=layout.percents, verb="are")
        entries = tuple(entry for entry in table.entries if not entry.percent)
        table = replace(table, entries=entries, left_out=(*table.left_out, said.text))
        return Fits(replace(layout, left_out=(*layout.left_out, said)), table) if entries else Misfit(said.text)
    if len(found) > 1:
        choices = [
            ReadingChoice(
                Reads.PERCENT_OF, (_of(names, over),), {"percent_within": [n for i, n in enumerate(names) if i not in over]}
            )
            for over in found[:2]
        ]
        return TableQuestion(table.source, table.name, "the percentages", tuple(choices))
    within = tuple(name for i, name in enumerate(names) if i not in found[0])
    return Fits(replace(layout, within=within), with_bases(table, found[0]))


def _of(names: list[str], over: tuple[int, ...]) -> str:
    kept = [name for i, name in enumerate(names) if i not in over]
    return f"the total for each {' and '.join(kept)}" if kept else "the total of everything"
