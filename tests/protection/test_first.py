"""A first protection comes early: it was seen to be safe, it is kept by whoever stops, and the bound beside it stays a true one."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Policy, Release, protect, tabulate
from foregone.engine import MAX_RECORDS
from foregone.model.families import Groups
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.blocks import Block, Look
from foregone.protection.exact import ExactAttacker
from foregone.protection.first import fewer_and_fewer, last_of
from foregone.protection.many import ProtectionOfMany, protect_many
from foregone.protection.problem import NONE, Problem
from foregone.solvers.deadline import Deadline
from tests.protection import brute
from tests.protection.test_many import (
    DOMAIN,
    EVERYTHING,
    MARGINS,
    POLICIES,
    by_brute_force,
    problems,
    published,
    samples,
)


def most(problem: Problem) -> int:
    return problem.release.statistics[-1].high or 0


@given(st.sets(st.frozensets(st.integers(0, 7), min_size=1), min_size=1, max_size=5), st.permutations(range(8)))
def test_of_sets_to_meet_the_last_choice_needs_every_member(sets: set[frozenset[int]], order: list[int]) -> None:
    """Where more is never worse, nothing can be left out in the end; every choice on the way is enough."""

    def enough(chosen: frozenset[int]) -> bool:
        return all(chosen & some for some in sets)

    choices = list(fewer_and_fewer((), order, enough))
    assert all(map(enough, choices))
    assert all(after <= before for before, after in pairwise(choices))
    assert not any(enough(choices[-1] - {one}) for one in choices[-1])
    assert last_of(fewer_and_fewer((), order, lambda _: False)) is None


@given(st.sets(st.frozensets(st.integers(0, 5))), st.permutations(range(6)))
def test_where_more_can_be_worse_every_choice_was_still_seen_to_be_enough(safe: set[frozenset[int]], order: list[int]) -> None:
    choices = list(fewer_and_fewer((), order, safe.__contains__))
    assert safe.issuperset(choices)
    assert bool(choices) == (frozenset(order) in safe)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(samples(), POLICIES, st.sampled_from(Groups))
def test_what_is_found_by_looking_is_safe(sample: list[tuple[str, Release]], policy: Policy, groups: Groups) -> None:
    """After any table was taken as well, and where withholding more makes a column count."""
    problem = problems(sample[:1], policy, groups)[0]
    attacker = ExactAttacker(problem)
    for taken in (NONE, *(frozenset({a}) for a in range(len(problem.actions)))):
        for choice in attacker.mended(taken, lambda some: attacker.safe(some, Deadline()), Deadline()):
            assert choice >= taken
            assert not brute.exact_breaks(problem, choice, most(problem))


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(samples(), POLICIES, st.sampled_from(Groups))
def test_every_bound_on_the_way_is_true(sample: list[tuple[str, Release]], policy: Policy, groups: Groups) -> None:
    best = by_brute_force(problems(sample, policy, groups))
    heard: list[tuple[int, int | None]] = []
    protect_many(sample, policy, ["limit"], groups=groups, watch=lambda lower, upper: heard.append((lower, upper)))
    for lower, upper in heard:
        assert best is not None
        assert lower <= best
        assert upper is None or upper >= best


def stopped_at_the_first_explanation(monkeypatch: pytest.MonkeyPatch, sample: list[tuple[str, Release]]) -> ProtectionOfMany:
    """As if somebody stopped it before anything but withholding everything was explained."""
    look = Block.look

    def stopping(self: Block, taken: frozenset[int], known: frozenset[int], deadline: Deadline) -> Look:
        if len(taken) < len(self.problem.actions):
            raise KeyboardInterrupt
        return look(self, taken, known, deadline)

    monkeypatch.setattr(Block, "look", stopping)
    return protect_many(sample, Policy(2), ["limit"])


def test_who_stops_before_anything_is_explained_has_better_than_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    truths = [[("a0", "b0"), ("a1", "b1"), ("a1", "b1")], [("a0", "b1"), ("a0", "b0"), ("a0", "b0")]]
    sample = [(f"r{i}", published(Dataset.of(DOMAIN, truth), sorted(MARGINS))) for i, truth in enumerate(truths)]
    whole = protect_many(sample, Policy(2), ["limit"])
    early = stopped_at_the_first_explanation(monkeypatch, sample)
    assert whole.cost is not None
    assert early.cost is not None
    assert early.lower_bound <= whole.cost <= early.cost < sum(early.costs.values())
    assert early.reason == "stopped"


@pytest.mark.slow
def test_of_one_release_by_table_the_choice_stays_the_cheapest() -> None:
    heard: list[int | None] = []
    for first, second in product(EVERYTHING, EVERYTHING):
        release = published(Dataset.of(DOMAIN, [first, second, EVERYTHING[0]]), sorted(MARGINS))
        found = protect(release, Policy(2), by="table", keep=["limit"], watch=lambda _, upper: heard.append(upper))
        problem = problems([("one", release)], Policy(2), Groups.PUBLISHED)[0]
        assert (found.cost, found.lower_bound) == (cost := brute.cheapest(problem, "exact", most(problem)), cost)
    assert heard


def wide_release() -> Release:
    """Ten records of which most values occur once: choices of tables between none and all leave more kinds possible than either."""
    rng = Random(9)
    records = rng.choice([6, 10, 14])
    columns = {c: [f"{c}{rng.randrange(5)}" for _ in range(records)] for c in "ABCD"}
    return tabulate(columns, margins=[list("ABCD"), ["A", "B"], ["C", "D"], ["B", "C"], ["A"], ["B"], ["C"], ["D"]])


def test_a_choice_that_leaves_too_many_kinds_possible_is_not_seen_to_be_safe() -> None:
    """It is passed over, and the search goes on; it ended with an error."""
    policy, too_many = Policy(singled_out_columns=1), 60
    problem = problem_of(wide_release(), policy, Allowed(by="table"))
    attacker = ExactAttacker(problem, too_many)
    some = {i for i, action in enumerate(problem.actions) if action.name in ("A,B,C,D", "A,B")}
    assert attacker.breaches(some, Deadline()) is None
    assert not attacker.safe(some, Deadline())
    everything = range(len(problem.actions))
    assert attacker.breaches(everything, Deadline()) == 0
    one = protect(wide_release(), policy, by="table", max_records=too_many)
    assert one.optimal


def test_where_the_time_is_over_nothing_is_looked_at() -> None:
    problem = problem_of(wide_release(), Policy(singled_out_columns=1), Allowed(by="table"))

    def safe(taken: frozenset[int]) -> bool:
        raise AssertionError(taken)

    assert not list(ExactAttacker(problem, MAX_RECORDS).mended(NONE, safe, Deadline.after(0)))


@given(st.sets(st.frozensets(st.integers(0, 7), min_size=1), min_size=1, max_size=5), st.permutations(range(8)), st.integers(1, 20))
def test_when_looking_ends_early_the_last_choice_was_seen_to_be_enough(
    sets: set[frozenset[int]], order: list[int], looks: int
) -> None:
    seen, looked = set[frozenset[int]](), list[frozenset[int]]()

    def enough(chosen: frozenset[int]) -> bool:
        looked.append(chosen)
        found = len(looked) <= looks and all(chosen & some for some in sets)
        if found:
            seen.add(chosen)
        return found

    assert last_of(fewer_and_fewer((), order, enough)) in seen


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_many_releases_of_which_some_choices_leave_too_many_kinds_possible(workers: int) -> None:
    releases = [("a", wide_release()), ("b", wide_release())]
    made = protect_many(releases, Policy(singled_out_columns=1), max_records=60, workers=workers)
    assert (made.cost, made.lower_bound, made.optimal) == (479, 479, True)
