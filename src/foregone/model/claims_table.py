"""Claims as rows and as a data frame, in one order and one layout for every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate

if TYPE_CHECKING:
    import pandas as pd

BETWEEN = "|"  # the codes of a group


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim as files hold it: a value, a group of values or nothing per column, and what is known of it.

    `exact` is the number of named columns with a single code; `published`, whether a form of it is itself a published number;
    `printed`, how much of it such a number says; `attributes`, how many of its values or groups tell something.
    """

    values: tuple[str | None, ...]
    count: int
    columns: int
    ground: str  # or a status
    exact: int
    published: bool
    printed: str  # yes, partly or no
    attributes: int

    @property
    def rest(self) -> tuple[int, int, str, int, bool, str, int]:
        """What files hold after the values, in the order of `COLUMNS`."""
        return self.count, self.columns, self.ground, self.exact, self.published, self.printed, self.attributes


# of claims files, after those of the domain, and what pandas holds them as
KINDS = {
    **{"count": "int64", "columns": "int64", "ground": "object", "exact": "int64"},
    **{"published": "bool", "printed": "object", "attributes": "int64"},
}
COLUMNS = tuple(KINDS)


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
    """A column per domain column, then those of `COLUMNS`."""
    return frame_of({**dict.fromkeys(domain.names, "object"), **KINDS}, ((*row.values, *row.rest) for row in rows))


def frame_of(kinds: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Rows as a data frame with columns of these kinds; numbers that 64 bits cannot hold stay Python's own."""
    import pandas as pd

    def series(kind: str, values: Sequence[Any]) -> pd.Series[Any]:
        whole = kind in ("int64", "Int64")
        large = whole and max((value for value in values if value is not None), default=0) >= 1 << 63
        return pd.Series(list(values), dtype="object" if large else kind)

    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return pd.DataFrame({name: series(kind, values) for (name, kind), values in zip(kinds.items(), columns, strict=True)})
