"""From files to a release: find the tables, read each in the one way that fits, put variables together, say what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.marks import mark_sentence
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed, shown
from foregone.rules.registry import find_rule
from foregone.rules.rule import CountRange
from foregone.tables.blocks import SheetBlock, Tokens, Unread, unmarked
from foregone.tables.build import Standing, build
from foregone.tables.layout import Broken, Fits, Layout, Misfit, Read, column_name, renamed
from foregone.tables.layout_file import (
    GivenLayout,
    blocks_of,
    layout_text,
    open_layout,
    rows_text,
    unknown_variables,
    with_choice,
)
from foregone.tables.populations import told_apart
from foregone.tables.readers.acro import BLANKED, AcroFolder, read_acro, rounding_unsaid, with_words
from foregone.tables.readers.registry import read_file
from foregone.tables.reading.axes import read_cube
from foregone.tables.reading.dates import AGAIN
from foregone.tables.reading.one_way import one_way_tables
from foregone.tables.reading.question import TableQuestion
from foregone.tables.reading.sentences import choice_text, clue_text, question_text, questions_text
from foregone.tables.reading.sheet import read_block
from foregone.tables.reading.totals import everybody
from foregone.tables.remaining import Sheet, SheetPart, of_cube, remaining
from foregone.tables.table import Axis, Grid, Table, letters
from foregone.tables.values import Meaning, parse_tokens
from foregone.tables.variables import share
from foregone.tables.words import same_name, says_total

EXACT = "exact"  # in place of a rule: the numbers are not rounded
NOTHING = "no table could be read, so nothing was imported; a layout file can say how to read one"


def without_blank(table: Table) -> Table:
    """The table without variables that have no value in any row, as regions have none in the rows about a whole country."""
    kept = [i for i, axis in enumerate(table.axes) if axis.labels]
    if len(kept) == len(table.axes):
        return table
    entries = tuple(
        replace(e, labels=tuple(e.labels[i] for i in kept), base=None if e.base is None else tuple(e.base[i] for i in kept))
        for e in table.entries
    )
    return replace(table, axes=tuple(table.axes[i] for i in kept), entries=entries)


def with_fixed(tables: list[Table]) -> list[Table]:
    """The tables with those single values that tell something; the others are left out, which is said.

    A table of women beside one by sex counts women only, and so do a table of 2023 and one of 2024 count different people.
    """
    made = []
    for t, table in enumerate(tables):
        if not table.fixed:
            made.append(table)
            continue
        axes, labels, left_out = list(table.axes), list[str | None](), list(table.left_out)
        for axis in table.fixed:
            (code,) = axis.labels
            word = dict(axis.words).get(code, code)
            others = [other for u, other in enumerate(tables) if u != t]
            if axis.totals or says_total(code) or says_total(word):
                continue
            if any(_tells_more(axis, other) for table in others for other in (*table.axes, *table.fixed)):
                axes.append(axis)
                labels.append(code)
            else:
                left_out.append(f"{axis.name} has one value ({code}) and is left out")
        entries = tuple(
            replace(e, labels=(*e.labels, *labels), base=None if e.base is None else (*e.base, *labels)) for e in table.entries
        )
        made.append(replace(table, axes=tuple(axes), entries=entries, left_out=tuple(left_out), fixed=()))
    return made


def _tells_more(one: Axis, other: Axis) -> bool:
    """Does another table tell other values of the same variable?"""
    return same_name(one.name, other.name) and set(other.labels) != set(one.labels)


def table_sentence(table: Table, names: list[str], numbers: int, hidden: int) -> str:
    """`t1: Age group in rows x Male/Female in columns, total row and column, 18 numbers, 3 of them hidden`."""
    by = " x ".join(_axis_words(table, i, name) for i, name in enumerate(names)) or "one number"
    places = [place for place in ("row", "column") if any(axis.totals and axis.where == f"{place}s" for axis in table.axes)]
    totals = f", total {' and '.join(places)}" if places and table.kind in ("cross-tab", "list") else ", totals" if places else ""
    kind = {"cross-tab": "", "list": "list of "}.get(table.kind, f"{table.kind}, ")
    parts = [f"{table.name}: {kind}{by}{totals}, {numbers} {plural('number', numbers)}"]
    parts += [f"{hidden} of them hidden"] if hidden else []
    text = ", ".join(parts) + "."
    percents = [entry for entry in table.entries if entry.base is not None]
    if percents:
        kept = [name for i, name in enumerate(names) if any(entry.base and entry.base[i] is not None for entry in percents)]
        text += f" Percentages are of the total{' for each ' + ' and '.join(kept) if kept else ''}."
    grouped = [label for axis in table.axes for label, _ in axis.groups]
    if grouped and table.kind in ("cross-tab", "list"):
        verb, which = ("is", "it") if len(grouped) == 1 else ("are", "them")
        text += f" {listed(grouped)} {verb} made of the rows below {which}."
    if table.where:
        text += f" Only {', '.join(f'{name} {listed(codes)}' for name, codes in table.where)}, as the layout says."
    rest = [*([table.note] if table.note else []), *table.left_out]
    return text + (f" ({'; '.join(rest)})" if rest else "")


def _axis_words(table: Table, index: int, name: str) -> str:
    axis = table.axes[index]
    place = f" in {axis.where}" if table.kind == "cross-tab" else ""
    values = "/".join(axis.labels[:4]) + ("/..." if len(axis.labels) > 4 else "")
    if not axis.named:
        return f"{values}{place} (not named in the file; called {name})"
    taken = "" if name == axis.name else f" (read as {name})"
    return f"{axis.name}{place}{taken}" if axis.where == "rows" else f"{axis.name} ({values}){place}{taken}"


def left_out_sentences(grid: Grid, unread: Sequence[Unread]) -> list[str]:
    """What was found on a sheet and is no table, a sentence for each reason."""
    by_reason: dict[str, list[Unread]] = {}
    for some in unread:
        by_reason.setdefault(some.why, []).append(some)
    return [
        f"{grid.source}, rows {listed(f'{some.first} to {some.last}' for some in alike)} are left out: {why}."
        for why, alike in by_reason.items()
    ]


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
    totals: Mapping[str, CountRange] = field(default_factory=dict)  # how many records each table counts
    assumed: tuple[str, ...] = ()  # what a project's folder leaves to be assumed, a sentence each


class NotImported(InputError):
    """Tables that could not be read, or not without an answer; the layout so far can be completed and given back."""

    def __init__(
        self, problems: Iterable[str], questions: Sequence[TableQuestion] = (), layout: str = "", explained: Sequence[str] = ()
    ) -> None:
        super().__init__(problems)
        self.questions, self.layout, self.explained = tuple(questions), layout, tuple(explained)


@dataclass(slots=True)
class _FilesRead:
    """What was found in the files while they are read."""

    read: list[tuple[Layout | Table, Table]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # a sentence for each table that cannot be read
    problems: list[str] = field(default_factory=list)
    questions: list[TableQuestion] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    cubes: list[tuple[Table, str]] = field(default_factory=list)  # tables without a sheet that are left out, and why
    names: list[tuple[str, str, str]] = field(default_factory=list)  # every table: its name, file and sheet
    explained: list[str] = field(default_factory=list)


Contents = Sequence[tuple[Path, Sequence[Grid | Table]]]
MOST_UNREAD = 6  # tables whose reasons are said where none could be read
MOST_FURTHER = 3  # problems that are said beside questions
MOST_ROUNDS = 12  # of questions that follow from the answers to others


def read_tables(
    paths: Sequence[str | Path],
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
    """
    given = layout or GivenLayout()
    given = replace(given, rule=rule) if rule else given
    spoken = dict(parse_tokens([f"{token}={counts}" for token, counts in given.tokens.items()])) | dict(parse_tokens(list(tokens)))
    folders = [read_acro(Path(path)) for path in paths if Path(path).is_dir()]
    if unsaid := rounding_unsaid(folders, given.rule):
        raise InputError(unsaid)
    single = [Path(path) for path in paths if not Path(path).is_dir()]
    contents: Contents = _contents([*single, *(file for folder in folders for file in folder.files)])
    bases = _bases([path for path, _ in contents], folders)
    given = _with_folders(given, folders, bases)
    if any(folder.blanked for folder in folders):
        spoken, contents = {**spoken, BLANKED: CountRange(0, None)}, _with_hidden(contents, folders)
    asked: list[TableQuestion] = []
    answered: list[str] = []
    first: _FilesRead | None = None  # what was read before anything was supposed
    further: list[str] = []
    answers = given
    for _ in range(MOST_ROUNDS):
        try:
            found = _read_all(contents, _meaning(answers, spoken), answers, bases)
            first = first if asked and first else found
            made = None if found.questions else _together(found, answers, spoken, record)
        except InputError as error:
            if asked:  # of what follows from a supposed answer only signs without a meaning concern the user
                further = [problem for problem in error.problems if "means is not known" in problem]
                break
            raise NotImported(error.problems, (), open_layout(first.names if first else [], given, ())) from None
        questions = made if isinstance(made, list) else found.questions
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


