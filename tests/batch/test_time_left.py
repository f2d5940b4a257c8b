"""Estimates of the time that is left, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from foregone.batch.time_left import SOONEST, STEPS, TimeLeft, time_left


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def watched(costs: list[float], workers: int = 1, guesses: list[float] | None = None) -> Iterator[tuple[float, float | None]]:
    """Each second and after each piece: the true time left and the estimate, while workers take pieces in turn."""
    clock = Clock()
    left = TimeLeft(clock)
    guesses = guesses or costs
    free, ends = [0.0] * workers, []
    for cost, guess in zip(costs, guesses, strict=True):
        at = free.index(min(free))
        free[at] += cost
        ends.append((free[at], guess))
    last, done = max(free), 0.0
    left.tell(0.0)
    looks = sorted([*((float(second), 0.0) for second in range(1, int(last) + 1)), *ends])
    for when, guess in looks:
        clock.now = 1000.0 + when
        done += guess
        left.tell(min(done / sum(guesses), 1.0))
        yield last - when, left.seconds


def test_nothing_is_said_before_enough_is_known() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.tell(0.0)
    for _ in range(STEPS - 1):
        clock.now += SOONEST
        left.tell(left.marks[-1][1] + 0.1)
        assert left.seconds is None
    clock.now += 1
    left.tell(left.marks[-1][1] + 0.1)
    assert left.seconds is not None
    quick = TimeLeft(clock)
    for i in range(2 * STEPS):
        quick.tell(i / 100)
    assert quick.seconds is None


def test_steady_work_is_foretold() -> None:
    for truth, estimate in watched([2.0] * 100, workers=2):
        if estimate is not None:
            assert abs(estimate - truth) <= 5 + 0.25 * truth


def test_a_long_last_piece_does_not_stand_at_zero() -> None:
    """The costs were guessed alike, and the last piece takes two minutes."""
    found = list(watched([1.0] * 60 + [120.0], guesses=[1.0] * 61))
    late = [(truth, estimate) for truth, estimate in found if truth < 110]
    assert late
    for truth, estimate in late[:-1]:  # after the last piece nothing is left
        assert estimate is not None
        assert estimate >= 120 - truth - 1.5, (truth, estimate)


def test_a_slow_start_is_forgotten() -> None:
    """Starting takes four seconds in which nothing is done; then each piece takes a tenth of a second."""
    found = [(truth, estimate) for truth, estimate in watched([4.0, *[0.1] * 600], guesses=[1.0] * 601) if estimate is not None]
    assert len(found) > 500
    assert all(truth / 1.5 - 5 <= estimate <= 2.5 * truth + 5 for truth, estimate in found)
    assert all(truth / 1.3 - 2 <= estimate <= 1.3 * truth + 2 for truth, estimate in found if truth < 45)


@given(st.lists(st.floats(0.2, 3.0), min_size=60, max_size=150), st.integers(1, 4))
def test_it_does_not_jump(costs: list[float], workers: int) -> None:
    """From one look to the next the foretold end moves by a small part of what is left, and it is never far off."""
    before = None
    for truth, estimate in watched(costs, workers):
        if estimate is not None and before is not None and before > 10:
            assert estimate <= 1.5 * before + 5
            assert estimate >= before / 1.5 - 5
        if estimate is not None:
            assert estimate <= 3 * truth + 20
            assert estimate >= truth / 3 - 10
        before = estimate


def test_longer_times_are_never_said_to_be_shorter() -> None:
    order = [time_left(float(s)) for s in range(0, 500_000, 7)]
    seen = list(dict.fromkeys(order))
    assert len(seen) == len([i for i, words in enumerate(order) if i == 0 or order[i - 1] != words])
