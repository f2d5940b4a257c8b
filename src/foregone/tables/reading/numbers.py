"""What the numbers of a table say by themselves: which labels are sums of others, which never exceed others, which run on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from math import gcd

from foregone.tables.table import Table
from foregone.tables.values import CellKind, value_of

MOST_LINES = 200  # that are looked at, evenly spread; what they say is confirmed by all where it matters
MOST_LABELS = 400
ENOUGH = 5  # lines with several numbers that a sum must fit before it is believed without being asked
BASES = {1000: 5, 100: 5, 10: 6, 5: 8, 3: 10}  # what is rounded to, and how many numbers it takes to tell

Line = Mapping[str, int]
"""The plain numbers along one axis, by label."""


def plain(text: str, dotted: bool) -> int | None:
    """The number that a cell shows; None for signs, ranges and blanks."""
    value = value_of(text, dotted)
    return value.counts.low if value.kind == CellKind.NUMBER and value.counts is not None else None


def lines_along(table: Table, axis: int, most: int = MOST_LINES) -> list[dict[str, int]]:
    """Plain numbers by label for each combination of labels of the other axes, of many lines some."""
    found = list(table.lines(axis))
    step = max(1, -(-len(found) // most))
    made = []
    for line in found[::step]:
        numbers = {label: table.plain(entry) for label, entry in line.items() if label is not None}
        made.append({label: number for label, number in numbers.items() if number is not None})
    return made


def sums_found(lines: Sequence[Line], labels: Sequence[str], after: bool = True) -> dict[str, tuple[str, ...]]:
    """Label -> the labels next to it that add up to it in every line, whole trees of them.

    >>> rows = [{"All": 6, "A": 3, "A1": 1, "A2": 2, "B": 3}, {"All": 15, "A": 9, "A1": 4, "A2": 5, "B": 6}]
    >>> sums_found(rows, ["All", "A", "A1", "A2", "B"])
    {'A': ('A1', 'A2'), 'All': ('A', 'B')}
    """
    if len(labels) > MOST_LABELS:
        return {}
    complete = [line for line in lines if all(label in line for label in labels)]
    if len(complete) < min(2, len(lines)) or len(complete) < len(lines) / 3:
        return {}
    columns = {label: [line[label] for line in complete] for label in labels}
    found: dict[str, tuple[str, ...]] = {}
    roots: list[str] = []  # labels that are no part of another so far, the nearest last
    for label in reversed(labels) if after else labels:
        whole, added = columns[label], [0] * len(complete)
        for taken, part in enumerate(reversed(roots), start=1):
            added = [a + b for a, b in zip(added, columns[part], strict=True)]
            if any(a > b for a, b in zip(added, whole, strict=True)):
                break
            if taken > 1 and added == whole and _telling(columns, roots[len(roots) - taken :]):
                parts = tuple(reversed(roots[len(roots) - taken :]))
                found[label] = parts if after else parts[::-1]
                del roots[len(roots) - taken :]
                break
        roots.append(label)
    return found


def _telling(columns: Mapping[str, list[int]], parts: Sequence[str]) -> bool:
    """Are there lines in which several parts are not zero? A sum of one number says nothing."""
    return any(sum(1 for part in parts if columns[part][i]) > 1 for i in range(len(columns[parts[0]])))


def telling_lines(lines: Sequence[Line], total: str, parts: Sequence[str]) -> int:
    """In how many lines does a total equal the sum of parts of which several are not zero?"""
    return sum(
        1
        for line in lines
        if total in line
        and all(part in line for part in parts)
        and sum(1 for part in parts if line[part]) > 1
        and line[total] == sum(line[part] for part in parts)
    )


def equal_sets(lines: Sequence[Line], labels: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Two neighbouring sets of labels that add up to the same in every line, each of several labels; None when there are none."""
    complete = [line for line in lines if all(label in line for label in labels)]
    if len(complete) < 2 or not 4 <= len(labels) <= 80:
        return None
    running = [tuple(0 for _ in complete)]
    for label in labels:
        running.append(tuple(a + line[label] for a, line in zip(running[-1], complete, strict=True)))
    ends: dict[tuple[int, ...], tuple[int, int]] = {}  # twice the middle equals the two ends together
    for i, one in enumerate(running):
        for j in range(i + 2, len(running)):
            middle = tuple(2 * b - a for a, b in zip(one, running[j], strict=True))
            ends.setdefault(middle, (i, j))
    best = None
    for k, last in enumerate(running):
        if (found := ends.get(last)) is not None and k >= found[1] + 2 and running[found[0]] != running[found[1]]:
            i, j = found
            if best is None or k - i > len(best[0]) + len(best[1]):
                best = tuple(labels[i:j]), tuple(labels[j:k])
    return best


