"""The audit of one part: plain data in, Parquet bytes out. Runs in worker processes and touches no file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from foregone.batch.results import Done, Tables
from foregone.census.household.publish import publisher
from foregone.census.unit_files.units import Ints, unpack
from foregone.formats.counts import Counts
from foregone.model.audit import Audit
from foregone.model.domain import Domain
from foregone.model.errors import ForegoneError, InputError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Query, Workload
from foregone.questions.audit import audit as audit_release

BLANK = -1  # where a claim says nothing

Beat = Callable[[str], None]
Asked = tuple[str, Release | str, Ints | None]  # a name, a release or what is wrong with it, the true records if known
Auditor = Callable[[Release, float | None], Audit]


@dataclass(frozen=True, slots=True)
class Households:
    """Blocks of a unit file: the packed records of block i begin at starts[i]. Claims are compared with them."""

    ids: tuple[str, ...]
    codes: Ints
    starts: Ints
    variant: str
    units: str
    edit: bool

    @property
    def names(self) -> tuple[str, ...]:
        return publisher(self.variant, self.units, self.edit).domain.names

    def single(self, index: int) -> Households:
        ends = [*self.starts[1:].tolist(), len(self.codes)]
        codes = self.codes[self.starts[index] : ends[index]]
        return replace(self, ids=(self.ids[index],), codes=codes, starts=np.zeros(1, dtype=np.int64))

    def releases(self) -> Iterator[Asked]:
        tables = publisher(self.variant, self.units, self.edit)
        counts = tables.counts_of_each(self.codes, self.starts)
        records = np.split(self.codes, self.starts[1:])
        for block, row, codes in zip(self.ids, counts, records, strict=True):
            yield block, tables.workload.release(row.tolist()), unpack(codes, len(tables.domain.columns))


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows of a table of releases; `place` says where they are from, should one of them be wrong."""

    workload: Workload
    counts: Counts
    place: str

    @property
    def ids(self) -> tuple[str, ...]:
        return self.counts.ids

    @property
    def names(self) -> tuple[str, ...]:
        return self.workload.domain.names

    def single(self, index: int) -> Counted:
        some = slice(index, index + 1)
        return replace(self, counts=Counts(self.ids[some], self.counts.low[some], self.counts.high[some]))

    def releases(self) -> Iterator[Asked]:
        workload = _shared(self.workload.domain, self.workload.queries, self.workload.rules)
        for i, release in enumerate(self.ids):
            try:
                yield release, self.counts.release(i, workload), None
            except InputError as error:
                yield release, f"{self.place}{release}: {reason_of(error)}", None


