"""JSON-stat 2 datasets, and the lists of rows that the US census API sends."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from foregone.formats.strict_json import read_json
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.grid import Grid, Place
from foregone.tables.readers.cube import Dimension, Observation, cube, in_order
from foregone.tables.table import Table


def read_jsonstat(path: Path) -> list[Grid | Table]:
    content = read_json(path)
    if isinstance(content, list) and content and all(isinstance(row, list) for row in content):
        return [Grid.of(str(path), [["" if cell is None else str(cell) for cell in row] for row in content])]
    inside = _datasets(content, path) if isinstance(content, dict) else {}
    return [_dataset(entry, path, name) for name, entry in inside.items()] or [_dataset(content, path)]


def _dataset(content: Any, path: Path, name: str = "") -> Table:
    """One dataset; in version 1 of the format id, size and role stand inside the dimensions."""
    if isinstance(content, dict) and isinstance(content.get("dimension"), dict) and "id" in content["dimension"]:
        content = {key: content["dimension"][key] for key in ("id", "size", "role") if key in content["dimension"]} | content
    if not isinstance(content, dict) or not all(key in content for key in ("id", "size", "dimension", "value")):
        raise InputError(f"{path}: is not a JSON-stat dataset (id, size, dimension, value); save the table as one, or as CSV")
    problems: list[str] = []
    dimensions = [_dimension(content, one, path, problems) for one in content["id"]]
    sizes = [len(dimension.codes) for dimension in dimensions]
    if not problems and sizes != content["size"]:
        problems.append(f"{path}: size is {shown(content['size'])}, but the categories are {sizes}; save the table again")
    if problems:
        raise InputError(problems)
    total = prod(sizes)
    values, status = content["value"], content.get("status", {})
    if isinstance(values, list) and len(values) != total:
        raise InputError(f"{path}: has {len(values):,} values for {total:,} cells; save the table again")
    observations = []
    for i, codes in enumerate(in_order(dimensions)):
        value = values[i] if isinstance(values, list) else values.get(str(i))
        said = status if isinstance(status, str) else status[i] if isinstance(status, list) else status.get(str(i))
        # what a cell shows instead of a number is its status
        text = str(said) if value is None and said is not None else "" if value is None else str(value)
        observations.append(Observation(codes, text, Place(str(path), i + 1, sheet=name)))
    return replace(cube(path, "JSON-stat", dimensions, observations, tuple(map(str, content.get("note", ())))), sheet=name)


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


def _dimension(content: dict[str, Any], name: str, path: Path, problems: list[str]) -> Dimension:
    entry = content["dimension"].get(name)
    category = entry.get("category") if isinstance(entry, dict) else None
    if not isinstance(category, dict):
        problems.append(f"{path}: dimension {shown(name)} has no category; save the table again")
        return Dimension(name, ())
    index, labels = category.get("index"), category.get("label", {})
    if index is None:
        index = list(labels)
    codes = tuple(sorted(index, key=index.__getitem__) if isinstance(index, dict) else map(str, index))
    words = tuple(str(labels.get(code, code)) for code in codes)
    if content.get("role", {}).get("metric") == [name] and len(codes) > 1:
        problems.append(
            f"{path}: {name} has several measures ({listed(words)}), and only counts can be read; save a table of the counts"
            " alone"
        )
    children = category.get("child", {})
    groups = tuple((parent, tuple(parts)) for parent, parts in children.items()) if isinstance(children, dict) else ()
    return Dimension(name, codes, words if words != codes else (), str(entry.get("label", "")), groups=groups)
