"""One policy file: what `protect` leaves passes `audit --policy` and `report --gate`, and what passes needs no protection."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from foregone import Dataset, Domain, Knowledge, Policy, Predicate, Primary, Release, Statistic, audit, protect
from foregone.cli.app import app
from foregone.model.families import Groups
from foregone.model.policy import Policies
from foregone.model.subject import ANY
from foregone.pages.outcome import outcome_of_release
from foregone.pages.ranking import audited_release
from foregone.policy.judge import judge
from foregone.policy.reader import as_read
from tests.protection.test_small_cases import CLINICS

DOMAIN = Domain.of({"A": ["a0", "a1"], "B": ["b0", "b1"], "C": ["c0", "c1"]})
EVERYTHING = list(product(*(column.codes for column in DOMAIN.columns)))
PREDICATES = [Predicate.of(dict(zip("ABC", codes, strict=True))) for codes in EVERYTHING] + [
    Predicate.of({name: f"{name.lower()}{i}"}) for name in "ABC" for i in (0, 1)
]
POLICIES = st.one_of(
    st.builds(Policy, singled_out_columns=st.integers(1, 3), smallest_group=st.integers(2, 3)),
    st.just(Policy(attribute=("C",))),
    st.builds(Policy, primary=st.just(Primary(1, 1)), know=st.sampled_from([Knowledge(), Knowledge(True), Knowledge(True, 1)])),
)


def about(rows: list[tuple[str, str, str]], predicates: list[Predicate]) -> Release:
    truth = Dataset.of(DOMAIN, rows)
    cells = [Statistic.exact(p, truth.count(p), f"T{len(p)}.{i}", f"T{len(p)}") for i, p in enumerate(predicates)]
    return Release(DOMAIN, [*cells, Statistic.exact(Predicate(), len(truth), "all", "all")])


@st.composite
def releases(draw: st.DrawFn) -> Release:
    """How many records there are is published and stays so."""
    rows = draw(st.lists(st.sampled_from(EVERYTHING), min_size=2, max_size=4))
    return about([(a, b, c) for a, b, c in rows], draw(st.lists(st.sampled_from(PREDICATES), max_size=6, unique=True)))


def verdict(release: Release, policy: Policy, groups: Groups) -> str:
    """As `audit --policy` and `report --gate` find it."""
    audited = audited_release(audit(as_read(release, policy), groups=groups), ANY)
    outcome = outcome_of_release(audited, Policies(policy, policy))
    assert (outcome.fail == "kept") == (outcome.verdict == "pass")
    assert judge(policy, audited.judged).verdict == outcome.fail
    return str(outcome.fail)


EVERYBODY_HAS_C0 = about([("a0", "b0", "c0"), ("a1", "b0", "c0")], [Predicate.of({"C": "c1"}), Predicate.of({"A": "a0"})])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(releases(), POLICIES, st.sampled_from(["cell", "table"]), st.sampled_from(Groups))
@example(EVERYBODY_HAS_C0, Policy(2), "table", Groups.PUBLISHED)
def test_all_three_agree(release: Release, policy: Policy, by: str, groups: Groups) -> None:
    kept = verdict(release, policy, groups) == "kept"
    found = protect(release, policy, by=by, keep=["all"], groups=groups)
    if kept:
        assert (found.cost, found.lower_bound, found.before) == (0, 0, 0)
    if found.release is not None:
        assert verdict(found.release, policy, groups) == "kept"


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
