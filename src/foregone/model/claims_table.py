"""Claims as rows and as a data frame, in one order and one layout for every engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate

if TYPE_CHECKING:
    import pandas as pd

BETWEEN = "|"  # the codes of a group


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim as files hold it: a value, a group of values or nothing per column, and what is known of it.

    `exact` is the number of named columns with a single code; `published`, whether a form of it is itself a published number.
    """

    values: tuple[str | None, ...]
    count: int
    columns: int
    ground: str  # or a status
    exact: int
    published: bool

    @property
    def rest(self) -> tuple[int, int, str, int, bool]:
        """What files hold after the values, in the order of `COLUMNS`."""
        return self.count, self.columns, self.ground, self.exact, self.published


COLUMNS = ("count", "columns", "ground", "exact", "published")  # of claims files, after those of the domain


def values_of(domain: Domain, predicate: Predicate) -> tuple[str | None, ...]:
    """What a claim allows in each column: a code, several codes in the domain's order with `|` between them, or nothing."""
    allowed = dict(predicate.allowed)
    sets = [(column, allowed.get(column.name, ())) for column in domain.columns]
    return tuple(  # nearly all are single codes
        None if not codes else next(iter(codes)) if len(codes) == 1 else BETWEEN.join(column.ordered(codes))
        for column, codes in sets
    )


def codes_of(value: str) -> tuple[str, ...]:
    """The codes that a cell of a claims file allows."""
    return tuple(value.split(BETWEEN))


def in_order(domain: Domain, rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    """Singled-out records first, fullest forms first, then in the order of the domain's codes."""
    columns = domain.columns

    def order(row: ClaimRow) -> tuple[object, ...]:
        values = zip(columns, row.values, strict=True)
        return row.count, -row.columns, [() if v is None else tuple(map(c.index.__getitem__, codes_of(v))) for c, v in values]

    return sorted(rows, key=order)


def as_frame(domain: Domain, rows: list[ClaimRow]) -> pd.DataFrame:
    """A column per domain column, then count, columns, ground, exact and published."""
    import pandas as pd

    names = domain.names
    values = [list(column) for column in zip(*(row.values for row in rows), strict=True)] or [[] for _ in names]
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in zip(names, values, strict=True)})
    counts = [row.count for row in rows]
    frame["count"] = pd.Series(counts, dtype="int64" if max(counts, default=0) < 1 << 63 else object)
    frame["columns"] = pd.Series([row.columns for row in rows], dtype="int64")
    frame["ground"] = pd.Series([row.ground for row in rows], dtype=object)
    frame["exact"] = pd.Series([row.exact for row in rows], dtype="int64")
    frame["published"] = pd.Series([row.published for row in rows], dtype=bool)
    return frame
