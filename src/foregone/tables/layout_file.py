"""layout.toml: how tables were read, written for a person to change and read back; and whether it names what is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from foregone.formats.text import read_toml, unknown_keys
from foregone.model.alike import folded
from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown
from foregone.tables.block_columns import Tokens
from foregone.tables.blocks import SheetBlock, Unread, find_blocks
from foregone.tables.layout import Layout
from foregone.tables.reading.one_way import Named, one_way_tables
from foregone.tables.reading.question import ReadingChoice
from foregone.tables.table import LAST_ROW, Grid, Table, number_of
from foregone.tables.words import same_name

LETTERS = 3  # of the name of a column
EXAMPLE = '[[table]] name = "t1" rows = ["Age group"]'
KEYS = ("rule", "record", "tokens", "table", "variables")
GRID_KEYS = ("header", "body", "labels", "numbers", "percents", "rows", "columns", "sections", "outside", "percent_within")
TABLE_KEYS = (
    *("name", "file", "sheet", "header", "body", "labels", "numbers", "percents", "rows", "columns"),
    *("totals", "groups", "where", "percent_within", "sections", "outside", "leave_out", "measure", "exclusive", "dates", "only"),
    *("unit", "fixed"),
)
VARIABLE_KEYS = ("name", "same", "different", "groups")
ROW_KEYS, COLUMN_KEYS = ("header", "body", "sections", "outside"), ("labels", "numbers", "percents")
NAMING_KEYS = ("totals", "groups", "percent_within", "exclusive", "dates", "only")  # what they name are variables
PLACES = ("header", "body", "labels", "numbers")
MOST_TABLES = 20  # that a layout file may add to a sheet


@dataclass(frozen=True, slots=True)
class GivenLayout:
    """What a layout file says; everything else is found from the files."""

    rule: str = ""
    record: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    only_named: bool = False  # tables that it does not name are left out

    def leaves_out(self, table: str) -> bool:
        return bool(self.tables.get(table, {}).get("leave_out")) or (self.only_named and table not in self.tables)


def read_layout(path: Path) -> GivenLayout:
    """Read a layout file; every problem names the file and what was found."""
    settings = read_toml(path, EXAMPLE)
    content = settings.content
    problems = unknown_keys(content, KEYS, str(path))
    tables: dict[str, Mapping[str, Any]] = {}
    listed_tables = content.get("table", [])
    if not isinstance(listed_tables, list):
        problems.append(f"{path}: 'table' is {shown(listed_tables)}; write [[table]] and its keys below")
        listed_tables = []
    for i, entry in enumerate(listed_tables, start=1):
        place = f"{path}, table {i}"
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            problems.append(f'{place}: has no name; write name = "t1", as in the layout that import wrote')
            continue
        place = f"{path}, table {entry['name']}"
        problems += unknown_keys(entry, TABLE_KEYS, place)
        tables[entry["name"]] = _added(tables.get(entry["name"], {}), _positions(entry, place, problems))
    variables = content.get("variables", {})
    if not isinstance(variables, dict):
        problems.append(f'{settings.place("variables")}: variables is {shown(variables)}; write [variables."Age"] and keys below')
        variables = {}
    for name, entry in variables.items():
        if isinstance(entry, dict):
            problems += unknown_keys(entry, VARIABLE_KEYS, f"{path}, variables.{name}")
            problems += _wrong(entry, f"{path}, variables.{name}", VARIABLE_CONTENT)
        else:
            problems.append(f'{path}, variables.{name}: {shown(entry)} was found; write [variables."{name}"] and keys below it')
    for key in ("rule", "record"):
        if not isinstance(content.get(key, ""), str):
            problems.append(f"{settings.place(key)}: {key} is {shown(content[key])}, expected text")
    tokens = content.get("tokens", {})
    if not isinstance(tokens, dict) or not all(isinstance(value, str) for value in tokens.values()):
        problems.append(f'{settings.place("tokens")}: expected a token and its counts a line, such as "*" = "1..4"')
    if problems:
        raise InputError(problems)
    return GivenLayout(content.get("rule", ""), content.get("record", ""), tokens, tables, variables)


def with_choice(given: GivenLayout, table: str, choice: ReadingChoice) -> GivenLayout:
    """What the layout file says once a question is answered."""
    if "rule" in choice.whole:
        return replace(given, rule=choice.whole["rule"])
    if "variables" in choice.whole:
        variables = dict(given.variables)
        for name, entry in choice.whole["variables"].items():
            variables[name] = {**variables.get(name, {}), **entry}
        return replace(given, variables=variables)
    problems: list[str] = []
    entry = _positions(choice.settings, f"table {table}", problems)
    assert not problems, problems
    return replace(given, tables={**given.tables, table: _added(given.tables.get(table, {}), entry)})


def _added(before: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of a table before, and what is said now; of a key that is there twice the last one stands."""
    made = {**before, **entry}
    for key in ("totals", "groups", "dates", "only"):  # about one variable after the other
        if isinstance(before.get(key), dict) and isinstance(entry.get(key), dict):
            made[key] = {**before[key], **entry[key]}
    if isinstance(before.get("exclusive"), list) and isinstance(entry.get("exclusive"), list):
        made["exclusive"] = [*before["exclusive"], *entry["exclusive"]]
    return made


