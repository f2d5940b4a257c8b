"""Census records of any kind: packed into whole numbers, read from files, published as tables.

`RecordKind` holds, as data, everything that differs between households and persons. The code that uses it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Ints
from foregone.census.tables import TableBook
from foregone.census.unit_files.rows import RowChecks
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.model.workload import Query, Workload

if TYPE_CHECKING:
    from foregone.engine import Uniqueness

UNTIED = "untied"
"""Of `--units`: records as a solver sees them that is told the tables and nothing else. Any code may stand beside any other, also
the 0 of vacant units, and tables about households do not say which units these are. The counts of a table then need not add up to
anything known."""

Bools = NDArray[np.bool_]
Told = Mapping[str, str | frozenset[str]]
"""What a claim says of a record: by column a code, or a group of them."""


@dataclass(frozen=True, slots=True)
class Packing:
    """A record as one whole number: column i has the bits from `bits` x i on, enough for any of its values.

    >>> four = Packing(4)
    >>> four.value_at(0x31, 0), four.value_at(0x31, 1), four.value_at(0x31, 2)
    (1, 3, 0)
    """

    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def values(self) -> int:
        """How many values a column can have."""
        return 1 << self.bits

    def shift(self, column: int) -> int:
        """Where the bits of a column begin."""
        return self.bits * column

    def value_at(self, packed: int, column: int) -> int:
        return packed >> self.shift(column) & self.mask

    def pack_sql(self, values: Iterable[str]) -> str:
        """One packed record, as SQL, from the SQL of its columns in order."""
        return " + ".join(f"(({value})::BIGINT << {self.shift(i)})" for i, value in enumerate(values))

    def unpack_sql(self, names: Sequence[str]) -> str:
        """The columns of a packed record called `code`, as SQL."""
        return ", ".join(f"CAST(code >> {self.shift(i)} & {self.mask} AS UTINYINT) AS {name}" for i, name in enumerate(names))

    def unpack(self, packed: Ints, columns: int) -> Ints:
        """Packed records as one row of values each."""
        return packed[:, None] >> (self.bits * np.arange(columns)) & self.mask


@dataclass(frozen=True, slots=True)
class Publisher:
    """The tables of one variant over some kind of record, made quickly for many blocks: conditions are looked up once in `member`,
    which says what packed value satisfies which query, and a block's counts are sums of a matrix."""

    workload: Workload
    packing: Packing
    member: Bools  # column, value, query
    position: Ints  # column, value: where the domain has its code
    tabulated: int  # the first so many queries are cells of tables; a last one gives the number of records where no table does

    @property
    def domain(self) -> Domain:
        return self.workload.domain

    @property
    def queries(self) -> tuple[Query, ...]:
        return self.workload.queries

    def counts(self, codes: Ints) -> Ints:
        """How many of some packed records satisfy each query."""
        return np.asarray(self._match(codes).sum(axis=0), dtype=np.int64)

    def counts_of_each(self, codes: Ints, starts: Ints) -> Ints:
        """The counts of many blocks at once, one row each; the records of block i begin at starts[i], and none is empty."""
        return np.add.reduceat(self._match(codes), starts, axis=0, dtype=np.int64)

    def _match(self, codes: Ints) -> Bools:
        rows = self.packing.unpack(codes, len(self.domain.columns))
        match = np.ones((len(rows), len(self.queries)), dtype=bool)
        for column, table in enumerate(self.member):
            match &= table[rows[:, column]]
        return match

    def release(self, codes: Ints, removed: Container[int] = ()) -> Release:
        """What is published about some records, without the queries whose value is `removed`.

        The number of records is always known, as it is to the paper's method.
        """
        release = self.workload.release(self.counts(codes).tolist())
        if not removed:
            return release
        kept = [statistic for statistic in release.statistics if statistic.low not in removed or not statistic.predicate.allowed]
        return Release(self.domain, kept, self.workload.rules)

    def positions(self, codes: Ints) -> Ints:
        """One row for each packed record: where the domain's columns have its codes."""
        columns = len(self.domain.columns)
        return np.asarray(self.position[np.arange(columns), self.packing.unpack(codes, columns)])

    def dataset(self, codes: Ints) -> Dataset:
        columns = self.domain.columns
        rows = self.positions(codes).tolist()
        return Dataset.of(self.domain, [tuple(c.codes[at] for c, at in zip(columns, row, strict=True)) for row in rows])


