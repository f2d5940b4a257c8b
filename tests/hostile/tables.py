"""Hostile files for every reader of tables but workbooks: the name of a case -> files by name, the first of which is imported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Files = dict[str, str | bytes]

STRANGE: list[Any] = [None, True, -1, 1.5, 1e308, 10**25, "", "x" * 3000, "\ud800", "a\nb", [], {}, [1, [2]], {"a": None}, [None]]
GOOD_STAT: dict[str, Any] = {
    "version": "2.0",
    "class": "dataset",
    "label": "Patients",
    "id": ["town", "sex"],
    "size": [2, 2],
    "role": {"geo": ["town"]},
    "note": ["a note"],
    "dimension": {
        "town": {"label": "Town", "category": {"index": {"A": 0, "B": 1}, "label": {"A": "Ambridge", "B": "Borchester"}}},
        "sex": {"label": "Sex", "category": {"index": ["F", "M"], "child": {}}},
    },
    "value": [1, 2, 3, 4],
    "status": {"0": "p"},
}
PX = """\
CHARSET="ANSI";
AXIS-VERSION="2010";
TITLE="Patients by town and sex";
STUB="town";
HEADING="sex";
VALUES("town")="Ambridge","Darrington";
VALUES("sex")="F","M";
CODES("town")="01","02";
DATASYMBOL1="confidential";
DATA=
3 14
4 11;
"""
RDA = """\
<SEPARATOR> ","
Town
  <RECODEABLE>
  <TOTCODE> "Total"
  <HIERARCHICAL>
  <HIERCODELIST> "town.hrc"
  <HIERLEADSTRING> "@"
Sex
  <RECODEABLE>
  <TOTCODE> "Total"
Freq
  <FREQUENCY>
Status
  <STATUS>
  <SAFE> "S"
