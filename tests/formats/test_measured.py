"""tabulate publishes sums, means, medians and percentages that the data have."""

from __future__ import annotations

import statistics
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import InputError, Release, tabulate
from foregone.formats.frames import dataset
from tests.cli.commands import run

PEOPLE = {"SEX": ["F", "F", "F", "M"], "TOWN": ["a", "b", "b", "a"], "AGE": ["8", "36", "66", "84"]}
ASKED = [("mean", "AGE:SEX"), ("median", "AGE:SEX,TOWN"), ("sum", "AGE"), ("percent", "SEX,TOWN:SEX"), ("percent", "TOWN")]


def test_figures_beside_the_tables() -> None:
    release = tabulate(PEOPLE, margins=["SEX"], measures=ASKED)
    shown = {f.name: (f.value, f.of) for f in release.figures}
    assert shown == {
        "mean AGE by SEX.1": ("36.7", "AGE"),
        "mean AGE by SEX.2": ("84.0", "AGE"),
        "median AGE by SEX,TOWN.1": ("8.0", "AGE"),
        "median AGE by SEX,TOWN.2": ("51.0", "AGE"),
        "median AGE by SEX,TOWN.3": ("84.0", "AGE"),  # men in town b are nobody, and have no median
        "sum AGE": ("194.0", "AGE"),
        "percent by SEX,TOWN.1": ("33.3", "SEX.1"),
        "percent by SEX,TOWN.2": ("66.7", "SEX.1"),
        "percent by SEX,TOWN.3": ("100.0", "SEX.2"),
        "percent by SEX,TOWN.4": ("0.0", "SEX.2"),
        "percent by TOWN.1": ("50.0", "records"),
        "percent by TOWN.2": ("50.0", "records"),
    }
    assert dataset(PEOPLE).broken(release) == []
    assert statistics.mean([8, 36, 66]) == pytest.approx(36.7, abs=0.05)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("FM"), st.sampled_from(["-1", "0", "2.5", "7"])), min_size=1, max_size=6),
    st.lists(st.sampled_from([(m, of) for m in ("sum", "mean", "median") for of in ("AGE", "AGE:SEX")]), max_size=4),
    st.integers(0, 3),
)
def test_the_data_have_what_is_published(records: list[tuple[str, str]], asked: list[tuple[str, str]], decimals: int) -> None:
    data = {"SEX": [sex for sex, _ in records], "AGE": [age for _, age in records]}
    release = tabulate(data, ["SEX"], measures=asked, decimals=decimals)
    assert dataset(data).broken(release) == []
    for figure in release.figures:
        assert figure.low is not None
        assert figure.high is not None
        assert figure.high - figure.low == Fraction(1, 10**decimals)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("mean", "HEIGHT"), "mean: 'HEIGHT' is not a column"),
        (("mean", "AGE:SXE"), "mean: 'SXE' is not a column"),
        (("mode", "AGE"), "'mode' is not one of sum, mean, median, percent"),
        (("mean", "TOWN"), "the code 'a' of TOWN is not a number"),
        (("percent", ""), "names a column twice or none"),
        (("mean", "AGE:SEX,SEX"), "names a column twice or none"),
        (("percent", "SEX:TOWN"), "percent: 'TOWN' is what it is of, but not among SEX"),
        (("percent", "SEX,TOWN:TOWN"), "percent of TOWN: no table of TOWN is published; add `margins` TOWN"),
    ],
)
def test_what_cannot_be_published(asked: tuple[str, str], words: str) -> None:
    with pytest.raises(InputError) as caught:
        tabulate(PEOPLE, margins=["SEX"], measures=[asked])
    assert words in str(caught.value)


def test_the_command(tmp_path: Path) -> None:
    rows = zip(*PEOPLE.values(), strict=True)
    (tmp_path / "people.csv").write_text("SEX,TOWN,AGE\n" + "".join(",".join(row) + "\n" for row in rows))
    figures = ["--mean", "AGE:SEX", "--median", "AGE", "--sum", "AGE", "--percent", "SEX", "--decimals", "2"]
    ran = run("tabulate", tmp_path / "people.csv", "--margins", "SEX", *figures, "--out", tmp_path / "release", "--truth")
    assert ran.out == f"9 published numbers about 4 records written to {tmp_path / 'release'}.\n"
    assert [f.value for f in Release.read(tmp_path / "release").figures] == ["194.00", "36.67", "84.00", "51.00", "75.00", "25.00"]
