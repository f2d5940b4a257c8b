"""Limits are read strictly, and judged in the order fail, review, pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import InputError, Predicate, audit
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.pages.ranking import Finding, findings
from foregone.pages.results import SCHEMA, results
from foregone.pages.thresholds import Limit, Thresholds, judge, read_thresholds
from tests.pages.samples import town


def fact(columns: int, count: int = 1, baseline: float | None = None) -> Finding:
    return Finding(Predicate.of({f"C{i}": "x" for i in range(columns)}), count, "linear", baseline, ())


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
def test_outcomes(found: list[Finding], undecided: int, expected: str) -> None:
    limits = Thresholds(Limit(3, 2, 0.5), Limit(1, 2))
    outcome, reasons = judge(limits, found, undecided)
    assert outcome == expected
    assert bool(reasons) == (expected != "pass")


def test_thresholds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "thresholds.yaml"
    path.write_text(
        "# ours\nfail:\n  fewest_columns: 6\n  largest_baseline: 0.05  # one in twenty\n\nreview:\n  smallest_group: 5\n"
    )
    assert read_thresholds(path) == Thresholds(Limit(6, 2, 0.05), Limit(1, 5, 1.0))
    path.write_text("fewest_columns: 4\nsmallest_group: 3\n")
    assert read_thresholds(path) == Thresholds(Limit(4, 3), Limit(1, 2))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("fewest_columns: many\n", 1),
        ("fail:\n  fewest_columns: 1.5\n", 2),
        ("fail:\n  fewest_columns: 2\n  fewest_columns: 3\n", 3),
        ("largest_baseline: 2\n", 1),
        ("pass:\n  fewest_columns: 2\n", 1),
        ("fail: {fewest_columns: 2}\n", 1),
        ("just words\n", 1),
        ("smallest_group: nan\n", 1),
    ],
)
def test_mistakes_are_named_by_row(tmp_path: Path, text: str, row: int) -> None:
    path = tmp_path / "thresholds.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"row {row}"):
        read_thresholds(path)


def test_results_are_versioned_and_hold_numbers_only() -> None:
    release = town()
    result = audit(release)
    content = results(result, findings(result), Thresholds())
    assert content["schema"] == SCHEMA
    assert content["release"]["fingerprint"] == release.fingerprint()
    assert content["found"]["facts"] == len(result.found.certain)
    text = json.dumps(content)
    assert "Ardmore" not in text
    assert "young" not in text


@pytest.mark.parametrize(("columns", "status", "verdict"), [(1, 1, "fail"), (9, 0, "review")])
def test_gate(tmp_path: Path, columns: int, status: int, verdict: str) -> None:
    write_release(town(), tmp_path / "town")
    (tmp_path / "limits.yaml").write_text(f"fail:\n  fewest_columns: {columns}\n")
    command = ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--thresholds", str(tmp_path / "limits.yaml")]
    assert CliRunner().invoke(app, [*command, "--gate"]).exit_code == status
    assert CliRunner().invoke(app, command).exit_code == 0
    assert json.loads((tmp_path / "r.results.json").read_text())["verdict"] == verdict