def _wrong(entry: Mapping[str, Any], place: str, expected: Mapping[str, tuple[Callable[[Any], bool], str]]) -> list[str]:
    """What keys of an entry hold that they cannot, a line each."""
    wrong = [(key, what) for key, (fits, what) in expected.items() if key in entry and not fits(entry[key])]
    return [f"{place}, {key}: {shown(entry[key])} {what}" for key, what in wrong]


def _positions(entry: Mapping[str, Any], place: str, problems: list[str]) -> dict[str, Any]:
    """An entry of a table with row ranges and column letters as numbers."""
    made = dict(entry)
    made |= {key: _rows(entry[key], f"{place}, {key}", problems) for key in ROW_KEYS if key in entry}
    problems += _wrong(entry, place, TABLE_CONTENT)
    return made | {key: _columns(entry[key]) for key in COLUMN_KEYS if key in entry}


def _columns(value: Any) -> tuple[int, ...]:
    """Column letters as numbers; 0 for what are none."""
    names = value if isinstance(value, list) else [value]
    return tuple(number_of(name) if isinstance(name, str) and len(name) <= LETTERS else 0 for name in names)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _are_names(value: Any) -> bool:
    return _are_words(value) and all(value)


def _are_lists(value: Any) -> bool:
    """Variable -> labels."""
    return isinstance(value, dict) and all(map(_are_words, value.values()))


def _are_parts(value: Any) -> bool:
    """Label -> the labels that it is made of."""
    return _are_lists(value) and all(value.values())


def _are_groups(value: Any) -> bool:
    """Variable -> label -> the labels that it is made of."""
    return isinstance(value, dict) and all(map(_are_parts, value.values()))


def _are_times(value: Any) -> bool:
    """Variable -> new records each time, or the same ones again."""
    return isinstance(value, dict) and all(said in ("new", "again") for said in value.values())


# what the keys of a table and of a variable can hold, besides rows
IN_QUOTES, SOME_LETTERS = "was found; write a name in quotes", 'is not a list of column letters, such as ["B", "C"]'
SOME_NAMES = 'is not a list of names of variables, such as ["Age"]'
TABLE_CONTENT: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("file", "sheet", "measure"), (_is_text, IN_QUOTES)),
    **dict.fromkeys(COLUMN_KEYS, (lambda value: 0 not in _columns(value), SOME_LETTERS)),
    **dict.fromkeys(("rows", "columns", "percent_within", "exclusive"), (_are_names, SOME_NAMES)),
    "groups": (_are_groups, 'was found; write groups = {"Town" = {"North" = ["A", "B"]}}'),
    "leave_out": (lambda value: isinstance(value, bool), "was found; write true or false"),
    "fixed": (
        lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
        'was found; write fixed = {"Year" = "2021"}',
    ),
    "unit": (lambda value: type(value) is int and value > 0, "was found; write unit = 1000 where numbers are in thousands"),
    "totals": (_are_lists, 'was found; write totals = {"Age" = ["Total"]}'),
    "where": (_are_lists, 'was found; write where = {"Age" = ["Total"]}'),
    "only": (_are_parts, 'was found; write only = {"Outcome" = ["stroke"]}'),
    "dates": (_are_times, 'was found; write dates = {"Year" = "new"} or {"Year" = "again"}'),
}
VARIABLE_CONTENT: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("same", "different"), (_are_words, 'is not a list of names, such as ["Gender"]')),
    "groups": (_are_parts, 'was found; write "North" = ["A", "B"] a line'),
    "name": (_is_text, IN_QUOTES),
}


def _rows(value: Any, place: str, problems: list[str]) -> tuple[int, ...]:
    """`4-9, 11` as row numbers."""
    found: list[int] = []
    for part in str(value).split(",") if str(value).strip() else ():
        read = re.fullmatch(r"\s*([0-9]{1,7})(?:\s*-\s*([0-9]{1,7}))?\s*", part)
        if read is None:
            problems.append(f'{place}: {shown(value)} is not a list of rows, such as "4-9, 11"')
            return ()
        first, last = int(read[1]), int(read[2] or read[1])
        if not first <= last <= LAST_ROW or len(found) > LAST_ROW:
            problems.append(f'{place}: {shown(part.strip())} is not in a sheet of {LAST_ROW:,} rows; write rows such as "4-9, 11"')
            return ()
        found += range(first, last + 1)
    return tuple(found)


