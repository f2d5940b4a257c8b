"""What is kept of each release: facts, a summary line or a failure, as columns that become Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

from foregone.batch.asked import CLAIMS, Asked
from foregone.batch.determined import DETERMINED, UNDETERMINED, Determined
from foregone.model.claims_table import COLUMNS, Row

PART_FILES = ("facts", "failures", "summary")  # in the order they are written: a part is done when its summary is there
ATTRIBUTES = "attributes"  # the column with how many values or groups a fact tells that are worth telling
JUDGED = "judged"  # the column with how many of its columns a policy counts
REGION = "state"  # the column with the region of a release; this and the other names are what files are promised to have


@dataclass(frozen=True, slots=True)
class PartResult:
    """A finished part: three Parquet files as bytes, and what to add to the totals."""

    facts: bytes
    failures: bytes
    summary: bytes
    totals: dict[str, int]


class Identified(NamedTuple):
    """True records that certain claims about one record describe: at all; by a claim that names 1, 2, ... columns; by one that
    tells 1, 2, ... values or groups or more; and by one that tells so many single values."""

    any: int
    named: Sequence[int]
    told: Sequence[int]
    exact: Sequence[int]


TOTALS = ("releases", "records", "verified", "singletons", "facts", "undecided", "failures")


class PartTables:
    """Collects the results of a part release by release, in order.

    `counted` names the columns that count true records singled out; it is empty where the true records are not known.
    """

    def __init__(self, names: Sequence[str], region: str, counted: str, asked: Asked = CLAIMS) -> None:
        self.names, self.region, self.counted, self.asked = tuple(names), region, counted, asked
        self.facts: dict[str, list[Any]] = {name: [] for name in fact_columns(self.names)}
        self.summary: dict[str, list[Any]] = {name: [] for name in summary_columns(len(self.names), counted, asked)}
        self.failures: dict[str, list[Any]] = {name: [] for name in ("release", REGION, "reason")}

    def add(
        self,
        release: str,
        rows: list[Row],
        attributes: list[int],
        judged: list[int],
        *,
        records: int | None,
        live: int | None,
        cells: int | None,
        verified: Iterable[int],
        singletons: Iterable[int],
        identified: Identified | None,
        undecided: int,
        seconds: float,
        determined: Determined = UNDETERMINED,
    ) -> None:
        columns = list(zip(*((*row.values, *row.rest) for row in rows), strict=True))
        for name, column in zip((*self.names, *COLUMNS), columns, strict=False):
            self.facts[name].extend(column)
        self.facts[ATTRIBUTES].extend(attributes)
        self.facts[JUDGED].extend(judged)
        self.facts["release"].extend([release] * len(rows))
        self.facts[REGION].extend([self.region] * len(rows))
        by_columns = {"verified": [int(n) for n in verified], "singletons": [int(n) for n in singletons]}
        if identified is not None:
            by_columns[self.counted] = list(identified.named)
            by_columns[f"{self.counted}_told"] = list(identified.told)
            by_columns[f"{self.counted}_exact"] = list(identified.exact)
        line = {
            "release": release,
            REGION: self.region,
            "records": records,
            "live": live,
            "cells": cells,
            "facts": len(rows),
            "undecided": undecided + (self.asked.unique and determined.unique == "undecided"),
            "seconds": seconds,
            **determined.line,
            **{name: sum(numbers) for name, numbers in by_columns.items()},
            **{f"{name}_{k}": number for name, numbers in by_columns.items() for k, number in enumerate(numbers, start=1)},
        }
        if identified is not None:
            line[self.counted] = identified.any
        for name, kept in self.summary.items():
            kept.append(line[name])

    def nothing(
        self, release: str, records: int | None, seconds: float, undecided: int = 1, determined: Determined = UNDETERMINED
    ) -> None:
        """A release about which no claim was settled: time ran out, or claims were not asked for."""
        none = [0] * len(self.names)
        known = Identified(0, none, none, none) if self.counted else None
        self.add(
            release, [], [], [], records=records, live=None, cells=None, verified=none, singletons=none, identified=known,
            undecided=undecided, seconds=seconds, determined=determined,
        )  # fmt: skip

    def fail(self, release: str, reason: str) -> None:
        for name, value in (("release", release), (REGION, self.region), ("reason", reason)):
            self.failures[name].append(value)

    def done(self) -> PartResult:
        import pyarrow as pa

        columns = {"facts": self.facts, "failures": self.failures, "summary": self.summary}
        schemas = {kind: schema(kind, self.names, self.counted, self.asked) for kind in PART_FILES}
        return _done({kind: pa.table(columns[kind], schema=schemas[kind]) for kind in PART_FILES})


def _done(made: dict[str, Any]) -> PartResult:
    packed = {kind: parquet_bytes(table) for kind, table in made.items()}
    return PartResult(packed["facts"], packed["failures"], packed["summary"], part_totals(made["summary"], made["failures"]))


def fact_columns(names: Sequence[str]) -> list[str]:
    return ["release", REGION, *names, *COLUMNS, ATTRIBUTES, JUDGED]


def summary_columns(width: int, counted: str, asked: Asked = CLAIMS) -> list[str]:
    by_columns = ["verified", "singletons", *([counted, f"{counted}_told", f"{counted}_exact"] if counted else [])]
    return [
        *("release", REGION, "records", "live", "cells", "verified", "singletons", "facts"),
        *([counted] if counted else []),
        *(f"{name}_{k}" for name in by_columns for k in range(1, width + 1)),
        *(DETERMINED if asked.unique else ()),
        *("undecided", "seconds"),
    ]


def schema(kind: str, names: Sequence[str], counted: str, asked: Asked = CLAIMS) -> Any:
    import pyarrow as pa

    if kind == "failures":
        return pa.schema([(name, pa.string()) for name in ("release", REGION, "reason")])
    if kind == "facts":
        others = {name: pa.int64() for name in ("count", "columns", "exact", ATTRIBUTES, JUDGED)} | {"published": pa.bool_()}
        last = fact_columns(names)[2 + len(names) :]
        first = [(name, pa.string()) for name in ("release", REGION, *names)]
        return pa.schema([*first, *((name, others.get(name, pa.string())) for name in last)])
    texts, shares = ("release", REGION, "unique", "detail"), ("seconds", "variability", "low", "high")
    kinds = {**dict.fromkeys(texts, pa.string()), **dict.fromkeys(shares, pa.float64())}
    return pa.schema([(name, kinds.get(name, pa.int64())) for name in summary_columns(len(names), counted, asked)])


def parquet_bytes(table: Any) -> bytes:
    """Always the same bytes for the same rows, however the table was put together."""
    import pyarrow.parquet as parquet

    out = BytesIO()
    parquet.write_table(table.combine_chunks(), out, compression="zstd", row_group_size=1 << 20)
    return out.getvalue()


def part_totals(summary: Any, failures: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    found = {name: int(pc.sum(summary[name]).as_py() or 0) for name in TOTALS if name in summary.column_names}
    return {"releases": len(summary) + len(failures), **found, "failures": len(failures)}


def merged(singles: Sequence[PartResult]) -> PartResult:
    """Releases that were done one by one, put together as if they had been done at once."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    return _done(
        {kind: pa.concat_tables([parquet.read_table(BytesIO(getattr(done, kind))) for done in singles]) for kind in PART_FILES}
    )


def failed(names: Sequence[str], region: str, counted: str, release: str, reason: str, asked: Asked = CLAIMS) -> PartResult:
    """The result of a release that could not be audited at all."""
    tables = PartTables(names, region, counted, asked)
    tables.fail(release, reason)
    return tables.done()
