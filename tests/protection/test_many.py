"""One choice of tables for several releases: as cheap as the cheapest of all sets of tables, and safe in each of them."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, InputError, Policy, Predicate, Release, Statistic
from foregone.model.families import Groups
from foregone.protection import many
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.attack import Safe
from foregone.protection.blocks import Block, Blocks, Look
from foregone.protection.many import ProtectionOfMany, protect_many
from foregone.protection.problem import Problem
from foregone.solvers.deadline import Deadline
from tests.protection import brute

DOMAIN = Domain.of({"A": ["a0", "a1"], "B": ["b0", "b1", "b2"]})
EVERYTHING = list(product(*(column.codes for column in DOMAIN.columns)))
MARGINS: dict[str, list[dict[str, str | list[str]]]] = {
    "TA": [{"A": code} for code in ("a0", "a1")],
    "TB": [{"B": code} for code in ("b0", "b1", "b2")],
    "TAB": [{"A": a, "B": b} for a, b in product(("a0", "a1"), ("b0", "b1"))],
    "TG": [{"B": ["b0", "b1"]}, {"A": "a0", "B": ["b0", "b1"]}],
    "TN": [{}],
}


def published(truth: Dataset, tables: list[str]) -> Release:
    """Some tables about a truth; how many records there are at most is known whatever is withheld."""
    cells = [(name, Predicate.of(where)) for name in tables for where in MARGINS[name]]
    made = [Statistic.exact(p, truth.count(p), f"{name}.{i}", name) for i, (name, p) in enumerate(cells)]
    return Release(DOMAIN, [*made, Statistic(Predicate(), 0, len(truth) + 1, "limit", "limit")])


@st.composite
def samples(draw: st.DrawFn) -> list[tuple[str, Release]]:
    tables = draw(st.lists(st.sampled_from(sorted(MARGINS)), min_size=1, max_size=4, unique=True))
    truths = draw(st.lists(st.lists(st.sampled_from(EVERYTHING), min_size=1, max_size=3), min_size=1, max_size=3))
    return [(f"r{i}", published(Dataset.of(DOMAIN, truth), tables)) for i, truth in enumerate(truths)]


POLICIES = st.builds(Policy, singled_out_columns=st.integers(1, 2), smallest_group=st.integers(2, 3))


def problems(sample: list[tuple[str, Release]], policy: Policy, groups: Groups) -> list[Problem]:
    return [problem_of(release, policy, Allowed("table", ("limit",)), groups) for _, release in sample]


def by_brute_force(made: list[Problem]) -> int | None:
    """What the cheapest set of tables costs that protects every release."""

    def safe(taken: frozenset[int]) -> bool:
        largest = [problem.release.statistics[-1].high or 0 for problem in made]
        return not any(brute.exact_breaks(problem, taken, most) for problem, most in zip(made, largest, strict=True))

    return next((made[0].cost(taken) for taken in brute.subsets(made[0]) if safe(taken)), None)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(samples(), POLICIES, st.sampled_from(Groups))
def test_against_all_sets_of_tables(sample: list[tuple[str, Release]], policy: Policy, groups: Groups) -> None:
    found = protect_many(sample, policy, ["limit"], groups=groups)
    expected = by_brute_force(problems(sample, policy, groups))
    assert (found.cost, bool(found.impossible)) == (expected, expected is None)
    if expected is not None:
        assert (found.lower_bound, found.after, found.optimal) == (expected, 0, True)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(samples(), st.integers(1, 2), st.sampled_from(Groups))
def test_datasets_met_before_refute_nothing_that_is_certain(
    sample: list[tuple[str, Release]], columns: int, groups: Groups
) -> None:
    """After a look at every set of tables, what is called safe without an audit is safe though every column counts."""
    problem = problems(sample[:1], Policy(columns), groups)[0]
    most = problem.release.statistics[-1].high or 0
    block, numbers = Block(problem), range(len(problem.actions))
    everything = [frozenset(some) for size in range(len(numbers) + 1) for some in combinations(numbers, size)]
    for taken in everything:
        block.breaches(taken, Deadline())
    for taken in everything:
        if block._refuter.refuted(taken):
            assert not brute.exact_breaks(problem, taken, most)


def test_the_choice_does_not_depend_on_the_number_of_processes() -> None:
    truths = [Dataset.of(DOMAIN, [*EVERYTHING[i : i + 3], EVERYTHING[0]]) for i in range(4)]
    sample = [(f"r{i}", published(truth, ["TA", "TB", "TAB", "TG"])) for i, truth in enumerate(truths)]
    one, two = (protect_many(sample, Policy(2), ["limit"], workers=workers) for workers in (1, 2))
    assert one == two
    assert one.optimal


def test_a_release_whose_process_died_is_undecided() -> None:
    sample = [(f"r{i}", published(Dataset.of(DOMAIN, EVERYTHING[:3]), ["TA", "TAB"])) for i in range(2)]
    blocks = Blocks(problems(sample, Policy(1), Groups.NONE), 1000, 2)
    try:
        blocks._workers[1].process.kill()
        first, second = blocks.breaches([0, 1], frozenset(), Deadline())
        assert first
        assert second is None
        assert not isinstance(blocks.look([1], frozenset(), frozenset(), Deadline())[0].outcome, Safe)
    finally:
        blocks.close()


def test_stopped_at_any_moment_it_keeps_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the n-th question: what is known so far is told, and never a bound that was not proved."""
    truths = [EVERYTHING[:3], EVERYTHING[2:5], EVERYTHING[1:4]]
    sample = [(f"r{i}", published(Dataset.of(DOMAIN, truth), sorted(MARGINS))) for i, truth in enumerate(truths)]
    whole = protect_many(sample, Policy(1), ["limit"])
    assert whole.cost is not None
    asked, stop, look = 0, 0, Block.look

    def stopping(self: Block, taken: frozenset[int], known: frozenset[int], deadline: Deadline) -> Look:
        nonlocal asked
        asked += 1
        if asked == stop:
            raise KeyboardInterrupt
        return look(self, taken, known, deadline)

    monkeypatch.setattr(many, "WAVE", 1)
    monkeypatch.setattr(Block, "look", stopping)
    seen: list[ProtectionOfMany] = []
    for moment in range(1, 30):
        asked, stop = 0, moment
        seen.append(protect_many(sample, Policy(1), ["limit"]))
        assert seen[-1].lower_bound <= whole.cost
        assert seen[-1].cost is None or seen[-1].cost >= whole.cost
        if seen[-1].optimal:
            break
    assert seen[0].cost is None
    assert "stopped" in seen[0].summary()
    assert seen[-1].cost == whole.cost
    assert any(found.cost is not None and not found.optimal and "stopped" in found.summary() for found in seen)
    bounded = [found.summary() for found in seen if found.cost is not None and not found.optimal and found.lower_bound]
    assert bounded
    assert all("(reported by a solver, not proved)" in summary for summary in bounded)


def test_nothing_to_protect() -> None:
    with pytest.raises(InputError, match="no release"):
        protect_many([], Policy(1))


@pytest.mark.parametrize(
    ("truths", "columns", "wrong"),
    [
        ([["a0", "b0"], ["a0", "b0"], ["a1", "b1"], ["a1", "b1"]], 2, False),  # nobody is alone
        ([["a0", "b0"], ["a1", "b1"], ["a1", "b2"]], 1, True),  # everybody is
    ],
)
def test_where_withholding_is_the_wrong_tool(truths: list[list[str]], columns: int, wrong: bool) -> None:
    truth = Dataset.of(DOMAIN, truths)
    found = protect_many([("one", published(truth, ["TA", "TB", "TAB"]))], Policy(columns), keep=["limit"])
    assert found.withheld is not None
    assert (2 * found.cells >= found.numbers) == wrong
    kept = f"{found.tables - len(found.withheld)} of 3 tables would stay published, {found.numbers - found.cells} of 10 numbers"
    assert (f"Withholding tables is the wrong tool here: only {kept} for each release." in found.summary()) == wrong
    assert ("wrong tool" in found.summary()) == wrong
    assert ("Claims with fewer than 2 columns were not judged." in found.summary()) == (columns == 2)