def _bases(paths: Sequence[Path], folders: Sequence[AcroFolder]) -> dict[Path, str]:
    """What the tables of a file are called: after the file, or as ACRO calls the output; and its folder, where another one has such
    a file, too.
    """
    stems = {path: path.stem for path in paths} | {file: name for folder in folders for file, name in folder.outputs}
    clashing = {stem for stem, n in Counter(stems.values()).items() if n > 1}
    return {path: f"{path.parent.name}/{stem}" if stem in clashing else stem for path, stem in stems.items()}


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
    found: _FilesRead, given: GivenLayout, spoken: Mapping[str, CountRange], record: str
) -> Imported | list[TableQuestion]:
    """One release of all tables, or what must be asked about variables that several of them have."""
    read, unread = found.read, found.unread
    if not read:
        more = len(unread) - MOST_UNREAD
        raise InputError([*unread[:MOST_UNREAD], *([f"{more} more are left out"] if more > 0 else []), NOTHING])
    tables = with_fixed([without_blank(table) for _, table in read])
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
            | dict(zip([axis.name for axis in table.axes if axis.labels], names[t], strict=True)),
        )
        if isinstance(made, Layout)
        else tables[t]
        for t, (made, table) in enumerate(read)
    ]
    said = [table_sentence(table, names[t], built.numbers[t], built.hidden[t]) for t, table in enumerate(tables)]
    counted = {token: counts.text for token, counts in spoken.items()}
    text = layout_text(layouts, given.rule, built.release.domain.record, counted, given.variables)
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
        {table.name: everybody(table, meaning) for table in tables if any(not entry.percent for entry in table.entries)},
    )


