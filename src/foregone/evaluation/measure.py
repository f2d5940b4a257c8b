"""Everything that is found out about one block; runs in worker processes, so plain numbers go in and come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from foregone.batch.plan import Ints, cost_of
from foregone.batch.source import FARTHEST, as_determined
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import PackedClaims
from foregone.census.records import Publisher
from foregone.evaluation.sample import StudyOptions
from foregone.model.audit import Audit
from foregone.model.claim import Ground
from foregone.model.families import Groups
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.questions.ask import CellsEngine, onehot_engine, unique
from foregone.solvers.deadline import Deadline

GROUNDS = tuple(ground.value for ground in Ground)
SILENCE = 0.5  # seconds between two signs of life from inside a block
REMOVED: dict[str, tuple[int, ...]] = {"none": (), "1": (1,), "0": (0,), "0,1": (0, 1)}


@dataclass(frozen=True, slots=True)
class BlockTask:
    """One block to measure: its packed records and what to do with them."""

    block: str
    codes: Ints
    options: StudyOptions
    ablate: bool  # also look at what is left when some counts are withheld

    @property
    def edit(self) -> bool:
        """Also look at what is certain when the edit rules are known."""
        return self.options.rules == "edit"

    @property
    def published(self) -> tuple[str, str, str]:
        return self.options.subject, self.options.variant, self.options.units

    @property
    def cost(self) -> float:
        """Seconds, roughly, to tell large blocks from small ones; each audit costs about the same."""
        return self.audits * float(cost_of(np.array(len(self.codes))))

    @property
    def audits(self) -> int:
        """How many releases are audited: the block's tables, with some counts withheld, and with the edit rules known."""
        return 1 + self.ablate * (len(REMOVED) - 1) + self.edit


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What a block's tables give away. `identified`: per number of columns, records that some claim describes."""

    block: str
    values: Ints  # how many queries have the value 0, 1, 2, ...
    claims: PackedClaims
    singleton: dict[int, int]
    any_count: dict[int, int]
    removed_share: dict[str, float] = field(default_factory=dict)
    ablation: dict[str, dict[int, int]] = field(default_factory=dict)
    edit: tuple[dict[int, int], dict[int, int]] | None = None
    unique: str = ""
    variability: float | None = None
    undecided: int = 0


class _Inside:
    """How far the work on one block is: audit by audit, and inside an audit as far as the engine tells."""

    def __init__(self, audits: int, tell: Callable[[float], None]) -> None:
        self.audits, self.tell, self.done, self.last = audits, tell, 0, monotonic()

    def within(self, _stage: str, done: int, total: int, _share: float | None = None, /) -> None:
        if total and monotonic() - self.last > SILENCE:
            self.last = monotonic()
            self.tell(min(1.0, (self.done + done / total) / self.audits))

    def next(self) -> None:
        self.done += 1


def measure(task: BlockTask, tell: Callable[[float], None] = lambda _: None) -> BlockResult:
    """Everything about one block. `tell` hears, now and then, what share of the work on it is done."""
    tables, inside = publisher(*task.published), _Inside(task.audits, tell)
    release = tables.release(task.codes)
    values = np.bincount(tables.counts(task.codes)[: tables.tabulated], minlength=len(task.codes) + 1)

    def described(claims: PackedClaims, count: int | None) -> dict[int, int]:
        return identified(claims, task.codes, task.options.min_columns, len(tables.domain.columns), count)

    def verified(published: Release) -> tuple[PackedClaims, int]:
        found = verified_claims(task, published, tables, inside.within)
        inside.next()
        return found

    claims, undecided = verified(release)
    share, ablation, edit = {}, {}, None
    for name, removed in REMOVED.items() if task.ablate else ():
        share[name] = float(values[list(removed)].sum() / tables.tabulated)
        left, open_ = verified(tables.release(task.codes, removed)) if removed else (claims, 0)
        undecided += open_
        ablation[name] = described(left, 1)
    if task.edit:
        known, open_ = verified(publisher(*task.published, True).release(task.codes))
        undecided += open_
        edit = described(known, 1), described(known, None)
    answer = unique(release, time_limit=Deadline.working(FARTHEST), farthest=task.options.farthest)
    settled = as_determined(answer, release).unique
    return BlockResult(
        task.block,
        values,
        claims,
        described(claims, 1),
        described(claims, None),
        share,
        ablation,
        edit,
        settled,
        None if answer.reason else answer.distance / len(task.codes),  # where it ends is not repeatable if it is cut short
        undecided + (settled == "undecided"),
    )


def verified_claims(
    task: BlockTask, release: Release, tables: Publisher, progress: Progress | None = None
) -> tuple[PackedClaims, int]:
    """The claims with enough columns, each one compared with the true records; and how many stayed undecided."""
    result = _audit(task.options, release, progress)
    broken = result.broken_by(tables.dataset(task.codes))
    if broken:
        raise AssertionError(f"block {task.block}: a verified claim is false in the truth: {broken[0]}")
    claims = pack(result, task.options.min_columns, task.options.subject)
    found = claims.matches(task.codes).sum(axis=1)
    if (found != claims.count).any():
        raise AssertionError(f"block {task.block}: {int((found != claims.count).sum())} verified claims are false in the truth")
    return claims, len(result.open)


def _audit(options: StudyOptions, release: Release, progress: Progress | None = None) -> Audit:
    """By the engine asked for; with the published method the time limit is for each claim."""
    if options.engine == "cells":
        return CellsEngine(groups=Groups.NONE).audit(release, options.time_limit, progress)  # the claims of the paper
    engine = onehot_engine(options.solver, options.solutions, options.big_m, Groups.NONE)
    return engine.audit(release, options.time_limit, progress)


def pack(result: Audit, min_columns: int, subject: str = "household") -> PackedClaims:
    """Every form of every fact with at least `min_columns` columns, in the audit's order."""
    kind = KINDS[subject]
    packing = kind.packing
    values = [{text: value for value, text in enumerate(texts) if text} for texts in kind.texts(result.release.domain)]
    rows = [row for row in result.all_rows() if row.columns >= min_columns]
    mask, value = [], []
    for row in rows:
        named = [(packing.shift(i), values[i][code]) for i, code in enumerate(row.values) if code is not None]
        mask.append(sum(packing.mask << at for at, _ in named))
        value.append(sum(code << at for at, code in named))
    numbers = [(row.count, row.columns, GROUNDS.index(row.ground)) for row in rows]
    count, columns, ground = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    return PackedClaims(np.array(mask, dtype=np.int64), np.array(value, dtype=np.int64), count, columns, ground)


def identified(claims: PackedClaims, codes: Ints, least: int, most: int, count: int | None) -> dict[int, int]:
    """For each number of columns, how many records at least one claim (about `count` records) describes."""
    match = claims.matches(codes)
    fitting = np.ones(len(match), dtype=bool) if count is None else claims.count == count
    return {k: int(match[fitting & (claims.columns == k)].any(axis=0).sum()) for k in range(least, most + 1)}
