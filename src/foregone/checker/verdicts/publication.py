"""Is a folder exactly what a certificate says may be published, and nothing else? Looked at file by file, and number by number."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from foregone.checker.encode.figures import exact
from foregone.checker.encode.marks import Ranges, content_of, marks_of, numbers_of
from foregone.checker.encode.release import release_of
from foregone.checker.encode.weaker import CertifiedCase, left_of
from foregone.checker.read.files import DOMAIN, cell, read_content, read_json, read_text
from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import keyed
from foregone.checker.verdicts.protection import Protected

ASSUMPTIONS, PLACES = "assumptions.txt", "places.csv"
FILES = ("domain.json", "statistics.csv", "rules.csv", ASSUMPTIONS, PLACES)
STANDING = ["name", "file", "sheet", "row", "column", "shown"]


def check_published(judged: Protected, release: Path | None, folder: Path) -> list[str]:
    """What is wrong with the folder; nothing, if it is the protected release of an accepted certificate. `release` is where the
    original is, if it is a folder.
    """
    case, taken, wrong = judged.case, judged.taken, list[str]()
    if judged.rejected or case is None:
        return ["the certificate was not accepted, so nothing says what may be in the folder"]
    try:
        with at(folder):
            _files(folder)
    except Refused as error:
        return [str(error)]
    looks: list[Callable[[], None]] = [
        partial(_domain, case, taken, folder),
        partial(_numbers, case, taken, folder),
        partial(_assumed, release, folder),
        partial(_places, release, folder),
    ]
    for look in looks:
        try:
            with at(folder):
                look()
        except Refused as error:
            wrong.append(str(error))
    return wrong


def _files(folder: Path) -> None:
    try:
        there = sorted(os.listdir(folder))
    except OSError as error:
        raise Refused(f"cannot be read ({error})") from None
    others = [name for name in there if name not in FILES]
    if others:
        raise Refused(f"{', '.join(others[:5])} must not be published with it; only {', '.join(FILES)} may be there")
    linked = [name for name in there if (folder / name).is_symlink()]
    if linked:
        raise Refused(f"{', '.join(linked)} is a link, and tomorrow it may lead elsewhere; publish the file itself")
    missing = [name for name in ("domain.json", "statistics.csv") if name not in there]
    if missing:
        raise Refused(f"{', '.join(missing)} is missing")


def _domain(case: CertifiedCase, taken: tuple[int, ...], folder: Path) -> None:
    """Columns, codes and every word about them are those of the original, and marks those that are printed: anything else could
    tell something.
    """
    made = read_json(folder / "domain.json")
    keyed(made, ("columns",), DOMAIN)
    release_of({**made, "statistics": []})
    for key, default in (("columns", {}), ("labels", {}), ("record", "record"), ("numbers", {}), ("groups", {})):
        if _plain(key, made.get(key, default)) != _plain(key, case.content.get(key, default)):
            raise Refused(f"domain.json: {key} differs from the original")
    used = {number.mark for number in left_of(case, taken).values() if number.mark}
    marks = {mark: meant for mark, meant in marks_of(case.content.get("marks", {})).items() if mark in used}
    if case.marking.mark in used:
        marks[case.marking.mark] = ((case.marking.least, None),)
    if marks_of(made.get("marks", {})) != marks:
        raise Refused("domain.json: marks are not those that are printed")


def _plain(key: str, value: Any) -> Any:
    """A value in one form for all that means the same: codes without words are their own words, and 2 is 2.0."""
    if key == "columns" and isinstance(value, dict):
        words = {name: codes if isinstance(codes, dict) else dict(zip(codes, codes, strict=True)) for name, codes in value.items()}
        return [(name, list(labels.items())) for name, labels in words.items()]
    if key == "numbers" and isinstance(value, dict):
        if not all(isinstance(given, dict) for given in value.values()):
            raise Refused("domain.json: expected numbers as column -> code -> number")
        return {name: {code: exact(n) for code, n in given.items()} for name, given in value.items() if given}
    return {name: given for name, given in value.items() if given} if isinstance(value, dict) else value


def _numbers(case: CertifiedCase, taken: tuple[int, ...], folder: Path) -> None:
    content, due = read_content(folder), list(left_of(case, taken).values())
    rules = folder / "rules.csv"
    # cut into lines as `files` does: other ways see further ends of lines, behind which a column of words could stand
    header = next(csv.reader(io.StringIO(read_text(rules), newline="")), []) if rules.exists() else []
    if not {cell(name) for name in header} <= set(case.release.domain.columns):
        raise Refused("rules.csv: there is a column that is none of the release")
    made = release_of(content)
    found = numbers_of(content, made)
    if len(found) != len(due):
        raise Refused(f"statistics.csv: {len(found):,} numbers, and {len(due):,} are left by the certificate's actions")
    for row, (number, left) in enumerate(zip(found, due, strict=True), start=1):
        with at(f"statistics.csv, number {row}"):
            if (number.name, number.table, number.box, number.figure) != (left.name, left.table, left.box, left.figure):
                raise Refused(f"is {number.label!r} where {left.label!r} was expected, or is about other records")
            if any(number.entry.get(key, "") != left.entry.get(key, "") for key in ("measure", "of") if number.figure):
                raise Refused(f"{left.label!r} is another figure, or of something else")
            if (number.hidden, number.mark) != (left.hidden, left.mark):
                raise Refused(f"{left.label!r} should be {'withheld, and is not' if left.hidden else 'shown, and is withheld'}")
            if number.ranges != left.ranges:
                raise Refused(f"{left.label!r} says {_words(number.ranges)}, and what is left of it is {_words(left.ranges)}")
    if made.fingerprint != release_of(content_of(case.content, due)).fingerprint:
        raise Refused("a figure or a rule is not the one that is left")


def _words(ranges: Ranges) -> str:
    parts = (f"{low} or more" if high is None else f"{low}" if low == high else f"{low} to {high}" for low, high in ranges)
    return " or ".join(parts)


def _assumed(release: Path | None, folder: Path) -> None:
    """Of what the original takes for granted some or all is said again, and nothing else: marks may mean something else now."""
    given = [] if not (folder / ASSUMPTIONS).exists() else read_text(folder / ASSUMPTIONS).splitlines()
    before = release is not None and release.is_dir() and (release / ASSUMPTIONS).exists()
    expected = read_text(release / ASSUMPTIONS).splitlines() if before and release is not None else []
    if not set(given) <= set(expected):
        raise Refused(f"{ASSUMPTIONS} says something that the original does not say")


def _places(release: Path | None, folder: Path) -> None:
    """Where numbers stand in files: as the original says it, but without the folders of the files and without what stood there."""
    if not (folder / PLACES).exists():
        return
    header, *given = _table(folder / PLACES)
    first, *before = _table(release / PLACES) if release is not None and (release / PLACES).exists() else [[]]
    if header != first or header != STANDING:
        raise Refused(f"{PLACES} differs from that of the original")
    known = Counter((row[0], _file(row[1]), *row[2:5], "") for row in before if len(row) == len(header))
    wrong = next((number for number, row in enumerate(given, start=2) if not _one_less(known, tuple(row))), None)
    if wrong is not None:
        raise Refused(f"{PLACES}, row {wrong}: is no place of the original, or says what stood there; `shown` has to be empty")


def _one_less(known: Counter[tuple[str, ...]], row: tuple[str, ...]) -> bool:
    """Is it there, as often as that? Then there is one less."""
    known[row] -= 1
    return known[row] >= 0


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def _table(path: Path) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(read_text(path), newline=""), strict=True)) or [[]]
    except csv.Error as error:
        raise Refused(f"{path.name}: not valid CSV ({error})") from None
