"""Claims that only whole numbers decide: the relaxation leaves them open, a search tree closes them."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from foregone import Dataset, Domain, Ground, Predicate, Release, Statistic, Verdict, audit, bounds, verify
from foregone.checker.read import proofs as parse_module
from foregone.engine import AtMost, LinearSystem, Tree, start
from foregone.engine.bounds import prover as prover_module
from foregone.engine.bounds import search as search_module
from foregone.engine.bounds.certify import Scope, dominate
from foregone.engine.bounds.knowledge import Part, SystemKnowledge
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Form, TreeLeaf, TreeSplit
from foregone.engine.system.linear import compile_release
from foregone.model.statement import Limits
from foregone.solvers.answer import Answer, Undecided
from foregone.solvers.arrays import Ints
from tests import oracle
from tests.audited import listed


def triangles(number: int, columns: int = 1) -> Release:
    """Values in triangles, any two of a triangle together at most once; as many records as triangles and one more.

    A triangle holds at most one record, but half a record at each corner also fits every number, so the relaxation
    allows one and a half. With two or more triangles the value left over is only certain among whole numbers.
    """
    corners = [[f"{corner}{t}" for corner in "abc"] for t in range(number)]
    values = {"V": [*(corner for triangle in corners for corner in triangle), "rest"], "W": ["0", "1"]}
    domain = Domain.of({name: values[name] for name in "VW"[:columns]})
    statistics = [Statistic.exact(Predicate(), number + 1), Statistic(Predicate.of({"V": "rest"}), 0, 1)]
    for a, b, c in corners:
        statistics += [Statistic(Predicate.of({"V": pair}), 0, 1) for pair in ((a, b), (b, c), (a, c))]
    if columns == 2:
        statistics.append(Statistic.exact(Predicate.of({"V": "rest", "W": "1"}), 0))
    return Release(domain, tuple(statistics))


@pytest.fixture
def no_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derived rows would close most of these before a tree is needed."""
    monkeypatch.setattr(prover_module, "ROUNDS", 0)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.usefixtures("no_cuts")
def test_triangles_need_a_search(columns: int) -> None:
    release = triangles(2, columns)
    rest = Predicate.of({"V": "rest"})
    assert oracle.count_range(release, rest, 3) == (1, 1)
    finding = verify(release, rest, 1)
    assert (finding.verdict, finding.ground) == (Verdict.VERIFIED, Ground.SEARCH)
    assert bounds(release, rest) == (1, 1)
    assert verify(release, rest, 0).verdict == Verdict.REFUTED
    result = audit(release)
    assert listed(release) == oracle.verified_claims(release, 3)
    assert {row.ground for row in result.rows()} == {Ground.SEARCH}


def test_one_triangle_needs_only_a_bound() -> None:
    """One and a half rounds down to one: no search."""
    finding = verify(triangles(1), {"V": "rest"}, 1)
    assert (finding.verdict, finding.ground) == (Verdict.VERIFIED, Ground.BOUND)


@pytest.mark.usefixtures("no_cuts")
def test_four_triangles() -> None:
    assert verify(triangles(4), {"V": "rest"}, 1).ground == Ground.SEARCH
    loose = Release(triangles(4).domain, triangles(4).statistics[:-1])
    assert verify(loose, {"V": "rest"}, 1).verdict == Verdict.REFUTED


def test_the_checker_follows_every_tree_the_prover_makes() -> None:
    assert search_module.MAX_DEPTH < parse_module.DEEPEST < sys.getrecursionlimit() // 2


@pytest.mark.usefixtures("no_cuts")
def test_a_tree_that_grows_too_deep_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MAX_DEPTH", 0)
    finding = verify(triangles(2), {"V": "rest"}, 1)
    assert finding.verdict == Verdict.UNDECIDED
    assert "deeper" in finding.reason


