"""Tables of releases: the same releases come back, and every problem of a file is named at once."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Domain, InputError, Predicate, Query, Release, Workload
from foregone.formats.table import ReleaseTable, write_table

DOMAIN = Domain.of({"SEX": {"F": "female", "M": "male"}, "AGE": ["young", "old"]}, {"SEX": "sex"}, record="person")
QUERIES = (
    Query("N", "", Predicate()),
    Query("T1.1", "T1", Predicate.of({"SEX": "F"})),
    Query("T1.2", "T1", Predicate.of({"SEX": "M", "AGE": ["young", "old"]})),
)
RULES = (Predicate.of({"SEX": "M", "AGE": "old"}),)
WORKLOAD = Workload(DOMAIN, QUERIES, RULES)
COUNTS = {"a": [5, 2, 3], "b": [4, 4, 0], "c c": [0, 0, 0]}


def folder(path: Path, counts: str | pd.DataFrame, predicates: str = "name,SEX,AGE\nN,,\nwomen,F,\n") -> Path:
    path.mkdir()
    (path / "domain.json").write_text(json.dumps({"columns": {"SEX": ["F", "M"], "AGE": ["young", "old"]}}), "utf-8")
    (path / "predicates.csv").write_text(predicates, "utf-8")
    if isinstance(counts, str):
        (path / "counts.csv").write_text(counts, "utf-8")
    else:
        counts.to_parquet(path / "counts.parquet", index=False)
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as error:
        ReleaseTable(path)
    return [problem.replace(f"{path}/", "") for problem in error.value.problems]


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    assert write_table(tmp_path / "table", WORKLOAD, COUNTS.items()) == 3
    table = ReleaseTable(tmp_path / "table")
    assert (table.workload.domain, table.workload.queries) == (WORKLOAD.domain, WORKLOAD.queries)
    assert table.workload.rules == WORKLOAD.rules
    assert list(table.ids) == ["a", "b", "c c"]
    assert table.sizes().tolist() == [5, 4, 0]
    assert dict(table.releases()) == {name: WORKLOAD.release(counts) for name, counts in COUNTS.items()}
    assert table.counts(1, 3).ids == ("b", "c c")
    assert table.counts(1, 3).low.tolist() == [[4, 4, 0], [0, 0, 0]]


@given(st.dictionaries(st.text("ab10", min_size=1, max_size=4), st.lists(st.integers(0, 9), min_size=3, max_size=3), max_size=20))
@settings(max_examples=20, deadline=None)
def test_any_piece_of_any_table(tmp_path_factory: pytest.TempPathFactory, counts: dict[str, list[int]]) -> None:
    path = tmp_path_factory.mktemp("table")
    ordered = sorted(counts.items())
    write_table(path / "parquet", WORKLOAD, ordered)
    frame = pd.DataFrame([[name, *row] for name, row in counts.items()], columns=["release", "N", "T1.1", "T1.2"])
    write_table(path / "csv", WORKLOAD, [])
    (path / "csv" / "counts.parquet").unlink()
    frame.to_csv(path / "csv" / "counts.csv", index=False)
    for name in ("parquet", "csv"):
        table = ReleaseTable(path / name)
        for first in range(0, len(ordered) + 1, 3):
            some = table.counts(first, min(first + 3, len(ordered))) if first < len(ordered) else None
            if some is not None:
                assert list(zip(some.ids, some.low.tolist(), strict=True)) == ordered[first : first + 3]
                assert (some.low == some.high).all()


def test_pieces_of_several_row_groups(tmp_path: Path) -> None:
    path = folder(tmp_path / "table", "x")
    (path / "counts.csv").unlink()
    frame = pd.DataFrame({"release": [f"{i:03d}" for i in range(100)], "N": range(100), "women": [i // 2 for i in range(100)]})
    frame.to_parquet(path / "counts.parquet", index=False, row_group_size=7)
    table = ReleaseTable(path)
    for first, last in ((0, 1), (6, 8), (7, 14), (13, 50), (99, 100), (0, 100)):
        assert table.counts(first, last).low[:, 0].tolist() == list(range(first, last))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_ranges(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"release": ["x", "y"], "N": [9, 7], "women.low": [3, None], "women.high": [None, 5]})
    frame = frame.astype({"women.low": "Int64", "women.high": "Int64"})
    path = folder(tmp_path / "table", frame.to_csv(index=False) if kind == "csv" else frame)
    found = {name: [(s.low, s.high) for s in release.statistics] for name, release in ReleaseTable(path).releases()}
    assert found == {"x": [(9, 9), (3, None)], "y": [(7, 7), (0, 5)]}


def test_problems_of_the_predicates(tmp_path: Path) -> None:
    rows = "name,table,SEX,AGE\nN,,,\n,,F,\nN,,M,\nrelease,,,old\nN.low,,,young\nx,,X,\n"
    assert problems(folder(tmp_path / "table", "release\n", rows)) == [
        "predicates.csv, row 7, column SEX: 'X' is not a value of SEX (F, M); use one of these",
        "predicates.csv, row 3, column name: blank; counts are found by it, so fill it in",
        "predicates.csv, row 4, column name: 'N' is also the name of row 2; give each row its own",
        "predicates.csv, row 5, column name: 'release' is the column with the names of releases; choose another name",
        "predicates.csv, row 6, column name: 'N.low' is also the name of row 2; give each row its own",
    ]
    [problem] = problems(folder(tmp_path / "other", "release\n", "SEX,AGE\n,\n"))
    assert "there is no column 'name'" in problem


def test_problems_of_the_header(tmp_path: Path) -> None:
    assert problems(folder(tmp_path / "table", "N,N.low,womn\n1,1,1\n")) == [
        "counts.csv, row 1: 'womn' is not a column (columns: release, N, women); did you mean 'women'?",
        "counts.csv, row 1: there is no column 'release'; add it, with a name for each row",
        "counts.csv, row 1: both N and a range of it are given; keep one of the two",
        "counts.csv, row 1: there is no column women, nor women.low and women.high; add what was published",
    ]
    path = folder(tmp_path / "both", "release,N,women\n")
    pd.DataFrame({"release": []}).to_parquet(path / "counts.parquet")
    assert "found both" in problems(path)[0]
    (path / "counts.parquet").unlink()
    (path / "counts.csv").unlink()
    assert "found neither" in problems(path)[0]


def test_problems_of_csv_rows(tmp_path: Path) -> None:
    text = "release,N,women.low,women.high\na,5,1,2\n,5,1,2\na,-1,1,\nb,,3,2\nc,x,1.5,\nd,99999999999999999999,,\n"
    assert problems(folder(tmp_path / "table", text)) == [
        "counts.csv, row 3, column release: blank; give every row a name",
        "counts.csv, row 4, column release: 'a' is also row 2; list it once",
        "counts.csv, row 4, column N: '-1' is negative; counts are whole numbers from 0 up",
        "counts.csv, row 5, column N: blank; give the published number, or its range in N.low and N.high",
        "counts.csv, row 6, column N: 'x' is not a number; write a whole number, or a range in low and high",
        "counts.csv, row 6, column women.low: '1.5' is not a whole number; counts are whole numbers from 0 up",
        "counts.csv, row 7, column N: '99999999999999999999' is above 4611686018427387904, more than any table counts; correct it",
    ]
    [problem] = problems(folder(tmp_path / "swapped", "release,N,women.low,women.high\na,5,3,2\n"))
    assert problem.endswith("column women.low: low 3 is above high 2; swap or correct them")


def test_problems_of_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"release": ["b", "a", "a"], "N": [5, 5, 5], "women": [1, 2, 3]})
    assert problems(folder(tmp_path / "order", frame)) == [
        "counts.parquet, row 2, column release: 'a' comes after 'b'; list each release once and sort the table by release",
        "counts.parquet, row 3, column release: 'a' comes after 'a'; list each release once and sort the table by release",
    ]
    frame = pd.DataFrame({"release": ["a", None, "c"], "N": [5, 5, 5], "women": [1, 2, 3]})
    assert problems(folder(tmp_path / "blank", frame)) == ["counts.parquet, row 2, column release: blank; give every row a name"]
    frame = pd.DataFrame({"release": [1, 2], "N": [5.0, 5.5], "women": ["1", "2"]})
    assert [text.partition(",")[2].partition(";")[0] for text in problems(folder(tmp_path / "types", frame))] == [
        " column release: is int64, expected text",
        " column N: is double, expected whole numbers",
        f" column women: is {'large_' if 'large' in str(problems(tmp_path / 'types')) else ''}string, expected whole numbers",
    ]
    frame = pd.DataFrame({"release": ["a", "b", "c"], "N": [5, -5, 5], "women": pd.array([1, None, 3], dtype="Int64")})
    assert problems(folder(tmp_path / "values", frame)) == [
        "counts.parquet, row 2, column N: -5 is not a count; counts are whole numbers from 0 up",
        "counts.parquet, row 2, column women: blank; give the published number, or ranges for all rows",
    ]
    path = folder(tmp_path / "text", "x")
    (path / "counts.csv").rename(path / "counts.parquet")
    assert "cannot be read as Parquet" in problems(path)[0]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a' comes after 'b'"):
        write_table(tmp_path / "table", WORKLOAD, [("b", [1, 1, 0]), ("a", [1, 1, 0])])
    unnamed = Workload(DOMAIN, (Query("", "", Predicate()),))
    with pytest.raises(InputError, match="blank"):
        write_table(tmp_path / "table", unnamed, [("a", [1])])
    assert not list(tmp_path.iterdir())


def test_a_row_that_is_no_release(tmp_path: Path) -> None:
    table = ReleaseTable(folder(tmp_path / "table", "release,N,women\na,2,3\n"))
    with pytest.raises(InputError, match="women: the count 3 is larger than the number of records, 2"):
        list(table.releases())
    assert isinstance(WORKLOAD.release(COUNTS["a"]), Release)
