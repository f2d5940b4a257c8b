"""For every block or tract what `foregone check` needs: its tables as a release, and a proof of what they leave certain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from foregone.batch.source import FARTHEST, RunSource, read_pair
from foregone.batch.store import Store
from foregone.census.geography import code_of
from foregone.census.kinds import KINDS, publisher
from foregone.census.records import RecordKind
from foregone.census.release import BLOCK, by_block
from foregone.census.sources import BlockRecords, TractRecords
from foregone.census.variability import UNDECIDED, UNIQUE
from foregone.checker.read.files import LARGEST_FILE
from foregone.engine import distance_proof
from foregone.formats.outputs import write_text
from foregone.formats.single import release_json
from foregone.model.claim import Verdict
from foregone.model.errors import UndecidedError
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.questions.ask import proof_of_kinds, uniqueness_proof
from foregone.questions.check import plain
from foregone.workers.pool import map_in_order

RELEASES, PROOFS = "releases", "proofs"

Texts = tuple[str, str]
"""A release and a proof, as files hold them."""

Job = TypeVar("Job")


@dataclass(frozen=True, slots=True)
class FoundBlock:
    """A block and what the run found: true, or false with a pair and the share of its records that no two differ in more than."""

    content: BlockRecords
    unique: str
    pair: str
    high: float | None


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
    return _written(source, partial(block_proof, time_limit=time_limit), _blocks(source, store, out / PROOFS), out, workers)


def write_tract_proofs(source: RunSource, kind: RecordKind, out: Path, time_limit: float | None, workers: int) -> ProofsWritten:
    """Two files of the same name for each tract, in two folders; what is there already, by the same run, is kept."""
    tracts = _tracts(source, most_blocks(kind), out / PROOFS)
    return _written(source, partial(tract_proof, time_limit=time_limit), tracts, out, workers, BLOCK)


def _written(
    source: RunSource,
    prove: Callable[[Job], tuple[str, Texts | None]],
    jobs: Iterator[Job],
    out: Path,
    workers: int,
    column: str = "",
) -> ProofsWritten:
    for folder in (RELEASES, PROOFS):
        (out / folder).mkdir(exist_ok=True)
    size = 0
    for name, texts in map_in_order(prove, jobs, workers):
        for folder, text in zip((RELEASES, PROOFS), texts or (), strict=False):  # the proof last: it tells that both are there
            write_text(out / folder / f"{name}.json", text)
            size += len(text.encode())
    there = sum(1 for _ in (out / PROOFS).glob("*.json"))
    return ProofsWritten(source.noun, there, source.releases - there, size, column)


def _blocks(source: RunSource, store: Store, there: Path) -> Iterator[FoundBlock]:
    for part in source.parts:
        rows = store.rows("summary", part.name, ["release", "unique", "detail", "high"])
        wanted = {
            row["release"]: row for row in rows if row["unique"] != UNDECIDED and not (there / f"{row['release']}.json").exists()
        }
        content = source.read(part) if wanted else None
        for i, block in enumerate(content.ids if content is not None else ()):
            if block in wanted:
                assert isinstance(content, BlockRecords)
                row = wanted[block]
                yield FoundBlock(content.single(i), row["unique"], row["detail"] or "", row["high"])


def _tracts(source: RunSource, most: int, there: Path) -> Iterator[TractRecords]:
    for part in source.parts:
        content = source.read(part)
        assert isinstance(content, TractRecords)
        for i, tract in enumerate(content.ids):
            if len(content.records[i]) <= most and not (there / f"{tract}.json").exists():
                yield content.single(i)


def most_blocks(kind: RecordKind) -> int:
    """Of how many blocks a tract can have for its tables to be a file that the checker reads."""
    tables = publisher(kind.name, "official", kind.units)
    nobody = {code_of(number): np.zeros(1, dtype=np.int64) for number in (1, 2)}
    one, two = (len(_text(release_json(by_block(kind, tables, dict(list(nobody.items())[:n]))))) for n in (1, 2))
    return (LARGEST_FILE - one) // (two - one)


def block_proof(job: FoundBlock, time_limit: float | None) -> tuple[str, Texts | None]:
    """The block, and its release and its proof as the texts of two files; None where no proof was found in time."""
    ((block, published, _),) = job.content.releases()
    assert isinstance(published, Release)
    known, proof = published, None
    farthest = FARTHEST if time_limit is None else time_limit
    try:
        if job.unique == UNIQUE:
            found, known = job.content.answer(block, published, farthest)
            proof = uniqueness_proof(known, time_limit) if found.verdict is Verdict.VERIFIED else None
        else:
            first, second = read_pair(job.pair, published.domain)
            if job.content.tracts:  # which of the tract's limits matter was found on the way to the answer
                _, known = job.content.answer(block, published, farthest)
            limit = inf if job.high is None else round(2 * job.high * first.size) / 2
            proof = distance_proof(known, first, second, limit, farthest)
    except UndecidedError:
        proof = None
    return block, None if proof is None else (_text(release_for_check(known)), _text(proof))


def tract_proof(content: TractRecords, time_limit: float | None) -> tuple[str, Texts | None]:
    """The tract, and its release and its proof as the texts of two files; None where time ran out."""
    (tract,), (records,) = content.ids, content.records
    release = by_block(KINDS[content.published[0]], publisher(*content.published), records)
    try:
        return tract, (_text(release_json(release)), _text(proof_of_kinds(release, time_limit)))
    except UndecidedError:
        return tract, None


def release_for_check(release: Release) -> dict[str, Any]:
    """Limits on sums of several predicates, which the tract may set, are for the checker: a release as it is published has none."""
    return plain(release) if release.own else release_json(release)


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n"
