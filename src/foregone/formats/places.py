"""Where a published number stands in the file that a release was read from."""

from __future__ import annotations

from collections.abc import Callable

from foregone.formats.text import read_rows
from foregone.model.errors import ForegoneError
from foregone.model.release import Release


def places(release: Release) -> Callable[[int], str]:
    """For the number of a statement its file and row, ready to stand before what is said about it; empty when it is not known."""
    source = release.source
    if source is None:
        return lambda _: ""
    if not source.is_dir():
        return lambda i: f"{source}, number {i + 1}: "
    path = source / "statistics.csv"
    try:
        header, rows = read_rows(path)
    except (ForegoneError, OSError):  # changed since it was read
        return lambda _: f"{path}: "
    at = header.index("measure") if "measure" in header else -1
    plain = [line for line, values in rows if at < 0 or values[at] in ("", "count")]
    figures = [line for line, values in rows if at >= 0 and values[at] not in ("", "count")]

    def place(i: int) -> str:
        rows, at = (*plain, *figures), release.row_of(i)
        return f"{path}, row {rows[at]}: " if at is not None and at < len(rows) else f"{path}: "

    return place
