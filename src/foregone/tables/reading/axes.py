"""The variables of a table, one after the other: what is made of what, what means everybody, what excludes what, what is a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

from foregone.tables.layout import Broken, Groups, Misfit, NotTaken, ReadAs, column_name, renamed
from foregone.tables.layout_file import misnamed
from foregone.tables.reading.dates import AGAIN, judge_dates
from foregone.tables.reading.exclusive import judge_exclusive
from foregone.tables.reading.groups import check_groups, coded_groups, indented_groups, tree_groups
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sections import headings_inside
from foregone.tables.reading.sentences import quoted
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.reading.sums import TotalsFound, adds_up
from foregone.tables.reading.totals import counts_more, counts_others, find_total_labels, two_kinds
from foregone.tables.spans import are_moments
from foregone.tables.table import Table, letters
from foregone.tables.words import name_by_labels, says_total

A_FEW = 8  # rows
MOST_TRIED = 500  # sets of columns
MOST_LEFT_OUT = 3  # columns that may have nothing to do with the others


@dataclass(frozen=True, slots=True)
class AxisRead:
    """How the labels of a variable were read; `dates` is empty where they are no times."""

    totals: TotalsFound
    dates: str = ""
    told: tuple[ReadAs, ...] = ()


def read_axis(table: Table, axis: int, found: TotalsFound, given: Mapping[str, Any]) -> AxisRead | TableQuestion:
    """Whether labels exclude each other, or count new records each time; `found` is what adds up."""
    one = table.axes[axis]
    told = [ReadAs(f"{quoted(found.totals)} of {one.name} means everybody", found.clues)] if found.totals else []
    clues = found.clues
    blank = not found.totals and any(entry.labels[axis] is None for entry in table.entries)  # a total by its blank heading
    if blank and adds_up(table, axis):
        clues = (*clues, Clue(Speaks.ADDS_UP, ("what stands below a blank heading",)))
    inside = {part for _, parts in one.groups for part in parts}
    if one.groups and (found.totals or sum(1 for label in one.labels if label not in inside) == 1):
        clues = (*clues, Clue(Speaks.GROUPS_ADD_UP, (quoted(label for label, _ in one.groups),)))
    if one.name in given.get("dates", {}):
        said = Clue(Speaks.FILE_SAYS, ("so in the layout",))
        return AxisRead(found, given["dates"][one.name], (*told, ReadAs(f"{one.name} is a time", (said,))))
    if are_moments(one.own_name, one.labels) and len(one.labels) > 1:
        added = tuple(clue for clue in found.clues if clue.kind == Speaks.ADDS_UP)
        judged = judge_dates(table, axis, added)
        if isinstance(judged, TableQuestion):
            return judged
        how = "counts the same ones again" if judged[0] == AGAIN else "counts new records"
        return AxisRead(found, judged[0], (*told, ReadAs(f"each {one.name} {how}", judged[1])))
    if one.name in given.get("exclusive", ()) or len(one.labels) < 2:
        return AxisRead(found, "", tuple(told))
    why = judge_exclusive(table, axis, clues)
    if isinstance(why, TableQuestion):
        return why
    return AxisRead(found, "", (*told, ReadAs(f"the labels of {one.name} exclude each other", why)))


def read_axes(sketch: Sketch) -> Sketch | Stop:
    """Which labels are made of others, and which mean everybody: indentation and words suggest it, the numbers decide."""
    block, given, meaning = sketch.block, sketch.given, sketch.meaning
    if wrong_name := misnamed(sketch.table, given, sketch.layout, {text for row in block.grid.rows for text in row}):
        return Broken(wrong_name)
    sketch = sketch.with_(groups=_given_groups(given["groups"]) if "groups" in given else _own_groups(sketch))
    checked = check_groups(sketch.table, meaning)
    if isinstance(checked, Misfit):
        return checked
    sketch = sketch.with_(groups=tuple((axis.name, axis.groups) for axis in checked.axes if axis.groups))
    for axis, name in enumerate(sketch.layout.variables):
        judged = _totals(sketch, axis, name)
        if not isinstance(judged, tuple):
            return judged
        sketch, found = judged
        layout = sketch.layout
        if found.totals:
            sketch = sketch.with_(totals=(*layout.totals, (name, found.totals)))
        if found.open:
            sketch = sketch.with_(open=(*layout.open, name))
        if found.groups:
            sketch = sketch.with_(groups=(*(some for some in layout.groups if some[0] != name), (name, found.groups)))
        read = read_axis(_with_texts(sketch), axis, found, given)
        if isinstance(read, TableQuestion):
            return read
        sketch = sketch.tell(*read.told)
        if read.dates:
            sketch = sketch.with_(dates=(*sketch.layout.dates, (name, read.dates)))
        if name in given.get("exclusive", ()):
            sketch = sketch.with_(exclusive=(*sketch.layout.exclusive, name))
    return _named_by_labels(sketch)


def _with_texts(sketch: Sketch) -> Table:
    """The table with the words about what is counted: headings, the title, names of sheet and file."""
    layout, grid = sketch.layout, sketch.block.grid
    heads = " ".join(
        dict.fromkeys(grid.cell(row, column) for row in layout.header for column in layout.numbers if grid.cell(row, column))
    )
    file = grid.file.rpartition("/")[2].rpartition(".")[0]
    return replace(
        sketch.table, texts=(heads, " ".join(layout.rows), sketch.block.title, grid.sheet, file, *sketch.block.footnotes)
    )


def _totals(sketch: Sketch, axis: int, name: str) -> tuple[Sketch, TotalsFound] | Stop:
    """The totals of one variable, after columns that have nothing to do with them are left out."""
    layout, meaning, given = sketch.layout, sketch.meaning, sketch.given
    table, column = sketch.table, axis >= len(layout.rows)
    if name in given.get("totals", {}):
        totals = tuple(given["totals"][name])
        more = counts_more(table, axis, totals, meaning) or name in given.get("open", ())
        return sketch, TotalsFound(totals, open=more, clues=() if more else given_clue(totals))
    if len(given.get("only", {}).get(name, (1, 2))) == 1:  # a label that was chosen is one, whatever it is called
        return sketch, TotalsFound()
    judged = find_total_labels(table, axis, meaning, name not in given.get("groups", {}))
    if not isinstance(judged, TotalsFound) and column and "numbers" not in given and "measure" not in given:
        left = _without_columns(sketch, axis)
        if isinstance(left, TableQuestion):
            return left
        if left is not None:
            sketch = left
            judged = find_total_labels(sketch.table, axis, meaning)
    headed = "sections" in given or headings_inside(sketch.block, layout)  # such tables are looked at by their headings
    unsure = not isinstance(judged, TotalsFound) or not judged.totals
    if unsure and not headed and name not in given.get("exclusive", ()) and (mixed := two_kinds(table, axis)):
        return mixed
    if not isinstance(judged, TotalsFound) and column and (whole := counts_others(sketch.table, axis)):
        said = NotTaken(f"{whole} counts others, too")
        return sketch.without(said), TotalsFound((whole,), open=True)
    if not isinstance(judged, TotalsFound):
        return judged
    return sketch, replace(judged, open=True) if name in given.get("open", ()) else judged


def given_clue(totals: tuple[str, ...]) -> tuple[Clue, ...]:
    return (Clue(Speaks.ADDS_UP, (quoted(totals),)),) if totals else ()


def _given_groups(given: Mapping[str, Mapping[str, Any]]) -> Groups:
    return tuple(
        (name, tuple((label, tuple(parts)) for label, parts in groups.items())) for name, groups in given.items() if groups
    )


def _own_groups(sketch: Sketch) -> Groups:
    """What indentation, headings with !! in them and codes say about labels that are made of others."""
    found = dict(indented_groups(sketch.block, sketch.layout))
    for i, axis in enumerate(sketch.table.axes):
        pairs = [(label, part) for label, parts in found.get(axis.name, ()) for part in parts]
        if pairs and not any(label in line and part in line for line in sketch.table.lines(i) for label, part in pairs):
            del found[axis.name]  # stray blanks: no number of one can be compared with one of the other
        groups: Mapping[str, Any] = tree_groups(axis.labels) if axis.where == "columns" else coded_groups(axis.labels, {})
        if groups and axis.name not in found:
            found[axis.name] = tuple((label, tuple(parts)) for label, parts in groups.items())
    return tuple(found.items())


def _named_by_labels(sketch: Sketch) -> Sketch:
    """Once totals and other columns are gone, labels may tell what a variable without a name is."""
    names = {}
    for axis in sketch.table.axes:
        better = "" if axis.named else name_by_labels(axis.labels)
        names[axis.name] = better if better and better not in sketch.layout.variables else axis.name
    if all(old == new for old, new in names.items()):
        return sketch
    return replace(sketch, layout=renamed(sketch.layout, names))


def _without_columns(sketch: Sketch, axis: int) -> Sketch | TableQuestion | None:
    """The fewest columns without which totals add up; None when there are none, or too few numbers to tell."""
    layout, grid = sketch.layout, sketch.block.grid
    if len(layout.body) < 2:
        return None
    few = layout.body[:: max(1, len(layout.body) // A_FEW)]  # most choices fail on a few rows already

    def fits(tried: Sketch) -> bool:
        if len(tried.layout.numbers) < 2:
            return False
        judged = find_total_labels(tried.table, axis, sketch.meaning)
        # what is left must still have a total that adds up: leaving out the total itself proves nothing
        return isinstance(judged, TotalsFound) and any(says_total(label) for label in judged.totals)

    for size in range(1, MOST_LEFT_OUT + 1):
        if comb(len(layout.numbers), size) > MOST_TRIED:
            return None
        fitting = []
        for columns in combinations(layout.numbers, size):
            tried = sketch.with_(numbers=tuple(c for c in layout.numbers if c not in columns))
            if fits(tried.with_(body=few)) and fits(tried):
                fitting.append((columns, tried))
        if len(fitting) > 1:
            choices = tuple(
                ReadingChoice(
                    Reads.NOT_PART,
                    (" and ".join(column_name(grid, layout, c) for c in columns),),
                    {"numbers": [letters(c) for c in tried.layout.numbers]},
                )
                for columns, tried in fitting[:2]
            )
            return TableQuestion(grid.source, layout.name, "the columns", choices)
        if fitting:
            columns, tried = fitting[0]
            said = [NotTaken(column_name(grid, layout, c), "it is no part of the total", columns=(c,)) for c in columns]
            return tried.without(*said)
    return None
