"""What a mark that is printed instead of a number can stand for: whole numbers from 0 up, as ranges with gaps between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from foregone.model.shown import shown

Range = tuple[int, int | None]
"""From one count to another, both included; None: no upper limit."""

Ranges = tuple[Range, ...]
"""Ranges in ascending order with at least one count missing between two of them."""

ONE = re.compile(r"([0-9]{1,18})(?:[.][.]([0-9]{0,18}))?", re.ASCII)
MOST_RANGES = 20  # of one mark


def parse_ranges(text: str) -> Ranges | None:
    """Counts as people write them: `3`, `1..4`, `5..`, several joined by `|`; None if that is not what the text says.

    >>> parse_ranges("0|5.."), parse_ranges("1..4"), parse_ranges("4..1"), parse_ranges("1..3|4..6")
    (((0, 0), (5, None)), ((1, 4),), None, ((1, 6),))
    """
    parts = [part.strip() for part in text.split("|")]
    found = [ONE.fullmatch(part) for part in parts]
    if len(parts) > MOST_RANGES or not all(found):
        return None
    made = [(int(part[1]), int(part[1]) if part[2] is None else int(part[2]) if part[2] else None) for part in found if part]
    return None if any(high is not None and high < low for low, high in made) else joined(made)


def joined(ranges: Sequence[Range]) -> Ranges:
    """Ranges in order, those that touch or overlap made one."""
    made: list[Range] = []
    for low, high in sorted(ranges, key=lambda part: part[0]):
        last = made[-1][1] if made else -2
        if made and (last is None or low <= last + 1):
            made[-1] = made[-1][0], None if last is None or high is None else max(last, high)
        else:
            made.append((low, high))
    return tuple(made)


def without(ranges: Sequence[Range], low: int, high: int | None) -> Ranges:
    """Ranges less the counts from `low` to `high`.

    >>> without(((0, None),), 1, 4)
    ((0, 0), (5, None))
    """
    left: list[Range] = []
    for first, last in ranges:
        if first < low:
            left.append((first, low - 1 if last is None else min(last, low - 1)))
        if high is not None and (last is None or last > high):
            left.append((max(first, high + 1), last))
    return joined(left)


def gaps_of(ranges: Sequence[Range]) -> tuple[tuple[int, int], ...]:
    """The counts between the ranges.

    >>> gaps_of(((0, 0), (5, None)))
    ((1, 4),)
    """
    return tuple((high + 1, low - 1) for (_, high), (low, _) in pairwise(ranges) if high is not None)


def ranges_between(low: int, high: int | None, gaps: Sequence[tuple[int, int]]) -> Ranges:
    """The counts from `low` to `high` that are in no gap; the opposite of `gaps_of`.

    >>> ranges_between(0, None, [(1, 4)])
    ((0, 0), (5, None))
    """
    return tuple(zip((low, *(last + 1 for _, last in gaps)), (*(first - 1 for first, _ in gaps), high), strict=True))


def ranges_text(ranges: Sequence[Range]) -> str:
    """As `parse_ranges` reads them.

    >>> ranges_text(((0, 0), (5, None))), ranges_text(((1, 4),))
    ('0|5..', '1..4')
    """
    return "|".join(str(low) if low == high else f"{low}..{'' if high is None else high}" for low, high in ranges)


def mark_sentence(mark: str, ranges: Sequence[Range]) -> str:
    """What a mark can stand for, as a release takes it for granted.

    >>> mark_sentence("*", ((1, 4),))
    "'*' stands for 1 to 4"
    """
    return f"{shown(mark)} stands for {ranges_words(ranges)}"


def ranges_words(ranges: Sequence[Range]) -> str:
    """In words.

    >>> ranges_words(((0, 0), (5, None))), ranges_words(((1, 4),)), ranges_words(((0, None),))
    ('0 or at least 5', '1 to 4', 'any number')
    """
    if tuple(ranges) == ((0, None),):
        return "any number"
    return " or ".join(range_text(low, high) for low, high in ranges)


def range_text(low: int | str | None, high: int | str | None) -> str:
    """What lies between two ends, of which one may be open, in words.

    >>> range_text(3, 3), range_text(1, 4), range_text(5, None), range_text(None, 2)
    ('3', '1 to 4', 'at least 5', 'at most 2')
    """
    if low is None:
        return "anything" if high is None else f"at most {high}"
    if high is None:
        return f"at least {low}"
    return str(low) if low == high else f"{low} to {high}"
