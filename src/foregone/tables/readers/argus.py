"""Tables of tau-Argus: cells in a .tab, what their columns are in the .rda beside it, hierarchies in .hrc files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from foregone.formats.text import is_there, raise_all
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.csv_file import decoded, not_csv
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.table import CellPlace, Grid, Table, check_cells

TAG = re.compile(r'<([A-Z]+)>\s*(?:"([^"]*)"|([^\s<]+))?')
SAFE = ("S", "P", "Z", "E", "")  # P: protected and shown, E: empty; everything else is not shown


@dataclass(slots=True)
class Described:
    """A column of the .tab as the .rda describes it."""

    name: str
    tags: dict[str, str] = field(default_factory=dict)


def read_argus(path: Path) -> list[Grid | Table]:
    """The counts of a table; cells whose status is not safe are withheld, whatever number stands there."""
    about = path.with_suffix(".rda")
    if not is_there(about):
        raise InputError(f"{about}: there is no such file; tau-Argus describes the columns of {path.name} there, put it beside it")
    separator, columns = _described(about)
    explaining = [i for i, c in enumerate(columns) if "TOTCODE" in c.tags or "RECODEABLE" in c.tags or "RECODABLE" in c.tags]
    counted = next((i for tag in ("FREQUENCY", "NUMERIC") for i, c in enumerate(columns) if tag in c.tags), None)
    status = next((i for i, c in enumerate(columns) if "STATUS" in c.tags), None)
    if not explaining or counted is None:
        raise InputError(
            f"{about}: names no column with <TOTCODE> or none with <FREQUENCY>; give the .rda that belongs to {path.name}"
        )
    text, _ = decoded(path)
    observations, problems = [], []
    check_cells(str(path), sum(1 for line in text.splitlines() if line.strip()))
    for row, cells in _rows(path, text, separator):
        if not cells:
            continue
        if len(cells) < len(columns):
            problems.append(f"{path}, row {row}: {len(cells)} values, but {about.name} describes {len(columns)}; check <SEPARATOR>")
            continue
        codes = tuple(cells[i].strip() for i in explaining)
        said = "" if status is None else cells[status].strip().upper()
        shows = said in _safe(columns, status)
        number = cells[counted].strip()
        observations.append(Observation(codes, number if shows else "", CellPlace(str(path), row, counted + 1), not shows))
    raise_all(problems)
    dimensions = []
    for k, i in enumerate(explaining):
        column = columns[i]
        seen = dict.fromkeys(o.codes[k] for o in observations)
        total = column.tags.get("TOTCODE", "Total")
        groups = (
            _hierarchy(_beside(about, column.tags["HIERCODELIST"]), column.tags.get("HIERLEADSTRING") or "@")
            if "HIERCODELIST" in column.tags
            else ()
        )
        dimensions.append(Dimension(column.name, tuple(seen), totals=(total,) if total in seen else (), groups=groups))
    return [cube(path, "tau-Argus", dimensions, observations)]


def _rows(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=separator != " ")
    try:
        yield from enumerate(reader, start=1)
    except csv.Error as error:
        raise not_csv(path, reader.line_num, error) from None


def _beside(about: Path, name: str) -> Path:
    """A file that the .rda names stands beside it, wherever it was when the .rda was written."""
    return about.parent / (re.split(r"[\\/]", name)[-1] or name)


def _safe(columns: list[Described], status: int | None) -> tuple[str, ...]:
    tags = columns[status].tags if status is not None else {}
    return (*SAFE, *(tags[tag].upper() for tag in ("SAFE", "PROTECT") if tags.get(tag)))


def _described(path: Path) -> tuple[str, list[Described]]:
    text, _ = decoded(path)
    separator, columns = ",", []
    for row, line in enumerate(text.splitlines(), start=1):
        tags = [(name, quoted or plain or "") for name, quoted, plain in TAG.findall(line)]
        bare = line.split("<")[0].split()
        if tags and tags[0][0] == "SEPARATOR":
            separator = tags[0][1] or ","
            if len(separator) > 1 or separator == '"':
                raise InputError(f'{path}, row {row}: <SEPARATOR> is {shown(separator)}, expected one sign, such as ","')
        elif bare:
            columns.append(Described(bare[0].strip('"'), dict(tags)))
        elif tags and columns:
            columns[-1].tags |= dict(tags)
    if not columns:
        raise InputError(f"{path}: describes no columns; give the .rda of the table")
    return separator, columns


def _hierarchy(path: Path, lead: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The groups of an .hrc file: a line's depth is the number of lead signs before its code."""
    text, _ = decoded(path)
    parents: list[str] = []
    groups: dict[str, list[str]] = {}
    for row, line in enumerate(text.splitlines(), start=1):
        depth, start = 0, 0
        line = line.strip()
        while line.startswith(lead, start):
            depth, start = depth + 1, start + len(lead)
            while line.startswith(" ", start):
                start += 1
        code = line[start:].strip()
        if not code:
            continue
        if depth > len(parents):
            raise InputError(
                f"{path}, row {row}: {shown(code)} is {depth} levels deep, but the line above is not its parent; add it"
            )
        parents = [*parents[:depth], code]
        if depth:
            groups.setdefault(parents[depth - 1], []).append(code)
    return tuple((parent, tuple(parts)) for parent, parts in groups.items())
