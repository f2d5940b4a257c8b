"""The files of a release as plain data: a folder, or one .json file. Nothing else of Foregone reads them for the checker."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from os.path import isdir, isfile, lexists
from pathlib import Path
from typing import Any

from foregone.checker.read.refusal import Refused, at
from foregone.checker.read.values import count_range, is_figure, keyed

LARGEST_FILE = 1 << 26  # bytes; as data in memory it is some thirty times as large
GUARDED = re.compile(r"'+[=+\-@\t\r]")  # one apostrophe too many, which keeps spreadsheets from running the cell as a formula
SIGNED = re.compile(r"'*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")  # numbers are harmless and have none
MOST_ENTRIES = 3_000_000  # statistics, or rules
DOMAIN = ("labels", "record", "numbers", "groups", "marks")  # what may be said of columns besides their codes
WORDS = ("name", "table", "count", "low", "high")  # columns of statistics.csv that are no columns of the domain
FURTHER = ("measure", "of", "value", "status", "mark")  # the same, unless the domain has them


def read_content(path: Path) -> Any:
    """A release folder, or a release in one .json file, as it is in a .json release; nothing is known of it yet."""
    with at(path):
        if path.suffix == ".parquet":
            raise Refused("the checker reads folders and .json only; in Python, Release.read(...).write('folder') converts it")
        if path.suffix == ".json" and not isdir(path):
            return read_json(path, whole=True)
        if not isdir(path):
            raise Refused("there is no such folder or .json file; a release is a folder with domain.json and statistics.csv")
        content = read_json(path / "domain.json", whole=True)
        domain = keyed(content, ("columns",), DOMAIN)
        if not isinstance(domain["columns"], dict):
            raise Refused('domain.json: expected {"columns": {"SEX": ["F", "M"], ...}}')
        rules = path / "rules.csv"
        given = _table(rules, domain["columns"], ("name",)) if lexists(rules) else []  # a link that leads nowhere is an error
        further = tuple(word for word in FURTHER if word not in domain["columns"])
        statistics = _table(path / "statistics.csv", domain["columns"], (*WORDS, *further))
        return {**domain, "statistics": statistics, "rules": [entry["where"] for entry in given]}


def _table(path: Path, columns: dict[str, Any], words: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows of a CSV file as entries of a release: blank means any value, `7|8` either of two."""
    reader, entries = csv.reader(io.StringIO(read_text(path), newline=""), strict=True), list[dict[str, Any]]()
    try:
        header = [cell(name) for name in next(reader, [])]
        if len(set(header)) < len(header) or not set(header) <= {*columns, *words}:
            raise Refused(f"{path.name}, row 1: expected columns of the domain and {', '.join(words)}, each once")
        for values in reader:
            row = {name: cell(value) for name, value in zip(header, values, strict=False) if value.strip()}
            if values and len(values) != len(header):
                raise Refused(f"{path.name}, row {reader.line_num}: expected {len(header)} values")
            where = {name: [code.strip() for code in value.split("|")] for name, value in row.items() if name in columns}
            said = {name: value for name, value in row.items() if name in words and name not in columns}
            if len(entries) > MOST_ENTRIES:
                raise Refused(f"{path.name}: more than {MOST_ENTRIES:,} rows, too many for this checker")
            if values:
                with at(f"{path.name}, row {reader.line_num}"):
                    entries.append({"where": where, **(said if is_figure(said) else _counted(said))})
    except csv.Error as error:
        raise Refused(f"{path.name}, row {reader.line_num}: not valid CSV ({error})") from None
    return entries


def _counted(said: dict[str, str]) -> dict[str, Any]:
    """The cells of a count: `count` as it is printed, `low` and `high` whole numbers."""
    ends = {end: count_range(said[end]) for end in ("low", "high") if end in said}
    if any(low != high for low, high in ends.values()):
        raise Refused("expected whole numbers from 0 up in low and high")
    count = count_range(said["count"]) if "count" in said else (0, None)
    plain = {"count": count[0]} if count[0] == count[1] else {}
    return {**said, **{end: low for end, (low, _) in ends.items()}, **plain}


def cell(text: str) -> str:
    """A cell as it was before it was made safe for spreadsheets."""
    text = text.strip()
    return text[1:] if GUARDED.match(text) and not SIGNED.fullmatch(text) else text


def read_text(path: Path) -> str:
    """A file of bounded size as text."""
    with at(path.name):
        if not isfile(path):
            raise Refused("there is no such file; check the path")
        try:
            with path.open("rb") as file:
                raw = file.read(LARGEST_FILE + 1)
            if len(raw) > LARGEST_FILE:
                raise Refused(f"larger than {LARGEST_FILE:,} bytes, more than this checker reads")
            return raw.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"cannot be read ({error})") from None


def read_json(path: Path, whole: bool = False) -> Any:
    """JSON in which no name is given twice in one object, and numbers with decimals are what they look like.

    `whole`: there are none, as in a release, where 0.50 and 0.5 say different things about rounding and are written as texts.
    """

    def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise Refused(f"{path.name}: a name is given twice in one object; keep one")
        return dict(pairs)

    def as_printed(digits: str) -> float:
        value = float(digits)
        if whole or "e" in digits.lower() or Fraction(digits) != Fraction(str(value)):  # decimals would be made up, or lost
            raise Refused(f"{path.name}: the number {digits[:40]} is not read as it is printed; write it as a text")
        return value

    def constant(word: str) -> float:
        raise Refused(f"{path.name}: {word} is not a number of JSON; leave it out")

    try:
        return json.loads(read_text(path), object_pairs_hook=unrepeated, parse_float=as_printed, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path.name}: not JSON as it was expected ({error})") from None