"""
TAB = "Total,Total,10,S\nTotal,F,4,S\nTotal,M,6,S\nNorth,F,3,U\nNorth,M,4,S\nA,F,3,S\nA,M,4,S\nSouth,F,1,M\nSouth,M,2,S\n"
HRC = "North\n@A\nSouth\n"
SDMX = "DATAFLOW,town,sex,OBS_VALUE,OBS_STATUS,CONF_STATUS,UNIT_MULT\nx,A,F,3,A,F,0\nx,A,M,4,A,F,0\nx,B,F,1,A,C,0\nx,B,M,2,A,F,0\n"
CSV = "Age,Male,Female,Total\n0-17,3,4,7\n18+,5,6,11\nTotal,8,10,18\n"

BYTES: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t\n ",
    "a mark alone": b"\xef\xbb\xbf",
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf" + CSV.encode(),
    "UTF-16": CSV.encode("utf-16"),
    "UTF-16 without a mark": CSV.encode("utf-16-le"),
    "UTF-16 the other way": CSV.encode("utf-16-be"),
    "UTF-16 cut": CSV.encode("utf-16")[:-1],
    "UTF-32": CSV.encode("utf-32"),
    "a wrong mark": b"\xff\xfe" + CSV.encode(),
    "NUL": CSV.encode().replace(b"3", b"\0"),
    "NULs": b"\0" * 2000,
    "NUL late": CSV.encode() * 50 + b"\0",
    "mixed encodings": "Ä,Male\nÖ,1\n".encode() + "Ü,2\n".encode("cp1252"),
    "no encoding": b"\x81\x8d\x8f,\x90\n" * 5,
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "HTML": b"<html><table><tr><td>Age</td><td>3</td></tr></table></html>",
    "a quote": b'"',
    "quotes": b'"' * 1001,
    "an open quote": CSV.encode().replace(b"0-17", b'"0-17'),
    "a quote inside": CSV.encode().replace(b"0-17", b'0"17'),
    "text after a quote": CSV.encode().replace(b"0-17", b'"0-17"x'),
    "returns": CSV.encode().replace(b"\n", b"\r"),
    "mixed line ends": CSV.encode().replace(b"\n", b"\r\n", 2),
    "vertical lines": "Age,Male\x0b0-17,3\x0c18+,4\x1c\x85".encode(),
    "separators alone": b",,,,\n,,,,\n",
    "one separator": b",",
    "all separators": b"a,b;c\td|e\n1,2;3\t4|5\n",
    "semicolons": CSV.replace(",", ";").encode(),
    "a wide line": b"Age," + b"x," * 100_000 + b"\n",
    "a wide line and a narrow one": b"Age," + b"1," * 70_000 + b"\n" + b"a,1\n" * 4,
    "a long cell": b"Age,Male\n" + b"x" * 140_000 + b",3\n",
    "a long line": b"Age,Male\n" + b"x" * 140_000 + b"\n",
    "a long quoted cell": b'Age,Male\n"' + b"x\n" * 70_000 + b'",3\n',
    "long numbers": CSV.replace("3", "3" * 4000).encode(),
    "very long numbers": CSV.replace("3", "9" * 50_000).encode(),
    "negative": CSV.replace("3", "-3").encode(),
    "nan": CSV.replace("3", "nan").encode(),
    "infinite": CSV.replace("3", "inf").encode(),
    "floats": CSV.replace("3", "3e99").encode(),
    "digits of others": CSV.replace("3", "\u0663").encode(),
    "superscripts": CSV.replace("3", "\u00b3").encode(),
    "directions": CSV.replace("Male", "\u202eelaM\u202c").encode(),
    "escapes": CSV.replace("Male", "\x1b[2J\x07").encode(),
    "formulas": CSV.replace("Male", "=HYPERLINK(1)").replace("3", "=1+2").encode(),
    "half characters": CSV.encode().replace(b"Male", b"\xed\xa0\x80"),
    "a header twice": CSV.replace("Female", "Male").encode(),
    "a row twice": CSV.replace("18+", "0-17").encode(),
    "blank labels": CSV.replace("0-17", "").replace("18+", "").encode(),
    "nothing but labels": b"Age,Male,Female\n0-17,a,b\n18+,c,d\n",
    "nothing but numbers": b"1,2,3\n4,5,6\n7,8,9\n",
    "a single cell": b"7",
    "bars": CSV.replace("0-17", "0|17").encode(),
    "names of files": CSV.replace("Age", "count").replace("Male", "name").replace("Female", "low").encode(),
    "ragged": b"Age,Male,Female\n0-17\n18+,5,6,7,8,9\n,\n65+,1,2\n",
    "thousands of tables": b"Age,Male,Female\n0-17,1,2\n18+,3,4\n\n\n" * 300,
    "percentages": CSV.replace("3", "3%").encode(),
    "only stars": b"Age,Male,Female\n0-17,*,*\n18+,*,*\n",
    "deep indents": "".join(f"{' ' * i}r{i},{300 - i},{300 - i}\n" for i in range(300)).join(["Age,Male,Female\n", ""]).encode(),
}


def put(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at one place."""
    made = json.loads(json.dumps(content))
    inside = made
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return made


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def dimensions(sizes: list[int]) -> dict[str, Any]:
    return {f"d{i}": {"category": {"index": [f"{i}.{c}" for c in range(size)]}} for i, size in enumerate(sizes)}


def sparse(sizes: list[int], value: Any, **more: Any) -> dict[str, Any]:
    names = [f"d{i}" for i in range(len(sizes))]
    return {"id": names, "size": sizes, "dimension": dimensions(sizes), "value": value, **more}


