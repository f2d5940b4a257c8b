"""Tables of the same shape with other numbers: a sheet for each year, or for men and for women, counts other people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from foregone.model.shown import shown
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.spans import are_moments
from foregone.tables.table import Labels, Table
from foregone.tables.words import name_by_labels

ENOUGH = 5  # cells that must be no less than the others together before a table is taken for that of everybody
MOST = 0.9  # of these cells; where a few are less, it is asked


def tables_apart(tables: Sequence[Table], answered: Sequence[str]) -> list[TableQuestion]:
    """A question for each table that shows other numbers about the same labels than another one; `answered` are asked no more."""
    questions = []
    for alike in _alike([table for table in tables if table.name not in answered and not table.fixed]):
        values = _values(alike)
        whole, lines, known = _whole(alike)
        own = "period" if are_moments("", values) else "sheet" if alike[0].sheet else "counted in"
        name = name_by_labels(tuple(values)) or own
        for table, value in zip(alike, values, strict=True):
            other = next(one for one in alike if one is not table and one is not whole)
            clue = _difference(table, other)
            apart = ReadingChoice(
                Reads.OTHER_RECORDS, (table.name, other.name, name, shown(value)), {"fixed": {name: value}}, (clue,) if clue else ()
            )
            left = ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True})
            choices = (apart, left)
            if table is whole:
                if lines == known:  # it counts everybody
                    continue
                everybody = Clue(Speaks.MOSTLY_WHOLE, (table.name, str(lines), str(known)))
                choices = (replace(left, clues=(everybody,)), apart)
            questions.append(TableQuestion(table.source, table.name, "", choices))
    return questions


def _alike(tables: Sequence[Table]) -> list[list[Table]]:
    """Sets of tables with the same variables whose numbers mostly differ where their labels are the same."""
    found: list[list[Table]] = []
    for table in tables:
        mates = next((some for some in found if _differs(some[0], table)), None)
        if mates is None:
            found.append([table])
        else:
            mates.append(table)
    return [some for some in found if len(some) > 1]


def _common(one: Table, other: Table) -> list[Labels]:
    """The labels of cells that both have, where both have the same variables."""
    if not one.axes or [axis.where for axis in one.axes] != [axis.where for axis in other.axes]:
        return []
    alike = all(
        first.name == second.name or not (first.named and second.named) for first, second in zip(one.axes, other.axes, strict=True)
    )
    return [labels for labels in one.by_labels if labels in other.by_labels] if alike else []


def _differs(one: Table, other: Table) -> bool:
    common = _common(one, other)
    if 2 * len(common) <= min(len(one.by_labels), len(other.by_labels)) or len(common) < 2:
        return False
    pairs = [(one.plain(one.by_labels[labels]), other.plain(other.by_labels[labels])) for labels in common]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return sum(1 for a, b in known if a != b) > len(known) / 2 or not known


def _difference(one: Table, other: Table) -> Clue | None:
    """Two cells about the same that show different numbers."""
    for labels in _common(one, other):
        here, there = one.by_labels[labels], other.by_labels[labels]
        a, b = one.plain(here), other.plain(there)
        if a is not None and b is not None and a != b:
            return Clue(Speaks.DIFFERS, (here.place.text, here.shown, there.place.text, there.shown))
    return None


def _values(tables: Sequence[Table]) -> list[str]:
    """What sets tables apart in a word each: their sheets, titles or names."""
    for texts in ([table.sheet for table in tables], [table.title for table in tables]):
        if all(texts) and len(set(texts)) == len(texts):
            return texts
    return [table.name for table in tables]


def _whole(tables: Sequence[Table]) -> tuple[Table | None, int, int]:
    """The table whose numbers are no less than those of all others together, in how many lines of how many: it counts everybody.

    Errors in a few lines do not make it a table of others.
    """
    if len(tables) < 3:
        return None, 0, 0
    for whole in tables:
        rest = [table for table in tables if table is not whole]
        common = [labels for labels in whole.by_labels if all(labels in table.by_labels for table in rest)]
        numbers = [[table.plain(table.by_labels[labels]) for table in (whole, *rest)] for labels in common]
        known = [[n or 0 for n in some] for some in numbers if None not in some]
        lines = sum(1 for some in known if some[0] >= sum(some[1:]))
        if len(known) >= ENOUGH and lines >= MOST * len(known):
            return whole, lines, len(known)
    return None, 0, 0
