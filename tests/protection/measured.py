"""Tiny releases with sums, means, medians and percentages."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from foregone import Dataset, Domain, Figure, Measure, Predicate, Release, Statistic


@st.composite
def measured(draw: st.DrawFn) -> Release:
    """Ages by sex: counts, ranges, withheld cells, and figures of every kind, with names or without."""
    domain = Domain.of({"AGE": ["1", "2", "4"], "SEX": ["F", "M"]})
    records = draw(st.lists(st.tuples(st.sampled_from(["1", "2", "4"]), st.sampled_from("FM")), min_size=1, max_size=4))
    truth = Dataset.of(domain, records)
    sides: list[dict[str, str | list[str]]] = [{}, {"SEX": "F"}, {"SEX": "M"}, {"AGE": "1"}, {"AGE": ["1", "2"]}]
    sides.append({"AGE": "2", "SEX": "F"})
    chosen = draw(st.lists(st.sampled_from(range(len(sides))), min_size=1, max_size=4, unique=True))
    cells = []
    for i in chosen:
        predicate, name = Predicate.of(sides[i]), draw(st.sampled_from([f"T.{i}", f"U{i}", ""]))
        true, kind = truth.count(predicate), draw(st.sampled_from(["exact", "exact", "exact", "range", "withheld"]))
        limits = {"exact": (true, true), "range": (max(0, true - 1), true + 1), "withheld": (0, None)}[kind]
        cells.append(Statistic(predicate, *limits, name, draw(st.sampled_from(["", "V"])), withheld=kind == "withheld"))
    figures = []
    for measure in draw(st.lists(st.sampled_from(Measure), max_size=2)):
        where = Predicate.of(draw(st.sampled_from(sides[:3])))
        ages = [int(age) for (age, sex) in truth.records if dict(where.allowed).get("SEX", frozenset("FM")) & {sex}]
        base = draw(st.sampled_from(["", *(c.name for c in cells if c.name)])) if measure is Measure.PERCENT else "AGE"
        of = next((truth.count(c.predicate) for c in cells if c.name == base and base), len(truth))
        value = _value(measure, ages, of)
        if value is not None:
            figures.append(Figure.exact(measure, base, where, value, draw(st.sampled_from(["F.1", "W"]))))
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
