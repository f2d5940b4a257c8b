"""PC-Axis files, byte for byte but for the numbers that are not shown: a symbol, which the file explains, takes their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from pathlib import Path

from foregone.model.shown import shown
from foregone.publishing.changes import FOOTNOTE, AllChanges
from foregone.publishing.footnotes import SAYS, footnote, renewed
from foregone.publishing.outcome import MarkedCell, NotPublished
from foregone.publishing.written import FileWritten, Sheets
from foregone.tables.readers.pcaxis import CELL, KEYWORD, QUOTED, VALUE, px_text
from foregone.tables.readers.pcaxis import WITHHELD as SAYS_WITHHELD

NOTES = re.compile(r"(?:CELL|VALUE|DATA)?NOTEX?\w*|INFO|TITLE|DESCRIPTION|CONTENTS|SURVEY|SOURCE|COMMENT")
SYMBOL = re.compile(r"DATASYMBOL([1-6])")


class _Statement:
    """A keyword with its value, and from where to where the value goes in the text."""

    def __init__(self, found: re.Match[str], end: int) -> None:
        self.keyword, self.about = found[1], ",".join(QUOTED.findall(found[3] or ""))
        self.begin, self.first, self.last = found.start(), found.end(), end


def write_px(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A PC-Axis file in which a data symbol stands for every number that is not shown."""
    raw = path.read_bytes()
    text, encoding = px_text(path)
    (sheet,) = sheets.values()
    statements = list(_statements(text))
    data = next(one for one in statements if one.keyword == "DATA")
    numbers = _numbers(text, statements, data)
    gone = {row: change for (row, _), change in sheet.cells.items()}
    if len(changes.marks) > 1:
        raise NotPublished(f"{path}: has room for one mark; protect with --marks one")
    (mark, meant) = next(iter(changes.marks.items()), ("", ((0, None),)))
    if strange := [change.text for change in gone.values() if change.text != mark]:
        raise NotPublished(f"{path}: {shown(strange[0])} has no place in a PC-Axis file, which shows a number or a symbol")
    if missing := [row for row in gone if row not in numbers]:
        raise NotPublished(f"{path}, number {missing[0]}: is a zero that the file leaves out, and cannot be marked; write it out")
    sign = _sign(text[data.first : data.last], text, statements) if gone else ""
    edits = {numbers[row]: f'"{sign}"' for row in gone}
    cells = [MarkedCell("", str(row), sign, change.why) for row, change in sorted(gone.items())]
    said = footnote("", meant).removeprefix(" ")
    told = False
    for one in statements:
        if (found := SYMBOL.fullmatch(one.keyword)) and sign == "." * int(found[1]):
            edits[one.first, one.last] = f'"{said}"'
            told = True
        elif NOTES.fullmatch(one.keyword):
            edits |= _clean(text, one, sign, said, changes)
    if sign and not told:
        end = "\r\n" if "\r\n" in text else "\n"
        edits[data.begin, data.begin] = f'DATASYMBOL{len(sign)}="{said}";{end}'
    cells += [MarkedCell("", f"DATASYMBOL{len(sign)}", said, FOOTNOTE)] if sign else []
    encoding = "utf-8" if encoding == "utf-8-sig" and not raw.startswith(b"\xef\xbb\xbf") else encoding
    if text.encode(encoding) != raw:
        raise NotPublished(f"{path}: cannot be written back byte for byte; save it as UTF-8, and import and protect that")
    return FileWritten(
        replaced(text, edits).encode(encoding), tuple(cells), (), tuple(sheet.look_at), ((sign, meant),) if sign else ()
    )


def replaced(text: str, edits: Mapping[tuple[int, int], str]) -> str:
    """A text with others in place of some parts of it, which do not overlap."""
    pieces, at = [], 0
    for (first, last), new in sorted(edits.items()):
        pieces += [text[at:first], new]
        at = last
    return "".join([*pieces, text[at:]])


def _statements(text: str) -> list[_Statement]:
    found, at = [], len(text) - len(text.lstrip())
    while at < len(text) and (keyword := KEYWORD.match(text, at)) is not None:
        value = VALUE.match(text, keyword.end())
        end = keyword.end() if value is None else value.end()
        found.append(_Statement(keyword, end))
        rest = text[end + 1 :]
        at = end + 1 + len(rest) - len(rest.lstrip())
    return found


def _numbers(text: str, statements: list[_Statement], data: _Statement) -> dict[int, tuple[int, int]]:
    """Number of a number -> where it stands; keys in front of rows are no numbers."""
    spans = [found.span() for found in CELL.finditer(text, data.first, data.last)]
    if not any(one.keyword == "KEYS" for one in statements):
        return dict(enumerate(spans, start=1))
    values = {one.about: QUOTED.findall(text[one.first : one.last]) for one in statements if one.keyword == "VALUES"}
    codes = {one.about: QUOTED.findall(text[one.first : one.last]) for one in statements if one.keyword == "CODES"}
    by = {one.about: text[one.first : one.last].strip().upper() for one in statements if one.keyword == "KEYS"}
    texts = {one.keyword: text[one.first : one.last] for one in statements if not one.about}
    stub, heading = (QUOTED.findall(texts.get(key, "")) for key in ("STUB", "HEADING"))
    width = prod(len(values[name]) for name in heading)
    keys = [codes[name] if by.get(name) == "CODES" else values[name] for name in stub]
    found = {}
    for first in range(0, len(spans), len(stub) + width):
        at = 0
        for known, span in zip(keys, spans[first : first + len(stub)], strict=True):
            at = at * len(known) + [key.strip() for key in known].index(text[slice(*span)].strip('"').strip())
        for k, span in enumerate(spans[first + len(stub) : first + len(stub) + width]):
            found[at * width + k + 1] = span
    return found


def _sign(data: str, text: str, statements: list[_Statement]) -> str:
    """The symbol that the file has for numbers that are withheld; else the first that it does not use."""
    said = {
        "." * int(found[1]): " ".join(QUOTED.findall(text[one.first : one.last]))
        for one in statements
        if (found := SYMBOL.fullmatch(one.keyword))
    }
    own = [sign for sign, meant in said.items() if SAYS_WITHHELD.search(meant) or SAYS.strip() in meant]
    used = {cell[1] or cell[2] for cell in CELL.finditer(data)}
    free = [sign for sign in ("..", "...", "....", ".....", "......", ".") if sign not in said and sign not in used]
    if not own and not free:
        raise NotPublished("the file uses all six symbols of the PC-Axis format; take one out that no number needs")
    return (own or free)[0]


def _clean(text: str, one: _Statement, sign: str, said: str, changes: AllChanges) -> dict[tuple[int, int], str]:
    """Texts about the table, without withheld numbers and without what an old symbol was said to mean."""
    made = {}
    for found in QUOTED.finditer(text, one.first, one.last):
        new = renewed(found[1], changes.old, {sign: f"{sign} {said}"}) if sign and "NOTE" in one.keyword else None
        clean = changes.secrets.cleaned(found[1] if new is None else new, sign or ".").text.replace('"', "'")
        if clean != found[1]:
            made[found.span(1)] = clean
    return made
