"""Size is looked at before work is done, numbers are exact however large, and reading is quick."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from time import process_time

import pandas as pd
import pytest

from foregone import Domain, InputError, Release, tabulate
from foregone.formats import text
from foregone.model.statement import LARGEST
from tests.cli.commands import run, write_release

pytestmark = pytest.mark.slow


def quick(seconds: float, begin: float) -> bool:
    return process_time() - begin < seconds


def test_two_hundred_thousand_statistics(tmp_path: Path) -> None:
    domain = {"columns": {f"C{i}": [str(v) for v in range(20)] for i in range(4)}}
    cells = product(range(20), range(20), range(21), range(24))
    rows = [f"{a},{b},{c % 20},{d % 20},T.{i},T,{i % 7}" for i, (a, b, c, d) in enumerate(cells)]
    folder = write_release(tmp_path / "release", "\n".join(["C0,C1,C2,C3,name,table,count", ",,,,N,,99999", *rows]) + "\n", domain)
    begin = process_time()
    assert len(Release.read(folder).statistics) == 1 + 20 * 20 * 21 * 24
    assert quick(8, begin), "a million took 37 seconds"


def test_many_columns_and_codes(tmp_path: Path) -> None:
    begin = process_time()
    domain = {"columns": {f"C{i}": ["a", "b"] for i in range(200_000)}}
    ran = run("audit", write_release(tmp_path / "columns", "C0,count\n,5\n", domain))
    assert (ran.status, len(ran.problems)) == (2, 1)
    assert "200,000 columns are more than the 10,000" in ran.err
    ran = run("audit", write_release(tmp_path / "codes", "A,count\n,5\n", {"columns": {"A": [str(i) for i in range(50_001)]}}))
    assert (ran.status, len(ran.problems)) == (2, 1)
    assert "50,001 values are more than the 50,000" in ran.err
    pairs = {"columns": {name: [str(i) for i in range(20_000)] for name in "AB"}}
    rows = [f"{i},,1" for i in range(20_000)] + [f",{i},1" for i in range(20_000)]
    Release.read(write_release(tmp_path / "pairs", "\n".join(["A,B,count", ",,20000", *rows]) + "\n", pairs))
    assert quick(15, begin)


def test_many_unknown_values_are_told_quickly(tmp_path: Path) -> None:
    domain = {"columns": {"A": [f"code {i}" for i in range(20_000)]}}
    begin = process_time()
    ran = run("audit", write_release(tmp_path / "release", "A,count\n,5\n" + "cod 7,1\n" * 20_000 + "x,1\n" * 20_000, domain))
    assert (ran.status, len(ran.problems)) == (2, 41)
    assert quick(10, begin)


def test_a_file_too_large_is_not_even_read(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    os.truncate(folder / "statistics.csv", text.MOST_BYTES + 1)  # no room on the disk is taken
    begin = process_time()
    with pytest.raises(InputError, match=r"1,000,000,001 bytes are more"):
        Release.read(folder)
    assert quick(1, begin)


@pytest.mark.parametrize("count", [2**53 + 1, 2**60 + 1, LARGEST])
@pytest.mark.parametrize("name", ["release", "release.json", "release.parquet"])
def test_large_counts_are_exact(tmp_path: Path, count: int, name: str) -> None:
    release = Release.read(write_release(tmp_path / "given", f"SEX,count\n,{count}\nF,{count - 1}\n"))
    release.write(tmp_path / name)
    assert [s.low for s in Release.read(tmp_path / name).statistics] == [count, count - 1]


def test_counts_beyond_the_largest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than any table counts"):
        Release.read(write_release(tmp_path / "given", f"SEX,count\n,{LARGEST + 1}\n"))


def test_codes_that_floats_would_merge() -> None:
    """Two codes that are one float: as whole numbers they stay two, as floats they are refused."""
    one, other = 2**53, 2**53 + 1
    release = tabulate({"ID": [one, other]}, ["ID"])
    assert release.domain == Domain.of({"ID": [str(one), str(other)]})
    assert [s.low for s in release.statistics] == [2, 1, 1]
    with pytest.raises(InputError, match="too large to be exact"):
        tabulate(pd.DataFrame({"ID": [float(one) * 2, 1.0]}), ["ID"])
    words = tabulate({"A": ["nan", "b", "inf", "-1", "10", "9"]}, ["A"]).domain.columns[0].codes
    assert words == ("-1", "9", "10", "b", "inf", "nan")
