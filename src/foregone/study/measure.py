"""Everything that is found out about one block; runs in worker processes, so plain numbers go in and come out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import cost_of
from foregone.census.kinds import kind_of
from foregone.census.packing import Ints
from foregone.census.publish import publisher
from foregone.census.publisher import Publisher
from foregone.model.audit import Audit
from foregone.model.claim import Ground, Verdict
from foregone.model.families import Groups
from foregone.model.release import Release
from foregone.questions.ask import unique
from foregone.questions.cells import Cells

GROUNDS = tuple(ground.value for ground in Ground)
REMOVED: dict[str, tuple[int, ...]] = {"none": (), "1": (1,), "0": (0,), "0,1": (0, 1)}
FARTHEST = 60.0  # seconds spent on how far apart two datasets of a block can be


@dataclass(frozen=True, slots=True)
class BlockTask:
    """One block to measure: its packed records and what to do with them."""

    block: str
    codes: Ints
    variant: str
    units: str
    min_columns: int
    ablate: bool
    edit: bool
    time_limit: float | None
    engine: str = "cells"
    solver: str = "highs"
    subject: str = "household"

    @property
    def cost(self) -> float:
        """Seconds, roughly, to tell large blocks from small ones; each audit costs about the same."""
        audits = 1 + self.ablate * (len(REMOVED) - 1) + self.edit
        return audits * float(cost_of(np.array(len(self.codes))))


@dataclass(frozen=True, slots=True)
class PackedClaims:
    """Verified claims in packed form: a record matches claim i when code & mask[i] == value[i]."""

    mask: Ints
    value: Ints
    count: Ints
    columns: Ints
    ground: Ints


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


def measure(task: BlockTask) -> BlockResult:
    tables = publisher(task.subject, task.variant, task.units)
    release = tables.release(task.codes)
    claims, undecided = _verified(task, release, tables)
    values = np.bincount(tables.counts(task.codes)[: tables.tabulated], minlength=len(task.codes) + 1)
    share, ablation, edit = {}, {}, None
    if task.ablate:
        for name, removed in REMOVED.items():
            share[name] = float(values[list(removed)].sum() / tables.tabulated)
            if removed:
                left, open_ = _verified(task, tables.release(task.codes, removed), tables)
                undecided += open_
            else:
                left = claims
            ablation[name] = identified(left, task.codes, task.min_columns, len(tables.domain.columns), 1)
    columns = len(tables.domain.columns)
    if task.edit:
        known, open_ = _verified(task, publisher(task.subject, task.variant, task.units, True).release(task.codes), tables)
        undecided += open_
        one, every = (identified(known, task.codes, task.min_columns, columns, count) for count in (1, None))
        edit = one, every
    answer = unique(release, FARTHEST)
    settled = {Verdict.VERIFIED.value: "true", Verdict.REFUTED.value: "false"}.get(answer.verdict.value, "undecided")
    return BlockResult(
        task.block,
        values,
        claims,
        identified(claims, task.codes, task.min_columns, columns, 1),
        identified(claims, task.codes, task.min_columns, columns, None),
        share,
        ablation,
        edit,
        settled,
        None if answer.reason else answer.distance / len(task.codes),  # a search cut short by the clock is not repeatable
        undecided + (settled == "undecided"),
    )


def _verified(task: BlockTask, release: Release, tables: Publisher) -> tuple[PackedClaims, int]:
    """The claims with enough columns, each one compared with the true records."""
    result = _audit(task, release)
    broken = result.broken_by(tables.dataset(task.codes))
    if broken:
        raise AssertionError(f"block {task.block}: a verified claim is false in the truth: {broken[0]}")
    claims = pack(result, task.min_columns, task.subject)
    found = matches(claims, task.codes).sum(axis=1)
    if (found != claims.count).any():
        raise AssertionError(f"block {task.block}: {int((found != claims.count).sum())} verified claims are false in the truth")
    return claims, len(result.open)


def _audit(task: BlockTask, release: Release) -> Audit:
    """By the engine asked for; with the published method the time limit is for each claim."""
    if task.engine == "cells":
        return Cells(groups=Groups.NONE).audit(release, task.time_limit)  # the claims of the paper
    from foregone.onehot.engine import OneHotEngine
    from foregone.solvers.ip.registry import load

    return OneHotEngine(load(task.solver), groups=Groups.NONE).audit(release, task.time_limit)


def pack(result: Audit, min_columns: int, subject: str = "household") -> PackedClaims:
    """Every form of every fact with at least `min_columns` columns, in the audit's order."""
    kind = kind_of(subject)
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


def matches(claims: PackedClaims, codes: Ints) -> NDArray[np.bool_]:
    """Which records (columns) each claim (row) describes."""
    return np.asarray((codes[None, :] & claims.mask[:, None]) == claims.value[:, None])


def identified(claims: PackedClaims, codes: Ints, least: int, most: int, count: int | None) -> dict[int, int]:
    """For each number of columns, how many records at least one claim (about `count` records) describes."""
    match = matches(claims, codes)
    fitting = np.ones(len(match), dtype=bool) if count is None else claims.count == count
    return {k: int(match[fitting & (claims.columns == k)].any(axis=0).sum()) for k in range(least, most + 1)}
