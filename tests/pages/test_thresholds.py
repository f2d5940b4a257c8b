"""Limits are read strictly, and judged in the order fail, review, pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import InputError, Predicate, audit
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.model.subject import ANY
from foregone.pages.ranking import RankedFact, audited_release
from foregone.pages.results import SCHEMA, release_results
from foregone.pages.thresholds import Limit, Thresholds, judge, read_thresholds
from tests.pages.samples import town


def fact(columns: int, count: int = 1, baseline: float | None = None) -> RankedFact:
    return RankedFact(Predicate.of({f"C{i}": "x" for i in range(columns)}), count, "linear", baseline, ())


@pytest.mark.parametrize(
    ("found", "undecided", "expected"),
    [
        ([], 0, "pass"),
        ([fact(9, count=2)], 0, "pass"),
        ([fact(2)], 0, "review"),
        ([fact(3)], 0, "fail"),
        ([fact(3, baseline=0.9)], 0, "review"),
        ([fact(3, baseline=0.1)], 0, "fail"),
        ([], 1, "review"),
        ([fact(5)], 1, "fail"),
    ],
)
def test_outcomes(found: list[RankedFact], undecided: int, expected: str) -> None:
    limits = Thresholds(Limit(3, 2, 0.5), Limit(1, 2))
    outcome, reasons = judge(limits, found, undecided)
    assert outcome == expected
    assert bool(reasons) == (expected != "pass")


def test_thresholds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "thresholds.toml"
    path.write_text(
        "# ours\n[fail]\nfewest_columns = 6\nlargest_baseline = 0.05  # one in twenty\n\n[review]\nsmallest_group = 5\n"
    )
    assert read_thresholds(path) == Thresholds(Limit(6, 2, 0.05), Limit(1, 5, 1.0))
    path.write_text("fewest_columns = 4\nsmallest_group = 3.0\n")
    assert read_thresholds(path) == Thresholds(Limit(4, 3), Limit(1, 2))
    path.write_text("largest_baseline = 1\n")
    assert read_thresholds(path) == Thresholds(Limit(3, 2, 1.0), Limit(1, 2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fewest_columns = 'many'\n", "row 1: fewest_columns is 'many', a whole number from 1 up"),
        ("[fail]\nfewest_columns = 1.5\n", "row 2: fewest_columns is 1.5, a whole number"),
        ("[fail]\nfewest_columns = 2\n[review]\nfewest_columns = true\n", "row 4: fewest_columns is True"),
        ("[fail]\nfewest_columns = 2\nfewest_columns = 3\n", "row 3: not valid TOML"),
        ("fewest_columns = 2\n[fail]\nfewest_columns = 3\n", "row 1: fewest_columns is given here and under \\[fail\\]"),
        ("largest_baseline = 2\n", "row 1: largest_baseline is 2, a probability"),
        ("[pass]\nfewest_columns = 2\n", "row 1: \\[pass\\] is not understood; use \\[fail\\] and \\[review\\]"),
        ("[review]\nfewest = 2\n", "row 2: 'fewest' is not understood; use fewest_columns"),
        ("fail = {fewest_columns = 0}\n", "\\[fail\\]: fewest_columns is 0"),
        ("fail = 3\n", "row 1: 'fail' is not understood"),
        ("just words\n", "row 1: not valid TOML"),
        ("smallest_group = nan\n", "row 1: smallest_group is nan"),
        ("[fail]\nsmallest_group =", "row 2: not valid TOML"),
        (f"smallest_group = 1{'0' * 400}\n", "row 1: smallest_group is a number of about 400 digits"),
        (f"smallest_group = 1{'0' * 5000}\n", "cannot be read"),
        (f"fewest_columns = {'[' * 5000}\n", "nested too deeply"),
        ("\n", "empty; it should hold settings"),
    ],
)
def test_mistakes_are_named_by_row(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "thresholds.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_thresholds(path)


@pytest.mark.parametrize("text", ["fail:\n  fewest_columns: 6\n", "fewest_columns: 6\n", "---\nfail:\n  smallest_group: 2\n"])
def test_yaml_is_shown_the_way_to_toml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "thresholds.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"row 1: .* looks like YAML; write TOML, such as \[fail\] .* fewest_columns = 3"):
        read_thresholds(path)


def test_results_are_versioned_and_hold_numbers_only() -> None:
    release = town()
    result = audit(release)
    content = release_results(audited_release(result, ANY), Thresholds())
    assert content["schema"] == SCHEMA
    assert content["release"]["fingerprint"] == release.fingerprint()
    assert content["found"]["facts"] == len(result)
    text = json.dumps(content)
    assert "Ardmore" not in text
    assert "young" not in text


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "status", "verdict"), [(1, 1, "fail"), (9, 0, "review")])
def test_gate(tmp_path: Path, columns: int, status: int, verdict: str) -> None:
    write_release(town(), tmp_path / "town")
    (tmp_path / "limits.toml").write_text(f"[fail]\nfewest_columns = {columns}\n")
    command = ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--thresholds", str(tmp_path / "limits.toml")]
    assert CliRunner().invoke(app, [*command, "--gate"]).exit_code == status
    assert CliRunner().invoke(app, command).exit_code == 0
    assert json.loads((tmp_path / "r.results.json").read_text())["verdict"] == verdict
