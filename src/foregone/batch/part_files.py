"""A part of a run on its way: the job, the three Parquet files that come out of it, and which columns these have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from foregone.batch.source import CLAIMS, DETERMINED, PartContent, RunQuestions
from foregone.model.claims_table import COLUMNS

if TYPE_CHECKING:
    from foregone.batch.guessing import GuessTables

# the names of files and columns are what users are promised
PART_FILES = ("facts", "failures", "summary")  # in the order they are written: a part is done when its summary is there
ATTRIBUTES = "attributes"  # the column with how many values or groups a fact tells that are worth telling
REGION = "state"  # the column with the region of a release
LOOP = "loop"  # the column with the audit loop that did a release: native or pure, and why where that was not chosen
TOTALS = ("releases", "records", "verified", "singletons", "facts", "undecided", "failures")


class FalseClaimError(AssertionError):
    """A claim held to be certain is false in the true records: a bug, and a reason to stop everything."""


@dataclass(frozen=True, slots=True)
class PartJob:
    """A part and what its releases say. `index` is set when a release of it is done on its own."""

    part: str
    region: str
    content: PartContent
    time_limit: float | None = None
    asked: RunQuestions = CLAIMS
    cost: float = 0.0
    index: int | None = None
    guessing: GuessTables | None = None  # what guessers would get of each fact is told, too

    def __len__(self) -> int:
        return len(self.content.ids)

    def single(self, index: int) -> PartJob:
        return replace(self, content=self.content.single(index), index=index)


@dataclass(frozen=True, slots=True)
class PartResult:
    """A finished part: three Parquet files as bytes, and what to add to the totals."""

    facts: bytes
    failures: bytes
    summary: bytes
    totals: dict[str, int]


def packed_part(made: Mapping[str, Any]) -> PartResult:
    packed = {kind: _parquet_bytes(table) for kind, table in made.items()}
    return PartResult(**packed, totals=part_totals(made["summary"], made["failures"]))


def merged(singles: Sequence[PartResult]) -> PartResult:
    """Releases that were done one by one, put together as if they had been done at once."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    return packed_part(
        {kind: pa.concat_tables([parquet.read_table(BytesIO(getattr(done, kind))) for done in singles]) for kind in PART_FILES}
    )


def by_columns(counted: str) -> list[str]:
    """What the summary counts by number of columns; `counted` is empty where the true records are not known."""
    return ["verified", "singletons", *([counted, f"{counted}_told", f"{counted}_exact"] if counted else [])]


def schema(kind: str, names: Sequence[str], counted: str, asked: RunQuestions = CLAIMS) -> Any:
    """The columns of a file: facts, failures or summary."""
    import pyarrow as pa

    if kind == "failures":
        return pa.schema([(name, pa.string()) for name in ("release", REGION, "reason")])
    if kind == "facts":
        others = {name: pa.int64() for name in ("count", "columns", "exact", ATTRIBUTES)} | {"published": pa.bool_()}
        last = [(name, others.get(name, pa.string())) for name in COLUMNS]
        return pa.schema([*((name, pa.string()) for name in ("release", REGION, *names)), *last])
    texts, shares = ("release", REGION, "unique", "detail", LOOP), ("seconds", "variability", "low", "high")
    kinds = {**dict.fromkeys(texts, pa.string()), **dict.fromkeys(shares, pa.float64())}
    columns = [
        *("release", REGION, "records", "live", "cells", "verified", "singletons", "facts"),
        *([counted] if counted else []),
        *(f"{name}_{k}" for name in by_columns(counted) for k in range(1, len(names) + 1)),
        *(DETERMINED if asked.unique else ()),
        *("undecided", "seconds", LOOP),
    ]
    return pa.schema([(name, kinds.get(name, pa.int64())) for name in columns])


def _parquet_bytes(table: Any) -> bytes:
    """Always the same bytes for the same rows, however the table was put together."""
    import pyarrow.parquet as parquet

    out = BytesIO()
    parquet.write_table(table.combine_chunks(), out, compression="zstd", row_group_size=1 << 20)
    return out.getvalue()


def part_totals(summary: Any, failures: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    found = {name: int(pc.sum(summary[name]).as_py() or 0) for name in TOTALS if name in summary.column_names}
    return {"releases": len(summary) + len(failures), **found, "failures": len(failures)}
