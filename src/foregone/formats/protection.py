"""What protect writes: the folder that gets published, and beside it, for its owner only, what tells how it was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foregone.formats.beside import ASSUMPTIONS, COUNTED, PLACES, assumptions_text, places_text, to_be_published
from foregone.formats.folder import release_texts
from foregone.formats.outputs import PRIVATE, RECORD, check_outputs, write_folder
from foregone.formats.rows import whole_number
from foregone.formats.text import csv_text, json_text, raise_all, read_rows
from foregone.model.errors import InputError
from foregone.model.marks import mark_sentence
from foregone.model.protection import Protection

_, PAGE, CERTIFICATE, JOINED = PRIVATE[:4]


def private_folder(path: Path) -> Path:
    """Where what must not be published goes: beside the protected release, with its name and `-private`."""
    return path.with_name(f"{path.name}-private")


def check_protected_output(path: Path, inputs: list[Path | None], files: dict[str, Path | None]) -> None:
    """Refuse a place before any work is done."""
    if path.suffix in (".json", ".parquet"):
        raise InputError(f"{path}: a protected release is a folder; give a folder name")
    if not path.name:
        raise InputError(f"{path}: has no name of its own, so nothing can be named after it; give the folder's name")
    inside = [f"{name} {file}: lies in {path}, which is published, and tells what is withheld; choose a place outside"
              for name, file in files.items() if file is not None and file.resolve().is_relative_to(path.resolve())]  # fmt: skip
    raise_all(inside)
    check_outputs(inputs, files, releases={"--out": path, "what is kept private": private_folder(path)})


def still_assumed(found: Protection, assumptions: Sequence[str]) -> list[str]:
    """What the original takes for granted and the protected release does, too: not what a mark stood for, if it is another now, and
    not how many records its tables were understood to count, which may be withheld.
    """
    changed = {mark_sentence(mark, meant) for mark, meant in found.original.domain.marks if found.marks.get(mark) != meant}
    return [sentence for sentence in assumptions if sentence not in changed and not sentence.startswith(COUNTED)]


def write_protection(
    found: Protection, path: Path, assumptions: Sequence[str] = (), places: Sequence[Sequence[str]] = ()
) -> None:
    """Write the protected release with what it takes for granted, and where its numbers stand in the files that the original was
    imported from (`places`, the rows of its places.csv): whole or not at all. Nothing in it tells how it was chosen.
    """
    if found.release is None:
        raise InputError(f"{path}: there is no protected release to write; see why in the summary")
    if found.release.own:
        raise InputError(f"{path}: weighted sums other than figures cannot be written to a file; leave them out of the release")
    assumed = {ASSUMPTIONS: assumptions_text(assumptions)} if assumptions else {}
    standing = to_be_published(places, {number.name for number in found.release.published})
    placed = {PLACES: places_text(standing)} if standing else {}
    write_folder(path, {**release_texts(found.release), **assumed, **placed}, release=True)


def write_private(
    found: Protection, path: Path, page: str = "", certificate: str = "", further: Mapping[str, str] | None = None
) -> None:
    """Write what must not be published beside a protected release, for its owner only: the record, and what else is given;
    `further` texts by file name.
    """
    texts = {RECORD: json_text(found.json()), PAGE: page, CERTIFICATE: certificate, **(further or {})}
    write_folder(private_folder(path), {name: text for name, text in texts.items() if text}, release=True, mode=0o700)


def write_record(record: dict[str, Any], tables: list[tuple[str, bool]], path: Path) -> None:
    """What is withheld of many releases: the record, and every table with whether it may be published."""
    rows = ((name, "withheld" if withheld else "") for name, withheld in tables)
    write_folder(path, {RECORD: json_text(record), "tables.csv": csv_text(["table", "status"], rows)})


def read_costs(path: Path) -> dict[str, int]:
    """A CSV file with the columns `name` (of a cell, of a table, or of a merge) and `cost`, a whole number from 1 up."""
    header, rows = read_rows(path)
    if sorted(header) != ["cost", "name"]:
        raise InputError(f"{path}, row 1: expected the columns name and cost, found {', '.join(header)}")
    name, cost = header.index("name"), header.index("cost")
    found: dict[str, int] = {}
    problems: list[str] = []
    for line, values in rows:
        wrong: list[str] = []
        number = whole_number("cost", values[cost], wrong)
        if not wrong and not number:
            wrong.append(", column cost: 0 is not a whole number from 1 up; use --keep for what must stay")
        if values[name] in found:
            wrong.append(f", column name: {values[name]!r} is given twice; keep one")
        problems += [f"{path}, row {line}{problem}" for problem in wrong]
        found[values[name]] = number
    raise_all(problems)
    return found
