"""Certificates of one choice of tables for many releases: honest ones are accepted, and whatever is accepted is true."""

from __future__ import annotations

import copy
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foregone import Dataset, Policy, Release
from foregone.checker.verdicts import many as checker
from foregone.checker.verdicts.many import check_many
from foregone.model.families import Groups
from foregone.protection import exact
from foregone.protection.many import protect_many
from foregone.protection.problem import Problem
from foregone.questions.check import plain
from tests.checker.documents import sealed
from tests.cli.commands import run
from tests.protection import brute
from tests.protection.test_many import DOMAIN, EVERYTHING, MARGINS, problems, published

Json = dict[str, Any]
Sample = list[tuple[str, Release]]


def sample_of(rng: Random) -> Sample:
    """Releases that need not have the same tables."""
    tables = rng.sample(sorted(MARGINS), rng.randint(2, 4))
    truths = [[rng.choice(EVERYTHING) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(2, 3))]
    some = [rng.sample(tables, rng.randint(1, len(tables))) for _ in truths]
    return [(f"r{i}", published(Dataset.of(DOMAIN, truth), own)) for i, (truth, own) in enumerate(zip(truths, some, strict=True))]


def contents(sample: Sample) -> Json:
    return {name: plain(release) for name, release in sample}


def costs_of(made: list[Problem]) -> dict[str, int]:
    sizes = [(action.name, action.cost) for problem in made for action in problem.actions]
    return {name: max(cost for other, cost in sizes if other == name) for name, _ in sizes}


def safe(made: list[Problem], names: set[str]) -> bool:
    """Does every release keep the policy without these tables, by its definition?"""
    for problem in made:
        taken = frozenset(a for a, action in enumerate(problem.actions) if action.name in names)
        if brute.exact_breaks(problem, taken, problem.release.statistics[-1].high or 0):
            return False
    return True


def cheapest(made: list[Problem]) -> int:
    costs = costs_of(made)
    choices = [{name for k, name in enumerate(costs) if chosen >> k & 1} for chosen in range(1 << len(costs))]
    priced = sorted((sum(costs[name] for name in some), sorted(some)) for some in choices)
    return next(cost for cost, names in priced if safe(made, set(names)))


def changed(rng: Random, document: Json, other: Json) -> Iterator[tuple[str, Json]]:
    """What an enemy might do, everything sealed again."""

    def variant(change: Callable[[Json], None]) -> Json:
        made = copy.deepcopy(document)
        change(made)
        for entry in made["releases"]:
            entry["certificate"] = sealed(entry["certificate"])
        return sealed(made)

    def one(made: Json) -> Json:
        chosen: Json = rng.choice(made["releases"])["certificate"]
        return chosen

    def less(made: Json) -> None:
        """A table less is withheld, everywhere."""
        if made["withheld"]:
            made["withheld"].pop(rng.randrange(len(made["withheld"])))
            for entry in made["releases"]:
                entry["certificate"]["taken"] = entry["certificate"]["taken"][:-1]

    def swapped(made: Json) -> None:
        names = [entry["name"] for entry in made["releases"]]
        for entry, name in zip(made["releases"], [*names[1:], names[0]], strict=True):
            entry["name"] = name

    yield "higher", variant(lambda made: made.update(lower_bound=made["lower_bound"] + 1))
    yield "higher and dearer", variant(lambda made: made.update(lower_bound=made["lower_bound"] + 1, withheld=sorted(MARGINS)))
    yield "less", variant(less)
    yield "less in one", variant(lambda made: one(made).update(taken=one(made)["taken"][:-1]))
    yield "fewer releases", variant(lambda made: made["releases"].pop(rng.randrange(len(made["releases"]))))
    yield "a release twice", variant(lambda made: made["releases"].append(made["releases"][0]))
    yield "swapped", variant(swapped)
    yield "no explanations", variant(lambda made: one(made).update(explanations=[]))
    yield "other explanations", variant(lambda made: one(made).update(explanations=one(made)["explanations"] * 2))
    yield "another policy in one", variant(lambda made: one(made).update(policy=other["releases"][0]["certificate"]["policy"]))
    yield "another tree", variant(lambda made: made.update(covering=other.get("covering", {"pay": [], "over": 1})))
    yield "paid twice", variant(lambda made: made.update(covering={"pay": [[0, 5]], "over": 1}))
    yield "no tree", variant(lambda made: made.pop("covering", None) and None)
    yield "other evidence", variant(lambda made: one(made).update(safe=one(made)["safe"]))
    yield "another certificate", variant(lambda made: made["releases"][0].update(certificate=other["releases"][0]["certificate"]))


