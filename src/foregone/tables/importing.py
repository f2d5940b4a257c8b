"""From files to a release: find the tables, read each in the one way that fits, put variables together, say what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.rules.registry import rule as rule_named
from foregone.tables.blocks import Block, Unread
from foregone.tables.build import Standing, build
from foregone.tables.fixed import with_fixed
from foregone.tables.given_blocks import blocks_of
from foregone.tables.grid import Grid
from foregone.tables.indents import check_groups
from foregone.tables.layout import Layout, renamed
from foregone.tables.layout_file import GivenLayout, layout_text
from foregone.tables.layout_names import misnamed, unknown_variables
from foregone.tables.marks import unmarked
from foregone.tables.meaning import Meaning, parse_tokens
from foregone.tables.outcome import Broken, Doubt, Misfit, Read
from foregone.tables.readers.registry import read_file
from foregone.tables.readings import read_block
from foregone.tables.sentences import left_out_sentence, table_sentence
from foregone.tables.table import Table
from foregone.tables.totals import judge
from foregone.tables.variables import share


@dataclass(frozen=True, slots=True)
class Imported:
    """A release, where each of its numbers stands, how the tables were read, and the layout that says so again."""

    release: Release
    standing: tuple[Standing, ...]
    said: tuple[str, ...]  # a sentence for each table and for what was left out
    layout: str
    meaning: Meaning


def read_tables(
    paths: Sequence[str | Path],
    rule: str = "",
    tokens: Sequence[str] = (),
    layout: GivenLayout | None = None,
    record: str = "",
) -> Imported:
    """Make a release from tables as people have them: spreadsheets, lists and statistical files about the same records.

    `rule` names the release rule that they follow; `tokens` say what a sign stands for, such as `*=1..4`; `layout` gives what
    cannot be told from the files; `record` is the noun for one record. What is not clear is an error: nothing is guessed.
    """
    given = layout or GivenLayout()
    spoken = dict(parse_tokens([f"{token}={counts}" for token, counts in given.tokens.items()])) | dict(parse_tokens(list(tokens)))
    chosen = rule or given.rule
    meaning = Meaning(rule_named(chosen) if chosen else None, tuple(spoken.items()))
    read, unread = _read_all([Path(path) for path in paths], meaning, given)
    if not read:
        raise InputError([*unread, "no table could be read, so nothing was imported; a layout file can say how to read one"])
    tables = with_fixed([table for _, table in read])
    if wrong := unknown_variables(given.variables, tables):
        raise InputError(wrong)
    shared = share(tables, given.variables)
    built = build(tables, shared, meaning, record or given.record or "record")
    layouts = [
        _with_names(made if isinstance(made, Layout) else tables[t], [shared[t, a].column.name for a in range(len(tables[t].axes))])
        for t, (made, _) in enumerate(read)
    ]
    said = [
        table_sentence(table, [shared[t, a].column.name for a in range(len(table.axes))], built.numbers[t], built.hidden[t])
        for t, table in enumerate(tables)
    ]
    counted = {token: counts.text for token, counts in spoken.items()}
    text = layout_text(layouts, chosen, built.release.domain.record, counted, given.variables)
    return Imported(built.release, built.standing, (*said, *unread), text, meaning)


def _read_all(paths: list[Path], meaning: Meaning, given: GivenLayout) -> tuple[list[tuple[Layout | Table, Table]], list[str]]:
    """Every table that can be read, with its layout, and a sentence for what cannot; doubts are raised, all at once."""
    read: list[tuple[Layout | Table, Table]] = []
    unread: list[str] = []
    problems: list[str] = []
    names: list[str] = []
    clashing = {stem for stem, n in Counter(path.stem for path in paths).items() if n > 1}
    for path in paths:
        try:
            contents = read_file(path)
        except InputError as error:
            problems += error.problems
            continue
        base = f"{path.parent.name}/{path.stem}" if path.stem in clashing else path.stem
        for content in contents:
            stem = f"{base}.{content.sheet}" if content.sheet and len(contents) > 1 else base
            if isinstance(content, Table):
                names.append(stem)
                _take(
                    _cube(replace(content, name=stem), meaning, given.tables.get(stem, {})), content, stem, read, unread, problems
                )
                continue
            content = unmarked(content)
            found = blocks_of(content, frozenset({*meaning.known, *(token for token, _ in meaning.tokens)}), given, stem)
            unread += [] if found else [f"{content.source}: no table was found in it."]
            unread += [left_out_sentence(content, b.first, b.last, b.why) for b in found if isinstance(b, Unread)]
            for number, block in enumerate((b for b in found if isinstance(b, Block)), start=1):
                name = stem if number == 1 else f"{stem}-{number}"
                names.append(name)
                settings = given.tables.get(name, {})
                if settings.get("leave_out"):
                    unread.append(f"{name} is left out, as the layout says.")
                else:
                    _take(read_block(block, name, meaning, settings), content, name, read, unread, problems)
    problems += [
        f"layout, table {name}: is in {made.file}, but the layout says {shown(said)}; correct one of the two"
        for made, _ in read
        if (said := given.tables.get(name := made.name, {}).get("file")) is not None and Path(made.file).name != Path(said).name
    ]
    problems += [
        f"layout: there is no table {shown(name)} in these files ({', '.join(names)}){near(name, names)}"
        for name in given.tables
        if name not in names
    ]
    if problems:
        raise InputError(problems)
    return read, unread


def _take(
    found: Read | Table,
    source: Grid | Table,
    name: str,
    read: list[tuple[Layout | Table, Table]],
    unread: list[str],
    problems: list[str],
) -> None:
    if isinstance(found, Broken):
        problems.append(found.why)
    elif isinstance(found, Doubt):
        problems.append(
            f"{source.source}, table {name}: two readings fit: {found.one}; or {found.other}. Say which in a layout file:"
            f' [[table]] name = "{name}" {found.remedy}'
        )
    elif isinstance(found, Misfit):
        unread.append(f"{source.source}: table {name} is left out: {found.why}.")
    elif isinstance(found, Table):
        read.append((found, found))
    else:
        read.append((found.layout, found.table))


def _cube(table: Table, meaning: Meaning, settings: Mapping[str, Any]) -> Table | Misfit | Doubt | Broken:
    """A table whose format says what it is about; which codes are totals may still be open."""
    if wrong := misnamed(table, settings):
        return Broken(wrong)
    for i, axis in enumerate(table.axes):
        if axis.name in settings.get("groups", {}):
            groups = tuple((label, tuple(parts)) for label, parts in settings["groups"][axis.name].items())
            table = replace(table, axes=(*table.axes[:i], replace(axis, groups=groups), *table.axes[i + 1 :]))
    if misfit := check_groups(table, meaning):
        return misfit
    for i, axis in enumerate(table.axes):
        if axis.name in settings.get("totals", {}):
            totals: tuple[str, ...] = tuple(settings["totals"][axis.name])
        elif axis.totals:
            continue
        else:
            words = dict(axis.words)
            judged = judge(_worded(table, i, words), i, meaning)
            if not isinstance(judged, tuple):
                return judged
            totals = tuple(code for code in axis.labels if words.get(code, code) in judged or code in judged)
        kept = tuple(label for label in (*axis.labels, *axis.totals) if label not in totals)
        axes = (*table.axes[:i], replace(axis, labels=kept, totals=totals), *table.axes[i + 1 :])
        entries = tuple(
            replace(e, labels=(*e.labels[:i], None if e.labels[i] in totals else e.labels[i], *e.labels[i + 1 :]))
            for e in table.entries
        )
        table = replace(table, axes=axes, entries=entries)
    where = tuple((name, (codes,) if isinstance(codes, str) else tuple(codes)) for name, codes in settings.get("where", {}).items())
    return replace(table, where=where)


def _worded(table: Table, axis: int, words: Mapping[str, str]) -> Table:
    """The table with labels for codes along one axis: words such as Total stand there."""
    if not words or len(set(words.values())) < len(words):
        return table
    old = table.axes[axis]
    renamed = replace(old, labels=tuple(words.get(label, label) for label in old.labels), groups=())
    entries = tuple(
        replace(e, labels=(*e.labels[:axis], words.get(e.labels[axis] or "", e.labels[axis]), *e.labels[axis + 1 :]))
        for e in table.entries
    )
    return replace(table, axes=(*table.axes[:axis], renamed, *table.axes[axis + 1 :]), entries=entries)


def _with_names(made: Layout | Table, names: list[str]) -> Layout | Table:
    """The layout with the names that variables have over all tables."""
    return made if isinstance(made, Table) else renamed(made, dict(zip(made.variables, names, strict=True)))
