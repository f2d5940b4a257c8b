"""One policy means one thing: the judge, `audit --policy` and `report --gate` agree with the definitions over all datasets."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from foregone import Domain, Knowledge, Policy, Predicate, Primary, Release, Statistic, audit
from foregone.batch.subject import ANY
from foregone.cli.app import app
from foregone.engine import Evidence, Following, intervals_of
from foregone.formats.folder import write_release
from foregone.model.families import Groups
from foregone.model.policy import Policies
from foregone.pages.outcome import Outcome, judged_outcome
from foregone.pages.ranking import audited_release
from foregone.policy.judge import Doubt, Judged, Narrow, PolicyVerdict, judge, pierced
from foregone.policy.reader import as_read
from tests.policy import brute
from tests.policy.worlds import KINDS, Case, random_world

WORDS = {True: "broken", False: "kept", None: "undecided"}
STATUS = {"broken": 1, "kept": 0, "undecided": 3}
CASES = 250
LEAST = 4  # of these, for each part of a policy: broken, and kept


def by_brute_force(case: Case, groups: Groups = Groups.PUBLISHED, guessed: bool = True) -> str:
    prior = case.prior.records if case.prior is not None and guessed else None
    return WORDS[brute.breaks(case.release, case.policy, case.largest, groups, None, case.truth, prior)]


def judged(case: Case, groups: Groups = Groups.PUBLISHED) -> Outcome:
    """As a page judges it."""
    result = audit(as_read(case.release, case.policy), groups=groups)
    truth = None if case.truth is None else case.records
    return judged_outcome(audited_release(result, ANY, case.prior, truth).judged, Policies(case.policy))


@pytest.mark.slow
def test_the_judge_agrees_with_brute_force() -> None:
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(CASES):
        rng = Random(seed)
        case, groups = random_world(rng), Groups.NONE if rng.random() < 0.15 else Groups.PUBLISHED
        expected = by_brute_force(case, groups)
        outcome = judged(case, groups)
        assert str(outcome.fail) == expected, (seed, case.policy)
        assert outcome.judgement is not None
        assert bool(outcome.judgement.breaches) == (expected == "broken")
        met.update((kind, expected) for kind in case.kinds)
    rare = {(kind, word) for kind in KINDS for word in ("broken", "kept") if met[kind, word] < LEAST}
    assert not rare, met


@pytest.mark.slow
def test_the_commands_agree(tmp_path: Path) -> None:
    met: Counter[str] = Counter()
    for seed in range(1000, 1040):
        case = random_world(Random(seed))
        folder, policy, page = tmp_path / f"release{seed}", tmp_path / f"{seed}.toml", tmp_path / f"{seed}.html"
        write_release(case.release, folder, None if case.truth is None else case.records)
        policy.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in case.policy.json().items()))
        prior = []
        if case.prior is not None:
            rows = [",".join(record) for record in (case.release.domain.names, *case.prior.records)]
            (tmp_path / "prior.csv").write_text("\n".join(rows) + "\n")
            prior = ["--prior", str(tmp_path / "prior.csv")]
        gate = CliRunner().invoke(app, ["report", str(folder), "--gate", str(policy), "--out", str(page), "--explain", "0", *prior])
        assert gate.exit_code == STATUS[by_brute_force(case)], (seed, gate.output)
        expected = by_brute_force(case, guessed=False)
        ran = CliRunner().invoke(app, ["audit", str(folder), "--policy", str(policy)])
        assert ran.exit_code == STATUS[expected], (seed, ran.output)
        assert {"kept": "keeps the policy", "broken": "breaks the policy", "undecided": "is undecided"}[expected] in ran.output
        met[expected] += 1
    assert min(met[word] for word in ("broken", "kept")) >= 10, met


DOMAIN = Domain.of({"AGE": ["old", "young"], "DX": ["flu", "none"]}, record="patient")


def cell(age: str, dx: str, low: int, high: int | None, **rest: object) -> Statistic:
    return Statistic(Predicate.of({"AGE": age, "DX": dx}), low, high, f"t.{age}.{dx}", "t", **rest)  # type: ignore[arg-type]


def test_a_certain_zero_tells_what_everybody_has() -> None:
    """No old patient without flu, and there is one: every old patient has it, though nobody knows how many there are."""
    old = Statistic(Predicate.of({"AGE": "old"}), 1, None, "old")
    release = Release(DOMAIN, [cell("old", "none", 0, 0), old])
    found = judge(Policy(attribute=("DX",)), Judged(audit(release)))
    assert found.followed == (Following(Predicate.of({"AGE": "old"}), "DX", "flu"),)
    ruled = Release(DOMAIN, [old], [Predicate.of({"AGE": "old", "DX": "none"})])
    assert judge(Policy(attribute=("DX",)), Judged(audit(ruled))).verdict == PolicyVerdict.KEPT
    not_known = judge(Policy(attribute=("DX",), attribute_from=()), Judged(audit(release)))
    assert not_known.verdict == PolicyVerdict.KEPT


def test_a_cell_that_can_be_worked_out_is_primary() -> None:
    """All 5, one part 4, the other not shown: it is 1."""
    parts = [
        Statistic.exact(Predicate.of({"AGE": "old"}), 4, "a"),
        Statistic(Predicate.of({"AGE": "young"}), 0, None, "b", "", True),
    ]
    release = Release(DOMAIN, [Statistic.exact(Predicate(), 5, "all"), *parts])
    found = judge(Policy(primary=Primary(1, 3)), Judged(audit(release)))
    assert found.breaches == (Narrow(2, "b", 1, 1, primary=True),)
    assert pierced(Judged(audit(release))).breaches == (Narrow(2, "b", 1, 1),)


def test_gaps_are_no_values() -> None:
    """A mark for 0 or 2: two different values, though they are three apart."""
    release = Release(DOMAIN, [cell("old", "flu", 0, 2, mark="~", gaps=((1, 1),)), Statistic(Predicate(), 0, 4, "all")])
    asked = Policy(primary=Primary(names=("t.old.flu",)), min_width=3)
    assert judge(asked, Judged(audit(release))).narrow
    assert judge(Policy(stars=2), Judged(audit(release))).verdict == PolicyVerdict.KEPT


def test_what_cannot_be_judged_is_named() -> None:
    release = Release(DOMAIN, [cell("old", "flu", 0, 3, mark="*"), Statistic(Predicate(), 0, 4, "all")])
    policy = Policy(9, primary=Primary(names=("t.old.flu", "t.nowhere")), both_sides=20, largest_baseline=0.5)
    found = judge(policy, Judged(audit(release)))
    assert found.verdict == PolicyVerdict.UNDECIDED
    assert [doubt.key for doubt in found.doubts] == ["primary", "both_sides", "largest_baseline"]
    assert all(isinstance(doubt, Doubt) and doubt.reason for doubt in found.doubts)
    with pytest.raises(TypeError):
        bool(found.verdict)


def test_what_is_known_besides_is_judged() -> None:
    """Two cells that are not shown add up to 2: with zeros shown each is 1."""
    release = Release(
        DOMAIN,
        [
            Statistic.exact(Predicate.of({"AGE": "old"}), 2, "t.old", "t"),
            *(cell("old", dx, 0, None, withheld=True) for dx in ("flu", "none")),
        ],
    )
    for know, verdict in ((None, "kept"), (Knowledge(), "kept"), (Knowledge(True), "broken")):
        policy = Policy(stars=2, know=know)
        assert judge(policy, Judged(audit(as_read(release, policy)))).verdict == verdict


def test_nothing_is_worked_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both policies of a page, and its list of cells, rest on the same intervals."""
    from foregone.policy import judge as module

    asked: list[int] = []
    old = intervals_of

    def counted(session: object, numbers: list[int], progress: object = None) -> object:
        asked.extend(numbers)
        return old(session, numbers, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "intervals_of", counted)
    release = Release(DOMAIN, [cell("old", "flu", 0, 3, mark="*"), cell("young", "flu", 1, 2), Statistic(Predicate(), 0, 4, "all")])
    audited = audited_release(audit(release), ANY)
    judged_outcome(audited.judged, Policies(Policy(primary=Primary(0, 4)), Policy(stars=2)))
    assert sorted(asked) == [0, 1, 2]


def test_datasets_come_from_the_audit() -> None:
    """A cell that differs in datasets that the audit has met needs no question."""
    release = Release(DOMAIN, [cell("old", "flu", 0, 3, mark="*"), Statistic.exact(Predicate(), 4, "all")])
    case = Judged(audit(release))
    assert pierced(case).verdict == PolicyVerdict.KEPT
    assert not case._worked_out


def test_a_limit_leaves_open_which_columns_count() -> None:
    """One record is a0, and how many there are is open: as long as nobody is known to have another value, that may not count."""
    release = Release(Domain.of({"A": ["a0", "a1"]}), [Statistic.exact(Predicate.of({"A": "a0"}), 1)])
    done = replace(audit(release), reason="the time limit was reached")
    assert isinstance(done.evidence, Evidence)
    assert judge(Policy(1), Judged(done)).verdict == PolicyVerdict.BROKEN
    alone = [witness for witness in done.evidence.witnesses if witness.size == 1]
    known = replace(done, evidence=replace(done.evidence, witnesses=tuple(alone)))
    assert alone
    assert judge(Policy(1), Judged(known)).verdict == PolicyVerdict.UNDECIDED