def misnamed(table: Table, given: Mapping[str, Any], layout: Layout | None = None, elsewhere: Collection[str] = ()) -> str:
    """What a layout file says about a table that does not fit it, in a line; `table` still has its totals among the labels.

    A total may also be a text `elsewhere` on the sheet: whoever takes a row out of a table need not change the rest.
    """
    place, labels = f"layout, table {table.name}", {axis.name: (*axis.labels, *axis.totals) for axis in (*table.axes, *table.fixed)}
    if "measure" in given and layout is not None and not layout.numbers:
        return f"{place}, measure: no column is headed {shown(given['measure'])}"
    for key in NAMING_KEYS:
        for name in given.get(key, ()):
            if name not in labels:
                return f"{place}, {key}: there is no variable {shown(name)} in it ({listed(labels)}){near(name, list(labels))}"
    words = [("totals", name, label) for name, some in given.get("totals", {}).items() for label in some]
    words += [
        ("groups", name, label)
        for name, groups in given.get("groups", {}).items()
        for group, parts in groups.items()
        for label in (group, *parts)
    ]
    for key, name, label in words:
        if label not in labels[name] and not (key == "totals" and label in elsewhere):
            return f"{place}, {key}: {shown(label)} is not a label of {name} ({listed(labels[name])}){near(label, labels[name])}"
    if layout is None:
        unused = next((key for key in GRID_KEYS if key in given), "")
        return f"{place}, {unused}: a {table.kind} file says this itself; remove the key" if unused else ""
    for key, names in (("rows", layout.rows), ("columns", tuple(name for _, name in layout.levels))):
        if key in given and len(given[key]) != len(names):
            return f"{place}, {key}: {len(given[key])} names for {len(names)} variables ({listed(names)}); name one each"
    return ""


def unknown_variables(given: Mapping[str, Mapping[str, Any]], tables: Iterable[Table]) -> list[str]:
    """Variables that the layout file describes and no table has, a line each."""
    known = list(dict.fromkeys(axis.name for table in tables for axis in table.axes))
    problems = []
    for name, entry in given.items():
        if not any(same_name(name, other) for other in known):
            problems.append(f"layout, variables: no table has a variable {shown(name)} ({listed(known)}){near(name, known)}")
        problems += [
            f"layout, variables.{name}, {key}: no table has a variable {shown(word)} ({listed(known)}){near(word, known)}"
            for key in ("same", "different")
            for word in entry.get(key, ())
            if not any(folded(word) == folded(other) for other in known)
        ]
    return problems


def blocks_of(grid: Grid, tokens: Tokens, given: GivenLayout, stem: str) -> tuple[list[Unread], list[Named]]:
    """What is no table, and the tables with what is known of each; the first is called `stem`, further ones `stem-2` and so on."""
    blocks = find_blocks(grid, tokens)
    whole = [block for block in blocks if isinstance(block, SheetBlock)]
    asked = given.tables.get(stem, {}) if len(whole) == 1 else {}
    if asked.get("numbers") and not whole[0].header:  # which column to take, of a list without headings: for all its tables
        whole = [replace(whole[0], numbers=asked["numbers"])]
    described = sum(1 for name in given.tables if name == stem or name.startswith(f"{stem}-"))
    # a layout file that import wrote describes all the tables of a list
    found = [one for block in whole for one in one_way_tables(block, {} if f"{stem}-2" in given.tables else asked)]
    for number in range(1, max(len(found), described, MOST_TABLES) + 1):
        name = stem if number == 1 else f"{stem}-{number}"
        settings = given.tables.get(name, {})
        if not any(key in settings for key in (*PLACES, "percents")):
            continue
        old, own = found[number - 1] if number <= len(found) else (None, {})
        if old is None and (missing := [key for key in PLACES if key not in settings]):
            raise InputError(
                f"layout, table {name}: no such table was found in {grid.source}; to describe it give {listed(missing)}, too"
            )
        header, body, labels, numbers = (settings[key] if key in settings else getattr(old, key) for key in PLACES)
        numbers = (*numbers, *(c for c in settings.get("percents", ()) if c not in numbers))
        _check(grid, name, header, body, labels, numbers)
        title, notes, dotted = ("", (), False) if old is None else (old.title, old.footnotes, old.dotted)
        inside = next((block.grid for block in whole if set(body) <= set(block.body)), grid)  # with headings put together
        made = SheetBlock(inside, header, body, labels, numbers, title, notes, dotted)
        found[number - 1 : number] = [(made, own)]
    read = {row for block, _ in found for row in block.body}  # the layout file may describe what was not found
    return [some for some in blocks if isinstance(some, Unread) and not read & set(range(some.first, some.last + 1))], found


def _check(
    grid: Grid, name: str, header: tuple[int, ...], body: tuple[int, ...], labels: tuple[int, ...], numbers: tuple[int, ...]
) -> None:
    for key, places in zip(PLACES, (header, body, labels, numbers), strict=True):
        if not places and key != "header":  # a list may have no headings
            raise InputError(f"layout, table {name}, {key}: nothing is named; name a {'row' if key in PLACES[:2] else 'column'}")
    if max(*header, *body) > len(grid.rows) or max(*labels, *numbers) > grid.width or min(*header, *body) < 1:
        raise InputError(
            f"layout, table {name}: {grid.source} has {len(grid.rows)} rows and {grid.width} columns; correct the layout"
        )
    for one, other, both in (("header", "body", set(header) & set(body)), ("labels", "numbers", set(labels) & set(numbers))):
        if both:
            what = "row" if one == "header" else "column"
            raise InputError(f"layout, table {name}: a {what} cannot be in {one} and in {other}; correct the layout")