@dataclass(frozen=True, slots=True)
class Published:
    """Releases with the same columns, each whole, or what is wrong with its files."""

    names: tuple[str, ...]
    published: tuple[tuple[str, Release | str], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(release for release, _ in self.published)

    def single(self, index: int) -> Published:
        return replace(self, published=self.published[index : index + 1])

    def releases(self) -> Iterator[Asked]:
        for release, published in self.published:
            yield release, published, None


Content = Households | Counted | Published


@lru_cache(maxsize=4)
def _shared(domain: Domain, queries: tuple[Query, ...], rules: tuple[Predicate, ...]) -> Workload:
    """One object for equal workloads, so that what was worked out for it in an earlier part is found again."""
    return Workload(domain, queries, rules)


@dataclass(frozen=True, slots=True)
class Job:
    """A part and what its releases say. `index` is set when a release of it is done on its own."""

    part: str
    state: str
    content: Content
    time_limit: float | None = None
    index: int | None = None

    def __len__(self) -> int:
        return len(self.content.ids)

    @property
    def known(self) -> bool:
        """Are the true records known?"""
        return isinstance(self.content, Households)

    def single(self, index: int) -> Job:
        return replace(self, content=self.content.single(index), index=index)


class FalseClaimError(AssertionError):
    """A claim held to be certain is false in the true records: a bug, and a reason to stop everything."""


def audit_part(job: Job, beat: Beat = lambda _: None, audit: Auditor = audit_release) -> Done:
    """Audit every release of a part; whatever goes wrong with one of them is written down and does not stop the others."""
    tables = Tables(job.content.names, job.state, job.known)
    for release, published, truth in job.content.releases():
        beat(release)
        begin = perf_counter()
        try:
            if isinstance(published, str):
                raise InputError(published)
            result = audit(published, job.time_limit)
            _add(tables, release, result, truth, begin)
        except FalseClaimError:
            raise
        except UndecidedError:
            tables.nothing(release, _size(published), perf_counter() - begin)
        except MemoryError:
            tables.fail(release, "memory ran out; give the workers more (--memory), and start again with --retry-failed")
        except Exception as error:  # a release that breaks the engine must not take the others along
            tables.fail(release, reason_of(error))
    return tables.done()


def reason_of(error: Exception) -> str:
    """What went wrong in one line; the type too when the package did not raise it on purpose."""
    lines = str(error).splitlines() or [""]
    if isinstance(error, InputError) and len(lines) > 1:
        return f"{lines[0]} (and {len(lines) - 1} more)"
    return lines[0] if isinstance(error, ForegoneError) else f"{type(error).__name__}: {lines[0]}"


def _size(release: Release | str) -> int | None:
    if isinstance(release, str):
        return None
    least, most = release.size_range
    return least if least == most else None


def _add(tables: Tables, release: str, result: Audit, truth: Ints | None, begin: float) -> None:
    """Keep what an audit found; where the true records are known, every claim is compared with them first."""
    width = len(tables.names)
    forms = np.zeros((len(result), width + 1), dtype=np.int64)
    for row, fact in zip(forms, result, strict=True):
        row[: len(fact.forms)] = fact.forms
    forms[:, 0] = 0  # the claim without columns is the number of records
    single = np.array([fact.count == 1 for fact in result], dtype=bool)
    households = None
    if truth is not None:
        described = _described(release, result, truth)
        reached = described[single].T.astype(np.int64) @ (forms[single] > 0) > 0  # record, number of columns
        households = int(reached.any(axis=1).sum()), reached.sum(axis=0)[1:]
    tables.add(
        release,
        result.rows(),
        records=_size(result.release) if truth is None else len(truth),
        live=result.kinds,
        cells=result.cells,
        verified=forms.sum(axis=0)[1:],
        singletons=forms[single].sum(axis=0)[1:],
        households=households,
        undecided=len(result.open),
        seconds=perf_counter() - begin,
    )


def _described(release: str, result: Audit, truth: Ints) -> NDArray[np.bool_]:
    """Which true records (columns) each closed claim (a row) describes; a claim or a form of one that is false is an error.

    The closed claim and the shortest forms having the right count is enough: every other form lies between two of them.
    """
    columns, index = result.release.domain.columns, result.release.domain.index
    closed = [(fact.predicate, fact.count) for fact in result]
    claims = [*closed, *((form, fact.count) for fact in result for form in fact.shortest)]
    asked = np.full((len(claims), len(columns)), BLANK, dtype=np.int64)
    for row, (predicate, _) in zip(asked, claims, strict=True):
        for name, codes in predicate.allowed:
            (code,) = codes
            row[index[name]] = columns[index[name]].index[code]
    match = np.ones((len(claims), len(truth)), dtype=bool)
    for column in range(len(columns)):
        wanted = asked[:, column, None]
        match &= (wanted == BLANK) | (truth[:, column] == wanted)
    wrong = np.flatnonzero(match.sum(axis=1) != [count for _, count in claims])
    if len(wrong):
        predicate, count = claims[wrong[0]]
        text = predicate.text(result.release.domain)
        raise FalseClaimError(f"{release}: the claim that exactly {count} have {text} is false in the true records")
    return match[: len(closed)]
