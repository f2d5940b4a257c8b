"""Do totals add up? What decides whether a label means everybody."""

from __future__ import annotations

from itertools import combinations

from foregone.rules.rule import Counts, Totals
from foregone.tables.footnotes import dash_is_zero
from foregone.tables.meaning import ANY, Meaning, Nothing, Unclear
from foregone.tables.spans import Span, span_of
from foregone.tables.table import Entry, Table
from foregone.tables.values import Kind, value_of

MOST_ADDED = 8  # cells spelled out in a message


def counts_of(table: Table, entry: Entry, meaning: Meaning, tokens: bool = True) -> Counts | None:
    """What a cell can count; anything when that is not clear, None when there is no number.

    Without `tokens` they can mean anything: how a table is laid out does not hang on what its tokens mean.
    """
    value = value_of(entry.shown, table.dotted)
    if entry.withheld or not (tokens or value.kind == Kind.NUMBER):
        return ANY
    total = any(label is None for label in entry.labels)
    found = meaning.of(value, dash_is_zero(table.footnotes), total)
    return ANY if isinstance(found, Unclear) else None if isinstance(found, Nothing) else found


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
        low = sum(cell.low for cell in cells if cell is not None)
        high = (
            None if any(cell is None or cell.high is None for cell in cells) else sum(c.high or 0 for c in cells if c is not None)
        )
        if (whole.high is not None and low > whole.high) or (high is not None and high < whole.low):
            added = f"{low:,}" if low == high else f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
            shown = " + ".join(line[part].shown for part in parts) if len(parts) < MOST_ADDED else f"cells that add up to {added}"
            return f"{line[total].place.text}: {line[total].shown} is shown as the total of {shown}"
    return ""


def shows_exact_sums(table: Table, axis: int, total: str, parts: tuple[str, ...]) -> bool:
    """Is one label the sum of the others wherever they are shown, by plain numbers that are not all zero?"""
    seen = False
    for line in table.lines(axis):
        if not all(label in line for label in (total, *parts)):
            return False
        values = [value_of(line[label].shown, table.dotted) for label in (total, *parts)]
        if any(value.kind != Kind.NUMBER for value in values):
            return False
        numbers = [value.counts.low for value in values if value.counts is not None]
        if numbers[0] != sum(numbers[1:]):
            return False
        seen = seen or sum(1 for number in numbers[1:] if number) > 1
    return seen


def is_largest(table: Table, axis: int, label: str) -> bool:
    """Is the number of one label at least that of every other, wherever they are shown?"""
    for line in table.lines(axis):
        values = {other: value_of(entry.shown, table.dotted) for other, entry in line.items()}
        if label not in values or values[label].kind != Kind.NUMBER:
            return False
        most = values[label].counts
        others = [value.counts for value in values.values() if value.kind == Kind.NUMBER]
        if most is None or any(other is not None and other.low > most.low for other in others):
            return False
    return True


def parts_of(table: Table, axis: int, but: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Labels that everybody has exactly one of: of spans and groups the widest. None when they overlap in another way."""
    labels = [label for label in table.axes[axis].labels if label not in but]
    inside = set(dict(table.axes[axis].groups))
    if inside:
        return tuple(label for label in labels if label not in inside) or None
    spans = {label: span_of(label) for label in labels}
    if any(span is None for span in spans.values()):
        return tuple(labels)
    widest = [label for label in labels if not any(_within(spans[label], spans[other]) for other in labels if other != label)]
    for one, other in combinations(widest, 2):
        first, second = spans[one], spans[other]
        if first is not None and second is not None and first.meets(second):
            return None
    return tuple(widest)


def _within(one: Span | None, other: Span | None) -> bool:
    return one is not None and other is not None and other.holds(one) and one != other
