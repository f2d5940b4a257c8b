"""A folder of releases, or a table of releases, as the input of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath

import numpy as np

from foregone.batch.part_files import ATTRIBUTES, REGION
from foregone.batch.plan import RunPart, cost_of, partition, stretches
from foregone.batch.source import CountedReleases, RunSource, WholeReleases
from foregone.batch.subject import Geography
from foregone.formats.folder import read_release
from foregone.formats.table import ReleaseTable
from foregone.formats.text import is_there, raise_all, read_json
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import shown

NOUN = "release"
TAKEN = ("release", REGION, ATTRIBUTES)  # columns of the results that no attribute can be called


def open_releases(
    path: Path, geography: Geography, region: str | None = None, limit: int | None = None
) -> AbstractContextManager[RunSource]:
    """A folder with predicates.csv is a table of releases, another folder holds releases.

    Only those of one region, and only the first so many, where this is asked for.
    """
    opened = _open_table if is_there(path / "predicates.csv") else _open_folder
    return opened(path, geography, region, limit)


@contextmanager
def _open_table(path: Path, geography: Geography, region: str | None, limit: int | None) -> Iterator[RunSource]:
    """All releases of a table share one workload; a part is a range of its rows."""
    table = ReleaseTable(path)
    names = table.workload.domain.names
    raise_all([f"{path / 'domain.json'}: {problem}" for problem in name_problems(names)])
    if not len(table):
        raise InputError(f"{table.file}: has no rows, so there is nothing to audit; add a row for each release")
    groups = [group for group in _runs([*map(geography.region_of, table.ids)]) if region in (None, group[0])]
    if not groups:
        raise _nothing_there(path, geography, region)
    groups = groups if limit is None else _first(groups, limit)
    costs = cost_of(table.sizes())

    def read(part: RunPart) -> CountedReleases:
        counts = table.counts(part.first, part.last)
        return CountedReleases(counts.ids, names, "", table.workload, counts, f"{table.file.name}, release ")

    number = sum(last - first for _, first, last in groups)
    yield RunSource(NOUN, number, tuple(partition(groups, costs)), read, names)


@contextmanager
def _open_folder(path: Path, geography: Geography, region: str | None, limit: int | None) -> Iterator[RunSource]:
    """Every folder with a domain.json and every .json or .parquet file in it is a release, named by its path."""
    if is_there(path / "domain.json"):
        raise InputError(f"{path}: this is one release; use `foregone audit`, or give the folder that holds the releases")
    ids = sorted(_find(path))
    if not ids:
        raise InputError(
            f"{path}: holds no release; a release is a folder with domain.json and statistics.csv, or a .json or .parquet file"
        )
    regions = {name: geography.region_of(PurePosixPath(name).name.partition(".")[0]) for name in ids}
    if region is not None:
        ids = [name for name in ids if regions[name] == region]
        if not ids:
            raise _nothing_there(path, geography, region)
    ids = ids[:limit]
    # releases with other columns cannot share a file of facts, so they are put in parts of their own
    names = [_columns(path / name) for name in ids]
    kinds = list(dict.fromkeys(names))
    order = sorted(range(len(ids)), key=lambda i: (regions[ids[i]], kinds.index(names[i]), i))
    keys = [f"{regions[ids[i]]}/{kinds.index(names[i])}" for i in order]
    groups = [(key.partition("/")[0], first, last) for key, first, last in _runs(keys)]
    costs = np.array([_weight(path / ids[i]) for i in order])

    def read(part: RunPart) -> WholeReleases:
        here = order[part.first : part.last]
        read_ = tuple(_read(path, ids[i], names[i]) for i in here)
        return WholeReleases(tuple(ids[i] for i in here), names[here[0]], "", read_)

    common = kinds[0] if len(kinds) == 1 else ()
    yield RunSource(NOUN, len(ids), tuple(partition(groups, costs)), read, common)


def name_problems(names: Sequence[str]) -> list[str]:
    taken = [name for name in names if name.lower() in TAKEN]
    return [f"a column is called {shown(name)}, a name that the results use; rename it" for name in taken]


def _nothing_there(path: Path, geography: Geography, region: str | None) -> InputError:
    level = geography.region
    return InputError(f"{path}: there is no {geography.noun} of {level} {region}; check --{level}")


def _first(groups: list[tuple[str, int, int]], left: int) -> list[tuple[str, int, int]]:
    """The first so many rows."""
    kept = []
    for region, first, last in groups:
        if left > 0:
            kept.append((region, first, min(last, first + left)))
            left -= last - first
    return kept


def _runs(keys: Sequence[str]) -> list[tuple[str, int, int]]:
    """Stretches of equal keys: (key, first, last)."""
    return [(keys[first], first, last) for first, last in stretches(np.array(keys))]


def _find(path: Path, prefix: str = "") -> Iterator[str]:
    for entry in os.scandir(path):
        if entry.name.startswith("."):
            continue
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            if is_there(Path(entry.path) / "domain.json"):
                yield name
            elif entry.is_symlink() and path.resolve().is_relative_to(Path(entry.path).resolve()):
                raise InputError(f"{entry.path}: this link leads back to a folder that contains it; remove it")
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
    return () if name_problems(names) or not all(isinstance(name, str) for name in names) else names


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
