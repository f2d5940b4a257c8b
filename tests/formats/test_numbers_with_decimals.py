"""Numbers with decimals in JSON: 0.50 and 0.5 are one float but two statements, so both readers refuse them and take texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foregone import InputError, Release
from foregone.checker import Refused, read_release

DIGITS = ["0.50", "0.5", "5e-1", "1e2", "1E2", "-0.0", "2.0", "1.0e0", "1e400", "-1e-400", "0.1", "33.3333333333333333"]
DIGITS += ["NaN", "-Infinity"]
TEXTS = ['"0.50"', '"0.5"', "1", '"1"', '"1.00"', "0", '"-0.5"', '"5e-1"', '"1e2"', "-1", '"0.50%"', "true", "null", '"nan"', '""']
PLACES = {
    "count": '{{"count": {}}}',
    "low": '{{"low": {}, "high": 3}}',
    "high": '{{"low": 0, "high": {}}}',
    "mean": '{{"measure": "mean", "of": "X", "value": {}}}',
    "sum": '{{"measure": "sum", "of": "X", "value": {}}}',
    "median": '{{"measure": "median", "of": "X", "value": {}}}',
    "percent": '{{"measure": "percent", "where": {{"X": ["1"]}}, "value": {}}}',
    "low of a mean": '{{"measure": "mean", "of": "X", "low": {}}}',
    "high of a mean": '{{"measure": "mean", "of": "X", "high": {}}}',
    "limits of a percent": '{{"measure": "percent", "where": {{"X": ["1"]}}, "low": "0", "high": {}}}',
    "name": '{{"count": 1, "name": {}}}',
    "where": '{{"count": 1, "where": {{"X": [{}]}}}}',
    "status": '{{"status": {}}}',
}


def written(path: Path, statistic: str, numbers: str = '"2"') -> Path:
    columns = '{"X": ["0", "1", "many"]}'
    total = '{"name": "N", "count": 4}'
    path.write_text(f'{{"columns": {columns}, "numbers": {{"X": {{"many": {numbers}}}}}, "statistics": [{total}, {statistic}]}}')
    return path


def both(path: Path) -> tuple[Release | str, bool]:
    """What the reader says, the release or its problem, and whether the checker reads it."""
    try:
        release: Release | str = Release.read(path)
    except InputError as error:
        release = error.problems[0]
    try:
        read_release(path)
    except Refused:
        return release, False
    return release, True


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("digits", DIGITS)
def test_both_readers_refuse_floats_everywhere(tmp_path: Path, place: str, digits: str) -> None:
    release, checked = both(written(tmp_path / "r.json", PLACES[place].format(digits)))
    assert isinstance(release, str)
    assert not checked
    assert "r.json" in release
    figure = "measure" in PLACES[place] and digits not in ("NaN", "-Infinity")
    assert not figure or "write it as text" in release, release


@pytest.mark.parametrize("digits", DIGITS)
def test_floats_as_what_codes_count_as(tmp_path: Path, digits: str) -> None:
    statistic = PLACES["mean"].format('"0.5"')
    release, checked = both(written(tmp_path / "r.json", statistic, digits))
    assert isinstance(release, str)
    assert not checked
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "domain.json").write_text(f'{{"columns": {{"X": ["many"]}}, "numbers": {{"X": {{"many": {digits}}}}}}}')
    (folder / "statistics.csv").write_text("X,count\n,4\n")
    release, checked = both(folder)
    assert isinstance(release, str)
    assert not checked


@pytest.mark.parametrize("place", ["mean", "sum", "median", "percent", "low of a mean", "high of a mean"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_and_whole_numbers_are_read_alike(tmp_path: Path, place: str, text: str) -> None:
    release, checked = both(written(tmp_path / "r.json", PLACES[place].format(text)))
    assert isinstance(release, Release) == checked, release


def test_the_decimals_of_a_text_count(tmp_path: Path) -> None:
    """What is rounded to whole percents says less than what is given to a hundredth."""
    files = [written(tmp_path / f"{text}.json", PLACES["percent"].format(json.dumps(text))) for text in ("50", "50.00")]
    read = [Release.read(path) for path in files]
    assert [str(release.figures[0].high) for release in read] == ["101/2", "10001/200"]
