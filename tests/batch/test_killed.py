"""Processes are killed, memory and disk run out, releases crash: nothing is lost and the results are those of a quiet run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from typing import Any

import pandas as pd
import pytest

from foregone.batch.part_files import FalseClaimError
from foregone.batch.run import Tally
from foregone.model.errors import InputError
from foregone.workers.pool import START, LocalPool, StoppedError
from tests.batch import faulty
from tests.batch.running import alive, audited, children, command, finished, same, table, wait_until
from tests.cli.commands import run

pytestmark = pytest.mark.slow
Pool = LocalPool[Any, Any]


def drafts(out: Path) -> list[Path]:
    return [path for path in out.rglob("*") if "draft" in path.name]


def _has(out: Path, parts: int) -> bool:
    return len(finished(out)) >= parts


def _gone(processes: list[int]) -> bool:
    return not any(map(alive, processes))


def test_a_killed_worker_loses_nothing(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(pool: Pool, tally: Tally) -> None:
        """Twice, and each time a worker in the middle of a part."""
        if len(killed) < 2 and tally.done_parts >= 1 + 2 * len(killed):
            for busy in [worker for worker in pool.workers if worker.job is not None and worker.at][:1]:
                killed.append(busy.process.pid or 0)
                os.kill(killed[-1], signal.SIGKILL)

    ran = audited(units, tmp_path / "run", work=faulty.slow, during=kill)
    assert len(killed) == 2
    assert ran.sound
    same(undisturbed, tmp_path / "run")


def test_a_killed_run_is_continued(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    for parts in (1, 3):
        with command("run", units, "--out", out, "--workers", 2) as process:
            wait_until(partial(_has, out, parts))
            started = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(process.pid)}
            workers = [pid for pid, line in started.items() if b"foregone.workers.pool" in line]
            assert len(workers) == 2
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            wait_until(partial(_gone, workers), 10)
        assert parts <= len(finished(out)) < len(finished(undisturbed))
        assert json.loads((out / "run.json").read_text("utf-8"))["complete"] is False
    (out / "facts" / f".{finished(undisturbed)[0]}.parquet.1.draft").write_bytes(b"half")
    with command("run", units, "--out", out, "--workers", 2) as process:
        told, problems = process.communicate(timeout=60)
    assert (process.returncode, problems) == (0, "")
    assert "of them earlier)" in told
    assert not drafts(out)
    same(undisturbed, out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_so_and_is_continued(number: int, units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with command("run", units, "--out", out, "--workers", 1) as process:
        wait_until(lambda: len(finished(out)) >= 1)
        process.send_signal(number)
        _, problems = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "parts are finished and kept; the same command continues" in problems
    assert len(problems.splitlines()) == 1
    audited(units, out)
    same(undisturbed, out)


@pytest.mark.parametrize(("work", "how"), [(faulty.crashing, "signal 6"), (faulty.leaving, "exit status 7")])
def test_a_release_that_kills_its_worker_fails_alone(work: Any, how: str, units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "run", table(undisturbed, "summary").release[5]
    ran = audited(units, out, work=partial(work, bad=bad))
    assert ran.complete
    failures = table(out, "failures")
    assert failures.release.tolist() == [bad]
    assert f"the worker process died ({how}), 3 times" in failures.reason[0]
    expected = table(undisturbed, "facts")
    assert table(out, "facts").equals(expected[expected.release != bad].reset_index(drop=True))
    assert bad not in table(out, "summary").release.tolist()
    assert audited(units, out, retry=True).sound
    same(undisturbed, out)


def test_a_release_that_exceeds_memory_fails_alone(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "run", table(undisturbed, "summary").release[8]
    audited(units, out, work=partial(faulty.hungry, bad=bad), memory=2_000_000_000)
    failures = table(out, "failures")
    assert failures.release.tolist() == [bad]
    assert "memory ran out" in failures.reason[0]
    assert len(table(out, "summary")) == len(table(undisturbed, "summary")) - 1


def test_a_release_that_never_ends_fails_alone(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "run", table(undisturbed, "summary").release[11]
    audited(units, out, work=partial(faulty.endless, bad=bad), patience=2.0)
    failures = table(out, "failures")
    assert failures.release.tolist() == [bad]
    assert "far beyond the time limit" in failures.reason[0]
    assert len(table(out, "summary")) == len(table(undisturbed, "summary")) - 1


def test_an_error_in_a_release_is_its_reason(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "run", table(undisturbed, "summary").release[2]
    audited(units, out, work=partial(faulty.puzzled, bad=bad))
    failures = table(out, "failures")
    assert failures.to_dict("records") == [{"release": bad, "state": bad[:2], "reason": "IndexError: list index out of range"}]


@pytest.mark.parametrize("work", [faulty.miscounting, faulty.overstating])
def test_a_false_claim_stops_the_run(work: Any, units: Path, tmp_path: Path) -> None:
    with pytest.raises(FalseClaimError, match="is false in the true records"):
        audited(units, tmp_path / "run", work=work)
    assert not finished(tmp_path / "run")


def test_workers_that_cannot_start_are_given_up(units: Path, tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match=r"do not start .*0 of \d+ parts"):
        audited(units, tmp_path / "run", work=_Unloadable())


class _Unloadable:
    def __call__(self, *_: object) -> None: ...

    def __reduce__(self) -> Any:
        return os._exit, (9,)


def test_a_full_disk(units: Path, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third part meets a device that is always full, so that the kernel itself refuses the bytes."""
    out = tmp_path / "run"
    make = tempfile.mkdtemp

    def full(suffix: str | None = None, prefix: str | None = None, dir: Path | None = None) -> str:
        made = make(suffix, prefix, dir)
        if prefix and dir and dir.name == "failures" and len(finished(out)) == 2:
            (Path(made) / prefix.strip(".")).symlink_to("/dev/full")
        return made

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkdtemp", full)
        with pytest.raises(StoppedError, match=r"No space left on device.*2 of \d+ parts are finished and kept") as stopped:
            audited(units, out)
    assert "\n" not in str(stopped.value)
    assert len(finished(out)) == 2
    assert audited(units, out).sound
    assert not drafts(out)
    same(undisturbed, out)


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A file system with room for a few parts."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_small_disk(units: Path, undisturbed: Path, small_disk: Path) -> None:
    out = small_disk / "run"
    ran = run("run", units, "--out", out, "--workers", 1)
    assert ran.status == 3
    assert len(ran.problems) == 1
    assert "No space left on device" in ran.err
    assert "the same command continues" in ran.err
    kept = finished(out)
    assert 0 < len(kept) < len(finished(undisturbed))
    assert not drafts(out)
    subprocess.run(["mount", "-o", "remount,size=10M", small_disk], check=True)
    ran = run("run", units, "--out", out, "--workers", 2)
    assert ran.status == 0, ran.err
    same(undisturbed, out)


