"""Wrong usage is one line that says where to read more; long values are cut, and data cannot write to the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import DOMAIN, run, write_release

RAW = [*map(chr, range(32)), "\x7f", "\x9b", "\u202e", "\u2028"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify", "r", "SEX=F"], "--count"),
        (["verify", "r", "SEX=F", "--count", "x"], "--count"),
        (["verify", "r", "SEX=F", "--count", "9" * 5000], "--count"),
        (["verify", "r", "SEX=F", "--count", "1", "--engine", "x" * 5000], "--engine"),
        (["audit"], "RELEASE"),
        (["audit", "r", "--nonsense"], "--nonsense"),
        (["audit", "r", "--" + "x" * 5000], "xxx"),
        (["audot", "r"], "audot"),
        (["census", "stduy"], "stduy"),
        (["audit", "r", "more\nerror: fake"], "more"),
        (["report", "r"], "--out"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], words: str) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.out, len(ran.problems)) == (2, "", 1), ran.err
    assert ran.err.startswith("error: ")
    assert words in ran.err
    assert "--help`" in ran.err
    assert len(ran.err) < 400


def test_no_arguments_show_the_help() -> None:
    ran = run()
    assert ran.status == 2
    assert "Usage" in ran.out + ran.err


@pytest.mark.parametrize(
    "statistics",
    [
        f"SEX,count\n,{'9' * 4000}\n",
        f"SEX,count\n,5\nF,{'9' * 4000}x\n",
        f"SEX,count\n,5\n{'F' * 100_000},1\n",
        f"{'S' * 100_000},count\n,5\n",
        f"SEX,low,high\n,5,5\nF,{'8' * 4000},{'7' * 4000}\n",
        f"SEX,count,low,high\n,{'9' * 4000},{'9' * 4000},1\n",
    ],
)
def test_long_values_are_cut(tmp_path: Path, statistics: str) -> None:
    ran = run("audit", write_release(tmp_path / "release", statistics))
    assert ran.status == 2
    assert all(len(problem) < 500 for problem in ran.problems)


@pytest.mark.parametrize("command", [["verify"], ["verify", "--possible"], ["explain"]])
def test_long_counts_are_not_repeated(tmp_path: Path, command: list[str]) -> None:
    ran = run(command[0], write_release(tmp_path / "release"), "SEX=F", "--count", "9" * 4000, *command[1:])
    assert ran.status == 2
    (problem,) = ran.problems
    assert "more than any table counts" in problem
    assert len(problem) < 200


def test_long_lists_are_cut(tmp_path: Path) -> None:
    domain = {"columns": {f"C{i}": ["a", "b"] for i in range(1000)}}
    ran = run("audit", write_release(tmp_path / "release", "\n".join(["X,Y,Z,count", ",,,5"]) + "\n", domain))
    assert len(ran.problems) == 3
    assert all(len(problem) < 300 for problem in ran.problems)


TEXTS = ["a\n5 accepted, 0 rejected.", "\x1b[2J\x1b[1;1H", "\rVerified", "\u202edetpecca", "\x9b2J", "\u2028b"]


@pytest.mark.parametrize("text", TEXTS)
def test_data_cannot_write_to_the_terminal(tmp_path: Path, text: str) -> None:
    """Wherever a text can stand, it is refused, or shown as an escape."""
    release = write_release(tmp_path / "release")
    tried = [
        run("bounds", release, f"SEX={text}"),
        run("bounds", release, f"{text}=F"),
        run("bounds", release.with_name(text), "SEX=F"),
        run("audit", release, "--out", tmp_path / f"{text}.csv"),
        run("verify", release, "SEX=F", "--count", text),
        run("census", "tables", "--table", text),
        run("run", release, "--out", tmp_path / "RUN", "--scheduler", text),
    ]
    places = {
        "noun": {**DOMAIN, "record": text},
        "label": {**DOMAIN, "columns": {**DOMAIN["columns"], "SEX": {"F": text, "M": "m"}}},  # type: ignore[dict-item]
        "title": {**DOMAIN, "labels": {"SEX": text}},
        "code": {"columns": {"SEX": ["F", text], "AGE": ["15-24", "65-74", "75-84"]}},
        "column": {"columns": {"SEX": ["F"], "AGE": ["15-24", "65-74", "75-84"], text: ["1"]}},
        "key": {**DOMAIN, text: 1},
    }
    for name, domain in places.items():
        changed = write_release(tmp_path / name, domain=json.dumps(domain))
        tried += [run("audit", changed), run("verify", changed, "SEX=F", "--count", 1)]
    named = write_release(tmp_path / "named", f'name,SEX,count\nN,,5\n"{text}",F,2\n')
    tried += [run("audit", named), run("explain", named, "SEX=F", "--count", 2)]
    for ran in tried:
        assert ran.status in (0, 1, 2), ran
        assert not [letter for letter in ran.out + ran.err if letter in RAW and letter != "\n"]
        assert "\n5 accepted" not in ran.out + ran.err
        assert "Traceback" not in ran.err
