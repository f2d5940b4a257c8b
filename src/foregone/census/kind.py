"""A kind of census record, as data: everything that differs between households and persons. The code that uses it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from foregone.census.packing import Ints, Packing
from foregone.census.publisher import Publisher
from foregone.census.table_book import TableBook
from foregone.engine import Uniqueness
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic


@dataclass(frozen=True, slots=True)
class FileLayout:
    """Columns that a published file has, by the names we use, and in which other spellings they occur."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    spellings: Mapping[str, str] | None = None


class RowChecks(Protocol):
    """What a row must look like, as SQL over the trimmed text fields of a row, named as in the layout."""

    header: str  # a column of the file; the row that has its own name there is the header

    def fields(self, rows: str, extra: str = "") -> str:
        """The fields that are used, beside their values as numbers."""

    def staged(self, rows: str) -> str:
        """For each row `kind` (BAD, or a number from 0 on), `synthetic`, and, where it is kept, `geo` and `code`."""

    def problem(self, width: int) -> str:
        """What is wrong with a row, in words, or NULL."""

    @property
    def written(self) -> str:
        """What is kept of a staged row: a list of SQL expressions with names."""

    @property
    def kept(self) -> tuple[int, ...]:
        """The kinds of rows that are kept; there must be some of the first."""


BAD = -1
"""The kind of a row that breaks the rules of its file."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How files with such records are read; `missing` ends the sentence about a file that lacks columns."""

    layouts: tuple[FileLayout, ...]
    checks: Callable[[Mapping[str, int]], RowChecks]  # from where each column is
    mark: str  # what an ingested file says it holds
    packed: Callable[[tuple[str, ...]], tuple[str, str]]  # from names of columns: SQL of the packed record, and whether it is one
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

    def answer(self, index: int) -> str:
        return {"open": "false", "undecided": "undecided"}.get(self.settled[index], "true")

    @property
    def content(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TractTables:
    """Tables that are published for tracts only, and bound every block of theirs from above."""

    cell: str  # SQL over an ingested file: in which of `shape`, flattened, a record counts
    shape: tuple[int, ...]
    unique: Callable[[Release, Ints, float], tuple[Uniqueness, Release]]  # of a block's tables and the counts of its tract
    statistics: Callable[[Dataset], list[Statistic]]  # the tables as sums over all blocks, for everybody in a tract
    settle: Callable[[Publisher, dict[str, Ints], float | None], SettledTract]  # of all blocks at once, by their packed records


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each
class Kind:
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
    sentence: Callable[[Mapping[str, str | frozenset[str]]], str]
    file: FileFormat
    edited: bool  # are there edit rules?
    paper_variant: str  # the tables of the study
    paper_columns: int  # the study is about claims with at least so many columns
    tract: TractTables | None = None

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