def unused_tokens(spoken: Mapping[str, CountRange], standing: Sequence[Standing], found: _FilesRead) -> list[str]:
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


def records_text(tables: Sequence[Table], meaning: Meaning, noun: str) -> str:
    """How many records the tables count, as far as they were understood: `together 38 patients`."""
    counted = [(everybody(table, meaning), table) for table in tables if any(not entry.percent for entry in table.entries)]
    if not counted:
        return ""
    most, table = max(counted, key=lambda pair: pair[0].low)
    number = (
        f"{most.low:,}"
        if most.low == most.high
        else f"{most.low:,} or more"
        if most.high is None
        else f"{most.low:,} to {most.high:,}"
    )
    again = [name for name, said in table.dates if said == AGAIN]
    each = f", the same ones counted again for each {' and '.join(again)}" if again else ""
    return f"{number} {plural(noun, most.low)}{each}"


def _left_out(found: _FilesRead, standing: Sequence[Standing]) -> tuple[LeftOut, ...]:
    taken: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for at in standing:
        taken.setdefault((at.place.file, at.place.sheet), set()).add((at.place.row, at.place.column))
    cells = [cell for sheet in found.sheets for cell in remaining(sheet, taken.get((sheet.grid.file, sheet.grid.sheet), ()))]
    return (*cells, *(cell for table, why in found.cubes for cell in of_cube(table, why)))


