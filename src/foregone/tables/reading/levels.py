"""Labels of several levels in any order: a country, its regions and their towns in one column, each level counting everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from foregone.model.shown import shown
from foregone.tables.layout import Misfit
from foregone.tables.reading.numbers import lines_along
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import clue_text, quoted, toml_value
from foregone.tables.table import Table

Line = Mapping[str, int]
SURE = 10  # bits beyond those that a sum needs by accident: one in a thousand
MOST_HALVED = 30  # labels of which all sets are looked at, half and half
FEW = 5  # lines in which sets are looked for; all others must agree
LEVELS = range(3, 8)


def several_levels(table: Table, axis: int) -> TableQuestion | Misfit | None:
    """A label that some of the others add up to, and not all: the others are parts of those, or their groups."""
    one = table.axes[axis]
    if one.groups or one.where == "columns" or len(one.labels) < FEW:
        return None
    lines = lines_along(table, axis)
    full = [line for line in lines if all(label in line for label in one.labels)]
    if not full or 2 * len(full) < len(lines):
        return None
    whole = max(one.labels, key=lambda label: full[0][label])
    rest = tuple(label for label in one.labels if label != whole)
    level = adding_up(full, whole, rest)
    again = {divmod(sum(line.values()), max(1, line[whole])) for line in full}
    times = next((n for n, left in again if len(again) == 1 and not left and n in LEVELS), 0)
    if times and _bits(full, whole) < SURE + log2(len(LEVELS)):
        times = 0
    if times == LEVELS[0] and level:  # the remaining ones add up to it, too
        level = max(level, tuple(label for label in rest if label not in level), key=len)
    if not level and not times:
        return None
    clue = Clue(Speaks.LEVELS, (shown(whole), str(times))) if times else Clue(
        Speaks.SUMS_FOUND, (shown(whole), quoted(level), str(len(full)), str(len(lines)))
    )  # fmt: skip
    if not level:
        return Misfit(
            f"{clue_text(clue)}, so {one.name} has labels of several levels, each of which counts everybody; take those of one"
            f" level with only = {{{toml_value(one.name)} = [...]}} in a layout file"
        )
    taken = [whole, *level]
    choices = (
        ReadingChoice(Reads.LEVEL, (quoted(taken),), {"only": {one.name: taken}}, (clue,)),
        ReadingChoice(Reads.ONE_VARIABLE, (quoted(one.labels),), {"totals": {one.name: []}, "exclusive": [one.name]}),
    )
    return TableQuestion(table.source, table.name, f"variable {one.name}", choices)


def adding_up(lines: Sequence[Line], whole: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Some labels, several but not all, that add up to another one in every line; nothing where that could be an accident.

    >>> rows = [{"All": 700, "N": 300, "S": 400, "A": 107, "B": 193}, {"All": 901, "N": 411, "S": 490, "A": 222, "B": 189}]
    >>> adding_up(rows, "All", ["A", "N", "B", "S"])
    ('N', 'S')
    """
    lines = sorted(lines, key=lambda line: -line[whole])
    for found in (_largest(lines, whole, labels), _half_and_half(lines[:FEW], whole, labels)):
        if 1 < len(found) < len(labels) and all(line[whole] == sum(line[label] for label in found) for line in lines):
            return found
    return ()


def _bits(lines: Sequence[Line], whole: str) -> float:
    """How much it says that a sum equals this label in every line."""
    return sum(log2(1 + line[whole]) for line in lines)


def _largest(lines: Sequence[Line], whole: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The largest labels that together reach another one: regions are mostly larger than towns."""
    if _bits(lines, whole) < SURE + log2(len(labels)):
        return ()
    left, taken = lines[0][whole], set()
    for label in sorted(labels, key=lambda label: -lines[0][label]):
        if left <= 0:
            break
        left -= lines[0][label]
        taken.add(label)
    return tuple(label for label in labels if label in taken)


def _half_and_half(lines: Sequence[Line], whole: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Sums of all sets of the first half of the labels are looked up for each set of the second half."""
    if len(labels) > MOST_HALVED or _bits(lines, whole) < SURE + len(labels):
        return ()  # that many sets add up to anything
    target = tuple(line[whole] for line in lines)
    columns = [tuple(line[label] for line in lines) for label in labels]
    half = len(labels) // 2
    first = _sums(columns[:half], target)
    for added, chosen in _sums(columns[half:], target).items():
        left = tuple(a - b for a, b in zip(target, added, strict=True))
        if left in first:
            bits = first[left] | chosen << half
            if 1 < bits.bit_count() < len(labels):
                return tuple(label for i, label in enumerate(labels) if bits >> i & 1)
    return ()


def _sums(columns: Sequence[tuple[int, ...]], most: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """The sums of all sets of columns that are nowhere more than a target, each with one such set as bits."""
    found = {tuple(0 for _ in most): 0}
    for i, column in enumerate(columns):
        for added, chosen in list(found.items()):
            more = tuple(a + b for a, b in zip(added, column, strict=True))
            if all(a <= b for a, b in zip(more, most, strict=True)):
                found.setdefault(more, chosen | 1 << i)
    return found
