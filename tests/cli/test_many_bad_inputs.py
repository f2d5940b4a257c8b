"""Hundreds of inputs that nobody would write on purpose: each is answered or refused in short lines, never by an internal error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import DOMAIN, sensible, write_release

pytestmark = pytest.mark.slow

STRANGE: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e300, 10**30, "", "x", "x" * 5000, "\ud800", "\x1b[2J", "a\nb", [], {}, [1], [None], {"a": 1},
    [[]], [{}], ["a", "a"],
]  # fmt: skip
BYTES = [
    b"", b"\x00", b"\x00" * 1000, b"\xff\xfeS\x00E\x00X\x00", "SEX,AGE\nF,15-24\n".encode("utf-16"), b"\xef\xbb\xbf", b"\x80",
    b"\n\n", b",", b'"', b'""', b"\r", b"a\rb\rc", b'"a\n', b"'=x\n", b"SEX;AGE\nF;1\n", b"x" * 200_000, b"{}", b"SEX,SEX\n",
    b"SEX,AGE\nF\n", b"\x1b[31mSEX\nF\n", b"SEX,AGE,count\nF,15-24,1\x00\n", b"SEX,AGE,count\n,,nan\n", b"SEX,AGE,count\n,,1e5\n",
    b"[" * 50_000,
]  # fmt: skip
FILES = ("domain.json", "statistics.csv", "rules.csv", "truth.csv")


def domains(value: Any) -> Iterator[Any]:
    """A domain with a strange value in each of its places."""
    columns = DOMAIN["columns"]
    assert isinstance(columns, dict)
    yield value
    yield {"columns": value}
    yield {"columns": {**columns, "SEX": value}}
    yield {"columns": {**columns, "SEX": {"F": value, "M": "m"}}}
    yield {"columns": {**columns, "SEX": ["F", "M", value]}}
    for name in ("record", "labels", "groups?"):
        yield {**DOMAIN, name: value}
    yield {**DOMAIN, "labels": {"SEX": value}}


def releases(value: Any) -> Iterator[Any]:
    """A release in one file with a strange value in each of its places."""
    entry = {"where": {"SEX": ["F"]}, "low": 0, "high": 2, "name": "w", "table": "t"}
    for key in ("statistics", "rules", "further"):
        yield {**DOMAIN, "statistics": [{"count": 5}], key: value}
    yield {**DOMAIN, "statistics": [{"count": value}]}
    yield {**DOMAIN, "statistics": [{"count": 5}, value]}
    for key in (*entry, "wher"):
        yield {**DOMAIN, "statistics": [{"count": 5}, {**entry, key: value}]}
    for where in ({"SEX": value}, {"SEX": ["F", value]}):
        yield {**DOMAIN, "statistics": [{"count": 5}, {**entry, "where": where}]}
        yield {**DOMAIN, "statistics": [{"count": 5}], "rules": [where]}


@pytest.mark.parametrize("value", STRANGE, ids=lambda value: repr(value)[:20])
def test_strange_values_in_every_place(tmp_path: Path, value: Any) -> None:
    for i, domain in enumerate(domains(value)):
        sensible(tmp_path, "bounds", write_release(tmp_path / f"folder{i}", domain=json.dumps(domain)), "SEX=F", statuses=(0, 2))
    for i, release in enumerate(releases(value)):
        (tmp_path / f"{i}.json").write_text(json.dumps(release))
        sensible(tmp_path, "bounds", tmp_path / f"{i}.json", "SEX=F", statuses=(0, 2))


@pytest.mark.parametrize("name", FILES)
def test_strange_bytes_in_every_file(tmp_path: Path, name: str) -> None:
    for i, content in enumerate(BYTES):
        release = write_release(tmp_path / f"{i}")
        (release / name).write_bytes(content)
        sensible(tmp_path, "audit", release, "--out", tmp_path / "claims.csv")


NOT_FILES: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "link to nowhere": lambda path: path.symlink_to("nowhere"),
    "link to itself": lambda path: path.symlink_to(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "unreadable": lambda path: path.symlink_to("/proc/self/mem"),
}


@pytest.mark.parametrize("kind", NOT_FILES)
def test_what_is_no_file(tmp_path: Path, kind: str) -> None:
    """A pipe that nobody writes to would be waited for until the end of time."""
    for name in FILES:
        release = write_release(tmp_path / name)
        (release / name).unlink(missing_ok=True)
        NOT_FILES[kind](release / name)
        sensible(tmp_path, "audit", release)
    release = write_release(tmp_path / "release")
    for ending in ("json", "parquet", "csv", "html"):
        NOT_FILES[kind](tmp_path / f"odd.{ending}")
    odd = tmp_path / "odd.csv"
    for arguments in (
        ["audit", tmp_path / "odd.json"],
        ["audit", tmp_path / "odd.parquet"],
        ["explain", release, "SEX=F", "--prior", odd],
        ["report", release, "--prior", odd, "--out", tmp_path / "page.html"],
        ["report", release, "--thresholds", odd, "--out", tmp_path / "page.html"],
        ["tabulate", odd, "--margins", "SEX", "--out", tmp_path / "made"],
        ["census", "ingest", odd, "--out", tmp_path / "made.parquet"],
        ["census", "study", odd, "--out", tmp_path / "made"],
        ["census", "release", tmp_path / "odd.parquet", "01", "--out", tmp_path / "made"],
        ["run", odd, "--out", tmp_path / "made"],
        ["query", odd],
    ):
        sensible(tmp_path, *arguments)


def test_very_long_paths(tmp_path: Path) -> None:
    release, long = write_release(tmp_path / "release"), tmp_path / ("a" * 5000)
    deep = Path(f"{tmp_path}/{'a/' * 3000}x")
    for path in (long, deep):
        for arguments in (
            ["audit", path],
            ["audit", f"{path}.json"],
            ["audit", f"{path}.parquet"],
            ["audit", release, "--out", f"{path}.csv"],
            ["audit", release, "--proofs", f"{path}.json"],
            ["generate", release, "--out", path],
            ["tabulate", path, "--margins", "SEX", "--out", tmp_path / "made"],
            ["report", path, "--out", tmp_path / "page.html"],
            ["report", release, "--out", f"{path}.html"],
            ["explain", release, "SEX=F", "--prior", path],
            ["run", path, "--out", tmp_path / "made"],
            ["run", release, "--out", path],
            ["query", path],
            ["census", "ingest", path, "--out", tmp_path / "made.parquet"],
            ["census", "synth", "--out", path],
            ["census", "study", path, "--out", tmp_path / "made"],
            ["demo", "--out", path],
        ):
            sensible(tmp_path, *arguments)


@pytest.mark.parametrize("rows", ["", "\n", "F,\n", "X,15-24\n", "F,15-24,1\n"])
def test_a_prior_without_records(tmp_path: Path, rows: str) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text(f"SEX,AGE\n{rows}")
    release = write_release(tmp_path / "release")
    sensible(tmp_path, "explain", release, "SEX=F", "--count", 2, "--prior", prior)
    sensible(tmp_path, "report", release, "--prior", prior, "--out", tmp_path / "page.html")
