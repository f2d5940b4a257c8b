"""The study from file of records to page: choose blocks, measure each, compare with priors, write everything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from foregone.batch.ordered_map import map_in_order
from foregone.census.kinds import kind_of
from foregone.census.publish import publisher
from foregone.census.unit_files.units import open_units
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, new_folder
from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.model.progress import Progress
from foregone.study.baseline import probabilities
from foregone.study.files import write_json, write_tables
from foregone.study.measure import BlockResult, BlockTask, measure
from foregone.study.options import StudyOptions
from foregone.study.protection import protect_sample
from foregone.study.sample import NATION, choose_blocks
from foregone.study.tables import StudyResults


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
    kind = kind_of(options.subject)
    domain = kind.domain(options.variant, options.units)
    if not 1 <= options.min_columns <= (most := len(domain.columns)):
        raise InputError(f"--min-columns {options.min_columns}: a record has {most} columns; use 1 to {most}")
    check_outputs([path], folders={"--out": out})
    seconds: dict[str, float] = {}
    tell: Progress = progress or (lambda *_: None)
    with new_folder(out) as folder:
        with _timed(seconds, "read"):
            tell("reading the file", 0, 0)
            fingerprint = _fingerprint(path)
        with open_units(path, options.variant, options.units, kind) as units:
            with _timed(seconds, "choose"):
                blocks, sizes = units.sizes()
                chosen = choose_blocks(blocks, sizes, options.per_state, options.seed)
                records = units.records(block for _, block, _ in chosen.blocks)
            with _timed(seconds, "measure"):
                ablated = set(chosen.of(NATION))
                edit = options.rules == "edit"
                setting = (options.variant, options.units, options.min_columns)
                engine = (options.engine, options.solver, options.subject)
                tasks = [
                    BlockTask(block, codes, *setting, block in ablated, edit, options.time_limit, *engine)
                    for block, codes in records.items()
                ]
                measured = {m.block: m for m in _measured(tasks, options.workers, tell)}
            results = StudyResults(chosen, measured, domain, options.min_columns, kind)
            claims = results.claims()
            with _timed(seconds, "priors"):
                tell("how likely the claims were", 0, 0)
                chances = probabilities(units, claims.asked())
            undecided = sum(m.undecided for m in measured.values())
            protected = None
            if options.protect:
                with _timed(seconds, "protect"):
                    tell("what could still be published", 0, 0)
                    tables = publisher(options.subject, options.variant, options.units, False)
                    releases = ((block, tables.release(codes)) for block, codes in records.items() if block in ablated)
                    protected = protect_sample(releases, options.min_columns, options.workers)
            with _timed(seconds, "write"):
                tell("writing tables, figures and the page", 0, 0)
                write_tables(folder, results, claims, chances, units.synthetic, options, undecided, protected)
        seconds["total"] = sum(seconds.values())
        write_json(folder, path, fingerprint, options, results, units.synthetic, undecided, seconds)
    return FinishedStudy(results, units.synthetic, undecided, seconds)


def _measured(tasks: list[BlockTask], workers: int, tell: Progress) -> list[BlockResult]:
    """Measure every block, in the order of the tasks whoever does the work."""
    found: list[BlockResult] = []
    alone = workers <= 1 or len(tasks) < 2
    costs = [task.cost for task in tasks]
    done, whole = 0.0, sum(costs)
    tell("blocks", 0, len(tasks), 0.0)
    for result in map(measure, tasks) if alone else map_in_order(measure, tasks, min(workers, len(tasks))):
        done += costs[len(found)]
        found.append(result)
        tell("blocks", len(found), len(tasks), done / whole)
    return found


def _fingerprint(path: Path) -> str:
    regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
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
