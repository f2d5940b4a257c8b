"""What a slow command says while it works: lines in a log, a bar on a terminal, nothing when it is quick."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from functools import partial
from itertools import pairwise

import pytest

from foregone.batch.overview import line
from foregone.batch.run import Tally
from foregone.cli.progress import LOG, SCREEN, Rhythm, Speaker, _words, told
from foregone.cli.protect import live
from foregone.cli.run import _Ears, _Teller
from tests.batch.test_time_left import Clock


def words_of(stage: str, share: float | None, left: float | None) -> str:
    return f"{stage} {share} {left is not None}"


SLOW = """
import time
from foregone.cli.progress import slow
with slow("Study") as progress:
    for i in range({steps}):
        progress("blocks", i, {steps})
        time.sleep({pause})
"""


def said(shares: list[tuple[float, str, float | None]]) -> list[tuple[float, str]]:
    """When something is said about work that is at (seconds, stage, share)."""
    clock, heard = Clock(), list[tuple[float, str]]()
    speaker = Speaker(lambda text: heard.append((clock.now - 1000, text)), LOG, "Study", clock)
    for when, stage, share in shares:
        while clock.now < 1000 + when:
            clock.now = min(clock.now + 0.5, 1000 + when)
            speaker.tick()
        speaker.at(stage, share, partial(words_of, stage, share))
    return heard


def test_quick_work_says_nothing() -> None:
    assert said([(i / 10, "blocks", i / 20) for i in range(20)]) == []


def test_every_tenth_is_told_and_nothing_between() -> None:
    heard = said([(i, "blocks", i / 200) for i in range(1, 200)])
    times = [when for when, _ in heard]
    assert 9 <= len(times) <= 12
    assert times[0] == 2
    assert all(15 <= b - a <= 21 for a, b in pairwise(times[1:]))
    assert heard[-1][1].endswith("True")


def test_slow_work_is_told_every_half_minute() -> None:
    heard = said([(i, "blocks", i / 100_000) for i in range(1, 301)])
    times = [when for when, _ in heard]
    assert times == [2 + 30 * i for i in range(10)]


def test_work_that_never_calls_back_is_told_too() -> None:
    heard = said([(0, "", None), (70, "", None)])
    assert [when for when, _ in heard] == [2, 32, 62]


def test_a_new_stage_is_told_but_not_a_storm_of_them() -> None:
    heard = said([(i / 10, f"stage {i}", None) for i in range(100)])
    times = [when for when, _ in heard]
    assert all(b - a >= LOG.least for a, b in pairwise(times))
    assert 4 <= len(times) <= 5


def test_a_screen_changes_often() -> None:
    clock, heard = Clock(), list[str]()
    speaker = Speaker(heard.append, SCREEN, "Study", clock)
    for i in range(100):
        clock.now += 0.1
        speaker.at("blocks", i / 100, lambda _: "x")
    assert 40 <= len(heard) <= 51


def test_words() -> None:
    assert _words("blocks", 1, 5, None, "") == "blocks 1 of 5 (20 %)"
    assert _words("fingerprint of the input", 3_000_000, 6_000_000, None, "") == "fingerprint of the input (50 %)"
    tally = Tally("block", 1000, 10, 50.0, done_cost=20.0)
    tally.totals["releases"] = 400
    assert "400 of 1,000 blocks" in line(tally, 100.0)
    assert "about 2 min left" in line(tally, 100.0)
    assert "left" not in line(tally, None)


def _run(steps: int, pause: float, **environment: str) -> subprocess.CompletedProcess[str]:
    script = SLOW.format(steps=steps, pause=pause)
    given = {name: value for name, value in os.environ.items() if name != "FOREGONE_PROGRESS"} | environment
    return subprocess.run([sys.executable, "-c", script], env=given, capture_output=True, text=True, timeout=60)


def test_a_quick_command_leaves_the_log_empty() -> None:
    done = _run(3, 0.01)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_run_and_a_protection_tell_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("FOREGONE_PROGRESS")
    monkeypatch.setattr("foregone.cli.progress.LOG", Rhythm(0.0, 0.0, 0.0, 0.0))
    with live() as watch:
        watch(3, None)
        watch(3, 7)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("Protecting: at least 3, best so far none found yet (Ctrl-C keeps the best), ")
    assert "best so far 7" in said[1]
    with _Ears() as ears, told("Run") as speaker:
        teller = _Teller(ears, True, speaker)
        teller.stage("fingerprint of the input", 1, 4)
        teller.tally(Tally("block", 1000, 10, 50.0))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "fingerprint of the input: 25 %"
    assert said[1].startswith("0 of 1,000 blocks · starting")
    monkeypatch.setenv("FOREGONE_PROGRESS", "none")
    with live() as watch:
        watch(3, None)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_slow_command_writes_plain_lines_into_a_log() -> None:
    done = _run(50, 0.1)
    lines = done.stderr.splitlines()
    assert lines
    assert all(text.startswith("Study: blocks ") and " of 50 (" in text for text in lines)
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stdout == ""
    assert _run(50, 0.06, FOREGONE_PROGRESS="none").stderr == ""


@pytest.mark.slow
def test_a_terminal_sees_a_bar() -> None:
    leader, follower = pty.openpty()
    given = {name: value for name, value in os.environ.items() if name != "FOREGONE_PROGRESS"} | {"TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW.format(steps=40, pause=0.1)], env=given, stderr=follower, stdout=subprocess.DEVNULL
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert process.wait(30) == 0
    text = seen.decode()
    assert "Study: blocks" in text
    assert "━" in text
