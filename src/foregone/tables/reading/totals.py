"""What adds up: labels that mean everybody, and labels made of others. Words and codes suggest it, the numbers decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from foregone.model.alike import folded
from foregone.model.sentences import plural
from foregone.model.shown import shown
from foregone.tables.layout import Misfit
from foregone.tables.reading.levels import several_levels
from foregone.tables.reading.numbers import lines_along, sets_of, sums_found, telling_lines
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.rounded import rounded_question
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sums import TotalsFound, is_largest, larger_label, misfit, misses, parts_of
from foregone.tables.reading.unnamed_totals import unnamed_total
from foregone.tables.spans import are_moments, kind_of, span_of
from foregone.tables.table import Table, rows_text
from foregone.tables.values import Meaning
from foregone.tables.words import is_common, names_a_value, says_count, says_total

STRONG = ("total", "all", "sum", "overall", "grand", "tot", "_t")  # what begins like this is a total, or else the table is wrong
NUMBERED = re.compile(r"[0-9]+\b")  # 1 (most deprived), 2, 3
MOST_NAMED = 5  # cells of a total that does not add up


def find_total_labels(table: Table, axis: int, meaning: Meaning, sums: bool = True) -> TotalsFound | Misfit | TableQuestion:
    """The labels of an axis that are totals by their names and numbers; without such a name the numbers alone are a question.

    Without `sums` nothing but names counts: somebody has said what is made of what.
    """
    labels, column = table.axes[axis].labels, table.axes[axis].where == "columns"
    counted = column and not kind_of(labels)  # No beside Yes is no number
    said = tuple(label for label in labels if says_total(label) or (counted and says_count(label)))
    if column and len({_of_what(label) for label in said}) > 1 and all(map(_of_what, said)):
        said = ()  # total_cases beside total_deaths: these are measures
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
                larger := larger_label(table, axis, [label for label in weak if label not in totals and says_total(label)])
            ) and totals != said:
                return _near_miss(
                    table, axis, larger, misfit(table, axis, larger, parts_of(table, axis, said) or (), meaning), meaning
                )
            if not totals:
                unnamed = unnamed_total(table, axis, weak if column else ()) if sums else TotalsFound()
                return (several_levels(table, axis) or unnamed) if sums and unnamed == TotalsFound() else unnamed
            return TotalsFound(totals, clues=(Clue(Speaks.ADDS_UP, (quoted(totals),)),) if parts else ())
    nested = _inside(table, axis, said)
    return nested or _near_miss(table, axis, said[-1], wrong[0], meaning)


def _of_what(label: str) -> str:
    """What a heading is the total of: `cases` of total_cases; nothing where it does not say."""
    words = folded(label).replace("_", " ").split()
    return " ".join(words[1:]) if words[:1] == ["total"] else ""


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
        settings = {"measure": total} if table.axes[axis].where == "columns" else {"only": {name: [total]}}
        alone = ReadingChoice(Reads.ROWS, (shown(total), f" (or another: {shown(parts[0])})"), settings)
        both = ReadingChoice(Reads.ONE_VARIABLE, (quoted((*parts, total)),), {"totals": {name: []}, "exclusive": [name]})
        return TableQuestion(table.source, table.name, f"variable {name}", (alone, both))
    if less and table.axes[axis].where == "rows" and (sets := sets_of(lines, total, parts)):
        return _sets_question(table, axis, total, sets, lines)
    if less and (levels := several_levels(table, axis)) is not None:
        return levels
    if less and fitting < len(lines) / 2:
        return Misfit(f"the total does not add up; {why}; leave it out of body or numbers in a layout file, or correct it")
    if less:
        rows = [cells[total].place.row for cells in table.lines(axis) if total in cells and misses(table, cells, total, parts)]
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


def counts_others(table: Table, axis: int) -> str:
    """A total beside a single other column, and never less than it, counts others too: Smokers, All. Nothing if it is not so."""
    labels = table.axes[axis].labels
    said = [label for label in labels if says_total(label)]
    return said[0] if len(said) == 1 and len(labels) == 2 and is_largest(table, axis, said[0]) else ""


def counts_more(table: Table, axis: int, totals: tuple[str, ...], meaning: Meaning) -> bool:
    """Does a total that the layout gives count more than its parts?"""
    parts = parts_of(table, axis, totals)
    return parts is not None and any(misfit(table, axis, total, parts, meaning) for total in totals)


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
