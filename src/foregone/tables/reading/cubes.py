"""Tables whose format says what every number is about: what is measured, which values are taken, which of them are totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foregone.model.shown import shown
from foregone.tables.layout import Broken, Misfit
from foregone.tables.layout_file import misnamed
from foregone.tables.reading.axes import given_clue, read_axis
from foregone.tables.reading.groups import check_groups, coded_groups
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sentences import quoted, toml_value
from foregone.tables.reading.sketch import Stop
from foregone.tables.reading.sums import TotalsFound, exceeding, exceeds, misfit, parts_of
from foregone.tables.reading.thousands import unit_question
from foregone.tables.reading.totals import counts_more, find_total_labels
from foregone.tables.table import Table
from foregone.tables.values import CellKind, Meaning
from foregone.tables.words import words_in


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
    if not table.axes:
        return Misfit("no variable of it has several values, so it shows one number about everybody; give a table with more")
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
        return TotalsFound(totals, clues=() if larger else given_clue(totals), open=larger)
    if axis.totals:  # the file says so
        parts = parts_of(table, i)
        why = misfit(table, i, None, parts, meaning) if parts and len(axis.totals) == 1 else ""
        if why and exceeds(table, i, None, parts or ()):
            return Misfit(
                f"the file calls {shown(axis.totals[0])} the total of {axis.name}, but {why}; {_without_wrong(table, i)}"
            )
        return TotalsFound(axis.totals, clues=() if why else given_clue(axis.totals), open=bool(why))
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
