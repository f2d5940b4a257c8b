"""Every certain claim of a release."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from foregone.engine.claims.audit_loop import GRACE, find_facts
from foregone.engine.claims.evidence import Evidence
from foregone.engine.session import Session
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.audit import Audit, Fact
from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.progress import Progress
from foregone.questions.asked import Source, as_groups, as_release
from foregone.questions.start import start_beside


def audit(
    release: Source,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
    progress: Progress | None = None,
    groups: Groups | str = Groups.PUBLISHED,
    truth: Dataset | None = None,
) -> Audit:
    """Find every claim about at least one record that is true in every dataset matching the release.

    `release` may be a path. Without a time limit nothing stays undecided; with one, what does is in `open`, never among
    the facts. `progress` is called with what is being done, how much of it is done, and how much there is. Claims name
    single values and, unless `groups` is "none", the groups of values that the tables use or the domain declares.
    `truth`, the microdata, only saves the search for a first dataset where that takes long; the claims are the same without.
    """
    begin = perf_counter()
    release, groups = as_release(release), as_groups(groups)
    session, began = start_beside(release, truth, time_limit, max_records)
    started = perf_counter() - begin
    found = find_facts(session, progress, groups)
    system = session.system
    evidence = Evidence(system, tuple(found.facts), tuple(found.lemmas), tuple(session.pool), groups)
    facts, left = evidence.stated(evidence.certain), _limited(session, evidence.stated(evidence.open))
    seconds = {"start": started, **found.seconds, "total": perf_counter() - begin}
    kinds = len(system.records)
    return Audit(
        release, facts, left, found.reason, kinds, system.cells, began, groups, _size(session), seconds, evidence
    )


def _size(session: Session) -> tuple[int, int | None]:
    """The least and the greatest number of records: what the release says, and what quick bounds add to it."""
    low, high = session.system.release.size
    if low == high:
        return low, high
    everything = np.ones(session.system.cells, dtype=np.int64)
    known, deadline = session.prover.known, session.deadline.later(GRACE)
    least, most = known.limit(-everything, deadline), known.limit(everything, deadline)
    highs = [number for number in (high, most) if number is not None]
    return max(low, -(least or 0)), min(highs, default=None)


def _limited(session: Session, open_: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """What stays undecided, with the least and the greatest number that is still possible, as far as quick bounds tell."""
    known, deadline = session.prover.known, session.deadline.later(GRACE)
    made = []
    for fact in open_:
        whole, some = session.system.footprint(fact.predicate)
        least = known.limit(-whole.astype(np.int64), deadline)
        made.append(replace(fact, limits=(max(0, -(least or 0)), known.limit(some.astype(np.int64), deadline))))
    return tuple(made)
