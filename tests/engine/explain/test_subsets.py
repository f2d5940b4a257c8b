"""Parts of a release: every verdict equals brute force, whichever parts were asked about before."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.engine import Forced, Open, Question, Subsets, Switches, published_numbers
from foregone.engine.explain.explorer import Explorer
from foregone.engine.explain.overlooked import Excluded, overlooked
from foregone.engine.explain.switches import switches_of
from foregone.engine.system.blueprint import blueprint
from foregone.engine.system.linear import compile_release
from foregone.model.dataset import measured_of
from foregone.model.figure import Figure
from foregone.solvers.cover import another, fewest
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.strategies import alternative_releases, measured_releases, weighted_releases
from tests.subsets import DOMAIN, broken_sets, enough, fewest_hitting, minimal_enough, small_releases, subsets_of

QUESTIONS = st.tuples(st.sampled_from(["A=0", "B=1", "A=1, B=0", "A=0|1"]), st.integers(0, 2), st.sampled_from([0, 1, None]))


@settings(max_examples=60, deadline=None)
@given(small_releases(), QUESTIONS, st.booleans(), st.randoms(use_true_random=False))
def test_verdicts_equal_brute_force(release: Release, asked: tuple[str, int, int | None], seeded: bool, random: Random) -> None:
    predicate = Predicate.parse(asked[0], DOMAIN)
    low, high = asked[1], None if asked[2] is None else asked[1] + asked[2]
    broken = broken_sets(release, predicate, low, high)
    subsets = Subsets(switches_of(release, compile_release(release) if seeded else None), Question.about(predicate, low, high))
    parts = list(subsets_of(len(release.statistics)))
    random.shuffle(parts)
    for kept in parts[:40]:
        verdict = subsets.verdict(kept)
        if isinstance(verdict, Forced):
            assert enough(kept, broken)
            assert not verdict.core & ~kept
            assert enough(verdict.core, broken), "the statements that are said to be enough are not"
        else:
            assert isinstance(verdict, Open)
            assert not enough(kept, broken)
            assert not verdict.broken & kept
            count = verdict.dataset.count(predicate)
            assert count < low or (high is not None and count > high)
            assert not any(verdict.dataset.count(rule) for rule in release.rules)
            for i, s in enumerate(release.statistics):
                assert s.holds(verdict.dataset.count(s.predicate)) is not bool(verdict.broken >> i & 1)


@settings(max_examples=60, deadline=None)
@given(small_releases(contradictory=True), QUESTIONS)
def test_what_a_proof_rests_on_is_enough(release: Release, asked: tuple[str, int, int | None]) -> None:
    """The prover alone; also where nothing fits, from which everything follows."""
    predicate = Predicate.parse(asked[0], DOMAIN)
    low, high = asked[1], None if asked[2] is None else asked[1] + asked[2]
    broken = broken_sets(release, predicate, low, high)
    subsets = Subsets(switches_of(release), Question.about(predicate, low, high))
    subsets._comfortable = False
    verdict = subsets.verdict(subsets.everything)
    assert isinstance(verdict, Forced) is enough(subsets.everything, broken)
    if isinstance(verdict, Forced):
        assert enough(verdict.core, broken)


def test_a_proof_does_not_rest_on_what_it_does_not_cite() -> None:
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    numbers = [({"A": "0"}, 2), ({"A": "0", "B": "0"}, 1), ({"B": "1"}, 3), ({"A": "1"}, 4)]
    release = Release(domain, [Statistic.exact(Predicate.of(where), count) for where, count in numbers])
    subsets = Subsets(switches_of(release), Question.about(Predicate.of({"A": "0", "B": "1"}), 1, 1))
    subsets._comfortable = False  # the prover alone
    assert subsets.verdict(subsets.everything) == Forced(0b0011)
    assert subsets.work > 0


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(small_releases(contradictory=True))
def test_conflicts_of_parts_equal_brute_force(release: Release) -> None:
    broken = broken_sets(release, None, 0, None)
    subsets = Subsets(switches_of(release), Question())
    for kept in subsets_of(len(release.statistics)):
        verdict = subsets.verdict(kept)
        assert isinstance(verdict, Forced if enough(kept, broken) else Open)


@settings(max_examples=60, deadline=None)
@given(small_releases(), st.sampled_from(["A=0", "B=1", "A=1, B=0"]))
def test_everything_that_is_explored_equals_brute_force(release: Release, text: str) -> None:
    predicate = Predicate.parse(text, DOMAIN)
    low, high = 0, 2
    broken = broken_sets(release, predicate, low, high)
    count = len(release.statistics)
    subsets = Subsets(switches_of(release), Question.about(predicate, low, high))
    explorer = Explorer(subsets, range(count))
    if explorer.core_within(subsets.everything) is None:
        assert not enough(subsets.everything, broken)
        return
    expected = minimal_enough(count, broken)
    assert explorer.cores[0] in expected
    assert explorer.preferred(subsets.everything) in expected
    smallest, proved = explorer.smallest()
    assert proved
    assert smallest in expected
    assert smallest.bit_count() == expected[0].bit_count()
    if expected != [0]:
        withheld, least = explorer.withheld()
        assert withheld.bit_count() == least == fewest_hitting(count, expected)
        assert not enough(subsets.everything & ~withheld, broken)
    assert explorer.all_cores(1000)
    assert sorted(explorer.cores) == sorted(expected)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(weighted_releases(), st.data())
def test_weighted_sums_can_be_left_out_too(pair: tuple[Release, object], data: st.DataObject) -> None:
    release, _ = pair
    predicate = Predicate.of({"A": release.domain.columns[0].codes[0]})
    number = release.workload.limited
    subsets = Subsets(switches_of(release), Question.about(predicate, 0, data.draw(st.integers(0, 3))))
    for kept in data.draw(st.lists(st.integers(0, (1 << number) - 1), max_size=6)):
        verdict = subsets.verdict(kept)
        if isinstance(verdict, Open):
            high = subsets.question.goals[0].high
            assert high is not None
            assert verdict.dataset.count(predicate) > high
            held = [side.holds(verdict.dataset.value(side.terms)) for stated in release.statements for side in stated.sides]
            assert [not h for h in held] == [bool(verdict.broken >> i & 1) for i in range(number)]
            assert not verdict.broken & kept
        elif isinstance(verdict, Forced):
            again = Subsets(switches_of(release), subsets.question)
            again._comfortable = False  # the prover alone, without the linear program over parts
            assert isinstance(again.verdict(verdict.core), Forced)


def kept_items(subsets: Subsets, release: Release, dataset: Dataset) -> int:
    """Which published numbers a dataset fits, each looked at by itself."""
    fitting = 0
    for k, i in enumerate(subsets.items.named):
        stated = release.statements[i]
        if isinstance(stated.source, Figure):
            fits = stated.source.holds(measured_of(dataset, stated.source, release))
        else:
            fits = any(side.holds(dataset.value(side.terms)) for side in stated.sides)
        fitting |= int(fits) << k
    return fitting


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.one_of(measured_releases(), alternative_releases()), st.data())
def test_medians_means_and_either_ors_can_be_left_out_too(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    release, truth = pair
    predicate = Predicate.of({release.domain.names[0]: release.domain.columns[0].codes[0]})
    high = truth.count(predicate) + data.draw(st.integers(0, 1))
    subsets = Subsets(switches_of(release), Question.about(predicate, 0, high))
    subsets._comfortable = data.draw(st.booleans())  # or the prover alone
    records = list(product(*(column.codes for column in release.domain.columns)))
    fine = [r for r in records if not any(oracle.matches(r, rule, release.domain.names) for rule in release.rules)]
    small = [Dataset.of(release.domain, some) for n in range(4) for some in combinations_with_replacement(fine[:9], n)]
    kept = [subsets.everything, *data.draw(st.lists(st.integers(0, subsets.everything), max_size=5))]
    for chosen in kept:
        verdict = subsets.verdict(chosen)
        if isinstance(verdict, Open):
            assert verdict.dataset.count(predicate) > high
            assert kept_items(subsets, release, verdict.dataset) == subsets.everything & ~verdict.broken
            assert not verdict.broken & chosen
        elif isinstance(verdict, Forced):
            assert not verdict.core & ~chosen
            for dataset in small:
                if not verdict.core & ~kept_items(subsets, release, dataset):
                    assert dataset.count(predicate) <= high


def test_a_zero_that_is_left_out_brings_records_back() -> None:
    """Two values are empty, so the third has everybody; without one of the zeros it need not."""
    domain = Domain.of({"A": ["0", "1", "2"], "B": [str(i) for i in range(50)]})
    zeros = [Statistic.exact(Predicate.of({"A": a}), 0, f"A{a}") for a in "01"]
    release = Release(domain, [Statistic.exact(Predicate(), 5, "N"), *zeros, Statistic.exact(Predicate.of({"B": "7"}), 2, "B7")])
    subsets = Subsets(switches_of(release, compile_release(release)), Question.about(Predicate.of({"A": "2"}), 5, 5))
    assert subsets.verdict(0b1111) == Forced(0b0111)
    found = subsets.verdict(0b1101)
    assert isinstance(found, Open)
    assert found.broken == 0b0010
    assert subsets.verdict(0b0111) == Forced(0b0111)
    before = subsets.kinds.program.solves
    assert isinstance(subsets.verdict(0b0101), Open)  # the same dataset shows it
    assert subsets.kinds.program.solves == before


def test_kinds_that_a_sum_gets_wrong_are_found_among_very_many() -> None:
    """Twelve columns of ten values: all records are looked at without being listed."""
    domain = Domain.of({f"C{c}": [str(i) for i in range(10)] for c in range(12)})
    boxes = [Predicate.of({f"C{c}": "3", f"C{c + 1}": ["1", "2"]}) for c in range(11)]
    threes = [Predicate.of({f"C{c}": "3"}) for c in range(11)]
    release = Release(domain, [*(Statistic.exact(p, 1) for p in boxes), *(Statistic.exact(p, 0) for p in threes)])
    plan = blueprint(release.workload)
    counted, zeros, none = np.arange(11), np.arange(11, 22), np.zeros(0, dtype=np.int64)
    found = overlooked(plan.allows, counted, np.ones(11, dtype=np.int64), 0, zeros[:-1], none)
    assert not isinstance(found, Excluded)
    assert (found.atoms[:, 10] >= 0).all()
    assert overlooked(plan.allows, counted, np.ones(11, dtype=np.int64), 0, zeros, none) == Excluded(tuple(zeros.tolist()))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 127), max_size=8), st.lists(st.integers(1, 127), max_size=5))
def test_hitting_sets_equal_brute_force(sets: list[int], avoided: list[int]) -> None:
    found, least = fewest(sets, Deadline())
    assert all(found & some for some in sets)
    assert found.bit_count() == least == fewest_hitting(7, sets)
    other = another(sets, avoided, Deadline())
    fine = [t for t in range(128) if all(t & some for some in sets) and not any(some & ~t == 0 for some in avoided)]
    assert other in fine if fine else other is None


def test_a_proof_rests_on_what_ruled_records_out_before_it() -> None:
    """Three people, all of them with A=0: that leaves no room for A=1, which no row of the system speaks of any more."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    numbers = [({}, 3), ({"A": "0"}, 3), ({"B": "1"}, 2)]
    release = Release(domain, [Statistic.exact(Predicate.of(where), count) for where, count in numbers])
    subsets = Subsets(switches_of(release), Question.about(Predicate.of({"A": "1"}), 0, 0))
    subsets._comfortable = False  # the prover alone
    verdict = subsets.verdict(subsets.everything)
    assert isinstance(verdict, Forced)
    assert verdict.core & 0b011 == 0b011


