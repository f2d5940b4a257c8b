"""One policy: `protect`, `audit --policy`, `report --gate` and the checker mean the same by it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from foregone import Dataset, Domain, Policy, Predicate, Protection, Release, Statistic, audit, check, protect
from foregone.batch.subject import ANY
from foregone.cli.app import app
from foregone.formats.folder import write_release
from foregone.formats.protection import write_protection
from foregone.model.errors import ForegoneError
from foregone.model.families import Groups
from foregone.model.policy import Policies
from foregone.pages.outcome import judged_outcome
from foregone.pages.ranking import audited_release
from foregone.policy.judge import judge
from foregone.policy.reader import as_read
from tests.policy.worlds import KINDS, Case, random_world
from tests.protection.cases import REFUSED
from tests.protection.test_small_cases import CLINICS

CASES = 220
STATUS = {"kept": 0, "broken": 1, "undecided": 3}


def verdict(release: Release, policy: Policy, groups: Groups, truth: Dataset | None) -> str:
    """As `audit --policy` and `report --gate` find it."""
    audited = audited_release(audit(as_read(release, policy), groups=groups), ANY, truth=truth)
    outcome = judged_outcome(audited.judged, Policies(policy, policy))
    assert (outcome.fail == "kept") == (outcome.verdict == "pass")
    assert judge(policy, audited.judged).verdict == outcome.fail
    return str(outcome.fail)


def asked_at_random(rng: Random, case: Case) -> dict[str, Any]:
    """How many records there are stays published, as otherwise most can be withheld."""
    asked: dict[str, Any] = {"by": rng.choice(["cell", "cell", "table"]), "marks": rng.choice(["one", "two"]), "keep": ["all"]}
    if rng.random() < 0.3:
        asked["round_to"] = [3]
    if rng.random() < 0.3:
        one, other = rng.sample(case.release.domain.columns[0].codes, 2)
        asked["merge"] = [(case.release.domain.names[0], one, other)]
    return asked | {"groups": "none" if rng.random() < 0.15 else "published"}


def protected(case: Case, asked: Mapping[str, Any]) -> Protection | None:
    """None when `protect` says why it cannot begin."""
    try:
        return protect(case.release, case.policy, proofs=True, **asked)
    except ForegoneError as error:
        if not any(words in str(error) for words in (*REFUSED, "is not the name of a published count", "largest_baseline")):
            raise
        return None


@pytest.mark.slow
def test_all_agree() -> None:
    """Nothing has to be done exactly when the policy is kept; what is kept afterwards is kept for every command; and the checker
    finds what is said of it proved.
    """
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(CASES):
        rng = Random(seed)
        case = random_world(rng)
        asked = asked_at_random(rng, case)
        found = protected(case, asked)
        if found is None:
            continue
        groups, truth = Groups(asked["groups"]), case.records
        before = verdict(case.release, case.policy, groups, truth)
        if "merge" not in asked:  # which lets claims name more groups
            assert (found.before == 0) == (before == "kept"), (seed, before)
            assert before == "broken" or asked["marks"] == "one" or not found.done, seed  # one mark for all may say less
        if found.release is not None:
            assert found.after == 0, seed
            named = set(() if case.policy.primary is None else case.policy.primary.names)
            gone = named - {s.name for s in found.release.statistics}  # no audit knows cells that a merge leaves nothing of
            assert verdict(found.release, case.policy, groups, truth) == ("undecided" if gone else "kept"), seed
            judged = check(case.release, json.loads(json.dumps(found.certificate)))
            assert (judged.rejected, judged.reason) == ([], ""), seed
        outcome = "impossible" if found.release is None else "protected" if found.done else "nothing to do"
        met.update((kind, outcome) for kind in case.kinds)
    rare = [kind for kind in KINDS if kind not in ("largest_baseline", "both_sides") and not met[kind, "protected"]]
    assert not rare, met


@pytest.mark.slow
def test_the_commands_agree(tmp_path: Path) -> None:
    met: Counter[str] = Counter()
    for seed in range(2000, 2030):
        rng = Random(seed)
        case = random_world(rng)
        found = None if case.policy.both_sides else protected(case, {"keep": ["all"]})
        if found is None or found.release is None or case.release.figures:
            continue
        policy, release, out, proofs = (tmp_path / f"{seed}{name}" for name in (".toml", "", "-out", "-certificate.json"))
        policy.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in case.policy.json().items()))
        write_release(case.release, release)
        write_protection(found, out)
        proofs.write_text(json.dumps(found.certificate))
        for folder, expected in ((release, "kept" if found.before == 0 else "broken"), (out, "kept")):
            judged = CliRunner().invoke(app, ["audit", str(folder), "--policy", str(policy)])
            assert judged.exit_code == STATUS[expected], (seed, judged.output)
            page = ["--out", str(tmp_path / f"{seed}.html"), "--explain", "0"]
            gate = CliRunner().invoke(app, ["report", str(folder), "--gate", str(policy), *page])
            assert gate.exit_code == STATUS[expected], (seed, gate.output)
            met[expected] += folder == release
        options = ["--policy", str(policy), "--protected", str(out)]
        checked = CliRunner().invoke(app, ["check", str(release), str(proofs), *options])
        assert checked.exit_code == 0, (seed, checked.output)
    assert min(met["kept"], met["broken"]) >= 3, met


DOMAIN = Domain.of({"A": ["a0", "a1"], "B": ["b0", "b1"], "C": ["c0", "c1"]})
EVERYBODY_HAS_C0 = Release(
    DOMAIN,
    [
        Statistic.exact(Predicate.of({"C": "c1"}), 0, "T1.0", "T1"),
        Statistic.exact(Predicate.of({"A": "a0"}), 1, "T1.1", "T1"),
        Statistic.exact(Predicate(), 2, "all", "all"),
    ],
)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Groups), st.sampled_from(["cell", "table"]))
def test_a_column_that_is_the_same_for_everybody(groups: Groups, by: str) -> None:
    found = protect(EVERYBODY_HAS_C0, Policy(2), by=by, keep=["all"], groups=groups)
    kept = verdict(EVERYBODY_HAS_C0, Policy(2), groups, None) == "kept"
    assert (found.before == 0) == kept == (found.cost == 0)
    assert found.release is not None
    assert verdict(found.release, Policy(2), groups, None) == "kept"


def test_the_gate_knows_what_the_policy_says_is_known(tmp_path: Path) -> None:
    """Of two withheld cells that add up to 2, each is 1 when zeros are shown."""
    shown = [s for s in CLINICS.statistics if s.name not in ("T.AF", "T.AM", "T.A")]
    domain = CLINICS.domain
    two = [Statistic(Predicate.of({"G": "A", "SEX": sex}), 0, None, f"T.A{sex}", "T", True) for sex in ("F", "M")]
    total = Statistic.exact(Predicate.of({"G": "A"}), 2, "T.A", "T")
    Release(domain, [total, *two, *[s for s in shown if "G" in dict(s.predicate.allowed)]]).write(tmp_path / "release")
    for know, status in (("[]", 0), ('["zeros-shown"]', 1)):
        (tmp_path / "policy.toml").write_text(f'primary = ["T.AF"]\nknow = {know}\n')
        gate = ["report", str(tmp_path / "release"), "--gate", str(tmp_path / "policy.toml"), "--out", str(tmp_path / "r.html")]
        result = CliRunner().invoke(app, gate)
        assert result.exit_code == status, result.output
        judged = CliRunner().invoke(app, ["audit", str(tmp_path / "release"), "--policy", str(tmp_path / "policy.toml")])
        assert judged.exit_code == status, judged.output
        assert ("Assumed: zeros are shown" in judged.output) == bool(status)


def test_the_gate_judges_attributes(tmp_path: Path) -> None:
    EVERYBODY_HAS_C0.write(tmp_path / "release")
    (tmp_path / "policy.toml").write_text('attribute = ["C"]\n')
    gate = ["report", str(tmp_path / "release"), "--gate", str(tmp_path / "policy.toml"), "--out", str(tmp_path / "r.html")]
    assert CliRunner().invoke(app, gate).exit_code == 1
