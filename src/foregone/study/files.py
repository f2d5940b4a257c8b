"""What a study writes into its folder; the same study always writes the same bytes, but for the times in study.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.formats.text import csv_text
from foregone.study import tables
from foregone.study.baseline import PRIORS, Floats
from foregone.study.examples import examples, markdown
from foregone.study.findings import Findings
from foregone.study.folder import ABOUT, STUDY_PAGE
from foregone.study.measure import GROUNDS
from foregone.study.options import StudyOptions
from foregone.study.protection import Protected, protection_tables
from foregone.study.published import published
from foregone.study.sample import SETS
from foregone.study.tables import AllClaims, CsvTable, StudyResults
from foregone.version import versions

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