def jsonstat() -> Iterator[tuple[str, Any]]:
    for path in places(GOOD_STAT):
        some = STRANGE if len(path) < 2 else STRANGE[::2] if len(path) < 4 else STRANGE[::4]
        for value in some:
            yield f"{'.'.join(map(str, path))} is {value!r:.20}", put(GOOD_STAT, path, value)
    for value in STRANGE:
        yield f"all is {value!r:.20}", value
        yield f"rows of {value!r:.20}", [["a", "b"], [value, 3]]
        yield f"a collection of {value!r:.20}", {"class": "collection", "link": {"item": [value]}}
        yield f"a link of {value!r:.20}", {"class": "collection", "link": value}
        yield f"a bundle of {value!r:.20}", {"x": {"dimension": value, "value": value}}
    yield "ten million cells, three values", sparse([10] * 7, {"0": 3, "77": 4, "9999999": 5})
    yield "a thousand million cells, two values", sparse([10] * 9, {"0": 3, "999999999": 5})
    yield "a thousand million cells, none", sparse([10] * 9, {})
    yield "a thousand million cells, one status", sparse([10] * 9, {"0": 3}, status="e")
    yield "a thousand million cells, one status in a list", sparse([10] * 9, {"0": 3}, status=["e"])
    yield "as many cells as there are atoms", sparse([10] * 80, {"0": 3})
    yield "a cell beyond", sparse([2, 2], {"4": 3})
    yield "a cell before", sparse([2, 2], {"-1": 3})
    yield "a cell that is none", sparse([2, 2], {"x": 3, "\u0663": 4})
    yield "a cell far beyond", sparse([2, 2], {"9" * 5000: 3})
    yield "a number twice", sparse([2, 2], {"1": 3, "01": 4, "2": 5})
    yield "no cells", sparse([2, 0], [])
    yield "no dimensions", sparse([], [3])
    yield "negative sizes", {**sparse([2, 2], [1, 2, 3, 4]), "size": [-2, -2]}
    yield "sizes as floats", {**sparse([2, 2], [1, 2, 3, 4]), "size": [2.0, 2.0]}
    yield "sizes as truths", {**sparse([1, 1], [1]), "size": [True, True]}
    yield "positions that leave gaps", put(GOOD_STAT, ("dimension", "town", "category", "index"), {"A": 0, "B": 7})
    yield "positions that are the same", put(GOOD_STAT, ("dimension", "town", "category", "index"), {"A": 0, "B": 0})
    yield "codes twice", put(GOOD_STAT, ("dimension", "sex", "category", "index"), ["F", "F"])
    yield "names twice", {**GOOD_STAT, "id": ["town", "town"]}
    yield "children of themselves", put(GOOD_STAT, ("dimension", "sex", "category", "child"), {"F": ["F"]})
    yield "children in a ring", put(GOOD_STAT, ("dimension", "sex", "category", "child"), {"F": ["M"], "M": ["F"]})
    yield "unknown children", put(GOOD_STAT, ("dimension", "sex", "category", "child"), {"X": ["Y"]})
    yield "many values", sparse([600, 600], list(range(360_000)))
    yield "many datasets", {"class": "collection", "link": {"item": [GOOD_STAT] * 40}}


JSON_TEXTS = {
    "deep": "[" * 100_000,
    "deep and closed": "[" * 900 + "]" * 900,
    "deep with half a character": "[" * 900 + '"\\ud800"' + "]" * 900,
    "NaN": '{"id": NaN}',
    "a key twice": '{"id": [], "id": []}',
    "a long number": "[[" + "9" * 100_000 + "]]",
    "a long float": "[[0." + "9" * 100_000 + "]]",
    "a great float": "[[1e400, -1e400, 1e-400]]",
    "a comment": "/* x */ {}",
    "two objects": "{}{}",
    "a comma too many": '{"a": 1,}',
    "single quotes": "{'a': 1}",
    "cut": json.dumps(GOOD_STAT)[:-30],
    "control characters": '{"a\x01": 1}',
    "rows of rows": json.dumps([[["a"]], [[1]]]),
    "a wide row": json.dumps([["a"] * 300_000]),
    "a wide row and many": json.dumps([["a"] * 30_000, *[["b"]] * 30_000]),
    "empty rows": "[[], [], []]",
}


