"""What a page says to do next: whose limit it was, and commands that work as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from foregone import Policy, Primary, audit, report, tabulate
from foregone.batch.subject import ANY
from foregone.formats.folder import write_release
from foregone.formats.policy import read_policy
from foregone.pages.commands import Place, protect_commands
from foregone.pages.ranking import audited_release
from foregone.pages.release_page import PageOptions
from foregone.pages.write import write_release_page
from tests.cli.commands import SOURCE, run
from tests.pages.samples import town


def commands(page: Path) -> list[str]:
    return [unescape(text) for text in re.findall(r'data-copy="([^"]*)"', page.read_text("utf-8"))]


def steps(page: Path) -> str:
    text = page.read_text("utf-8")
    return unescape(text.split('class="next"')[1].split("</section>")[0]) if 'class="next"' in text else ""


def in_shell(folder: Path, *lines: str) -> list[int]:
    """The lines as somebody would paste them into a terminal."""
    tool = folder / "bin" / "foregone"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -c "from foregone.cli.app import main; main()" "$@"\n')
    tool.chmod(0o755)
    path = f"{tool.parent}:/usr/bin:/bin"
    return [subprocess.run(["sh", "-c", line], cwd=folder, env={"PATH": path}, check=False).returncode for line in lines]


@pytest.mark.slow
def test_commands_on_the_page_work_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_release(town(), tmp_path / "a town's")
    run("report", "a town's", "--out", "page.html", "--explain", 1)
    found = commands(tmp_path / "page.html")
    protect, what_if = (next(line for line in found if line.startswith(f"foregone {word} ")) for word in ("protect", "audit"))
    explain = next(line for line in found if line.startswith("foregone explain "))
    assert in_shell(tmp_path, protect, what_if, explain) == [0, 0, 0]
    assert (tmp_path / "a town's-protected" / "statistics.csv").is_file()
    assert "would vanish" in (tmp_path / "a town's-what-if.html").read_text("utf-8")


@pytest.mark.slow
def test_what_is_to_be_reviewed_gets_a_command_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default policy of protect asks for nothing that is merely to be reviewed."""
    monkeypatch.chdir(tmp_path)
    people = {"SEX": ["F", "M", "M", "M"], "AGE": ["old", "young", "old", "young"]}
    write_release(tabulate(people, margins=["SEX", "AGE"], record="person"), tmp_path / "few")
    run("report", "few", "--out", "page.html", "--explain", 0)
    assert "The first command saves the review limit" not in steps(tmp_path / "page.html")
    protect = commands(tmp_path / "page.html")[0]
    assert "--columns 1" in protect
    assert in_shell(tmp_path, protect) == [0]
    (tmp_path / "strict.toml").write_text("singled_out_columns = 1\n")
    assert run("audit", "few", "--policy", "strict.toml").status == 1
    assert run("audit", "few-protected", "--policy", "strict.toml").status == 0


def test_a_limit_that_no_option_says_gets_a_policy_file() -> None:
    write, protect = protect_commands(Place("few"), Policy(2, 3), failed=False)
    assert write == r"printf '%s\n' 'singled_out_columns = 2' 'smallest_group = 3' > strict.toml"
    assert protect == "foregone protect few --policy strict.toml --out few-protected --page few-protected.html"


@pytest.mark.parametrize(
    "policy", [Policy(4, 5), Policy(2, 3, stars=3), Policy(attribute=("A",), attribute_from=("B",)), Policy(primary=Primary(1, 3))]
)
def test_the_file_says_the_policy(tmp_path: Path, policy: Policy) -> None:
    write, _ = protect_commands(Place("few"), policy, failed=False)
    assert in_shell(tmp_path, write) == [0]
    assert read_policy(tmp_path / "strict.toml") == policy


