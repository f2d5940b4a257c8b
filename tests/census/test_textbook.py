"""The textbook block: seven people, of whom nothing but counts, median and mean ages is published."""

from __future__ import annotations

import statistics

from foregone import Predicate
from foregone.census.demo import textbook_release
from foregone.model.figure import Measure

GROUPS = {
    "everyone": (7, 30, 38),
    "women": (4, 30, 33.5),
    "men": (3, 30, 44),
    "Black": (4, 51, 48.5),
    "White": (3, 24, 24),
    "married": (4, 51, 54),
    "Black women": (3, 36, 36.7),
}
HIDDEN = ("unmarried adults", "Black men", "White men", "White women", "under 5", "under 18", "64 and over")


def test_the_release_says_what_the_example_says() -> None:
    release, _ = textbook_release()
    assert {s.name: s.low for s in release.statistics if s.low == s.high} == {name: n for name, (n, _, _) in GROUPS.items()}
    assert [(s.name, s.low, s.high) for s in release.statistics if s.withheld] == [(name, 0, 2) for name in HIDDEN]
    for name, (_, median, mean) in GROUPS.items():
        given = {f.measure: f for f in release.figures if f.name.startswith(f"{name}, ")}
        middle = {measure: float(sum((f.low or 0, f.high or 0))) / 2 for measure, f in given.items()}
        assert middle == {Measure.MEDIAN: median, Measure.MEAN: mean}
        assert all(f.low == f.high or name == "Black women" for f in given.values())
    assert release.rules == (Predicate.of({"MARRIED": "Y", "AGE": [str(age) for age in range(1, 15)]}),)


def test_the_people_have_all_of_it_by_plain_arithmetic() -> None:
    release, truth = textbook_release()
    assert truth.broken(release) == []
    where = {s.name: dict(s.predicate.allowed) for s in release.statistics}
    for name, (n, median, mean) in GROUPS.items():
        ages = [
            int(record[3])
            for record in truth.records
            if all(record[release.domain.index[column]] in codes for column, codes in where[name].items())
        ]
        assert (len(ages), statistics.median(ages), round(statistics.mean(ages), 1)) == (n, median, mean)
