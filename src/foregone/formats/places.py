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
        lines = [line for line, _ in read_rows(path)[1]]
    except (ForegoneError, OSError):  # changed since it was read
        lines = []
    if len(lines) != len(release.all_statements):
        return lambda _: f"{path}: "
    return lambda i: f"{path}, row {lines[i]}: "
