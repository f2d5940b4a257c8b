"""What all blocks of a tract together give away: the results of a run over tracts as tables, and in a few lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.batch.store import Store
from foregone.census.records import RecordKind
from foregone.formats.outputs import drafted
from foregone.formats.text import csv_text
from foregone.model.sentences import folded, plural

HOW = ("alone", "bounded", "joint", "open", "undecided")


@dataclass(frozen=True, slots=True)
class TractTotals:
    """Over all tracts: blocks by how they were settled, and records that are certain."""

    tracts: int
    blocks: dict[str, int]
    records: int
    alone: int
    certain: int


def write_tracts(kind: RecordKind, store: Store, out: Path) -> TractTotals:
    """Write blocks.csv, settled.csv and tracts.csv from the parts of a finished run.

    What a proof about a tract can show of a block is in blocks.csv, and nothing else; how it was found is in settled.csv.
    """
    rows: list[list[object]] = []
    how: list[list[object]] = []
    tracts: list[list[object]] = []
    total: Counter[str] = Counter()
    for tract, found in _found(store):
        listed = list(zip(*(found[name] for name in ("blocks", "records", "settled", "alone", "certain")), strict=True))
        rows += [[block, records, _answer(settled), certain] for block, records, settled, _, certain in listed]
        how += [[block, settled, alone] for block, _, settled, alone, _ in listed]
        counts = Counter(found["settled"])
        sums = [sum(found[name]) for name in ("records", "alone", "certain")]
        tracts.append([tract, len(listed), *(counts[way] for way in HOW), *sums, *found["joint"]])
        total.update(counts)
        total.update(dict(zip(("#records", "#alone", "#certain"), sums, strict=True)))
    several = kind.counted
    headers = {
        "blocks": ["block", several, "unique", "certain"],
        "settled": ["block", "settled", "certain_alone"],
        "tracts": ["tract", "blocks", *HOW, several, "certain_alone", "certain", "joint_blocks", "joint_kinds", "joint_numbers"],
    }
    for name, content in (("blocks", rows), ("settled", how), ("tracts", tracts)):
        with drafted(out / f"{name}.csv", silent=True) as draft:
            draft.write_text(csv_text(headers[name], content), "utf-8")
    by = {way: total[way] for way in HOW}
    return TractTotals(len(tracts), by, total["#records"], total["#alone"], total["#certain"])


def _found(store: Store) -> Iterator[tuple[str, dict[str, Any]]]:
    import pyarrow.parquet as parquet

    for part in sorted(store.finished()):
        for row in parquet.read_table(store.file("summary", part), columns=["release", "detail"]).to_pylist():
            if row["detail"]:
                yield row["release"], json.loads(row["detail"])


def _answer(settled: str) -> str:
    return {"open": "false", "undecided": "undecided"}.get(settled, "true")


def tracts_text(kind: RecordKind, found: TractTotals, out: Path, synthetic: bool) -> str:
    blocks, by = sum(found.blocks.values()), found.blocks
    tracts = f"{found.tracts:,} {plural('tract', found.tracts)}"
    lines = ["The file is synthetic: nobody in it is real."] if synthetic else []

    def share(part: int) -> str:
        return f"{part:,} ({100 * part / max(1, found.records):.1f} %)"

    lines += [
        f"{tracts} with {blocks:,} blocks and {found.records:,} {kind.counted}, each as a whole:",
        f"Blocks determined by their own tables: {by['alone']:,}; by what the tract leaves once these are subtracted:"
        f" {by['bounded']:,} more; by all the others at once: {by['joint']:,} more. Not determined: {by['open']:,}."
        f" Undecided: {by['undecided']:,}.",
        f"Certain from block tables alone: {share(found.alone)} {kind.counted}; with the whole tract: {share(found.certain)}.",
        f"Written to {out}: blocks.csv, settled.csv (how each block was settled) and tracts.csv.",
    ]
    return "\n".join(folded(line) for line in lines)
