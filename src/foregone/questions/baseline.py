"""How surprising is a claim? The chance that it would hold in records drawn at random from somewhere else."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate


def probability(records: int, share: Fraction, count: int) -> Fraction:
    """The chance of exactly `count` matches among `records` independent draws with this share: Binomial(n, p) at m.

    >>> probability(10, Fraction(1, 2), 10)
    Fraction(1, 1024)
    """
    if not 0 <= count <= records:
        return Fraction(0)
    return comb(records, count) * share**count * (1 - share) ** (records - count)


def surprise(prior: Dataset, predicate: Predicate, records: int, count: int) -> Fraction:
    """The chance of the claim if the records were drawn from the prior."""
    return probability(records, Fraction(prior.count(predicate), len(prior)), count)
