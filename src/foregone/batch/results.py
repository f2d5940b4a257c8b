"""What is kept of each release: facts, a summary line or a failure, as columns that become Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from foregone.model.claims_table import Row

KINDS = ("facts", "failures", "summary")  # in the order they are written: a part is done when its summary is there


@dataclass(frozen=True, slots=True)
class Done:
    """A finished part: three Parquet files as bytes, and what to add to the totals."""

    facts: bytes
    failures: bytes
    summary: bytes
    totals: dict[str, int]


TOTALS = ("releases", "records", "verified", "singletons", "facts", "undecided", "failures")


class Tables:
    """Collects the results of a part release by release, in order."""

    def __init__(self, names: Sequence[str], state: str, households: bool) -> None:
        self.names, self.state, self.households = tuple(names), state, households
        self.facts: dict[str, list[Any]] = {name: [] for name in fact_columns(self.names)}
        self.summary: dict[str, list[Any]] = {name: [] for name in summary_columns(len(self.names), households)}
        self.failures: dict[str, list[Any]] = {name: [] for name in ("release", "state", "reason")}

    def add(
        self,
        release: str,
        rows: list[Row],
        *,
        records: int | None,
        live: int | None,
        cells: int | None,
        verified: Iterable[int],
        singletons: Iterable[int],
        households: tuple[int, Iterable[int]] | None,
        undecided: int,
        seconds: float,
    ) -> None:
        columns = list(zip(*((*values, count, size, ground) for values, count, size, ground in rows), strict=True))
        for name, column in zip((*self.names, "count", "columns", "ground"), columns, strict=False):
            self.facts[name].extend(column)
        self.facts["release"].extend([release] * len(rows))
        self.facts["state"].extend([self.state] * len(rows))
        by_columns = {"verified": [int(n) for n in verified], "singletons": [int(n) for n in singletons]}
        if households is not None:
            by_columns["households"] = [int(n) for n in households[1]]
        line = {
            "release": release,
            "state": self.state,
            "records": records,
            "live": live,
            "cells": cells,
            "facts": len(rows),
            "undecided": undecided,
            "seconds": seconds,
            **{name: sum(numbers) for name, numbers in by_columns.items()},
            **{f"{name}_{k}": number for name, numbers in by_columns.items() for k, number in enumerate(numbers, start=1)},
        }
        if households is not None:
            line["households"] = households[0]
        for name, kept in self.summary.items():
            kept.append(line[name])

    def nothing(self, release: str, records: int | None, seconds: float) -> None:
        """A release about which the time limit left everything undecided."""
        none = [0] * len(self.names)
        known = (0, none) if self.households else None
        self.add(
            release, [], records=records, live=None, cells=None, verified=none, singletons=none, households=known,
            undecided=1, seconds=seconds,
        )  # fmt: skip

    def fail(self, release: str, reason: str) -> None:
        for name, value in (("release", release), ("state", self.state), ("reason", reason)):
            self.failures[name].append(value)

    def done(self) -> Done:
        import pyarrow as pa

        columns = {"facts": self.facts, "failures": self.failures, "summary": self.summary}
        return _done({kind: pa.table(columns[kind], schema=schema(kind, self.names, self.households)) for kind in KINDS})


def _done(made: dict[str, Any]) -> Done:
    packed = {kind: parquet_bytes(table) for kind, table in made.items()}
    return Done(packed["facts"], packed["failures"], packed["summary"], totals(made["summary"], made["failures"]))


def fact_columns(names: Sequence[str]) -> list[str]:
    return ["release", "state", *names, "count", "columns", "ground"]


def summary_columns(width: int, households: bool) -> list[str]:
    by_columns = ["verified", "singletons", *(["households"] if households else [])]
    return [
        *("release", "state", "records", "live", "cells", "verified", "singletons", "facts"),
        *(["households"] if households else []),
        *(f"{name}_{k}" for name in by_columns for k in range(1, width + 1)),
        *("undecided", "seconds"),
    ]


def schema(kind: str, names: Sequence[str], households: bool) -> Any:
    import pyarrow as pa

    if kind == "failures":
        return pa.schema([(name, pa.string()) for name in ("release", "state", "reason")])
    if kind == "facts":
        numbers = ("count", "columns")
        return pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in fact_columns(names)])
    kinds = {"release": pa.string(), "state": pa.string(), "seconds": pa.float64()}
    return pa.schema([(name, kinds.get(name, pa.int64())) for name in summary_columns(len(names), households)])


def parquet_bytes(table: Any) -> bytes:
    """Always the same bytes for the same rows, however the table was put together."""
    import pyarrow.parquet as parquet

    out = BytesIO()
    parquet.write_table(table.combine_chunks(), out, compression="zstd", row_group_size=1 << 20)
    return out.getvalue()


def totals(summary: Any, failures: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    found = {name: int(pc.sum(summary[name]).as_py() or 0) for name in TOTALS if name in summary.column_names}
    return {"releases": len(summary) + len(failures), **found, "failures": len(failures)}


def merged(singles: Sequence[Done]) -> Done:
    """Releases that were done one by one, put together as if they had been done at once."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    return _done({kind: pa.concat_tables([parquet.read_table(BytesIO(getattr(done, kind))) for done in singles]) for kind in KINDS})


def failed(names: Sequence[str], state: str, households: bool, release: str, reason: str) -> Done:
    """The result of a release that could not be audited at all."""
    tables = Tables(names, state, households)
    tables.fail(release, reason)
    return tables.done()
