"""Published tables as pages draw them: as their publisher knows them where that is known."""

from __future__ import annotations

from fractions import Fraction

import pytest

from foregone import Domain, Predicate, Release, Statistic, tabulate
from foregone.batch.subject import ANY
from foregone.census.demo import demo_release
from foregone.census.household.kind import household_workload
from foregone.census.household.sentences import BOOK
from foregone.census.subjects import subject_of_release
from foregone.model.figure import Figure, Measure
from foregone.model.statement import Either, Statement
from foregone.pages.views.tables import MOST_LINES, TableViews
from tests.pages.samples import town


def test_tables_are_drawn_as_rows_against_columns_and_cut_when_long() -> None:
    release = town()
    drawn = TableViews(release, ANY).draw("SEX,AGE", set())
    assert drawn.title == ""
    assert drawn.across == ("old", "young")
    assert [line.label for line in drawn.lines] == ["F", "M"]
    many = [str(i) for i in range(200)]
    long = tabulate({"TOWN": many}, margins=["TOWN"])
    shown = TableViews(long, ANY).draw("TOWN", {150})
    assert len(shown.lines) == MOST_LINES
    assert shown.hidden == 200 - MOST_LINES
    assert any(cell.statistic == 150 for line in shown.lines for cell in line.cells)


def test_household_tables_have_their_titles_and_totals() -> None:
    release, truth = demo_release()
    shown = TableViews(release, subject_of_release(release.domain)).draw("P16", set())
    assert shown.title == "Household type"
    assert [line.cells[0].text for line in shown.lines if line.label == "Total"] == [str(len(truth))]


@pytest.mark.parametrize("variant", ["official", "621", "renter-3"])
def test_lines_of_a_table_mean_what_the_release_says(variant: str) -> None:
    _, truth = demo_release()
    asked = household_workload(variant)
    release = asked.release([truth.count(query.predicate) for query in asked.queries])
    meant = {query.name: query.predicate for query in asked.queries}
    words = {f"{table.id}.{cell.line}": cell.label for table in BOOK.tables(variant) for cell in table.cells}
    drawn = TableViews(release, subject_of_release(release.domain))
    for line in drawn.draw("H14", set()).lines:
        for cell in line.cells:
            if cell.statistic is not None:
                assert release.statistics[cell.statistic].predicate == meant[cell.name]
                assert line.label == words[cell.name]


def test_a_figure_is_named_in_words_and_an_either_or_has_no_number() -> None:
    domain = Domain.of({"AGE": ["1", "2", "3", "4"]}, {"AGE": "age"}, "person")
    figures = [Figure.exact(Measure.MEDIAN, "AGE", Predicate(), Fraction(5, 2), "median age")]
    choice = Either(Statement(((1, Predicate()),), 1, None), Statement(((2, Predicate()),), 1, None))
    release = Release(domain, [Statistic.exact(Predicate(), 2, "people")], alternatives=[choice], figures=figures)
    views = TableViews(release, ANY)
    last = len(release.statements) - 1
    assert views.label(last).startswith("the median age of the two people is 2.5, so at least one of them is that or less")
    assert (views.amount(0), views.amount(last)) == ("2", "2.5")
    assert views.amount(release.workload.limited) == ""
