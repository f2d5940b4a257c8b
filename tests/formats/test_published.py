"""Published numbers as people print them: counts, ranges, withheld cells, sums, means, medians and percentages."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from foregone import InputError, Release, Statistic
from foregone.checker import Refused
from foregone.checker import read_release as read_by_checker
from foregone.checker.read.values import count_range
from foregone.formats.folder import write_release
from foregone.formats.rows import printed_count
from foregone.formats.table import ReleaseTable
from foregone.model.domain import Domain
from foregone.model.figure import Figure, Measure
from foregone.model.predicate import Predicate

DOMAIN = {"columns": {"SEX": ["F", "M"], "AGE": ["0-4", "10", "30"]}, "numbers": {"AGE": {"0-4": 2}}}
HEADER = "name,table,SEX,AGE,count,low,high,measure,of,value,status\n"


def folder(path: Path, rows: str, domain: object = DOMAIN, header: str = HEADER) -> Path:
    path.mkdir()
    (path / "domain.json").write_text(json.dumps(domain), "utf-8")
    (path / "statistics.csv").write_text(header + rows, "utf-8")
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        Release.read(path)
    return [problem.removeprefix(f"{path}/statistics.csv, ").removeprefix(f"{path}/") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("12", (12, 12)),
        ("012", (12, 12)),
        ("12.0", (12, 12)),
        ("1,082", (1082, 1082)),
        ("1,234,567", (1234567, 1234567)),
        ("<5", (0, 4)),
        ("< 1,000", (0, 999)),
        ("1-4", (1, 4)),
        ("1\u20134", (1, 4)),
        ("1 - 4", (1, 4)),
        ("7-7", (7, 7)),
        ("100+", (100, None)),
        ("1,000+", (1000, None)),
    ],
)
def test_counts_as_they_are_printed(text: str, limits: tuple[int, int | None]) -> None:
    found: list[str] = []
    assert printed_count("count", text, found) == limits
    assert found == []
    assert count_range(text) == limits


NONE = ["<0", "4-1", "1,08", "1.5", "-3", "5-", "<", "+", "<<5", "1-2-3", "~5", "1,0820", "5+5", "\u0661", "1e3"]


@pytest.mark.parametrize("text", NONE)
def test_counts_that_are_none(text: str) -> None:
    found: list[str] = []
    printed_count("count", text, found)
    assert len(found) >= 1
    with pytest.raises(Refused):
        count_range(text)


ROWS = """\
all,,,,"1,082",,,,,,
women,,F,,<600,,,,,,
T1.1,,F,10,,,,,,,withheld
T1.2,,F,30,,1,4,,,,withheld
women.age,,F,,,,,mean,AGE,14.5,
T2.1,T2,,,,9,10.5,median,AGE,,
total,,F,10|30,,5000,,sum,AGE,,
share,,F,,,,,percent,all,50%,
hidden,,M,,,,,mean,AGE,,withheld
"""


@pytest.mark.parametrize("name", ["again", "again.json", "again.parquet"])
def test_a_file_with_all_of_them(tmp_path: Path, name: str) -> None:
    release = Release.read(folder(tmp_path / "release", ROWS))
    assert [(s.name, s.table, s.low, s.high, s.withheld) for s in release.statistics] == [
        ("all", "", 1082, 1082, False),
        ("women", "", 0, 599, False),
        ("T1.1", "T1", 0, None, True),
        ("T1.2", "T1", 1, 4, True),
    ]
    assert [(f.name, f.table, f.measure.value, f.of, f.low, f.high, f.withheld) for f in release.figures] == [
        ("women.age", "women", "mean", "AGE", Fraction("14.45"), Fraction("14.55"), False),
        ("T2.1", "T2", "median", "AGE", 9, Fraction("10.5"), False),
        ("total", "", "sum", "AGE", 5000, None, False),
        ("share", "", "percent", "all", Fraction("49.5"), Fraction("50.5"), False),
        ("hidden", "", "mean", "AGE", None, None, True),
    ]
    assert {stated.source for stated in release.statements[4:]} == set(release.figures[:-1])
    release.write(tmp_path / name)
    assert Release.read(tmp_path / name) == release
    if not name.endswith("parquet"):
        read = [read_by_checker(tmp_path / "release"), read_by_checker(tmp_path / name)]
        assert {made.fingerprint for made in read} == {release.fingerprint()}
        assert read[0].eithers == read[1].eithers
        assert len(read[0].eithers) == len(release.workload.alternatives) > 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x,,F,,5,,,mean,AGE,3,", "row 2, column count: 5 is given, but a mean stands in 'value'"),
        ("x,,F,,,,,average,AGE,3,", "row 2, column measure: 'average' is not one of count, sum, mean, median, percent"),
        ("x,,F,,,,,mean,AGE,many,", "row 2, column value: 'many' is not a number; write it as it was printed, such as 33.5"),
        ("x,,F,,,,,mean,AGE,5%,", "row 2, column value: '5%' is not a number"),
        ("x,,F,,,3,,mean,AGE,3,", "row 2, column value: 3 is given beside low or high"),
        ("x,,F,,,,,mean,AGE,3,withheld", "row 2, column value: 3 is given beside status"),
        ("x,,F,,,,,mean,AGE,,", "row 2: neither value nor low and high are filled in"),
        ("x,,F,,,a,,mean,AGE,,", "row 2, column low: 'a' is not a number; write a decimal number such as 33.45"),
        ("x,,F,,,9,3,mean,AGE,,", "row 2, column of: low 9 is above high 3"),
        ("x,,F,,,,,mean,,3,", "row 2, column of: a mean is of a column; name it in 'of'"),
        ("x,,F,,,,,mean,SEX,3,", "row 2, column of: the code 'F' of SEX is not a number; give what it counts as"),
        ("x,,F,,,,,mean,AEG,3,", "row 2, column of: 'AEG' is not a column (columns: SEX, AGE); did you mean 'AGE'?"),
        ("x,,F,,,,,median,AGE,31,", "row 2, column value: 31 is outside what 'AGE' can be here, 2 to 30"),
        ("x,,F,,,,,percent,all,31,", "row 2, column of: the percentage is of 'all', but no count has that name"),
        ("x,,F,,5,,,,AGE,,", "row 2, column of: only a sum, mean, median or percent has this; leave it blank for a count"),
        ("x,,F,,5,,,count,,5,", "row 2, column value: only a sum, mean, median or percent has this"),
        ("x,,F,,5,,,,,,withheld", "row 2, column status: withheld, but the count 5 is given; leave one of the two blank"),
        ("x,,F,,5,,,,,,hidden", "row 2, column status: 'hidden' is not understood; leave it blank, or write withheld"),
        ("x,,F,,,,,,,,", "row 2: neither count nor low and high are filled in"),
        ("x,,F,,,1.5,,,,,", "row 2, column low: '1.5' is not a whole number"),
    ],
)
def test_what_is_wrong_with_a_row(tmp_path: Path, row: str, words: str) -> None:
    (found,) = problems(folder(tmp_path / "release", row + "\n"))
    assert found.startswith(words)
    with pytest.raises(Refused):
        read_by_checker(tmp_path / "release")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([], '"numbers" should be an object column -> code -> number'),
        ({"AGE": 2}, '"numbers" should be an object column -> code -> number'),
        ({"AGE": {"0-4": "two"}}, "\"numbers\" of AGE: 'two' is not a decimal number"),
        ({"AGE": {"0-4": True}}, '"numbers" of AGE: True is not a decimal number'),
        ({"AGE": {"5": 2}}, "'5' is not a value of AGE"),
        ({"HEIGHT": {"5": 2}}, "'HEIGHT' is not a column"),
    ],
)
def test_numbers_that_are_none(tmp_path: Path, numbers: object, words: str) -> None:
    path = folder(tmp_path / "release", "x,,,,5,,,,,,\n", {**DOMAIN, "numbers": numbers})
    assert words in problems(path)[0]


def test_a_column_of_the_domain_is_never_taken_for_a_measure(tmp_path: Path) -> None:
    domain = {"columns": {"value": ["1", "2"], "of": ["x", "y"]}}
    release = Release.read(folder(tmp_path / "release", "1,x,3\n2,,4\n", domain, "value,of,count\n"))
    assert [s.predicate for s in release.statistics] == [Predicate.of({"value": "1", "of": "x"}), Predicate.of({"value": "2"})]
    assert read_by_checker(tmp_path / "release").fingerprint == release.fingerprint()
    figure = Figure.exact(Measure.MEAN, "value", Predicate(), Fraction(3, 2))
    with pytest.raises(InputError, match="a column is called 'of', a name that files use themselves; rename it"):
        write_release(Release(release.domain, [], figures=[figure]), tmp_path / "other")


def test_counts_of_many_releases_may_be_printed_ranges(tmp_path: Path) -> None:
    (tmp_path / "domain.json").write_text('{"columns": {"SEX": ["F", "M"]}}')
    (tmp_path / "predicates.csv").write_text("name,SEX\nN,\nwomen,F\n")
    (tmp_path / "counts.csv").write_text('release,N,women\na,"1,082",<5\nb,100+,1-4\n')
    made = [[(s.low, s.high) for s in release.statistics] for _, release in ReleaseTable(tmp_path).releases()]
    assert made == [[(1082, 1082), (0, 4)], [(100, None), (1, 4)]]


def test_a_row_belongs_to_the_table_its_name_starts_with() -> None:
    rows = [Statistic.exact(Predicate(), 1, "P16.3"), Statistic.exact(Predicate(), 1, "x", "T")]
    release = Release(Domain.of({"A": ["0"]}), rows)
    assert [s.table for s in release.statistics] == ["P16", "T"]
