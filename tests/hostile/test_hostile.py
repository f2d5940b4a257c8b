"""Thousands of files that were made to hurt: each is read or refused in short lines, soon, and nothing is left half done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import process_time

import pytest

from foregone.formats.policy import read_policy
from foregone.formats.protection import read_costs
from foregone.model.errors import InputError
from foregone.model.policy import Policy
from tests.cli.commands import sensible
from tests.hostile.releases import proofs, releases, write
from tests.hostile.settings import layouts, policies
from tests.hostile.tables import BYTES, CSV, tables
from tests.hostile.workbooks import workbooks

ANY = (0, 1, 2, 3)
SECONDS, MEGABYTES = 30, 500  # most take milliseconds, the longest 2 s when nothing else runs
PARTS = 8


def every(folder: Path, cases: Iterable[tuple[str, Callable[[Path], list[object]]]]) -> int:
    """Run all cases, each in a folder of its own; how many there were."""
    number = 0
    for number, (what, make) in enumerate(cases, start=1):
        inside = folder / str(number)
        inside.mkdir()
        arguments, begin = make(inside), process_time()
        try:
            sensible(inside, *arguments, statuses=ANY)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None
        assert process_time() - begin < SECONDS, what
    return number


def imported(name: str, write_: Callable[[Path], object], *more: object) -> Callable[[Path], list[object]]:
    def make(folder: Path) -> list[object]:
        write_(folder / name)
        return ["import", folder / name, *more, "--out", folder / "out"]

    return make


def table_cases() -> Iterator[tuple[str, Callable[[Path], list[object]]]]:
    for what, files in tables():

        def make(folder: Path, files: dict[str, str | bytes] = files) -> list[object]:
            paths = [write(folder / name, content) for name, content in files.items()]
            return ["import", paths[0], "--out", folder / "out"]

        yield what, make


def layout_cases() -> Iterator[tuple[str, Callable[[Path], list[object]]]]:
    for what, raw in layouts():

        def make(folder: Path, raw: bytes = raw) -> list[object]:
            layout = write(folder / "layout.toml", raw)
            return ["import", write(folder / "t.csv", CSV), "--layout", layout, "--out", folder / "out"]

        yield what, make


@pytest.mark.slow
def test_workbooks(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    assert every(tmp_path, ((what, imported("t.xlsx", write_)) for what, write_ in workbooks().items())) > 200


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_tables_of_every_other_kind(tmp_path: Path, part: int) -> None:
    assert every(tmp_path, list(table_cases())[part::4]) > 150


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_layouts(tmp_path: Path, part: int) -> None:
    assert every(tmp_path, list(layout_cases())[part::4]) > 200


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_releases(tmp_path: Path, part: int) -> None:
    assert every(tmp_path, list(releases())[part::PARTS]) > 100


@pytest.mark.slow
def test_proofs(tmp_path: Path) -> None:
    assert every(tmp_path, proofs(tmp_path)) > 100


def problems(read: Callable[[Path], object], path: Path) -> tuple[object, tuple[str, ...]]:
    """What is read, or why it is not."""
    try:
        return read(path), ()
    except InputError as error:
        return None, error.problems


def test_policies(tmp_path: Path) -> None:
    """Read, or refused in lines that name the file; no number in one is so large that judging would never end."""
    path, kept = tmp_path / "policy.toml", 0
    for what, raw in policies():
        path.write_bytes(raw)
        policy, wrong = problems(read_policy, path)
        assert isinstance(policy, Policy) != bool(wrong)
        assert all(str(path) in problem and len(problem) < 1000 for problem in wrong), what
        if isinstance(policy, Policy):
            kept += 1
            assert max(policy.min_width, policy.stars) <= 1000
            assert policy.both_sides <= 100
    assert 20 < kept < 100


def test_costs(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    rows = ["a,-1", "a,0", "a,1.5", "a,x", f"a,{'9' * 5000}", "a,1\na,2", "a", "a,1,2", "a,\u0663"]
    for raw in (*BYTES.values(), *(f"name,cost\n{row}\n".encode() for row in rows)):
        path.write_bytes(raw)
        costs, wrong = problems(read_costs, path)
        assert costs is None
        assert all(str(path) in problem for problem in wrong)