def leaves_are_true(system: LinearSystem, tree: Tree, held: dict[Form, Limits], target: int) -> int:
    """Check every leaf of a search tree from scratch, and that the two parts of each split leave nothing out."""
    if isinstance(tree, TreeLeaf):
        objective = np.zeros(system.buckets, dtype=np.int64)
        objective[_buckets(system, "rest")] = -1
        buckets = {bucket: (form, limits) for form, limits in held.items() if (bucket := form.bucket) is not None}
        forms = [(form, limits) for form, limits in held.items() if form.bucket is None]
        places = {form: place for place, (form, _) in enumerate(forms)}
        further = [(places[form], times) for form, times in tree.certificate.further if form in places]
        both = [
            dominate(system, f, tree.certificate.multipliers, tree.certificate.denominator, Scope(None, buckets, forms), further)
            for f in (objective, np.zeros_like(objective))
        ]
        limits = [certificate.limit for certificate in both if certificate is not None]
        assert len(limits) == 2
        assert limits[0] <= target or limits[1] < 0
        return 1
    assert isinstance(tree, TreeSplit)
    low, high = held.get(tree.form, (None, None))
    assert low is None or low <= tree.at
    assert high is None or tree.at < high
    below = leaves_are_true(system, tree.below, {**held, tree.form: (low, tree.at)}, target)
    return below + leaves_are_true(system, tree.above, {**held, tree.form: (tree.at + 1, high)}, target)


def _buckets(system: LinearSystem, code: str) -> np.ndarray:
    return np.flatnonzero(system.footprint(Predicate.of({"V": code}))[0])


@pytest.mark.usefixtures("no_cuts")
def test_the_search_tree_is_a_proof() -> None:
    prover = start(triangles(2)).prover
    objective = np.zeros(prover.system.buckets, dtype=np.int64)
    objective[_buckets(prover.system, "rest")] = -1
    answer = prover.at_most(objective, -1)
    assert isinstance(answer, AtMost)
    assert isinstance(answer.proof, TreeSplit)
    assert leaves_are_true(prover.system, answer.proof, {}, -1) >= 2


@pytest.mark.usefixtures("no_cuts")
def test_a_split_after_which_the_solver_has_no_answer_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    prover, settle, lost = start(triangles(2)).prover, SystemKnowledge.settle, list[Form]()
    objective = np.zeros(prover.system.buckets, dtype=np.int64)
    objective[_buckets(prover.system, "rest")] = -1

    def losing(known: SystemKnowledge, asked: Ints, target: int, part: Part | None = None) -> tuple[TreeLeaf | None, Answer]:
        lost.extend([] if lost else list(part or {}))  # the first form that anything is split on
        return (None, Undecided("lost")) if lost and lost[0] in (part or {}) else settle(known, asked, target, part)

    monkeypatch.setattr(SystemKnowledge, "settle", losing)
    answer = prover.at_most(objective, -1)
    assert lost
    assert isinstance(answer, AtMost)
    assert leaves_are_true(prover.system, answer.proof, {}, -1) >= 2


def random_ranges(seed: int) -> Release:
    """One column, overlapping sets of values, each 'at most so many': odd cycles among them make integrality matter."""
    rng = random.Random(seed)
    codes = [chr(97 + i) for i in range(rng.randint(6, 9))]
    domain, records = Domain.of({"V": codes}), rng.randint(2, 4)
    truth = Dataset.of(domain, [(rng.choice(codes),) for _ in range(records)])
    statistics = [Statistic.exact(Predicate(), records)]
    for _ in range(rng.randint(5, 9)):
        predicate = Predicate.of({"V": rng.sample(codes, rng.randint(2, 3))})
        count = truth.count(predicate)
        statistics.append(Statistic(predicate, 0 if rng.random() < 0.8 else count, max(count, 1)))
    return Release(domain, tuple(statistics))


@pytest.mark.parametrize("seed", [14, 94, 284, 531])
def test_odd_cycles_found_by_chance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    release = random_ranges(seed)
    expected = oracle.verified_claims(release, 4)
    assert listed(release) == expected
    monkeypatch.setattr(prover_module, "ROUNDS", 0)
    assert Ground.SEARCH in {row.ground for row in audit(release, groups="none").rows()}
    assert listed(release) == expected


@pytest.mark.parametrize("seed", range(1000, 1015))
def test_overlapping_ranges_equal_brute_force(seed: int) -> None:
    release = random_ranges(seed)
    assert listed(release) == oracle.verified_claims(release, 4)


def test_relaxation_alone_does_not_decide_triangles() -> None:
    """The relaxed optimum is a whole unit away from the true one, so rounding cannot close it."""
    prover = Prover(compile_release(triangles(2)))
    objective = np.zeros(prover.system.buckets)
    objective[_buckets(prover.system, "rest")] = -1.0
    answer = prover.relaxation.maximise(objective)
    assert abs(getattr(answer, "value", -1.0)) < 1e-6
