"""What adds up: labels that mean everybody, labels made of others, and what percentages are of. Words suggest, numbers decide."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from foregone.model.alike import folded
from foregone.model.figure import rounded
from foregone.model.shown import listed, shown
from foregone.rules.rule import CountRange, Totals, added
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Fits, Groups, Layout, Misfit, NotTaken, Read, TwoReadings
from foregone.tables.table import Labels, Table, TableCell
from foregone.tables.values import ANY, RAISED, CellKind, Meaning, NoNumber, Unclear, dash_is_zero, value_of
from foregone.tables.words import LabelSpan, is_common, name_by_labels, names_a_value, says_count, says_total, span_of

MOST_ADDED = 8  # cells spelled out in a message
STRONG = ("total", "all", "sum", "overall", "grand", "tot", "_t")  # what begins like this is a total, or else the table is wrong
A_TABLE_EACH = "save the rows of each as a file of its own, or give each a [[table]] with its header, body, labels and numbers"


def counts_of(table: Table, entry: TableCell, meaning: Meaning, tokens: bool = True) -> CountRange | None:
    """What a cell can count; anything when that is not clear, None when there is no number.

    Without `tokens` they can mean anything: how a table is laid out does not hang on what its tokens mean.
    """
    value = value_of(entry.shown, table.dotted)
    if entry.withheld or not (tokens or value.kind == CellKind.NUMBER):
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


def shows_exact_sums(table: Table, axis: int, total: str, parts: tuple[str, ...]) -> bool:
    """Is one label the sum of the others wherever they are shown, by plain numbers that are not all zero?"""
    seen = False
    for line in table.lines(axis):
        if not all(label in line for label in (total, *parts)):
            return False
        values = [value_of(line[label].shown, table.dotted) for label in (total, *parts)]
        if any(value.kind != CellKind.NUMBER for value in values):
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
        if label not in values or values[label].kind != CellKind.NUMBER:
            return False
        most = values[label].counts
        others = [value.counts for value in values.values() if value.kind == CellKind.NUMBER]
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


def _within(one: LabelSpan | None, other: LabelSpan | None) -> bool:
    return one is not None and other is not None and other.holds(one) and one != other


def find_total_labels(table: Table, axis: int, meaning: Meaning) -> tuple[str, ...] | Misfit | TwoReadings:
    """The labels of an axis that are totals."""
    labels, column = table.axes[axis].labels, table.axes[axis].where == "columns"
    said = tuple(label for label in labels if says_total(label) or (column and says_count(label)))
    if len(said) == len(labels):
        said = said[-1:] if len(labels) > 1 else said
    weak = tuple(label for label in said if not folded(label).startswith(STRONG))
    for totals in dict.fromkeys((said, tuple(label for label in said if label not in weak))):
        parts = parts_of(table, axis, totals)
        wrong = [] if parts is None else [why for total in totals if (why := misfit(table, axis, total, parts, meaning))]
        if not wrong and (totals or not said or totals != said):
            return totals if totals else _unsaid(table, axis, labels, weak if column else ())
    name = table.axes[axis].name
    others = f'; if it counts others too, say so in a layout file: totals = {{"{name}" = ["{said[-1]}"]}}'
    return Misfit(f"the total does not add up; {wrong[0]}{_rounded(table, meaning) or others}")


def _rounded(table: Table, meaning: Meaning) -> str:
    """A hint where numbers look rounded and no rule was named."""
    values = [value_of(entry.shown, table.dotted) for entry in table.entries]
    numbers = [value.counts.low for value in values if value.kind == CellKind.NUMBER and value.counts is not None]
    base = next((base for base in (10, 5, 3) if len(numbers) > 3 and all(number % base == 0 for number in numbers)), 0)
    return (
        f"; every number is a multiple of {base}: if they are rounded, say --rule round:{base}"
        if base and meaning.rule is None
        else ""
    )


def _unsaid(table: Table, axis: int, labels: tuple[str, ...], counted: tuple[str, ...]) -> tuple[str, ...] | TwoReadings:
    """No label is a total by its name and its numbers: one that is the sum of all others may be one all the same.

    Columns that are `counted` (Patients beside Deaths) may count everybody, and others some of them.
    """
    name = table.axes[axis].name
    for total in counted:
        if says_count(total) and is_largest(table, axis, total):
            return TwoReadings(
                f"{shown(total)} counts everybody, and {listed(shown(label) for label in labels if label != total)} some of them",
                f"{shown(total)} is a value of {name} like the others",
                f'totals = {{"{name}" = ["{total}"]}} or totals = {{"{name}" = []}}',
            )
    if len(labels) < 3 or all(span_of(label) is not None for label in labels):
        return ()
    for total in (labels[-1], labels[0]):
        if total in dict(table.axes[axis].groups):
            continue  # indentation has told already what it is made of
        others = tuple(label for label in labels if label != total)
        if shows_exact_sums(table, axis, total, others):
            return TwoReadings(
                f"{shown(total)} is the total of {listed(map(shown, others))}",
                f"{shown(total)} is a value of {name} like the others",
                f'totals = {{"{name}" = ["{total}"]}} or totals = {{"{name}" = []}}',
            )
    return ()


def counts_others(table: Table, axis: int) -> str:
    """A total beside a single other column, and never less than it, counts others too: Smokers, All. Nothing if it is not so."""
    labels = table.axes[axis].labels
    said = [label for label in labels if says_total(label)]
    return said[0] if len(said) == 1 and len(labels) == 2 and is_largest(table, axis, said[0]) else ""


def counts_more(table: Table, axis: int, totals: tuple[str, ...], meaning: Meaning) -> bool:
    """Does a total that the layout gives count more than its parts?"""
    parts = parts_of(table, axis, totals)
    return parts is not None and any(misfit(table, axis, total, parts, meaning) for total in totals)


def indented_groups(block: SheetBlock, layout: Layout) -> Groups:
    """For each column of labels the rows that have deeper ones below them; spans of numbers say by themselves what they hold."""
    found = []
    for name, column in zip(layout.rows[len(layout.rows) - len(layout.labels) :], layout.labels, strict=True):
        parts: dict[str, list[str]] = {}
        seen: set[str] = set()
        above: list[tuple[int, str]] = []  # the rows that the next one may be below, outermost first
        for row in block.body:
            label, depth = block.grid.cell(row, column), block.grid.indents.get((row, column), 0)
            if not any(block.grid.cell(row, c) for c in (*layout.numbers, *layout.percents)):
                above = []  # a heading over the rows below, not a row that they could be parts of
            elif label and label not in seen and not folded(label).startswith(STRONG):
                seen.add(label)
                above = [(deep, outer) for deep, outer in above if deep < depth]
                if above:
                    parts.setdefault(above[-1][1], []).append(label)
                above.append((depth, label))
        if parts and not all(span_of(label) is not None for label in seen):
            found.append((name, tuple((label, tuple(some)) for label, some in parts.items())))
    return tuple(found)


def check_groups(table: Table, meaning: Meaning) -> Misfit | None:
    """Do the parts of every group add up to it?"""
    for i, axis in enumerate(table.axes):
        for label, parts in axis.groups:
            if why := misfit(table, i, label, parts, meaning):
                return Misfit(
                    f"the rows indented below {shown(label)} do not add up to it; {why}; if they are values like any other, say so"
                    f' in a layout file: groups = {{"{axis.name}" = {{}}}}'
                )
    return None


def two_kinds(table: Table, axis: int) -> TwoReadings | None:
    """Labels such as Male, Female, 0-17, 18+ without a total of all of them are likely two variables, one below the other."""
    labels = [label for label in table.axes[axis].labels if not says_total(label)]
    name = table.axes[axis].name
    known = [label for label in labels if names_a_value(label)]
    spans = [label for label in labels if span_of(label) is not None]
    rest = [label for label in labels if label not in known and not is_common(label)]
    others = rest if len(known) > 1 else [label for label in rest if label not in spans]
    first = known if len(known) > 1 else spans
    if len(first) < 2 or len(others) < 2 or table.axes[axis].where == "columns" or table.axes[axis].groups:
        return None
    return TwoReadings(
        f"{listed(map(shown, first))} and {listed(map(shown, others))} are values of two variables that count the same people",
        f"all of them are values of {name}, and everybody has one of them",
        f'totals = {{"{name}" = []}} for one variable; for two, {A_TABLE_EACH}',
    )


def two_variables(
    block: SheetBlock, layout: Layout, sections: tuple[int, ...], table: Table, meaning: Meaning
) -> TwoReadings | None:
    """Rows under two headings whose numbers add up to the same may count the same people twice, by two variables."""
    column, below = layout.labels[0], {row: [r for r in block.body if r > row] for row in sections}
    parts = [
        [block.grid.cell(r, column) for r in rows if not any(row < other <= r for other in sections)] for row, rows in below.items()
    ]
    if len(parts) < 2 or table.axes[0].totals:
        return None
    kinds = {name_by_labels(tuple(labels)) or ("spans" if all(map(span_of, labels)) else "") for labels in parts}
    for line in table.lines(0) if len(kinds) == 1 else ():
        cells = [[counts_of(table, line[label], meaning, False) for label in labels if label in line] for labels in parts]
        sums = [added(cell for cell in some if cell is not None) for some in cells]
        if not all(one.meets(other) for one, other in combinations(sums, 2)):
            return None
    heads = [shown(block.grid.cell(row, column)) for row in sections]
    return TwoReadings(
        f"{listed(heads)} are values of several variables that count the same people",
        f"all of their rows are values of {layout.rows[0]}",
        f'sections = "" for one variable; for several, {A_TABLE_EACH}',
    )


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
        part, whole = (_counts_at(table, labels, meaning) for labels in (entry.labels, base))
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


def _counts_at(table: Table, labels: Labels, meaning: Meaning) -> CountRange | None:
    entry = table.by_labels.get(labels)
    return None if entry is None else counts_of(table, entry, meaning)


def find_bases(layout: Layout, table: Table, meaning: Meaning, given: Mapping[str, Any]) -> Read:
    """What percentages are of: the one way that fits all of them."""
    if not layout.percents:
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
        one, other = (_of(names, over) for over in found[:2])
        lists = " or ".join(f"percent_within = {_toml(names, over)}" for over in found[:2])
        return TwoReadings(f"the percentages are of {one}", f"of {other}", lists)
    within = tuple(name for i, name in enumerate(names) if i not in found[0])
    return Fits(replace(layout, within=within), with_bases(table, found[0]))


def _of(names: list[str], over: tuple[int, ...]) -> str:
    kept = [name for i, name in enumerate(names) if i not in over]
    return f"the total for each {' and '.join(kept)}" if kept else "the total of everything"


def _toml(names: list[str], over: tuple[int, ...]) -> str:
    return f"[{', '.join(json.dumps(name, ensure_ascii=False) for i, name in enumerate(names) if i not in over)}]"
