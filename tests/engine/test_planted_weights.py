"""Can the tests of weighted sums fail? Each bug planted in how weights are handled must be found by comparison with brute force."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from foregone import Dataset, Domain, Predicate, Release, Statistic, Verdict, bounds, generate, unique, verify
from foregone.engine import LinearSystem
from foregone.engine.bounds import certify as certify_module
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.system import linear as linear_module
from foregone.engine.system.linear import compile_release
from foregone.model.statement import Statement
from foregone.onehot import model as onehot_model
from foregone.onehot.audit import audit as audit_onehot
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.ip.registry import load
from foregone.solvers.lp import Relaxation
from tests import oracle
from tests.audited import claims_of, listed
from tests.engine.bounds.test_certify import bucket_counts
from tests.engine.test_planted_bugs import few_witnesses

pytestmark = pytest.mark.slow

Plant = Callable[[pytest.MonkeyPatch], None]
MOST = 4  # records


def drawn(seed: int) -> Release:
    """A random release of two small columns: few counts, so that its weighted sums matter."""
    rng = random.Random(seed)
    domain = Domain.of({"A": ["0", "1", "2"], "B": ["0", "1"]})
    everything = list(product("012", "01"))
    truth = Dataset.of(domain, rng.choices(everything, k=rng.randint(1, MOST)))
    statistics = [Statistic(Predicate(), max(0, len(truth) - rng.randint(0, 1)), min(MOST, len(truth) + rng.randint(0, 1)))]
    for predicate in rng.sample([Predicate.of({name: code}) for name, codes in (("A", "012"), ("B", "01")) for code in codes], 2):
        count = truth.count(predicate)
        statistics.append(Statistic(predicate, max(0, count - rng.randint(0, 1)), count + rng.randint(0, 1)))
    sums = []
    for _ in range(rng.randint(1, 2)):
        places = rng.sample(everything, rng.randint(2, 5))
        terms = tuple((rng.choice([-3, -2, -1, 1, 2, 3, 4, 5]), Predicate.of({"A": a, "B": b})) for a, b in places)
        value = truth.value(terms)
        low, high = rng.choice([(value, value), (value, value + 1), (value - 1, value), (value, None), (None, value)])
        sums.append(Statement(terms, low, high))
    return Release(domain, statistics, (), sums)


# A sum that is unknown below, one that has to be negative, and one that tells what the counts leave open
BY_HAND = [
    Release(
        Domain.of({"A": ["0", "1", "2"]}),
        [Statistic.exact(Predicate(), 3)],
        (),
        [Statement(((-1, Predicate.of({"A": "0"})), (2, Predicate.of({"A": "1"}))), low, high)],
    )
    for low, high in ((None, -3), (-3, -3), (6, None), (None, 0), (-2, -1), (5, 6))
]
# the records with A=0 together with a sum over them that weighs their parts differently: their number stays open
BY_HAND.append(
    Release(
        Domain.of({"A": ["0", "1", "2"], "B": ["0", "1"]}),
        [Statistic.exact(Predicate(), 4)],
        (),
        [Statement(((1, Predicate.of({"A": "0", "B": "0"})), (2, Predicate.of({"A": "0", "B": "1"}))), 3, 3)],
    )
)
RELEASES = [*BY_HAND, *(drawn(seed) for seed in range(40))]


@cache
def expected(number: int) -> tuple[set[oracle.Claim], dict[Predicate, tuple[int, int]], int]:
    release = RELEASES[number]
    ranges = {}
    for predicate in (Predicate.of({"A": "0"}), Predicate.of({"A": "1"}), Predicate.of({"A": ["1", "2"]})):
        found = oracle.count_range(release, predicate, MOST)
        assert found is not None
        ranges[predicate] = found
    return oracle.verified_claims(release, MOST), ranges, sum(1 for _ in oracle.consistent_datasets(release, MOST))


def disagreements(engine: Callable[[Release], set[oracle.Claim]] = listed) -> Iterator[str]:
    """What brute force finds fault with; to give up or crash on a release is a fault too."""
    for number, release in enumerate(RELEASES):
        claims, ranges, datasets = expected(number)
        try:
            if engine(release) != claims:
                yield f"release {number}: claims"
            if engine is not listed:
                continue
            for predicate, (least, most) in ranges.items():
                if bounds(release, predicate) != (least, most):
                    yield f"release {number}: bounds of {predicate.text()}"
                if verify(release, predicate, least).verdict != (Verdict.VERIFIED if least == most else Verdict.REFUTED):
                    yield f"release {number}: verdict on {predicate.text()}"
            if unique(release).verdict != (Verdict.VERIFIED if datasets == 1 else Verdict.REFUTED):
                yield f"release {number}: unique"
            made = generate(release, 3)
            if len(made.datasets) != min(3, datasets) or any(d.broken(release) for d in made.datasets):
                yield f"release {number}: generate"
        except Exception as error:
            yield f"release {number}: {type(error).__name__}"


def onehot(release: Release) -> set[oracle.Claim]:
    return claims_of(audit_onehot(release, load("highs"), 3, 60))


def test_without_a_bug_there_is_no_disagreement() -> None:
    assert list(disagreements()) == []
    assert list(disagreements(onehot)) == []
    assert list(false_certificates()) == []


def rows_changed(change: Callable[[Any], Any]) -> Plant:
    """The matrix or the limits of weighted sums come out wrong when the system is made."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = linear_module._sums

        def wrong(release: Any, plan: Any, found: Any) -> Any:
            made, low, high = honest(release, plan, found)
            matrix = np.zeros((len(made), found.number), dtype=np.int64)
            for row, (buckets, weights) in enumerate(made):
                matrix[row, buckets] = weights
            matrix, floors, ceilings = change((matrix, np.array(low), np.array(high)))
            return [(np.flatnonzero(row), row[row != 0]) for row in matrix], floors, ceilings

        patch.setattr(linear_module, "_sums", wrong)

    return plant


