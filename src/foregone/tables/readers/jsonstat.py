"""JSON-stat 2 datasets, and the lists of rows that the US census API sends."""

from __future__ import annotations

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
    if isinstance(content, dict) and (many := _several(content)):
        raise InputError(f"{path}: holds {many}, and tables are read one a file; save each dataset as a file of its own")
    if not isinstance(content, dict) or not all(key in content for key in ("id", "size", "dimension", "value")):
        raise InputError(f"{path}: is not a JSON-stat 2 dataset (id, size, dimension, value); save the table as one, or as CSV")
    problems: list[str] = []
    dimensions = [_dimension(content, name, path, problems) for name in content["id"]]
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
        observations.append(Observation(codes, text, Place(str(path), i + 1)))
    return [cube(path, "JSON-stat", dimensions, observations, tuple(map(str, content.get("note", ()))))]


def _several(content: dict[str, Any]) -> str:
    """What a file holds that is not one dataset: a collection of JSON-stat 2, or a bundle of JSON-stat 1."""
    if content.get("class") == "collection":
        items = content.get("link", {}).get("item", []) if isinstance(content.get("link"), dict) else []
        return f"a JSON-stat collection of {len(items):,} datasets"
    inside = [key for key, entry in content.items() if isinstance(entry, dict) and "dimension" in entry and "value" in entry]
    return f"a JSON-stat 1 bundle ({listed(inside)})" if inside else ""


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
            f"{path}: two readings fit: {name} has several measures ({', '.join(words[:3])}); save a table of the counts alone"
        )
    children = category.get("child", {})
    groups = tuple((parent, tuple(parts)) for parent, parts in children.items()) if isinstance(children, dict) else ()
    return Dimension(name, codes, words if words != codes else (), str(entry.get("label", "")), groups=groups)
