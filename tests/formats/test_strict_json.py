"""JSON and Parquet that say something that would be lost, or something twice, or rows that were edited: refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from foregone import InputError, Release
from foregone.formats.single import KEY
from foregone.formats.text import parse_json
from tests.cli.commands import DOMAIN, write_release


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as error:
        Release.read(path)
    return list(error.value.problems)


def single(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "release.json"
    statistics = [{"count": 5}, {"name": "women", "where": {"SEX": ["F"]}, "count": 2}]
    path.write_text(json.dumps({**DOMAIN, "statistics": statistics, **changes}))
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}', ["'c' is given more than once", "'a' is given more than once"]),
        ('[{"x": 1, "x": 1}]', ["'x' is given more than once"]),
        ('{"a": NaN, "b": -Infinity}', ["NaN is not a number", "-Infinity is not a number"]),
        (f'{{"a": {"9" * 5000}}}', ["a number of 5,000 digits"]),
        ('{"a": ["\\ud800"], "\\udc00": 1}', ["half of a character", "half of a character"]),
        ("{", ["not valid JSON"]),
        ("[" * 100_000, ["nested too deeply"]),
    ],
)
def test_what_a_lenient_reader_would_take(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        parse_json(text, "file.json")
    assert len(error.value.problems) == len(words)
    for problem, word in zip(error.value.problems, words, strict=True):
        assert problem.startswith("file.json")
        assert word in problem
    assert parse_json('{"a": "\\ud83d\\ude00"}', "file.json") == {"a": "😀"}


def test_a_key_that_would_be_dropped(tmp_path: Path) -> None:
    statistics = [{"count": 5}, {"wher": {"SEX": ["F"]}, "count": 2}, {"where": {}, "low": 1, "hihg": 4}]
    found = problems(single(tmp_path, statistics=statistics, rule=[{"SEX": ["F"]}], label={}))
    assert len(found) == 4 - 2, "keys of the release first, as the rest hangs on them"
    assert "'rule' is not understood" in found[0]
    assert "did you mean 'rules'?" in found[0]
    assert "did you mean 'labels'?" in found[1]
    found = problems(single(tmp_path, statistics=statistics))
    assert "statistic 2: 'wher' is not understood" in found[0]
    assert "did you mean 'where'?" in found[0]
    assert "statistic 3: 'hihg' is not understood" in found[1]
    folder = write_release(tmp_path / "folder", domain={**DOMAIN, "lables": {"SEX": "sex"}})
    assert "domain.json: 'lables' is not understood" in problems(folder)[0]


@pytest.mark.parametrize(
    "entry",
    [
        {"count": True},
        {"count": 2.0},
        {"count": None},
        {"count": "2"},
        {"low": False, "high": 2},
        {"low": 0, "high": 2.0},
        {"low": None, "high": 2},
        {"count": 2, "name": 5},
        {"count": 2, "table": None},
        {"count": 2, "name": True},
        {"count": 2, "where": {"SEX": ["F", "F"]}},
        {"count": 10**30},
    ],
)
def test_one_kind_of_value_for_another(tmp_path: Path, entry: dict[str, Any]) -> None:
    assert len(problems(single(tmp_path, statistics=[{"count": 5}, entry]))) == 1


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, pa.Table]:
    path = tmp_path / "release.parquet"
    Release.read(write_release(tmp_path / "release")).write(path)
    return path, parquet.read_table(path)


def test_parquet_comes_back(tmp_path: Path, table: tuple[Path, pa.Table]) -> None:
    assert Release.read(table[0]) == Release.read(tmp_path / "release")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda t: _with(t, "low", [5, 1, 1, 1]), ["row 2, column low: is 1, and 2 in its metadata"]),
        (lambda t: _with(t, "SEX", [None, "M", None, "F"]), ["row 2, column SEX: is 'M', and 'F' in its metadata"]),
        (lambda t: _with(t, "high", [5, 2, 1, None]), ["row 4, column high: is None, and 1 in its metadata"]),
        (lambda t: _with(t, "name", ["N", "men", "old", "old women"]), ["row 2, column name: is 'men'"]),
        (lambda t: t.slice(1), ["has 3 rows, and its metadata 4 statistics"]),
        (lambda t: pa.concat_tables([t, t.slice(3)]), ["has 5 rows, and its metadata 4 statistics"]),
        (lambda t: t.drop_columns(["high"]), ["its columns are"]),
        (lambda t: t.append_column("high", t["high"]), ["its columns are"]),
        (lambda t: t.replace_schema_metadata({KEY: b"{"}), ["metadata, row 1, character 2: not valid JSON"]),
        (lambda t: t.replace_schema_metadata({KEY: b"\xff"}), ["metadata: not UTF-8"]),
        (lambda t: t.replace_schema_metadata({KEY: b"[]"}), ["metadata: expected"]),
        (lambda t: t.replace_schema_metadata({KEY: b'{"columns": {}, "columns": {}}'}), ["metadata: 'columns' is given more"]),
    ],
)
def test_edited_parquet(table: tuple[Path, pa.Table], edit: Any, words: list[str]) -> None:
    path, rows = table
    parquet.write_table(edit(rows), path)
    found = problems(path)
    assert len(found) == len(words)
    assert words[0] in found[0]


def _with(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, name, pa.array(values)).replace_schema_metadata(table.schema.metadata)


def test_broken_parquet_files(table: tuple[Path, pa.Table]) -> None:
    path, _ = table
    whole = path.read_bytes()
    for length in (0, 3, 8, 50, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert len(problems(path)) == 1


@pytest.mark.parametrize("name", ["rules.csv", "truth.csv", "statistics.csv", "domain.json"])
def test_a_link_that_leads_nowhere_is_not_nothing(tmp_path: Path, name: str) -> None:
    from foregone.formats.folder import read_truth

    folder = write_release(tmp_path / "release")
    release = Release.read(folder)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("nowhere")
    with pytest.raises(InputError, match="this link leads nowhere"):
        read_truth(folder, release) if name == "truth.csv" else Release.read(folder)
