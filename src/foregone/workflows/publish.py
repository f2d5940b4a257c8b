"""What `foregone publish` does: the files that a release was imported from, with a mark wherever a number is not shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from foregone.formats.beside import place_rows
from foregone.formats.folder import read_release
from foregone.formats.outputs import check_outputs, new_folder, write_text
from foregone.formats.protection import private_folder
from foregone.formats.text import json_text
from foregone.model.errors import InputError, gathered
from foregone.model.release import Release
from foregone.publishing.again import differences, footnote_problems, read_again
from foregone.publishing.changes import AllChanges, changes_of
from foregone.publishing.outcome import MarkedCell, NotPublished, PublishedFile, PublishedFiles
from foregone.publishing.sources import LAYOUT, Sources, check_reading, check_sources, fingerprint, read_sources
from foregone.publishing.writers import write_file
from foregone.publishing.written import FileWritten
from foregone.tables.files_read import table_names
from foregone.tables.importing import Imported, place_rows_of, read_tables
from foregone.tables.layout_file import GivenLayout, read_layout

WRITTEN = "published.json"


def publish(protected: Path, files: Path) -> PublishedFiles:
    """Write the files of a protected release in the layout they came in to the new folder `files`.

    What `protect` kept private beside `protected` says where the sources are. They are read, marked, written and read again as
    a reader would. Raises `NotPublished` with a line for each thing that cannot be cleaned or would be understood otherwise, and
    `InputError` where sources are missing or have changed; then nothing is written.
    """
    private = private_folder(protected)
    sources = read_sources(private)
    check_sources(sources, private)
    check_outputs([protected, private, *(source.path for source in sources.files)], folders={"--files": files})
    released = read_release(protected)
    layout = read_layout(private / LAYOUT)
    imported = _as_imported(sources, read_tables([source.path for source in sources.files], layout=layout))
    check_reading(place_rows_of(imported), place_rows(private), private)
    changes = changes_of(imported, released)
    written = _written(sources, changes)
    names = _names(sources)
    with new_folder(files) as folder:
        for source in sources.files:
            target = folder / names[source.file]
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(written[source.file].content)
        _check_again(
            folder, [folder / names[source.file] for source in sources.files], layout, imported, released, changes, written
        )
    made = PublishedFiles(
        files,
        tuple(
            PublishedFile(names[one.file], one.path, fingerprint(files / names[one.file]), *_told(written[one.file]))
            for one in sources.files
        ),
        tuple(changes.footnotes.values()),
    )
    record = {"folder": str(files.resolve()), "files": made.json()["files"]}
    write_text(private / WRITTEN, json_text(record), silent=True)
    return made


def _told(written: FileWritten) -> tuple[tuple[MarkedCell, ...], tuple[str, ...], tuple[str, ...]]:
    return written.cells, written.taken_out, written.look_at


def _as_imported(sources: Sources, read: Imported) -> Imported:
    """Everything with the names that the files had when they were imported."""
    names = {str(source.path): source.file for source in sources.files}
    standing = tuple(replace(at, place=replace(at.place, file=names[at.place.file])) for at in read.standing)
    sheets = tuple(replace(sheet, grid=replace(sheet.grid, file=names[sheet.grid.file])) for sheet in read.sheets)
    cubes = tuple(replace(table, file=names[table.file]) for table in read.cubes)
    return replace(read, standing=standing, sheets=sheets, cubes=cubes)


def _written(sources: Sources, changes: AllChanges) -> dict[str, FileWritten]:
    """The new bytes of each file; what cannot be cleaned in any of them is said at once."""
    made: dict[str, FileWritten] = {}
    problems: list[str] = []
    for source in sources.files:
        sheets = {sheet: some for (file, sheet), some in changes.sheets.items() if file == source.file}
        with gathered(problems):
            made[source.file] = write_file(source.path, sheets, changes)
    if problems:
        raise NotPublished(problems)
    return made


def _names(sources: Sources) -> dict[str, str]:
    """Under which name each file is written: its own, with its folder where two have the same, as tables are named."""
    bases = table_names([source.path for source in sources.files])
    return {one.file: f"{bases[one.path].rpartition('/')[0]}/{one.path.name}".lstrip("/") for one in sources.files}


def _check_again(
    folder: Path,
    paths: list[Path],
    layout: GivenLayout,
    imported: Imported,
    released: Release,
    changes: AllChanges,
    written: dict[str, FileWritten],
) -> None:
    """Read the files as a reader does; whatever that reader would understand otherwise stops the publication."""
    signs = {sign: meant for file in written.values() for sign, meant in file.signs}
    changed = {(file, sheet, *at) for (file, sheet), some in changes.sheets.items() for at in some.cells}
    shown = {
        at.shown.strip()
        for at in imported.standing
        if (at.place.file, at.place.sheet, at.place.row, at.place.column) not in changed
    }
    used = {
        sign: meant for sign, meant in signs.items() if any(cell.text == sign for file in written.values() for cell in file.cells)
    }
    try:
        read = read_again(paths, layout, imported, used, shown)
    except InputError as error:
        raise NotPublished([f"read again, {problem.replace(f'{folder}/', '')}" for problem in error.problems]) from None
    problems = [*differences(read, released, changes.marks), *footnote_problems(read, changes.old, changes.marks, used)]
    if problems:
        raise NotPublished([f"read again, {problem.replace(f'{folder}/', '')}" for problem in problems])
