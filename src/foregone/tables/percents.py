"""Percentages: which count each is of. The headings pair them with counts, the numbers decide what they are taken of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from foregone.model.alike import folded
from foregone.model.figure import rounded
from foregone.rules.rule import Counts
from foregone.tables.meaning import Meaning
from foregone.tables.sums import counts_of, parts_of
from foregone.tables.table import Entry, Labels, Table
from foregone.tables.values import RAISED, Kind, value_of

WORDS = re.compile(r"(?i)\(?\b(percentage|percent|per cent|pct|share|row|column|col)\b( of)?\)?|\(?%\)?|\(n\)|\bn\b")


def bare(heading: str) -> str:
    """A heading without the words that say percentage or number.

    >>> bare("Male (%)"), bare("% female"), bare("Male n"), bare("%")
    ('Male', 'female', 'Male', '')
    """
    return " ".join(WORDS.sub(" ", heading).split()).strip(" -:,")


def paired(heads: Mapping[int, str], counts: tuple[int, ...]) -> Mapping[int, str]:
    """For each column of percentages the heading of the counts it goes with: the same words, or the next one on the left."""
    known = {folded(bare(heads[c]) or heads[c]): heads[c] for c in counts}
    found = {}
    for column, heading in heads.items():
        if column in counts:
            continue
        words = folded(bare(heading))
        left = [c for c in counts if c < column]
        if words in known:
            found[column] = known[words]
        else:
            found[column] = bare(heading) or (heads[max(left)] if left else "")
    return found


def printed(entry: Entry, table: Table) -> str:
    """The digits of a percentage; nothing where it shows something else."""
    value = value_of(entry.shown, table.dotted)
    if value.kind in (Kind.PERCENT, Kind.DECIMAL):
        return value.printed
    if value.kind != Kind.NUMBER or value.counts is None:
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


def _fits(table: Table, some: list[Entry], over: tuple[int, ...], meaning: Meaning) -> bool:
    tested = False
    for entry in some:
        base = base_of(entry.labels, over)
        low, high = rounded(printed(entry, table))
        part, whole = (_counts(table, labels, meaning) for labels in (entry.labels, base))
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


def _possible(part: Counts, whole: Counts, low: Fraction, high: Fraction) -> bool:
    """Can some count within `part` be this percentage of some count within `whole`?"""
    if whole.high == 0:
        return False
    least = 0 if whole.high is None else Fraction(100 * part.low, whole.high)
    most = None if part.high is None or whole.low == 0 else Fraction(100 * part.high, whole.low)
    return least <= high and (most is None or low <= most)


def _add_up(table: Table, some: list[Entry], over: tuple[int, ...]) -> bool | None:
    """Do percentages of the same base add up to 100 over one axis? None: nowhere are all of them shown."""
    if len(over) != 1 or table.axes[over[0]].open:
        return None
    parts = parts_of(table, over[0])
    if parts is None:
        return None
    lines: dict[Labels, dict[str | None, Entry]] = {}
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


def _counts(table: Table, labels: Labels, meaning: Meaning) -> Counts | None:
    entry = table.by_labels.get(labels)
    return None if entry is None else counts_of(table, entry, meaning)
