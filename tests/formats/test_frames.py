"""Microdata from any usual kind of table give the same release."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from foregone import Dataset, Domain, InputError, Predicate, audit, tabulate
from foregone.formats import frames
from foregone.formats.frames import dataset, tabulate_dataset
from foregone.model.claims_table import COLUMNS

DATA: dict[str, list[Any]] = {"SEX": ["F", "F", "M"], "AGE": [10, 9, 9]}
TABLES = {
    "dict": DATA,
    "pandas": pd.DataFrame(DATA),
    "pandas, odd index": pd.DataFrame(DATA, index=[5, 5, 7]),
    "pandas, categories": pd.DataFrame({"SEX": pd.Categorical(DATA["SEX"]), "AGE": DATA["AGE"]}),
    "pandas, floats": pd.DataFrame({"SEX": DATA["SEX"], "AGE": [10.0, 9.0, 9.0]}),
    "polars": pl.DataFrame(DATA),
    "arrow": pa.table(DATA),
    "tuples": {name: tuple(values) for name, values in DATA.items()},
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table(kind: str) -> None:
    release = tabulate(TABLES[kind], margins=["SEX", ("SEX", "AGE")])
    assert release == tabulate(DATA, margins=["SEX", "SEX, AGE"])
    assert release.domain == Domain.of({"SEX": ["F", "M"], "AGE": ["9", "10"]})
    assert [(s.name, s.table, s.low, s.high) for s in release.statistics] == [
        ("records", "", 3, 3),
        ("SEX.1", "SEX", 2, 2),
        ("SEX.2", "SEX", 1, 1),
        ("SEX,AGE.1", "SEX,AGE", 1, 1),
        ("SEX,AGE.2", "SEX,AGE", 1, 1),
        ("SEX,AGE.3", "SEX,AGE", 1, 1),
        ("SEX,AGE.4", "SEX,AGE", 0, 0),
    ]


def test_results_convert_to_pandas_and_arrow() -> None:
    result = audit(tabulate(DATA, margins=["SEX,AGE"]))
    assert isinstance(result.claims, pd.DataFrame)
    assert list(result.claims.columns) == ["SEX", "AGE", *COLUMNS]
    table = result.to_arrow()
    assert table.column("count").to_pylist() == result.claims["count"].tolist()
    assert len(result.claims) == len(result.rows()) > 0
    assert len(result.all_claims()) == sum(result.claims_by_columns().values())
    assert len(result.all_claims(1)) == result.claims_by_columns()[1]
    assert result.undecided.empty
    assert list(result.undecided.columns) == [
        *("SEX", "AGE", "count", "columns", "status", "exact", "published", "printed", "attributes"),
        *("least", "greatest"),
    ]


def test_a_given_domain_may_be_wider_than_the_data() -> None:
    domain = Domain.of({"AGE": ["8", "9", "10"], "SEX": ["F", "M", "X"]}, record="person")
    release = tabulate(DATA, ["SEX"], domain=domain)
    assert release.domain is domain
    assert [s.low for s in release.statistics] == [3, 2, 1, 0]
    assert tabulate(dataset(DATA, domain), ["SEX"]) == release


def test_without_zeros() -> None:
    release = tabulate(DATA, ["SEX,AGE"], zeros=False)
    assert [s.low for s in release.statistics] == [3, 1, 1, 1]
    assert all(s.predicate != Predicate.of({"SEX": "M", "AGE": "10"}) for s in release.statistics)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"A": ["1", None]}, "column A, record 2: the value is missing"),
        ({"A": ["1", float("nan")]}, "column A, record 2: the value is missing"),
        ({"A": ["1", pd.NA]}, "column A, record 2: the value is missing"),
        ({"A": ["1"], "B": ["1", "2"]}, "different lengths"),
        ({}, "no columns"),
        ({"A": []}, "no rows"),
        (3, "cannot read a table from int"),
        (pd.DataFrame([["1", "2"]], columns=["A", "A"]), "appears twice"),
        ({"count": ["1"]}, "a column cannot be called 'count'"),
    ],
)
def test_bad_tables(data: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        tabulate(data, ["A"])


def test_values_outside_a_given_domain() -> None:
    with pytest.raises(InputError) as caught:
        tabulate({"A": ["1", "3"], "B": ["x", "z"]}, ["A"], domain=Domain.of({"A": ["1", "2"], "B": ["x", "y"]}))
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="'C' is not a column"):
        tabulate(DATA, ["SEX"], domain=Domain.of({"SEX": ["F", "M"], "C": ["1"]}))


def test_margins_that_are_too_large_to_write_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_CELLS", 3)
    with pytest.raises(InputError, match=r"4 cells are too many .*leave out its zeros"):
        tabulate(DATA, ["SEX,AGE"])
    assert len(tabulate(DATA, ["SEX,AGE"], zeros=False).statistics) == 4


def test_numbers_sort_by_size_and_before_words() -> None:
    made = dataset({"A": ["10", "9", "x", "-1", "2.5"]})
    assert made.domain.column("A").codes == ("-1", "2.5", "9", "10", "x")


def test_tabulated_counts_are_the_counts() -> None:
    truth = Dataset.of(Domain.of({"A": ["0", "1"], "B": ["0", "1"]}), [("0", "1"), ("0", "1"), ("1", "1")])
    release = tabulate_dataset(truth, ["A", "B", "A,B"])
    assert truth.broken(release) == []
    assert all(truth.count(s.predicate) == s.low == s.high for s in release.statistics)
    assert len(release.statistics) == 1 + 2 + 2 + 4
