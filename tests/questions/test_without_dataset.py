"""What follows by arithmetic needs no dataset: answers at once where finding a first one would take long, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from foregone import (
    ContradictionError,
    Dataset,
    Domain,
    Ground,
    Predicate,
    Release,
    Statistic,
    UndecidedError,
    Verdict,
    bounds,
    verify,
)
from foregone.engine.bounds.prover import Prover
from foregone.engine.witnesses.pool import Pool
from foregone.questions.ask import possible
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.cli.commands import run, write_release
from tests.strategies import LARGEST, releases

DOMAIN = Domain.of({"A": ["0", "1", "2"], "B": ["0", "1"]})


def some(**where: str | list[str]) -> Predicate:
    return Predicate.of(where)


RELEASE = Release(
    DOMAIN,
    [
        Statistic.exact(Predicate(), 9, "all"),
        Statistic.exact(some(A="0"), 4, "zero"),
        Statistic.exact(some(A="1"), 3, "one"),
        Statistic(some(A="1", B="0"), 1, None, "one, zero"),
        Statistic(some(A="1", B="1"), 2, None, "one, one"),
    ],
)


@pytest.fixture
def hard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No dataset is ever found, as if that took for ever."""
    with monkeypatch.context() as patch:
        patch.setattr(Prover, "first_witness", lambda *_: Undecided("the time limit was reached"))
        patch.setattr(Pool, "add_each", lambda *_: 0)
        yield


@pytest.mark.usefixtures("hard")
def test_what_is_published_or_adds_up_or_is_bounded_is_verified() -> None:
    for predicate, count, ground in (
        (some(A="0"), 4, Ground.PUBLISHED),
        (some(A="2"), 2, Ground.LINEAR),
        (some(A="1", B="0"), 1, Ground.BOUND),
    ):
        finding = verify(RELEASE, predicate, count)
        assert finding.verdict == Verdict.VERIFIED
        assert finding.ground == ground
        assert "none has been found yet" in finding.reason
        assert finding.proof is None  # the checker accepts nothing without a dataset
    assert bounds(RELEASE, some(A="2")) == (2, 2)
    with pytest.raises(UndecidedError, match="no dataset"):
        verify(RELEASE, some(A="2"), 1)
    with pytest.raises(UndecidedError, match="no dataset"):
        verify(RELEASE, some(B="0"), 4)


@pytest.mark.usefixtures("hard")
def test_the_command_says_it(tmp_path: Path) -> None:
    ran = run("verify", write_release(tmp_path / "release"), "SEX=M", "--count", 3)
    assert ran.status == 0
    assert ran.out.splitlines()[0].startswith("Verified (linear)")
    assert "none has been found yet" in ran.out


def test_with_a_dataset_there_is_a_proof_and_nothing_more_to_say() -> None:
    finding = verify(RELEASE, some(A="2"), 2)
    assert finding.proof is not None
    assert finding.reason == ""


def test_a_contradiction_is_named_and_nothing_is_verified() -> None:
    clash = Release(DOMAIN, [*RELEASE.statistics, Statistic.exact(some(B="0"), 0, "none")])
    for ask in (lambda: verify(clash, some(A="2"), 2), lambda: bounds(clash, some(A="2")), lambda: verify(clash, some(A="0"), 4)):
        with pytest.raises(ContradictionError):
            ask()


@settings(max_examples=60, deadline=None)
@given(releases())
def test_never_verified_without_reason(made: tuple[Release, Dataset]) -> None:
    """Brute force agrees with everything that is said without a dataset."""
    release, truth = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Prover, "first_witness", lambda *_: Undecided("the time limit was reached"))
        patch.setattr(Pool, "add_each", lambda *_: 0)
        for statistic in release.statistics:
            try:
                finding = verify(release, statistic.predicate, truth.count(statistic.predicate))
            except UndecidedError:
                assert statistic.low != statistic.high
                continue
            assert finding.verdict == Verdict.VERIFIED
            count = finding.claim.count
            assert oracle.count_range(release, statistic.predicate, LARGEST) == (count, count)


def test_one_time_limit_for_both_steps_of_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release alone and the release with the claim are compiled; both look at the same clock."""
    seen: set[float | None] = set()
    honest = Prover.first_witness

    def watched(self: Prover, tries: int = 8) -> bool | Undecided:
        seen.add(self.deadline.at)
        return honest(self, tries)

    monkeypatch.setattr(Prover, "first_witness", watched)
    monkeypatch.setattr(Deadline, "after", classmethod(lambda cls, seconds: cls(None if seconds is None else 1e12 + len(seen))))
    assert possible(RELEASE, some(B="0"), 5, time_limit=30).witness is not None
    assert len(seen) == 1
