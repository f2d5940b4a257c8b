"""The releases of a part with the compiled loop, all in one call: counts in, Arrow tables out, and no object for any fact.

Releases that the loop leaves to the Python engine are audited one by one (`batch/part.py`) and put in their places here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.batch.part_files import ATTRIBUTES, LOOP, REGION, FalseClaimError, PartJob, by_columns, schema
from foregone.batch.plan import Ints
from foregone.batch.source import DETERMINED, CountRows, told_by_claims
from foregone.engine import LOOP_GROUNDS, LOOP_PRINTED, LoopResults, audit_many, fell_back
from foregone.loop import NATIVE
from foregone.model.claims_table import BETWEEN
from foregone.model.domain import Column
from foregone.workers.pool import Beat

Bools = NDArray[np.bool_]

SILENCE = 30.0  # seconds of time limits between two signs of life, at most, or one release
FALSE = "a claim that is false in the true records"


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Tables of facts and of the summary, with the place of each row's release in the part; which releases are missing, and why."""

    job: PartJob
    facts: Any
    fact_places: Ints
    summary: Any
    summary_places: Ints
    fell: dict[int, str]

    def with_others(self, others: Mapping[str, Any]) -> dict[str, Any]:
        """The three tables, with what was found out about the missing releases in between."""
        wrong = [self.job.content.ids[index] for index, why in self.fell.items() if why == FALSE]
        if wrong:  # and the Python engine, asked since, does not hold it for certain
            raise FalseClaimError(f"{wrong[0]}: the compiled loop holds a claim for certain that is false in the true records")
        places = {name: index for index, name in enumerate(self.job.content.ids)}
        return {
            "facts": _merged(self.facts, self.fact_places, others["facts"], places),
            "failures": others["failures"],
            "summary": _merged(self.summary, self.summary_places, others["summary"], places),
        }


def audit_together(job: PartJob, beat: Beat) -> Together | None:
    """What the compiled loop finds; None where only claims one by one will do, or there is no such loop."""
    rows = job.content.rows() if job.asked.claims and job.asked.by_claims == job.asked.unique else None
    if rows is None or (job.asked.unique and not rows.workload.whole):  # without a total, claims do not tell what is determined
        return None
    limit, whole = job.time_limit, len(job)
    step = whole if limit is None else max(1, min(whole, int(SILENCE / limit) if limit > 0 else 1))
    pieces = []
    for first in range(0, whole, step):
        last = min(first + step, whole)
        beat(job.content.ids[first] if last == first + 1 else "")  # of several it is not known which is being done
        some = rows.some(first, last)
        found = audit_many(some.workload, some.counts, job.asked.groups, some.truth, limit, some.highs)
        if found is None:
            return None
        pieces.append(found)
    return _tables(job, rows, LoopResults.joined(pieces))


def _tables(job: PartJob, rows: CountRows, found: LoopResults) -> Together:
    import pyarrow as pa

    fell = fell_back(found) | {int(i): FALSE for i in np.flatnonzero(found.line("wrong"))}
    done = np.ones(len(rows.counts), dtype=bool)
    done[list(fell)] = False
    kept = np.flatnonzero(done)
    facts, summary = _facts(job, rows, found), _summary(job, rows, found)
    of_facts = found.fact("release")
    if fell:
        telling = np.flatnonzero(done[of_facts])
        facts, summary, of_facts = facts.take(pa.array(telling)), summary.take(pa.array(kept)), of_facts[telling]
    return Together(job, facts, of_facts, summary, kept, dict(sorted(fell.items())))


def _facts(job: PartJob, rows: CountRows, found: LoopResults) -> Any:
    import pyarrow as pa

    releases = pa.array(job.content.ids, pa.string())
    made = {"release": releases.take(pa.array(found.fact("release"))), REGION: pa.repeat(job.region, len(found.facts))}
    made |= {column.name: _codes(column, found.codes(c)) for c, column in enumerate(rows.workload.domain.columns)}
    made |= {name: pa.array(found.fact(name)) for name in ("count", "columns", "exact", ATTRIBUTES)}
    made["ground"] = pa.array([ground.value for ground in LOOP_GROUNDS]).take(pa.array(found.fact("ground")))
    made["published"] = pa.array(found.fact("published") > 0)
    made["printed"] = pa.array([how.value for how in LOOP_PRINTED]).take(pa.array(found.fact("published")))
    return _table(made, schema("facts", job.content.names, job.content.counted, job.asked))


def _summary(job: PartJob, rows: CountRows, found: LoopResults) -> Any:
    import pyarrow as pa

    number, counted = len(rows.counts), job.content.counted
    made = {"release": pa.array(job.content.ids, pa.string()), REGION: pa.repeat(job.region, number)}
    made |= {"records": pa.array(rows.sizes(), pa.int64()), "undecided": pa.repeat(pa.scalar(0, pa.int64()), number)}
    made |= {name: pa.array(found.line(name)) for name in ("live", "cells", "facts")}
    made |= {"seconds": pa.array(found.line("nanoseconds") / 1e9), LOOP: pa.repeat(NATIVE, number)}
    for name, which in zip(by_columns(counted), ("verified", "singletons", "named", "told", "exact"), strict=False):
        numbers = found.by_columns(which)
        made[name] = pa.array(numbers.sum(axis=1))
        made |= {f"{name}_{k}": pa.array(np.ascontiguousarray(column)) for k, column in enumerate(numbers.T, start=1)}
    if counted:
        made[counted] = pa.array(found.line("described"))
    if job.asked.unique:
        told = np.bincount(found.fact("release"), found.fact("count") * _full(rows, found), number).astype(np.int64)
        lines = [told_by_claims(n, size or 0, False).line for n, size in zip(told.tolist(), rows.sizes(), strict=True)]
        made |= {name: pa.array([line[name] for line in lines]) for name in DETERMINED}
    return _table(made, schema("summary", job.content.names, counted, job.asked))


def _full(rows: CountRows, found: LoopResults) -> Bools:
    """Which facts name a single code in every column that has several."""
    full = np.ones(len(found.facts), dtype=bool)
    for c, column in enumerate(rows.workload.domain.columns):
        masks = found.codes(c).view(np.uint64)
        full &= (masks != 0) & (masks & (masks - np.uint64(1)) == 0) | (len(column.codes) == 1)
    return full


def _codes(column: Column, masks: Ints) -> Any:
    """What each fact allows in a column, as files say it: the same few sets return in many facts."""
    import pyarrow as pa

    sets = pa.array(masks.view(np.uint64)).dictionary_encode()
    texts = [BETWEEN.join(column.codes_of(mask)) if mask else None for mask in sets.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(sets.indices)


def _table(made: Mapping[str, Any], columns: Any) -> Any:
    import pyarrow as pa

    return pa.table({name: made[name] for name in columns.names}).cast(columns)


def _merged(found: Any, places: Ints, others: Any, place_of: Mapping[str, int]) -> Any:
    """Rows of both tables in the order of the releases; those of one release stay in theirs."""
    import pyarrow as pa

    if not len(others):
        return found
    more = np.array([place_of[name] for name in others["release"].to_pylist()], dtype=np.int64)
    order = np.argsort(np.concatenate([places, more]), kind="stable")
    return pa.concat_tables([found, others]).take(pa.array(order))
