"""The variables of a table, one after the other: what is made of what, what means everybody, what excludes what, what is a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

from foregone.model.shown import shown
from foregone.tables.layout import Broken, Groups, Misfit, NotTaken, ReadAs, column_name, renamed
from foregone.tables.layout_file import misnamed
from foregone.tables.reading.dates import AGAIN, judge_dates
from foregone.tables.reading.exclusive import judge_exclusive
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sections import headings_inside
from foregone.tables.reading.sentences import quoted, toml_value
from foregone.tables.reading.sketch import Sketch, Stop
from foregone.tables.reading.thousands import unit_question
from foregone.tables.reading.totals import (
    TotalsFound,
    adds_up,
    check_groups,
    coded_groups,
    counts_more,
    counts_others,
    exceeding,
    exceeds,
    find_total_labels,
    indented_groups,
    misfit,
    parts_of,
    tree_groups,
    two_kinds,
)
from foregone.tables.table import Table, letters
from foregone.tables.values import CellKind, Meaning
from foregone.tables.words import are_moments, name_by_labels, says_total, words_in

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
        more = counts_more(table, axis, totals, meaning)
        return sketch, TotalsFound(totals, open=more, clues=() if more else _given_clue(totals))
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
    return sketch, judged


def _given_clue(totals: tuple[str, ...]) -> tuple[Clue, ...]:
    return (Clue(Speaks.ADDS_UP, (quoted(totals),)),) if totals else ()


def _given_groups(given: Mapping[str, Mapping[str, Any]]) -> Groups:
    return tuple(
        (name, tuple((label, tuple(parts)) for label, parts in groups.items())) for name, groups in given.items() if groups
    )


def _own_groups(sketch: Sketch) -> Groups:
    """What indentation, headings with !! in them and codes say about labels that are made of others."""
    found = dict(indented_groups(sketch.block, sketch.layout))
    for axis in sketch.table.axes:
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


def read_cube(table: Table, meaning: Meaning, given: Mapping[str, Any]) -> Table | Stop:
    """A table whose format says what it is about; which codes are totals, and whether they exclude each other, may be open."""
    if wrong := misnamed(table, given):
        return Broken(wrong)
    chosen = _one_measure(table, given)
    if not isinstance(chosen, Table):
        return chosen
    table = chosen
    table = replace(_only(table, given), unit=given.get("unit", table.unit))
    if (nothing := _counts_nothing(table)) is not None:
        return nothing
    about = [*table.texts, *(dict(axis.words).get(code, code) for axis in table.fixed for code in axis.labels)]
    shows = (entry.shown for entry in table.entries)
    if "unit" not in given and table.unit == 1 and (doubt := unit_question(table.source, table.name, about, shows)) is not None:
        return doubt
    for i, axis in enumerate(table.axes):
        words = dict(axis.words)
        own: Mapping[str, Any] = coded_groups(axis.labels, words, dict(axis.coded)) if not axis.groups else {}
        groups = given["groups"][axis.name] if axis.name in given.get("groups", {}) else own
        if groups:
            made = tuple((label, tuple(parts)) for label, parts in groups.items())
            table = table.with_axis(i, replace(axis, groups=made), {})
    checked = check_groups(table, meaning)
    if isinstance(checked, Misfit):
        return checked
    table = checked
    dates: tuple[tuple[str, str], ...] = ()
    for i, axis in enumerate(table.axes):
        found = _cube_totals(table, i, meaning, given)
        if not isinstance(found, TotalsFound):
            return found
        kept = tuple(label for label in (*axis.labels, *axis.totals) if label not in found.totals)
        groups_left = tuple((label, parts) for label, parts in (found.groups or axis.groups) if label not in found.totals)
        made_axis = replace(axis, labels=kept, totals=found.totals, groups=groups_left, open=found.open)
        table = table.with_axis(i, made_axis, dict.fromkeys(found.totals))
        read = read_axis(table, i, found, given)
        if isinstance(read, TableQuestion):
            return read
        dates = (*dates, (axis.name, read.dates)) if read.dates else dates
    where = tuple((name, (codes,) if isinstance(codes, str) else tuple(codes)) for name, codes in given.get("where", {}).items())
    return replace(table, where=where, dates=dates)


def _only(table: Table, given: Mapping[str, Any]) -> Table:
    """The table with those values of its variables that the layout file takes."""
    for name, taken in given.get("only", {}).items():
        i = next(i for i, axis in enumerate(table.axes) if axis.name == name)
        axis = table.axes[i]
        words = dict(axis.words)
        kept = {label for label in (*axis.labels, *axis.totals) if label in taken or words.get(label, label) in taken}
        every = kept >= set(axis.totals)
        entries = tuple(entry for entry in table.entries if (entry.labels[i] in kept if entry.labels[i] is not None else every))
        groups = tuple((label, parts) for label, parts in axis.groups if {label, *parts} <= kept)
        left = replace(
            axis,
            labels=tuple(label for label in axis.labels if label in kept),
            totals=tuple(label for label in axis.totals if label in kept),
            groups=groups,
        )
        said = f"other values of {name} are left out, as the layout takes {quoted(taken)}"
        axes = (*table.axes[:i], left, *table.axes[i + 1 :])
        table = replace(table, axes=axes, entries=entries, left_out=(*table.left_out, said))
    return table


def _no_counts(text: str) -> str:
    """What words say that numbers count no records: an amount or a percentage; nothing when none do."""
    amounts = words_in("amounts", text)
    other = next(
        (word for word in ("rate", "rates", "ratio", "%", "percent", "per cent") if f" {word} " in f" {text.casefold()} "), ""
    )
    return next(iter(amounts), "") or other


def _counts_nothing(table: Table) -> Misfit | None:
    """A table of amounts, rates or shares: its title, a unit or numbers that are not whole say so."""
    fixed = [f"{dict(axis.words).get(code, code)} {dict(axis.units).get(code, '')}" for axis in table.fixed for code in axis.labels]
    for text in (*(table.texts[:2] if not any(axis.measure for axis in table.axes) else ()), *fixed):
        if word := _no_counts(text):
            return Misfit(f"its numbers count no records ({shown(text.strip())} says {shown(word)}); give a table that counts")
    values = [table.value(entry).kind for entry in table.entries]
    decimals = values.count(CellKind.DECIMAL)
    if decimals > len(values) / 2:
        first = next(entry for entry in table.entries if table.value(entry).kind == CellKind.DECIMAL)
        return Misfit(
            f"{decimals:,} of its {len(values):,} numbers are not whole, such as {first.shown}, and count no records;"
            " give a table that counts"
        )
    return None


def _one_measure(table: Table, given: Mapping[str, Any]) -> Table | Stop:
    """Of a variable that tells what is measured one value is taken; which one is a question."""
    for i, axis in enumerate(table.axes):
        if not axis.measure:
            continue
        words, units, chosen = dict(axis.words), dict(axis.units), False
        named = {code: words.get(code, code) for code in axis.labels}
        barred = {code: word for code in named if (word := _no_counts(f"{named[code]} {units.get(code, '')}"))}
        counting = [name for code, name in named.items() if code not in barred]
        if "measure" not in given and not counting:
            first = f"{shown(next(iter(named.values())))}: {next(iter(barred.values()))}"
            return Misfit(f"all {len(named)} measures of {axis.name} are amounts or shares ({first}); nothing counts records")
        alone = [code for code in named if code not in barred]
        if len(alone) == 1 and units.get(alone[0]):  # the file says what the others are, and the unit of this one
            given, chosen = {**given, "measure": alone[0]}, True
        if "measure" not in given:
            others = f" (or another: {quoted(counting[1:])})" if len(counting) > 1 else ""
            choices = (
                ReadingChoice(Reads.ONE_MEASURE, (shown(counting[0]), others), {"measure": counting[0]}),
                ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True}),
            )
            return TableQuestion(table.source, table.name, f"variable {axis.name}", choices)
        taken = [code for code in axis.labels if given["measure"] in (code, words.get(code, code))]
        if not taken:
            return Broken(f"layout, table {table.name}, measure: {shown(given['measure'])} is none of {quoted(named.values())}")
        entries = tuple(
            replace(entry, labels=(*entry.labels[:i], *entry.labels[i + 1 :]))
            for entry in table.entries
            if entry.labels[i] == taken[0]
        )
        axes = (*table.axes[:i], *table.axes[i + 1 :])
        others = "1 other measure is" if len(named) == 2 else f"{len(named) - 1} other measures are"
        why = "as the layout says" if not chosen else f"and {shown(words.get(taken[0], taken[0]))} is taken"
        said = f"{axis.name}: {others} left out, {why}"
        texts = (words.get(taken[0], taken[0]), *table.texts)
        unit = dict(axis.scales).get(taken[0], table.unit)
        return replace(table, axes=axes, entries=entries, left_out=(*table.left_out, said), texts=texts, unit=unit)
    if "measure" in given:
        return Broken(f"layout, table {table.name}, measure: the file has one measure only; remove the key")
    return table


def _cube_totals(table: Table, i: int, meaning: Meaning, given: Mapping[str, Any]) -> TotalsFound | Stop:
    axis = table.axes[i]
    if axis.name in given.get("totals", {}):
        totals: tuple[str, ...] = tuple(given["totals"][axis.name])
        larger = counts_more(table, i, totals, meaning)
        return TotalsFound(totals, clues=() if larger else _given_clue(totals), open=larger)
    if axis.totals:  # the file says so
        parts = parts_of(table, i)
        why = misfit(table, i, None, parts, meaning) if parts and len(axis.totals) == 1 else ""
        if why and exceeds(table, i, None, parts or ()):
            return Misfit(
                f"the file calls {shown(axis.totals[0])} the total of {axis.name}, but {why}; {_without_wrong(table, i)}"
            )
        return TotalsFound(axis.totals, clues=() if why else _given_clue(axis.totals), open=bool(why))
    words = dict(axis.words)
    judged = find_total_labels(_worded(table, i, words), i, meaning, axis.name not in given.get("groups", {}))
    if isinstance(judged, Misfit):
        return judged
    if isinstance(judged, TableQuestion):
        return judged
    back_to = {word: code for code, word in words.items()} if _is_worded(words) else {}
    return replace(
        judged,
        totals=tuple(back_to.get(label, label) for label in judged.totals),
        groups=tuple((back_to.get(label, label), tuple(back_to.get(p, p) for p in parts)) for label, parts in judged.groups),
    )


def _without_wrong(table: Table, axis: int) -> str:
    """What to do about a total that is less than its parts: leave out the value of another variable that all such lines share."""
    parts = parts_of(table, axis) or ()
    at = [i for i in range(len(table.axes)) if i != axis]
    wrong = list(exceeding(table, axis, None, parts))
    for i in at:
        shared = {entry.labels[i] for entry in wrong}
        kept = [label for label in table.axes[i].labels if label not in shared]
        if len(shared) == 1 and None not in shared and len(kept) > 1:
            label = quoted(some for some in shared if some is not None)
            return (
                f"this is so for {label} alone: leave it out with a layout file that has [[table]] name ="
                f" {toml_value(table.name)} only = {toml_value({table.axes[i].name: kept})}, or correct the file"
            )
    name = table.axes[axis].name
    return f"correct the file, or take some values of {name} with only = {{{toml_value(name)} = [...]}} in a layout file"


def _is_worded(words: Mapping[str, str]) -> bool:
    return bool(words) and len(set(words.values())) == len(words)


def _worded(table: Table, axis: int, words: Mapping[str, str]) -> Table:
    """The table with labels for codes along one axis: words such as Total stand there."""
    if not _is_worded(words):
        return table
    old = table.axes[axis]
    groups = tuple((words.get(label, label), tuple(words.get(p, p) for p in parts)) for label, parts in old.groups)
    named = replace(old, labels=tuple(words.get(label, label) for label in old.labels), groups=groups)
    return table.with_axis(axis, named, words)
