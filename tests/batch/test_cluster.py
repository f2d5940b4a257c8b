"""The same run on a Dask cluster of real processes, some of which are killed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foregone.batch.part import audit_part
from foregone.batch.run import RunOutcome, Tally, run
from foregone.census.sources import RunOptions, open_run_source
from foregone.model.errors import InputError
from foregone.workers.cluster import DaskExecutor
from foregone.workers.pool import StoppedError, Work
from tests.batch import faulty
from tests.batch.running import ROOT, alive, audited, children, command, finished, same, table, wait_until
from tests.cli.commands import SOURCE

pytestmark = pytest.mark.cluster
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


def on(address: str, units: Path, out: Path, work: Work = audit_part, patience: float | None = None, **others: Any) -> RunOutcome:
    asked = RunOptions()
    opening = partial(open_run_source, options=asked)
    return run(units, out, asdict(asked), opening, lambda: DaskExecutor(address, work, None, patience), **others)


def test_a_killed_worker_loses_nothing(cluster: Any, units: Path, undisturbed: Path, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(tally: Tally) -> None:
        if tally.done_parts == 2 and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            killed.extend(children(killed[0]))
            os.kill(killed[0], signal.SIGKILL)

    ran = on(cluster.scheduler_address, units, tmp_path / "run", faulty.slow, report=kill)
    assert len(killed) >= 2, "a worker does the work in a process of its own"
    wait_until(lambda: not any(map(alive, killed)), 10)
    assert ran.sound
    same(undisturbed, tmp_path / "run")


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (faulty.crashing, "the worker process died (signal 6), 3 times"),
        (faulty.endless, "far beyond the time limit"),
    ],
)
def test_a_release_that_crashes_or_never_ends_fails_alone(
    work: Any, reason: str, cluster: Any, units: Path, undisturbed: Path, tmp_path: Path
) -> None:
    before = sorted(worker.pid for worker in cluster.workers.values())
    bad = table(undisturbed, "summary").release[5]
    ran = on(cluster.scheduler_address, units, tmp_path / "run", partial(work, bad=bad), patience=10.0)
    assert ran.complete
    failures = table(tmp_path / "run", "failures")
    assert failures.release.tolist() == [bad]
    assert reason in failures.reason[0]
    assert sorted(worker.pid for worker in cluster.workers.values()) == before, "the cluster itself is not hurt"
    expected = table(undisturbed, "facts")
    assert table(tmp_path / "run", "facts").equals(expected[expected.release != bad].reset_index(drop=True))


def test_errors_of_the_work_arrive(cluster: Any, units: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="is false in the true records"):
        on(cluster.scheduler_address, units, tmp_path / "run", faulty.miscounting)


@contextmanager
def processes(file: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A scheduler and a worker as commands of their own; the scheduler is what is given back."""
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    commands = {
        "dask_scheduler": ["--scheduler-file", file, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *more],
        "dask_worker": ["--scheduler-file", file, "--nthreads", "1", "--no-dashboard", "--no-nanny"],
    }
    with ExitStack() as stack:
        started = []
        for name, arguments in commands.items():
            line = [sys.executable, "-m", f"distributed.cli.{name}", *map(str, arguments)]
            started.append(subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            stack.callback(started[-1].wait)
            stack.callback(started[-1].kill)
            wait_until(file.is_file)
        yield started[0]


def test_a_killed_scheduler(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    """The run stops with one line and goes on with another cluster, or with none."""
    out, file = tmp_path / "run", tmp_path / "scheduler.json"
    with processes(file) as scheduler:
        address = json.loads(file.read_text("utf-8"))["address"]
        with command("run", units, "--out", out, "--scheduler", address) as process:
            wait_until(lambda: len(finished(out)) >= 1)
            scheduler.kill()
            _, problems = process.communicate(timeout=30)
    assert process.returncode == 3
    assert len(problems.splitlines()) == 1, problems
    assert "the scheduler no longer answers" in problems
    assert "parts are finished and kept; the same command continues" in problems
    assert 0 < len(finished(out)) < len(finished(undisturbed))
    assert audited(units, out).sound
    same(undisturbed, out)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate")
def test_tls_as_the_documentation_has_it(units: Path, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(ROOT, "docs", "cluster.md").read_text("utf-8")
    [make] = [line for line in page.splitlines() if line.startswith("openssl ")]
    [settings] = [block for block in page.split("```") if "require-encryption" in block]
    subprocess.run(shlex.split(make.replace("4096", "2048")), cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "dask.yaml").write_text(settings.removeprefix("text").replace(" cert.pem", f" {tmp_path}/cert.pem").replace(
        " key.pem", f" {tmp_path}/key.pem"
    ))  # fmt: skip
    file = tmp_path / "scheduler.json"
    with monkeypatch.context() as patch:
        patch.setenv("DASK_CONFIG", str(tmp_path / "dask.yaml"))
        with processes(file, "--protocol", "tls"):
            address = json.loads(file.read_text("utf-8"))["address"]
            assert address.startswith("tls://")
            with command("run", units, "--out", tmp_path / "run", "--scheduler", address) as process:
                told, problems = process.communicate(timeout=120)
            assert (process.returncode, problems) == (0, ""), told
            same(undisturbed, tmp_path / "run")
            monkeypatch.setattr("foregone.workers.cluster.CONNECT", 1)
            with pytest.raises(InputError, match="no Dask scheduler answers there"):
                on(address.replace("tls://", "tcp://"), units, tmp_path / "none")
            with pytest.raises(InputError, match="no certificates for TLS"):
                on(address, units, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_no_scheduler_at_the_address(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.workers.cluster.CONNECT", 1)
    with pytest.raises(InputError, match="no Dask scheduler answers there"):
        on("tcp://127.0.0.1:9", units, tmp_path / "run")


def test_other_versions_are_refused(cluster: Any, units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.workers.cluster.__version__", "9.9")
    with pytest.raises(StoppedError, match=r"this is 9\.9; install the same version there"):
        on(cluster.scheduler_address, units, tmp_path / "run")
