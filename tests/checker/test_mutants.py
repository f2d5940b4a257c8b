"""Whoever changes a true certificate gets nothing false accepted; the checker and the engine work out the same; and bugs planted in
the checker are found that way.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from foregone.checker.encode.weaker import CertifiedCase as Case
from foregone.checker.read.proofs import witness_of
from foregone.checker.read.values import entries, keyed
from foregone.checker.verdicts import explained, protection
from foregone.checker.verdicts import policy as verdict
from foregone.checker.verdicts.datasets import Witnesses
from foregone.checker.verdicts.policy import Cell
from tests.checker import test_enemy, test_protection
from tests.checker.protections import Json, World, changed, differences, elsewhere, faults, random_world, tried, understood, unsafe

Plant = Callable[[pytest.MonkeyPatch], None]


def test_nothing_false_is_accepted_and_nothing_true_rejected() -> None:
    counts, wrong = Counter[str](), list[str]()
    for seed in range(9_000, 9_012):
        for kind, fault in tried(seed):
            counts[kind] += 1
            wrong += [f"seed {seed}, {kind}: {fault}"] if fault else []
    assert wrong == []
    assert counts["true"] > 5
    assert counts.total() > 800


@pytest.mark.parametrize("seed", range(4))
def test_both_work_out_the_same(seed: int) -> None:
    """What may be done, at which cost, what is primary, how it is marked and what is left after some actions."""
    rng, seen = random.Random(seed), 0
    while seen < 25:
        world = random_world(rng)
        document = None if world is None else world.certificate()
        if world is not None and document is not None:
            assert list(differences(rng, world, understood(world, document))) == []
            seen += 1


# Bugs, one plausible mistake each


def given_is_ignored(patch: pytest.MonkeyPatch) -> None:
    honest = explained.clause_of

    def planted(*arguments: Any) -> Any:
        return honest(*arguments)._replace(given=frozenset())

    patch.setattr("tests.checker.protections.clause_of", planted)
    patch.setattr(protection, "clause_of", planted)


def the_span_counts(patch: pytest.MonkeyPatch) -> None:
    """As many values as there are numbers from the least to the greatest."""
    honest = verdict.keeps

    def planted(policy: Any, release: Any, cells: list[Cell], evidence: Any, groups: bool) -> None:
        given = entries(keyed(evidence, (), ("datasets", "audit", "empty")).get("datasets", []))
        listed = Witnesses(release.domain, [witness_of(release.domain, dataset) for dataset in given])

        def spanned(cell: Cell) -> Cell:
            counts = listed.counts(cell.number.box)
            wide = bool(counts) and max(counts) - min(counts) + 1 >= cell.values
            return cell._replace(values=0) if wide else cell

        honest(policy, release, [spanned(cell) for cell in cells], evidence, groups)

    patch.setattr(protection, "keeps", planted)


def rules_explain_nothing(patch: pytest.MonkeyPatch) -> None:
    """A value that follows from rules alone counts as told by the tables."""
    honest = explained._group

    def planted(case: Case, breach: Any, seen: Any) -> Any:
        return honest(case._replace(release=case.release._replace(rules=())), breach, seen)

    patch.setattr(explained, "_group", planted)


def datasets_need_not_fit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(verdict, "consistent", lambda *_: [])


def gaps_stay(patch: pytest.MonkeyPatch) -> None:
    honest = explained._single

    def planted(case: Case, value: Any) -> Any:
        need, hit = honest(case, value)
        number = case.shown(need.number)
        kept = {a for a in hit if case.actions[a].kind != "merge" and len(number.ranges) > 1}
        return need, hit - {a for a in kept if explained._implies(case.after(need.number, case.actions[a]), (need.low, need.high))}

    patch.setattr(explained, "_single", planted)


def anybody_can_be_in_a_group(patch: pytest.MonkeyPatch) -> None:
    honest = explained._group
    somebody: Any = _Somebody()
    patch.setattr(explained, "_group", lambda case, breach, _: honest(case, breach, (somebody, somebody)))


class _Somebody:
    """Has a record in every group."""

    @property
    def witnesses(self) -> _Somebody:
        return self

    def counts(self, _: Any) -> list[int]:
        return [1]


def all_columns_count(patch: pytest.MonkeyPatch) -> None:
    possible = explained.possible

    def planted(case: Case, given: Any, listed: Any) -> Any:
        return possible(case, given, listed)._replace(seen=tuple((1 << len(codes)) - 1 for codes in case.release.domain.codes))

    patch.setattr(explained, "possible", planted)
    patch.setattr(protection, "possible", planted)
    patch.setattr("tests.checker.protections.possible", planted)


def missing_values_need_no_proof(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(explained, "_impossible", lambda *_: None)


def everything_is_unknown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(verdict._Attribute, "check", lambda _: None)


def stars_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    honest = verdict.keeps

    def planted(policy: Any, release: Any, cells: list[Cell], evidence: Any, groups: bool) -> None:
        honest(policy, release, [cell for cell in cells if not policy.stars], evidence, groups)

    patch.setattr(protection, "keeps", planted)


def what_is_needed_is_believed(patch: pytest.MonkeyPatch) -> None:
    honest = explained._implies
    patch.setattr(explained, "_implies", lambda known, needed: honest(known, needed) or known == (0, None))


FOUND: dict[Plant, int] = {datasets_need_not_fit: 11, stars_are_not_looked_at: 3, what_is_needed_is_believed: 4}
FOUND[everything_is_unknown] = 19
CAUGHT: dict[Plant, Callable[[], None]] = {
    given_is_ignored: test_protection.test_what_holds_for_some_choices_raises_no_bound_for_others,
    the_span_counts: test_protection.test_values_are_counted_and_not_the_span,
    rules_explain_nothing: test_protection.test_an_attribute_is_one_value_that_somebody_has_and_no_rule_explains,
    anybody_can_be_in_a_group: test_protection.test_an_attribute_is_one_value_that_somebody_has_and_no_rule_explains,
    gaps_stay: test_protection.test_the_gaps_of_a_mark_are_gone_with_its_table,
    missing_values_need_no_proof: test_protection.test_a_value_that_is_missing_is_proved_to_be,
    all_columns_count: test_enemy.test_a_column_that_is_the_same_for_everybody_does_not_raise_the_bound,
}


@cache
def files(seed: int) -> list[tuple[World, Json]]:
    """A true certificate and what was made of it, the same for every planted bug."""
    rng = random.Random(seed)
    world = random_world(rng)
    document = None if world is None else world.certificate()
    if world is None or document is None:
        return []
    every = [*changed(rng, world, document), *elsewhere(rng, world)]
    every = rng.sample(every, min(len(every), 200)) + ([] if world.linear else list(unsafe(rng, world, document)))
    return [(world, document), *((world, other) for _, other in every if set(protection.KEYS) <= {*other, "digest"})]


def found(seed: int) -> str | None:
    return next((fault for world, document in files(seed) for fault in faults(world, document)), None)


@pytest.mark.parametrize("plant", FOUND, ids=lambda plant: plant.__name__)
def test_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """By changing certificates, of a release with which it is found soon."""
    assert found(FOUND[plant]) is None
    plant(monkeypatch)
    assert found(FOUND[plant]) is not None


@pytest.mark.parametrize("plant", CAUGHT, ids=lambda plant: plant.__name__)
def test_planted_bug_is_caught(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a test that is there for it."""
    CAUGHT[plant]()
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        CAUGHT[plant]()
