"""Smallest sets of statistics: which of them already force a statement, or already contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import compile_release
from foregone.model.domain import Domain
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import LARGEST, Either, Statement, Statistic
from foregone.solvers.deadline import Deadline

TEST_SECONDS = 10.0
TEST_RECORDS = 200_000


def irreducible(pool: Sequence[int], enough: Callable[[list[int]], bool | None]) -> tuple[list[int], bool]:
    """A subset of the pool that is enough while no part of it is (QuickXplain, Junker 2004), and whether that is sure.

    The whole pool must be enough. A test that cannot be decided counts as not enough: the set may then be larger than
    need be, and is reported as not sure.
    """
    unsure = False

    def test(chosen: list[int]) -> bool:
        nonlocal unsure
        answer = enough(sorted(chosen))
        unsure |= answer is None
        return answer is True

    def explain(background: list[int], added: bool, rest: list[int]) -> list[int]:
        if added and test(background):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = explain(background + left, True, right)
        first = explain(background + second, bool(second), left)
        return first + second

    if test([]):
        return [], True
    return sorted(explain([], False, list(pool))), not unsure


def reduced(
    release: Release, chosen: Sequence[int], predicate: Predicate, extra: int, deadline: Deadline | None = None
) -> Prover | None:
    """A prover for some of the statements, without columns that nothing mentions; None when it grows too large or late.

    Without the number of records a dataset could grow without end, but it never needs to: thin it out until every record
    is one of `extra` that matter to the question or is needed for some lower limit.
    """
    count = len(release.statistics)
    statistics = [release.statistics[i] for i in chosen if i < count]
    sums = [stated for i in chosen if i >= count and isinstance(stated := release.everything[i], Statement)]
    choices = [stated for i in chosen if i >= count and isinstance(stated := release.everything[i], Either)]
    summed = [*sums, *(side for either in choices for side in either.sides)]
    counted = [*(s.predicate for s in statistics), *(p for s in summed for _, p in s.terms)]
    named = {name for p in (predicate, *counted, *release.rules) for name, _ in p.allowed}  # also where any value is allowed
    columns = [c for c in release.domain.columns if c.name in named] or [release.domain.columns[0]]
    most = sum(s.low for s in statistics) + extra
    # with weights, records that seem idle may be needed; and no release states more than the largest number
    cap = [] if summed or most > LARGEST else [Statistic(Predicate(), 0, most)]
    try:
        part = Release(Domain(tuple(columns), release.domain.record), (*statistics, *cap), release.rules, sums, choices)
        soon = (deadline or Deadline()).sooner(TEST_SECONDS)
        return Prover(compile_release(part, TEST_RECORDS, soon), soon)
    except (TooLargeError, UndecidedError):
        return None