def _read_all(contents: Contents, meaning: Meaning, given: GivenLayout, bases: Mapping[Path, str]) -> _FilesRead:
    """Every table that can be read, with its layout, questions about others, and a sentence for what cannot be read."""
    made = _FilesRead()
    read, unread, problems = made.read, made.unread, made.problems
    names: list[str] = []
    tokens = Tokens(
        frozenset({*meaning.known, *(token for token, _ in meaning.tokens)}), frozenset(token for token, _ in meaning.tokens)
    )
    for path, inside in contents:
        base = bases[path]
        for content in inside:
            stem = f"{base}.{content.sheet}" if content.sheet and len(inside) > 1 else base
            if isinstance(content, Table):
                names.append(stem)
                settings = given.tables.get(stem, {})
                if settings.get("leave_out"):
                    unread.append(f"{stem} is left out, as the layout says.")
                    made.cubes.append((content, f"table {stem}: as the layout says"))
                    continue
                cube = read_cube(replace(content, name=stem), meaning, settings)
                _take(cube, content, stem, made)
                made.cubes += [(content, f"table {stem}: {cube.why}")] if isinstance(cube, Misfit) else []
                continue
            found = blocks_of(content, tokens, given, stem)
            unread += [] if found else [f"{content.source}: no table was found in it."]
            unread += left_out_sentences(content, [b for b in found if isinstance(b, Unread)])
            parts = [SheetPart(b, None, f"{_rows_of(b)}: {b.why}") for b in found if isinstance(b, Unread)]
            whole = [b for b in found if isinstance(b, SheetBlock)]
            asked = given.tables.get(stem, {}) if len(whole) == 1 else {}
            for number, (block, own) in enumerate((one for b in whole for one in one_way_tables(b, asked)), start=1):
                name = stem if number == 1 else f"{stem}-{number}"
                names.append(name)
                settings = {**own, **given.tables.get(name, {})}
                if settings.get("leave_out"):
                    unread.append(f"{name} is left out, as the layout says.")
                    parts.append(SheetPart(block, None, f"table {name}: as the layout says"))
                    continue
                outcome = read_block(block, name, meaning, settings)
                _take(outcome, content, name, made)
                if isinstance(outcome, Fits):
                    parts.append(SheetPart(block, outcome.layout))
                    made.explained += explained(outcome, content)
                elif isinstance(outcome, Misfit):
                    parts.append(SheetPart(block, None, f"table {name}: {outcome.why}"))
                elif isinstance(outcome, TableQuestion):
                    made.explained += before_answer(block, name)
            made.sheets.append(Sheet(content, tuple(parts)))
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


def _rows_of(unread: Unread) -> str:
    return f"row {unread.first}" if unread.first == unread.last else f"rows {unread.first} to {unread.last}"


def _take(found: Read | Table, source: Grid | Table, name: str, made: _FilesRead) -> None:
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


def explained(fits: Fits, grid: Grid) -> list[str]:
    """How a table on a sheet was read, row by row and column by column, and what says so."""
    layout = fits.layout

    def columns(some: Sequence[int]) -> str:
        return ", ".join(column_name(grid, layout, c).removeprefix("column ") for c in some)

    lines = [f"{layout.name} ({grid.source})"]
    lines += [f"  rows {rows_text(layout.header)}: headings"] if layout.header else []
    lines += [f"  rows {rows_text(layout.body)}: numbers"]
    lines += [f"  columns {columns(layout.labels)}: labels of {', '.join(layout.rows)}"] if layout.labels else []
    lines += [f"  columns {columns(layout.numbers)}: counts"]
    lines += [f"  columns {columns(layout.percents)}: percentages"] if layout.percents else []
    lines += [f"  {some.text}" for some in layout.left_out]
    for told in fits.told:
        lines.append(f"  {told.what}" + (f": {'; '.join(map(clue_text, told.clues))}" if told.clues else ""))
    return lines


def before_answer(block: SheetBlock, name: str) -> list[str]:
    """How the rows and columns of a table were taken about which something is still to be asked."""
    grid, heads = block.grid, block.header

    def columns(some: Sequence[int]) -> str:
        said = [" ".join(filter(None, (grid.cell(row, c) for row in heads))) for c in some]
        return ", ".join(f"{letters(c)} ({text})" if text else letters(c) for c, text in zip(some, said, strict=True))

    lines = [f"{name} ({grid.source}), as far as it is clear"]
    lines += [f"  rows {rows_text(heads)}: headings"] if heads else []
    lines += [f"  rows {rows_text(block.body)}: numbers"]
    lines += [f"  columns {columns(block.labels)}: labels"] if block.labels else []
    return [*lines, f"  columns {columns(block.numbers)}: numbers"]


def beside(imported: Imported) -> dict[str, str]:
    """File name -> text: places.csv names the cell of every published number, left_out.csv those that were not taken, and
    layout.toml can be changed and given back.
    """
    texts = {PLACES: places_text(_places(imported)), "layout.toml": imported.layout}
    if imported.left_out:
        texts[LEFT_OUT] = left_out_text(imported.left_out)
    assumed = assumptions(imported)
    return texts | ({ASSUMPTIONS: assumptions_text(assumed)} if assumed else {})


def all_left_out(imported: Imported) -> AllLeftOut:
    """What was left out, and what of it stands beside counts that are not shown."""
    return AllLeftOut(imported.left_out, standing_beside(imported.left_out, _places(imported), hidden_names(imported.release)))


def _places(imported: Imported) -> list[list[str]]:
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
