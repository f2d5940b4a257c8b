"""What published numbers must be: for each cell of a release the least and the greatest value that some dataset gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from foregone.model.claims_table import frame_of
from foregone.model.marks import range_text, ranges_between, ranges_words
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SHOWN = 20  # rows in a notebook's table
COLUMNS = ("name", "table", "published_low", "published_high", "low", "high", "known", "proved")
KINDS = {"name": "object", "table": "object", "known": "bool", "proved": "bool"}  # the others are numbers, or missing


@dataclass(frozen=True, slots=True)
class Interval:
    """A published cell and what it must be: `low` to `high` records (None: no upper limit), each reached by some dataset.

    Where that is not `proved`, no value outside is possible, but perhaps not every end is.
    """

    name: str
    table: str
    predicate: Predicate
    published_low: int
    published_high: int | None
    low: int
    high: int | None
    withheld: bool
    proved: bool
    truth: int | None = None
    mark: str = ""  # what is printed in its place
    gaps: tuple[tuple[int, int], ...] = ()  # counts that the mark cannot stand for

    @property
    def known(self) -> bool:
        """Is only one number possible?"""
        return self.low == self.high

    @property
    def hidden(self) -> bool:
        """Is it not shown, or published as a range?"""
        return self.withheld or bool(self.mark) or self.published_low != self.published_high

    @property
    def width(self) -> int | None:
        """How many values there are from the least to the greatest; None when there is no end of them."""
        return None if self.high is None else self.high - self.low + 1

    @property
    def label(self) -> str:
        """The name of the cell, or its condition where it has none."""
        return self.name or self.predicate.text() or "number of records"

    @property
    def published_text(self) -> str:
        """
        >>> Interval("cell", "", Predicate(), 0, None, 2, 3, withheld=True, proved=True).published_text
        'withheld'
        """
        if self.gaps:
            return f"published {ranges_words(ranges_between(self.published_low, self.published_high, self.gaps))}"
        if self.withheld and not self.published_low and self.published_high is None:
            return "withheld"
        return f"published {range_text(self.published_low, self.published_high)}"

    @property
    def certain_text(self) -> str:
        """What it must be; where that is not proved, it may be narrower."""
        return f"certainly {'' if self.proved else 'within '}{range_text(self.low, self.high)}"

    def __str__(self) -> str:
        return f"{self.label}: {self.published_text}, {self.certain_text}"


@dataclass(frozen=True)
class Intervals:
    """Iterate over it, or take `table`, a data frame; `reason` tells why some of it is not proved."""

    release: Release
    intervals: tuple[Interval, ...]
    reason: str = ""

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def __getitem__(self, name: str) -> Interval:
        """The cell with this name."""
        for interval in self.intervals:
            if interval.name == name:
                return interval
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"<Intervals of {self.release!r}\n{self.summary()}>"

    def _repr_html_(self) -> str:
        from html import escape

        table = str(self.table.head(SHOWN).to_html(index=False, na_rep=""))
        more = f"<p>{len(self) - SHOWN:,} more in <code>table</code>.</p>" if len(self) > SHOWN else ""
        return f"<p>{escape(self.summary())}</p>{table}{more}"

    @property
    def header(self) -> list[str]:
        """The names of the columns of `table`."""
        return [*COLUMNS, *(["truth"] if any(interval.truth is not None for interval in self) else [])]

    def rows(self) -> list[list[object]]:
        """One per cell, in the order of `header`."""
        header = self.header
        return [[getattr(interval, name) for name in header] for interval in self]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per cell; an upper limit that is none is missing."""
        return frame_of({name: KINDS.get(name, "Int64") for name in self.header}, self.rows())

    def to_arrow(self) -> pa.Table:
        """The intervals as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.table, preserve_index=False)

    def summary(self) -> str:
        """One sentence for people."""
        hidden = [interval for interval in self if interval.hidden]
        known = sum(interval.known for interval in hidden)
        open_ = sum(not interval.proved for interval in self)
        if not hidden:
            text = f"{len(self):,} published {plural('number', len(self))}, none of them withheld or given as a range."
        else:
            cells = f"Of {len(hidden):,} {plural('cell', len(hidden))} withheld or given as a range"
            text = f"{cells}, {known:,} {'is' if known == 1 else 'are'} exactly known."
        return f"{text} Undecided: {open_:,}{f' ({self.reason})' if open_ and self.reason else ''}."
