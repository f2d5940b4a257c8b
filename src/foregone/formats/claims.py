"""Claims and intervals as files: .csv, .parquet or .json, whichever the name asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from foregone.formats.extras import parquet_module
from foregone.formats.outputs import write_file, write_text
from foregone.formats.text import csv_text, json_text
from foregone.model.claims_table import COLUMNS, KINDS, ClaimRow
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.shown import shown

GUESSES = ("chance", "guess", "modal")  # columns for what guessers get
SURVIVES = "survives"  # and for whether a claim survives the deletion of a record
Beside = Mapping[str, Sequence[object]]
"""Further columns of a claims file, by their names."""


def check_suffix(path: Path) -> None:
    """Refuse a name whose ending does not say how to write it, before any work is done."""
    if path.suffix not in (".csv", ".parquet", ".json"):
        raise InputError(f"{path}: the ending {shown(path.suffix)} does not name a format; use .csv, .parquet or .json")
    if path.suffix == ".parquet":
        parquet_module()


def write_claims(path: Path, domain: Domain, rows: list[ClaimRow], last: str = "ground", beside: Beside | None = None) -> None:
    """A column per domain column (blank = not part of the claim, `18-24|25-34` = a group), then count, columns, ground (or
    status), exact, published, printed and attributes; then columns that are given: what guessers get, whether a claim survives."""
    header = [*domain.names, *_titles(last, beside)]
    cells = [[*row.values, *row.rest, *more] for row, more in zip(rows, _further(rows, beside), strict=True)]

    def table() -> Any:
        import pyarrow as pa

        arrow = {"int64": pa.int64(), "object": pa.string(), "bool": pa.bool_()}
        kinds = [pa.string()] * len(domain.names) + [arrow[KINDS[name]] for name in COLUMNS]
        kinds += [pa.bool_() if name in ("modal", SURVIVES) else pa.float64() for name in beside or ()]
        flat = list(zip(*cells, strict=True)) or [()] * len(header)
        return pa.table([pa.array(column, kind) for column, kind in zip(flat, kinds, strict=True)], names=header)

    _write(path, header, cells, claim_entries(domain, rows, last, beside), table)


def claim_entries(
    domain: Domain, rows: list[ClaimRow], last: str = "ground", beside: Beside | None = None
) -> list[dict[str, object]]:
    """Claims as JSON has them: `where` with the columns that are named, and the other columns of a claims file."""
    titles, made = _titles(last, beside), list[dict[str, object]]()
    for row, more in zip(rows, _further(rows, beside), strict=True):
        where = {name: value for name, value in zip(domain.names, row.values, strict=True) if value is not None}
        made.append({"where": where, **dict(zip(titles, [*row.rest, *more], strict=True))})
    return made


def _titles(last: str, beside: Beside | None) -> list[str]:
    return [*(last if name == "ground" else name for name in COLUMNS), *(beside or ())]


def _further(rows: Sequence[ClaimRow], beside: Beside | None) -> list[tuple[object, ...]]:
    return list(zip(*beside.values(), strict=True)) if beside and rows else [()] * len(rows)


class Tabular(Protocol):
    """An answer that is a table: intervals, shares of claims, people in a register."""

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        ...

    def rows(self) -> Sequence[Sequence[object]]:
        """One for each line of a file, in the order of the header."""
        ...

    def to_arrow(self) -> Any:
        """The table of Arrow."""
        ...


def write_answer(path: Path, found: Tabular) -> None:
    """An answer as a file: its rows under its header."""
    rows = found.rows()
    _write(path, found.header, rows, (dict(zip(found.header, row, strict=True)) for row in rows), found.to_arrow)


def _write(
    path: Path,
    header: list[str],
    rows: Iterable[Sequence[object]],
    entries: Iterable[dict[str, object]],
    table: Callable[[], Any],
) -> None:
    """Write what the ending of the name asks for: rows as CSV, entries as JSON, or a table of Arrow as Parquet."""
    if path.suffix == ".csv":
        write_text(path, csv_text(header, (map(_cell, row) for row in rows)))
    elif path.suffix == ".json":
        write_text(path, json_text(list(entries)))
    else:
        parquet, made = parquet_module(), table()
        write_file(path, lambda draft: parquet.write_table(made, draft))


def _cell(value: object) -> object:
    """A value as CSV says it: nothing where there is none, true and false in small letters."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
