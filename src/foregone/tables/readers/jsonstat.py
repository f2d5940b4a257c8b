"""JSON-stat 2 datasets, and the lists of rows that the US census API sends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from foregone.formats.text import parse_json, read_text
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.table import MOST_CELLS, TOO_MANY, CellPlace, Grid, Table, check_cells

AGAIN = "save the table again"
MOST_VALUES = 6 * MOST_CELLS  # with what is said about the cells
CELL = re.compile("0|[1-9][0-9]*")
MOST_POWER = 9  # of ten, that numbers are given in


def read_jsonstat(path: Path) -> list[Grid | Table]:
    text = read_text(path)
    if (values := sum(map(text.count, ",[{"))) > MOST_VALUES:  # in memory each is some twenty times as large as in the file
        raise InputError(f"{path}: {values:,} values are {TOO_MANY}")
    content = parse_json(text, str(path))
    if isinstance(content, list) and content and all(isinstance(row, list) for row in content):
        return [_rows(content, path)]
    inside = _datasets(content, path) if isinstance(content, dict) else {}
    return [_dataset(entry, path, name) for name, entry in inside.items()] or [_dataset(content, path)]


def _rows(content: list[list[Any]], path: Path) -> Grid:
    strange = [(r, c, cell) for r, row in enumerate(content, 1) for c, cell in enumerate(row, 1) if not _is_cell(cell)]
    if strange:
        r, c, cell = strange[0]
        raise InputError(f"{path}, row {r}, cell {c}: {shown(cell)} is neither a text nor a number; {AGAIN}")
    check_cells(str(path), len(content) * max(map(len, content)))
    return Grid.of(str(path), [["" if cell is None else str(cell) for cell in row] for row in content])


def _is_cell(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))


def _dataset(content: Any, path: Path, name: str = "") -> Table:
    """One dataset; in version 1 of the format id, size and role stand inside the dimensions."""
    place = f"{path}, dataset {name}" if name else str(path)
    if isinstance(content, dict) and isinstance(content.get("dimension"), dict) and "id" in content["dimension"]:
        content = {key: content["dimension"][key] for key in ("id", "size", "role") if key in content["dimension"]} | content
    if not isinstance(content, dict) or not all(key in content for key in ("id", "size", "dimension", "value")):
        raise InputError(f"{place}: is not a JSON-stat dataset (id, size, dimension, value); save the table as one, or as CSV")
    content = {"status": {}, "role": {}, "note": [], **content}
    _check_kinds(content, place)
    problems: list[str] = []
    dimensions = [_dimension(content, one, place, problems) for one in content["id"]]
    sizes = [len(dimension.codes) for dimension in dimensions]
    said_sizes = [int(size) if isinstance(size, str) and CELL.fullmatch(size) else size for size in content["size"]]
    if not problems and (sizes != said_sizes or not all(type(size) is int for size in said_sizes)):
        problems.append(f"{place}: size is {shown(content['size'])}, but the categories are {shown(sizes)}; {AGAIN}")
    if problems:
        raise InputError(problems[:20])
    total = prod(sizes)
    shows = _shows(content["value"], "value", total, place)
    said = content["status"]
    if isinstance(said, dict) and "value" in said and isinstance(said["value"], list | dict):  # as Eurostat once wrote it
        said = said["value"]
    if isinstance(said, str) or (isinstance(said, list) and len(said) == 1):  # of every cell
        check_cells(place, total)
        said = dict.fromkeys(map(str, range(total)), said if isinstance(said, str) else said[0])
    status = _shows(said, "status", total, place)
    # what a cell shows instead of a number is its status
    texts = {i: text for i, text in status.items() if text} | {i: text for i, text in shows.items() if text}
    observations = [Observation(_codes(dimensions, i), texts[i], CellPlace(str(path), i + 1, sheet=name)) for i in sorted(texts)]
    notes = [content["note"]] if isinstance(content["note"], str) else content["note"]
    words = (str(content.get("label", "")), str(content.get("title", "")), path.stem)
    made = cube(path, "JSON-stat", dimensions, observations, tuple(map(str, notes)), total - len(texts), words)
    return replace(made, sheet=name)


def _check_kinds(content: dict[str, Any], place: str) -> None:
    """Every key of a dataset has one kind of content, or two."""
    names = content["id"]
    expected = {
        "id": ("a list of different names", isinstance(names, list) and _names(names)),
        "size": ("a list of whole numbers", isinstance(content["size"], list)),
        "dimension": ("an object", isinstance(content["dimension"], dict)),
        "value": ("a list or an object", isinstance(content["value"], list | dict)),
        "status": ("a text, a list or an object", isinstance(content["status"], str | list | dict)),
        "role": ("an object", isinstance(content["role"], dict)),
        "note": ("a text or a list", isinstance(content["note"], str | list)),
    }
    wrong = [(key, what) for key, (what, ok) in expected.items() if not ok]
    problems = [f"{place}: {key} is {shown(content[key])}, expected {what}; {AGAIN}" for key, what in wrong]
    if problems:
        raise InputError(problems)


def _names(values: Iterable[Any]) -> bool:
    """Are these texts that differ?"""
    listed = list(values)
    return all(isinstance(value, str) and value for value in listed) and len(set(listed)) == len(listed)


def _shows(given: Any, key: str, total: int, place: str) -> dict[int, str]:
    """What cells show, by their number from 0: of a list all of them, of an object those that it names."""
    if isinstance(given, list):
        if len(given) != total:
            raise InputError(f"{place}: has {len(given):,} {'values' if key == 'value' else key} for {total:,} cells; {AGAIN}")
        check_cells(place, total)
        numbered = dict(enumerate(given))
    else:
        check_cells(place, len(given))
        strange = [at for at in given if len(at) > len(str(total)) or not CELL.fullmatch(at) or int(at) >= total]
        if strange:
            raise InputError(f"{place}: {key} {shown(strange[0])} is not the number of one of {total:,} cells; {AGAIN}")
        numbered = {int(at): value for at, value in given.items()}
    wrong = [i for i, value in numbered.items() if not _is_cell(value)]
    if wrong:
        raise InputError(f"{place}: {key} {wrong[0]} is {shown(numbered[wrong[0]])}, expected a number or a text; {AGAIN}")
    return {i: "" if value is None else str(value) for i, value in numbered.items()}


def _codes(dimensions: list[Dimension], number: int) -> tuple[str, ...]:
    """What the cell with this number is about; the last variable runs fastest."""
    codes = []
    for dimension in reversed(dimensions):
        number, at = divmod(number, len(dimension.codes))
        codes.append(dimension.codes[at])
    return tuple(reversed(codes))


def _datasets(content: dict[str, Any], path: Path) -> dict[str, Any]:
    """The datasets of a collection, by number, or of a bundle as version 1 has it, by name; nothing for a single dataset."""
    if content.get("class") != "collection":
        return {key: entry for key, entry in content.items() if isinstance(entry, dict) and {"dimension", "value"} <= set(entry)}
    items = content["link"].get("item", []) if isinstance(content.get("link"), dict) else []
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: is a JSON-stat collection without datasets; save the table itself")
    elsewhere = [i for i, item in enumerate(items, start=1) if not isinstance(item, dict) or "value" not in item]
    if elsewhere:
        first = items[elsewhere[0] - 1]
        address = f", only its address {shown(first['href'])}" if isinstance(first, dict) and "href" in first else ""
        raise InputError(
            f"{path}: dataset {elsewhere[0]} of the collection is not in the file{address};"
            " nothing is loaded from elsewhere: save that dataset as a file, and give it instead"
        )
    return {str(i): item for i, item in enumerate(items, start=1)}


def _dimension(content: dict[str, Any], name: str, place: str, problems: list[str]) -> Dimension:
    entry = content["dimension"].get(name)
    category = entry.get("category") if isinstance(entry, dict) else None
    if not isinstance(category, dict):
        problems.append(f"{place}: dimension {shown(name)} has no category; {AGAIN}")
        return Dimension(name, ())
    labels, children = category.get("label", {}), category.get("child", {})
    index = category.get("index", list(labels) if isinstance(labels, dict) else None)
    if isinstance(index, dict) and all(type(at) is int for at in index.values()):
        codes = sorted(index, key=index.__getitem__)
        ordered = [index[code] for code in codes] == list(range(len(codes)))
    else:
        codes = [str(code) if type(code) is int else code for code in index] if isinstance(index, list) else []
        ordered = isinstance(index, list)
    wrong = {
        "index": not ordered or not _names(codes),
        "label": not isinstance(labels, dict) or not all(isinstance(word, str) for word in labels.values()),
        "child": not isinstance(children, dict) or not all(isinstance(part, list) and _names(part) for part in children.values()),
    }
    if any(wrong.values()):
        bad = next(key for key, is_wrong in wrong.items() if is_wrong)
        what = f"{bad} is {shown(category.get(bad))}, which is not what JSON-stat has there"
        problems.append(f"{place}: dimension {shown(name)}, category: {what}; {AGAIN}")
        return Dimension(name, ())
    words = tuple(labels.get(code, code) for code in codes)
    groups = tuple((parent, tuple(parts)) for parent, parts in children.items())
    measure = content["role"].get("metric") == [name]
    units = category.get("unit", {}) if isinstance(category.get("unit", {}), dict) else {}
    said = tuple(" ".join(map(str, unit.values())) if isinstance(unit := units.get(code), dict) else "" for code in codes)
    powers = {code: unit.get("multiplier") for code in codes if isinstance(unit := units.get(code), dict)}
    scales = tuple((code, 10**power) for code, power in powers.items() if type(power) is int and 0 <= power <= MOST_POWER)
    shows = words if words != tuple(codes) else ()
    title = str(entry.get("label", ""))
    return Dimension(name, tuple(codes), shows, title, groups=groups, measure=measure, units=said, scales=scales)
