"""The audit of one part of a run: plain data in, Parquet bytes out. It runs in worker processes and touches no file.

Of each release facts, a summary line or a failure are kept. Where true records are known, every claim is compared with them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.batch.guessing import with_guesses
from foregone.batch.part_files import (
    LOOP,
    PART_FILES,
    REGION,
    FalseClaimError,
    PartJob,
    PartResult,
    by_columns,
    packed_part,
    schema,
)
from foregone.batch.plan import Ints
from foregone.batch.source import UNDETERMINED, Determined, NamedRelease, as_determined, known_size, reason_of, told_by_claims
from foregone.batch.together import Together, audit_together
from foregone.engine import audit_release as audit_again
from foregone.model.audit import Audit
from foregone.model.claims_table import COLUMNS
from foregone.model.errors import InputError, UndecidedError
from foregone.model.release import Release
from foregone.questions.ask import audit as audit_release
from foregone.questions.ask import unique
from foregone.workers.pool import Beat

Auditor = Callable[..., Audit]
"""What `foregone.audit` is: called with a release, a time limit and the groups of values that claims may name."""


def audit_part(job: PartJob, beat: Beat = lambda _: None, audit: Auditor = audit_release) -> PartResult:
    """Audit every release of a part; whatever goes wrong with one of them is written down and does not stop the others."""
    together = audit_together(job, beat) if audit is audit_release else None
    tables = PartTables(job)
    for (release, published, truth), fell in _one_by_one(job, together):
        beat(release)
        begin = process_time()
        try:
            if isinstance(published, str):
                raise InputError(published)
            if job.asked.by_claims:
                found = _audited(job, published, audit, fell)
                tables.keep(release, found, truth, begin, _by_claims(found))
                continue
            determined = UNDETERMINED
            if job.asked.unique:
                limit = job.time_limit if job.asked.farthest is None else job.asked.farthest
                determined = job.content.determined(release, published, limit)
            if job.asked.claims:
                tables.keep(release, _audited(job, published, audit, fell), truth, begin, determined)
            else:
                tables.nothing(release, known_size(published), begin, 0, determined)
        except FalseClaimError:
            raise
        except UndecidedError:
            tables.nothing(release, None if isinstance(published, str) else known_size(published), begin)
        except MemoryError:
            tables.fail(release, "memory ran out; give the workers more (--memory), and start again with --retry-failed")
        except Exception as error:  # a release that breaks the engine must not take the others along
            tables.fail(release, reason_of(error))
    return tables.done() if together is None else tables.done(together.with_others(tables.made()))


def _one_by_one(job: PartJob, together: Together | None) -> Iterator[tuple[NamedRelease, str]]:
    """The releases that are audited one by one, and why the compiled loop could not do them with the others."""
    if together is None:
        for release in job.content.releases():
            yield release, ""
        return
    for index, why in together.fell.items():
        yield next(job.content.single(index).releases()), why


def _by_claims(found: Audit) -> Determined:
    """Is the dataset determined? The claims tell, where the number of records is known; else it is asked."""
    size, several = known_size(found.release), {c.name for c in found.release.domain.columns if len(c.codes) > 1}
    if size is None:
        return as_determined(unique(found.release, time_limit=None, farthest=False), found.release)
    single = [({name for name, codes in fact.predicate.allowed if len(codes) == 1}, fact.count) for fact in found]
    return told_by_claims(sum(count for names, count in single if several <= names), size, bool(found.open))


def _audited(job: PartJob, release: Release, audit: Auditor, fell: str) -> Audit:
    limits: dict[str, Any] = {"max_records": job.asked.max_records, "groups": job.asked.groups}
    if fell:
        return audit_again(release, job.time_limit, fell=fell, **limits)
    return audit(release, time_limit=job.time_limit, **limits)


class PartTables:
    """Collects the results of a part release by release, in order."""

    def __init__(self, job: PartJob) -> None:
        self.job = job
        self.names, self.counted = job.content.names, job.content.counted
        self.region, self.asked = job.region, job.asked
        self.facts: dict[str, list[Any]] = {name: [] for name in ("release", REGION, *self.names, *COLUMNS)}
        self.summary: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []

    def keep(self, release: str, result: Audit, truth: Ints | None, begin: float, determined: Determined = UNDETERMINED) -> None:
        """Keep what an audit found, after a look at the true records where they are known."""
        forms = np.zeros((len(result), len(self.names) + 1), dtype=np.int64)
        for row, fact in zip(forms, result, strict=True):
            row[: len(fact.forms)] = fact.forms
        forms[:, 0] = 0  # the claim without columns is the number of records
        single = np.array([fact.count == 1 for fact in result], dtype=bool)
        numbers = {"verified": forms.sum(axis=0)[1:].tolist(), "singletons": forms[single].sum(axis=0)[1:].tolist()}
        anybody = 0
        if truth is not None:
            described = _described(release, result, truth)[single]
            anybody = int(described.any(axis=0).sum())
            numbers |= _identified(result, described, forms[single], self.counted)
        rows = result.rows()
        columns = zip(*((*row.values, *row.rest) for row in rows), strict=True)
        for name, column in zip((*self.names, *COLUMNS), columns, strict=False):
            self.facts[name].extend(column)
        self.facts["release"].extend([release] * len(rows))
        self.facts[REGION].extend([self.region] * len(rows))
        records = known_size(result.release) if truth is None else len(truth)
        seen = {"records": records, "live": result.kinds, "cells": result.cells, "facts": len(rows), "undecided": len(result.open)}
        self._line(release, {**seen, LOOP: result.loop}, numbers, anybody, begin, determined)

    def nothing(
        self, release: str, records: int | None, begin: float, undecided: int = 1, determined: Determined = UNDETERMINED
    ) -> None:
        """A release about which no claim was settled: time ran out, or claims were not asked for."""
        numbers = dict.fromkeys(by_columns(self.counted), [0] * len(self.names))
        self._line(release, {"records": records, "facts": 0, "undecided": undecided}, numbers, 0, begin, determined)

    def _line(
        self,
        release: str,
        seen: Mapping[str, int | str | None],
        numbers: Mapping[str, Sequence[int]],
        anybody: int,
        begin: float,
        determined: Determined,
    ) -> None:
        """A line of the summary; `numbers` are by number of columns, `anybody` are the true records singled out."""
        line: dict[str, Any] = {"release": release, REGION: self.region, **seen, **determined.line}
        line["seconds"] = process_time() - begin
        line["undecided"] += self.asked.unique and determined.unique == "undecided"
        line |= {name: sum(some) for name, some in numbers.items()}
        line |= {f"{name}_{k}": number for name, some in numbers.items() for k, number in enumerate(some, start=1)}
        if self.counted:
            line[self.counted] = anybody
        self.summary.append(line)

    def fail(self, release: str, reason: str) -> None:
        self.failures.append({"release": release, REGION: self.region, "reason": reason})

    def done(self, made: Mapping[str, Any] | None = None) -> PartResult:
        """The files of the part, from its tables: those of all releases if given, else those that were collected here."""
        return packed_part(with_guesses(self.job.content, self.job.guessing, self.made() if made is None else made))

    def made(self) -> dict[str, Any]:
        """An Arrow table for each of the three files."""
        import pyarrow as pa

        schemas = {kind: schema(kind, self.names, self.counted, self.asked) for kind in PART_FILES}
        rows = {kind: pa.Table.from_pylist(getattr(self, kind), schema=schemas[kind]) for kind in ("failures", "summary")}
        return {"facts": pa.table(self.facts, schema=schemas["facts"]), **rows}


def failed(job: PartJob, index: int, reason: str) -> PartResult:
    """The result of a release that could not be audited at all."""
    tables = PartTables(job)
    tables.fail(job.content.ids[index], reason)
    return tables.done()


def _identified(result: Audit, described: NDArray[np.bool_], forms: Ints, counted: str) -> dict[str, list[int]]:
    """How many true records certain claims about one record describe, for columns of the summary: by a claim that names 1, 2, ...
    columns; by one that tells 1, 2, ... values or groups or more; and by one that tells so many single values.
    """
    single = [fact for fact in result if fact.count == 1]
    steps = np.arange(1, forms.shape[1])
    named = described.T.astype(np.int64) @ (forms > 0) > 0  # record, number of columns
    told, exact = (
        (described[:, :, None] & (np.array(numbers, dtype=np.int64)[:, None, None] >= steps)).any(axis=0).sum(axis=0)
        for numbers in ([fact.attributes for fact in single], [fact.exact_attributes for fact in single])
    )
    return {counted: named.sum(axis=0)[1:].tolist(), f"{counted}_told": told.tolist(), f"{counted}_exact": exact.tolist()}


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
