"""Do the labels of a variable exclude each other? That each record is counted under one of them is a claim, and needs evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from foregone.model.alike import folded
from foregone.model.shown import shown
from foregone.tables.reading.numbers import contained, equal_sets, lines_along
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import quoted
from foregone.tables.spans import all_above, all_below, kind_of
from foregone.tables.table import Axis, Table, letters
from foregone.tables.words import has_rest, says_doubtful, words_in

NO_CODE = re.compile("-(?:1|9+|8+)")  # in place of a code: all, or none that is known


def judge_exclusive(table: Table, axis: int, found: tuple[Clue, ...]) -> tuple[Clue, ...] | TableQuestion:
    """What says that labels exclude each other; a question where nothing does, or something speaks against it.

    `found` is what adds up along the axis.
    """
    one = table.axes[axis]
    if len(one.labels) < 2:
        return ()
    for_ = _for(one, found)
    sums = any(clue.kind in (Speaks.ADDS_UP, Speaks.GROUPS_ADD_UP, Speaks.SUMS_FOUND) for clue in for_)
    lines = lines_along(table, axis)
    against = _against(one, lines, sums)
    by_kind = any(clue.kind == Speaks.KIND for clue in for_) and not _trials(one)
    said = any(clue.kind == Speaks.RESIDUAL for clue in for_) or one.where == "rows"
    # a heading over First dose and Second dose names a variable, too: there numbers that are contained in others count
    weak = (*((Speaks.CONTAINED,) if by_kind or said else ()), *((Speaks.DOUBTFUL_NAME,) if by_kind else ()))
    if several := _several(table, one, by_kind):
        against = (*against, several)
    decisive = [clue for clue in against if clue.kind not in weak]
    if for_ and (sums or not decisive) and not any(clue.kind == Speaks.SAME_SUMS for clue in decisive):
        return for_
    return _question(table, one, for_, against)


def _trials(axis: Axis) -> bool:
    """Columns n and y are no and yes, or how many there were and how many of them did something."""
    return axis.where == "columns" and {folded(label) for label in axis.labels} == {"n", "y"}


def _several(table: Table, axis: Axis, by_kind: bool) -> Clue | None:
    """Words that say that somebody can be counted several times: about these labels, or somewhere about the table."""
    words = words_in("several", axis.title or axis.name, *axis.labels) or (() if by_kind else words_in("several", *table.texts))
    return Clue(Speaks.FILE_SAYS, (quoted(words),)) if words else None


def _for(axis: Axis, found: tuple[Clue, ...]) -> tuple[Clue, ...]:
    clues = list(found)
    if kind := kind_of(axis.labels):
        clues.append(Clue(Speaks.KIND, (kind,)))
    if axis.named and not says_doubtful(axis.name):
        clues.append(Clue(Speaks.NAMED, (shown(axis.title or axis.name),)))
    if len(axis.labels) > 2 and (rest := has_rest(axis.labels)):
        clues.append(Clue(Speaks.RESIDUAL, (shown(rest),)))
    return tuple(clues)


def _against(axis: Axis, lines: Sequence[dict[str, int]], sums: bool) -> tuple[Clue, ...]:
    clues = []
    words = [words_in("counted", label) for label in axis.labels]
    different = list(dict.fromkeys(word for some in words for word in some))
    alike = {some for some in words if some}
    if len(different) > 1 and len(alike) > 1 and not kind_of(axis.labels) and not (axis.named and axis.where == "rows"):
        clues.append(Clue(Speaks.MEASURE_WORDS, (", ".join(different[:6]),)))
    if axis.named and says_doubtful(axis.name) and axis.where == "rows":
        clues.append(Clue(Speaks.DOUBTFUL_NAME, (shown(axis.name),)))
    kinds = [words_in("kinds_of_records", label) for label in axis.labels]
    if axis.named and axis.where == "rows" and all(kinds) and len(set(kinds)) > 1:
        clues.append(Clue(Speaks.MEASURE_WORDS, (", ".join(dict.fromkeys(word for some in kinds for word in some)),)))
    if above := all_above(axis.labels) or all_below(axis.labels):
        clues.append(Clue(Speaks.OPEN_ENDS, (quoted(above),)))
    if missing := [label for label in axis.labels if NO_CODE.fullmatch(label)]:
        clues.append(Clue(Speaks.NO_CODE, (quoted(missing),)))
    if (equal := equal_sets(lines, axis.labels)) is not None:
        clues.append(Clue(Speaks.SAME_SUMS, tuple(map(quoted, equal))))
    if not sums and (inside := contained(lines, axis.labels)) is not None:
        clues.append(Clue(Speaks.CONTAINED, (shown(inside[0]), shown(inside[1]), str(inside[2]))))
    return tuple(clues)


def _question(table: Table, axis: Axis, for_: tuple[Clue, ...], against: tuple[Clue, ...]) -> TableQuestion:
    name, labels = axis.name, axis.labels
    together = ReadingChoice(Reads.ONE_VARIABLE, (quoted(labels),), {"exclusive": [name]}, for_)
    if axis.where == "rows":
        alone = _one_row(axis, against)
        ordered = (alone, together) if against and not for_ else (together, alone)
        return TableQuestion(table.source, table.name, f"variable {name}", ordered)
    same = next((clue for clue in against if clue.kind == Speaks.SAME_SUMS), None)
    if same is not None and (sets := equal_sets(lines_along(table, table.axes.index(axis)), labels)) is not None:
        return TableQuestion(table.source, table.name, f"the columns {quoted(labels)}", _two_sets(table, axis, sets, same))
    ends = measures_of(labels)
    # what stands before the end of a heading is a variable
    apart = _measure(ends or labels, {"exclusive": [name]} if ends else {}, against)
    choices = (together, apart) if for_ and not against else (apart, together)
    return TableQuestion(table.source, table.name, f"the columns {quoted(labels)}", choices)


def _measure(labels: Sequence[str], settings: Mapping[str, object], clues: tuple[Clue, ...]) -> ReadingChoice:
    """The first of several measures, and the others that could be taken in its place."""
    first, *others = labels
    more = f" (or another: {quoted(others)})"
    return ReadingChoice(Reads.MEASURES, (shown(first), more), {"measure": first, **settings}, clues, others=tuple(others))


def same_measures(questions: Sequence[TableQuestion]) -> list[TableQuestion]:
    """The questions with the same measure proposed for all tables of a file that have it: sheets are meant to be put together."""
    proposed: dict[str, str] = {}
    made = []
    for question in questions:
        file = question.source.partition(", sheet ")[0]
        at = next((i for i, choice in enumerate(question.choices) if choice.reads == Reads.MEASURES), None)
        if at is not None:
            choice = question.choices[at]
            first = proposed.setdefault(file, choice.settings["measure"])
            if first in choice.others:
                labels = [first, choice.settings["measure"], *(label for label in choice.others if label != first)]
                rest = {key: value for key, value in choice.settings.items() if key != "measure"}
                choices = [*question.choices]
                choices[at] = _measure(labels, rest, choice.clues)
                question = replace(question, choices=tuple(choices))
        made.append(question)
    return made


def _one_row(axis: Axis, against: tuple[Clue, ...]) -> ReadingChoice:
    """One label alone, with all that it is made of: whoever has another one may have it, too."""
    first = axis.labels[0]
    if len(tree := _tree(axis, first)) > 1 and len(tree) < len(axis.labels):
        settings = {"only": {axis.name: list(tree)}, "exclusive": [axis.name]}
        others = quoted(label for label in axis.labels if label not in tree)
        return ReadingChoice(Reads.ROWS, (f"{shown(first)}, with what it is made of,", f" and not {others}"), settings, against)
    more = f" (or another: {quoted(axis.labels[1:])})"
    return ReadingChoice(Reads.ROWS, (shown(first), more), {"only": {axis.name: [first]}}, against)


def _tree(axis: Axis, root: str) -> tuple[str, ...]:
    """A label and all that it is made of, in the order of the axis."""
    groups, found = dict(axis.groups), {root}
    while added := {part for label in found for part in groups.get(label, ())} - found:
        found |= added
    return tuple(label for label in axis.labels if label in found)


def _two_sets(
    table: Table, axis: Axis, sets: tuple[tuple[str, ...], tuple[str, ...]], clue: Clue
) -> tuple[ReadingChoice, ReadingChoice]:
    """Columns that count the same records by two variables: one set of them is a table, and the other another one."""
    at = table.axes.index(axis)
    column = {entry.labels[at]: entry.place.column for entry in table.entries}
    totals = [column[None]] if None in column else []
    first, second = ([letters(column[label]) for label in some] for some in sets)
    more = [letters(c) for c in totals]
    return (
        ReadingChoice(
            Reads.TWO_SETS, (quoted(sets[0]), quoted(sets[1])), {"numbers": [*first, *more], "exclusive": [axis.name]}, (clue,)
        ),
        ReadingChoice(Reads.TWO_SETS, (quoted(sets[1]), quoted(sets[0])), {"numbers": [*second, *more], "exclusive": [axis.name]}),
    )


def measures_of(labels: Sequence[str]) -> list[str]:
    """Endings that headings share, each with the same beginnings: CASE_COUNT and DEATH_COUNT of BK_CASE_COUNT, BX_CASE_COUNT, ...

    >>> measures_of(["NO_CASES", "NO_DEATHS", "SO_CASES", "SO_DEATHS"]), measures_of(["First dose", "Second dose"])
    (['CASES', 'DEATHS'], [])
    """
    begun: dict[str, list[str]] = {}
    for label in labels:
        beginning, sep, rest = label.partition("_") if "_" in label else label.partition(" - ")
        if not sep:
            return []
        begun.setdefault(beginning, []).append(rest)
    ends = [sorted(some) for some in begun.values()]
    same = len(begun) > 1 and len(ends[0]) > 1 and all(some == ends[0] for some in ends)
    return list(next(iter(begun.values()))) if same else []
