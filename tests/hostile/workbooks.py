"""Workbooks written by hand, part by part, so that every part can be wrong."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
FIRST = "xl/worksheets/sheet1.xml"
OF_SHEET = "xl/worksheets/_rels/sheet1.xml.rels"

ROWS = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>Age</t></is></c><c r="B1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>'
    '<row r="2"><c r="A2" t="inlineStr"><is><t>0-17</t></is></c><c r="B2"><v>3</v></c><c r="C2"><v>4</v></c></row>'
    '<row r="3"><c r="A3" t="inlineStr"><is><t>18+</t></is></c><c r="B3"><v>5</v></c><c r="C3"><v>6</v></c></row>'
)


def sheet(rows: str = ROWS, before: str = "", after: str = "") -> str:
    return f'{HEAD}<worksheet xmlns="{MAIN}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def styled(xf: str = '<xf xfId="0"/>', before: str = "") -> str:
    return (
        f'{HEAD}<styleSheet xmlns="{MAIN}">{before}<fonts><font/></fonts><fills><fill><patternFill/></fill></fills>'
        f"<borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs>{xf}</cellXfs></styleSheet>"
    )


def book(sheets: str, after: str = "", before: str = "") -> str:
    return f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{before}<sheets>{sheets}</sheets>{after}</workbook>'


def relations(*more: tuple[str, str]) -> str:
    listed = "".join(f'<Relationship Id="rId{i}" Type="{OFFICE}/{kind}" Target="{to}"/>' for i, (kind, to) in enumerate(more, 1))
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{listed}</Relationships>'


SHEET = '<sheet name="S" sheetId="1" r:id="rId1"/>'
PRINTED = '<definedName name="_xlnm.Print_Area" localSheetId="9">nonsense!$A</definedName>'
IN_BOOK = (("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml"))
TYPES = {"xl/workbook.xml": "sheet.main", FIRST: "worksheet", "xl/styles.xml": "styles", "xl/sharedStrings.xml": "sharedStrings"}


def parts(**changes: str | bytes | None) -> dict[str, str | bytes]:
    """The parts of a small workbook; a change by the last word of a part's name, None takes it away."""
    types = "".join(f'<Override PartName="/{part}" ContentType="{KIND}.{kind}+xml"/>' for part, kind in TYPES.items())
    made: dict[str, str | bytes] = {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="text/xml"/>'
        f"{types}</Types>",
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": book(SHEET),
        "xl/_rels/workbook.xml.rels": relations(*IN_BOOK),
        "xl/styles.xml": styled(),
        "xl/sharedStrings.xml": f'{HEAD}<sst xmlns="{MAIN}"><si><t>Male</t></si><si><t>Female</t></si></sst>',
        FIRST: sheet(),
    }
    names = {name.rpartition("/")[2].partition(".")[0] or "rels": name for name in made}
    names |= {"types": "[Content_Types].xml", "relations": "xl/_rels/workbook.xml.rels", "workbook": "xl/workbook.xml"}
    for word, change in changes.items():
        name = names.get(word, word)
        if change is None:
            del made[name]
        else:
            made[name] = change
    return made


