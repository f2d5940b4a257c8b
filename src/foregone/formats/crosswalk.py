"""Crosswalk files: which new areas an old one lies in, for releases whose boundaries changed."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import raise_all, read_rows

HEADER = ("column", "old", "new")


def read_crosswalk(path: Path) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Column -> old code and the new codes it lies in; a row `TOWN,Old Town,North|South`."""
    header, rows = read_rows(path)
    missing = [name for name in HEADER if name not in header]
    raise_all([f"{path}, row 1: column {name} is missing; a crosswalk has the columns column, old and new" for name in missing])
    problems: list[str] = []
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line, values in rows:
        column, old, new = (values[header.index(name)] for name in HEADER)
        codes = tuple(code.strip() for code in new.split("|"))
        if not column or not old or not all(codes):
            problems.append(f"{path}, row {line}: a cell is blank; fill in column, old and new, such as TOWN,Old Town,North|South")
        elif old in dict(found.get(column, ())):
            problems.append(f"{path}, row {line}, column old: {old!r} is there already; name all its new values in one row")
        else:
            found.setdefault(column, []).append((old, codes))
    raise_all(problems)
    return found
