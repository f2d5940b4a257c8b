"""The household study from unit file to page: choose blocks, measure each, compare with priors, write everything."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.batch.ordered_map import map_in_order
from foregone.census.household.tables import household_domain
from foregone.census.packing import unpack
from foregone.census.unit_files.units import UnitFile, open_units
from foregone.formats.extras import need
from foregone.formats.text import csv_text, new_folder
from foregone.model.errors import InputError
from foregone.model.progress import Progress
from foregone.study import tables
from foregone.study.baseline import PRIORS, Floats, probabilities
from foregone.study.examples import examples, markdown
from foregone.study.measure import GROUNDS, BlockResult, BlockTask, measure
from foregone.study.sample import NATION, SETS, choose_blocks
from foregone.study.tables import AllClaims, CsvTable, StudyResults
from foregone.version import __version__


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What a study can be asked for; the defaults are the paper's setting."""

    per_state: int = 5
    min_columns: int = 6
    engine: str = "cells"
    variant: str = "621"
    rules: str = "none"
    units: str = "households"
    seed: int = 0
    workers: int = 1
    time_limit: float | None = None
    solver: str = "highs"


@dataclass(frozen=True, slots=True)
class FinishedStudy:
    """A finished study: its results and how long each part took."""

    results: StudyResults
    synthetic: bool
    undecided: int
    seconds: dict[str, float]


def study(path: Path, out: Path, options: StudyOptions, progress: Progress | None = None) -> FinishedStudy:
    """Write all files of the study into the new folder `out`."""
    need("duckdb", "pyarrow", "matplotlib", "jinja2")
    names = household_domain(options.variant).names
    if not 1 <= options.min_columns <= len(names):
        raise InputError(f"--min-columns {options.min_columns}: a record has {len(names)} columns; use 1 to {len(names)}")
    seconds: dict[str, float] = {}
    with new_folder(out) as folder:
        with _timed(seconds, "read"):
            fingerprint = _fingerprint(path)
        with open_units(path, options.variant, options.units) as units:
            with _timed(seconds, "choose"):
                blocks, sizes = units.sizes()
                chosen = choose_blocks(blocks, sizes, options.per_state, options.seed)
                records = units.records(block for _, block, _ in chosen.blocks)
            with _timed(seconds, "measure"):
                ablated = set(chosen.of(NATION))
                edit = options.rules == "edit"
                setting = (options.variant, options.units, options.min_columns)
                tasks = [
                    BlockTask(block, codes, *setting, block in ablated, edit, options.time_limit, options.engine, options.solver)
                    for block, codes in records.items()
                ]
                measured = {m.block: m for m in _measured(tasks, options.workers, progress)}
            results = StudyResults(chosen, measured, names, options.min_columns)
            claims = results.claims()
            with _timed(seconds, "priors"):
                chances = probabilities(units, claims.asked())
            undecided = sum(m.undecided for m in measured.values())
            with _timed(seconds, "write"):
                _write(folder, results, claims, chances, units, options, undecided)
        seconds["total"] = sum(seconds.values())
        _write_json(folder, path, fingerprint, options, results, units.synthetic, undecided, seconds)
    return FinishedStudy(results, units.synthetic, undecided, seconds)


def _measured(tasks: list[BlockTask], workers: int, progress: Progress | None) -> list[BlockResult]:
    """Measure every block, in the order of the tasks whoever does the work."""
    found = []
    alone = workers <= 1 or len(tasks) < 2
    for result in map(measure, tasks) if alone else map_in_order(measure, tasks, min(workers, len(tasks))):
        found.append(result)
        if progress:
            progress("blocks", len(found), len(tasks))
    return found