def px() -> Iterator[tuple[str, str | bytes]]:
    yield from ((f"cut at {at}", PX[:at]) for at in range(0, len(PX), 29))
    edits = {
        "an open quote": ('"Ambridge"', '"Ambridge'),
        "no semicolon": ('"M";', '"M"'),
        "no equals sign": ("STUB=", "STUB"),
        "a small keyword": ("STUB", "stub"),
        "an open bracket": ('VALUES("sex")', 'VALUES("sex"'),
        "an empty bracket": ('VALUES("sex")', "VALUES()"),
        "an empty name": ('HEADING="sex"', 'HEADING=""'),
        "a name twice": ('HEADING="sex"', 'HEADING="town"'),
        "a long heading": ('HEADING="sex"', "HEADING=" + ",".join(f'"v{i}"' for i in range(3000))),
        "a value twice": ('"F","M"', '"F","F"'),
        "no values": ('="F","M"', "="),
        "an unknown encoding": ("CHARSET", 'CODEPAGE="klingon";\nCHARSET'),
        "an encoding of bytes": ("CHARSET", 'CODEPAGE="zlib";\nCHARSET'),
        "an encoding of names": ("CHARSET", 'CODEPAGE="punycode";\nCHARSET'),
        "an encoding of hosts": ("CHARSET", 'CODEPAGE="idna";\nCHARSET'),
        "no encoding": ("CHARSET", 'CODEPAGE="undefined";\nCHARSET'),
        "another encoding": ("CHARSET", 'CODEPAGE="utf-16";\nCHARSET'),
        "a very long encoding": ("CHARSET", f'CODEPAGE="{"x" * 5000}";\nCHARSET'),
        "keys": ("DATA=\n3", 'KEYS("town")=VALUES;\nDATA=\n"Ambridge" 3'),
        "keys by codes": ("DATA=\n3 14\n4", 'KEYS("town")=CODES;\nDATA=\n"01" 3 14\n"02" 4'),
        "keys that are none": ("DATA=", 'KEYS("town")=NONSENSE;\nDATA='),
        "keys of nothing": ("DATA=", 'KEYS("x")=VALUES;\nDATA='),
        "codes of another number": ('"01","02"', '"01"'),
        "no numbers": ("3 14\n4 11", ""),
        "one number more": ("4 11", "4 11 5"),
        "many numbers": ("4 11", "4 11" + " 5" * 500_000),
        "text for numbers": ("3 14", '"three" fourteen'),
        "negative": ("3 14", "-3 14"),
        "infinite": ("3 14", "inf 1e999"),
        "dots": ("3 14", ". .."),
        "quoted dots": ("3 14", '"." "-"'),
        "data twice": ("TITLE=", "DATA=1 2 3 4;\nTITLE="),
        "languages": ("TITLE=", 'TITLE[sv]="x";\nVALUES[sv]("sex")="K","M";\nTITLE='),
        "an open language": ("TITLE=", "TITLE[sv="),
        "NUL": ("Ambridge", "Am\0bridge"),
        "line breaks": ("Ambridge", "Am\nbridge"),
        "many keywords": ("TITLE=", 'NOTE="x";\n' * 20_000 + "TITLE="),
        "many open quotes": ("TITLE=", 'NOTE="x;\n' * 2_001 + "TITLE="),
        "many brackets": ("TITLE=", "NOTE(" * 2_000 + "TITLE="),
        "hierarchies": ("DATA=", 'HIERARCHIES("town")="Ambridge":"Ambridge";\nDATA='),
        "many measures": ('HEADING="sex"', 'HEADING="measure"'),
    }
    yield from ((what, PX.replace(old, new)) for what, (old, new) in edits.items())
    names = [f"v{i}" for i in range(6)]
    values = "".join(f'VALUES("{name}")={",".join(f"{q}{c}{q}" for q in [chr(34)] for c in range(60))};\n' for name in names)
    stub = ",".join(f'"{name}"' for name in names)
    keys = "".join(f'KEYS("{name}")=VALUES;\n' for name in names)
    yield "keys of 60^6", f'STUB={stub};\nHEADING="sex";\n{values}VALUES("sex")="F","M";\n{keys}DATA=\n{"0 " * 6}1 2;\n'
    yield "60^6 cells", f"STUB={stub};\n{values}DATA=\n1 2 3;\n"
    yield "bytes", PX.encode("utf-16")
    yield "NULs", b"\0" * 500
    yield "nothing", b""


