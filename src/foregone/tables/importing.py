"""From files to a release: find the tables, read each in the one way that fits, put variables together, say what was done."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from foregone.formats.beside import (
    ASSUMPTIONS,
    COUNTED,
    LEFT_OUT,
    PLACES,
    AllLeftOut,
    LeftOut,
    assumptions_text,
    hidden_names,
    left_out_text,
    places_text,
    standing_beside,
)
from foregone.model.errors import InputError
from foregone.model.marks import mark_sentence
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import shown
from foregone.rules.registry import find_rule
from foregone.rules.rule import CountRange
from foregone.tables.blocks import SheetBlock
from foregone.tables.build import Standing, build
from foregone.tables.files_read import Contents, FilesRead, read_all, table_names
from foregone.tables.indentation import unmarked
from foregone.tables.layout import Layout, renamed
from foregone.tables.layout_file import GivenLayout, unknown_variables, with_choice
from foregone.tables.layout_text import layout_text, open_layout
from foregone.tables.populations import told_apart
from foregone.tables.readers.acro import BLANKED, AcroFolder, read_acro, rounding_unsaid, with_words
from foregone.tables.readers.registry import read_file
from foregone.tables.reading.apart import tables_apart
from foregone.tables.reading.exclusive import same_measures
from foregone.tables.reading.question import TableQuestion
from foregone.tables.reading.rounded import rounded_question
from foregone.tables.reading.sentences import choice_text, question_text, questions_text
from foregone.tables.reading.sums import everybody
from foregone.tables.remaining import Sheet, of_cube, remaining
from foregone.tables.single_values import with_fixed, without_blank
from foregone.tables.table import Grid, Table, letters
from foregone.tables.told import records_text, table_sentence
from foregone.tables.values import Meaning, count_and_percent, parse_tokens
from foregone.tables.variables import share

EXACT = "exact"  # in place of a rule: the numbers are not rounded
NOTHING = "no table could be read, so nothing was imported; a layout file can say how to read one"


@dataclass(frozen=True, slots=True)
class Imported:
    """A release, where each of its numbers stands, how the tables were read, and the layout that says so again."""

    release: Release
    standing: tuple[Standing, ...]
    said: tuple[str, ...]  # a sentence for each table and for what was left out
    layout: str
    meaning: Meaning
    left_out: tuple[LeftOut, ...] = ()  # every cell with a number that is no part of the release
    records: str = ""  # how many records the tables were understood to count
    explained: tuple[str, ...] = ()  # how every row and column was read, and what says so
    sheets: tuple[Sheet, ...] = field(default=(), repr=False)  # all that is on the sheets
    cubes: tuple[Table, ...] = field(default=(), repr=False)  # files that say themselves what each number is about
    totals: Mapping[str, CountRange] = field(default_factory=dict)  # how many records each table counts
    assumed: tuple[str, ...] = ()  # what a project's folder leaves to be assumed, a sentence each


class NotImported(InputError):
    """Tables that could not be read, or not without an answer; the layout so far can be completed and given back."""

    def __init__(
        self, problems: Iterable[str], questions: Sequence[TableQuestion] = (), layout: str = "", explained: Sequence[str] = ()
    ) -> None:
        super().__init__(problems)
        self.questions, self.layout, self.explained = tuple(questions), layout, tuple(explained)


MOST_UNREAD = 6  # tables whose reasons are said where none could be read
MOST_FURTHER = 3  # problems that are said beside questions
MANY_OBJECTS = 500_000  # before circles of them are looked for
MOST_ROUNDS = 12  # of questions that follow from the answers to others


@contextmanager
def few_collections() -> Iterator[None]:
    """Reading makes many small objects that stay, and no circles of them: to look for these often takes a quarter of the time."""
    before = gc.get_threshold()
    gc.set_threshold(MANY_OBJECTS, before[1], before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@few_collections()
def read_tables(
    paths: Sequence[str | Path],
    *,
    rule: str = "",
    tokens: Sequence[str] = (),
    layout: GivenLayout | None = None,
    record: str = "",
    yes: bool = False,
) -> Imported:
    """Make a release from tables as people have them: spreadsheets, lists and statistical files about the same records.

    `rule` names the release rule that they follow; `tokens` say what a sign stands for, such as `*=1..4`; `layout` gives what
    cannot be told from the files; `record` is the noun for one record. What is not clear is an error that asks: nothing is
    guessed. With `yes`, questions are answered where something speaks for one reading only, and that is said.

    Parameters
    ----------
    paths : sequence of str or Path
        The files.
    rule : str
        The name of the release rule that they follow.
    tokens : sequence of str
        What a sign stands for, such as `*=1..4`.
    layout : GivenLayout, optional
        What cannot be told from the files.
    record : str
        The noun for one record.
    yes : bool
        Answer questions where something speaks for one reading only.

    Returns
    -------
    Imported
        The `release`, and what was left out, assumed and said.

    Raises
    ------
    InputError
        What cannot be read, or is not clear: a question with the ways to answer it. It is a ValueError.
    """
    given = layout or GivenLayout()
    given = replace(given, rule=rule) if rule else given
    spoken = dict(parse_tokens([f"{token}={counts}" for token, counts in given.tokens.items()])) | dict(parse_tokens(list(tokens)))
    folders = [read_acro(Path(path)) for path in paths if Path(path).is_dir()]
    if unsaid := rounding_unsaid(folders, given.rule):
        raise InputError(unsaid)
    single = [Path(path) for path in paths if not Path(path).is_dir()]
    contents: Contents = _contents([*single, *(file for folder in folders for file in folder.files)])
    bases = table_names([path for path, _ in contents], {file: name for folder in folders for file, name in folder.outputs})
    given = _with_folders(given, folders, bases)
    if any(folder.blanked for folder in folders):
        spoken, contents = {**spoken, BLANKED: CountRange(0, None)}, _with_hidden(contents, folders)
    asked: list[TableQuestion] = []
    answered: list[str] = []
    first: FilesRead | None = None  # what was read before anything was supposed
    further: list[str] = []
    answers = given
    for _ in range(MOST_ROUNDS):
        try:
            found = read_all(contents, _meaning(answers, spoken), answers, bases)
            first = first if asked and first else found
            made = None if found.questions else _together(found, answers, spoken, record)
        except InputError as error:
            if asked:  # of what follows from a supposed answer only signs without a meaning concern the user
                further = [problem for problem in error.problems if "means is not known" in problem]
                break
            raise NotImported(error.problems, (), open_layout(first.names if first else [], given, ())) from None
        questions = same_measures(made if isinstance(made, list) else found.questions)
        if isinstance(made, Imported) and not asked:
            made = _of_project(made, folders)
            return replace(made, said=(*answered, *(said for one in folders for said in one.said), *made.said))
        if any(question in asked for question in questions):
            break  # an answer that leads nowhere
        for question in questions:
            choice = question.sure if yes else None
            if choice is None:
                asked.append(question)
            else:
                answered.append(f"Answered: {question.source}: {choice_text(choice)}.")
            answers = with_choice(answers, question.table, choice or question.choices[0])
        if not questions:
            break
    assert first is not None, "something was read"
    raise NotImported(
        [*questions_text(asked), *further[:MOST_FURTHER]],
        asked,
        open_layout(first.names, given, asked),
        (*first.explained, *map(question_text, asked)),
    )


def _of_project(made: Imported, folders: Sequence[AcroFolder]) -> Imported:
    """Outputs of projects by the people they are about, and what is said of those that are not looked at."""
    if not folders:
        return made
    known = {str(file): frame for folder in folders for file, frame in folder.frames}
    frames = {at.name.rpartition(".")[0]: known.get(at.place.file, "") for at in made.standing}
    told = told_apart(made.release, made.totals, frames)
    unaudited = tuple(said for folder in folders for said in folder.unaudited)
    said = (*made.said, *(f"Assumed: {sentence}." for sentence in told.assumed))
    return replace(made, release=told.release, assumed=(*told.assumed, *unaudited), said=said)


def _with_folders(given: GivenLayout, folders: Sequence[AcroFolder], bases: Mapping[Path, str]) -> GivenLayout:
    """What folders tell about their tables, as if a layout file said it; what one says comes first."""
    known = {bases[file]: dict(layout) for folder in folders for file, layout in folder.layouts if layout}
    said = {name: {**known.get(name, {}), **given.tables.get(name, {})} for name in (*given.tables, *known)}
    return replace(given, tables=said)


def _with_hidden(contents: Contents, folders: Sequence[AcroFolder]) -> Contents:
    """The sheets with a word in cells that ACRO blanked: the number is hidden, and may be any."""
    blanked = {str(file): cells for folder in folders for file, cells in folder.blanked}
    return [
        (path, [with_words(grid, blanked.get(str(path), ())) if isinstance(grid, Grid) else grid for grid in inside])
        for path, inside in contents
    ]


def _meaning(given: GivenLayout, spoken: Mapping[str, CountRange]) -> Meaning:
    named = given.rule if given.rule != EXACT else ""
    return Meaning(find_rule(named) if named else None, tuple(spoken.items()), given.rule == EXACT)


def _contents(paths: list[Path]) -> list[tuple[Path, list[Grid | Table]]]:
    """What the files hold, before anything is understood; what is wrong with all of them is said at once."""
    made, problems = [], list[str]()
    for path in paths:
        try:
            made.append((path, [unmarked(content) if isinstance(content, Grid) else content for content in read_file(path)]))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return made


def _together(
    found: FilesRead, given: GivenLayout, spoken: Mapping[str, CountRange], record: str
) -> Imported | list[TableQuestion]:
    """One release of all tables, or what must be asked about variables that several of them have."""
    read, unread = found.read, found.unread
    if not read:
        more = len(unread) - MOST_UNREAD
        raise InputError([*unread[:MOST_UNREAD], *([f"{more} more are left out"] if more > 0 else []), NOTHING])
    plain = [without_blank(table) for _, table in read]
    if apart := tables_apart(plain, [name for name, said in given.tables.items() if "fixed" in said]):
        return apart
    if rounding := _rounded_together(plain, found.sheets, _meaning(given, spoken)):
        return rounding
    tables = with_fixed(plain)
    if wrong := unknown_variables(given.variables, tables):
        raise InputError(wrong)
    shared = share(tables, given.variables)
    if isinstance(shared, list):
        return shared
    noun = record or given.record or "record"
    built = build(tables, shared, _meaning(given, spoken), noun)
    if unused := unused_tokens(spoken, built.standing, found):
        raise InputError(unused)
    names = [[shared[t, a].column.name for a in range(len(table.axes))] for t, table in enumerate(tables)]  # over all tables
    layouts = [
        renamed(
            made,
            {name: name for name in made.variables}
            | dict(zip([axis.name for axis in table.axes if axis.labels], names[t], strict=False)),  # then those that are fixed
        )
        if isinstance(made, Layout)
        else tables[t]
        for t, (made, table) in enumerate(read)
    ]
    said = [table_sentence(table, names[t], built.numbers[t], built.hidden[t]) for t, table in enumerate(tables)]
    counted = {token: counts.text for token, counts in spoken.items()}
    text = layout_text(layouts, given, built.release.domain.record, counted)
    meaning = _meaning(given, spoken)
    records = records_text(tables, meaning, noun)
    return Imported(
        built.release,
        built.standing,
        (*said, *unread),
        text,
        meaning,
        _left_out(found, built.standing),
        records,
        tuple(found.explained),
        tuple(found.sheets),
        tuple(found.whole),
        {table.name: everybody(table, meaning) for table in tables if any(not entry.percent for entry in table.entries)},
    )


def _rounded_together(tables: Sequence[Table], sheets: Sequence[Sheet], meaning: Meaning) -> list[TableQuestion]:
    """Are all numbers of a file multiples of one base? A small table alone, or one of several measures, does not tell."""
    for file in dict.fromkeys(table.file for table in tables):
        inside = [table for table in tables if table.file == file and table.unit == 1]
        entries = tuple(entry for table in inside for entry in table.entries)
        own = {(entry.place.sheet, entry.place.row, entry.place.column) for entry in entries}
        blocks = [part.block for sheet in sheets if sheet.grid.file == file for part in sheet.parts]
        places = ((b.grid, row, c) for b in blocks if isinstance(b, SheetBlock) for row in b.body for c in b.numbers)
        cells = (grid.cell(row, c) for grid, row, c in places if (grid.sheet, row, c) not in own)
        beside = (both[0] if (both := count_and_percent(text)) else text for text in cells)
        if inside and (asked := rounded_question(replace(inside[0], entries=entries), meaning, beside=beside)) is not None:
            return [asked]
    return []


def unused_tokens(spoken: Mapping[str, CountRange], standing: Sequence[Standing], found: FilesRead) -> list[str]:
    """Tokens that were explained and that no number shows, a line each."""
    seen = {at.shown.strip() for at in standing}
    problems = []
    for token in spoken:
        if token in seen:
            continue
        cells = (
            sheet.grid.place(row, column).text
            for sheet in found.sheets
            for row in range(1, len(sheet.grid.rows) + 1)
            for column in sheet.grid.filled(row)
            if sheet.grid.cell(row, column) == token
        )
        first = next(cells, "")
        where = f"it stands in {first}, which is not read as a number" if first else "it stands nowhere in these files"
        problems.append(f"--token {shown(token)}: is not used: {where}; correct it, or leave it out")
    return problems


def _left_out(found: FilesRead, standing: Sequence[Standing]) -> tuple[LeftOut, ...]:
    taken: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for at in standing:
        taken.setdefault((at.place.file, at.place.sheet), set()).add((at.place.row, at.place.column))
    cells = [cell for sheet in found.sheets for cell in remaining(sheet, taken.get((sheet.grid.file, sheet.grid.sheet), ()))]
    return (*cells, *(cell for table, why in found.cubes for cell in of_cube(table, why)))


def beside(imported: Imported) -> dict[str, str]:
    """File name -> text: places.csv names the cell of every published number, left_out.csv those that were not taken, and
    layout.toml can be changed and given back.
    """
    texts = {PLACES: places_text(place_rows_of(imported)), "layout.toml": imported.layout}
    if imported.left_out:
        texts[LEFT_OUT] = left_out_text(imported.left_out)
    assumed = assumptions(imported)
    return texts | ({ASSUMPTIONS: assumptions_text(assumed)} if assumed else {})


def all_left_out(imported: Imported) -> AllLeftOut:
    """What was left out, and what of it stands beside counts that are not shown."""
    beside = standing_beside(imported.left_out, place_rows_of(imported), hidden_names(imported.release))
    return AllLeftOut(imported.left_out, beside)


def place_rows_of(imported: Imported) -> list[list[str]]:
    """Where each number stands and what is shown there, as rows of places.csv."""
    return [
        [at.name, at.place.file, at.place.sheet, str(at.place.row), letters(at.place.column), at.shown] for at in imported.standing
    ]


def assumptions(imported: Imported) -> list[str]:
    """What the user said the tables mean, a sentence each: every answer about the release hangs on it."""
    rule, seen = imported.meaning.rule, {at.shown for at in imported.standing}
    said = [f"the tables follow the release rule {rule.name}"] if rule is not None else []
    said += (
        [f"{COUNTED} {plural(imported.release.domain.record, 2)}, together {imported.records}"] if imported.records else []
    )
    said += imported.assumed
    return said + [mark_sentence(token, ((counts.low, counts.high),)) for token, counts in imported.meaning.tokens if token in seen]