def limits_swapped(rows: Any) -> Any:
    """Low and high exchanged, each with the sign that keeps them in order."""
    matrix, low, high = rows
    return matrix, -high, -low


def open_low_is_zero(rows: Any) -> Any:
    matrix, low, high = rows
    return matrix, np.where(low == -NO_LIMIT, 0, low), high


def method_without_weights(name: str) -> Plant:
    """One of the methods of the system takes every weight for 1."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = getattr(LinearSystem, name)

        def wrong(self: LinearSystem, *arguments: Any) -> Any:
            return honest(self if self.weights is None else replace(self, weights=np.sign(np.abs(self.weights))), *arguments)

        patch.setattr(LinearSystem, name, wrong)

    return plant


def certify_without_weights(patch: pytest.MonkeyPatch) -> None:
    """Certificates are worked out as if every weight were 1."""
    honest = certify_module.dominate

    def wrong(system: LinearSystem, *arguments: Any) -> Any:
        return honest(system if system.weights is None else replace(system, weights=np.sign(np.abs(system.weights))), *arguments)

    patch.setattr(certify_module, "dominate", wrong)


def floats_that_ignore_weights(patch: pytest.MonkeyPatch) -> None:
    """The relaxation sees every weight as 1: its points never fit and its bounds prove nothing, so claims stay open."""
    honest = Relaxation.__init__

    def wrong(self: Relaxation, system: Any) -> None:
        honest(self, system if system.weights is None else replace(system, weights=None))

    patch.setattr(Relaxation, "__init__", wrong)


def span_without_weights(patch: pytest.MonkeyPatch) -> None:
    """Combinations of rows are looked for as if every weight were 1; no moves break what they seem to prove."""
    few_witnesses(patch)
    honest = RowSpace.__init__

    def wrong(self: RowSpace, system: LinearSystem, *arguments: Any) -> None:
        honest(self, replace(system, weights=None), *arguments)

    patch.setattr(RowSpace, "__init__", wrong)


BUGS: dict[str, Plant] = {
    "sign of a weight dropped": rows_changed(lambda rows: (np.abs(rows[0]), *rows[1:])),
    "signs of all weights turned": rows_changed(lambda rows: (-rows[0], *rows[1:])),
    "weights off by one": rows_changed(lambda rows: (rows[0] + (rows[0] > 0), *rows[1:])),
    "limits of a sum swapped": rows_changed(limits_swapped),
    "open low end treated as 0": rows_changed(open_low_is_zero),
    "upper limit of a sum forgotten": rows_changed(lambda rows: (rows[0], rows[1], np.full_like(rows[2], NO_LIMIT))),
    "lower limit of a sum forgotten": rows_changed(lambda rows: (rows[0], np.full_like(rows[1], -NO_LIMIT), rows[2])),
    "tabulate ignores weights": method_without_weights("tabulate_each"),
    "combine ignores weights": method_without_weights("combine"),
    "columns ignore weights": method_without_weights("columns"),
    "certificates ignore weights": certify_without_weights,
    "span ignores weights": span_without_weights,
    "relaxation ignores weights": floats_that_ignore_weights,
}


# Certificates on their own: the search only needs good ones, so that a false one can go unnoticed for long

OPEN = [
    Release(
        Domain.of({"A": ["0", "1", "2"]}),
        [Statistic.exact(Predicate.of({"A": "2"}), 1)],
        (),
        [Statement(((weight, Predicate.of({"A": "0"})), (2, Predicate.of({"A": "1"}))), low, 4)],
    )
    for weight in (-3, -1, 1)
    for low in (0, None)
]


def false_certificates() -> Iterator[str]:
    """Limits from random multipliers that some dataset exceeds."""
    rng = np.random.default_rng(0)
    for number, release in enumerate([*RELEASES, *OPEN]):
        system = compile_release(release)
        points = bucket_counts(release, system, MOST + 4 if release in OPEN else MOST)
        for _ in range(30):
            objective = rng.integers(-2, 3, system.buckets)
            multipliers = rng.integers(-3, 4, system.rows)
            multipliers[(system.high == NO_LIMIT) & (multipliers > 0)] = 0
            multipliers[(system.low == -NO_LIMIT) & (multipliers < 0)] = 0
            certificate = certify_module.dominate(system, objective, multipliers, 1)
            if certificate is not None and any(objective @ point > certificate.total for point in points):
                yield f"release {number}"


def cover_with_negative_weights(patch: pytest.MonkeyPatch) -> None:
    """A sum in which some records take off is said to bound all that it touches."""
    honest = linear_module.cover_of

    def wrong(system: Any) -> Any:
        return honest(system if system.weights is None else replace(system, weights=np.abs(system.weights)))

    patch.setattr(linear_module, "cover_of", wrong)


def uncovered_buckets_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Buckets that nothing bounds count as bounded."""
    honest = linear_module.cover_of

    def wrong(system: Any) -> Any:
        cover, covered = honest(system)
        return cover, np.ones_like(covered)

    patch.setattr(linear_module, "cover_of", wrong)


