"""Totals that no word names: a label that equals the sum of others, or is more than all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from foregone.model.shown import shown
from foregone.tables.reading.numbers import ENOUGH, lines_along, sums_found, telling_lines
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sums import TotalsFound, is_largest, larger_label, total_or_value
from foregone.tables.spans import are_moments, kind_of, span_of
from foregone.tables.table import Table
from foregone.tables.words import says_count, words_in

VERY_MANY = 40  # labels
SURE = 10  # bits: an accident in a thousand
MANY = 6  # labels of which one is more than all others together only if it means everybody, or nearly


def unnamed_total(table: Table, axis: int, counted: tuple[str, ...]) -> TotalsFound | TableQuestion:
    """No label is a total by its name and its numbers: one that is the sum of others may be one all the same.

    Columns that are `counted` (Patients beside Deaths) may count everybody, and others some of them.
    """
    one = table.axes[axis]
    name, labels = one.name, one.labels
    apart = len(labels) == 2 and words_in("things", labels[0]) != words_in("things", labels[1])  # pupils and teachers
    for total in counted if len(labels) == 2 and not apart else ():
        if says_count(total) and is_largest(table, axis, total):
            others = quoted(label for label in labels if label != total)
            everybody = ReadingChoice(
                Reads.OPEN_TOTAL, (shown(total), others), {"totals": {name: [total]}}, (Clue(Speaks.LARGEST, (shown(total),)),)
            )
            value = ReadingChoice(Reads.VALUE, (shown(total), name), {"totals": {name: []}})
            return TableQuestion(table.source, table.name, f"variable {name}", (everybody, value))
    lines = lines_along(table, axis)
    if one.groups:
        return _whole_of_groups(table, axis, lines)
    if len(labels) > 2 and (whole := _whole_period(one.own_name, labels, lines)):
        rest = tuple(label for label in labels if label != whole)
        clue = Clue(Speaks.SUMS_FOUND, (shown(whole), quoted(rest), str(len(lines)), str(len(lines))))
        return total_or_value(table, name, whole, rest, (clue,))
    if len(labels) < 3 or all(span_of(label) is not None for label in labels) or are_moments(one.own_name, labels):
        return TotalsFound()
    for after in (True, False):
        found = _no_accident(sums_found(lines, labels, after), lines, len(labels))
        if found and all(telling_lines(lines, total, some) for total, some in found.items()):
            return _sums(table, axis, lines, found)
    for total in (labels[-1], labels[0]):
        rest = tuple(label for label in labels if label != total)
        full = [line for line in lines if all(label in line for label in labels)]
        fitting = telling_lines(full, total, rest)
        if fitting >= max(2, 0.6 * len(full)):
            misses = f"but not in {len(full) - fitting} other{'s' if len(full) - fitting > 1 else ''}"
            clue = Clue(Speaks.SUMS_FOUND, (shown(total), quoted(rest), str(fitting), f"{len(full)}, {misses}"))
            return total_or_value(table, name, total, rest, (clue,))
    has_total = any(key[axis] is None for key in table.by_labels)
    if len(labels) >= MANY and not has_total and not kind_of(labels) and (whole := _outweighs(table, axis)):
        others = quoted(label for label in labels if label != whole)
        clues = (Clue(Speaks.LARGEST, (shown(whole),)),)
        everybody = ReadingChoice(Reads.OPEN_TOTAL, (shown(whole), others), {"totals": {name: [whole]}}, clues)
        value = ReadingChoice(Reads.VALUE, (shown(whole), name), {"totals": {name: []}})
        return TableQuestion(table.source, table.name, f"variable {name}", (everybody, value))
    return TotalsFound()


def _outweighs(table: Table, axis: int) -> str:
    """A label that is more than all others together wherever most of them are shown; nothing when there is none."""
    labels = table.axes[axis].labels
    return larger_label(table, axis, list(labels), max(MANY, len(labels) // 2))


def _no_accident(
    found: Mapping[str, tuple[str, ...]], lines: Sequence[Mapping[str, int]], labels: int
) -> dict[str, tuple[str, ...]]:
    """Among very many labels some small numbers are the sum of their neighbours: only those that hardly could be are kept."""
    if labels <= VERY_MANY:
        return dict(found)
    return {
        total: parts
        for total, parts in found.items()
        if sum(log2(1 + line[total]) for line in lines if total in line) > SURE + log2(labels)
    }


def _whole_of_groups(table: Table, axis: int, lines: Sequence[Mapping[str, int]]) -> TotalsFound | TableQuestion:
    """Among labels of which some are made of others, one that equals the sum of the outermost others counts everybody."""
    one = table.axes[axis]
    inside = {part for _, parts in one.groups for part in parts}
    roots = [label for label in one.labels if label not in inside]
    for whole in roots if len(roots) > 2 else ():
        rest = tuple(label for label in roots if label != whole)
        full = [line for line in lines if all(label in line for label in roots)]
        fitting = telling_lines(full, whole, rest)
        if not fitting or fitting < len(full):
            continue
        clues = (Clue(Speaks.SUMS_FOUND, (shown(whole), quoted(rest), str(fitting), str(len(full)))),)
        if fitting >= ENOUGH:
            return TotalsFound((whole,), clues=clues)
        return total_or_value(table, one.name, whole, rest, clues)
    return TotalsFound()


def _whole_period(name: str, labels: Sequence[str], lines: Sequence[Mapping[str, int]]) -> str:
    """The first or last time or code that equals the sum of all others in every line: 2020 below four quarters, 9 below 1 and 2."""
    times = are_moments(name, labels)
    if not (times and len(labels) > 3) and not (len(lines) > 2 and all(label.isdigit() for label in labels)):
        return ""
    for total in (labels[-1], labels[0]):
        rest = [label for label in labels if label != total]
        if lines and telling_lines(lines, total, rest) == len(lines):
            return total
    return ""


def _sums(
    table: Table, axis: int, lines: Sequence[Mapping[str, int]], found: Mapping[str, tuple[str, ...]]
) -> TotalsFound | TableQuestion:
    """Labels that are sums of those next to them: enough lines settle it where headings do not name different things."""
    one = table.axes[axis]
    parts = {part for some in found.values() for part in some}
    roots = [label for label in one.labels if label not in parts]
    enough = all(telling_lines(lines, total, some) >= ENOUGH for total, some in found.items())
    measures = len(words_in("counted", *one.labels)) > 1
    whole = roots[0] if len(roots) == 1 else ""
    clues = tuple(
        Clue(Speaks.SUMS_FOUND, (shown(total), quoted(some), str(telling_lines(lines, total, some)), str(len(lines))))
        for total, some in list(found.items())[:3]
    )
    if measures and not (one.named and one.where == "rows"):
        return TotalsFound()  # whether they are values at all is asked first
    if enough and not measures:
        # sums of some labels do not tell whether all of them exclude each other
        return TotalsFound((whole,) if whole else (), tuple((t, p) for t, p in found.items() if t != whole), clues if whole else ())
    if whole and len(found) == 1:
        return total_or_value(table, one.name, whole, found[whole], clues)
    groups = {label: list(some) for label, some in found.items() if label != whole}
    settings = {"groups": {one.name: groups}, "totals": {one.name: [whole] if whole else []}}
    values = ReadingChoice(Reads.VALUE, (quoted(found), one.name), {"groups": {one.name: {}}, "totals": {one.name: []}})
    return TableQuestion(
        table.source, table.name, f"variable {one.name}", (ReadingChoice(Reads.SUMS, (quoted(found),), settings, clues), values)
    )