def sets_of(lines: Sequence[Line], total: str, parts: Sequence[str]) -> list[tuple[str, ...]]:
    """The labels cut into neighbouring sets that each add up to a total in every line; nothing when they cannot be.

    >>> sets_of([{"All": 9, "F": 4, "M": 5, "Young": 2, "Old": 7}, {"All": 5, "F": 3, "M": 2, "Young": 1, "Old": 4}], "All",
    ...     ["F", "M", "Young", "Old"])
    [('F', 'M'), ('Young', 'Old')]
    """
    complete = [line for line in lines if total in line and all(part in line for part in parts)]
    found: list[tuple[str, ...]] = []
    taken: list[str] = []
    for part in parts:
        taken.append(part)
        sums = [sum(line[label] for label in taken) for line in complete]
        if sums == [line[total] for line in complete]:
            found.append(tuple(taken))
            taken = []
    return found if complete and not taken and len(found) > 1 else []


def contained(lines: Sequence[Line], labels: Sequence[str]) -> tuple[str, str, int] | None:
    """A label whose number never exceeds that of another, and in how many lines; None when there is none."""
    for one in labels[:40]:
        for other in labels[:40]:
            both = [(line[one], line[other]) for line in lines if one in line and other in line]
            if one != other and len(both) > 2 and all(a <= b for a, b in both) and any(a < b for a, b in both):
                return one, other, len(both)
    return None


def running_sum(values: Sequence[int], steps: Sequence[int]) -> bool:
    """Is each number the one before plus what is new? A few rows may be corrected.

    >>> running_sum([1, 1, 4, 9], [1, 0, 3, 5]), running_sum([1, 2, 3], [1, 2, 3])
    (True, False)
    """
    pairs = [(after - before, step) for (before, after), step in zip(pairwise(values), steps[1:], strict=False)]
    fitting = sum(1 for grown, step in pairs if grown == step)
    return len(pairs) > 2 and fitting >= 0.95 * len(pairs) and sum(1 for _, step in pairs if step) > 1


def hardly_falls(lines: Sequence[Sequence[int]]) -> bool:
    """Do numbers over time grow ten times as often as they fall? New records each time fall about as often as they grow.

    >>> hardly_falls([[1, 2, 2, 5, 9, 12, 13]]), hardly_falls([[1, 4, 2, 5, 3, 9, 2, 5, 6]])
    (True, False)
    """
    steps = [after - before for line in lines for before, after in pairwise(line)]
    rises, falls = sum(1 for step in steps if step > 0), sum(1 for step in steps if step < 0)
    return rises >= ENOUGH and falls <= rises / 10


def common_multiple(numbers: Sequence[int], doubted: bool = False) -> int:
    """The base that all numbers are multiples of, where that is no accident; 0 when there is none.

    `doubted`: something else speaks for rounding, and fewer numbers will do.

    >>> common_multiple([5, 10, 35, 40, 15, 20, 5, 60]), common_multiple([5, 10, 35]), common_multiple([5, 10, 35, 40], True)
    (5, 0, 5)
    """
    some = [number for number in numbers if number]
    if len(set(some)) < (2 if doubted else 4):
        return 0
    base = reduce(gcd, some)
    for known, enough in BASES.items():
        if base % known == 0 and len(some) >= (4 if doubted else enough):
            return known
    return 0