def test_two_runs_do_not_write_to_one_folder(units: Path, tmp_path: Path) -> None:
    def second(_: Pool, __: Tally) -> None:
        with pytest.raises(InputError, match="another run is writing"):
            audited(units, tmp_path / "run")
        raise KeyboardInterrupt

    with pytest.raises(StoppedError, match="stopped"):
        audited(units, tmp_path / "run", during=second)


@pytest.mark.parametrize("told", [0, 1])
def test_a_worker_says_nothing_if_nobody_lives_to_tell_it_what_to_do(told: int) -> None:
    ours, theirs = socketpair()
    with theirs:
        started = [sys.executable, "-c", START, str(theirs.fileno())]
        process = subprocess.Popen(started, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
    with Connection(ours.detach()) as pipe:
        for _ in range(told):
            pipe.send(sys.path)
    assert process.communicate(timeout=60)[1] == ""


def test_failures_and_exit_status(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.workflows.run.audit_part", partial(faulty.puzzled, bad=_first(units)))
    ran = run("run", units, "--out", tmp_path / "run", "--limit", 4, "--workers", 1)
    assert ran.status == 3
    assert "Failed: 1." in ran.out
    assert f"What failed, and why, is in {tmp_path / 'run' / 'failures'}" in ran.out


def _first(units: Path) -> str:
    return str(pd.read_parquet(units, columns=["block"]).block.min())
