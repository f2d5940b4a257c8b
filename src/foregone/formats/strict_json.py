"""The one way JSON is read here: what a lenient reader would guess about or drop is an error that names it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias

from foregone.formats.text import raise_all, read_text
from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.shown import shown

Kind: TypeAlias = "type | UnionType | dict[str, Kind]"
Kinds = dict[str, Kind]

DIGITS = 40  # of a whole number; no count has more
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # may be half of a character
LONE = re.compile("[\ud800-\udfff]")


def read_json(path: Path) -> Any:
    """A JSON file in which no name is given twice and every number and text is one."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, source: str) -> Any:
    problems: list[str] = []

    def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    problems.append(f"{source}: {shown(name)} is given more than once; keep one")
                seen.add(name)
        return made

    def whole(digits: str) -> int:
        if len(digits) > DIGITS:
            problems.append(f"{source}: a number of {len(digits):,} digits is more than any table counts; correct it")
            return 0
        return int(digits)

    def constant(word: str) -> float:
        problems.append(f"{source}: {word} is not a number of JSON; give a number, or leave it out")
        return 0.0

    try:
        content = json.loads(text, object_pairs_hook=unrepeated, parse_int=whole, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = f"{source}, row {error.lineno}, character {error.colno}"
        raise InputError(f"{place}: not valid JSON ({error.msg}); correct it") from None
    except RecursionError:
        raise InputError(f"{source}: nested too deeply to be read; a flat object was expected") from None
    if HALF.search(text):
        broken = dict.fromkeys(word for word in _texts(content) if LONE.search(word))
        problems += [f"{source}: {shown(word)} holds half of a character, which no file can hold; correct it" for word in broken]
    raise_all(problems)
    return content


def _texts(content: Any) -> Iterator[str]:
    """Names and values, however deep; the depth of a file must not be the depth of calls."""
    left = [content]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left += [*reversed(value.values()), *reversed(value)]
        elif isinstance(value, list):
            left += reversed(value)


def unknown_keys(content: dict[str, Any], known: Collection[str], place: str) -> list[str]:
    """A key that is not read is a mistake: what it was meant to say would be lost."""
    return [
        f"{place}: {shown(key)} is not understood (keys: {', '.join(known)}){near(key, list(known))}"
        for key in content
        if key not in known
    ]


def read_object(path: Path, kinds: Kinds, remedy: str) -> dict[str, Any]:
    """A JSON object that Foregone wrote, with keys of these kinds as far as they are there; further keys are fine."""
    content = read_json(path)
    raise_all([f"{path}: {wrong}, which it cannot be; {remedy}" for wrong in _wrong("the content", content, kinds)])
    return dict(content)


def _wrong(name: str, value: Any, kind: Kind) -> Iterator[str]:
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            yield f"{name} is {shown(value)}"
            return
        for key in value.keys() & kind.keys():
            yield from _wrong(repr(key), value[key], kind[key])
    elif not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        yield f"{name} is {shown(value)}"