def packed(path: Path, content: dict[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return path


def edited(edit: Callable[[bytearray], None]) -> Callable[[Path], None]:
    """A good workbook whose bytes are changed afterwards."""

    def write(path: Path) -> None:
        packed(path, parts())
        raw = bytearray(path.read_bytes())
        edit(raw)
        path.write_bytes(raw)

    return write


def _each(raw: bytearray, signature: bytes, offset: int, value: bytes) -> None:
    """The same field of every entry of the archive."""
    at = raw.find(signature)
    while at >= 0:
        raw[at + offset : at + offset + len(value)] = value
        at = raw.find(signature, at + 4)


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def _flags(raw: bytearray) -> None:
    _each(raw, LOCAL, 6, b"\x01\x00")
    _each(raw, CENTRAL, 8, b"\x01\x00")


def _method(number: int) -> Callable[[bytearray], None]:
    def edit(raw: bytearray) -> None:
        _each(raw, LOCAL, 8, struct.pack("<H", number))
        _each(raw, CENTRAL, 10, struct.pack("<H", number))

    return edit


def _damage(raw: bytearray) -> None:
    start = raw.find(FIRST.encode()) + len(FIRST)
    raw[start + 20 : start + 60] = b"\xff" * 40


ARCHIVES: dict[str, Callable[[Path], object]] = {
    "password": edited(_flags),
    "wrong sum": edited(lambda raw: _each(raw, CENTRAL, 16, b"\0\0\0\1")),
    "wrong size": edited(lambda raw: _each(raw, CENTRAL, 24, b"\xff\xff\xff\x0f")),
    "small size": edited(lambda raw: _each(raw, CENTRAL, 24, b"\1\0\0\0")),
    "wrong packed size": edited(lambda raw: _each(raw, CENTRAL, 20, b"\xff\xff\xff\x0f")),
    "wrong place": edited(lambda raw: _each(raw, CENTRAL, 42, b"\xff\xff\xff\x00")),
    "damaged deflate": edited(_damage),
    **{f"method {number}": edited(_method(number)) for number in (1, 6, 9, 12, 14, 93, 99)},
    "cut off": edited(lambda raw: raw.__delitem__(slice(len(raw) // 2, None))),
    "cut at the end": edited(lambda raw: raw.__delitem__(slice(-1, None))),
    "begins late": edited(lambda raw: raw.__setitem__(slice(0, 0), b"MZ" * 500)),
    "ends late": edited(lambda raw: raw.extend(b"\0" * 500)),
    "no entries": lambda path: packed(path, {}),
    "not a zip": lambda path: path.write_bytes(b"Town,Male\nA,3\n"),
    "only a beginning": lambda path: path.write_bytes(LOCAL),
    "only an end": lambda path: path.write_bytes(b"PK\5\6" + b"\0" * 18),
    "an end that lies": lambda path: path.write_bytes(b"PK\5\6" + b"\xff" * 18),
    "old": lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600),
    "empty": lambda path: path.write_bytes(b""),
    "gzip": lambda path: path.write_bytes(b"\x1f\x8b\x08" + b"\0" * 50),
    "another archive": lambda path: packed(path, {"word/document.xml": "<w/>"}),
    "nested": lambda path: packed(path, {"a.xlsx": packed(path, parts()).read_bytes()}),
    "climbing names": lambda path: packed(
        path, {**parts(), "../../../etc/passwd.xml": "<a/>", "/abs.xml": "<a/>", "C:\\x.xml": "<a/>"}
    ),
    "strange names": lambda path: packed(path, {**parts(), "\u202e.xml": "<a/>", " .xml": "<a/>", "x" * 60000 + ".xml": "<a/>"}),
    "thousands of parts": lambda path: packed(path, {**parts(), **{f"p{i}.xml": "<a/>" for i in range(12_000)}}),
    "hundreds of parts": lambda path: packed(path, {**parts(), **{f"p{i}.xml": "<a/>" for i in range(800)}}),
    "stored": lambda path: packed(path, parts(), zipfile.ZIP_STORED),
    "bzip2": lambda path: packed(path, parts(), zipfile.ZIP_BZIP2),
}

ENTITIES = (
    '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{"&" + chr(97 + i) + ";"}{("&" + chr(97 + i) + ";") * 9}">' for i in range(9))
    + "]>"
)
ELSEWHERE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
WRONG: dict[str, str | bytes] = {
    "empty": "",
    "no XML": "Town,Male",
    "not closed": sheet()[:-20],
    "cut": sheet()[:300],
    "two roots": f"{sheet()}<a/>",
    "half a tag": f"{HEAD}<worksheet",
    "entities": f"<?xml version='1.0'?>{ENTITIES}<a>&j;</a>",
    "an entity elsewhere": f"<?xml version='1.0'?>{ELSEWHERE}<a>&x;</a>",
    "an unknown entity": f'{HEAD}<worksheet xmlns="{MAIN}">&nbsp;</worksheet>',
    "no characters": b"\xff\xff\xff\xff<a/>",
    "a NUL": sheet().replace("Age", "A\0e"),
    "a control character": sheet().replace("Age", "A\x08e"),
    "UTF-16": sheet().replace("UTF-8", "UTF-16").encode("utf-16"),
    "UTF-16 entities": f"<?xml version='1.0' encoding='UTF-16'?>{ENTITIES}<a>&j;</a>".encode("utf-16"),
    "UTF-32": sheet().encode("utf-32"),
    "no such encoding": sheet().replace("UTF-8", "klingon"),
    "another encoding": sheet().replace("UTF-8", "cp1252").replace("Age", "\xe4ge").encode("cp1252"),
    "deep": f"{HEAD}{'<a>' * 50_000}{'</a>' * 50_000}",
    "another root": f"{HEAD}<a/>",
    "another language": f'{HEAD}<html xmlns="http://www.w3.org/1999/xhtml"/>',
    "no namespace": sheet().replace(f' xmlns="{MAIN}"', ""),
    "a prefix": sheet().replace("xmlns=", "xmlns:x=").replace("<", "<x:").replace("<x:/", "</x:").replace("<x:?", "<?"),
    "a repeated attribute": sheet().replace('r="A1"', 'r="A1" r="A2"'),
}


def row(cells: str, number: object = 1) -> str:
    return f'<row r="{number}">{cells}</row>'


CELLS = {
    "a stray cell below": ROWS + row('<c r="A1048576"><v>7</v></c>', 1048576),
    "a stray cell beside": ROWS.replace('<c r="C3">', '<c r="C3"><v>6</v></c><c r="XFD3">'),
    "a stray cell outside": ROWS + row('<c r="A1048577"><v>7</v></c>', 1048577),
    "a far row": ROWS + row('<c r="A9999999999"><v>7</v></c>', 9999999999),
    "row 0": row('<c r="A0"><v>7</v></c>', 0),
    "row -1": row('<c r="A-1"><v>7</v></c>', -1),
    "row x": row('<c r="A1"><v>7</v></c>', "x"),
    "row 1.5": row('<c r="A1"><v>7</v></c>', 1.5),
    "a row twice": ROWS + ROWS,
    "rows backwards": ROWS[ROWS.index('<row r="2"') :] + ROWS[: ROWS.index('<row r="2"')],
    "a cell twice": ROWS.replace('r="C2"', 'r="B2"'),
    "cells backwards": ROWS.replace('r="C2"', 'r="A2"', 1).replace('r="A2"', 'r="C2"', 1),
    "a cell of another row": ROWS.replace('r="C2"', 'r="C9"'),
    "no addresses": ROWS.replace(' r="', ' q="'),
    "an address that is none": ROWS.replace('r="C2"', 'r="2C"'),
    "an empty address": ROWS.replace('r="C2"', 'r=""'),
    "a column beyond": ROWS.replace('r="C2"', 'r="ZZZ2"'),
    "a long address": ROWS.replace('r="C2"', f'r="{"A" * 5000}2"'),
    "text for a number": ROWS.replace("<v>4</v>", "<v>four</v>"),
    "nan": ROWS.replace("<v>4</v>", "<v>nan</v>"),
    "infinity": ROWS.replace("<v>4</v>", "<v>1e999</v>"),
    "a long number": ROWS.replace("<v>4</v>", f"<v>{'9' * 5000}</v>"),
    "a longer number": ROWS.replace("<v>4</v>", f"<v>{'9' * 4000}</v>"),
    "less than nothing": ROWS.replace("<v>4</v>", "<v>-4</v>"),
    "a fraction": ROWS.replace("<v>4</v>", "<v>4.5</v>"),
    "an index beyond": ROWS.replace("<v>1</v>", "<v>99</v>"),
    "a negative index": ROWS.replace("<v>1</v>", "<v>-9</v>"),
    "an index that is none": ROWS.replace("<v>1</v>", "<v>x</v>"),
    "an empty index": ROWS.replace("<v>1</v>", "<v/>"),
    "a kind that is none": ROWS.replace('t="s"', 't="q"'),
    "an error": ROWS.replace('<c r="C2"><v>4</v>', '<c r="C2" t="e"><v>#REF!</v>'),
    "a truth": ROWS.replace('<c r="C2"><v>4</v>', '<c r="C2" t="b"><v>1</v>'),
    "a truth that is none": ROWS.replace('<c r="C2"><v>4</v>', '<c r="C2" t="b"><v>x</v>'),
    "a date": ROWS.replace('<c r="C2"><v>4</v>', '<c r="C2" t="d"><v>2024-05-09</v>'),
    "a date that is none": ROWS.replace('<c r="C2"><v>4</v>', '<c r="C2" t="d"><v>yesterday</v>'),
    "a style beyond": ROWS.replace('<c r="C2">', '<c r="C2" s="99">'),
    "a style that is none": ROWS.replace('<c r="C2">', '<c r="C2" s="x">'),
    "a negative style": ROWS.replace('<c r="C2">', '<c r="C2" s="-1">'),
    "a formula without a result": ROWS.replace("<v>4</v>", "<f>1+3</f>"),
    "a formula with a blank result": ROWS.replace("<v>4</v>", "<f>1+3</f><v></v>"),
    "a shared formula without its first": ROWS.replace("<v>4</v>", '<f t="shared" si="7"/>'),
    "an array formula": ROWS.replace("<v>4</v>", '<f t="array" ref="nonsense">1</f><v>4</v>'),
    "two values": ROWS.replace("<v>4</v>", "<v>4</v><v>5</v>"),
    "a value in a value": ROWS.replace("<v>4</v>", "<v><v>4</v></v>"),
    "a cell in a cell": ROWS.replace("<v>4</v>", '<c r="D2"><v>4</v></c>'),
    "a row in a row": f'<row r="1">{ROWS}</row>',
    "cells without a row": '<c r="A1"><v>4</v></c>',
    "an inline text with markup": ROWS.replace("<t>0-17</t>", "<r><rPr><b/></rPr><t>0</t></r><r><t>-17</t></r>"),
    "a long text": ROWS.replace("0-17", "x" * 200_000),
    "many line breaks": ROWS.replace("0-17", "\n" * 5000),
    "nothing": "",
    "blank rows": "<row/>" * 5000,
    "blank cells": row("<c/>" * 16384),
    "too many cells in a row": row("<c><v>1</v></c>" * 16385),
    "wide": "".join(row(f'<c r="SSS{i}"><v>1</v></c>', i) for i in range(1, 60)),
}
AREAS = {
    "the whole sheet": ["A1:XFD1048576"],
    "many rows": ["A1:A1048576"],
    "many times the same": ["A1:C3"] * 2000,
    "overlapping": ["A1:B2", "B2:C3"],
    "outside": ["Z90:AA99"],
    "backwards": ["C3:A1"],
    "nonsense": ["x"],
    "empty": [""],
    "three corners": ["A1:B2:C3"],
    "row 0": ["A0:B1"],
    "beyond": ["A1:ZZZ9999999"],
    "the header": ["B1:C1"],
    "the numbers": ["B2:C3"],
}
STYLES = {
    "none": f'{HEAD}<styleSheet xmlns="{MAIN}"/>',
    "a format with many decimals": styled(
        '<xf numFmtId="200" xfId="0"/>', f'<numFmts><numFmt numFmtId="200" formatCode="0.{"0" * 5000}%"/></numFmts>'
    ),
    "a format that is none": styled(before='<numFmts><numFmt numFmtId="x" formatCode=""/></numFmts>'),
    "an indent that is none": styled('<xf xfId="0"><alignment indent="x"/></xf>'),
    "a great indent": styled('<xf xfId="0"><alignment indent="255"/></xf>'),
    "a date format": styled('<xf numFmtId="14" xfId="0"/>'),
    "fonts beyond": styled('<xf fontId="9" fillId="9" borderId="9" xfId="9"/>'),
}
BOOKS = {
    "no sheets": book(""),
    "a sheet without a part": book('<sheet name="S" sheetId="1" r:id="rId9"/>'),
    "a sheet without a name": book('<sheet sheetId="1" r:id="rId1"/>'),
    "a sheet twice": book(SHEET * 2),
    "the styles as a sheet": book('<sheet name="S" sheetId="1" r:id="rId2"/>'),
    "a hidden sheet": book('<sheet name="S" sheetId="1" state="veryHidden" r:id="rId1"/>'),
    "a state that is none": book('<sheet name="S" sheetId="1" state="x" r:id="rId1"/>'),
    "a strange name": book(f'<sheet name="&#x202e;&#10;{"x" * 3000}" sheetId="1" r:id="rId1"/>'),
    "names of areas": book(SHEET, f"<definedNames>{PRINTED}</definedNames>"),
    "another calendar": book(SHEET, before='<workbookPr date1904="x"/>'),
}
CHART = f'{HEAD}<chartsheet xmlns="{MAIN}" xmlns:r="{OFFICE}"/>'
CHART_BOOK = book('<sheet name="C" sheetId="2" r:id="rId4"/>' + SHEET)


def chart_parts(chart: str) -> dict[str, str | bytes]:
    related = relations(*IN_BOOK, ("chartsheet", "chartsheets/sheet1.xml"))
    return {**parts(workbook=CHART_BOOK), "xl/_rels/workbook.xml.rels": related, "xl/chartsheets/sheet1.xml": chart}


def workbooks() -> dict[str, Callable[[Path], object]]:
    """Name -> what writes the workbook."""

    def of(content: dict[str, str | bytes]) -> Callable[[Path], object]:
        return lambda path: packed(path, content)

    made: dict[str, Callable[[Path], object]] = {f"archive: {what}": write for what, write in ARCHIVES.items()}
    for part in ("sheet1", "workbook", "types", "relations", "sharedStrings", "styles"):
        chosen = WRONG if part in ("sheet1", "sharedStrings") else dict(list(WRONG.items())[::3])
        made |= {f"{part}: {what}": of(parts(**{part: wrong})) for what, wrong in chosen.items()}
        made[f"{part}: missing"] = of(parts(**{part: None}))
    made |= {f"cells: {what}": of(parts(sheet1=sheet(rows))) for what, rows in CELLS.items()}
    for what, areas in AREAS.items():
        merged = "".join(f'<mergeCell ref="{area}"/>' for area in areas)
        made[f"merged: {what}"] = of(parts(sheet1=sheet(after=f"<mergeCells>{merged}</mergeCells>")))
    for size in ("A1:XFD1048576", "A1", "x", "A1:ZZZZ99999999", "C3:A1", ""):
        made[f"dimension: {size or 'blank'}"] = of(parts(sheet1=sheet(before=f'<dimension ref="{size}"/>')))
    for columns in ('<col min="1" max="16384" width="x"/>', '<col min="9" max="1"/>', '<col min="-1" max="99999999"/>', "<col/>"):
        made[f"columns: {columns}"] = of(parts(sheet1=sheet(before=f"<cols>{columns}</cols>")))
    made |= {f"styles: {what}": of(parts(styles=style)) for what, style in STYLES.items()}
    made |= {f"workbook: {what}": of(parts(workbook=book)) for what, book in BOOKS.items()}
    made |= {
        "chart sheet: empty": of(chart_parts("")),
        "chart sheet: nothing in it": of(chart_parts(CHART)),
        "chart sheet: wrong": of(chart_parts(CHART.replace("/>", "><x/></chartsheet>"))),
        "chart sheet: alone": of({name: part for name, part in chart_parts(CHART).items() if name != FIRST}),
        "properties: wrong": of({**parts(), "docProps/core.xml": "x", "docProps/app.xml": "x", "docProps/custom.xml": "<a>"}),
        "drawing: dangling": of({**parts(), OF_SHEET: relations(("drawing", "../drawings/drawing1.xml"))}),
        "relations of a sheet: wrong": of({**parts(), OF_SHEET: "<a>"}),
        "relations of a sheet: another root": of({**parts(), OF_SHEET: "<a/>"}),
        "shared strings: many": of(parts(sharedStrings=f'{HEAD}<sst xmlns="{MAIN}">{"<si><t>x</t></si>" * 20_000}</sst>')),
        "texts: markup": of(parts(sharedStrings=f'{HEAD}<sst xmlns="{MAIN}"><si>{"<r><t>x</t></r>" * 999}</si><si/></sst>')),
        "shared strings: none": of(parts(sharedStrings=f'{HEAD}<sst xmlns="{MAIN}"/>')),
    }  # fmt: skip
    return made
