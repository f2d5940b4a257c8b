"""A folder of releases, or a table of releases, as the input of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import numpy as np

from foregone.batch.part import Counted, Published
from foregone.batch.plan import Part, cost_of, partition, state_of
from foregone.batch.source import Input, Options
from foregone.formats.folder import read_release
from foregone.formats.table import ReleaseTable
from foregone.formats.text import read_json
from foregone.model.errors import InputError
from foregone.model.release import Release

NOUN = "release"
TAKEN = ("release", "state")  # columns of the results that no attribute can be called


@contextmanager
def open_table(path: Path, options: Options) -> Iterator[Input]:
    """All releases of a table share one workload; a part is a range of its rows."""
    _only_units(path, options)
    table = ReleaseTable(path)
    problems = name_problems(table.workload.domain.names)
    if problems:
        raise InputError([f"{path / 'domain.json'}: {problem}" for problem in problems])
    groups = _limited(path, _runs(map(state_of, table.ids)), options)
    costs = cost_of(table.sizes())

    def read(part: Part) -> Counted:
        place = f"{table.file.name}, release "
        return Counted(table.workload, table.counts(part.first, part.last), place)

    number = sum(last - first for _, first, last in groups)
    yield Input(NOUN, number, tuple(partition(groups, costs)), read, table.workload.domain.names)


@contextmanager
def open_folder(path: Path, options: Options) -> Iterator[Input]:
    """Every folder with a domain.json and every .json or .parquet file in it is a release, named by its path."""
    _only_units(path, options)
    if (path / "domain.json").is_file():
        raise InputError(f"{path}: this is one release; use `foregone audit`, or give the folder that holds the releases")
    ids = sorted(_find(path))
    if not ids:
        raise InputError(
            f"{path}: holds no release; a release is a folder with domain.json and statistics.csv, or a .json or .parquet file"
        )
    if options.state is not None:
        ids = [name for name in ids if _state(name) == options.state]
        if not ids:
            raise InputError(f"{path}: there is no block of state {options.state}; check --state")
    ids = ids[: options.limit]
    # releases with other columns cannot share a file of facts, so they are put in parts of their own
    names = [_columns(path / name) for name in ids]
    kinds = list(dict.fromkeys(names))
    states = [_state(name) for name in ids]
    order = sorted(range(len(ids)), key=lambda i: (states[i], kinds.index(names[i]), i))
    keys = [(states[i], names[i]) for i in order]
    groups = [(keys[a][0], a, b) for _, a, b in _runs([f"{state}{kinds.index(columns)}" for state, columns in keys])]
    costs = np.array([_weight(path / ids[i]) for i in order])

    def read(part: Part) -> Published:
        here = order[part.first : part.last]
        return Published(names[here[0]], tuple((ids[i], _read(path, ids[i], names[i])) for i in here))

    common = kinds[0] if len(kinds) == 1 else ()
    yield Input(NOUN, len(ids), tuple(partition(groups, costs)), read, common)


def name_problems(names: Sequence[str]) -> list[str]:
    return [
        f"a column is called {name!r}, which the results need for themselves; rename it" for name in names if name.lower() in TAKEN
    ]


def _only_units(path: Path, options: Options) -> None:
    default = Options()
    given = [name for name in ("variant", "rules", "units") if getattr(options, name) != getattr(default, name)]
    if given:
        raise InputError([f"--{name}: belongs to unit files, and {path} is a folder; leave it out" for name in given])


def _state(name: str) -> str:
    return state_of(PurePosixPath(name).name.partition(".")[0])


def _limited(path: Path, groups: list[tuple[str, int, int]], options: Options) -> list[tuple[str, int, int]]:
    """What --state and --limit leave of the rows of a table."""
    if options.state is not None:
        groups = [group for group in groups if group[0] == options.state]
        if not groups:
            raise InputError(f"{path}: there is no block of state {options.state}; check --state")
    if options.limit is None:
        return groups
    left, kept = options.limit, []
    for state, first, last in groups:
        if left > 0:
            kept.append((state, first, min(last, first + left)))
            left -= last - first
    return kept


def _runs(keys: Iterable[str]) -> list[tuple[str, int, int]]:
    """Stretches of equal keys: (key, first, last)."""
    found: list[tuple[str, int, int]] = []
    for i, key in enumerate(keys):
        if found and found[-1][0] == key:
            found[-1] = (key, found[-1][1], i + 1)
        else:
            found.append((key, i, i + 1))
    return found


def _find(path: Path, prefix: str = "") -> Iterator[str]:
    for entry in os.scandir(path):
        if entry.name.startswith("."):
            continue
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            if (Path(entry.path) / "domain.json").is_file():
                yield name
            else:
                yield from _find(Path(entry.path), f"{name}/")
        elif entry.name.endswith((".json", ".parquet")):
            yield name


def _columns(path: Path) -> tuple[str, ...]:
    """The names of the columns, without reading the release if possible; none when they cannot be read or used."""
    try:
        if path.suffix == ".parquet" and path.is_file():
            names = read_release(path).domain.names
        else:
            names = tuple(read_json(path / "domain.json" if path.is_dir() else path)["columns"])
    except (InputError, KeyError, TypeError):
        return ()
    return () if name_problems(names) else names


def _weight(path: Path) -> float:
    """The number of records is not known before the release is read, but more rows take longer."""
    file = path / "statistics.csv" if path.is_dir() else path
    return 0.02 + 1e-6 * (file.stat().st_size if file.is_file() else 0)


def _read(path: Path, name: str, columns: tuple[str, ...]) -> Release | str:
    """The release, or what is wrong with it."""
    try:
        release = read_release(path / name)
    except InputError as error:
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        return error.problems[0] + more
    problems = name_problems(release.domain.names)
    if problems or release.domain.names != columns:
        return f"{path / name}: {problems[0] if problems else 'its columns changed while the run was going on'}"
    return release
