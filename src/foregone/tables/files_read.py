"""Every table of the files that can be read, with its layout; questions about others, and why some cannot be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.block_columns import Tokens
from foregone.tables.blocks import Unread
from foregone.tables.layout import Broken, Fits, Layout, Misfit, Read
from foregone.tables.layout_file import GivenLayout, blocks_of
from foregone.tables.reading.cubes import read_cube
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.reading.sheet import read_block
from foregone.tables.remaining import Sheet, SheetPart
from foregone.tables.table import Grid, Table
from foregone.tables.told import before_answer, explained, left_out_sentences, rows_of
from foregone.tables.values import Meaning


@dataclass(slots=True)
class FilesRead:
    """What was found in the files while they are read."""

    read: list[tuple[Layout | Table, Table]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # a sentence for each table that cannot be read
    problems: list[str] = field(default_factory=list)
    questions: list[TableQuestion] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    cubes: list[tuple[Table, str]] = field(default_factory=list)  # tables without a sheet that are left out, and why
    whole: list[Table] = field(default_factory=list)  # every table without a sheet, as it stands in its file
    names: list[tuple[str, str, str]] = field(default_factory=list)  # every table: its name, file and sheet
    explained: list[str] = field(default_factory=list)


Contents = Sequence[tuple[Path, Sequence[Grid | Table]]]


def table_names(paths: Sequence[Path], called: Mapping[Path, str] = MappingProxyType({})) -> dict[Path, str]:
    """What the tables of a file are called: after the file, or as a folder calls its outputs; and its folder, where another one has
    such a file, too.
    """
    stems = {path: called.get(path, path.stem) for path in paths}
    clashing = {stem for stem, n in Counter(stems.values()).items() if n > 1}
    return {path: f"{path.parent.name}/{stem}" if stem in clashing else stem for path, stem in stems.items()}


def read_all(contents: Contents, meaning: Meaning, given: GivenLayout, bases: Mapping[Path, str]) -> FilesRead:
    """Every table that can be read, with its layout, questions about others, and a sentence for what cannot be read."""
    made = FilesRead()
    read, unread, problems = made.read, made.unread, made.problems
    names: list[str] = []
    cut: list[tuple[TableQuestion, Grid]] = []  # about parts of sheets on which there is no table
    tokens = Tokens(
        frozenset({*meaning.known, *(token for token, _ in meaning.tokens)}), frozenset(token for token, _ in meaning.tokens)
    )
    for path, inside in contents:
        base = bases[path]
        for content in inside:
            stem = f"{base}.{content.sheet}" if content.sheet and len(inside) > 1 else base
            if isinstance(content, Table):
                names.append(stem)
                made.whole.append(content)
                settings = given.tables.get(stem, {})
                if given.leaves_out(stem):
                    unread.append(f"{stem} is left out, as the layout says.")
                    made.cubes.append((content, f"table {stem}: as the layout says"))
                    continue
                cube = read_cube(replace(content, name=stem), meaning, settings)
                _take(cube, content, stem, made)
                made.cubes += [(content, f"table {stem}: {cube.why}")] if isinstance(cube, Misfit) else []
                continue
            none, found = blocks_of(content, tokens, given, stem)
            unread += [] if none or found else [f"{content.source}: no table was found in it."]
            unread += [] if given.leaves_out(stem) else left_out_sentences(content, none)
            parts = [SheetPart(b, None, f"{rows_of(b)}: {b.why}") for b in none]
            if not found and (part := next((b for b in none if b.part), None)) is not None:
                names.append(stem)
                left_out = given.leaves_out(stem)
                unread += [f"{stem} is left out, as the layout says."] if left_out else []
                cut += [] if left_out else [(_part_question(part, stem), content)]
            for number, (block, own) in enumerate(found, start=1):
                name = stem if number == 1 else f"{stem}-{number}"
                names.append(name)
                settings = {**own, **given.tables.get(name, {})}
                if given.leaves_out(name) or settings.get("leave_out"):
                    unread.append(f"{name} is left out, as the layout says.")
                    parts.append(SheetPart(block, None, f"table {name}: as the layout says"))
                    continue
                outcome = read_block(block, name, meaning, settings)
                if own and isinstance(outcome, Fits):
                    outcome = replace(outcome, table=replace(outcome.table, cut_from=stem))
                _take(outcome, content, name, made)
                if isinstance(outcome, Fits):
                    parts.append(SheetPart(block, outcome.layout))
                    made.explained += explained(outcome, content)
                elif isinstance(outcome, Misfit):
                    parts.append(SheetPart(block, None, f"table {name}: {outcome.why}"))
                elif isinstance(outcome, TableQuestion):
                    made.explained += before_answer(block, name)
            made.sheets.append(Sheet(content, tuple(parts)))
    if not read and not made.questions:
        made.questions += [asked for asked, _ in cut]
        made.names += [(asked.table, grid.file, grid.sheet) for asked, grid in cut]
    problems += [
        f"layout, table {name}: is in {one.file}, but the layout says {shown(said)}; correct one of the two"
        for one, _ in read
        if (said := given.tables.get(name := one.name, {}).get("file")) is not None and Path(one.file).name != Path(said).name
    ]
    problems += [
        f"layout: there is no table {shown(name)} in these files ({', '.join(names)}){near(name, names)}"
        for name in given.tables
        if name not in names
    ]
    if problems:
        raise InputError(problems)
    return made


def _part_question(unread: Unread, name: str) -> TableQuestion:
    """Rows that are no table: is a part of them one?"""
    part = unread.part
    which = f"what stands in columns {listed(part['numbers'])} of rows {part['body']}, below the headings of row {part['header']},"
    choices = (ReadingChoice(Reads.PART, (which,), part), ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True}))
    return TableQuestion(unread.grid.source, name, f"rows {unread.first} to {unread.last} ({unread.why})", choices)


def _take(found: Read | Table, source: Grid | Table, name: str, made: FilesRead) -> None:
    made.names.append((name, source.file, source.sheet))
    if isinstance(found, Broken):
        made.problems.append(found.why)
    elif isinstance(found, TableQuestion):
        made.questions.append(found)
    elif isinstance(found, Misfit):
        made.unread.append(f"{source.source}: table {name} is left out: {found.why}.")
    elif isinstance(found, Table):
        made.read.append((found, found))
    else:
        made.read.append((found.layout, found.table))
