"""JSON-stat datasets: no value and a status for every number that is not shown, a note, and everything else as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foregone.publishing.changes import FOOTNOTE, AllChanges, SheetChanges
from foregone.publishing.footnotes import renewed
from foregone.publishing.outcome import MarkedCell, NotPublished
from foregone.publishing.px import replaced
from foregone.publishing.written import FileWritten, Sheets, marked_cells

DECODER = json.JSONDecoder()
BLANK = " \t\r\n"
TEXTS = ("label", "source", "title", "note", "extension", "updated")
Spans = dict[tuple[int, int], str]


def write_jsonstat(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A JSON-stat file in which the values that are not shown are null, with the mark as their status."""
    text = path.read_bytes().decode("utf-8-sig")
    bom = path.read_bytes().startswith(b"\xef\xbb\xbf")
    content = json.loads(text)
    if isinstance(content, list):
        raise NotPublished(
            f"{path}: is a list of rows, which has no place for a footnote; save it as CSV, and import and protect that"
        )
    edits: Spans = {}
    for name, sheet in sheets.items():
        edits |= _dataset(path, text, _where(content, text, name), sheet, changes)
    notes = [
        MarkedCell(name, "note", note, FOOTNOTE)
        for name, sheet in sheets.items()
        if sheet.cells
        for note in changes.footnotes.values()
    ]
    made = replaced(text, edits).encode("utf-8")
    look_at = tuple(line for sheet in sheets.values() for line in sheet.look_at)
    return FileWritten(
        (b"\xef\xbb\xbf" if bom else b"") + made, (*marked_cells(sheets), *notes), (), look_at, tuple(changes.marks.items())
    )


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANK:
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Keys of the object that begins here, and from where to where their values go."""
    at = _blank(text, at + 1)
    while text[at] != "}":
        key, at = DECODER.raw_decode(text, at)
        at = _blank(text, _blank(text, at) + 1)
        _, end = DECODER.raw_decode(text, at)
        yield key, at, end
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at


def _items(text: str, at: int) -> Iterator[tuple[int, int]]:
    """From where to where the items of the list go that begins here."""
    at = _blank(text, at + 1)
    while text[at] != "]":
        _, end = DECODER.raw_decode(text, at)
        yield at, end
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at


def _where(content: Any, text: str, name: str) -> int:
    """Where a dataset begins: the whole file, an item of a collection, or a member of a bundle."""
    at = _blank(text, 0)
    if not name:
        return at
    members = {key: first for key, first, _ in _members(text, at)}
    if content.get("class") != "collection":
        return members[name]
    items = {key: first for key, first, _ in _members(text, members["link"])}["item"]
    return list(_items(text, items))[int(name) - 1][0]


def _dataset(path: Path, text: str, at: int, sheet: SheetChanges, changes: AllChanges) -> Spans:
    members = {key: (first, last) for key, first, last in _members(text, at)}
    gone = {row - 1: change.text for (row, _), change in sheet.cells.items()}
    edits: Spans = {}
    first, _ = members["value"]
    if text[first] == "[":
        edits |= {span: "null" for i, span in enumerate(_items(text, first)) if i in gone}
    else:
        edits |= {(start, end): "null" for key, start, end in _members(text, first) if int(key) in gone}
    if gone:
        edits |= _status(text, at, members, gone)
    for key in TEXTS:
        if key in members and not (key == "note" and gone):
            edits |= _clean(path, text, members[key], key, changes)
    if gone:
        edits |= _note(text, at, members, changes, bool(edits.get((at + 1, at + 1))))
    return edits


def _status(text: str, at: int, members: dict[str, tuple[int, int]], gone: dict[int, str]) -> Spans:
    said = {str(i): json.dumps(mark, ensure_ascii=False) for i, mark in gone.items()}
    if "status" not in members:
        pairs = ", ".join(f'"{i}": {mark}' for i, mark in said.items())
        return {(at + 1, at + 1): f'"status": {{{pairs}}}, '}
    first, last = members["status"]
    if text[first] == "{" and (inner := {key: (a, b) for key, a, b in _members(text, first)}).keys() == {"value"}:
        first, last = inner["value"]  # as Eurostat once wrote it
    if text[first] == "{":
        old = {key: (a, b) for key, a, b in _members(text, first)}
        made = {old[i]: mark for i, mark in said.items() if i in old}
        new = ", ".join(f'"{i}": {mark}' for i, mark in said.items() if i not in old)
        return made | ({(first + 1, first + 1): new + (", " if old else "")} if new else {})
    if text[first] == "[" and len(spans := list(_items(text, first))) > 1:
        return {span: said[str(i)] for i, span in enumerate(spans) if str(i) in said}
    one = json.loads(text[first:last])
    every = one if isinstance(one, str) else one[0] if one else ""
    total = _size(text, members)
    whole = {str(i): json.dumps(every, ensure_ascii=False) for i in range(total)} | said
    return {(first, last): "{" + ", ".join(f'"{i}": {mark}' for i, mark in whole.items()) + "}"}


def _size(text: str, members: dict[str, tuple[int, int]]) -> int:
    """How many cells the dataset has."""
    first, _ = members["value"]
    if text[first] == "[":
        return sum(1 for _ in _items(text, first))
    size = members.get("size") or {key: (a, b) for key, a, b in _members(text, members["dimension"][0])}["size"]
    total = 1
    for number in json.loads(text[slice(*size)]):
        total *= int(number)
    return total


def _note(text: str, at: int, members: dict[str, tuple[int, int]], changes: AllChanges, after: bool) -> Spans:
    """The footnotes among the notes of the dataset, old lines about the marks taken out."""
    new = list(changes.footnotes.values())
    if "note" not in members:
        written = f'"note": {json.dumps(new, ensure_ascii=False)}, '
        # beside a status that is put in at the same place
        place = members["value"][0]
        key = text.rindex('"value"', 0, place)
        return {(key, key): written} if after else {(at + 1, at + 1): written}
    old = json.loads(text[slice(*members["note"])])
    kept: list[str] = []
    for line in [old] if isinstance(old, str) else old:
        said = renewed(str(line), {*changes.old, *changes.marks}, {})
        clean = changes.secrets.cleaned(str(line) if said is None else said, next(iter(changes.marks))).text
        kept += [clean] if clean else []
    return {members["note"]: json.dumps([*kept, *new], ensure_ascii=False)}


def _clean(path: Path, text: str, span: tuple[int, int], key: str, changes: AllChanges) -> Spans:
    """A text about the dataset without withheld numbers. What is nested is not taken apart, but refused if it holds one."""
    value = json.loads(text[slice(*span)])
    mark = next(iter(changes.marks), "")
    if isinstance(value, str):
        clean = changes.secrets.cleaned(value, mark).text
        return {span: json.dumps(clean, ensure_ascii=False)} if clean != value else {}
    if any(changes.secrets.cleaned(str(one), mark).text != str(one) for one in _leaves(value)):
        raise NotPublished(f"{path}, {key}: holds a number that is not shown; take it out, and import and protect the file again")
    return {}


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)
    else:
        yield value
