"""Random small releases: a hidden truth, tables over it, some counts blurred into ranges, weighted sums, some rules."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.model.figure import Figure, Measure
from foregone.model.statement import Either, Statement
from tests import oracle

LARGEST = 5
FAR = 14  # records; a release of `unbounded_releases` shows nothing new beyond, see there
WEIGHTS = [-3, -2, -1, 1, 2, 3, 4, 5]


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


@st.composite
def grouped_releases(draw: st.DrawFn) -> tuple[Release, Dataset]:
    """A release over wider columns with declared groups, in which statistics and rules name overlapping sets of values."""
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=2))
    codes = {name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("AB", widths, strict=False)}
    sets = {name: st.lists(st.sampled_from(values), min_size=1, unique=True) for name, values in codes.items()}
    groups = {name: {f"g{i}": draw(sets[name]) for i in range(draw(st.integers(0, 2)))} for name in codes}
    domain = Domain.of(codes, groups=groups)
    everything = list(product(*codes.values()))
    truth = Dataset.of(domain, draw(st.lists(st.sampled_from(everything), min_size=1, max_size=4)))
    published = [Statistic.exact(Predicate(), len(truth))]
    published += [draw(statistics(truth, predicate, True)) for predicate in draw(st.lists(predicates(domain, 1), max_size=7))]
    ruled = [p for p in draw(st.lists(predicates(domain, 1), max_size=1)) if truth.count(p) == 0]
    return Release(domain, published, ruled), truth


@st.composite
def statements(draw: st.DrawFn, truth: Dataset, name: str, terms: int = 3) -> Statement:
    """A weighted sum that the truth satisfies; either end, or both, may be open."""
    summed = tuple(
        (draw(st.sampled_from(WEIGHTS)), draw(predicates(truth.domain))) for _ in range(draw(st.integers(1, terms)))
    )
    value = truth.value(summed)
    low, high = value - draw(st.integers(0, 2)), value + draw(st.integers(0, 2))
    kind = draw(st.sampled_from(["exact", "range", "at least", "at most", "open"]))
    if kind == "exact":
        return Statement(summed, value, value, name)
    return Statement(summed, None if kind in ("at most", "open") else low, None if kind in ("at least", "open") else high, name)


@st.composite
def weighted_releases(draw: st.DrawFn) -> tuple[Release, Dataset]:
    """A release with weighted sums beside its counts, and the truth it was made from."""
    release, truth = draw(releases())
    sums = [draw(statements(truth, f"sum{i}")) for i in range(draw(st.integers(1, 3)))]
    return Release(release.domain, release.statistics, release.rules, sums), truth


@st.composite
def unbounded_releases(draw: st.DrawFn) -> tuple[Release, Dataset]:
    """At most four kinds of record, no number of records, counts of which many have no upper limit, at most one weighted sum.

    What `FAR` records show is all there is to see. Records fall into those that some count limits, at most as many as the
    limits allow (here 6), and others. Of the others at most 6 are needed for lower limits; the rest can be thinned out
    without leaving the weighted sum's limits as soon as some of them add up to 0 in it, which among whole weights from -3
    to 5 happens at the latest when there are more than 5 of one sign and 3 of the other. The greatest count of a
    condition that is bounded, and the least of any, are reached by such thin datasets.
    """
    domain = draw(st.sampled_from([Domain.of({"A": ["0", "1"], "B": ["0", "1"]}), Domain.of({"A": ["0", "1", "2"]})]))
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, draw(st.lists(st.sampled_from(everything), max_size=2)))
    published = []
    for predicate in draw(st.lists(predicates(domain, 1), max_size=4)):
        count = truth.count(predicate)
        kind = draw(st.sampled_from(["exact", "at least", "at most"]))
        low = 0 if kind == "at most" else count
        published.append(Statistic(predicate, low, None if kind == "at least" else count, name=predicate.text()))
    sums = [draw(statements(truth, "sum", 2))] if draw(st.booleans()) else []
    ruled = [p for p in draw(st.lists(predicates(domain, 1), max_size=1)) if truth.count(p) == 0]
    return Release(domain, published, ruled, sums), truth


@st.composite
def alternative_releases(draw: st.DrawFn) -> tuple[Release, Dataset]:
    """A release with either-ors beside its counts and weighted sums, and the truth it was made from."""
    release, truth = draw(weighted_releases())
    sums = release.workload.sums[: draw(st.integers(0, len(release.workload.sums)))]
    choices = []
    for i in range(draw(st.integers(1, 3))):
        holding, other = draw(statements(truth, "", 2)), draw(statements(truth, "", 2))
        value = truth.value(holding.terms)
        held = draw(st.sampled_from([(value - 1, None), (value, None), (None, value), (None, value + 1)]))
        limit = truth.value(other.terms) + draw(st.integers(-2, 2))
        free = draw(st.sampled_from([(limit, None), (None, limit)]))
        left, right = draw(st.permutations([Statement(holding.terms, *held), Statement(other.terms, *free)]))
        choices.append(Either(left, right, f"choice{i}"))
    return Release(release.domain, release.statistics, release.rules, sums, choices), truth


MEASURED = Domain.of({"SEX": ["F", "M"], "AGE": ["1", "2", "4", "x", "7"]}, numbers={"AGE": {"x": Fraction(9, 2)}})


@st.composite
def figures(draw: st.DrawFn, truth: Dataset, counts: list[Statistic], name: str) -> Figure | None:
    """A published figure that the truth has, printed with some decimals, as limits, or withheld; None if it has none."""
    measure = draw(st.sampled_from(Measure))
    predicate = draw(predicates(truth.domain))
    of = draw(st.sampled_from(["", *(s.name for s in counts)])) if measure is Measure.PERCENT else "AGE"
    asked = Figure(measure, of, predicate, None, None, name, withheld=True)
    value = oracle.measure([*truth.records], Release(truth.domain, counts), asked)
    kind = draw(st.sampled_from(["printed", "exact", "low", "high", "range", "withheld"]))
    if kind == "withheld":
        return asked if value is None or draw(st.booleans()) else replace(asked, low=value - draw(st.integers(0, 2)), high=value)
    if value is None:
        return None
    if kind == "printed":
        digits = draw(st.integers(0, 2))
        return Figure.printed(measure, of, predicate, f"{float(value):.{digits}f}", name)
    less, more = (draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])) for _ in range(2))
    limits = {"exact": (value, value), "low": (value - less, None), "high": (None, value + more)}
    low, high = limits.get(kind, (value - less, value + more))
    return Figure(measure, of, predicate, low, high, name)


@st.composite
def measured_releases(draw: st.DrawFn) -> tuple[Release, Dataset]:
    """At most four people of two sexes and five ages, some counts, and figures about them; and the truth."""
    everyone = list(product(*(column.codes for column in MEASURED.columns)))
    truth = Dataset.of(MEASURED, draw(st.lists(st.sampled_from(everyone), max_size=4)))
    exact = draw(st.booleans())
    counts = [Statistic(Predicate(), len(truth) if exact else 0, len(truth) if exact else 4, "all")]
    for i, predicate in enumerate(draw(st.lists(predicates(MEASURED, 1), max_size=3))):
        counts.append(replace(draw(statistics(truth, predicate, True)), name=f"c{i}"))
    made = [draw(figures(truth, counts, f"f{i}")) for i in range(draw(st.integers(1, 3)))]
    return Release(MEASURED, counts, figures=[figure for figure in made if figure is not None]), truth
