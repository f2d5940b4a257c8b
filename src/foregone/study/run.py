"""The study from a file of records to its page: choose blocks, measure each, compare with priors, write everything.

The same study always writes the same bytes, but for the times in study.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Ints
from foregone.batch.source import fingerprint
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import guessed_claims
from foregone.census.unit_files.units import open_units
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, new_folder
from foregone.formats.text import csv_text, regular_file
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.progress import Progress
from foregone.protection.many import protect_many
from foregone.study import ABOUT, STUDY_PAGE, tables
from foregone.study.beyond import BeyondTask, beyond, beyond_tasks
from foregone.study.findings import Findings, Protected, all_claims
from foregone.study.measure import GROUNDS, BlockTask, measure
from foregone.study.sample import NATION, SETS, StudyOptions, choose_blocks
from foregone.version import versions
from foregone.workers.pool import map_in_order

PACKAGES = ("numpy", "pandas", "duckdb", "pyarrow", "matplotlib", "jinja2", "highspy", "python-flint")
Task = TypeVar("Task", BlockTask, BeyondTask)
Result = TypeVar("Result")
COUNTS = ("H1", "H3")  # tables of how many units there are and whether people live in them: no household is described by these


def study(path: Path, out: Path, options: StudyOptions, progress: Progress | None = None) -> Findings:
    """Write all files of the study into the new folder `out`."""
    need("duckdb", "pyarrow", "matplotlib", "jinja2")
    kind = KINDS[options.subject]
    domain = kind.domain(options.variant, options.units)
    if not 1 <= options.min_columns <= (most := len(domain.columns)):
        raise InputError(f"--min-columns {options.min_columns}: a record has {most} columns; use 1 to {most}")
    check_outputs([path], folders={"--out": out})
    seconds: dict[str, float] = {}
    tell: Progress = progress or (lambda *_: None)
    with new_folder(out) as folder:
        with _timed(seconds, "read"):
            tell("reading the file", 0, 0)
            regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
            input_ = fingerprint(path)
        with open_units(path, options.variant, options.units, kind) as units:
            with _timed(seconds, "choose"):
                blocks, sizes = units.sizes()
                chosen = choose_blocks(blocks, sizes, options.per_state, options.seed)
                records = units.records(block for _, block, _ in chosen.blocks)
            ablated = set(chosen.of(NATION))
            with _timed(seconds, "measure"):
                tasks = [BlockTask(block, codes, options, block in ablated) for block, codes in records.items()]
                measured = {m.block: m for m in _in_order(measure, tasks, options.workers, tell)}
            claims = all_claims(chosen, measured)
            with _timed(seconds, "priors"):
                tell("how likely the claims were", 0, 0)
                guessed = guessed_claims(units, claims)
            protected = None
            if options.protect:
                with _timed(seconds, "protect"):
                    tell("what could still be published", 0, 0)
                    protected = _protected({block: codes for block, codes in records.items() if block in ablated}, options)
            looked = None
            if options.likely:
                with _timed(seconds, "likely"):
                    tell("beyond what is certain", 0, 0)
                    looked = _in_order(beyond, list(beyond_tasks(units, records, options)), options.workers, tell)
            found = Findings(options, kind, domain, chosen, measured, claims, guessed, units.synthetic, protected, seconds, looked)
            with _timed(seconds, "write"):
                tell("writing tables, figures and the page", 0, 0)
                _write_tables(folder, found)
        seconds["total"] = sum(seconds.values())
        _write_json(folder, path, input_["sha256"], found)
    return found


def _in_order(work: Callable[[Task], Result], tasks: list[Task], workers: int, tell: Progress) -> list[Result]:
    """Do the same with every block, in the order of the tasks whoever does the work."""
    found: list[Result] = []
    alone = workers <= 1 or len(tasks) < 2
    costs = [task.cost for task in tasks]
    done, whole = 0.0, sum(costs)
    tell("blocks", 0, len(tasks), 0.0)
    for result in map(work, tasks) if alone else map_in_order(work, tasks, min(workers, len(tasks))):
        done += costs[len(found)]
        found.append(result)
        tell("blocks", len(found), len(tasks), done / whole)
    return found


def _protected(records: dict[str, Ints], options: StudyOptions) -> list[Protected]:
    """The fewest numbers to withhold, as whole tables, so that nobody is singled out by many attributes; then with COUNTS kept."""
    tables = publisher(options.subject, options.variant, options.units, False)
    sample = [(block, tables.release(codes)) for block, codes in records.items()]
    names = {query.table for query in tables.queries}
    kept = tuple(name for name in COUNTS if name in names)
    policy = Policy(options.min_columns)
    cases: list[tuple[str, ...]] = [(), *([kept] if kept else [])]
    return [(keep, protect_many(sample, policy, keep, groups=Groups.NONE, workers=options.workers)) for keep in cases]


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    begin = perf_counter()
    yield
    seconds[name] = seconds.get(name, 0.0) + perf_counter() - begin


def _write_tables(folder: Path, found: Findings) -> None:
    from foregone.study.figures import draw_figures
    from foregone.study.page import page
    from foregone.study.panels import panels

    several = found.kind.counted
    made: dict[str, tables.CsvTable] = {
        "blocks": tables.blocks(found),
        "block_sizes": tables.block_sizes(found),
        several: tables.households(found),
        "blocks_with_claims": tables.blocks_with_claims(found),
        "baseline_summary": tables.baseline_summary(found),
        "guessers": tables.guessers(found),
        "ablation": tables.ablation(found),
        "columns": tables.columns(found),
        "combinations": tables.combinations(found),
        "statistics_values": tables.statistics_values(found),
        "reconstruction": tables.reconstruction(found),
    }
    if found.options.rules == "edit":
        made[f"{several}_edit"] = tables.households(found, edit=True)
    made |= {} if found.protected is None else tables.protection_tables(found.protected)
    made |= {} if found.beyond is None else tables.beyond_tables(found.beyond)
    for name, (header, rows) in made.items():
        (folder / f"{name}.csv").write_text(csv_text(header, rows), "utf-8")
    _write_parquet(folder, found)
    (folder / "examples.md").write_text(tables.examples_text(found), "utf-8")
    shown = panels(found)
    every = [panel for some in shown.values() for panel in some]
    drawn = draw_figures(every, folder / "figures", "synthetic data" if found.synthetic else "")
    (folder / STUDY_PAGE).write_text(page(found, shown, drawn), "utf-8")


def _write_parquet(folder: Path, found: Findings) -> None:
    """All claims, and how likely each was."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    marked = {"synthetic": "yes" if found.synthetic else "no"}
    kind, claims, names = found.kind, found.claims, found.names
    values, masks = (kind.packing.unpack(packed, len(names)) for packed in (claims.value, claims.mask))
    texts = [np.array(column, dtype=object) for column in kind.texts(found.domain)]
    nothing = np.full(len(claims.mask), None, dtype=object)
    table: dict[str, NDArray[Any]] = {"set": claims.set, "block": claims.block}
    table |= {name: np.where(masks[:, i] > 0, texts[i][values[:, i]], nothing) for i, name in enumerate(names)}
    table |= {"count": claims.count, "columns": claims.columns, "ground": np.array(GROUNDS, dtype=object)[claims.ground]}
    kinds = {name: pa.int64() if name in ("count", "columns") else pa.string() for name in table}
    arrow = pa.table({name: pa.array(column.tolist(), kinds[name]) for name, column in table.items()}, metadata=marked)
    parquet.write_table(arrow, folder / "claims.parquet")
    shared = arrow.select(["set", "block", "columns", "count"])
    parts = [
        shared.append_column("prior", pa.array([prior] * len(shared), pa.string()))
        .append_column("probability", pa.array(guessed.chance))
        .append_column("guess", pa.array(guessed.guess))
        .append_column("modal", pa.array(guessed.modal))
        for prior, guessed in found.guessed.items()
    ]
    whole = pa.concat_tables(parts)
    parquet.write_table(whole.drop_columns(["guess", "modal"]), folder / "baseline.parquet")
    parquet.write_table(whole.rename_columns([*whole.column_names[:5], "chance", "guess", "modal"]), folder / "guesses.parquet")


def _write_json(folder: Path, path: Path, sha256: str, found: Findings) -> None:
    """The only file that is not the same on every run: it holds the times."""
    options = found.options
    given = {name.replace("_", "-"): value for name, value in asdict(options).items() if value is not None}
    switches = [f"--{name}" for name in ("protect", "likely") if given.pop(name)]
    flags = [*(part for name, value in given.items() for part in (f"--{name}", str(value))), *switches]
    content: dict[str, Any] = {
        "command": ["foregone", "census", "study", str(path), *flags],
        "seed": options.seed,
        "options": asdict(options),
        "versions": versions(*PACKAGES),
        "input": {"name": path.name, "sha256": sha256, "synthetic": found.synthetic},
        "blocks": {which: len(found.of(which)) for which in SETS},
        "undecided": found.undecided,
        "timings": {name: round(value, 3) for name, value in found.seconds.items()},
    }
    (folder / ABOUT).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
