"""Where the files of a release came from: written down when it is protected, so that they can be written back later."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.formats.beside import LEFT_OUT, PLACES, left_out_text, place_rows, places_text, read_left_out
from foregone.formats.text import is_there, json_text, parse_json, read_text
from foregone.model.errors import InputError
from foregone.model.shown import shown

SOURCES = "sources.json"
LAYOUT = "layout.toml"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was imported: how it is called in places.csv, where it was when it was protected, and its fingerprint then."""

    file: str
    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The release that was protected, the files that it was imported from, and what was asked."""

    release: Path
    files: tuple[SourceFile, ...]
    asked: Mapping[str, Any]


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def found_again(file: str, release: Path) -> Path | None:
    """Where a file is that a release names as it was typed then: from here, or from beside the release."""
    for start in (Path(), release.parent, release):
        if (path := start / file).is_file():
            return path.resolve()
    return None


def source_texts(release: Path, asked: Mapping[str, Any]) -> dict[str, str]:
    """What is kept private about the sources of a release, texts by file name; of one that was not imported only what was asked."""
    rows = place_rows(release)
    files = []
    for file in dict.fromkeys(row[1] for row in rows):
        path = found_again(file, release)
        files.append({"file": file, "path": "" if path is None else str(path), "sha256": "" if path is None else fingerprint(path)})
    content = {
        "release": os.path.realpath(release),
        "files": files,
        "asked": dict(asked),
    }
    texts = {SOURCES: json_text(content)}
    if rows and is_there(release / LAYOUT):
        texts |= {PLACES: places_text(rows), LAYOUT: read_text(release / LAYOUT)}
        left_out = read_left_out(release)
        texts |= {LEFT_OUT: left_out_text(left_out)} if left_out else {}
    return texts


def read_sources(private: Path) -> Sources:
    """What was kept private; an error if it is not there or not ours."""
    path = private / SOURCES
    if not is_there(path):
        raise InputError(f"{path}: is not there, so it is not known which files to write; protect the imported release again")
    content = parse_json(read_text(path), str(path))
    try:
        files = tuple(SourceFile(str(one["file"]), Path(one["path"]), str(one["sha256"])) for one in content["files"])
        return Sources(Path(content["release"]), files, dict(content["asked"]))
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: is not what protect writes; protect the imported release again") from None


def check_sources(sources: Sources, private: Path) -> None:
    """Refuse sources that are missing or have changed, all of them at once."""
    problems = []
    if not sources.files:
        problems.append(
            f"{sources.release}: was not imported from files, so there are none to write back; publish the folder itself"
        )
    elif not is_there(private / LAYOUT):
        problems.append(
            f"{private / LAYOUT}: is not there, so it is not known how the files were read; import and protect them again"
        )
    for source in sources.files:
        if not source.sha256:
            problems.append(f"{source.file}: was not found when the release was protected; protect it again where the file is")
        elif not source.path.is_file():
            problems.append(f"{source.path}: is not there any more; put the file back, or import and protect it again")
        elif fingerprint(source.path) != source.sha256:
            problems.append(f"{source.path}: has changed since the release was protected; import and protect it again")
    if problems:
        raise InputError(problems)


def check_reading(rows: Sequence[Sequence[str]], stored: Sequence[Sequence[str]], private: Path) -> None:
    """The files must be read as they were when they were imported: the same numbers in the same places."""
    now, then = sorted(tuple(row) for row in rows), sorted(tuple(row) for row in stored)
    if now != then:
        first = min(set(now) ^ set(then))
        raise InputError(
            f"{private}: the files are read otherwise now than when they were imported ({shown(first[0])} in cell"
            f" {first[4]}{first[3]} of {first[1]}); import and protect them again"
        )
