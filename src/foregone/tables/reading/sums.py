"""What adds up to what: the counts of cells, the labels that everybody has one of, and where a total misses its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from foregone.model.shown import shown
from foregone.rules.rule import CountRange, Totals, added
from foregone.tables.layout import Names
from foregone.tables.reading.numbers import lines_along
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.spans import span_of
from foregone.tables.table import Labels, Table, TableCell
from foregone.tables.values import ANY, CellKind, Meaning, NoNumber, Unclear, dash_is_zero

MOST_ADDED = 8  # cells spelled out in a message


def counts_of(table: Table, entry: TableCell, meaning: Meaning, tokens: bool = True) -> CountRange | None:
    """What a cell can count; anything when that is not clear, None when there is no number.

    Without `tokens` they can mean anything: how a table is laid out does not hang on what its tokens mean.
    """
    value = table.value(entry)
    if entry.withheld or not (tokens or value.kind == CellKind.NUMBER or (table.unit > 1 and value.kind == CellKind.RANGE)):
        return ANY
    total = any(label is None for label in entry.labels)
    found = meaning.of(value, dash_is_zero(table.footnotes), total)
    return ANY if isinstance(found, Unclear) else None if isinstance(found, NoNumber) else found


def misfit(table: Table, axis: int, total: str | None, parts: tuple[str, ...], meaning: Meaning) -> str:
    """Where a total does not add up, in words; nothing when it does everywhere. `total` None: the cells read as totals."""
    if meaning.rule is not None and meaning.rule.totals == Totals.SUM:
        return ""  # such a total adds up what is shown, whatever the cells are
    for line in table.lines(axis):
        if total not in line or not all(part in line for part in parts):
            continue
        whole = counts_of(table, line[total], meaning, False)
        cells = [counts_of(table, line[part], meaning, False) for part in parts]
        if whole is None or any(cell is None for cell in cells):
            continue
        found = added(cell for cell in cells if cell is not None)
        if not whole.meets(found):
            low, high = found.low, found.high
            said = f"{low:,}" if low == high else f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
            shown = " + ".join(line[part].shown for part in parts) if len(parts) < MOST_ADDED else f"cells that add up to {said}"
            return f"{line[total].place.text}: {line[total].shown} is shown as the total of {shown}"
    return ""


def is_largest(table: Table, axis: int, label: str) -> bool:
    """Is the number of one label at least that of every other, wherever they are shown?"""
    for line in table.lines(axis):
        values = {other: table.plain(entry) for other, entry in line.items()}
        most = values.get(label)
        if most is None or any(other is not None and other > most for other in values.values()):
            return False
    return True


def parts_of(table: Table, axis: int, but: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Labels that everybody has exactly one of: of spans and groups the widest. None when they overlap in another way."""
    labels = [label for label in table.axes[axis].labels if label not in but]
    groups = table.axes[axis].groups
    if groups:  # what is part of another one is counted there
        inside = {part for label, parts in groups if label in labels for part in parts}
        return tuple(label for label in labels if label not in inside) or None
    spans = {label: span for label in labels if (span := span_of(label)) is not None}
    ends = {label: (span.first, inf if span.last is None else span.last) for label, span in spans.items()}
    inside = _inside_others(ends)
    widest = sorted(some for label, some in ends.items() if label not in inside)
    if any(last >= first for (_, last), (first, _) in pairwise(widest)):
        return None
    return tuple(label for label in labels if label not in inside)


def _inside_others(ends: Mapping[str, tuple[int, float]]) -> set[str]:
    """The labels whose span, given by its ends, lies within another one: found in one go from the first number on."""
    found: set[str] = set()
    widest = (-1, -1.0)  # the span that goes furthest so far
    for label, (first, last) in sorted(ends.items(), key=lambda pair: (pair[1][0], -pair[1][1])):
        if last > widest[1]:
            widest = first, last
        elif (first, last) != widest:
            found.add(label)
    return found


