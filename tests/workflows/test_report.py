"""The page is there before anything is explained, and explanations stop when their time is over or somebody stops them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import foregone as fg
from foregone.engine import case
from foregone.engine.answers import explain
from foregone.engine.system.linear import LinearSystem, compile_release
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.pages import explanations
from foregone.pages.derivation import Derivation, derive
from foregone.pages.write import Written
from foregone.solvers.deadline import Deadline
from foregone.workflows.report import StoppedReport, report
from tests.cli.commands import run

START = "from foregone.cli.app import main; main()"
WHY = "why?</span>"  # on every fact that is explained
COMMAND = "foregone explain release "


@pytest.fixture
def release(tmp_path: Path) -> Path:
    people = {"SEX": ["F", "F", "M", "M", "M"], "AGE": ["1", "2", "2", "3", "3"], "TOWN": ["a", "b", "b", "c", "c"]}
    fg.tabulate(people, margins=["SEX,AGE", "AGE,TOWN"]).write(tmp_path / "release")
    return tmp_path / "release"


def page(written: Written) -> str:
    return written.page.read_text("utf-8")


def beside(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"release"}


def test_without_time_the_page_is_complete_without_explanations(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report(release, tmp_path / "whole.html", date="2020-01-01")
    monkeypatch.setattr(explanations, "derive", None)  # nobody asks for one
    written = report(release, tmp_path / "page.html", date="2020-01-01", explain_seconds=0)
    assert (written.explained, written.wanted) == (0, 0)
    assert whole.explained == whole.wanted > 3
    assert page(whole).count(WHY) == whole.explained
    text = page(written)
    assert WHY not in text
    assert text.count('<li class="fact"') == page(whole).count('<li class="fact"') == written.shown == whole.shown
    assert text.count("To see the numbers that force it:") == written.shown
    assert "Open a fact to copy the command that shows the published numbers that force it." in text
    assert (tmp_path / "page.results.json").read_text() == (tmp_path / "whole.results.json").read_text()
    assert written.outcome == whole.outcome


def test_the_page_is_there_before_the_first_explanation_begins(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, seen = tmp_path / "page.html", list[str]()

    def watched(release: Release, predicate: Predicate, count: int, deadline: Deadline) -> Derivation:
        seen.append(out.read_text("utf-8"))
        assert {"page.html", "page.results.json"} <= beside(tmp_path)
        return derive(release, predicate, count, deadline=deadline)

    monkeypatch.setattr(explanations, "derive", watched)
    written = report(release, out, explain=3)
    assert len(seen) == written.explained == 3
    assert all("</html>" in text and WHY not in text for text in seen)
    assert page(written).count(WHY) == 3


def test_a_case_will_do_for_a_release(release: Path, tmp_path: Path) -> None:
    published = fg.Release.read(release)
    pages = [report(source, tmp_path / "page.html", date="2020-01-01") for source in (published, fg.Case(published))]
    assert pages[0].explained == pages[1].explained > 3
    case = page(pages[1])
    report(published, tmp_path / "page.html", date="2020-01-01")
    assert case == page(pages[0])
    assert "About <b>release</b>" in case


def test_the_audit_and_all_explanations_come_from_one_case(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, asked = list[Release](), list[object]()
    whole = fg.Release.read(release)

    def counted(release: Release, *limits: Any) -> LinearSystem:
        compiled.append(release)
        return compile_release(release, *limits)

    def watched(source: fg.Case, predicate: Predicate, count: int, deadline: Deadline) -> Derivation:
        asked.append(source)
        return derive(source, predicate, count, deadline=deadline)

    for module in (case, explain):
        monkeypatch.setattr(module, "compile_release", counted)
    monkeypatch.setattr(explanations, "derive", watched)
    written = report(release, tmp_path / "page.html", explain_seconds=None)
    assert len(asked) == written.explained > 3
    assert len({id(source) for source in asked}) == 1
    assert sum(each.fingerprint() == whole.fingerprint() for each in compiled) == 1


def test_when_time_is_over_the_page_has_what_was_found(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(release: Release, predicate: Predicate, count: int, deadline: Deadline) -> Derivation:
        while not deadline.passed() and deadline.left() < 0.3:
            time.sleep(0.01)
        made = derive(release, predicate, count)
        time.sleep(0.25)
        return made

    monkeypatch.setattr(explanations, "derive", slowly)
    written = report(release, tmp_path / "page.html", explain_seconds=0.4)
    assert 0 < written.explained < written.wanted
    assert page(written).count(WHY) == written.explained
    assert beside(tmp_path) == {"page.html", "page.results.json"}  # and no draft


def test_a_limit_that_ends_within_an_explanation_keeps_what_is_enough(release: Path, tmp_path: Path) -> None:
    written = report(release, tmp_path / "page.html", explain_seconds=1e-9)
    assert written.explained <= written.wanted
    assert "</html>" in page(written)
    for seconds in (0.005, 0.02, 0.05):
        written = report(release, tmp_path / "page.html", explain_seconds=seconds)
        assert page(written).count(WHY) == written.explained


def test_stopping_keeps_the_page_and_what_was_found(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def stopped(release: Release, predicate: Predicate, count: int, deadline: Deadline) -> Derivation:
        nonlocal made
        if made == 2:
            raise KeyboardInterrupt
        made += 1
        return derive(release, predicate, count, deadline=deadline)

    monkeypatch.setattr(explanations, "derive", stopped)
    with pytest.raises(KeyboardInterrupt) as error:
        report(release, tmp_path / "page.html")
    assert isinstance(error.value, StoppedReport)
    assert page(error.value.written).count(WHY) == error.value.written.explained == 2
    made = 0
    ran = run("report", release, "--out", tmp_path / "other.html")
    assert ran.status == 0
    assert "stopped while facts were explained; the page is complete otherwise" in ran.err
    assert "2 of " in ran.out
    assert "Outcome: " in ran.out
    assert (tmp_path / "other.html").read_text("utf-8").count(WHY) == 2


def test_the_command_says_how_many_are_explained(release: Path, tmp_path: Path) -> None:
    ran = run("report", release, "--out", tmp_path / "page.html")
    assert "explained" not in ran.out
    ran = run("report", release, "--out", tmp_path / "none.html", "--explain-seconds", "0")
    assert "explained" not in ran.out
    assert COMMAND in (tmp_path / "none.html").read_text("utf-8") or str(release) in (tmp_path / "none.html").read_text("utf-8")
    ran = run("report", release, "--out", tmp_path / "all.html", "--explain-seconds", "inf")
    assert (tmp_path / "all.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    ran = run("report", release, "--out", tmp_path / "few.html", "--explain-seconds", "0.000001")
    assert "facts are explained on the page; each of the others shows the command that explains it" in ran.out
    assert "replaced" not in ran.err


@pytest.mark.slow
def test_control_c_and_progress_for_real(release: Path, tmp_path: Path) -> None:
    """Explanations that never end: progress is told on stderr after two seconds, and Ctrl-C leaves a whole page."""
    endless = (
        "import signal, time\nfrom foregone.pages import explanations\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # it may be ignored where tests run in the background
        "def endless(*given, **named):\n    while True: time.sleep(0.05)\n"
        f"explanations.derive = endless\n{START}"
    )
    out = tmp_path / "page.html"
    started = subprocess.Popen(
        [sys.executable, "-c", endless, "report", str(release), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(Path(fg.__file__).parents[1]), "PATH": ""},
    )
    assert started.stderr is not None
    said = started.stderr.readline()
    assert "explaining (the page is there; Ctrl-C keeps it) 0 of" in said
    assert "</html>" in out.read_text("utf-8")
    started.send_signal(signal.SIGINT)
    told, wrong = started.communicate(timeout=60)
    assert started.returncode == 0, wrong
    assert "Traceback" not in wrong
    assert "Outcome: " in told
    assert beside(tmp_path) == {"page.html", "page.results.json"}
