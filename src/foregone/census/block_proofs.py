"""For every block what `foregone check` needs: its tables, and a proof that they leave one dataset, or how far apart two can be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from foregone.batch.determined import FARTHEST, read_pair
from foregone.batch.ordered_map import map_in_order
from foregone.batch.source import RunSource
from foregone.batch.store import Store
from foregone.census.block_source import BlockRecords
from foregone.census.variability import UNDECIDED, UNIQUE
from foregone.engine import distance_proof
from foregone.formats.outputs import write_text
from foregone.formats.single import release_json
from foregone.model.claim import Verdict
from foregone.model.errors import UndecidedError
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.questions.ask import uniqueness_proof
from foregone.questions.check import plain

RELEASES, PROOFS = "releases", "proofs"

Texts = tuple[str, str]
"""A release and a proof, as files hold them."""


@dataclass(frozen=True, slots=True)
class BlockJob:
    """A block and what the run found: true, or false with a pair and the share of its records that no two differ in more than."""

    content: BlockRecords
    unique: str
    pair: str
    high: float | None
    time_limit: float | None


@dataclass(frozen=True, slots=True)
class ProofsWritten:
    """How many blocks or tracts have a proof now, how many have none, and the bytes that were added."""

    noun: str
    files: int
    without: int
    size: int
    column: str = ""  # whose values, such as blocks, a proof tells apart

    def text(self, out: Path) -> str:
        added = f", {self.size / 1e6:,.1f} MB" if self.size else ""
        by = f" --by {self.column}" if self.column else ""
        table = out / ("blocks.csv" if self.column else "variability.csv")
        lines = [
            f"Proofs of {self.files:,} {plural(self.noun, self.files)} written{added}. Confirm all of them, without any solver:",
            f"  foregone check {out / RELEASES} {out / PROOFS}{by} --table {table}",
        ]
        why = "too large, or time ran out" if self.column else "undecided, or time ran out"
        lines += [f"{self.without:,} {plural(self.noun, self.without)} without a proof: {why}."] if self.without else []
        return "\n".join(lines)


def write_block_proofs(source: RunSource, store: Store, out: Path, time_limit: float | None, workers: int) -> ProofsWritten:
    """Two files of the same name for each block, in two folders; what is there already, by the same run, is kept."""
    size = keep_texts(map_in_order(block_proof, _jobs(source, store, out / PROOFS, time_limit), workers), out)
    there = sum(1 for _ in (out / PROOFS).glob("*.json"))
    return ProofsWritten("block", there, source.releases - there, size)


def keep_texts(made: Iterable[tuple[str, Texts | None]], out: Path) -> int:
    """Write each release and its proof to their folders; returns the bytes."""
    for folder in (RELEASES, PROOFS):
        (out / folder).mkdir(exist_ok=True)
    size = 0
    for name, texts in made:
        if texts is not None:
            for folder, text in zip((RELEASES, PROOFS), texts, strict=True):  # the proof last: it tells that both are there
                write_text(out / folder / f"{name}.json", text)
                size += len(text.encode())
    return size


def _jobs(source: RunSource, store: Store, there: Path, time_limit: float | None) -> Iterator[BlockJob]:
    import pyarrow.parquet as parquet

    for part in source.parts:
        rows = parquet.read_table(store.file("summary", part.name), columns=["release", "unique", "detail", "high"]).to_pylist()
        wanted = {
            row["release"]: row for row in rows if row["unique"] != UNDECIDED and not (there / f"{row['release']}.json").exists()
        }
        content = source.read(part) if wanted else None
        for i, block in enumerate(content.ids if content is not None else ()):
            if block in wanted:
                assert isinstance(content, BlockRecords)
                row = wanted[block]
                yield BlockJob(content.single(i), row["unique"], row["detail"] or "", row["high"], time_limit)


def block_proof(job: BlockJob) -> tuple[str, Texts | None]:
    """The block, and its release and its proof as the texts of two files; None where no proof was found in time."""
    ((block, published, _),) = job.content.releases()
    assert isinstance(published, Release)
    known, proof = published, None
    try:
        if job.unique == UNIQUE:
            found, known = job.content.answer(block, published, job.time_limit)
            proof = uniqueness_proof(known, job.time_limit) if found.verdict is Verdict.VERIFIED else None
        else:
            first, second = read_pair(job.pair, published.domain)
            if job.content.tracts:  # which of the tract's limits matter was found on the way to the answer
                _, known = job.content.answer(block, published, job.time_limit)
            limit = inf if job.high is None else round(2 * job.high * first.size) / 2
            proof = distance_proof(known, first, second, limit, FARTHEST if job.time_limit is None else job.time_limit)
    except UndecidedError:
        proof = None
    return block, None if proof is None else (as_text(release_for_check(known)), as_text(proof))


def release_for_check(release: Release) -> dict[str, Any]:
    """Limits on sums of several predicates, which the tract may set, are for the checker: a release as it is published has none."""
    return plain(release) if release.own else release_json(release)


def as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n"
