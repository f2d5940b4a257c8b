"""What a command answers does not depend on who listens: closed pipes, full disks, streams that are not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.commands import SOURCE, run, write_release

pytestmark = pytest.mark.slow

CODE = "from foregone.cli.app import main; main()"


def started(arguments: Sequence[object], before: str = "", **streams: object) -> tuple[int, str]:
    """Exit status and standard error of a command with these streams; `before` runs in it first."""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run(
        [sys.executable, "-c", before + CODE, *map(str, arguments)], env=environment, timeout=120, check=False, **options
    )  # type: ignore[call-overload]
    return done.returncode, (done.stderr or b"").decode()


def closed_pipe() -> int:
    """A pipe that nobody reads."""
    ours, theirs = os.pipe()
    os.close(ours)
    return theirs


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


def gate(release: Path) -> list[object]:
    """No single record may be known, and one is."""
    (release / "statistics.csv").write_text("SEX,AGE,count\n,,5\nF,65-74,1\n")
    limits = release.with_name("limits.toml")
    limits.write_text("fewest_columns = 1\n")
    return ["report", release, "--out", release.with_name("page.html"), "--thresholds", limits, "--gate", "--explain", 0]


def rejected(release: Path) -> Path:
    """A proofs file that is not of this release."""
    path = release.with_name("proofs.json")
    assert run("audit", release, "--proofs", path).status == 0
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "release": "0" * 64}), "utf-8")
    return path


COMMANDS: dict[str, tuple[Callable[[Path], list[object]], int]] = {
    "verified": (lambda release: ["verify", release, "SEX=F", "--count", 2], 0),
    "refuted": (lambda release: ["verify", release, "SEX=F, AGE=75-84", "--count", 1], 1),
    "possible": (lambda release: ["verify", release, "SEX=F", "--count", 1, "--possible"], 1),
    "unique": (lambda release: ["unique", release], 1),
    "check": (lambda release: ["check", release, rejected(release)], 1),
    "gate": (gate, 1),
    "bounds": (lambda release: ["bounds", release, "SEX=F"], 0),
    "explain": (lambda release: ["explain", release, "SEX=F", "--count", 2], 0),
    "bad input": (lambda release: ["bounds", release, "SXE=F"], 2),
    "bad usage": (lambda release: ["bounds", release, "--nonsense"], 2),
    "help": (lambda _: ["--help"], 0),
    "help of a command": (lambda _: ["verify", "--help"], 0),
    "version": (lambda _: ["--version"], 0),
    "tables": (lambda _: ["census", "tables"], 0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_closed_pipe_changes_no_exit_status(release: Path, name: str) -> None:
    arguments, status = COMMANDS[name]
    pipe = closed_pipe()
    try:
        assert started(arguments(release), stdout=pipe)[0] == status
        if name in ("refuted", "bad input", "bad usage"):
            assert started(arguments(release), stdout=pipe, stderr=pipe)[0] == status
    finally:
        os.close(pipe)


def test_the_work_goes_on_when_nobody_listens(release: Path, tmp_path: Path) -> None:
    pipe = closed_pipe()
    assert started(["audit", release, "--out", tmp_path / "claims.csv"], stdout=pipe) == (0, "")
    os.close(pipe)
    assert (tmp_path / "claims.csv").read_text().startswith("SEX,AGE,count")


def test_a_reader_that_leaves_after_the_first_line(release: Path) -> None:
    command = f'"{sys.executable}" -c "{CODE}" unique "{release}" | head -1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONPATH": SOURCE})
    assert done.stdout.splitlines()[1] == "1"
    assert done.stderr == ""


@pytest.mark.parametrize(("name", "status"), [("verified", 2), ("refuted", 1), ("help", 2), ("bad input", 2)])
def test_a_full_device_is_no_success(release: Path, name: str, status: int) -> None:
    with open("/dev/full", "wb") as full:
        ended, told = started(COMMANDS[name][0](release), stdout=full)
    assert ended == status
    assert len(told.splitlines()) == 1
    if name != "bad input":
        assert told.startswith("error: standard output: could not be written (No space left on device)")


@pytest.mark.parametrize("numbers", [(1,), (2,), (1, 2), (0, 1, 2)])
def test_streams_that_are_not_there(release: Path, tmp_path: Path, numbers: tuple[int, ...]) -> None:
    """What is written to a file must not end up under the number of a stream, nor the other way round."""
    before = "".join(f"import os; os.close({number}); " for number in numbers)
    assert started(COMMANDS["refuted"][0](release), before, stderr=subprocess.DEVNULL)[0] == 1
    assert started(["audit", release, "--out", tmp_path / "claims.csv"], before, stderr=subprocess.DEVNULL)[0] == 0
    assert (tmp_path / "claims.csv").read_text().startswith("SEX,AGE,count")


def test_a_terminal_that_knows_few_letters(tmp_path: Path) -> None:
    domain = {"record": "Bürger", "columns": {"SEX": {"F": "weiblich ♀", "M": "m"}}}
    release = write_release(tmp_path / "release", "SEX,count\n,2\nF,1\n", domain)
    done = subprocess.run(
        [sys.executable, "-c", CODE, "verify", str(release), "SEX=F", "--count", "1"],
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"B\xfcrger has SEX: weiblich \\u2640" in done.stdout
