"""Can the tests fail? Each bug planted here must make the comparison with brute force fail on some of these releases."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from foregone import Dataset, Domain, Predicate, Release, Statistic, UndecidedError, Verdict, Workload, audit, bounds, verify
from foregone.engine import Atoms, LinearSystem, Witness, atomise
from foregone.engine.bounds import knowledge as knowledge_module
from foregone.engine.bounds.certify import certify
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.rowspace import Combination, RowSpace
from foregone.engine.bounds.trees import Certificate, TreeLeaf
from foregone.engine.claims import audit_loop as facts_module
from foregone.engine.claims import buckets_of_claim as extents_module
from foregone.engine.claims import evidence as evidence_module
from foregone.engine.claims import shorter_claims as forms_module
from foregone.engine.claims.closed_sets import Candidates, candidates
from foregone.engine.system import blueprint as blueprint_module
from foregone.engine.system import implied as implied_module
from foregone.engine.system import linear as system_module
from foregone.engine.system import zeros as zeros_module
from foregone.engine.system.blueprint import Blueprint
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.live import live_records
from foregone.engine.witnesses.moves import Mover, Swaps
from foregone.engine.witnesses.pool import Pool
from foregone.engine.witnesses.rounding import rounded
from foregone.model import audit as audit_module
from foregone.model.families import count_forms
from foregone.solvers.answer import Feasible
from foregone.solvers.lp import Relaxation
from tests import oracle
from tests.audited import claims_of, listed
from tests.engine.bounds.test_search import triangles

pytestmark = pytest.mark.slow
exact = Statistic.exact
where = Predicate.of
Plant = Callable[[pytest.MonkeyPatch], None]


def tabulated(records: list[str], margins: list[str], blur: int = 0) -> Release:
    """Records such as '010' over binary columns A, B, C, ...; margins such as 'AB'; counts blurred into ranges on request."""
    names = "ABCD"[: len(records[0])]
    domain = Domain.of({name: ["0", "1"] for name in names})
    truth = Dataset.of(domain, [tuple(record) for record in records])
    statistics = [exact(Predicate(), len(truth))]
    for margin in margins:
        for codes in product("01", repeat=len(margin)):
            predicate = where(dict(zip(margin, codes, strict=True)))
            count = truth.count(predicate)
            statistics.append(Statistic(predicate, max(0, count - blur), count + blur))
    return Release(domain, tuple(statistics))


RELEASES = [
    tabulated(["000", "011", "111"], ["AB", "BC"]),
    tabulated(["000", "011", "101", "110"], ["AB", "BC", "AC"]),
    tabulated(["000", "001", "111", "111"], ["A", "BC"]),
    tabulated(["00", "01", "11"], ["A", "B"], blur=1),
    tabulated(["000", "010", "111"], ["AB", "C"], blur=1),
    tabulated(["0000", "0110", "1011"], ["AB", "BC", "CD"]),
    Release(
        Domain.of({"A": ["0", "1"], "B": ["0", "1"], "C": ["0", "1"]}),
        (exact(Predicate(), 3), exact(where({"A": "1"}), 1), exact(where({"B": "0", "C": "0"}), 1), exact(where({"B": "0"}), 1)),
        (where({"A": "1", "C": "1"}),),
    ),
    Release(
        Domain.of({"V": ["a", "b", "c", "d"]}),
        (
            exact(Predicate(), 4),
            Statistic(where({"V": "a"}), 2, 4),
            Statistic(where({"V": "b"}), 2, 4),
            Statistic(where({"V": "c"}), 0, 2),
        ),
    ),
    triangles(2),
    # one record is known; where a second may be is open, and decides how many have the known one's B
    *(
        Release(
            Domain.of({"A": ["0", "1"], "B": ["0", "1", "2"]}),
            (
                Statistic(Predicate(), 2, 2 + more),
                exact(where({"A": "0", "B": code}), 1),
                exact(where({"A": "0"}), 1),
                Statistic(where({"B": code}), 1, 2 + more),
            ),
        )
        for code in "012"
        for more in (0, 1)
    ),
    # the other records have values that cannot be named, so that no other claim brings up where they may be
    *(
        Release(
            Domain.of({"A": ["0", "1", "2"], "B": ["0", "1", "2"]}),
            (
                exact(Predicate(), size),
                exact(where({"A": a, "B": b}), 1),
                exact(where({"B": b}), 1),
                Statistic(where({"A": list(named)}), int(a in named), size - int(a not in named)),
            ),
        )
        for size in (2, 3)
        for a, b in ("00", "22")
        for named in (a, "012".replace(a, ""))
    ),
]


def drawn(seed: int) -> Release:
    """A random release over three small columns: some tables, some of their counts blurred, some single counts."""
    rng = random.Random(seed)
    domain = Domain.of({name: [str(v) for v in range(rng.randint(2, 3))] for name in "ABC"})
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, rng.choices(everything, k=rng.randint(2, 4)))
    chosen = [Predicate()]
    for _ in range(rng.randint(1, 2)):
        names = rng.sample("ABC", rng.randint(1, 2))
        chosen += [where(dict(zip(names, codes, strict=True))) for codes in product(*(domain.column(n).codes for n in names))]
    for _ in range(rng.randint(0, 3)):
        names = rng.sample("ABC", rng.randint(1, 3))
        chosen.append(where({n: rng.sample(domain.column(n).codes, rng.randint(1, 2)) for n in names}))
    statistics = []
    for predicate in chosen:
        count = truth.count(predicate)
        blur = rng.random() < 0.2 and bool(predicate.allowed)
        statistics.append(Statistic(predicate, max(0, count - blur), count + blur))
    return Release(domain, tuple(statistics))


RELEASES += [drawn(seed) for seed in range(40)]
# two of three records are known; where the third can be is what few datasets tell
RELEASES.append(
    Release(
        Domain.of({name: ["0", "1"] for name in "ABC"}),
        (
            exact(Predicate(), 3),
            exact(where({"A": "0", "B": "1", "C": "1"}), 1),
            exact(where({"A": "1", "B": "0", "C": "1"}), 1),
            Statistic(where({"A": "0", "B": "1", "C": "0"}), 0, 1),
        ),
    )
)


@cache
def expected(number: int) -> tuple[set[Any], dict[Predicate, tuple[int, int]]]:
    """What brute force says about a release: its certain claims, and the range of some predicates."""
    release = RELEASES[number]
    names, largest = release.domain.names, release.size_range[1]
    assert largest is not None
    records = product(*(column.codes for column in release.domain.columns))
    asked = {where(dict(list(zip(names, record, strict=True))[:2])) for record in records}
    ranges = {}
    for predicate in sorted(asked, key=Predicate.text):
        found = oracle.count_range(release, predicate, largest)
        assert found is not None
        ranges[predicate] = found
    return oracle.verified_claims(release, largest), ranges


def disagreements(step: int = 1) -> Iterator[str]:
    """What brute force finds fault with, over all (or every few) releases; to give up or crash on one is a fault too."""
    for number in range(0, len(RELEASES), step):
        release = RELEASES[number]
        claims, ranges = expected(number)
        try:
            if listed(release) != claims:
                yield f"release {number}: claims"
            for predicate, (least, most) in ranges.items():
                if bounds(release, predicate) != (least, most):
                    yield f"release {number}: bounds of {predicate.text()}"
                if verify(release, predicate, least).verdict != (Verdict.VERIFIED if least == most else Verdict.REFUTED):
                    yield f"release {number}: verdict on {predicate.text()}"
        except Exception as error:
            yield f"release {number}: {type(error).__name__}"


def test_without_a_bug_there_is_no_disagreement() -> None:
    assert list(disagreements()) == []


def few_witnesses(patch: pytest.MonkeyPatch) -> None:
    """No moves: every witness comes from a solver, so that fewer claims are refuted before they are judged."""
    patch.setattr(facts_module, "walk", lambda *_: None)
    patch.setattr(facts_module, "hunt", lambda *_: None)


def test_moves_change_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    few_witnesses(monkeypatch)
    assert list(disagreements(step=2)) == []


def certify_everything(patch: pytest.MonkeyPatch) -> None:
    def close(self: SystemKnowledge, _objective: Any, target: int, *_: Any) -> TreeLeaf:
        return TreeLeaf(Certificate(np.zeros(self.system.rows, dtype=np.int64), 1, target))

    patch.setattr(SystemKnowledge, "close", close)


def loose_certificates(patch: pytest.MonkeyPatch) -> None:
    """Bounds off by one: one more than the target is taken for proof, and the relaxed value is not looked at."""
    few_witnesses(patch)

    def close(self: SystemKnowledge, objective: Any, target: int, answer: Any, part: Any = None) -> TreeLeaf | None:
        found = certify(self.system, objective, answer.multipliers, target + 1, self.scope(part or {}))
        return None if found is None else TreeLeaf(found)

    patch.setattr(SystemKnowledge, "close", close)


def express_everything(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RowSpace, "express", lambda self, _: Combination(np.zeros(self.system.rows, dtype=np.int64), 1))


def express_without_checking(patch: pytest.MonkeyPatch) -> None:
    """Agreement on the buckets of the basis is taken for agreement everywhere."""
    few_witnesses(patch)
    honest = RowSpace.express

    def express(self: RowSpace, functional: Any) -> Combination | None:
        if self.rank:
            basis = np.zeros(self.system.buckets, dtype=bool)
            basis[self._columns] = True
            self._part, self._buckets = self.system.part(basis), np.flatnonzero(basis)
            self._probed, self._probe = self._buckets, self.system.columns(self._buckets)
        return honest(self, functional)

    patch.setattr(RowSpace, "express", express)


def lose_a_candidate(patch: pytest.MonkeyPatch) -> None:
    honest = candidates
    patch.setattr(facts_module, "candidates", lambda *a: Candidates(honest(*a).closed[:-1], honest(*a).counts[:-1]))


def lose_a_live_record(patch: pytest.MonkeyPatch) -> None:
    honest = live_records
    patch.setattr(system_module, "live_records", lambda *a: honest(*a)[:-1])


def keep_a_dead_record(patch: pytest.MonkeyPatch) -> None:
    """Published zeros and rules are forgotten."""
    honest = zeros_module.find_zeros

    def forgetful(plan: Blueprint, low: Any, high: Any) -> Any:
        return honest(replace(plan, boxes=plan.boxes[: plan.queries]), low, np.maximum(high, 1))

    patch.setattr(system_module, "find_zeros", forgetful)


def list_forms_too_few(patch: pytest.MonkeyPatch) -> None:
    honest = audit_module.forms
    patch.setattr(audit_module, "forms", lambda *a: list(honest(*a))[1:])


def list_forms_too_many(patch: pytest.MonkeyPatch) -> None:
    honest = audit_module.forms
    patch.setattr(audit_module, "forms", lambda fact, *a: honest(replace(fact, shortest=(Predicate(),)), *a))


def count_forms_wrong(patch: pytest.MonkeyPatch) -> None:
    honest = count_forms
    patch.setattr(evidence_module, "count_forms", lambda *a: tuple(n + 1 for n in honest(*a) or ()))


def lose_a_shortest_form(patch: pytest.MonkeyPatch) -> None:
    honest = forms_module.Forms.shortest
    patch.setattr(forms_module.Forms, "shortest", lambda *a: honest(*a)[1:])


def shortest_forms_too_short(patch: pytest.MonkeyPatch) -> None:
    """A column is left out of a form that needs it."""
    honest = forms_module.Forms.shortest
    patch.setattr(forms_module.Forms, "shortest", lambda *a: [form & (form - 1) for form in honest(*a)])


def ignore_doubt(patch: pytest.MonkeyPatch) -> None:
    """Buckets that could tell two forms of a claim apart are taken to be empty."""
    honest = extents_module.Extents.compare

    def compare(self: Any, *arguments: Any) -> Any:
        return [replace(found, doubt=found.doubt[:0]) for found in honest(self, *arguments)]

    few_witnesses(patch)
    patch.setattr(extents_module.Extents, "compare", compare)


def accept_any_witness(patch: pytest.MonkeyPatch) -> None:
    """The pool takes in what was not tabulated, and one record of each point is lost on the way."""
    patch.setattr(LinearSystem, "consistent", lambda _self, witnesses: [True] * len(witnesses))
    honest = rounded
    patch.setattr(knowledge_module, "rounded", lambda answer: Witness.of_records(honest(answer).spread()[:-1]))


def implied_zeros_too_eager(patch: pytest.MonkeyPatch) -> None:
    """A container counts as used up one record too early."""
    honest = implied_module._fill

    def eager(boxes: Any, kinds: Any, buckets: Any, low: Any, high: Any) -> Any:
        return honest(boxes, kinds, buckets, low, np.where(high > 1, high - 1, high))

    patch.setattr(implied_module, "_fill", eager)


def atoms_too_coarse(patch: pytest.MonkeyPatch) -> None:
    honest = atomise

    def coarse(workload: Workload) -> Atoms:
        found = honest(workload)
        full = workload.domain.columns[-1].full
        return Atoms(found.domain, (*found.groups[:-1], (full,)))

    patch.setattr(blueprint_module, "atomise", coarse)
    patch.setattr(system_module, "blueprint", blueprint_module.draw)


BUGS: list[Plant] = [
    certify_everything,
    loose_certificates,
    express_everything,
    express_without_checking,
    lose_a_candidate,
    lose_a_live_record,
    keep_a_dead_record,
    list_forms_too_few,
    list_forms_too_many,
    count_forms_wrong,
    lose_a_shortest_form,
    shortest_forms_too_short,
    ignore_doubt,
    accept_any_witness,
    implied_zeros_too_eager,
    atoms_too_coarse,
]


@pytest.mark.parametrize("plant", BUGS, ids=lambda plant: plant.__name__)
def test_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert next(disagreements(), None) is not None


# Bugs that the engine's own checks must stop


def test_wild_moves_are_stopped_by_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves are suggestions: with every swap let through, the pool turns down what does not fit, and no verdict changes."""
    refused = 0
    honest_add = Pool.add_each

    def add_each(self: Pool, datasets: Any) -> int:
        nonlocal refused
        several = list(datasets)
        taken = honest_add(self, several)
        bad = [witness for witness in several if dataset_of(self.system, witness).broken(self.system.release)]
        assert not {witness.key for witness in bad} & {witness.key for witness in self}
        refused += len(bad)
        return taken

    def wild(self: Mover, witness: Witness) -> Swaps:
        buckets = witness.spread()
        first, second = np.triu_indices(len(buckets), 1)
        new = self.rng.integers(0, self.system.buckets, (2, len(first)))
        return Swaps(buckets, first, second, new[0], new[1])

    monkeypatch.setattr(Mover, "swaps", wild)
    monkeypatch.setattr(Pool, "add_each", add_each)
    assert list(disagreements(step=2)) == []
    assert refused


def test_a_lying_solver_is_stopped_by_exact_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that reports values too low and multipliers at random may leave claims open, but none is wrong."""
    honest = Relaxation.maximise
    rng = np.random.default_rng(0)

    def lie(self: Relaxation, *arguments: Any, **options: Any) -> Any:
        answer = honest(self, *arguments, **options)
        if isinstance(answer, Feasible):
            return Feasible(answer.buckets, answer.counts, answer.value - 1, rng.normal(size=len(answer.multipliers)))
        return answer

    monkeypatch.setattr(Relaxation, "maximise", lie)
    decided = 0
    for release in RELEASES:
        largest = release.size_range[1]
        assert largest is not None
        try:
            result = audit(release, time_limit=2.0)
        except UndecidedError:
            continue
        decided += 1
        assert claims_of(result) <= oracle.verified_claims(release, largest)
    assert decided
