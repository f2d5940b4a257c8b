"""The compiled recursion against its Python twin: the same states, steps, numbers, distributions and samples, one by one."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone import Case, Dataset, Domain, Predicate, Release, Statistic
from foregone.counting.compiled import CompiledGraph, CompiledSpace, CompiledWeights, space_of, unfolded, weighed
from foregone.counting.counted import count_out, sizes_of
from foregone.counting.graph import Graph, TooMuchWork, Unfolding, unfold
from foregone.counting.prior import Masses, Prior, as_prior
from foregone.counting.problem import counting_problem
from foregone.counting.weighing import Weighed
from foregone.loop import CHOICE, NATIVE, NOT_BUILT, chosen_loop
from foregone.solvers.deadline import Deadline
from tests import strategies

PRIORS = ("uniform", "histograms", "polya:3", "polya:1/2", "polya:1000000000")
KINDS = {
    "counts": strategies.releases(),
    "groups": strategies.grouped_releases(),
    "sums": strategies.weighted_releases(),
    "either-ors": strategies.alternative_releases(),
}


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    if chosen_loop().why == NOT_BUILT:
        pytest.skip("there is no compiled loop")
    monkeypatch.setenv(CHOICE, NATIVE)


def compare(release: Release, names: tuple[str, ...], predicate: Predicate) -> int:
    """Both twins on a release; how many states there are."""
    case = Case(release)
    sizes = sizes_of(case)
    problem = counting_problem(case.system, sizes[-1])
    space = space_of(problem)
    assert isinstance(space, CompiledSpace)
    mine, twin = space.unfold(problem, sizes, Deadline(), 10**6, 10**7), unfold(problem, sizes, Deadline(), 10**6, 10**7)
    assert mine.plain() == twin
    assert (mine.states, mine.edges) == (twin.states, twin.edges)
    for name in names:
        how = Masses(case.system, as_prior(name, release.domain))
        fast, slow = weighed(mine, how.buckets, how), weighed(twin, how.buckets, how)
        assert isinstance(fast, CompiledWeights)
        assert isinstance(slow, Weighed)
        assert fast.roots == slow.roots, name
        for most in (0, 1, sizes[-1]):
            assert fast.distribution(how.of(predicate), most) == slow.distribution(how.of(predicate), most), (name, most)
        roots = [i for i, total in enumerate(slow.roots) if total] * 5
        assert fast.samples(roots, 12345) == slow.samples(roots, 12345), name
    return mine.states


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_twins_agree(kind: str) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(KINDS[kind], st.data())
    def compared(made: tuple[Release, Dataset], data: st.DataObject) -> None:
        compare(made[0], PRIORS, data.draw(strategies.predicates(made[0].domain)))

    compared()


def people(size: int, seed: int) -> Release:
    rng = Random(seed)
    columns = {"SEX": "FM", "AGE": "12345", "TOWN": "abcd", "WORK": "xyz"}
    truth = {name: rng.choices(codes, k=size) for name, codes in columns.items()}
    return fg.tabulate(truth, margins=[("SEX", "AGE"), ("TOWN",), ("WORK",)])


def test_twins_agree_on_numbers_of_many_words() -> None:
    for seed in range(3):
        release = people(12, seed)
        predicate = Predicate.of({"SEX": "F", "WORK": ["x", "y"]})
        assert compare(release, PRIORS, predicate) > 40
    ranged = people(12, 5).below(3)
    assert compare(ranged, ("uniform", "histograms", "polya:3"), Predicate.of({"AGE": "1"})) > 50


def test_numbers_beyond_64_bits_are_exact_or_left_to_python() -> None:
    """Masses of more than 64 bits cannot be given to the compiled twin; counts of more than 64 bits are no trouble to it."""
    domain = Domain.of({f"C{i}": [str(v) for v in range(64)] for i in range(12)})
    release = Release(domain, [Statistic.exact(Predicate(), 30), Statistic.exact(Predicate.of({"C0": "0"}), 10)])
    case = Case(release)
    problem = counting_problem(case.system, 30)
    graph = unfolded(problem, range(30, 31), Deadline())
    assert isinstance(graph, CompiledGraph)
    how = Masses(case.system, Prior("histograms"))
    found = weighed(graph, how.buckets, how)
    assert isinstance(found, Weighed)
    from math import comb

    inside, outside = 64**11, 63 * 64**11
    assert found.roots == [comb(inside + 9, 10) * comb(outside + 19, 20)]
    assert count_out(case, Deadline()).datasets == found.roots[0]


def test_limits_are_kept() -> None:
    release = people(14, 1)
    case = Case(release)
    sizes = sizes_of(case)
    problem = counting_problem(case.system, sizes[-1])
    with pytest.raises(TooMuchWork, match="more than 50 states"):
        unfolded(problem, sizes, Deadline(), 50)
    with pytest.raises(TooMuchWork, match="time limit"):
        unfolded(problem, sizes, Deadline.after(0.0))


def test_the_pure_twin_is_used_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    release = people(8, 2)
    fast = fg.likely(release)
    monkeypatch.setenv(CHOICE, "pure")
    case = Case(release)
    problem = counting_problem(case.system, 8)
    assert isinstance(space_of(problem), Unfolding)
    assert isinstance(unfolded(problem, range(8, 9), Deadline()), Graph)
    assert fg.likely(release).json() == fast.json()  # whichever loop: the same claims, the same shares
