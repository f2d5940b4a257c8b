"""The forger gets nothing false accepted; and it would: every bug planted in the checker is caught by it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from foregone import ForegoneError, Predicate, Release, audit
from foregone.engine import proofs
from foregone.model.domain import Column, Domain
from foregone.questions.check import check
from tests.checker.cases import Case, Json
from tests.checker.forger import all_faults, forgeries, hunt
from tests.checker.planted import BUGS, Plant

pytestmark = pytest.mark.slow


def test_nothing_false_is_accepted_and_nothing_genuine_rejected() -> None:
    tried, wrong = hunt(seconds=8, seed=10_000)
    assert wrong == []
    assert tried["genuine"] > 3
    assert tried.total() > 500


@cache
def files() -> list[tuple[Case, str, Json]]:
    """The same forgeries for every planted bug."""
    return [made for seed in range(30) for made in forgeries(seed, number=150)]


def found() -> Iterator[str]:
    for case, kind, document in files():
        yield from all_faults(case, kind, document)


def test_without_a_bug_the_forger_finds_nothing() -> None:
    assert next(found(), None) is None


@pytest.mark.parametrize("plant", BUGS, ids=lambda plant: plant.__name__)
def test_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    files()  # made before the bug is planted
    plant(monkeypatch)
    assert next(found(), None) is not None


# A bug in what the engine and not the checker uses to read a release


def masks_mirrored(patch: pytest.MonkeyPatch) -> None:
    """The codes of the last column counted from the wrong end."""
    honest = Predicate.masks

    def mirrored(self: Predicate, domain: Domain, *_: Any) -> dict[int, int]:
        last, width = len(domain.columns) - 1, len(domain.columns[-1].codes)
        return {c: int(f"{m:0{width}b}"[::-1], 2) if c == last else m for c, m in honest(self, domain).items()}

    patch.setattr(Predicate, "masks", mirrored)


def masks_of_the_neighbour(patch: pytest.MonkeyPatch) -> None:
    honest = Column.mask
    patch.setattr(Column, "mask", lambda self, codes: (honest(self, codes) << 1) & self.full or 1)


@pytest.mark.parametrize("plant", [masks_mirrored, masks_of_the_neighbour], ids=lambda plant: plant.__name__)
def test_a_bug_in_the_engines_reading_of_predicates_is_caught(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {id(case): case for case, _, _ in files()}
    plant(monkeypatch)
    false = 0
    for case in cases.values():
        try:
            release = Release(case.release.domain, case.release.statistics, case.release.rules, case.release.workload.sums)
            document = proofs(audit(release), complete=False)
        except (ForegoneError, AssertionError):
            continue
        result = check(release, document)
        assert all_faults(case, "with a bug in the engine", document) == []
        wrong = [fact for fact in document["facts"] if case.counts(fact["claim"]) != {fact["count"]}]
        assert not wrong or result.rejected
        false += len(wrong)
    assert false > 10