@pytest.mark.parametrize("form", ["review", "fail"])
def test_whose_limit_it_was_is_said(tmp_path: Path, form: str) -> None:
    write_release(town(), tmp_path / "town")
    policy = tmp_path / "ours.toml"
    policy.write_text(f"[{form}]\nfewest_columns = 1\n")
    ours = "(limit set by ours.toml)"
    default = "(default limit)"
    for given in ([], ["--thresholds", policy]):
        said = run("report", tmp_path / "town", "--out", tmp_path / "page.html", "--explain", 0, *given).out
        text = unescape((tmp_path / "page.html").read_text("utf-8"))
        badge = text.split('class="badge')[1].split("</p>")[0]
        from_file = bool(given) and form == "fail"
        first = next(line for line in said.splitlines() if line.startswith("Outcome: "))
        assert (ours in badge) == (ours in first) == from_file
        assert (default in badge) == (default in first) == (not from_file)
        assert (ours in said) == bool(given)
        assert f"{form.capitalize()} limit" in text
        assert ("set by ours.toml" in text) == bool(given)
        protect = next(line for line in commands(tmp_path / "page.html") if "protect" in line)
        assert ("--policy" in protect) == bool(given)
    kept = report(town(), tmp_path / "own.html", explain=0, policy=Policy(2, 2))
    assert "set by the caller" in kept.outcome["reasons"][0]
    assert kept.outcome["policies"]["fail"]["from"] == "the caller"
    assert kept.outcome["policies"]["review"]["from"] == "default"


def test_a_pass_says_what_was_looked_for_and_what_was_not(tmp_path: Path) -> None:
    people = {"SEX": ["F", "M"] * 4, "AGE": ["old", "old", "young", "young"] * 2}
    report(tabulate(people, margins=["SEX", "AGE"], record="patient"), tmp_path / "page.html")
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    assert "No patient is singled out by these numbers." in text
    assert "Looked for: every statement “exactly so many patients have these values”, with any choice of SEX and AGE." in text
    assert "The smallest group about which something is certain has 4 patients." in text
    assert "Only what is certain was looked for" in text
    assert "Which attributes are known of groups" in text
    assert "foregone join EARLIER release" in text
    exposed = text.split("Which attributes are known of groups")[1].split("</figure>")[0]
    assert re.findall(r"<b>(.*?)</b>", exposed) == ["2", "2"]


def test_what_is_undecided_is_to_be_settled(tmp_path: Path) -> None:
    """An audit that ran out of time: what it could not decide is no all-clear."""
    done = audit(town())
    halved = replace(done, facts=(), open=tuple(done.facts), reason="the time limit was reached")
    options = PageOptions("2020-01-01", place=Place("town"))
    write_release_page(audited_release(halved, ANY), {}, tmp_path / "page.html", options)
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    assert "No person is known to be singled out, but not everything is settled." in text
    assert f"{len(done.facts)} statements could not be decided." in text
    assert "Settle what is undecided" in text
    assert commands(tmp_path / "page.html") == ["foregone audit town"]


def test_a_redacted_page_names_no_path_and_no_cell(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    run("report", tmp_path / "town", "--out", tmp_path / "page.html", "--redact")
    assert commands(tmp_path / "page.html") == ["foregone protect RELEASE --out RELEASE-protected --page RELEASE-protected.html"]


def test_title_and_subtitle_head_the_page(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    words = ("--title", "Town <2024>", "--subtitle", "For the board")
    run("report", tmp_path / "town", "--out", tmp_path / "page.html", "--explain", 0, *words)
    report(town(), tmp_path / "python.html", explain=0, title="Town <2024>", subtitle="For the board")
    for name in ("page.html", "python.html"):
        text = (tmp_path / name).read_text("utf-8")
        assert '<h1 class="named">Town &lt;2024&gt;</h1>' in text
        assert '<p class="subtitle">For the board</p>' in text
        assert re.search(r"<title>Town &lt;2024&gt; · All 4 people are singled out. · Foregone</title>", text)
        assert '<h2 class="headline">All 4 people' in text
        assert text.count("<h1") == 1
    assert "About <b>town</b>" in (tmp_path / "page.html").read_text("utf-8")


def test_singled_out_is_explained_before_anything_else_uses_it(tmp_path: Path) -> None:
    report(town(), tmp_path / "page.html", explain=0)
    text = (tmp_path / "page.html").read_text("utf-8").split("<main")[0]
    assert "Singled out means: the published numbers leave no doubt that exactly one person has" in text
