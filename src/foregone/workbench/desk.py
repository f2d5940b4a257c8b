"""What lies on the desk: the tables as they were read, and one warm case about them. It lives in a process of its own.

Every question about the same tables goes to the same case, so that a second one costs little. What was made lies in the folder;
a desk that begins again finds it there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from foregone.batch.subject import Subject
from foregone.census.subjects import subject_of_release
from foregone.engine import Case, RestingFacts
from foregone.formats.beside import left_out_of, place_rows
from foregone.formats.folder import read_release
from foregone.formats.outputs import write_text
from foregone.model.errors import InputError
from foregone.model.policy import DEFAULT
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.pages.ranking import AuditedRelease, audited_release
from foregone.policy.judge import Judged
from foregone.policy.reader import as_read
from foregone.questions.ask import audit
from foregone.tables.files_read import table_names
from foregone.tables.importing import Imported, NotImported, read_tables
from foregone.tables.layout_file import GivenLayout, read_layout, with_choice
from foregone.tables.readers.registry import read_file
from foregone.tables.reading.question import ReadingChoice, Reads, TableQuestion
from foregone.tables.table import Grid
from foregone.workbench.folder import MADE, WorkFolder, is_plain
from foregone.workbench.sheets import WorkSheet, drawn_tables, known_cells, sheet_of, signs_in
from foregone.workbench.state import WorkState
from foregone.workflows.tables import write_imported

Listener = Callable[..., None]
"""Hears how far a job is: a sentence, and perhaps a share from 0 to 1."""

RELEASE, PROTECTED, FILES, LAYOUT = "release", "protected", "files", "layout.toml"


@dataclass(frozen=True, slots=True)
class Sign:
    """A text in the place of numbers, how often it stands there, and what it was said to mean."""

    text: str
    times: int
    counts: str = ""


@dataclass(frozen=True, slots=True)
class DeskReading:
    """The tables as they were read, or what must be answered before they can be. `path` is where the release lies."""

    path: Path
    command: str
    sheets: tuple[WorkSheet, ...]
    signs: tuple[Sign, ...] = ()
    release: Release | None = None
    said: tuple[str, ...] = ()
    records: str = ""
    questions: tuple[TableQuestion, ...] = ()
    problems: tuple[str, ...] = ()
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class DeskAudit:
    """A release, its warm case, and all that is certain about it; `seconds` is how long that took."""

    reading: DeskReading
    release: Release
    case: Case
    audited: AuditedRelease
    subject: Subject
    seconds: float


class Desk:
    """Reads and audits when something has changed, and otherwise remembers."""

    def __init__(self, root: Path) -> None:
        self.folder = WorkFolder(root)
        self._read: tuple[str, DeskReading] | None = None
        self._audit: tuple[str, DeskAudit] | None = None
        self._resting: RestingFacts | None = None

    def reading(self, state: WorkState) -> DeskReading:
        """How the tables are read with what was said about them."""
        key = self.key(state)
        if self._read is None or self._read[0] != key:
            self._read = key, self._given_release() if self.folder.is_release else self._import(state)
        return self._read[1]

    def audit(self, state: WorkState, listener: Listener) -> DeskAudit:
        """What the tables give away; raises InputError where they cannot be read yet."""
        reading = self.reading(state)
        if reading.release is None:
            raise InputError("the tables are not read yet: answer what is asked on the first screen")
        key = self.key(state)
        if self._audit is None or self._audit[0] != key:
            self._audit = key, audit_reading(reading, reading.release, listener)
        return self._audit[1]

    def resting(self, state: WorkState, listener: Listener) -> RestingFacts:
        """What each fact rests on, for questions about fewer numbers."""
        found = self.audit(state, listener)
        if self._resting is None or self._resting.audit is not found.audited.audit:
            self._resting = RestingFacts(found.audited.audit)
        return self._resting

    def key(self, state: WorkState) -> str:
        """Changes with the files and with what was said about them, and with nothing else."""
        if self.folder.is_release:
            contents = [(self.folder.root / name).read_bytes() for name in ("domain.json", "statistics.csv")]
        else:
            there = self.folder.tables()
            contents = [Path(name).read_bytes() for name in state.files if name in there]
            contents += [Path(LAYOUT).read_bytes()] if is_plain(Path(LAYOUT)) else []
        said = repr((state.files, state.record, state.rule, state.tokens, state.answers))
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in (*contents, said.encode()))).hexdigest()

    def _given_release(self) -> DeskReading:
        release = read_release(Path())
        sheets = drawn_tables(release, subject_of_release(release.domain))
        return DeskReading(Path(), "", sheets, release=release, said=("The folder holds a release; there is nothing to import.",))

    def _import(self, state: WorkState) -> DeskReading:
        paths = [Path(name) for name in state.files]
        command = import_command(state)
        there = self.folder.tables()  # a name is only ever looked up, never followed
        gone = [name for name in state.files if name not in there]
        if gone or not paths:
            missing = tuple(f"{name}: is not there any more, or is a link; put it back, or drop it again" for name in gone)
            return DeskReading(Path(), command, (), problems=missing or ("There is no table yet; drop a file here.",))
        try:
            contents = [read_file(path) for path in paths]
        except InputError as error:
            return DeskReading(Path(), command, (), problems=error.problems)
        grids = [content for inside in contents for content in inside if isinstance(content, Grid)]
        meant = dict(state.tokens)
        signs = signs_in(grids)
        every = tuple(Sign(text, signs.get(text, 0), meant.get(text, "")) for text in dict.fromkeys((*signs, *meant)))
        tokens = [f"{token}={counts}" for token, counts in state.tokens if token in signs or _stands(grids, token)]
        plain = tuple(sheet_of(grid, None) for grid in grids)
        try:
            given = answered_layout(state, paths)
            made = read_tables(paths, rule=state.rule, tokens=tokens, layout=given, record=state.record)
            out = self.folder.inside(RELEASE)
            remark = write_imported(made, Path(MADE) / RELEASE)
            if state.answers:
                write_text(self.folder.inside(LAYOUT), made.layout, silent=True)
        except NotImported as error:
            if error.layout:
                write_text(self.folder.inside(LAYOUT), error.layout, silent=True)
            problems = () if error.questions else error.problems
            return DeskReading(Path(), command, plain, every, questions=error.questions, problems=problems)
        except InputError as error:
            return DeskReading(Path(), command, plain, every, problems=error.problems)
        return self._made(made, grids, every, command, out, remark)

    def _made(
        self, made: Imported, grids: list[Grid], signs: tuple[Sign, ...], command: str, out: Path, remark: str
    ) -> DeskReading:
        path = Path(MADE) / RELEASE
        release = read_release(path)
        known = known_cells(release, place_rows(out), made.left_out)
        sheets = tuple(sheet_of(grid, known.get((grid.file, grid.sheet))) for grid in grids)
        drawn = frozenset(name for sheet in sheets for name in sheet.names)
        if any(count.name not in drawn for count in release.statistics) and not grids:
            sheets = drawn_tables(release, subject_of_release(release.domain))
        said = (*made.said, *([remark] if remark else []))
        left = left_out_of(out, release).said
        return DeskReading(path, command, sheets, signs, release, said, made.records, left_out=left)


def audit_reading(reading: DeskReading, published: Release, listener: Listener) -> DeskAudit:
    """Compile a release, find all that is certain about it, and what its hidden cells must be."""
    release, subject = as_read(published, DEFAULT), subject_of_release(published.domain)
    case = Case(release)
    found = audit(case, progress=told(listener, "Looking for everything that is certain"))
    audited = audited_release(found, subject, judged=Judged(found, progress=told(listener, "Working out what is not shown")))
    return DeskAudit(reading, release, case, audited, subject, found.seconds["total"])


def told(listener: Listener, what: str) -> Progress:
    """Progress of the engine as a sentence for people."""

    def progress(stage: str, done: int, total: int, share: float | None = None, /) -> None:
        part = share if share is not None else done / total if total else None
        number = f", {done:,} of {total:,}" if total else ""
        listener(f"{what}: {stage}{number}", part)

    return progress


def answered_layout(state: WorkState, paths: list[Path]) -> GivenLayout:
    """What a layout file in the folder says, and then what was answered by clicks; answers about other tables stay unused."""
    given = read_layout(Path(LAYOUT)) if is_plain(Path(LAYOUT)) else GivenLayout()
    stems = tuple(table_names(paths).values())
    for answer in state.answers:
        if answer.whole or answer.table.startswith(stems):
            given = with_choice(given, answer.table, ReadingChoice(Reads.LABELS, settings=answer.settings, whole=answer.whole))
    return given


def import_command(state: WorkState) -> str:
    """The command that reads the same tables in the same way, from the working folder."""
    words = ["foregone", "import", *(f"./{name}" if name.startswith("-") else name for name in state.files)]
    words += ["--rule", state.rule] if state.rule else []
    words += ["--record", state.record] if state.record else []
    words += [word for token, counts in state.tokens for word in ("--token", f"{token}={counts}")]
    layout = f"{MADE}/{LAYOUT}" if state.answers else LAYOUT if is_plain(Path(LAYOUT)) else ""
    words += ["--layout", layout] if layout else []
    return join([*words, "--out", f"{MADE}/{RELEASE}"])


def _stands(grids: list[Grid], token: str) -> bool:
    return any(token in (cell.strip() for cell in row) for grid in grids for row in grid.rows)
