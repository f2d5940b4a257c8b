"""Text files, read so that every problem names file, row and column: CSV, JSON in which nothing is left to guess, and TOML."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias, TypeVar

from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.shown import shown

T = TypeVar("T")

FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"'*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
STARTS = frozenset("'=+-@\t\r")
SHOWN = 40  # problems of one file that are spelled out
MOST_BYTES = 1_000_000_000  # of a file that is read as a whole
Kind: TypeAlias = "type | UnionType | dict[str, Kind]"
Kinds = dict[str, Kind]
DIGITS = 40  # of a whole number; no count has more
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # may be half of a character
LONE = re.compile("[\ud800-\udfff]")
YAML = re.compile(r"\s*[\w-]+\s*:(\s|$)|---\s*$")  # how a line of YAML begins
POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")


def risky(cell: str) -> bool:
    """Would a spreadsheet run this cell as a formula, apart from apostrophes in front of it?"""
    return cell[:1] in STARTS and FORMULA.match(cell) is not None and NUMBER.fullmatch(cell) is None


def guarded(cell: T) -> T | str:
    """A cell of a CSV file as it is written: one that a spreadsheet would run as a formula gets an apostrophe in front.

    Numbers such as -1 and +5 are harmless and stay what they are; so does `'s-Gravenhage`, as no formula begins with a letter.

    >>> [guarded(text) for text in ("=1+1", "-1", "+5", "-1-1", "'=x", "'s", "@me", "plain")]
    ["'=1+1", '-1', '+5', "'-1-1", "''=x", "'s", "'@me", 'plain']
    """
    return f"'{cell}" if isinstance(cell, str) and risky(cell) else cell


def unguarded(cell: str) -> str:
    """The cell as it was before `guarded`.

    >>> [unguarded(guarded(text)) for text in ("=1+1", "''=x", "'s", "-", "'-1")]
    ['=1+1', "''=x", "'s", '-', "'-1"]
    """
    return cell[1:] if cell[:1] == "'" and risky(cell) else cell


def regular_file(path: Path, what: str = "check the path") -> int:
    """The size of a file that is there and is a file: reading a pipe or a device could wait for ever."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        link = os.path.islink(path)
        missing = "this link leads nowhere; correct or remove it" if link else f"there is no such file; {what}"
        raise InputError(f"{path}: {missing}") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path}: this is a folder, a file was expected")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: this is a pipe, a socket or a device; save the content as a file first")
    return found.st_size


def is_there(path: Path) -> bool:
    """Is there anything under this name, be it a link that leads nowhere? What is there has to be read, or refused."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return True


def _unreadable(path: Path, error: OSError | ValueError, check: str = "the path and its permissions") -> InputError:
    return InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}); check {check}")


def read_text(path: Path) -> str:
    """The file as text; a missing, empty or wrongly encoded file is an error that says so."""
    size = regular_file(path)
    if size > MOST_BYTES:
        raise InputError(f"{path}: {size:,} bytes are more than the {MOST_BYTES:,} that can be read; cut the file into several")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error, "its permissions") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, row {row}: byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        content = {".json": "JSON", ".toml": "settings"}.get(path.suffix, "a header and rows")
        raise InputError(f"{path}: the file is empty; it should hold {content}")
    return text


@contextmanager
def uncollected() -> Iterator[None]:
    """Millions of small objects are made and none is thrown away: looking for cycles among them would take most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def read_rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows of a CSV file; each row with its line number as a spreadsheet shows it."""
    text = read_text(path)
    clean = _unguarded if "'" in text else str.strip
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        header = [clean(name) for name in next(reader)]
        rows = [(reader.line_num, [*map(clean, row)]) for row in reader if row]
    except csv.Error as error:
        raise InputError(f"{path}, row {reader.line_num}: not valid CSV ({error}); check the quotes") from None
    repeated = [name for name, times in Counter(header).items() if times > 1]
    problems = [f"{path}, row 1: column {shown(name)} appears twice; keep one" for name in repeated]
    problems += [
        f"{path}, row {line}: {len(row)} values, but the header has {len(header)} columns; add or remove commas"
        for line, row in rows
        if len(row) != len(header)
    ]
    raise_all(problems)
    return header, rows


def _unguarded(cell: str) -> str:
    return unguarded(cell.strip())


def raise_all(problems: list[str]) -> None:
    """Raise every problem of a file at once (the first of them spelled out when there are very many)."""
    if problems:
        more = [f"... and {len(problems) - SHOWN} more problems like these"] if len(problems) > SHOWN else []
        raise InputError(problems[:SHOWN] + more)


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV in which no cell is a formula to a spreadsheet; `read_rows` gives them back as they were."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(guarded, header))
    # most cells need no look: this is asked of every one of a large release
    writer.writerows([guarded(cell) if isinstance(cell, str) and cell[:1] in STARTS else cell for cell in row] for row in rows)
    return out.getvalue()


def json_text(content: object) -> str:
    """Data as JSON for people to read, in the characters that it has."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


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


@dataclass(frozen=True, slots=True)
class TomlFile:
    """What a file says, and where it says it."""

    path: Path
    text: str
    content: dict[str, Any]

    def place(self, key: str, table: str = "") -> str:
        """File, row and key, for a message; without the row where it is written in an unusual way."""
        inside = ""
        for row, line in enumerate(self.text.splitlines(), start=1):
            if heading := re.fullmatch(r"\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?", line):
                inside = heading[1]
                if not key and inside == table:
                    return f"{self.path}, row {row}"
            if key and inside == table and re.match(rf"\s*{re.escape(key)}\s*=", line):
                return f"{self.path}, row {row}"
        return f"{self.path}, [{table}]" if table else str(self.path)


HEADED = re.compile(r"""\s*(\[\[?(?:"[^"\\\n]*"|'[^'\n]*'|[^]["'\n])+\]\]?)[ \t]+(?=["'A-Za-z0-9_-]+\s*=)""")
NEXT_KEY = re.compile(r"""[ \t]+(?=[A-Za-z0-9_-]+\s*=)""")


def _one_by_one(line: str) -> str:
    """A heading followed by keys on the same line, each on a line of its own; any other line as it is."""
    headed = HEADED.match(line)
    if headed is None:
        return line
    made, rest = [headed[1]], line[headed.end() :]
    while rest:
        # a key ends where what comes before the next one can be read by itself: a value in quotes may look like a key
        ends = [*(found.start() for found in NEXT_KEY.finditer(rest)), len(rest)]
        end = next((end for end in ends if _is_toml(rest[:end])), None)
        if end is None:
            return line
        made.append(rest[:end])
        rest = rest[end:].lstrip()
    return "\n".join(made)


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_toml(path: Path, example: str) -> TomlFile:
    """Read a settings file; `example` is a line or two of one, for whoever wrote something else.

    Messages show a heading and its keys on one line; such a line can be pasted as it is.
    """
    text = "\n".join(_one_by_one(line) for line in read_text(path).split("\n"))
    try:
        return TomlFile(path, text, tomllib.loads(text))
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be read; write it as in {example}") from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        lines, found = text.splitlines(), POSITION.search(str(error))
        if found is None:
            raise InputError(f"{path}: cannot be read ({error}); write it as in {example}") from None
        row = int(found[1] or len(lines))
        line = lines[row - 1].strip()
        if YAML.match(line):
            raise InputError(f"{path}, row {row}: {line!r} looks like YAML; write TOML, such as {example}") from None
        raise InputError(f"{path}, row {row}: not valid TOML ({POSITION.sub('', str(error))}); write it as in {example}") from None
