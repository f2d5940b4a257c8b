"""What `foregone run` does: what is left of a run over many releases, on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from foregone.batch.part import audit_part
from foregone.batch.run import RunOutcome
from foregone.batch.run import run as audit_all
from foregone.batch.source import RunQuestions, RunSource
from foregone.census.sources import RunOptions, open_run_source
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.workers.pool import LocalPool

OpenRun = Callable[..., AbstractContextManager[RunSource]]


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work of a run, and within which limits."""

    workers: int | None = None
    scheduler: str | None = None
    shard: str | None = None
    time_limit: float | None = None
    memory: float | None = None
    retry: bool = False


def carry_out(
    source: Path,
    out: Path,
    options: RunOptions,
    asked: RunQuestions,
    hands: Hands,
    opened: OpenRun | None = None,
    **telling: Any,
) -> RunOutcome:
    """Do what is left of a run. `opened` opens the source where it is not one of releases or blocks; `telling` are the functions
    that hear how far the run is (`report`, `progress`) and say whether it has to stop (`stopping`).
    """
    if hands.scheduler is not None and hands.workers is not None:
        raise InputError("--workers is for this machine and --scheduler for a cluster; give one of the two")
    limit, bytes_ = hands.time_limit, None if hands.memory is None else int(hands.memory * 1e9)
    patience = None if limit is None else 3 * limit + 30  # the engine may overshoot its limit, but not by this much

    def executor() -> Any:
        if hands.scheduler is not None:
            from foregone.workers.cluster import DaskExecutor

            return DaskExecutor(hands.scheduler, audit_part, bytes_, patience)
        return LocalPool(audit_part, hands.workers or cores(), bytes_, patience)

    return audit_all(
        source,
        out,
        asdict(options),
        partial(opened or open_run_source, options=options),
        executor,
        asked=asked,
        shard=_shard(hands.shard),
        time_limit=limit,
        retry=hands.retry,
        settings={"time_limit": limit, "memory": hands.memory},
        **telling,
    )


def cores() -> int:
    """How many cores this process may use: a job on a cluster often has a share of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shard(text: str | None) -> tuple[int, int]:
    """The share of a run that I/N names."""
    if text is None:
        return 1, 1
    first, slash, last = text.partition("/")
    numbers = first.isascii() and first.isdigit() and last.isascii() and last.isdigit() and len(text) < 20
    if not slash or not numbers or not 1 <= int(first) <= int(last):
        raise InputError(f"--shard {shown(text)}: write I/N with I from 1 to N, such as 3/40")
    return int(first), int(last)
