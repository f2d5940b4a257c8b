"""Long lines are broken between words where there is a terminal, and stay whole where a program reads them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from foregone.cli.show import fitted, room
from tests.cli.commands import run, write_release


def test_a_pipe_has_as_much_room_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert room() is None
    monkeypatch.setenv("COLUMNS", "100")
    assert room() == 100
    monkeypatch.setenv("COLUMNS", "3")
    assert room() == 40
    monkeypatch.setenv("COLUMNS", "0")
    assert room() is None


def test_lines_are_broken_between_words() -> None:
    line = "Most telling: " + "exactly one household has a-long-hyphenated-word; " * 6
    lines = fitted(line, 60).splitlines()
    assert all(len(one) <= 60 for one in lines)
    assert "".join(lines).replace(" ", "") == line.replace(" ", "")
    assert all(one.startswith("  ") for one in lines[1:])
    assert fitted("x" * 100, 60) == "x" * 100  # a word is never broken


def test_tables_are_not_torn_apart() -> None:
    row = "state-median, singletons" + "".join(f"{n:>12}" for n in range(8))
    assert fitted(row, 80) == row
    assert fitted("P16   Household type and some more words here", 40).splitlines() == [
        "P16   Household type and some more words",
        "      here",
    ]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    values = {f"{i}": f"a rather long label of value number {i}" for i in range(6)}
    domain = {"record": "person", "columns": {f"COLUMN{i}": values for i in range(6)}}
    names = ",".join(f"COLUMN{i}" for i in range(6))
    return write_release(tmp_path / "release", f"{names},count\n,,,,,,3\n1,1,1,1,1,1,1\n", domain)


def test_prose_is_broken_and_data_are_not(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ", ".join(f"COLUMN{i}=1" for i in range(6))
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = run("audit", release).out
    assert max(map(len, whole.splitlines())) > 200
    monkeypatch.setenv("COLUMNS", "80")
    broken = run("audit", release).out
    assert max(map(len, broken.splitlines())) <= 80
    assert broken.split() == whole.split()
    explained = run("explain", release, claim, "--count", 1, "--json").out
    assert json.loads(explained)
    assert max(map(len, explained.splitlines())) > 80
    refuted = run("verify", release, claim, "--count", 2).out
    rows = list(csv.reader(io.StringIO(refuted.partition("COLUMN0,")[2])))
    assert len(rows) == 4
