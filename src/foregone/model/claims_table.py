"""Claims as rows and as a data frame, in one order and one layout for every engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from foregone.model.domain import Domain

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[tuple[str | None, ...], int, int, str]  # value per column, count, columns, ground or status


def in_order(domain: Domain, rows: Iterable[Row]) -> list[Row]:
    """Singled-out records first, fullest statements first, then in the order of the domain's codes."""

    def order(row: Row) -> tuple[object, ...]:
        values = tuple(-1 if v is None else c.index[v] for c, v in zip(domain.columns, row[0], strict=True))
        return row[1], -row[2], values

    return sorted(rows, key=order)


def as_frame(domain: Domain, rows: list[Row]) -> pd.DataFrame:
    """A column per domain column, then count, columns and ground."""
    import pandas as pd

    names = domain.names
    values = [list(column) for column in zip(*(row[0] for row in rows), strict=True)] or [[] for _ in names]
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in zip(names, values, strict=True)})
    counts = [row[1] for row in rows]
    frame["count"] = pd.Series(counts, dtype="int64" if max(counts, default=0) < 1 << 63 else object)
    frame["columns"] = pd.Series([row[2] for row in rows], dtype="int64")
    frame["ground"] = pd.Series([row[3] for row in rows], dtype=object)
    return frame
