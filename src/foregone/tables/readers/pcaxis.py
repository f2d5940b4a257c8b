"""PC-Axis files (.px), as statistical offices publish them: keywords with quoted texts, then the numbers in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from math import prod
from pathlib import Path

from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.cube import Dimension, Observation, cube, in_order
from foregone.tables.readers.valuesets import groups_beside
from foregone.tables.table import CellPlace, Grid, Table, check_cells, read_bytes

# a keyword, perhaps with a language and what it is about; quotes may hold every sign, `=` and `;` too
KEYWORD = re.compile(r'\s*([A-Z][A-Z0-9-]*)(?:\[(\w+)\])?(?:\(((?:"[^"]*"|[^)"])*+)\))?\s*=')
Found = dict[tuple[str, str], str]
"""Keyword and what it is about -> value."""

VALUE = re.compile(r'(?:[^";]|"[^"]*")*+')  # up to the semicolon that ends it
CELL = re.compile(r'"([^"]*)"|([^\s",;]+)')
BLANK = re.compile(r"\s*")
NO_TEXT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")  # encodings of other things than files
QUOTED = re.compile(r'"([^"]*)"')
WITHHELD = re.compile(r"(?i)confiden|suppress|secre|withheld|disclos|protect")
ABSENT = re.compile(r"(?i)not available|not applicable|missing|not collected|no data")


def read_pcaxis(path: Path) -> list[Grid | Table]:
    """The table of a PC-Axis file; signs instead of numbers mean what the file says."""
    text, _ = px_text(path)
    found: Found = {}
    data = ""
    for keyword, about, value in _statements(text, path):
        if keyword == "DATA" and data:
            raise InputError(f"{path}: has DATA twice; save the table again")
        if keyword == "DATA":
            data = value
        else:
            found.setdefault((keyword, about), value)
    if not data:
        raise InputError(f"{path}: has no DATA; save the table as a complete PC-Axis file")
    names = [name for key in ("STUB", "HEADING") for name in QUOTED.findall(found.get((key, ""), ""))]
    if not names:
        raise InputError(f"{path}: names no variables (STUB, HEADING); save the table as a complete PC-Axis file")
    problems = [f'{path}: has no VALUES("{name}"); save the table again' for name in names if ("VALUES", name) not in found]
    if problems:
        raise InputError(problems)
    dimensions = [_dimension(path, found, name) for name in names]
    size = prod(len(dimension.codes) for dimension in dimensions)
    check_cells(str(path), size)
    keyed = any(keyword == "KEYS" for keyword, _ in found)
    most = size * (1 + len(names) * keyed)
    numbers = [cell[1] or cell[2] or "" for cell in islice(CELL.finditer(data), most + 1)]
    if keyed and len(numbers) <= most:
        numbers = _written_out(path, found, dimensions, numbers)
    if len(numbers) != size:
        given = f"{len(numbers):,}" if len(numbers) <= most else f"more than {most:,}"
        raise InputError(f"{path}: has {given} numbers for {size:,} cells; save the table again")
    symbols = _symbols(found)
    observations = []
    for i, (codes, number) in enumerate(zip(in_order(dimensions), numbers, strict=True), start=1):
        said = symbols.get(number, "")
        absent, withheld = ABSENT.search(said) is not None, WITHHELD.search(said) is not None
        observations.append(Observation(codes, "" if absent or withheld else number, CellPlace(str(path), i), withheld))
    notes = tuple(f"{sign} {said}" for sign, said in symbols.items())
    words = [" ".join(QUOTED.findall(found.get((key, ""), ""))) for key in ("CONTENTS", "UNITS", "TITLE", "DESCRIPTION")]
    stock = next((" ".join(QUOTED.findall(value)) for (key, _), value in found.items() if key == "STOCKFA"), "")
    said = f"STOCKFA={stock}" if stock in ("S", "F") else ""
    return [cube(path, "PC-Axis", dimensions, observations, notes, texts=(*words, path.stem), stock=said)]


def _dimension(path: Path, found: Found, name: str) -> Dimension:
    """A variable with the groups that HIERARCHIES or an aggregation beside the file gives, and the total that ELIMINATION names."""
    values = _values(found["VALUES", name])
    codes = dict(zip(_values(found.get(("CODES", name), "")), values, strict=False))
    groups: dict[str, list[str]] = {}
    levels = found.get(("HIERARCHIES", name), "")
    for above, below in re.findall(r'"([^"]*)"\s*:\s*"([^"]*)"', levels):
        parent, child = (codes.get(code, code) for code in (above, below))
        if parent in values and child in values:
            groups.setdefault(parent, []).append(child)
    domain = " ".join(_values(found.get(("DOMAIN", name), "")))
    groups = groups or groups_beside(path, domain, codes or {value: value for value in values})
    whole = _values(found.get(("ELIMINATION", name), ""))
    totals = tuple(value for value in whole if value in values and value not in groups)
    measure = name in _values(found.get(("CONTVARIABLE", ""), ""))
    coded = tuple((value, code) for code, value in codes.items()) if len(codes) == len(values) else ()
    made = tuple((label, tuple(parts)) for label, parts in groups.items())
    return Dimension(name, values, totals=totals, groups=made, measure=measure, coded=coded)


def _written_out(path: Path, found: Found, dimensions: list[Dimension], cells: list[str]) -> list[str]:
    """All numbers in order, of a file with KEYS: each row begins with the values or codes of its stub, rows of zeros are absent."""
    stub = len(QUOTED.findall(found.get(("STUB", ""), "")))
    width = prod(len(dimension.codes) for dimension in dimensions[stub:])
    places: list[dict[str, str]] = []  # for each variable of the stub, what a row begins with -> its value
    for dimension in dimensions[:stub]:
        by = found.get(("KEYS", dimension.name), "VALUES").strip().upper()
        if by not in ("CODES", "VALUES") or (by == "CODES" and ("CODES", dimension.name) not in found):
            raise InputError(f'{path}: KEYS("{dimension.name}") is {shown(by)}, expected VALUES, or CODES with a list of CODES')
        keys = _values(found["CODES", dimension.name]) if by == "CODES" else dimension.codes
        if len(keys) != len(dimension.codes):
            raise InputError(f'{path}: CODES("{dimension.name}") lists {len(keys):,} codes for {len(dimension.codes):,} values')
        places.append(dict(zip(keys, dimension.codes, strict=True)))
    rows: dict[tuple[str, ...], list[str]] = {}
    for number, first in enumerate(range(0, len(cells), stub + width), start=1):
        keys, row = tuple(key.strip() for key in cells[first : first + stub]), cells[first + stub : first + stub + width]
        unknown = [key for key, known in zip(keys, places, strict=False) if key not in known]
        if unknown or len(row) != width:
            what = f"{shown(unknown[0])} is not a value of {names_of(dimensions[:stub])}" if unknown else f"{len(row)} numbers"
            raise InputError(f"{path}: row {number} of DATA: {what}; expected {stub} keys and {width} numbers; save it again")
        values = tuple(known[key] for key, known in zip(keys, places, strict=True))
        if values in rows:
            raise InputError(f"{path}: row {number} of DATA: {', '.join(keys)} stands there twice; save the table again")
        rows[values] = row
    return [cell for codes in in_order(dimensions[:stub]) for cell in rows.get(codes, ["0"] * width)]


def names_of(dimensions: list[Dimension]) -> str:
    return " or ".join(dimension.name for dimension in dimensions)


def _symbols(found: Found) -> dict[str, str]:
    """What signs mean, as the file says; a dash is zero by the format where the file says nothing else."""
    keys = {"." * number: (f"DATASYMBOL{number}", "") for number in range(1, 7)}
    said = {sign: " ".join(QUOTED.findall(found[key])) for sign, key in keys.items() if key in found}
    nil = " ".join(QUOTED.findall(found.get(("DATASYMBOLNIL", ""), "")))
    # the sign alone means that there is no number, by the format
    said |= {sign: "not available" for sign, text in said.items() if not text.strip(" .")}
    return {**said, "-": nil if nil.strip(" -") else "zero"}


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in QUOTED.findall(text))


def px_text(path: Path) -> tuple[str, str]:
    """The text of a file, and in which encoding it is."""
    raw = read_bytes(path)
    page = re.search(rb'CODEPAGE="([\w-]+)"', raw)
    named = page[1].decode().lower() if page else ""
    encodings = [named] if named and named.replace("-", "_") not in NO_TEXT else []
    for encoding in (*encodings, "utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding), encoding
        except (UnicodeError, LookupError):
            continue
    raise InputError(f'{path}: its encoding is not known; save it as UTF-8 with CODEPAGE="utf-8"')


def _statements(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """Keyword, what it is about, value; values end at a semicolon outside quotes."""
    at = _after(BLANK, text, 0)
    while at < len(text):
        found = KEYWORD.match(text, at)
        if found is None:
            raise InputError(
                f"{path}, row {_row(text, at)}: {shown(text[at : at + 40].strip())} is not a PC-Axis keyword; check the line above"
            )
        end = _after(VALUE, text, found.end())
        if text[end : end + 1] == '"':
            raise InputError(f"{path}, row {_row(text, end)}: a quotation mark is not closed; close it")
        if found[2] is None:  # other languages say the same again
            yield found[1], ",".join(QUOTED.findall(found[3] or "")), text[found.end() : end]
        at = _after(BLANK, text, end + 1)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what a pattern finds from here on ends; it may be nothing."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _row(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
