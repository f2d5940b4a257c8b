"""The study from a file of records to its page: choose blocks, measure each, compare with priors, write everything.

The same study always writes the same bytes, but for the times in study.json.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Ints
from foregone.batch.source import fingerprint
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import guessed_claims
from foregone.census.unit_files.units import open_units
from foregone.evaluation import ABOUT, STUDY_PAGE, beside, tables
from foregone.evaluation.beyond import BeyondResult, BeyondTask, beyond, beyond_tasks
from foregone.evaluation.deviations import experiment_table
from foregone.evaluation.experiments import experiments
from foregone.evaluation.findings import Findings, Protected, all_claims
from foregone.evaluation.measure import GROUNDS, BlockResult, BlockTask, measure
from foregone.evaluation.sample import NATION, SETS, StudyOptions, choose_blocks
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, new_folder
from foregone.formats.text import csv_text, regular_file
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.progress import Progress
from foregone.protection.many import protect_many
from foregone.version import versions
from foregone.workers.pool import map_in_order

PACKAGES = ("numpy", "pandas", "duckdb", "pyarrow", "matplotlib", "jinja2", "highspy", "python-flint")
COUNTS = ("H1", "H3")  # tables of how many units there are and whether people live in them: no household is described by these


def study_options(
    subject: str = "household",
    variant: str | None = None,
    tables_of: Iterable[str] = (),
    *,
    min_columns: int | None = None,
    units: str | None = None,
    workers: int | None = None,
    **others: Any,
) -> StudyOptions:
    """What a study is asked for. Where no variant is named, the tables are read in every way that could be the paper's."""
    kind = KINDS[subject]
    wanted = list(tables_of)
    first, *more = [variant] if variant else kind.paper_readings or [kind.paper_variant]
    return StudyOptions(
        min_columns=min_columns or kind.paper_columns,
        variant=kind.book.choose(first, wanted),
        also=tuple(kind.book.choose(reading, wanted) for reading in more),
        units=units or kind.units,
        workers=workers or os.cpu_count() or 1,
        subject=kind.name,
        **others,
    )


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
    for reading in options.also:
        if kind.domain(reading, options.units).names != domain.names:
            raise InputError(f"the variants {options.variant} and {reading} have other columns; study one at a time")
    with new_folder(out) as folder:
        with _timed(seconds, "read"):
            tell("reading the file", 0, 0)
            regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
            input_ = fingerprint(path)
        with open_units(path, options.variant, options.units, kind) as units:
            with _timed(seconds, "choose"):
                blocks, sizes = units.sizes()
                chosen = choose_blocks(blocks, sizes, options.per_state, options.seed, options.territories)
                records = units.records(block for _, block, _ in chosen.blocks)
            ablated = set(chosen.of(NATION))

            def read_as(reading: str, first: bool) -> Findings:
                """What is found with one reading of the tables. The farthest pair of datasets is looked for in the first only."""
                own = replace(options, variant=reading, also=(), farthest=options.farthest and first)
                with _timed(seconds, "measure"):
                    tasks = [BlockTask(block, codes, own, block in ablated) for block, codes in records.items()]
                    stage = "blocks" if first else f"blocks, tables read as {reading}"
                    measured = {m.block: m for m in _measured(tasks, own.workers, stage, tell)}
                claims = all_claims(chosen, measured)
                with _timed(seconds, "priors"):
                    tell("how likely the claims were", 0, 0)
                    guessed = guessed_claims(units, claims)
                return Findings(own, kind, domain, chosen, measured, claims, guessed, units.synthetic, seconds)

            found = replace(read_as(options.variant, True), options=options)
            found = replace(found, others=tuple(read_as(reading, False) for reading in options.also))
            if options.protect:
                with _timed(seconds, "protect"):
                    tell("what could still be published", 0, 0)
                    some = {block: codes for block, codes in records.items() if block in ablated}
                    found = replace(found, protected=_protected(some, options))
            if options.likely:
                with _timed(seconds, "likely"):
                    looked = _looked(list(beyond_tasks(units, records, options)), options.workers, tell)
                    found = replace(found, beyond=looked)
            if options.experiments and found.paper and options.units == kind.units:
                with _timed(seconds, "experiments"), open_units(path, options.variant, "all", kind) as whole:
                    tell("experiments on what differs from the paper", 0, 0)
                    tried = experiments(units, whole, options, chosen.median, found.readings, tell)
                    found = replace(found, experiments=tuple(tried))
            with _timed(seconds, "write"):
                tell("writing tables, figures and the page", 0, 0)
                _write_tables(folder, found)
        seconds["total"] = sum(seconds.values())
        _write_json(folder, path, input_["sha256"], found)
    return found


def _looked(tasks: list[BeyondTask], workers: int, tell: Progress) -> list[BeyondResult]:
    """Look beyond what is certain in every block, in the order of the tasks whoever does the work."""
    found: list[BeyondResult] = []
    tell("beyond what is certain", 0, len(tasks))
    for result in map(beyond, tasks) if workers <= 1 else map_in_order(beyond, tasks, min(workers, len(tasks))):
        found.append(result)
        tell("beyond what is certain", len(found), len(tasks))
    return found