@pytest.mark.parametrize("plant", [cover_with_negative_weights, uncovered_buckets_forgotten, certify_without_weights])
def test_false_certificates_are_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert next(false_certificates(), None) is not None


# The one-hot engine writes the sums as rows of its own


def onehot_sums(change: Callable[..., Any]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = onehot_model.matching

        def planted(draft: Any, model: Any, terms: Any, *limits: Any) -> Any:
            made = honest(draft, model, terms, *limits)
            return made if [weight for weight, _ in terms] == [1] else change(*made)  # counts stay right

        patch.setattr(onehot_model, "matching", planted)

    return plant


ONEHOT_BUGS: dict[str, Plant] = {
    "sign of a weight dropped": onehot_sums(lambda row, low, high: ([(j, abs(w)) for j, w in row], low, high)),
    "weights ignored": onehot_sums(lambda row, low, high: ([(j, 1) for j, _ in row], low, high)),
    "open low end treated as 0": onehot_sums(lambda row, low, high: (row, 0 if low is None else low, high)),
    "limits swapped": onehot_sums(lambda row, low, high: (row, None if high is None else -high, None if low is None else -low)),
    "limits forgotten": onehot_sums(lambda row, _low, _high: (row, None, None)),
}


@pytest.mark.parametrize("name", ONEHOT_BUGS)
def test_planted_bug_in_the_one_hot_engine_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ONEHOT_BUGS[name](monkeypatch)
    assert next(disagreements(onehot), None) is not None


def test_no_variable_stands_twice_in_a_row_of_the_one_hot_model() -> None:
    """Solvers refuse such rows. Terms about all records are added up, and cancel out here."""
    domain = Domain.of({"A": ["0", "1"]})
    everyone = Predicate.of({"A": ["0", "1"]})
    terms = ((-1, everyone), (3, Predicate()), (-2, everyone), (1, Predicate.of({"A": "0"})))
    for size in (Statistic(Predicate(), 0, 2), Statistic.exact(Predicate(), 2)):
        release = Release(domain, [size], (), [Statement(terms, 1, 1), Statement(terms[:2], 2, 4)])
        for columns, *_ in onehot_model.encode(release).program.lists():
            assert len(set(columns)) == len(columns)
        assert onehot(release) == listed(release) == oracle.verified_claims(release, 2)


@pytest.mark.parametrize("name", BUGS)
def test_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BUGS[name](monkeypatch)
    assert next(disagreements(), None) is not None
