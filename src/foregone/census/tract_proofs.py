"""For every tract what `foregone check` needs: its tables as one release, and a proof of what they leave certain in each block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from foregone.batch.ordered_map import map_in_order
from foregone.batch.source import RunSource
from foregone.census.block_proofs import PROOFS, ProofsWritten, Texts, as_text, keep_texts
from foregone.census.by_block import BLOCK, by_block
from foregone.census.geography import code_of
from foregone.census.kind import Kind
from foregone.census.kinds import kind_of
from foregone.census.publish import publisher
from foregone.census.tract_source import TractRecords
from foregone.checker.files import LARGEST_FILE
from foregone.formats.single import release_json
from foregone.model.errors import UndecidedError
from foregone.questions.ask import proof_of_kinds


@dataclass(frozen=True, slots=True)
class TractJob:
    content: TractRecords
    time_limit: float | None


def most_blocks(kind: Kind) -> int:
    """Of how many blocks a tract can have for its tables to be a file that the checker reads."""
    tables = publisher(kind.name, "official", kind.units)
    nobody = {code_of(number): np.zeros(1, dtype=np.int64) for number in (1, 2)}
    one, two = (len(as_text(release_json(by_block(kind, tables, dict(list(nobody.items())[:n]))))) for n in (1, 2))
    return (LARGEST_FILE - one) // (two - one)


def write_tract_proofs(source: RunSource, kind: Kind, out: Path, time_limit: float | None, workers: int) -> ProofsWritten:
    """Two files of the same name for each tract, in two folders; what is there already, by the same run, is kept."""
    size = keep_texts(map_in_order(tract_proof, _jobs(source, most_blocks(kind), out / PROOFS, time_limit), workers), out)
    there = sum(1 for _ in (out / PROOFS).glob("*.json"))
    return ProofsWritten("tract", there, source.releases - there, size, BLOCK)


def _jobs(source: RunSource, most: int, there: Path, time_limit: float | None) -> Iterator[TractJob]:
    for part in source.parts:
        content = source.read(part)
        assert isinstance(content, TractRecords)
        for i, tract in enumerate(content.ids):
            if len(content.records[i]) <= most and not (there / f"{tract}.json").exists():
                yield TractJob(content.single(i), time_limit)


def tract_proof(job: TractJob) -> tuple[str, Texts | None]:
    """The tract, and its release and its proof as the texts of two files; None where time ran out."""
    (tract,), (records,) = job.content.ids, job.content.records
    release = by_block(kind_of(job.content.published[0]), publisher(*job.content.published), records)
    try:
        return tract, (as_text(release_json(release)), as_text(proof_of_kinds(release, job.time_limit)))
    except UndecidedError:
        return tract, None