def everybody(table: Table, meaning: Meaning) -> CountRange:
    """How many records a table counts: its total, or else what its labels add up to; at least so many where cells are missing.

    Towns that each stand below one region are missing below no other.
    """

    def count(labels: Labels) -> CountRange | None:
        axis = len(labels)
        if axis == len(table.axes):
            entry = table.by_labels.get(labels)
            return None if entry is None else counts_of(table, entry, meaning)
        if (*labels, None) in begun and (whole := count((*labels, None))) is not None:
            return whole
        inside = [(*labels, label) for label in parts[axis]]
        counted = [count(key) if key in begun else None for key in inside if key in begun or not nested[axis]]
        known = [part for part in counted if part is not None]
        if not known:
            return None
        least = added(known)
        return CountRange(least.low, None) if len(known) < len(counted) else least

    parts = [parts_of(table, axis) or axis_.labels for axis, axis_ in enumerate(table.axes)]
    begun = {key[: axis + 1] for key in table.by_labels for axis in range(len(table.axes))}
    nested = []
    for axis in range(len(table.axes)):
        under = [key[axis] for key in begun if len(key) == axis + 1 and key[axis] is not None]
        nested.append(len(set(under)) == len(under))
    return count(()) or CountRange(0, 0)


@dataclass(frozen=True, slots=True)
class TotalsFound:
    """Labels of an axis that mean everybody, labels that are made of others, and what says so.

    `open`: the totals count others than the labels, too.
    """

    totals: tuple[str, ...] = ()
    groups: Names = ()
    clues: tuple[Clue, ...] = ()
    open: bool = False


def adds_up(table: Table, axis: int) -> bool:
    """Do the labels of an axis add up to the cells without a label, wherever both are shown?"""
    parts = parts_of(table, axis) or ()
    lines = [line for line in table.lines(axis) if None in line and all(part in line for part in parts)]
    return len(parts) > 1 and bool(lines) and not any(misses(table, line, None, parts) for line in lines)


def larger_label(table: Table, axis: int, weak: list[str], least: int = 3) -> str:
    """A label that may mean everybody and is more than the others together in every line; nothing when there is none.

    Lines with fewer labels than `least` do not tell.
    """
    lines = lines_along(table, axis)
    added_up = [sum(line.values()) for line in lines]
    for label in weak:
        known = [(line, whole) for line, whole in zip(lines, added_up, strict=True) if label in line and len(line) >= least]
        sums = [(line[label], whole - line[label]) for line, whole in known]
        if sums and all(most >= rest for most, rest in sums) and any(rest for _, rest in sums):
            return label
    return ""


def misses(table: Table, cells: Mapping[str | None, TableCell], total: str | None, parts: Sequence[str]) -> bool:
    numbers = [table.plain(cells[label]) if label in cells else None for label in (total, *parts)]
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and known[0] != sum(known[1:])


def total_or_value(table: Table, name: str, total: str, others: Sequence[str], clues: tuple[Clue, ...]) -> TableQuestion:
    choices = (
        ReadingChoice(Reads.TOTAL, (shown(total), quoted(others)), {"totals": {name: [total]}}, clues),
        ReadingChoice(Reads.VALUE, (shown(total), name), {"totals": {name: []}}),
    )
    return TableQuestion(table.source, table.name, f"variable {name}", choices)


def exceeds(table: Table, axis: int, total: str | None, parts: Sequence[str]) -> bool:
    """Are parts more than what they are parts of, anywhere?"""
    return next(exceeding(table, axis, total, parts), None) is not None


def exceeding(table: Table, axis: int, total: str | None, parts: Sequence[str]) -> Iterator[TableCell]:
    """The totals that are less than their parts together."""
    for line in table.lines(axis):
        numbers = [table.plain(line[part]) or 0 for part in parts if part in line]
        whole = table.plain(line[total]) if total in line else None
        if whole is not None and sum(numbers) > whole:
            yield line[total]
