"""Random small releases: a hidden truth, tables over it, some counts blurred into ranges, some rules."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic

LARGEST = 5


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    widths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    return Domain.of({name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("ABC", widths, strict=False)})


@st.composite
def predicates(draw: st.DrawFn, domain: Domain, least: int = 0) -> Predicate:
    columns = draw(st.lists(st.sampled_from(domain.columns), min_size=least, max_size=3, unique_by=lambda c: c.name))
    return Predicate.of(
        {c.name: draw(st.lists(st.sampled_from(c.codes), min_size=1, max_size=len(c.codes), unique=True)) for c in columns}
    )


@st.composite
def statistics(draw: st.DrawFn, truth: Dataset, predicate: Predicate, ranges: bool) -> Statistic:
    count = truth.count(predicate)
    low, high = count, count
    if ranges and draw(st.booleans()):
        low = max(0, count - draw(st.integers(0, 2)))
        high = count + draw(st.integers(0, 2))
    return Statistic(predicate, low, high, name=f"{predicate.text() or 'all'}")


@st.composite
def releases(draw: st.DrawFn, ranges: bool = True, rules: bool = True) -> tuple[Release, Dataset]:
    """A release and the truth it was made from."""
    domain = draw(domains())
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, draw(st.lists(st.sampled_from(everything), min_size=1, max_size=LARGEST)))
    size = Statistic.exact(Predicate(), len(truth))
    if ranges and draw(st.integers(0, 3)) == 0:
        size = Statistic(Predicate(), len(truth) - draw(st.integers(0, 1)), min(LARGEST, len(truth) + draw(st.integers(0, 1))))
    published = [size]
    for columns in draw(st.lists(st.sets(st.sampled_from(domain.names), max_size=2), max_size=2)):
        for codes in product(*(domain.column(name).codes for name in sorted(columns))):
            predicate = Predicate.of(dict(zip(sorted(columns), codes, strict=True)))
            published.append(draw(statistics(truth, predicate, ranges)))
    published += [draw(statistics(truth, predicate, ranges)) for predicate in draw(st.lists(predicates(domain), max_size=4))]
    ruled = [p for p in draw(st.lists(predicates(domain, 1), max_size=2 if rules else 0)) if truth.count(p) == 0]
    return Release(domain, tuple(published), tuple(ruled)), truth
