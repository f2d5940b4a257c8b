"""Of a joined release the earlier part is out already: it is protected by its later part alone."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import Domain, Policy, Release, check, protect, tabulate
from foregone.cli.app import app
from foregone.protection.actions import Allowed, problem_of
from foregone.tables.joining import join
from tests.protection import brute

runner = CliRunner()
POLICY = Policy(singled_out_columns=3)
JUNE = {"SEX": ["F", "F", "M", "M"], "AGE": ["old", "old", "old", "old"]}
JULY = {"SEX": ["F", "F", "F", "M", "M"], "AGE": ["old", "old", "young", "old", "old"]}


def published(people: dict[str, list[str]]) -> Release:
    return tabulate(people, margins=["SEX", "AGE"], domain=Domain.of({"SEX": ["F", "M"], "AGE": ["old", "young"]}))


@pytest.fixture
def both() -> Release:
    """One more woman, young, since June: whoever has both releases knows all about her."""
    return join({"june": published(JUNE), "july": published(JULY)}, people="joined").release


def test_only_the_later_part_gives_way(both: Release) -> None:
    free, bound = protect(both, POLICY), protect(both, POLICY, keep=["june/"], proofs=True)
    assert bound.release is not None
    assert bound.before
    assert (bound.after, bound.optimal, bound.proved) == (0, True, True)
    assert bound.withheld
    assert all(name.startswith("july/") for name in bound.withheld)
    assert free.cost is not None
    assert bound.cost is not None
    assert free.cost <= bound.cost
    before = {s.name: s for s in both.statistics}
    assert all(s == before[s.name] for s in bound.release.statistics if s.name.startswith("june/"))
    assert check(both, bound.certificate).rejected == []


def test_as_few_of_it_as_any_set_that_is_enough(both: Release) -> None:
    """Brute force: every smaller set of July's numbers leaves somebody singled out in some way."""
    problem = problem_of(both, POLICY, Allowed(keep=("june/",)))
    numbers = range(len(problem.actions))
    assert all(problem.actions[a].name.startswith("july/") for a in numbers)
    found = protect(both, POLICY, keep=["june/"])
    enough = (
        size
        for size in range(len(numbers) + 1)
        for taken in combinations(numbers, size)
        if not brute.exact_breaks(problem, frozenset(taken), 6)
    )
    assert found.cost == next(enough)


def test_by_command(tmp_path: Path) -> None:
    for name, people in (("june", JUNE), ("july", JULY)):
        published(people).write(tmp_path / name)
    places = {name: str(tmp_path / name) for name in ("june", "july", "both", "out", "certificate.json")}
    joined = runner.invoke(app, ["join", places["june"], places["july"], "--people", "joined", "--out", places["both"]])
    assert joined.exit_code == 0, joined.output
    options = ["--keep", "june/", "--out", places["out"], "--proofs", places["certificate.json"]]
    made = runner.invoke(app, ["protect", places["both"], *options])
    assert made.exit_code == 0, made.output
    kept = Release.read(tmp_path / "out").statistics
    assert all((s.low, s.mark) == (s.high, "") for s in kept if s.name.startswith("june/"))
    assert any(s.mark for s in kept)
    judged = runner.invoke(app, ["check", places["both"], places["certificate.json"], "--protected", places["out"]])
    assert judged.exit_code == 0, judged.output
    assert "june/" in next(line for line in judged.output.splitlines() if "kept" in line.lower() or "keep" in line.lower())