def argus() -> Iterator[tuple[str, Files]]:
    def files(rda: str | bytes = RDA, tab: str | bytes = TAB, hrc: str | bytes = HRC) -> Files:
        return {"t.tab": tab, "t.rda": rda, "town.hrc": hrc}

    separators = ['"; "', '"abc"', '""', '"', " ", '"\t"', '" "', "\u2028", '"\\"', ";"]
    yield from ((f"separator {i}", files(RDA.replace('<SEPARATOR> ","', f"<SEPARATOR> {one}"))) for i, one in enumerate(separators))
    edits = {
        "no total": ('  <TOTCODE> "Total"\n', ""),
        "no columns": ("Town", ""),
        "no frequency": ("  <FREQUENCY>\n", ""),
        "a list elsewhere": ("town.hrc", "../../../etc/passwd"),
        "a list that is not there": ("town.hrc", "nowhere.hrc"),
        "a list without a name": ('"town.hrc"', '""'),
        "a list with a NUL": ("town.hrc", "a\0b"),
        "the list is the table": ("town.hrc", "t.tab"),
        "an empty lead": ('"@"', '""'),
        "a long lead": ('"@"', '"@@@@"'),
        "a column twice": ("Sex", "Town"),
        "tags alone": ("Freq\n", ""),
        "tags in a tag": ("<STATUS>", "<STATUS <SAFE>>"),
        "another status": ('"S"', '"X"'),
    }
    yield from ((what, files(RDA.replace(old, new))) for what, (old, new) in edits.items())
    tables = [
        "",
        "\n\n",
        "a",
        "Total,Total\n",
        TAB.replace(",", ";"),
        TAB.replace("10", "ten"),
        TAB.replace("10", "-1"),
        '"' + TAB,
        TAB * 3,
    ]
    tables += [f"{'x' * 140_000},F,1,S\n", TAB.replace("S\n", "\0\n"), "Total,Total,10,S," + "x," * 5000, TAB.replace("Total", "")]
    yield from ((f"table {i}", files(tab=tab)) for i, tab in enumerate(tables))
    lists = [
        "",
        "@A\n",
        "@" * 200_000,
        "North\n" + "@" * 5000 + "A\n",
        "A\n@A\n",
        "North\n@North\n",
        "@ @ @A\n",
        "North\n@X\n@X\n",
        "\0\n",
    ]
    yield from ((f"list {i}", files(hrc=one)) for i, one in enumerate(lists))
    yield from ((f"description {what}", files(rda=raw)) for what, raw in list(BYTES.items())[:20])


def sdmx() -> Iterator[tuple[str, str]]:
    edits = {
        "no dimensions": (",town,sex", ""),
        "no rows": (SDMX[SDMX.index("\n") + 1 :], ""),
        "a dimension twice": ("town,sex", "town,town"),
        "a blank dimension": ("town,sex", ","),
        "a measure as dimension": ("sex", "MEASURE"),
        "thousands": (",F,0", ",F,3"),
        "a strange status": (",C,0", ",\x1b,0"),
        "labels": ("town,", "town: Town of residence,"),
        "labels of codes": ("x,A,", "x,A: Ambridge,"),
        "labels that differ": ("x,A,F", "x,A: One,F"),
        "short rows": ("x,A,M,4,A,F,0", "x,A,M"),
        "long rows": ("x,A,M,4,A,F,0", "x,A,M,4,A,F,0,1,2,3"),
        "text for a number": (",3,", ",three,"),
        "nan": (",3,", ",NaN,"),
        "a long number": (",3,", f",{'9' * 9000},"),
        "a code twice": ("x,B,M", "x,B,F"),
        "blank codes": ("x,A,", "x,,"),
        "a value first": ("DATAFLOW,town,sex,OBS_VALUE", "DATAFLOW,OBS_VALUE,town,sex"),
        "values twice": ("OBS_VALUE,OBS_STATUS", "OBS_VALUE,OBS_VALUE"),
        "only a value": (SDMX, "DATAFLOW,OBS_VALUE\nx,3\n"),
        "a total of all": ("x,B,", "x,_T,"),
        "a time": ("OBS_STATUS", "TIME_PERIOD"),
    }
    yield from ((what, SDMX.replace(old, new)) for what, (old, new) in edits.items())


def tables() -> Iterator[tuple[str, Files]]:
    for what, raw in BYTES.items():
        yield f"csv: {what}", {"t.csv": raw}
    for what in list(BYTES)[:30:2]:
        yield f"tsv: {what}", {"t.tsv": BYTES[what]}
        yield f"json: {what}", {"t.json": BYTES[what]}
        yield f"px: {what}", {"t.px": BYTES[what]}
    for what, content in jsonstat():
        yield f"JSON-stat: {what}", {"t.json": json.dumps(content)}
    for what, text in JSON_TEXTS.items():
        yield f"JSON: {what}", {"t.json": text}
    for what, file in px():
        yield f"PC-Axis: {what}", {"t.px": file}
    for what, files in argus():
        yield f"tau-Argus: {what}", files
    for what, text in sdmx():
        yield f"SDMX: {what}", {"t.csv": text}
