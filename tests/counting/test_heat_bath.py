"""The chain against exact shares, for every kind of prior; and tables in which swaps alone get stuck."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

import foregone as fg
from foregone import Case, Predicate, Release, UndecidedError
from foregone.counting.compiled import space_of
from foregone.counting.conditional import chance_in
from foregone.counting.counted import count_out
from foregone.counting.heat_bath import HeatBath, heat_bath
from foregone.counting.prior import Masses, as_prior
from foregone.counting.problem import counting_problem
from foregone.engine import need_witness
from foregone.solvers.deadline import Deadline

PRIORS = ("uniform", "histograms", "polya:2")


TIGHT = [("SEX", "AGE"), ("AGE", "TOWN"), ("SEX", "TOWN")]  # few datasets fit, and most redraws change nothing
LOOSE = TIGHT[:2]


def people(seed: int, size: int, margins: list[tuple[str, str]]) -> Release:
    rng = Random(seed)
    truth = {"SEX": rng.choices("FM", k=size), "AGE": rng.choices("123", k=size), "TOWN": rng.choices("abc", k=size)}
    return fg.tabulate(truth, margins=margins)


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("margins", [TIGHT, LOOSE], ids=["tight", "loose"])
def test_sampled_shares_hold_the_exact_ones(prior: str, margins: list[tuple[str, str]]) -> None:
    """Every release of the first six that several datasets fit, with intervals that hold the truth in 99 of 100 runs.
    Where the chains mix badly, that must show: in R-hat, or in a wide interval."""
    tried = 0
    for seed in range(6):
        release = people(seed, 11, margins)
        case = Case(release)
        need_witness(case)
        weighed = as_prior(prior, release.domain)
        how, exact = Masses(case.system, weighed), count_out(case, Deadline())
        if exact.datasets == 1:
            continue  # there is nothing to draw again
        try:
            draws = heat_bath(case, how, 11, Deadline(), Random(seed), most=6000 if margins is TIGHT else 1000)
        except UndecidedError:
            continue  # too few redraws changed anything, which is said instead of an answer
        tried += 1
        for values, count in (({"SEX": "F", "AGE": "1", "TOWN": "a"}, 1), ({"SEX": "M", "AGE": "2", "TOWN": "b"}, 0)):
            predicate = Predicate.of(values)
            true = float(exact.distribution(weighed, predicate, count)[count])
            found = draws.estimate(partial(chance_in, how, how.of(predicate), count))
            assert found.low <= true <= found.high, (prior, seed, values, found, true)
            assert found.spread < 1.1 or found.high - found.low > 0.2
    assert tried >= 2


def test_a_claim_that_cuts_a_bucket_is_estimated_too() -> None:
    """Towns are not published: given the buckets, the prior alone tells how often one of three is named."""
    release = fg.tabulate({"SEX": ["F", "F", "M", "M"], "TOWN": ["a", "b", "c", "a"]}, margins=["SEX"])
    for prior in PRIORS:
        case = Case(release)
        need_witness(case)
        weighed = as_prior(prior, release.domain)
        how = Masses(case.system, weighed)
        predicate = Predicate.of({"TOWN": "a"})
        exact = count_out(case, Deadline()).distribution(weighed, predicate, 4)
        [placed] = {tuple(sorted(s.items())) for s in count_out(case, Deadline()).samples(weighed, 5, Random(1))}
        assert [chance_in(how, how.of(predicate), m, dict(placed)) for m in range(5)] == pytest.approx([float(e) for e in exact])


def test_redraws_reach_what_swaps_do_not() -> None:
    """Two tables of three two-way margins whose difference needs eight cells at once: no swap of two values keeps all margins."""
    release = people(12, 11, TIGHT)
    every = count_out(Case(release), Deadline())
    case = Case(release)
    need_witness(case)
    problem = counting_problem(case.system, 11)
    begin = case.pool.witnesses[0]
    how = Masses(case.system, as_prior("histograms", release.domain))
    start = dict(zip(begin.buckets.tolist(), begin.counts.tolist(), strict=True))
    chain = HeatBath(problem, space_of(problem), how, start, Random(5))
    seen = set()
    for _ in range(3000):
        chain.step()
        seen.add(tuple(sorted(chain.placed.items())))
    assert len(seen) == every.datasets == 4  # every bucket is one kind of record here
