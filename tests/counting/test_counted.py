"""Counts and shares against brute force, for every prior, on releases with ranges, groups, rules, weighted sums and either-ors."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone import Case, Dataset, Domain, Predicate, Release, Statistic
from foregone.counting.counted import CountedRelease, count_out
from foregone.counting.prior import Prior, Shares
from foregone.solvers.deadline import Deadline
from tests import oracle, strategies
from tests.counting import brute

PRIORS = {"uniform": None, "histograms": None, "polya:3": Fraction(3), "polya:1/2": Fraction(1, 2)}
KINDS = {
    "counts": strategies.releases(),
    "groups": strategies.grouped_releases(),
    "sums": strategies.weighted_releases(),
    "either-ors": strategies.alternative_releases(),
}


def counted(release: Release) -> CountedRelease:
    return count_out(Case(release), Deadline())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_counts_and_shares_equal_brute_force(kind: str) -> None:
    seen = [0]

    @settings(max_examples=150, deadline=None)
    @given(KINDS[kind], st.data())
    def compare(made: tuple[Release, Dataset], data: st.DataObject) -> None:
        release, _ = made
        datasets = list(oracle.consistent_datasets(release, strategies.LARGEST))
        found = counted(release)
        assert found.datasets == len(datasets)
        predicate = data.draw(strategies.predicates(release.domain))
        for name, concentration in PRIORS.items():
            shares = found.distribution(Prior(name, concentration), predicate, 6)
            assert shares == brute.share_of(datasets, release, predicate, name), name
        seen[0] += 1

    compare()
    assert seen[0] >= 125  # four kinds of release: more than 500 in all


@settings(max_examples=60, deadline=None)
@given(strategies.releases(), st.data())
def test_a_table_of_shares_equals_brute_force(made: tuple[Release, Dataset], data: st.DataObject) -> None:
    release, _ = made
    domain = release.domain
    named = data.draw(st.sets(st.sampled_from(domain.names), min_size=1).map(sorted))
    columns = tuple(name for name in domain.names if name in named)
    combinations = list(product(*(domain.column(name).codes for name in columns)))
    floor = data.draw(st.integers(0, 2))
    weights = {values: data.draw(st.integers(0 if floor else 1, 5)) for values in combinations}
    others = domain.size // len(combinations)
    at = [domain.index[name] for name in columns]
    whole = sum(weights.values()) + floor * len(combinations)
    shares = {
        record: Fraction(weights[tuple(record[i] for i in at)] + floor, whole * others)
        for record in product(*(column.codes for column in domain.columns))
    }
    datasets = list(oracle.consistent_datasets(release, strategies.LARGEST))
    found = counted(release)
    predicate = data.draw(strategies.predicates(domain))
    for name, concentration in {"table": None, "polya:2:table": Fraction(2)}.items():
        mine = found.distribution(Prior(name, concentration, Shares(columns, weights, floor)), predicate, 6)
        assert mine == brute.share_of(datasets, release, predicate, name, shares)


def small() -> Release:
    truth = {"SEX": ["F", "F", "M", "M"], "AGE": ["1", "2", "2", "3"], "TOWN": ["a", "b", "a", "a"]}
    return fg.tabulate(truth, margins=[("SEX", "AGE"), ("TOWN",)])


@pytest.mark.parametrize("name", PRIORS)
def test_samples_come_with_their_shares(name: str) -> None:
    release, prior = small(), Prior(name, PRIORS[name])
    datasets = list(oracle.consistent_datasets(release, 4))
    weights = {dataset: brute.weight(dataset, release, name) for dataset in datasets}
    total = sum(weights.values())
    number = 4000
    drawn = Counter(tuple(sample.records) for sample in counted(release).datasets_of(prior, number, Random(7)))
    assert set(drawn) <= {tuple(sorted(d)) for d in datasets}
    chi = sum((drawn[tuple(sorted(d))] - number * float(w / total)) ** 2 / (number * float(w / total)) for d, w in weights.items())
    freedom = len(datasets) - 1
    assert chi < freedom + 5 * (2 * freedom) ** 0.5  # five standard deviations


def test_parts_are_counted_apart() -> None:
    """Tables about towns that nothing ties together: the counts multiply."""
    rng = Random(1)
    towns = [f"t{i}" for i in range(8)]
    rows = [(rng.choice("FM"), rng.choice("123"), rng.choice("xyz"), town) for town in towns for _ in range(4)]
    truth = dict(zip(("SEX", "AGE", "KIND", "TOWN"), map(list, zip(*rows, strict=True)), strict=True))
    release = fg.tabulate(truth, margins=[("SEX", "TOWN"), ("AGE", "TOWN"), ("KIND", "TOWN")])
    found = counted(release)
    one = 1
    for town in towns:
        mine = [row[:3] for row in rows if row[3] == town]
        alone = fg.tabulate(
            dict(zip(("SEX", "AGE", "KIND"), map(list, zip(*mine, strict=True)), strict=True)), margins=["SEX", "AGE", "KIND"]
        )
        one *= counted(alone).datasets
    assert found.datasets == one
    shares = found.distribution(Prior("uniform"), Predicate.of({"SEX": "F", "KIND": "x"}), 32)
    assert sum(shares) == 1


def test_a_large_count_is_exact() -> None:
    """100 records in 12 kinds with a fixed margin: stars and bars, by hand."""
    from math import comb

    domain = Domain.of({"A": ["0", "1"], "B": list("abcdef")})
    release = Release(domain, [Statistic.exact(Predicate(), 100), Statistic.exact(Predicate.of({"A": "0"}), 60)])
    assert counted(release).datasets == comb(65, 5) * comb(45, 5)


def test_samples_from_a_table_of_shares_come_with_their_shares() -> None:
    """What the table does not list is drawn, too, as often as its floor says: towns within a bucket are told apart by it alone."""
    domain = Domain.of({"SEX": ["F", "M"], "TOWN": ["a", "b", "c"]})
    release = Release(domain, [Statistic.exact(Predicate.of({"SEX": "F"}), 1), Statistic.exact(Predicate(), 1)])
    prior = Prior("table", None, Shares(("SEX", "TOWN"), {("F", "a"): 5, ("M", "b"): 9}, 1))
    drawn = Counter(sample.records[0][1] for sample in counted(release).datasets_of(prior, 4000, Random(3)))
    for town, share in {"a": 6 / 8, "b": 1 / 8, "c": 1 / 8}.items():
        assert abs(drawn[town] - 4000 * share) < 5 * (4000 * share * (1 - share)) ** 0.5
