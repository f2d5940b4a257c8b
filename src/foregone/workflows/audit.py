"""What `foregone audit` does: a release is read and audited, marks that can be worked out are found, a policy is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from foregone.engine import write_document
from foregone.formats.beside import AllLeftOut, left_out_of, read_assumptions
from foregone.formats.folder import read_release, read_truth
from foregone.model.audit import Audit, Engine
from foregone.model.claims_table import ClaimRow
from foregone.model.dataset import Dataset
from foregone.model.errors import ContradictionError
from foregone.model.policy import Policy
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.policy.judge import Judged, Judgement, judge, pierced
from foregone.policy.reader import as_read
from foregone.questions.ask import CellsEngine
from foregone.solvers.deadline import Deadline


@dataclass(frozen=True, slots=True)
class AuditedFiles:
    """A release as its files have it, and what is certain about it.

    `truth` are the true records, where they lie beside it: they confirm the claims, and are no reason for any. `marks` tells which
    cells that are not shown can be worked out; None where the engine does not look for them. A policy is judged by `judged`.
    """

    audit: Audit
    truth: Dataset | None
    marks: Judgement | None
    judged: Judged
    assumptions: tuple[str, ...]
    left_out: AllLeftOut
    engine: Engine
    deadline: Deadline

    @property
    def release(self) -> Release:
        return self.audit.release

    @property
    def undecided(self) -> bool:
        return bool(self.audit.open) or (self.marks is not None and bool(self.marks.doubts))

    @property
    def singled_out(self) -> int | None:
        """How many of the true records are singled out; None where there are none to look at, or no claim about exactly one."""
        if self.truth is None or not any(fact.count == 1 for fact in self.audit):
            return None
        return self.audit.singled_out_in(self.truth)


def audit_files(
    path: Path,
    engine: Engine,
    *,
    time_limit: float | None = None,
    max_records: int,
    progress: Progress | None = None,
    proofs: Path | None = None,
) -> AuditedFiles:
    """Read a release and find every certain claim. The time limit is for everything, with reading and judging; the engine of the
    published method has it for each integer program instead.

    If the release contradicts itself, the proof of that is written to `proofs` before the error leaves.
    """
    deadline = Deadline.after(time_limit)
    published = read_release(path)
    truth = read_truth(path, published)
    exact = isinstance(engine, CellsEngine)
    chosen = replace(engine, truth=truth) if isinstance(engine, CellsEngine) else engine
    try:
        found = chosen.audit(published, deadline.seconds if exact else time_limit, progress)
    except ContradictionError as error:
        if proofs is not None and error.proof is not None:
            error.written = proofs, write_document(error.proof, proofs)
        raise
    true = None if truth is None else dict(enumerate(truth.counts(s.predicate for s in published.statistics)))
    judged = Judged(found, true=true, time_limit=deadline.seconds, max_records=max_records)
    marks = pierced(judged) if exact else None
    return AuditedFiles(found, truth, marks, judged, read_assumptions(path), left_out_of(path, published), chosen, deadline)


def rows_of(
    audit: Audit,
    *,
    undecided: bool = False,
    every: bool = False,
    min_columns: int = 1,
    max_columns: int | None = None,
    count: int | None = None,
) -> list[ClaimRow]:
    """The claims of an audit for a file: of each fact the fullest form, or `every` one, or what stayed `undecided` instead."""
    rows = audit.open_rows() if undecided else audit.all_rows(max_columns) if every else audit.rows()
    most = max_columns or len(audit.release.domain.columns)
    return [row for row in rows if min_columns <= row.columns <= most and (count is None or row.count == count)]


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What a policy says of a release as its reader sees it; `assumed`: more counts as known than what is printed."""

    judgement: Judgement
    release: Release
    assumed: bool


def judge_audited(found: AuditedFiles, policy: Policy, progress: Progress | None = None) -> PolicyAnswer:
    """Judge what was audited. Claims and proofs are about the release as it is, the policy about what is known besides: where that
    is more, the release is audited again with it.
    """
    known, judged = as_read(found.release, policy), found.judged
    if known is not found.release:
        judged = replace(judged, audit=found.engine.audit(known, found.deadline.seconds, progress))
    return PolicyAnswer(judge(policy, judged), known, known is not found.release)
