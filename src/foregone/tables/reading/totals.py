"""What adds up: labels that mean everybody, and labels made of others. Words and codes suggest it, the numbers decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import gcd

from foregone.model.alike import folded
from foregone.model.sentences import plural
from foregone.model.shown import shown
from foregone.rules.rule import CountRange, Totals, added
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Groups, Layout, Misfit, Names
from foregone.tables.reading.numbers import ENOUGH, common_multiple, lines_along, plain, sets_of, sums_found, telling_lines
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.table import Labels, Table, TableCell, rows_text
from foregone.tables.values import ANY, CellKind, Meaning, NoNumber, Unclear, dash_is_zero, value_of
from foregone.tables.words import (
    LabelSpan,
    are_moments,
    is_common,
    kind_of,
    names_a_value,
    says_count,
    says_total,
    span_of,
    words_in,
)

MOST_ADDED = 8  # cells spelled out in a message
STRONG = ("total", "all", "sum", "overall", "grand", "tot", "_t")  # what begins like this is a total, or else the table is wrong
REMAINDER = " (any other)"  # part of a label whose other parts do not add up to it
MANY = 6  # labels of which one is more than all others together only if it means everybody, or nearly
NUMBERED = re.compile(r"[0-9]+\b")  # 1 (most deprived), 2, 3
MOST_NAMED = 5  # cells of a total that does not add up


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
    spans = {label: span_of(label) for label in labels}
    widest = [label for label in labels if not any(_within(spans[label], spans[other]) for other in labels if other != label)]
    for one, other in combinations(widest, 2):
        first, second = spans[one], spans[other]
        if first is not None and second is not None and first.meets(second):
            return None
    return tuple(widest)


def everybody(table: Table, meaning: Meaning) -> CountRange:
    """How many records a table counts: its total, or else what its labels add up to."""

    def count(labels: Labels) -> CountRange | None:
        axis = len(labels)
        if axis == len(table.axes):
            entry = table.by_labels.get(labels)
            return None if entry is None else counts_of(table, entry, meaning)
        if (*labels, None) in begun and (whole := count((*labels, None))) is not None:
            return whole
        parts = [count((*labels, label)) for label in parts_of(table, axis) or table.axes[axis].labels if (*labels, label) in begun]
        known = [part for part in parts if part is not None]
        return added(known) if known else None

    begun = {key[: axis + 1] for key in table.by_labels for axis in range(len(table.axes))}
    return count(()) or CountRange(0, 0)


def _within(one: LabelSpan | None, other: LabelSpan | None) -> bool:
    return one is not None and other is not None and other.holds(one) and one != other


@dataclass(frozen=True, slots=True)
class TotalsFound:
    """Labels of an axis that mean everybody, labels that are made of others, and what says so.

    `open`: the totals count others than the labels, too.
    """

    totals: tuple[str, ...] = ()
    groups: Names = ()
    clues: tuple[Clue, ...] = ()
    open: bool = False


def find_total_labels(table: Table, axis: int, meaning: Meaning, sums: bool = True) -> TotalsFound | Misfit | TableQuestion:
    """The labels of an axis that are totals by their names and numbers; without such a name the numbers alone are a question.

    Without `sums` nothing but names counts: somebody has said what is made of what.
    """
    labels, column = table.axes[axis].labels, table.axes[axis].where == "columns"
    counted = column and not kind_of(labels)  # No beside Yes is no number
    said = tuple(label for label in labels if says_total(label) or (counted and says_count(label)))
    if len(said) == len(labels):
        said = said[-1:] if len(labels) > 1 else said
    if len(labels) < 2:
        return TotalsFound(said if len(labels) == 1 and says_total(labels[0]) else ())
    weak = tuple(label for label in said if not _strong(label))
    for totals in dict.fromkeys((said, tuple(label for label in said if label not in weak))):
        parts = parts_of(table, axis, totals)
        wrong = [] if parts is None else [why for total in totals if (why := misfit(table, axis, total, parts, meaning))]
        if not wrong and parts and any(total in weak and not _tested(table, axis, total, parts) for total in totals):
            continue  # a name alone that may mean something else proves nothing
        if not wrong and (totals or not said or totals != said):
            if (
                larger := _larger(table, axis, [label for label in weak if label not in totals and says_total(label)])
            ) and totals != said:
                return _near_miss(
                    table, axis, larger, misfit(table, axis, larger, parts_of(table, axis, said) or (), meaning), meaning
                )
            if not totals:
                return _unsaid(table, axis, weak if column else ()) if sums else TotalsFound()
            return TotalsFound(totals, clues=(Clue(Speaks.ADDS_UP, (quoted(totals),)),) if parts else ())
    nested = _inside(table, axis, said)
    return nested or _near_miss(table, axis, said[-1], wrong[0], meaning)


def _strong(label: str) -> bool:
    text = folded(label)
    return text.startswith(STRONG) or text.endswith((" total", " totals"))


def _tested(table: Table, axis: int, total: str, parts: tuple[str, ...]) -> bool:
    """Is there a line that has a total and all that it is made of? Where these are percentages nothing can be added up."""
    if not any(part in line for line in table.lines(axis) for part in parts):
        return True
    # a column of signs alone adds up to anything
    return any(
        total in line and table.plain(line[total]) is not None and all(part in line for part in parts)
        for line in table.lines(axis)
    )


def adds_up(table: Table, axis: int) -> bool:
    """Do the labels of an axis add up to the cells without a label, wherever both are shown?"""
    parts = parts_of(table, axis) or ()
    lines = [line for line in table.lines(axis) if None in line and all(part in line for part in parts)]
    return len(parts) > 1 and bool(lines) and not any(_misses(table, line, None, parts) for line in lines)


def _larger(table: Table, axis: int, weak: list[str]) -> str:
    """A label that may mean everybody and is more than the others together in every line; nothing when there is none."""
    lines = lines_along(table, axis)
    for label in weak:
        sums = [(line[label], sum(line.values()) - line[label]) for line in lines if label in line and len(line) > 2]
        if sums and all(whole >= rest for whole, rest in sums) and any(rest for _, rest in sums):
            return label
    return ""


def _inside(table: Table, axis: int, said: tuple[str, ...]) -> TotalsFound | None:
    """Totals of totals: sums among the labels that end in one label of everybody."""
    labels = table.axes[axis].labels
    lines = lines_along(table, axis)
    for after in (True, False):
        found = sums_found(lines, labels, after)
        parts = {part for some in found.values() for part in some}
        roots = [label for label in labels if label not in parts]
        if len(roots) == 1 and roots[0] in said and all(label in found for label in said):
            groups = tuple((label, some) for label, some in found.items() if label != roots[0])
            return TotalsFound((roots[0],), groups, (Clue(Speaks.GROUPS_ADD_UP, (quoted(found),)),))
    return None


def _near_miss(table: Table, axis: int, total: str, why: str, meaning: Meaning) -> Misfit | TableQuestion:
    """A label called a total that is not the sum of the others: rounded, of others too, or wrong in some rows."""
    if (rounding := rounded_question(table, meaning, True)) is not None:
        return rounding
    name = table.axes[axis].name
    parts = parts_of(table, axis, (total,)) or ()
    lines = [line for line in lines_along(table, axis, 10**6) if total in line and all(part in line for part in parts)]
    less = [line for line in lines if line[total] < sum(line[part] for part in parts)]
    fitting = telling_lines(lines, total, parts)
    if len(parts) == 1:  # two numbers for the same people
        alone = ReadingChoice(Reads.ROWS, (shown(total), f" (or another: {shown(parts[0])})"), {"only": {name: [total]}})
        both = ReadingChoice(Reads.ONE_VARIABLE, (quoted((*parts, total)),), {"totals": {name: []}, "exclusive": [name]})
        return TableQuestion(table.source, table.name, f"variable {name}", (alone, both))
    if less and table.axes[axis].where == "rows" and (sets := sets_of(lines, total, parts)):
        return _sets_question(table, axis, total, sets, lines)
    if less and fitting < len(lines) / 2:
        return Misfit(f"the total does not add up; {why}; leave it out of body or numbers in a layout file, or correct it")
    if less:
        rows = [cells[total].place.row for cells in table.lines(axis) if total in cells and _misses(table, cells, total, parts)]
        named = ", ".join(map(str, rows[:MOST_NAMED])) + (f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else "")
        return Misfit(
            f"the total adds up in {fitting:,} of {len(lines):,} lines, but not in {plural('row', len(rows))} {named}; {why};"
            " correct them, or leave them out of body in a layout file"
        )
    said = Clue(Speaks.SAID, (shown(total),))
    open_ = ReadingChoice(
        Reads.OPEN_TOTAL, (shown(total), quoted(parts)), {"totals": {name: [total]}}, (said, Clue(Speaks.MISSES, (why,)))
    )
    value = ReadingChoice(Reads.VALUE, (shown(total), name), {"totals": {name: []}})
    return TableQuestion(table.source, table.name, f"variable {name}", (open_, value))


def _sets_question(
    table: Table, axis: int, total: str, sets: Sequence[tuple[str, ...]], lines: Sequence[Mapping[str, int]]
) -> TableQuestion:
    """Sets of labels of which each adds up to the same total are by several variables: one of them can be taken."""
    name = table.axes[axis].name
    every = [label for some in sets for label in some]
    clues = tuple(Clue(Speaks.SUMS_FOUND, (shown(total), quoted(some), str(len(lines)), str(len(lines)))) for some in sets[:2])
    first = ReadingChoice(
        Reads.TWO_VARIABLES, (" and ".join(map(quoted, sets[:2])),), {"only": {name: [total, *sets[0]]}}, clues
    )
    one = ReadingChoice(Reads.ONE_VARIABLE, (quoted(every),), {"totals": {name: []}, "exclusive": [name]})
    return TableQuestion(table.source, table.name, f"variable {name}", (first, one))


def _misses(table: Table, cells: Mapping[str | None, TableCell], total: str | None, parts: Sequence[str]) -> bool:
    numbers = [table.plain(cells[label]) if label in cells else None for label in (total, *parts)]
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and known[0] != sum(known[1:])


def rounded_question(
    table: Table, meaning: Meaning, doubted: bool = False, beside: Iterable[str] = ()
) -> TableQuestion | None:
    """Are all numbers multiples of one base, and no rule was named that says so? `doubted`: a total does not add up.

    `beside` are further numbers of the file: where there are few, they tell with them.
    """
    if meaning.rule is not None or meaning.exact or table.unit > 1:
        return None
    cells = [entry for entry in table.entries if not entry.percent and not entry.withheld]
    texts = [entry.shown for entry in cells if doubted or None not in entry.labels]  # totals follow from the others
    numbers = [number for text in texts if (number := plain(text, table.dotted)) is not None]
    base = common_multiple(numbers, doubted)
    if not base and reduce(gcd, numbers, 0) > 1:
        numbers = [*numbers, *(number for text in beside if (number := plain(text, table.dotted)) is not None)]
        base = common_multiple(numbers)
    if not base:
        return None
    clue = Clue(Speaks.MULTIPLES, (f"{len(numbers):,}", str(base)))
    known = meaning.rules_that_fit({text for text in texts if value_of(text, table.dotted).kind != CellKind.BLANK})
    rule = f"round:{base}" if base != 3 else "rr3"
    others = f"; a rule that fits, too, is {' or '.join(known)}" if known else ""
    return TableQuestion(
        table.source,
        table.name,
        "",
        (
            ReadingChoice(Reads.ROUNDED, (str(base), others), whole={"rule": rule}, clues=(clue,)),
            ReadingChoice(Reads.EXACT, whole={"rule": "exact"}),
        ),
    )


def _unsaid(table: Table, axis: int, counted: tuple[str, ...]) -> TotalsFound | TableQuestion:
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
        return _total_or_value(table, name, whole, rest, (clue,))
    if len(labels) < 3 or all(span_of(label) is not None for label in labels) or are_moments(one.own_name, labels):
        return TotalsFound()
    for after in (True, False):
        found = sums_found(lines, labels, after)
        if found and all(telling_lines(lines, total, some) for total, some in found.items()):
            return _sums(table, axis, lines, found)
    for total in (labels[-1], labels[0]):
        rest = tuple(label for label in labels if label != total)
        full = [line for line in lines if all(label in line for label in labels)]
        fitting = telling_lines(full, total, rest)
        if fitting >= max(2, 0.6 * len(full)):
            misses = f"but not in {len(full) - fitting} other{'s' if len(full) - fitting > 1 else ''}"
            clue = Clue(Speaks.SUMS_FOUND, (shown(total), quoted(rest), str(fitting), f"{len(full)}, {misses}"))
            return _total_or_value(table, name, total, rest, (clue,))
    if len(labels) >= MANY and not kind_of(labels) and (whole := _larger(table, axis, list(labels))):
        others = quoted(label for label in labels if label != whole)
        clues = (Clue(Speaks.LARGEST, (shown(whole),)),)
        everybody = ReadingChoice(Reads.OPEN_TOTAL, (shown(whole), others), {"totals": {name: [whole]}}, clues)
        value = ReadingChoice(Reads.VALUE, (shown(whole), name), {"totals": {name: []}})
        return TableQuestion(table.source, table.name, f"variable {name}", (everybody, value))
    return TotalsFound()


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
        return _total_or_value(table, one.name, whole, rest, clues)
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
        return _total_or_value(table, one.name, whole, found[whole], clues)
    groups = {label: list(some) for label, some in found.items() if label != whole}
    settings = {"groups": {one.name: groups}, "totals": {one.name: [whole] if whole else []}}
    values = ReadingChoice(Reads.VALUE, (quoted(found), one.name), {"groups": {one.name: {}}, "totals": {one.name: []}})
    return TableQuestion(
        table.source, table.name, f"variable {one.name}", (ReadingChoice(Reads.SUMS, (quoted(found),), settings, clues), values)
    )


def _total_or_value(table: Table, name: str, total: str, others: Sequence[str], clues: tuple[Clue, ...]) -> TableQuestion:
    choices = (
        ReadingChoice(Reads.TOTAL, (shown(total), quoted(others)), {"totals": {name: [total]}}, clues),
        ReadingChoice(Reads.VALUE, (shown(total), name), {"totals": {name: []}}),
    )
    return TableQuestion(table.source, table.name, f"variable {name}", choices)


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
        code = {label: dict(axis.coded).get(label, label).split()[0] for label in axis.labels}
        for label, parts in axis.groups:
            why = misfit(table, i, label, parts, meaning)
            if why and not coded and exceeds(table, i, label, parts):
                return Misfit(
                    f"the rows indented below {shown(label)} do not add up to it; {why}; if they are values like any other, say so"
                    f' in a layout file: groups = {{"{axis.name}" = {{}}}}'
                )
            near = len(code[label]) + 1 >= len(code[parts[0]]) and code[label].isdigit()
            if why and coded and (near or exceeds(table, i, label, parts)):
                continue  # codes that begin alike by accident
            groups.append((label, (*parts, f"{label}{REMAINDER}") if why else parts))
        if tuple(groups) != axis.groups:
            table = table.with_axis(i, replace(axis, groups=tuple(groups)), {})
    return table


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


def two_kinds(table: Table, axis: int) -> TableQuestion | None:
    """Labels such as Male, Female, 0-17, 18+ without a total of all of them are likely two variables, one below the other."""
    labels = [label for label in table.axes[axis].labels if not says_total(label)]
    name = table.axes[axis].name
    if are_moments(table.axes[axis].own_name, labels):
        return None
    known = [label for label in labels if names_a_value(label)]
    spans = [label for label in labels if span_of(label) is not None]
    rest = [label for label in labels if label not in known and not is_common(label)]
    others = rest if len(known) > 1 else [label for label in rest if label not in spans and not NUMBERED.match(label)]
    first = known if len(known) > 1 else spans
    if len(first) < 2 or len(others) < 2 or table.axes[axis].where == "columns" or table.axes[axis].groups:
        return None
    settings = {"totals": {name: []}, "exclusive": [name]}
    rows = sorted({entry.place.row for entry in table.entries if entry.labels[axis] in first})
    two = ReadingChoice(Reads.TWO_VARIABLES, (f"{quoted(first)} and {quoted(others)}",), {"body": rows_text(tuple(rows))})
    one = ReadingChoice(Reads.ONE_VARIABLE, (quoted(labels),), settings)
    return TableQuestion(table.source, table.name, f"variable {name}", (two, one))
