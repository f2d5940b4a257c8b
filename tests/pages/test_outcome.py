"""Policies are read strictly, and judged in the order fail, review, pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import InputError, Policy, audit
from foregone.batch.subject import ANY
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.formats.policy import read_policies
from foregone.model.policy import LOOKED_AT, Policies
from foregone.pages.outcome import SCHEMA, judged_outcome, release_results
from foregone.pages.ranking import audited_release
from foregone.policy.judge import Judged, PolicyVerdict
from tests.pages.samples import town


@pytest.mark.parametrize(
    ("fail", "review", "open_", "expected"),
    [
        (Policy(4), Policy(4), False, "pass"),
        (Policy(4), Policy(4), True, "review"),
        (Policy(4), Policy(1), False, "review"),
        (Policy(2), Policy(1), False, "fail"),
        (Policy(2), Policy(1), True, "fail"),
        (Policy(2, largest_baseline=0.5), Policy(4), False, "review"),
    ],
)
def test_outcomes(fail: Policy, review: Policy, open_: bool, expected: str) -> None:
    done = audit(town())
    found = replace(done, open=done.facts[:1], reason="the time limit was reached") if open_ else done
    outcome = judged_outcome(Judged(found), Policies(fail, review))
    assert outcome.verdict == expected
    assert bool(outcome.reasons) == (expected != "pass")


def test_a_chance_is_judged_where_there_is_a_table_to_guess_from() -> None:
    done = audit(town())
    rare = Policies(Policy(1, largest_baseline=0.5), Policy(9))
    for chance, verdict in ((0.4, PolicyVerdict.BROKEN), (0.6, PolicyVerdict.KEPT), (None, PolicyVerdict.UNDECIDED)):
        judged = Judged(done, chances={fact.claim: chance for fact in done.facts})
        assert judged_outcome(judged, rare).fail == verdict
    unknown = judged_outcome(Judged(done), rare)
    assert unknown.fail == PolicyVerdict.UNDECIDED
    assert unknown.reasons == (
        "largest_baseline could not be judged: how likely a claim is by chance is not known without a table to guess from",
    )


def test_a_pass_says_what_was_judged() -> None:
    assert judged_outcome(Judged(audit(town())), Policies(Policy(9), Policy(8), ("ours.toml", "ours.toml"))).why == (
        "nothing is over a limit: no record is singled out by 8 columns or more (set by ours.toml)"
    )


def test_policies_are_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        "# ours\n[fail]\nfewest_columns = 6\nlargest_baseline = 0.05  # one in twenty\n\n[review]\nsmallest_group = 5\n"
    )
    assert read_policies(path) == Policies(Policy(6, 2, largest_baseline=0.05), Policy(1, 5))
    path.write_text("fewest_columns = 4\nsmallest_group = 3.0\n")
    assert read_policies(path) == Policies(Policy(4, 3), LOOKED_AT)
    path.write_text("largest_baseline = 1\n")
    assert read_policies(path) == Policies(Policy(2), LOOKED_AT)


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
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_policies(path)


@pytest.mark.parametrize("text", ["fail:\n  fewest_columns: 6\n", "fewest_columns: 6\n", "---\nfail:\n  smallest_group: 2\n"])
def test_yaml_is_shown_the_way_to_toml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"row 1: .* looks like YAML; write TOML, such as \[fail\] .* fewest_columns = 3"):
        read_policies(path)


def test_results_are_versioned_and_hold_numbers_only() -> None:
    release = town()
    result = audit(release)
    audited = audited_release(result, ANY)
    content = release_results(audited, judged_outcome(audited.judged, Policies()))
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
