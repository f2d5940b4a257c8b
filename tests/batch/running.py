"""Runs in tests: in this process with real worker processes, or as a command of its own; and how they are compared."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from foregone.batch.part import audit_part
from foregone.batch.run import RunOutcome, Tally, run
from foregone.census.sources import RunOptions, open_run_source
from foregone.workers.pool import LocalPool, Work
from tests.cli.commands import SOURCE

ROOT = str(Path(__file__).resolve().parents[2])
SECONDS = 0.08  # of work in a part, so that a small country has several
# the command itself, but that each release takes long enough for somebody to come in between
COMMAND = f"""
import foregone.batch.plan, foregone.batch.part
from foregone.cli.app import main
from tests.batch.faulty import slow
foregone.batch.plan.SECONDS = {SECONDS}
foregone.batch.part.audit_part = slow
main()
"""


def audited(
    source: Path,
    out: Path,
    *,
    workers: int = 2,
    work: Work = audit_part,
    options: RunOptions | None = None,
    memory: int | None = None,
    patience: float | None = None,
    during: Callable[[LocalPool[Any, Any], Tally], None] | None = None,
    **others: Any,
) -> RunOutcome:
    """A run whose pool can be got at while it works."""
    pools: list[LocalPool[Any, Any]] = []

    def pool() -> Any:
        pools.append(LocalPool(work, workers, memory, patience))
        return pools[-1]

    def report(tally: Tally) -> None:
        if pools and during:
            during(pools[-1], tally)

    asked = options or RunOptions()
    return run(source, out, asdict(asked), partial(open_run_source, options=asked), pool, report=report, **others)


def same(first: Path, second: Path) -> None:
    """Facts and failures byte for byte, summaries but for the seconds and the loop."""
    names = {kind: sorted(p.name for p in (first / kind).iterdir()) for kind in ("facts", "failures", "summary")}
    for kind, found in names.items():
        assert found == sorted(p.name for p in (second / kind).iterdir()), kind
    for kind in ("facts", "failures"):
        for name in names[kind]:
            assert (first / kind / name).read_bytes() == (second / kind / name).read_bytes(), (kind, name)
    for name in names["summary"]:
        one, other = (pd.read_parquet(path / "summary" / name).drop(columns=["seconds", "loop"]) for path in (first, second))
        pd.testing.assert_frame_equal(one, other)


def table(out: Path, kind: str) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in sorted((out / kind).glob("*.parquet"))], ignore_index=True)


def finished(out: Path) -> list[str]:
    folder = out / "summary"
    return sorted(path.stem for path in folder.glob("*.parquet")) if folder.is_dir() else []


@contextmanager
def command(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """`foregone` as a process of its own, in no hurry, ended at the latest with the test."""
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    """Of all threads of a process."""
    return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


def alive(pid: int) -> bool:
    """Is there such a process, and has it not ended?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
