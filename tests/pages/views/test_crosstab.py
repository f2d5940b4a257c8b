"""Tables with totals are drawn as people print them, and every number stands in exactly one place."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foregone import Domain, Predicate, Release, Statistic
from foregone.batch.subject import ANY
from foregone.pages.views.tables import MOST_ACROSS, TOTAL, TableViews, cross_table

AGES = ("0-17", "18-24", "25-64")
DOMAIN = Domain.of({"AGE": AGES, "SEX": ["M", "F"], "TOWN": ["X", "Y"]}, {"AGE": "Age", "SEX": "Sex"})
Where = dict[str, str | tuple[str, ...]]


def release(*rows: tuple[Where, int]) -> Release:
    return Release(DOMAIN, [Statistic.exact(Predicate.of(where), n, f"t.{i}", "t") for i, (where, n) in enumerate(rows)])


def with_totals() -> Release:
    ages: list[Where] = [{}, {"AGE": AGES[0]}, {"AGE": AGES[1]}, {"AGE": AGES[2]}, {"AGE": AGES[:2]}]
    sexes: list[Where] = [{}, {"SEX": "M"}, {"SEX": "F"}]
    return release(*(({**age, **sex}, 900 - 100 * i - j) for (i, age), (j, sex) in product(enumerate(ages), enumerate(sexes))))


def test_totals_stand_last_and_groups_above_what_they_are_made_of() -> None:
    drawn = TableViews(with_totals(), ANY).draw("t", set())
    assert drawn.across == ("M", "F", TOTAL)
    assert (drawn.title, drawn.down) == ("Age, by Sex", "Age")
    assert [(line.label, line.depth, line.total) for line in drawn.lines] == [
        ("0 to 17 or 18 to 24", 0, False),
        ("0-17", 1, False),
        ("18-24", 1, False),
        ("25-64", 0, False),
        (TOTAL, 0, True),
    ]
    assert [cell.text for cell in drawn.lines[1].cells] == ["799", "798", "800"]
    assert [cell.text for cell in drawn.lines[-1].cells] == ["899", "898", "900"]


def test_a_table_about_one_column_is_a_list_of_its_values() -> None:
    drawn = TableViews(release(({}, 9), ({"AGE": "25-64"}, 5), ({"AGE": "0-17"}, 4)), ANY).draw("t", set())
    assert (drawn.title, drawn.across) == ("Age", ())
    assert [(line.label, line.cells[0].text) for line in drawn.lines] == [("0-17", "4"), ("25-64", "5"), (TOTAL, "9")]


def test_what_all_numbers_have_in_common_stands_in_the_title() -> None:
    rows: list[tuple[Where, int]] = [({"AGE": "0-17", "TOWN": "X"}, 4), ({"AGE": "25-64", "TOWN": "X"}, 5), ({"TOWN": "X"}, 9)]
    drawn = TableViews(release(*rows), ANY).draw("t", set())
    assert (drawn.title, drawn.across) == ("Age (TOWN: X)", ())
    assert [(line.label, line.cells[0].text) for line in drawn.lines] == [("0-17", "4"), ("25-64", "5"), (TOTAL, "9")]


def test_lines_of_two_columns_name_what_they_add_up() -> None:
    parts: list[Where] = [{"AGE": "0-17", "SEX": "M"}, {"AGE": "0-17"}, {"SEX": "M"}, {}]
    drawn = TableViews(release(*(({**part, "TOWN": town}, 1) for part in parts for town in "XY")), ANY).draw("t", set())
    assert [line.label for line in drawn.lines] == ["0-17, M", "0-17, all of Sex", "all of Age, M", TOTAL]


@pytest.mark.parametrize(
    "rows",
    [
        [({"AGE": "0-17"}, 1), ({"SEX": "F"}, 2), ({}, 3)],  # totals of different columns, none where they cross
        [({"AGE": "0-17", "SEX": "F"}, 1), ({"AGE": "0-17", "SEX": "F"}, 1)],  # twice
        [({"AGE": "0-17", "SEX": "F"}, 1), ({"TOWN": "X"}, 1), ({"SEX": "M"}, 1), ({"AGE": "25-64"}, 2)],  # mostly blank
    ],
)
def test_what_is_no_grid_stays_a_list(rows: list[tuple[Where, int]]) -> None:
    made = release(*rows)
    assert cross_table(made, "t", range(len(rows))) is None
    drawn = TableViews(made, ANY).draw("t", set())
    assert len(drawn.lines) == len(rows)


@given(st.data())
def test_every_number_stands_in_exactly_one_place(data: st.DataObject) -> None:
    values = {name: [None, *DOMAIN.column(name).codes] for name in DOMAIN.names}
    keys = data.draw(st.lists(st.tuples(*(st.sampled_from(some) for some in values.values())), max_size=20))
    rows = [({name: code for name, code in zip(values, key, strict=True) if code is not None}, 7) for key in keys]
    made = release(*rows)
    drawn = cross_table(made, "t", range(len(rows))) if rows else None
    if drawn is None:
        return
    cells = [cell.statistic for line in drawn.lines for cell in line.cells if cell.statistic is not None]
    assert sorted(cells) == list(range(len(rows)))
    assert len(drawn.across) <= MOST_ACROSS
    for line in drawn.lines:
        assert len(line.cells) == max(1, len(drawn.across))
        for heading, cell in zip(drawn.across, line.cells, strict=False):
            if cell.statistic is not None:
                said = {code for codes in dict(made.statistics[cell.statistic].predicate.allowed).values() for code in codes}
                assert heading == TOTAL or heading in said
