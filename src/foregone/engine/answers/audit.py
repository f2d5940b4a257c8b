"""Every certain claim of a release."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from foregone.engine.answers.start import begin_beside
from foregone.engine.case import Case
from foregone.engine.claims.audit_loop import GRACE, Facts, find_facts
from foregone.engine.claims.evidence import Evidence
from foregone.engine.native.audit import audit_natively
from foregone.engine.native.many import COMPILED_SHARE
from foregone.engine.system.linear import MAX_RECORDS
from foregone.loop import PURE
from foregone.model.audit import Audit, Fact
from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.solvers.deadline import Deadline


def audit(
    case: Case,
    *,
    groups: Groups = Groups.PUBLISHED,
    progress: Progress | None = None,
    truth: Dataset | None = None,
    begin: float | None = None,
) -> Audit:
    """Every claim about at least one record that is true in every dataset that fits.

    `truth`, the microdata, only saves the search for a first dataset where that takes long. `begin` is when the work began, by
    `perf_counter`, if that was before now.
    """
    begin = perf_counter() if begin is None else begin
    began = begin_beside(case, truth)
    started = perf_counter() - begin
    found = find_facts(case, progress, groups)
    system, evidence = case.system, _evidence(case, found, groups)
    facts, left = evidence.stated(evidence.certain), _limited(case, evidence.stated(evidence.open))
    seconds = {"start": started, **found.seconds, "total": perf_counter() - begin}
    kinds = len(system.records)
    return Audit(
        case.release, facts, left, found.reason, kinds, system.buckets, began, groups, _size(case), seconds, evidence
    )


def audit_release(
    release: Release,
    limit: float | Deadline | None = None,
    max_records: int = MAX_RECORDS,
    *,
    groups: Groups = Groups.PUBLISHED,
    progress: Progress | None = None,
    truth: Dataset | None = None,
    fell: str = "",
) -> Audit:
    """Every certain claim of a release: the compiled loop finds them where it can, and the Python engine everywhere else.

    Of a time limit the compiled loop has a part only: what it cannot do in that is begun by the engine that can stop half-way.
    `fell` says why the compiled loop left this release to the Python engine, where it has been tried before.
    """
    begin, deadline = perf_counter(), Deadline.of(limit)
    if not fell:
        found = audit_natively(release, groups, max_records, None if limit is None else COMPILED_SHARE * deadline.left())
        if isinstance(found, Audit):
            return found
        fell = "" if found is None else str(found)
    done = audit(Case(release, deadline, max_records), groups=groups, progress=progress, truth=truth, begin=begin)
    return replace(done, loop=f"{PURE}: {fell}") if fell else done


def audit_case(
    case: Case,
    *,
    groups: Groups = Groups.PUBLISHED,
    progress: Progress | None = None,
    truth: Dataset | None = None,
    begin: float | None = None,
) -> Audit:
    """As `audit`; the compiled loop is asked first where nothing is known about the case yet, and the case stays as it was."""
    if not len(case.pool):
        limit, kinds = case.deadline.seconds, max(MAX_RECORDS, len(case.system.records))
        found = audit_natively(case.release, groups, kinds, None if limit is None else COMPILED_SHARE * limit, case.system)
        if isinstance(found, Audit):
            return found
    return audit(case, groups=groups, progress=progress, truth=truth, begin=begin)


def evidence_of(case: Case, groups: Groups) -> tuple[Evidence, str]:
    """Why claims are certain, before they are put into words, and the limit that was reached, if any. The case knows a dataset."""
    found = find_facts(case, groups=groups)
    return _evidence(case, found, groups), found.reason


def _evidence(case: Case, found: Facts, groups: Groups) -> Evidence:
    return Evidence(case.system, tuple(found.facts), tuple(found.lemmas), tuple(case.pool), groups)


def _size(case: Case) -> tuple[int, int | None]:
    """The least and the greatest number of records: what the release says, and what quick bounds add to it."""
    low, high = case.system.release.size
    if low == high:
        return low, high
    everything = np.ones(case.system.buckets, dtype=np.int64)
    known, deadline = case.prover.known, case.deadline.later(GRACE)
    least, most = known.limit(-everything, deadline), known.limit(everything, deadline)
    highs = [number for number in (high, most) if number is not None]
    return max(low, -(least or 0)), min(highs, default=None)


def _limited(case: Case, open_: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """What stays undecided, with the least and the greatest number that is still possible, as far as quick bounds tell."""
    known, deadline = case.prover.known, case.deadline.later(GRACE)
    made = []
    for fact in open_:
        whole, some = case.system.footprint(fact.predicate)
        least = known.limit(-whole.astype(np.int64), deadline)
        made.append(replace(fact, limits=(max(0, -(least or 0)), known.limit(some.astype(np.int64), deadline))))
    return tuple(made)
