"""layout.toml as it is written: how tables were read, or what is still to be said about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foregone.tables.layout import Layout
from foregone.tables.layout_file import COLUMN_KEYS, MOST_TABLES, ROW_KEYS, GivenLayout
from foregone.tables.reading.question import TableQuestion
from foregone.tables.reading.sentences import choice_lines, choice_text, toml_value
from foregone.tables.table import Table, letters, rows_text

HEAD = """\
# How `foregone import` read the tables. Change what is wrong and give the file back:
#     foregone import FILE... --out RELEASE --layout layout.toml
# Rows and columns are named as a spreadsheet shows them. A key that you remove is found again from the file.
"""
OPEN_HEAD = """\
# How `foregone import` reads the tables so far. Remove the # before the answer that is right, and give the file back:
#     foregone import FILE... --out RELEASE --layout THIS_FILE
"""


def layout_text(layouts: list[Layout | Table], given: GivenLayout, record: str, tokens: Mapping[str, str]) -> str:
    """The layout file of tables that were read."""
    lines = [HEAD]
    if given.rule:
        lines.append(f"rule = {_quoted(given.rule)}")
    if record != "record":
        lines.append(f"record = {_quoted(record)}")
    if tokens:
        lines += ["", "[tokens]", *(f"{_quoted(token)} = {_quoted(counts)}" for token, counts in tokens.items())]
    for made in layouts:
        lines += ["", "[[table]]", f"name = {_quoted(made.name)}", f"file = {_quoted(Path(made.file).name)}"]
        if made.sheet:
            lines.append(f"sheet = {_quoted(made.sheet)}")
        lines += _grid_lines(made) if isinstance(made, Layout) else []
        totals = made.totals if isinstance(made, Layout) else [(axis.name, axis.totals) for axis in made.axes]
        names = [axis.name for axis in made.axes] if isinstance(made, Table) else made.variables
        known = dict(totals)
        lines.append(f"totals = {_table({name: list(known.get(name, ())) for name in names})}")
        said = given.tables.get(made.name, {}) if isinstance(made, Table) else {}  # of a sheet, rows and columns say it
        lines += [f"{key} = {toml_value(said[key])}" for key in ("measure", "only", "exclusive", "groups") if key in said]
        lines += [f"measure = {_quoted(made.measure)}"] if isinstance(made, Layout) and made.measure else []
        lines += [f"unit = {made.unit}   # numbers are given in units of so many"] if made.unit > 1 else []
        lines += [f"exclusive = {_list_text(made.exclusive)}"] if isinstance(made, Layout) and made.exclusive else []
        if made.dates:
            times = ", ".join(f"{_quoted(name)} = {_quoted(time)}" for name, time in made.dates)
            lines.append(f"dates = {{{times}}}   # new records each time, or the same ones again")
        if isinstance(made, Layout) and made.fixed:
            lines.append(f"fixed = {toml_value(dict(made.fixed))}   # every number of the table is about these records only")
        if isinstance(made, Layout) and made.groups:
            told = [f"{_quoted(name)} = {_table({label: list(parts) for label, parts in some})}" for name, some in made.groups]
            lines.append(f"groups = {{{', '.join(told)}}}   # labels that are several others together")
        if isinstance(made, Layout) and made.within is not None:
            lines.append(
                f"percent_within = {_list_text(made.within)}   # each percentage is of those who have the same values of these"
            )
        if made.where:
            lines.append(f"where = {_table({name: list(codes) for name, codes in made.where})}")
        lines += [f"# {some if isinstance(some, str) else some.text}" for some in made.left_out]
    for name, entry in given.variables.items():
        lines += ["", f"[variables.{_quoted(name)}]"]
        lines += [f"name = {_quoted(entry['name'])}"] if "name" in entry else []
        lines += [f"{key} = {_list_text(entry[key])}" for key in ("same", "different") if key in entry]
        if "groups" in entry:
            lines.append(f"groups = {_table({label: list(parts) for label, parts in entry['groups'].items()})}")
    return "\n".join(lines) + "\n"


def open_layout(names: Sequence[tuple[str, str, str]], given: GivenLayout, asked: Sequence[TableQuestion]) -> str:
    """The layout file of tables that could not be read yet: what was given, and a line for each answer to each question."""
    lines = [OPEN_HEAD]
    lines += [f"rule = {_quoted(given.rule)}"] if given.rule else []
    lines += [f"record = {_quoted(given.record)}"] if given.record else []
    for question in asked:
        lines += _choices(question) if question.choices[0].whole.get("rule") else []
    if given.tokens:
        lines += ["", "[tokens]", *(f"{_quoted(token)} = {_quoted(counts)}" for token, counts in given.tokens.items())]
    for name, file, sheet in dict.fromkeys(names):
        about = [question for question in asked if question.table == name and not question.choices[0].whole]
        if len(names) > MOST_TABLES and not about and name not in given.tables:
            continue
        lines += ["", "[[table]]", f"name = {_quoted(name)}", f"file = {_quoted(Path(file).name)}"]
        lines += [f"sheet = {_quoted(sheet)}"] if sheet else []
        for key, value in given.tables.get(name, {}).items():
            if key not in ("name", "file", "sheet"):
                lines.append(f"{key} = {toml_value(_written(key, value))}")
        for question in about:
            lines += _choices(question)
    for name, entry in given.variables.items():
        lines += ["", f"[variables.{_quoted(name)}]", *(f"{key} = {toml_value(value)}" for key, value in entry.items())]
    for question in asked:
        lines += _choices(question) if "variables" in question.choices[0].whole else []
    return "\n".join(lines) + "\n"


def _choices(question: TableQuestion) -> list[str]:
    """A question and its answers as comments, of which one is to be made a line."""
    lines = ["", f"# Question: {question.place or 'all numbers'}"]
    for choice in question.choices:
        lines += [f"#   {choice_text(choice)}:", *(f"#{line}" for line in choice_lines(choice))]
    return lines


def _written(key: str, value: Any) -> Any:
    """A value of a table's key as the file has it: rows and columns by their names."""
    if key in ROW_KEYS:
        return rows_text(value)
    return [letters(c) for c in value] if key in COLUMN_KEYS else value


def _grid_lines(layout: Layout) -> list[str]:
    lines = [f"header = {_quoted(rows_text(layout.header))}", f"body = {_quoted(rows_text(layout.body))}"]
    for key, columns in (("labels", layout.labels), ("numbers", layout.numbers), ("percents", layout.percents)):
        if columns or key != "percents":
            lines.append(f"{key} = {_list_text([letters(c) for c in columns])}")
    if layout.sections:
        lines.append(f"sections = {_quoted(rows_text(layout.sections))}   # rows whose label holds for the rows below")
    if layout.sections or layout.outside:
        lines.append(f"outside = {_quoted(rows_text(layout.outside))}   # rows that belong to no section")
    for key, names in (("rows", layout.rows), ("columns", tuple(name for _, name in layout.levels))):
        unnamed = [name for name in names if name in layout.unnamed]
        what = ("this variable" if len(names) == 1 else "these variables") if unnamed == list(names) else " and ".join(unnamed)
        lines.append(f"{key} = {_list_text(names)}" + (f"   # the file does not name {what}" if unnamed else ""))
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list_text(words: Any) -> str:
    return f"[{', '.join(map(_quoted, words))}]"


def _table(entries: Mapping[str, list[str]]) -> str:
    return f"{{{', '.join(f'{_quoted(key)} = {_list_text(words)}' for key, words in entries.items())}}}"