def faults(sample: Sample, made: list[Problem], policy: Policy, document: Json) -> str:
    """What is wrong with the verdict."""
    result = check_many(contents(sample), document)
    if result.rejected or result.about["policy"] != policy.json():
        return ""
    listed = {entry["name"] for entry in document["releases"]}
    about = [problem for (name, _), problem in zip(sample, made, strict=True) if name in listed]
    if not safe(about, set(result.withheld)):
        return "accepted, but the policy is broken"
    if not result.trusted and result.bound > cheapest(about):
        return "accepted, but less is enough"
    costs = costs_of(about)
    return "" if result.cost == sum(costs[name] for name in result.withheld) else "another cost"


def tried(seed: int) -> Iterator[tuple[str, str]]:
    rng = Random(seed)
    sample, groups = sample_of(rng), rng.choice(list(Groups))
    policy = Policy(singled_out_columns=rng.randint(1, 2), smallest_group=rng.randint(2, 3))
    found = protect_many(sample, policy, ["limit"], groups=groups, proofs=True)
    another = protect_many(sample_of(rng), Policy(1), ["limit"], groups=groups, proofs=True)
    made = problems(sample, policy, groups)
    if found.certificate is None or another.certificate is None:
        return
    document, other = (json.loads(json.dumps(some.certificate)) for some in (found, another))
    result = check_many(contents(sample), document)
    assert (result.rejected, result.trusted, result.cost, result.bound) == ([], [], found.cost, found.lower_bound)
    assert result.bound == cheapest(made)
    for kind, forged in changed(rng, document, other):
        yield kind, faults(sample, made, policy, forged)


def test_what_is_accepted_is_true() -> None:
    for seed in range(4):
        assert not [pair for pair in tried(seed) if pair[1]], seed


@pytest.mark.slow
def test_what_is_accepted_is_true_of_more() -> None:
    kinds = Counter(kind for seed in range(100, 120) for kind, wrong in tried(seed) if not wrong or pytest.fail(f"{seed}: {kind}"))
    assert min(kinds.values()) > 10


def test_a_mistake_in_the_checker_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "no_cheaper", lambda *_: None)
    assert any(wrong for seed in range(12) for _, wrong in tried(seed))


def test_every_release_was_asked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims over single values in one of the releases, and over groups in the other: that is no one choice."""
    sample = [(f"r{i}", published(Dataset.of(DOMAIN, EVERYTHING[: i + 1]), ["TA", "TAB"])) for i in range(2)]
    one, two = (protect_many(sample, Policy(1), ["limit"], groups=groups, proofs=True).certificate for groups in Groups)
    assert one is not None
    assert two is not None
    assert one["withheld"] == two["withheld"]
    mixed = sealed({**two, "releases": [one["releases"][0], two["releases"][1]], "lower_bound": 0})
    assert "another policy" in check_many(contents(sample), mixed).rejected[0]
    monkeypatch.setattr(checker, "ALIKE", ())
    assert not check_many(contents(sample), mixed).rejected


def test_from_files_to_a_verdict(tmp_path: Path) -> None:
    truths = [[*EVERYTHING[i : i + 3], EVERYTHING[0]] for i in range(3)]
    (tmp_path / "all").mkdir()
    for i, truth in enumerate(truths):
        published(Dataset.of(DOMAIN, truth), ["TA", "TB", "TAB", "TG"]).write(tmp_path / "all" / f"r{i}")
    (tmp_path / "policy.toml").write_text("singled_out_columns = 2\n")
    (tmp_path / "other.toml").write_text("singled_out_columns = 1\n")
    asked = "protect", tmp_path / "all", "--by", "table", "--policy", tmp_path / "policy.toml", "--keep", "limit"
    certificate = tmp_path / "certificate.json"
    assert run(*asked, "--out", tmp_path / "choice", "--proofs", certificate).status == 0
    checked = run("check", tmp_path / "all", certificate, "--policy", tmp_path / "policy.toml")
    assert checked.status == 0
    assert "No choice of tables for all of them costs less." in checked.out
    assert run("check", tmp_path / "all", certificate, "--policy", tmp_path / "other.toml").status == 1
    assert run("check", tmp_path / "all" / "r0", certificate).status == 2
    assert run("check", tmp_path / "all", certificate, "--complete").status == 2
    shutil.copytree(tmp_path / "all" / "r0", tmp_path / "all" / "r9")
    assert run("check", tmp_path / "all", certificate).status == 3  # one that it does not speak of
    shutil.rmtree(tmp_path / "all" / "r0")
    assert run("check", tmp_path / "all", certificate).status == 1


@pytest.mark.parametrize(("seed", "columns"), [(30, 1), (119, 2)])
def test_what_an_explanation_is_said_to_need_when_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, seed: int, columns: int
) -> None:
    """Where nothing can be asked any more, all tables taken are called needed: not those that this release does not have."""
    monkeypatch.setattr(exact, "fewest", lambda taken, _: frozenset(taken))
    sample = sample_of(Random(seed))
    found = protect_many(sample, Policy(columns), ["limit"], proofs=True)
    result = check_many(contents(sample), json.loads(json.dumps(found.certificate)))
    assert (result.rejected, result.bound) == ([], found.lower_bound)
