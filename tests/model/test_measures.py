"""What sums, means, medians and percentages say about counts: exactly what they say, by trying every small dataset."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, InputError, Predicate, Release, Statement, Statistic
from foregone.model.dataset import measured_of
from foregone.model.figure import Figure, Measure, number_text, rounded
from tests import oracle
from tests.strategies import MEASURED, measured_releases

AGES = Domain.of({"SEX": ["F", "M"], "AGE": ["1", "2", "3", "5"]})
women = Predicate.of({"SEX": "F"})
mean, median = Measure.MEAN, Measure.MEDIAN


def translated(release: Release, dataset: Dataset) -> bool:
    """Does the dataset keep what the figures were translated to?"""
    return all(any(side.holds(dataset.value(side.terms)) for side in s.sides) for s in release.workload.further)


EVERYONE = list(product(*(column.codes for column in MEASURED.columns)))


def test_a_withheld_percentage_of_nobody_says_nothing() -> None:
    """Its part need not lie in its base; then limits on the part would be wrong where the base is empty."""
    girls = Statistic(Predicate.of({"SEX": "F", "AGE": "1"}), 0, 1, "girls")
    figure = Figure(Measure.PERCENT, "girls", Predicate(), Fraction(300), Fraction(300), withheld=True)
    release = Release(AGES, [girls], figures=[figure])
    for number, fits in ((3, True), (0, True)):
        assert translated(release, Dataset.of(AGES, [("F", "2")] * number)) is fits
    for number, fits in ((2, True), (1, False), (3, False)):
        assert translated(release, Dataset.of(AGES, [("F", "1"), *[("F", "2")] * number])) is fits
    empty = Release(AGES, [Statistic.exact(girls.predicate, 0, name="girls")], figures=[figure])
    assert translated(empty, Dataset.of(AGES, [("F", "2")] * 3))


@settings(max_examples=300, deadline=None)
@given(measured_releases(), st.lists(st.lists(st.sampled_from(EVERYONE), max_size=5), min_size=20, max_size=60))
def test_figures_say_what_their_translation_says(pair: tuple[Release, Dataset], tried: list[list[tuple[str, str]]]) -> None:
    release, truth = pair
    assert truth.broken(release) == []
    assert translated(release, truth)
    for records in tried:
        dataset = Dataset.of(MEASURED, records)
        for figure in release.figures:
            assert measured_of(dataset, figure, release) == oracle.measure(records, release, figure)
        if all(s.holds(dataset.count(s.predicate)) for s in release.statistics):  # translated with the counts that are published
            assert translated(release, dataset) == oracle.has_figures(records, release)
            assert (not dataset.broken(release)) == oracle.has_figures(records, release)


@pytest.mark.parametrize("count", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("limits", [("1", "1"), ("2", "2"), ("2.5", "2.5"), ("2", "2.5"), ("1.5", "4"), ("4.5", "9"), ("0", "1.2")])
@pytest.mark.parametrize("measure", [mean, median])
@pytest.mark.parametrize("withheld", [False, True])
def test_every_dataset_of_up_to_four(count: int | None, limits: tuple[str, str], measure: Measure, withheld: bool) -> None:
    low, high = map(Fraction, limits)
    counted = [] if count is None else [Statistic.exact(women, count)]
    figure = Figure(measure, "AGE", women, low, high, withheld=withheld)
    if count and measure is mean:
        sums = {sum(ages) for ages in combinations_with_replacement([1, 2, 3, 5], count)}
        if not any(low * count <= total <= high * count for total in range(min(sums), max(sums) + 1)):
            with pytest.raises(InputError, match="no data have"):  # such as a mean of exactly 2.5 of three whole numbers
                Release(AGES, counted, figures=[figure])
            return
    release = Release(AGES, counted, figures=[figure])
    for size in range(5) if count is None else [count]:
        for ages in combinations_with_replacement(AGES.column("AGE").codes, size):
            records = [("F", age) for age in ages] + [("M", "5")]
            assert translated(release, Dataset.of(AGES, records)) == oracle.has_figures(records, release)


def test_a_published_count_makes_plain_limits() -> None:
    """The mean age of the four women is 33.5, so their ages add up to 134; the median of three needs no either-or."""
    people = Domain.of({"SEX": ["F", "M"], "AGE": [str(age) for age in range(1, 126)]})
    four = [Statistic.exact(women, 4, "women"), Statistic.exact(Predicate.of({"SEX": "M"}), 3, "men")]
    men = Predicate.of({"SEX": "M"})
    exact = Figure.exact(mean, "AGE", women, Fraction(67, 2), "women.mean")
    release = Release(people, four, figures=[exact, Figure.exact(median, "AGE", men, 30), Figure.printed(mean, "AGE", men, "36.7")])
    total, least, most, threes = release.workload.sums
    assert (total.low, total.high, total.name, total.table) == (134, 134, "women.mean", "women")
    assert (least.low, most.low, least.high, most.high) == (2, 2, None, None)
    assert (threes.low, threes.high) == (110, 110)
    assert not release.workload.alternatives
    assert release.statements[2].source is release.figures[0] is release.statements[len(release.statistics)].source
    assert release.statements[0].source is release.statistics[0]
    both = Release(people, four, figures=[Figure.exact(median, "AGE", women, 30)])
    assert len(both.workload.alternatives) == 58  # 1 to 29 from below, and 31 to 59 from above; 60 and more leave no other side
    assert [s.high for s in both.workload.sums] == [None, None, 1]
    assert both.name_of(len(both.statements) - 1) == "median of AGE where SEX=F"
    assert both.without([0]).workload.sums[0].low == 1  # without their number: somebody is there


def test_a_percentage_of_a_withheld_count_binds_the_two() -> None:
    old = Predicate.of({"SEX": "F", "AGE": "5"})
    hidden = Statistic(women, 0, None, "women", withheld=True)
    release = Release(AGES, [hidden], figures=[Figure.printed(Measure.PERCENT, "women", old, "66.7")])
    tried = {(a, b): Dataset.of(AGES, [("F", "5")] * a + [("F", "1")] * b) for a, b in product(range(7), repeat=2)}
    assert [sizes for sizes, dataset in tried.items() if translated(release, dataset)] == [(2, 1), (4, 2), (6, 3)]
    kept = Release(AGES, [Statistic.exact(women, 3, "women")], figures=release.figures)
    assert [(s.low, s.high) for s in kept.workload.sums] == [(2, 2)]
    assert [(s.withheld, s.range_text) for s in kept.without([0]).statistics] == [(True, "withheld")]
    assert kept.without([0]).workload.sums == release.workload.sums


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (Figure(mean, "AGE", women, None, None, "m"), "m: neither a value nor a limit is given"),
        (Figure(mean, "", women, Fraction(1), None, "m"), "m: a mean is of a column"),
        (Figure(mean, "SEX", women, Fraction(1), None, "m"), "m: the code 'F' of SEX is not a number"),
        (Figure(mean, "HEIGHT", women, Fraction(1), None, "m"), "m: 'HEIGHT' is not a column"),
        (Figure(mean, "AGE", women, Fraction(2), Fraction(1), "m"), "m: low 2 is above high 1"),
        (Figure.printed(mean, "AGE", women, "6", "m"), "m: 6 is outside what 'AGE' can be here, 1 to 5"),
        (Figure.printed(median, "AGE", Predicate.of({"AGE": ["2", "3"]}), "1.2"), "1.2 is outside what 'AGE' can be here, 2 to 3"),
        (Figure.exact(mean, "AGE", women, Fraction(5, 2), "m"), "m: no data have 2.5 as a mean of 3"),
        (Figure.exact(mean, "AGE", Predicate.of({"SEX": "M"}), 2, "m"), "m: a mean of nobody is published"),
        (Figure.printed(Measure.PERCENT, "nobody", women, "50", "p"), "p: the percentage is of 'nobody', but no count has"),
        (Figure.printed(Measure.PERCENT, "twice", women, "50", "p"), "p: the percentage is of 'twice', but 2 counts have"),
        (Figure.printed(Measure.PERCENT, "women", Predicate.of({"AGE": "1"}), "50.0", "p"), "no data have 50.0 as a percent of 3"),
        (Figure.exact(Measure.SUM, "AGE", women, Fraction(1, 2), "s"), "s: no data have 0.5 as a sum"),
        (Figure.exact(Measure.SUM, "AGE", women, 1 << 63, "s"), "s: the number is above"),
        (Figure.exact(mean, "AGE", Predicate.of({"SEX": "X"}), 1, "s"), "s: 'X' is not a value of SEX"),
    ],
)
def test_figures_that_mean_nothing_are_refused(figure: Figure, words: str) -> None:
    men = Predicate.of({"SEX": "M"})
    counts = [Statistic.exact(women, 3, "women"), Statistic.exact(men, 0, "twice"), Statistic.exact(men, 0, "twice")]
    with pytest.raises(InputError) as caught:
        Release(AGES, counts, figures=[figure])
    assert words in str(caught.value)


def test_numbers_of_codes() -> None:
    named = Domain.of({"AGE": ["0-4", "5-9", "12"]}, numbers={"AGE": {"0-4": 2, "5-9": Fraction(7)}})
    assert [named.column("AGE").number_of(code) for code in ("0-4", "5-9", "12")] == [2, 7, 12]
    with pytest.raises(InputError, match="'5' is not a value of AGE"):
        Domain.of({"AGE": ["1"]}, numbers={"AGE": {"5": 2}})
    with pytest.raises(InputError, match="'SEX' is not a column"):
        Domain.of({"AGE": ["1"]}, numbers={"SEX": {"5": 2}})


@given(st.fractions(min_value=-100, max_value=100, max_denominator=1000))
@example(Fraction(0))
def test_numbers_are_written_as_they_are(number: Fraction) -> None:
    assert Fraction(number_text(number)) == number
    assert "/" in number_text(number) or rounded(number_text(number))[0] < number


def test_text_that_is_no_number() -> None:
    for text in ("", "1e3", "1,08", "5%", "--1", "1.", ".5", "9" * 50):
        with pytest.raises(InputError, match="is not a number"):
            rounded(text)


def test_every_statement_knows_what_was_printed_also_where_the_same_was_printed_twice() -> None:
    """A count with a mark, a mean and a statement, each given twice as one object: every row has its own statements."""
    marked = Statistic(women, 0, None, "women", mark="*", gaps=((1, 4),))
    average = Figure.printed(mean, "AGE", women, "3.0")
    stated = Statement(((1, women), (-1, Predicate())), None, 0, "fewer")
    release = pickle.loads(pickle.dumps(Release(AGES, [marked] * 2, (), [stated] * 2, figures=[average] * 2)))
    rows = [release.row_of(i) for i in range(len(release.statements))]
    assert [row for row in rows if row is not None] == [0, 1, 2, 2, 2, 3, 3, 3, 0, 1]  # counts, means, either-ors
    assert [s.printed for s in release.statements if s.source is None] == [stated, stated]
    assert all(release.name_of(i) == s.printed.label for i, s in enumerate(release.statements))
    assert release.only([0, 2]).published == (marked,)
    assert release.only([0, 2]).own == (stated,)
    assert release.changed(figures=[]).own == release.own
