"""Tiny releases with sums, means, medians and percentages."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import strategies as st

from foregone import Dataset, Domain, Figure, Measure, Predicate, Release, Statistic


def measured() -> st.SearchStrategy[Release]:
    return st.randoms(use_true_random=False).map(measured_release)


def measured_release(rng: Random) -> Release:
    """Ages by sex: counts, ranges, withheld cells, and figures of every kind, with names or without."""
    domain = Domain.of({"AGE": ["1", "2", "4"], "SEX": ["F", "M"]})
    truth = Dataset.of(domain, [(rng.choice(["1", "2", "4"]), rng.choice("FM")) for _ in range(rng.randint(1, 4))])
    sides: list[dict[str, str | list[str]]] = [{}, {"SEX": "F"}, {"SEX": "M"}, {"AGE": "1"}, {"AGE": ["1", "2"]}]
    sides.append({"AGE": "2", "SEX": "F"})
    cells = []
    for i in rng.sample(range(len(sides)), rng.randint(1, 4)):
        predicate, name = Predicate.of(sides[i]), rng.choice([f"T.{i}", f"U{i}", ""])
        true, kind = truth.count(predicate), rng.choice(["exact", "exact", "exact", "range", "withheld"])
        limits = {"exact": (true, true), "range": (max(0, true - 1), true + 1), "withheld": (0, None)}[kind]
        cells.append(Statistic(predicate, *limits, name, rng.choice(["", "V"]), withheld=kind == "withheld"))
    figures = []
    for measure in rng.choices(list(Measure), k=rng.randint(0, 2)):
        where = Predicate.of(rng.choice(sides[:3]))
        ages = [int(age) for (age, sex) in truth.records if dict(where.allowed).get("SEX", frozenset("FM")) & {sex}]
        base = rng.choice(["", *(c.name for c in cells if c.name)]) if measure is Measure.PERCENT else "AGE"
        of = next((truth.count(c.predicate) for c in cells if c.name == base and base), len(truth))
        value = _value(measure, ages, of)
        if value is not None:
            figures.append(Figure.exact(measure, base, where, value, rng.choice(["F.1", "W"])))
    return Release(domain, [*cells, Statistic(Predicate(), 0, len(truth) + 1, "limit", "limit")], figures=figures)


def _value(measure: Measure, ages: list[int], of: int) -> Fraction | None:
    if measure is Measure.SUM:
        return Fraction(sum(ages))
    if measure is Measure.PERCENT:
        return Fraction(100 * len(ages), of) if of else None
    if not ages:
        return None
    middle = sorted(ages)[(len(ages) - 1) // 2 : len(ages) // 2 + 1]
    return Fraction(sum(ages), len(ages)) if measure is Measure.MEAN else Fraction(sum(middle), len(middle))
