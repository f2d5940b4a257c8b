"""The blocks of a unit file as the source of a run: planned from their sizes, read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from foregone.batch.contents import NamedRelease
from foregone.batch.determined import FARTHEST, Determined, as_determined
from foregone.batch.plan import Part, cost_of, partition
from foregone.batch.release_sources import open_releases
from foregone.batch.source import RunSource
from foregone.census.geography import BLOCKS, code_of, level_of, place_of, states_of
from foregone.census.kinds import kind_of
from foregone.census.packing import Ints
from foregone.census.publish import publisher
from foregone.census.table_book import CHOSEN
from foregone.census.unit_files.units import UnitFile, open_units
from foregone.engine import Uniqueness
from foregone.formats.text import is_there, regular_file
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.questions.ask import unique

STRETCH = 100_000  # records read at once


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What matters to the result of a run; a folder or a table of releases knows `state` and `limit` only."""

    variant: str = "official"
    rules: str = "none"
    units: str = "households"
    state: str | None = None
    limit: int | None = None
    subject: str = "household"
    tract_tables: bool = False


def open_run_source(path: Path, options: RunOptions) -> AbstractContextManager[RunSource]:
    """Whatever the path is: a file is a unit file, a folder holds releases or a table of them."""
    if not is_there(path):
        raise InputError(f"{path}: there is no such file or folder; give a unit file, a folder of releases or a table of releases")
    if options.state is not None and level_of(options.state) != "state":
        raise InputError(f"--state {shown(options.state)}: give the two digits of a state, such as 06")
    if not path.is_dir():
        regular_file(path)
        return _open_blocks(path, options)
    default = RunOptions(units=kind_of(options.subject).units)
    given = [name for name in ("subject", "variant", "rules", "units") if getattr(options, name) != getattr(default, name)]
    if given:
        options_ = ["tables" if name == "variant" and CHOSEN in options.variant else name for name in given]
        raise InputError([f"--{name}: applies to unit files, and {path} is a folder; leave it out" for name in options_])
    return open_releases(path, BLOCKS, options.state, options.limit)


@contextmanager
def _open_blocks(path: Path, options: RunOptions) -> Iterator[RunSource]:
    kind = kind_of(options.subject)
    with open_units(path, options.variant, options.units, kind) as units:
        blocks = _Blocks(units, options)
        names = kind.domain(options.variant, options.units).names
        yield RunSource(BLOCKS.noun, len(blocks.numbers), tuple(blocks.parts), blocks.read, names, units.synthetic)


@dataclass(frozen=True, slots=True)
class BlockRecords:
    """Blocks of a unit file: the packed records of block i begin at starts[i]. Claims are compared with them."""

    ids: tuple[str, ...]
    codes: Ints
    starts: Ints
    published: tuple[str, str, str, bool]  # subject, variant, units and whether edit rules are known: what `publisher` takes
    tracts: dict[str, Ints] = field(default_factory=dict)  # their own tables, where these are known too

    @property
    def counted(self) -> str:
        return kind_of(self.published[0]).counted

    @property
    def names(self) -> tuple[str, ...]:
        return publisher(*self.published).domain.names

    def single(self, index: int) -> BlockRecords:
        ends = [*self.starts[1:].tolist(), len(self.codes)]
        codes = self.codes[self.starts[index] : ends[index]]
        return replace(self, ids=(self.ids[index],), codes=codes, starts=np.zeros(1, dtype=np.int64))

    def releases(self) -> Iterator[NamedRelease]:
        tables = publisher(*self.published)
        counts = tables.counts_of_each(self.codes, self.starts)
        records = np.split(self.codes, self.starts[1:])
        for block, row, codes in zip(self.ids, counts, records, strict=True):
            yield block, tables.workload.release(row.tolist()), tables.positions(codes)

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:
        return as_determined(self.answer(release, published, time_limit)[0], published)

    def answer(self, release: str, published: Release, time_limit: float | None) -> tuple[Uniqueness, Release]:
        """Is the block determined, and by which published numbers and limits?"""
        limit = FARTHEST if time_limit is None else time_limit
        known = kind_of(self.published[0]).tract
        if known is None or not self.tracts:
            return unique(published, limit), published
        return known.unique(published, self.tracts[place_of(release, "tract")], limit)


class _Blocks:
    """Codes and sizes of the blocks; the records stay in the file until their turn."""

    def __init__(self, units: UnitFile, options: RunOptions) -> None:
        self.units, self.options = units, options
        numbers, sizes = units.numbers(options.state)
        if not len(numbers):
            place = f" in state {options.state}" if options.state else ""
            raise InputError(f"{units.source}: there is no block with records{place}; check the file and --state")
        if options.limit is not None:
            numbers, sizes = numbers[: options.limit], sizes[: options.limit]
        self.numbers: Ints = numbers
        self.sizes = sizes.astype(np.int32)
        self.parts = partition(_states(numbers), cost_of(sizes))
        self.stretch = (0, 0)  # the blocks whose records are in memory
        self.blocks: Ints = np.zeros(0, dtype=np.int64)
        self.codes: Ints = self.blocks

    def read(self, part: Part) -> BlockRecords:
        if not self.stretch[0] <= part.first < part.last <= self.stretch[1]:
            self._fetch(part)
        wanted = self.numbers[part.first : part.last]
        first, last = np.searchsorted(self.blocks, wanted[0]), np.searchsorted(self.blocks, wanted[-1], side="right")
        starts = np.searchsorted(self.blocks[first:last], wanted)
        ids = tuple(map(code_of, wanted.tolist()))
        options = self.options
        published = options.subject, options.variant, options.units, options.rules == "edit"
        known = kind_of(options.subject).tract
        tracts: dict[str, Ints] = {}
        if options.tract_tables and known is not None:
            tracts = self.units.tract_counts({place_of(block, "tract") for block in ids}, known.shape)
        return BlockRecords(ids, self.codes[first:last].copy(), starts, published, tracts)

    def _fetch(self, part: Part) -> None:
        """The records of the part and of what follows it: a file is quickly read only in large pieces."""
        ahead = np.cumsum(self.sizes[part.first : part.first + STRETCH])
        last = max(part.last, part.first + int(np.searchsorted(ahead, STRETCH)))
        last = min(last, len(self.numbers))
        self.blocks, self.codes = self.units.between(code_of(int(self.numbers[part.first])), code_of(int(self.numbers[last - 1])))
        self.stretch = part.first, last


def _states(numbers: Ints) -> list[tuple[str, int, int]]:
    states = states_of(numbers)
    starts = np.flatnonzero(np.concatenate([[True], states[1:] != states[:-1]])).tolist()
    ends = [*starts[1:], len(numbers)]
    return [(f"{states[a]:02d}", a, b) for a, b in zip(starts, ends, strict=True)]