def _measured(tasks: list[BlockTask], workers: int, stage: str, tell: Progress) -> list[BlockResult]:
    """Measure every block, in the order of the tasks whoever does the work."""
    found: list[BlockResult] = []
    alone = workers <= 1 or len(tasks) < 2
    costs = [task.cost for task in tasks]
    done, whole = 0.0, sum(costs)

    def heard(inside: dict[int, float]) -> None:
        """Blocks that others are at count as far as they are done."""
        begun = sum(costs[number] * share for number, share in inside.items() if number >= len(found))
        tell(stage, len(found), len(tasks), min(1.0, (done + begun) / whole))

    heard({})
    for result in _one_by_one(tasks, heard) if alone else map_in_order(measure, tasks, min(workers, len(tasks)), heard):
        done += costs[len(found)]
        found.append(result)
        heard({})
    return found


def _one_by_one(tasks: list[BlockTask], heard: Callable[[dict[int, float]], None]) -> Iterator[BlockResult]:
    def told(number: int) -> Callable[[float], None]:
        return lambda share: heard({number: share})

    for number, task in enumerate(tasks):
        yield measure(task, told(number))


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
    from foregone.evaluation.figures import draw_figures
    from foregone.evaluation.page import page
    from foregone.evaluation.panels import panels

    shown = panels(found)
    every = [panel for some in shown.values() for panel in some]
    made = {"blocks": tables.blocks(found), "block_sizes": tables.block_sizes(found), **_own_tables(found)}
    made["marginal_sets"] = beside.marginal_sets(found)
    made["figures"] = beside.figure_numbers(found, every)
    if found.paper:
        made["side_by_side"] = beside.side_by_side(found)
    if found.experiments:
        made["experiments"] = experiment_table(found)
    made |= {} if found.protected is None else tables.protection_tables(found.protected)
    made |= {} if found.beyond is None else tables.beyond_tables(found.beyond)
    _write_some(folder, made)
    _write_parquet(folder, found)
    (folder / "examples.md").write_text(tables.examples_text(found), "utf-8")
    for other in found.others:
        own = folder / other.options.variant
        own.mkdir()
        _write_some(own, _own_tables(other))
        _write_parquet(own, other)
        (own / "examples.md").write_text(tables.examples_text(other), "utf-8")
    drawn = draw_figures(every, folder / "figures", "synthetic data" if found.synthetic else "")
    (folder / STUDY_PAGE).write_text(page(found, shown, drawn), "utf-8")


def _own_tables(found: Findings) -> dict[str, tables.CsvTable]:
    """The tables that are made for each reading."""
    several = found.kind.counted
    made = {
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
    return made | ({f"{several}_edit": tables.households(found, edit=True)} if found.options.rules == "edit" else {})


def _write_some(folder: Path, made: Mapping[str, tables.CsvTable]) -> None:
    for name, (header, rows) in made.items():
        (folder / f"{name}.csv").write_text(csv_text(header, rows), "utf-8")


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
    shared, key = arrow.select(["set", "block", "columns", "count"]), pa.array(range(len(arrow)), pa.int64())
    parts = [
        shared.append_column("prior", pa.array([prior] * len(shared), pa.string()))
        .append_column("probability", pa.array(guessed.chance))
        .append_column("guess", pa.array(guessed.guess))
        .append_column("modal", pa.array(guessed.modal))
        .append_column("claim", key)  # the row of claims.parquet, from 0
        for prior, guessed in found.guessed.items()
    ]
    whole = pa.concat_tables(parts)
    parquet.write_table(whole.drop_columns(["guess", "modal"]), folder / "baseline.parquet")
    titles = [*whole.column_names[:5], "chance", "guess", "modal", "claim"]
    parquet.write_table(whole.rename_columns(titles), folder / "guesses.parquet")


def _write_json(folder: Path, path: Path, sha256: str, found: Findings) -> None:
    """The only file that is not the same on every run: it holds the times."""
    options = found.options
    given = {name.replace("_", "-"): value for name, value in asdict(options).items() if value is not None}
    if given.pop("also"):  # both readings are what is done when no variant is named
        given.pop("variant")
    given.pop("farthest")
    switches = [f"--{name}" for name in ("protect", "territories", "big-m", "likely") if given.pop(name)]
    flags = [*(part for name, value in given.items() for part in (f"--{name}", str(value))), *switches]
    content: dict[str, Any] = {
        "command": ["foregone", "census", "study", str(path), *flags],
        "seed": options.seed,
        "options": asdict(options),
        "versions": versions(*PACKAGES),
        "input": {"name": path.name, "sha256": sha256, "synthetic": found.synthetic},
        "blocks": {which: len(found.of(which)) for which in SETS},
        "undecided": sum(one.undecided for one in (found, *found.others)),
        "timings": {name: round(value, 3) for name, value in found.seconds.items()},
    }
    (folder / ABOUT).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
