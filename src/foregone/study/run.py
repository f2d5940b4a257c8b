"""What a study writes into its folder; the same study always writes the same bytes, but for the times in study.json.

The study from file of records to page: choose blocks, measure each, compare with priors, write everything.

A finished study in a few lines for the terminal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.census.kinds import kind_of, publisher
from foregone.census.priors import PRIORS, Floats, probabilities
from foregone.census.unit_files.units import open_units
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, new_folder
from foregone.formats.text import csv_text, regular_file
from foregone.model.errors import InputError
from foregone.model.progress import Progress
from foregone.study import ABOUT, STUDY_PAGE, tables
from foregone.study.findings import Findings, examples, markdown, published
from foregone.study.measure import GROUNDS, BlockResult, BlockTask, measure
from foregone.study.sample import NATION, SETS, StudyOptions, choose_blocks
from foregone.study.tables import AllClaims, CsvTable, Protected, StudyResults, protect_sample, protection_tables
from foregone.version import versions
from foregone.workers.pool import map_in_order

PACKAGES = ("numpy", "pandas", "duckdb", "pyarrow", "matplotlib", "jinja2", "highspy", "python-flint")


def write_tables(
    folder: Path,
    results: StudyResults,
    claims: AllClaims,
    chances: dict[str, Floats],
    synthetic: bool,
    options: StudyOptions,
    undecided: int,
    protected: Sequence[Protected] | None = None,
) -> None:
    from foregone.study.figures import draw_figures
    from foregone.study.page import page
    from foregone.study.panels import panels

    made: dict[str, CsvTable] = {
        "blocks": tables.blocks(results),
        "block_sizes": tables.block_sizes(results),
        results.kind.counted: tables.households(results),
        "blocks_with_claims": tables.blocks_with_claims(results),
        "baseline_summary": tables.baseline_summary(results, claims, chances),
        "ablation": tables.ablation(results),
        "columns": tables.columns(results, claims),
        "combinations": tables.combinations(results, claims),
        "statistics_values": tables.statistics_values(results),
        "reconstruction": tables.reconstruction(results),
    }
    if options.rules == "edit":
        made[f"{results.kind.counted}_edit"] = tables.households(results, edit=True)
    made |= {} if protected is None else protection_tables(protected)
    for name, (header, rows) in made.items():
        (folder / f"{name}.csv").write_text(csv_text(header, rows), "utf-8")
    _write_parquet(folder, results, claims, chances, synthetic)
    told = examples(claims, chances["tract"], results.kind, results.domain)
    (folder / "examples.md").write_text(markdown(told, results.kind, synthetic), "utf-8")
    found = Findings(results, claims, chances, told, published(results.kind), options, synthetic, undecided, protected)
    shown = panels(found)
    every = [panel for some in shown.values() for panel in some]
    drawn = draw_figures(every, folder / "figures", "synthetic data" if synthetic else "")
    (folder / STUDY_PAGE).write_text(page(found, shown, drawn), "utf-8")


def _write_parquet(folder: Path, results: StudyResults, claims: AllClaims, chances: dict[str, Floats], synthetic: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    marked = {"synthetic": "yes" if synthetic else "no"}
    kind, names = results.kind, results.names
    values, masks = (kind.packing.unpack(packed, len(names)) for packed in (claims.value, claims.mask))
    texts = [np.array(column, dtype=object) for column in kind.texts(results.domain)]
    nothing = np.full(len(claims.mask), None, dtype=object)
    table: dict[str, NDArray[Any]] = {"set": claims.set, "block": claims.block}
    table |= {name: np.where(masks[:, i] > 0, texts[i][values[:, i]], nothing) for i, name in enumerate(names)}
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


def write_json(
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
        "versions": versions(*PACKAGES),
        "input": {"name": path.name, "sha256": fingerprint, "synthetic": synthetic},
        "blocks": {which: len(results.of(which)) for which in SETS},
        "undecided": undecided,
        "timings": {name: round(value, 3) for name, value in seconds.items()},
    }
    (folder / ABOUT).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _flags(options: StudyOptions) -> list[str]:
    given = {name.replace("_", "-"): value for name, value in asdict(options).items() if value is not None}
    switches = ["--protect"] if given.pop("protect") else []
    return [*(part for name, value in given.items() for part in (f"--{name}", str(value))), *switches]


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


def study_summary(done: FinishedStudy, out: Path) -> str:
    results = done.results
    lines = ["The file is synthetic: nobody in it is real."] if done.synthetic else []
    width = 37
    title = f"{results.kind.counted.capitalize()}, by claims with k columns"
    lines.append(f"{title:<{width}} {'blocks':>6}" + "".join(f"{f'k={k}':>7}" for k in results.widths))
    _, rows = tables.households(results)
    for which in SETS:
        for kind in tables.CLAIM_KINDS:
            totals = [row[3] for row in rows if row[:2] == [which, kind]]
            label = f"{which}, {'singled out' if kind == 'singleton' else 'all claims'}"
            lines.append(f"{label:<{width}} {len(results.of(which)):>6}" + "".join(f"{total:>7,}" for total in totals))
    _, rows = tables.ablation(results)
    for name in dict.fromkeys(str(row[0]) for row in rows):
        here = [row for row in rows if row[0] == name]
        label = {"none": "", tables.EDIT: "  singled out, edit rules known"}.get(name, f"  singled out, counts of {name} withheld")
        if label:
            lines.append(f"{label:<{width}} {'':>6}" + "".join(f"{row[3]:>7,}" for row in here))
    whole = sum(results.measured[block].unique == "true" for _, block, _ in results.chosen.blocks)
    lines.append(f"Whole blocks determined: {whole} of {len(results.chosen.blocks)}. Undecided: {done.undecided}.")
    lines.append("Every verified claim was compared with the file: all are right.")
    lines.append(f"Written to {out} in {done.seconds['total']:.0f} seconds; open {out / 'index.html'}.")
    return "\n".join(lines)
