"""What is kept of each release: facts, a summary line or a failure, as columns that become Parquet.

What is kept of one audit; where the true records are known, every claim is compared with them first.

The audit of one part: plain data in, Parquet bytes out. Runs in worker processes and touches no file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foregone.batch.source import (
    CLAIMS,
    DETERMINED,
    UNDETERMINED,
    Determined,
    Ints,
    PartContent,
    RunQuestions,
    known_size,
    reason_of,
)
from foregone.model.audit import Audit
from foregone.model.claims_table import COLUMNS, Row
from foregone.model.errors import InputError, UndecidedError
from foregone.questions.audit import audit as audit_release
from foregone.workers.pool import Beat

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

    def __init__(self, names: Sequence[str], region: str, counted: str, asked: RunQuestions = CLAIMS) -> None:
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


def summary_columns(width: int, counted: str, asked: RunQuestions = CLAIMS) -> list[str]:
    by_columns = ["verified", "singletons", *([counted, f"{counted}_told", f"{counted}_exact"] if counted else [])]
    return [
        *("release", REGION, "records", "live", "cells", "verified", "singletons", "facts"),
        *([counted] if counted else []),
        *(f"{name}_{k}" for name in by_columns for k in range(1, width + 1)),
        *(DETERMINED if asked.unique else ()),
        *("undecided", "seconds"),
    ]


def schema(kind: str, names: Sequence[str], counted: str, asked: RunQuestions = CLAIMS) -> Any:
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


def failed(names: Sequence[str], region: str, counted: str, release: str, reason: str, asked: RunQuestions = CLAIMS) -> PartResult:
    """The result of a release that could not be audited at all."""
    tables = PartTables(names, region, counted, asked)
    tables.fail(release, reason)
    return tables.done()


class FalseClaimError(AssertionError):
    """A claim held to be certain is false in the true records: a bug, and a reason to stop everything."""


def keep_audit(
    tables: PartTables, release: str, result: Audit, truth: Ints | None, begin: float, determined: Determined = UNDETERMINED
) -> None:
    """Keep what an audit found; where the true records are known, every claim is compared with them first."""
    width = len(tables.names)
    forms = np.zeros((len(result), width + 1), dtype=np.int64)
    for row, fact in zip(forms, result, strict=True):
        row[: len(fact.forms)] = fact.forms
    forms[:, 0] = 0  # the claim without columns is the number of records
    single = np.array([fact.count == 1 for fact in result], dtype=bool)
    identified = None
    if truth is not None:
        described = _described(release, result, truth)
        identified = _identified(result, described[single], forms[single])
    tables.add(
        release,
        result.rows(),
        [fact.attributes for fact in result],
        [fact.judged for fact in result],
        records=known_size(result.release) if truth is None else len(truth),
        live=result.kinds,
        cells=result.cells,
        verified=forms.sum(axis=0)[1:],
        singletons=forms[single].sum(axis=0)[1:],
        identified=identified,
        undecided=len(result.open),
        seconds=perf_counter() - begin,
        determined=determined,
    )


def _identified(result: Audit, described: NDArray[np.bool_], forms: Ints) -> Identified:
    """How many true records claims about one record describe: at all, by number of columns, and by what they tell at least."""
    single = [fact for fact in result if fact.count == 1]
    width = forms.shape[1] - 1
    named = described.T.astype(np.int64) @ (forms > 0) > 0  # record, number of columns
    steps = np.arange(1, width + 1)
    told, exact = (
        (described[:, :, None] & (np.array(numbers, dtype=np.int64)[:, None, None] >= steps)).any(axis=0).sum(axis=0)
        for numbers in ([fact.attributes for fact in single], [fact.exact_attributes for fact in single])
    )
    return Identified(int(described.any(axis=0).sum()), named.sum(axis=0)[1:].tolist(), told.tolist(), exact.tolist())


def _described(release: str, result: Audit, truth: Ints) -> NDArray[np.bool_]:
    """Which true records (columns) each closed claim (a row) describes; a claim or a form of one that is false is an error.

    The closed claim and the shortest forms having the right count is enough: every other form lies between two of them.
    """
    columns, index = result.release.domain.columns, result.release.domain.index
    closed = [(fact.predicate, fact.count) for fact in result]
    claims = [*closed, *((form, fact.count) for fact in result for form in fact.shortest)]
    match = np.ones((len(claims), len(truth)), dtype=bool)
    allowed: dict[tuple[str, frozenset[str]], NDArray[np.bool_]] = {}  # true records that have one of some codes
    for row, (predicate, _) in zip(match, claims, strict=True):
        for condition in predicate.allowed:
            if condition not in allowed:
                c = index[condition[0]]
                allowed[condition] = np.isin(truth[:, c], [columns[c].index[code] for code in condition[1]])
            row &= allowed[condition]
    wrong = np.flatnonzero(match.sum(axis=1) != [count for _, count in claims])
    if len(wrong):
        predicate, count = claims[wrong[0]]
        text = predicate.text(result.release.domain)
        raise FalseClaimError(f"{release}: the claim that exactly {count} have {text} is false in the true records")
    return match[: len(closed)]


Auditor = Callable[..., Audit]
"""What `foregone.audit` is: called with a release, a time limit and the groups of values that claims may name."""


@dataclass(frozen=True, slots=True)
class PartJob:
    """A part and what its releases say. `index` is set when a release of it is done on its own."""

    part: str
    region: str
    content: PartContent
    time_limit: float | None = None
    index: int | None = None
    asked: RunQuestions = CLAIMS

    def __len__(self) -> int:
        return len(self.content.ids)

    def single(self, index: int) -> PartJob:
        return replace(self, content=self.content.single(index), index=index)


def audit_part(job: PartJob, beat: Beat = lambda _: None, audit: Auditor = audit_release) -> PartResult:
    """Audit every release of a part; whatever goes wrong with one of them is written down and does not stop the others."""
    tables = PartTables(job.content.names, job.region, job.content.counted, job.asked)
    for release, published, truth in job.content.releases():
        beat(release)
        begin = perf_counter()
        try:
            if isinstance(published, str):
                raise InputError(published)
            determined = job.content.determined(release, published, job.time_limit) if job.asked.unique else UNDETERMINED
            if job.asked.claims:
                result = audit(published, job.time_limit, groups=job.asked.groups)
                keep_audit(tables, release, result, truth, begin, determined)
            else:
                tables.nothing(release, known_size(published), perf_counter() - begin, 0, determined)
        except FalseClaimError:
            raise
        except UndecidedError:
            tables.nothing(release, None if isinstance(published, str) else known_size(published), perf_counter() - begin)
        except MemoryError:
            tables.fail(release, "memory ran out; give the workers more (--memory), and start again with --retry-failed")
        except Exception as error:  # a release that breaks the engine must not take the others along
            tables.fail(release, reason_of(error))
    return tables.done()