@dataclass(frozen=True, slots=True)
class FileLayout:
    """Columns that a published file has, by the names we use, and in which other spellings they occur."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    spellings: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How files with such records are read; `missing` ends the sentence about a file that lacks columns."""

    layouts: tuple[FileLayout, ...]
    checks: Callable[[Mapping[str, int]], RowChecks]  # from where each column is
    mark: str  # what an ingested file says it holds
    greatest: Mapping[str, int]  # the greatest number in each column of an ingested file; the least is 0
    regrouped: Mapping[str, str]  # SQL of what is packed of a column, where this is not the number in the file
    only: Mapping[str, str]  # SQL condition for which records are meant, by `--units`
    missing: str
    none: str  # what there is none of in a file without records


@dataclass(frozen=True, slots=True)
class SettledTract:
    """How each block of a tract came to be determined, and how many of its records are certain, alone and with the tract.

    `settled`: alone, bounded (by what other blocks leave of the tract), joint (all remaining blocks at once), open (it is not
    determined) or undecided. A record is certain when the number of records of that kind is the same in every dataset.
    """

    blocks: tuple[str, ...]
    records: tuple[int, ...]
    settled: tuple[str, ...]
    alone: tuple[int, ...]
    certain: tuple[int, ...]
    joint: tuple[int, int, int]  # blocks, kinds of record and published numbers that were asked about together

    @property
    def content(self) -> dict[str, Any]:
        return asdict(self)


def is_determined(settled: str) -> str:
    """Whether a block that was settled in this way is determined: true, false or undecided."""
    return {"open": "false", "undecided": "undecided"}.get(settled, "true")


@dataclass(frozen=True, slots=True)
class TractTables:
    """Tables that are published for tracts only, and bound every block of theirs from above."""

    cell: str  # SQL over an ingested file: in which of `shape`, flattened, a record counts
    shape: tuple[int, ...]
    unique: Callable[[Release, Ints, float], tuple[Uniqueness, Release]]  # of a block's tables and the counts of its tract
    statistics: Callable[[Dataset], list[Statistic]]  # the tables as sums over all blocks, for everybody in a tract
    settle: Callable[[Publisher, dict[str, Ints], float | None], SettledTract]  # of all blocks at once, by their packed records


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each
class RecordKind:
    """`records` tells what one record is called, by which of the records of a file are meant (`--units`)."""

    name: str  # as --subject says it
    counted: str  # several of them; also the column of a run with how many true records are singled out
    records: Mapping[str, str]
    meant: Mapping[str, str]  # the same choice in a few words
    packing: Packing
    numbered: bool  # codes are the packed values themselves, else these are the positions of codes in the domain
    book: TableBook
    domain: Callable[[str, str], Domain]  # by variant of the tables and which records
    rules: Callable[[str, str, bool], tuple[Predicate, ...]]  # by variant, which records, and whether edit rules are known
    sentence: Callable[[Told], str]
    file: FileFormat
    edited: bool  # are there edit rules?
    paper_variant: str  # the tables of the study
    paper_columns: int  # the study is about claims with at least so many columns
    tract: TractTables | None = None
    universe: tuple[str, ...] = ()  # columns that only say which records a table is about
    paper_readings: tuple[str, ...] = ()  # variants that could be what the paper did, where it does not say; studied side by side
    occupied: Callable[[Domain, Ints], Bools] = lambda _, codes: np.ones(len(codes), dtype=bool)  # which records the study is about

    @property
    def units(self) -> str:
        """Which records are meant when nothing else is said."""
        return next(iter(self.records))

    def texts(self, domain: Domain) -> tuple[tuple[str, ...], ...]:
        """For each column the code of every packed value; values that no record has are empty."""
        size = self.packing.values
        if self.numbered:
            return tuple(tuple(map(str, range(size))) for _ in domain.columns)
        return tuple((*column.codes, *[""] * (size - len(column.codes))) for column in domain.columns)
