"""Large datasets are written as kinds with their number, and read back the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone import Dataset, Domain, InputError
from foregone.formats.folder import dataset_csv
from foregone.formats.rows import read_records
from foregone.model.dataset import LISTED

DOMAIN = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})


@pytest.mark.parametrize("number", [1, LISTED - 1, LISTED, LISTED + 1, 10**9])
def test_what_was_written_is_read(number: int, tmp_path: Path) -> None:
    data = Dataset.of_kinds(DOMAIN, {("F", "old"): number - 1, ("M", "young"): 1})
    path = tmp_path / "data.csv"
    path.write_text(dataset_csv(data), "utf-8")
    assert read_records(path, DOMAIN) == data
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == ("SEX,AGE" if number <= LISTED else "SEX,AGE,n")
    assert len(lines) == (1 + number if number <= LISTED else 3)


def test_a_column_called_n_is_a_column(tmp_path: Path) -> None:
    domain = Domain.of({"n": ["1", "2"]})
    data = Dataset.of_kinds(domain, {("2",): LISTED + 5})
    path = tmp_path / "data.csv"
    path.write_text(dataset_csv(data), "utf-8")
    assert path.read_text("utf-8").count("\n") == LISTED + 6
    assert read_records(path, domain) == data


@pytest.mark.parametrize("number", ["-1", "1.5", "many", ""])
def test_numbers_that_are_none(number: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"SEX,AGE,n\nF,old,{number}\n", "utf-8")
    with pytest.raises(InputError, match=r"data.csv, row 2, column n"):
        read_records(path, DOMAIN)
