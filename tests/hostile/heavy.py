"""Small files that ask for much: gigabytes when unpacked, millions of cells, hours of work. Name -> what writes them."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.hostile.tables import sparse
from tests.hostile.workbooks import CENTRAL, FIRST, HEAD, LOCAL, MAIN, ROWS, SHEET, book, packed, parts, row, sheet


def streamed(path: Path, name: str, before: str, again: str, times: int, after: str) -> None:
    """A workbook with one part that is a text many times over, written without having it in memory."""
    content = parts()
    del content[name]
    packed(path, content)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w", force_zip64=True) as part:
        part.write(before.encode())
        piece = again.encode() * 1000
        for _ in range(times // 1000):
            part.write(piece)
        part.write(after.encode())


def lying(path: Path) -> None:
    """A part that says it is small, with the right sum for that, and goes on for a long time."""
    content = parts()
    honest = str(content[FIRST]).encode()
    content[FIRST] = honest + b" " * 300_000_000
    packed(path, content)
    raw = bytearray(path.read_bytes())
    at = raw.find(CENTRAL)
    while at >= 0:
        if raw[at + 46 :].startswith(FIRST.encode()):
            raw[at + 16 : at + 20] = struct.pack("<I", zlib.crc32(honest))
            raw[at + 24 : at + 28] = struct.pack("<I", len(honest))
        at = raw.find(CENTRAL, at + 4)
    at = raw.find(LOCAL)
    while at >= 0:
        if raw[at + 30 :].startswith(FIRST.encode()):
            raw[at + 14 : at + 18] = struct.pack("<I", zlib.crc32(honest))
            raw[at + 22 : at + 26] = struct.pack("<I", len(honest))
        at = raw.find(LOCAL, at + 4)
    path.write_bytes(raw)


def in_rows(path: Path, again: str, times: int) -> None:
    before, _, after = sheet("@").partition("@")
    streamed(path, FIRST, before, again, times, after)


def large(size: int, content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content * (size // len(content)))


def zeros(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


STYLES = f'{HEAD}<styleSheet xmlns="{MAIN}"><cellXfs>', "</cellXfs></styleSheet>"
STRINGS = "xl/sharedStrings.xml"
TEXTS = f'{HEAD}<sst xmlns="{MAIN}">', "</sst>"
FAR = row('<c r="A1048576"><v>7</v></c>', 1048576)
ALL = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
MERGED = '<mergeCell ref="A1:J24000"/>'
NUMBERS = "".join(f'<row r="{i}">{"<c><v>1</v></c>" * 10}</row>' for i in range(1, 24_000))

HEAVY: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a stray cell in the last row": ("t.xlsx", lambda p: packed(p, parts(sheet1=sheet(ROWS + FAR)))),
    "a styled cell in the last row": ("t.xlsx", lambda p: packed(p, parts(sheet1=sheet(ROWS + FAR.replace("<v>7</v>", ""))))),
    "a cell in the last column of every row": (
        "t.xlsx",
        lambda p: packed(p, parts(sheet1=sheet("".join(row(f'<c r="XFD{i}"><v>1</v></c>', i) for i in range(1, 100_000))))),
    ),
    "blank cells in the last column": (
        "t.xlsx",
        lambda p: packed(p, parts(sheet1=sheet(ROWS + "".join(row(f'<c r="XFD{i}"/>', i) for i in range(4, 200_000))))),
    ),
    "everything merged": ("t.xlsx", lambda p: packed(p, parts(sheet1=sheet(after=ALL)))),
    "merged over many numbers": (
        "t.xlsx",
        lambda p: packed(p, parts(sheet1=sheet(NUMBERS, after=f"<mergeCells>{MERGED * 9000}</mergeCells>"))),
    ),
    "one sheet a thousand times": (
        "t.xlsx",
        lambda p: packed(p, parts(sheet1=sheet(NUMBERS), workbook=book(SHEET * 1000))),
    ),
    "hundreds of megabytes of blanks": ("t.xlsx", lambda p: in_rows(p, " " * 1000, 300_000)),
    "cells without rows": ("t.xlsx", lambda p: in_rows(p, "<c/>", 200_000)),
    "more rows than there are": ("t.xlsx", lambda p: in_rows(p, "<row/>", 5_000_000)),
    "cells without end": ("t.xlsx", lambda p: in_rows(p, f"<row>{'<c/>' * 100}</row>", 100_000)),
    "values without end": ("t.xlsx", lambda p: in_rows(p, f"<row><c>{'<v>1</v>' * 100}</c></row>", 100_000)),
    "texts without end": ("t.xlsx", lambda p: streamed(p, STRINGS, TEXTS[0], "<si><t>x</t></si>", 5_000_000, TEXTS[1])),
    "one endless text": ("t.xlsx", lambda p: streamed(p, STRINGS, f"{TEXTS[0]}<si>", "x" * 1000, 300_000, f"</si>{TEXTS[1]}")),
    "styles without end": ("t.xlsx", lambda p: streamed(p, "xl/styles.xml", STYLES[0], "<xf/>", 5_000_000, STYLES[1])),
    "almost too many styles": ("t.xlsx", lambda p: streamed(p, "xl/styles.xml", STYLES[0], "<xf/>", 99_000, STYLES[1])),
    "a part that lies about its size": ("t.xlsx", lying),
    "a picture without end": ("t.xlsx", lambda p: packed(p, {**parts(), "xl/media/a.png": b"\0" * 300_000_000})),
    "a drawing without end": ("t.xlsx", lambda p: packed(p, {**parts(), "xl/drawings/a.xml": b" " * 300_000_000})),
    "many small parts": ("t.xlsx", lambda p: packed(p, {**parts(), **{f"{i}.xml": "<a/>" for i in range(60_000)}}, 0)),
    "ten million sparse cells": ("t.json", lambda p: p.write_text(json.dumps(sparse([10] * 7, {"7": 1, "9999999": 2})))),
    "a thousand million sparse cells": ("t.json", lambda p: p.write_text(json.dumps(sparse([10] * 9, {"7": 1}, status="e")))),
    "a large JSON file": ("t.json", lambda p: p.write_bytes(b"[" + b"[1],\n" * 3_000_000 + b"[1]]")),
    "a wide CSV file": ("t.csv", large(20_000_000, b",")),
    "a long CSV file": ("t.csv", large(20_000_000, b"a\n")),
    "a wide header and many rows": ("t.csv", lambda p: p.write_bytes(b"x," * 100_000 + b"\n" + b"a\n" * 100_000)),
    "a CSV file of quotes": ("t.csv", large(20_000_000, b'"')),
    "a CSV file of zeros": ("t.csv", lambda p: zeros(p, 5_000_000_000)),
    "a workbook of zeros": ("t.xlsx", lambda p: zeros(p, 5_000_000_000)),
    "a PC-Axis file of keywords": ("t.px", large(10_000_000, b'NOTE="x";\n')),
    "a PC-Axis file of numbers": ("t.px", lambda p: p.write_bytes(b'STUB="a";VALUES("a")="x","y";DATA=' + b"1 " * 10**7 + b";")),
    "a PC-Axis file of brackets": ("t.px", large(5_000_000, b"A(")),
    "a tau-Argus table without end": ("t.tab", lambda p: _argus(p)),
}  # fmt: skip


def _argus(path: Path) -> None:
    path.with_suffix(".rda").write_text('<SEPARATOR> ","\nA\n <TOTCODE> "T"\nF\n <FREQUENCY>\n')
    path.write_bytes(b"a,1\n" * 4_000_000)