def _write(
    folder: Path,
    results: StudyResults,
    claims: AllClaims,
    chances: dict[str, Floats],
    units: UnitFile,
    options: StudyOptions,
    undecided: int,
) -> None:
    from foregone.study.figures import draw_figures
    from foregone.study.page import page

    made: dict[str, CsvTable] = {
        "blocks": tables.blocks(results),
        "block_sizes": tables.block_sizes(results),
        "households": tables.households(results),
        "blocks_with_claims": tables.blocks_with_claims(results),
        "baseline_summary": tables.baseline_summary(results, claims, chances),
        "ablation": tables.ablation(results),
        "columns": tables.columns(results, claims),
        "combinations": tables.combinations(results, claims),
        "statistics_values": tables.statistics_values(results),
        "reconstruction": tables.reconstruction(results),
    }
    if options.rules == "edit":
        made["households_edit"] = tables.households(results, edit=True)
    for name, (header, rows) in made.items():
        (folder / f"{name}.csv").write_text(csv_text(header, rows), "utf-8")
    _write_parquet(folder, results, claims, chances, units.synthetic)
    told = examples(claims, chances["tract"], results.names)
    (folder / "examples.md").write_text(markdown(told, units.synthetic), "utf-8")
    images = draw_figures(results, claims, chances, folder / "figures", "synthetic data" if units.synthetic else "")
    settings = {**asdict(options), "synthetic": units.synthetic, "undecided": undecided}
    (folder / "index.html").write_text(page(results, claims, chances, images, told, settings), "utf-8")


def _write_parquet(folder: Path, results: StudyResults, claims: AllClaims, chances: dict[str, Floats], synthetic: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    marked = {"synthetic": "yes" if synthetic else "no"}
    values, masks = unpack(claims.value, len(results.names)), unpack(claims.mask, len(results.names))
    words = np.array([str(code) for code in range(16)], dtype=object)
    nothing = np.full(len(claims.mask), None, dtype=object)
    table: dict[str, NDArray[Any]] = {"set": claims.set, "block": claims.block}
    table |= {name: np.where(masks[:, i] > 0, words[values[:, i]], nothing) for i, name in enumerate(results.names)}
    table |= {"count": claims.count, "columns": claims.columns, "ground": np.array(GROUNDS, dtype=object)[claims.ground]}
    kinds = {name: pa.int64() if name in ("count", "columns") else pa.string() for name in table}
    arrow = pa.table({name: pa.array(column.tolist(), kinds[name]) for name, column in table.items()}, metadata=marked)
    parquet.write_table(arrow, folder / "claims.parquet")
    parts = [
        pa.table(
            {
                "set": pa.array(claims.set.tolist(), pa.string()),
                "block": pa.array(claims.block.tolist(), pa.string()),
                "columns": claims.columns,
                "count": claims.count,
                "prior": pa.array([prior] * len(claims.count), pa.string()),
                "probability": chances[prior],
            },
            metadata=marked,
        )
        for prior in PRIORS
    ]
    parquet.write_table(pa.concat_tables(parts), folder / "baseline.parquet")


def _write_json(
    folder: Path,
    path: Path,
    fingerprint: str,
    options: StudyOptions,
    results: StudyResults,
    synthetic: bool,
    undecided: int,
    seconds: dict[str, float],
) -> None:
    """The only file that is not the same on every run: it holds the times."""
    content: dict[str, Any] = {
        "command": ["foregone", "census", "study", str(path), *_flags(options)],
        "seed": options.seed,
        "options": asdict(options),
        "versions": {"foregone": __version__, "python": platform.python_version(), **_versions()},
        "input": {"name": path.name, "sha256": fingerprint, "synthetic": synthetic},
        "blocks": {which: len(results.of(which)) for which in SETS},
        "undecided": undecided,
        "timings": {name: round(value, 3) for name, value in seconds.items()},
    }
    (folder / "study.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _flags(options: StudyOptions) -> list[str]:
    given = {name.replace("_", "-"): value for name, value in asdict(options).items() if value is not None}
    return [part for name, value in given.items() for part in (f"--{name}", str(value))]


def _versions() -> dict[str, str]:
    found = {}
    for name in ("numpy", "pandas", "duckdb", "pyarrow", "matplotlib", "jinja2", "highspy", "python-flint"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _fingerprint(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        what = "give a unit file (csv, gz or zip) or an ingested .parquet"
        raise InputError(f"{path}: cannot be read ({error.strerror}); {what}") from None


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    begin = perf_counter()
    yield
    seconds[name] = seconds.get(name, 0.0) + perf_counter() - begin