def test_light_and_summed_cores_are_enough() -> None:
    """Every count as two statements, one for each side, some of them heavy: what linear programs call enough is, by brute force."""
    found = 0
    for seed in range(60):
        random = Random(seed)
        truth = Dataset.of(DOMAIN, [(random.choice("01"), random.choice("01")) for _ in range(random.randint(1, 3))])
        places = random.sample([{}, {"A": "0"}, {"B": "0"}, {"A": "0", "B": "0"}, {"A": "1", "B": "0"}, {"A": "1", "B": "1"}], 4)
        counts = [(Predicate.of(place), truth.count(Predicate.of(place))) for place in places]
        sides = [Statistic(p, n, None) for p, n in counts] + [Statistic(p, 0, n) for p, n in counts]
        release = Release(DOMAIN, sides)
        predicate = Predicate.of(random.choice([*places, {"A": "1"}, {"B": "1"}]))
        count = truth.count(predicate)
        broken = broken_sets(release, predicate, count, count)
        subsets = Subsets(Switches(published_numbers(release), None, range(len(sides))), Question.about(predicate, count, count))
        weights = np.array([random.choice([0.1, 1.0, 5.0]) for _ in sides])
        for kept in (subsets.everything, random.getrandbits(len(sides))):
            for core in (subsets.light(kept, weights, np.arange(len(sides))), subsets.summed(kept)):
                if core is not None:
                    found += 1
                    assert not core & ~kept
                    assert enough(core, broken), seed
    assert found > 40
