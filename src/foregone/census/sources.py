"""The blocks or the tracts of a census file as the source of a run: planned from their sizes, read part by part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from foregone.batch.guessing import GuessTables
from foregone.batch.plan import Ints, RunPart, cost_of, partition, stretches
from foregone.batch.release_sources import open_releases
from foregone.batch.source import CountRows, Determined, NamedRelease, PartContent, RunSource
from foregone.census.geography import BLOCKS, code_of, level_of, place_of, states_of
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import PRIORS
from foregone.census.records import is_determined
from foregone.census.tables import CHOSEN
from foregone.census.unit_files.units import UnitFile, open_units
from foregone.engine import Uniqueness
from foregone.formats.extras import quoted
from foregone.formats.text import is_there, regular_file
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.questions.baseline import Guesser

STRETCH = 100_000  # records read at once
SLOWER = 10.0  # times as long as a block with so many records a tract takes

Published = tuple[str, str, str, bool]
"""Subject, variant, units and whether edit rules are known: what `publisher` takes."""


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

    @property
    def published(self) -> Published:
        return self.subject, self.variant, self.units, self.rules == "edit"


def open_run_source(path: Path, options: RunOptions) -> AbstractContextManager[RunSource]:
    """Whatever the path is: a file is a unit file, a folder holds releases or a table of them."""
    if not is_there(path):
        raise InputError(f"{path}: there is no such file or folder; give a unit file, a folder of releases or a table of releases")
    if options.state is not None and level_of(options.state) != "state":
        raise InputError(f"--state {shown(options.state)}: give the two digits of a state, such as 06")
    if not path.is_dir():
        regular_file(path)
        return _open_blocks(path, options)
    default = RunOptions(units=KINDS[options.subject].units)
    given = [name for name in ("subject", "variant", "rules", "units") if getattr(options, name) != getattr(default, name)]
    if given:
        options_ = ["tables" if name == "variant" and CHOSEN in options.variant else name for name in given]
        raise InputError([f"--{name}: applies to unit files, and {path} is a folder; leave it out" for name in options_])
    return open_releases(path, BLOCKS, options.state, options.limit)


@contextmanager
def _open_blocks(path: Path, options: RunOptions) -> Iterator[RunSource]:
    with open_units(path, options.variant, options.units, KINDS[options.subject]) as units:
        blocks = _Blocks(units, options)
        guess = {level: partial(blocks.tables, level) for level in PRIORS}
        yield RunSource(BLOCKS.noun, len(blocks.numbers), tuple(blocks.parts), blocks.read, units.names, units.synthetic, guess)


@contextmanager
def open_tracts(path: Path, options: RunOptions) -> Iterator[RunSource]:
    """Each tract is asked about as a whole, with all its blocks. `--limit` is a number of tracts here."""
    regular_file(path)
    with open_units(path, options.variant, options.units, KINDS[options.subject]) as units:
        blocks: dict[str, list[str]] = {}
        records: dict[str, int] = {}
        for block, size in zip(*units.sizes(options.state), strict=True):
            tract = place_of(block, "tract")
            blocks.setdefault(tract, []).append(block)
            records[tract] = records.get(tract, 0) + int(size)
        tracts = sorted(blocks)[: options.limit]
        if not tracts:
            raise InputError(f"{path}: there is no tract with records in state {options.state}; check the file and --state")
        states = np.array([place_of(tract, "state") for tract in tracts])
        costs = SLOWER * cost_of(np.array([records[tract] for tract in tracts]))
        parts = partition([(str(states[first]), first, last) for first, last in stretches(states)], costs)

        def read(part: RunPart) -> TractRecords:
            here = tuple(tracts[part.first : part.last])
            records = tuple(units.records(blocks[tract]) for tract in here)
            return TractRecords(here, units.names, units.kind.counted, options.published, records)

        yield RunSource("tract", len(tracts), tuple(parts), read, units.names, units.synthetic)


@dataclass(frozen=True, slots=True)
class BlockRecords(PartContent):
    """Blocks, published as `published` says: the packed records of block i begin at starts[i]. Claims are compared with them."""

    published: Published
    codes: Ints
    starts: Ints
    tracts: dict[str, Ints] = field(default_factory=dict)  # their own tables, where these are known too

    def single(self, index: int) -> BlockRecords:
        ends = [*self.starts[1:].tolist(), len(self.codes)]
        codes = self.codes[self.starts[index] : ends[index]]
        return replace(self, ids=(self.ids[index],), codes=codes, starts=np.zeros(1, dtype=np.int64))

    def rows(self) -> CountRows | None:
        tables = publisher(*self.published)
        positions, starts = tables.positions(self.codes), np.append(self.starts, len(self.codes))
        counts = tables.counts_of_each(self.codes, self.starts)
        return CountRows(tables.workload, counts, (starts, positions.astype(np.uint8))) if (positions >= 0).all() else None

    def domains(self) -> Iterator[tuple[str, Domain]]:
        domain = publisher(*self.published).workload.domain
        return ((block, domain) for block in self.ids)

    def releases(self) -> Iterator[NamedRelease]:
        tables = publisher(*self.published)
        counts = tables.counts_of_each(self.codes, self.starts)
        records = np.split(self.codes, self.starts[1:])
        for block, row, codes in zip(self.ids, counts, records, strict=True):
            yield block, tables.workload.release(row.tolist()), tables.positions(codes)

    def answer(self, release: str, published: Release, time_limit: float) -> tuple[Uniqueness, Release]:
        known = KINDS[self.published[0]].tract
        if known is None or not self.tracts:
            return PartContent.answer(self, release, published, time_limit)
        return known.unique(published, self.tracts[place_of(release, "tract")], time_limit)


@dataclass(frozen=True, slots=True)
class TractRecords(PartContent):
    """Tracts, published as `published` says: for each one the packed records of its blocks."""

    published: Published
    records: tuple[dict[str, Ints], ...]

    def single(self, index: int) -> TractRecords:
        return replace(self, ids=(self.ids[index],), records=(self.records[index],))

    def domains(self) -> Iterator[tuple[str, Domain]]:
        domain = publisher(*self.published).workload.domain
        return ((tract, domain) for tract in self.ids)

    def releases(self) -> Iterator[NamedRelease]:
        """Of each tract the tables that a block has: they tell how many records there are."""
        tables = publisher(*self.published)
        for tract, records in zip(self.ids, self.records, strict=True):
            codes = np.concatenate(list(records.values()))
            yield tract, tables.release(codes), tables.positions(codes)

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:  # noqa: ARG002
        known = KINDS[self.published[0]].tract
        assert known is not None
        found = known.settle(publisher(*self.published), self.records[self.ids.index(release)], time_limit)
        answers = set(map(is_determined, found.settled))
        whole = "true" if answers == {"true"} else "false" if "false" in answers else "undecided"
        apart = 0.0 if whole == "true" else None  # how far apart two datasets of a tract can be is not asked
        return Determined(whole, apart, apart, json.dumps(found.content, separators=(",", ":")))


class _Blocks:
    """Codes and sizes of the blocks; the records stay in the file until their turn."""

    def __init__(self, units: UnitFile, options: RunOptions) -> None:
        self.units, self.options = units, options
        numbers, sizes = units.numbers(options.state)
        if not len(numbers):
            place = f" in state {options.state}" if options.state else ""
            raise InputError(f"{units.source}: there is no block with records{place}; check the file and --state")
        self.numbers: Ints = numbers[: options.limit]
        self.sizes = sizes[: options.limit].astype(np.int32)
        states = states_of(self.numbers)
        groups = [(f"{states[first]:02d}", first, last) for first, last in stretches(states)]
        self.parts = partition(groups, cost_of(sizes[: options.limit]))
        self.guessers: dict[tuple[str, str], Guesser] = {}  # by level and place, those that the last part asked for
        self.stretch = (0, 0)  # the blocks whose records are in memory
        self.blocks: Ints = np.zeros(0, dtype=np.int64)
        self.codes: Ints = self.blocks

    def read(self, part: RunPart) -> BlockRecords:
        if not self.stretch[0] <= part.first < part.last <= self.stretch[1]:
            self._fetch(part)
        wanted = self.numbers[part.first : part.last]
        first, last = np.searchsorted(self.blocks, wanted[0]), np.searchsorted(self.blocks, wanted[-1], side="right")
        starts = np.searchsorted(self.blocks[first:last], wanted)
        ids = tuple(map(code_of, wanted.tolist()))
        kind, tracts = self.units.kind, dict[str, Ints]()
        if self.options.tract_tables and kind.tract is not None:
            tracts = self.units.tract_counts({place_of(block, "tract") for block in ids}, kind.tract.shape)
        return BlockRecords(
            ids, self.units.names, kind.counted, self.options.published, self.codes[first:last].copy(), starts, tracts
        )

    def tables(self, level: str, content: PartContent) -> GuessTables:
        """How often each kind of record occurs in the places of some blocks, the blocks themselves included, as in the study."""
        places = sorted({place_of(block, level) for block in content.ids})
        missing = [place for place in places if (level, place) not in self.guessers]
        if missing:
            self.guessers = {key: made for key, made in self.guessers.items() if key[1] in places}  # earlier parts are done
            self.guessers |= {(level, place): made for place, made in self._counted(level, missing)}
        return GuessTables(len(places[0]), {place: self.guessers[level, place] for place in places})

    def _counted(self, level: str, places: list[str]) -> Iterator[tuple[str, Guesser]]:
        tables = publisher(*self.options.published)
        within = ", ".join(f"'{quoted(place)}'" for place in places)
        query = f"SELECT {level} AS place, code, count(*) AS n FROM units WHERE {level} IN ({within}) GROUP BY ALL ORDER BY 1, 2"
        found = self.units.base.execute(query).fetchnumpy()
        at, numbers = np.asarray(found["place"], dtype=str), np.asarray(found["n"], dtype=np.int64)
        positions = tables.positions(np.asarray(found["code"], dtype=np.int64)).astype(np.int64)
        domain = tables.workload.domain
        for place in places:
            mine = (at == place) & (positions >= 0).all(axis=1)
            yield place, Guesser(domain, domain.names, positions[mine], numbers[mine])

    def _fetch(self, part: RunPart) -> None:
        """The records of the part and of what follows it: a file is quickly read only in large pieces."""
        ahead = np.cumsum(self.sizes[part.first : part.first + STRETCH])
        last = max(part.last, part.first + int(np.searchsorted(ahead, STRETCH)))
        last = min(last, len(self.numbers))
        self.blocks, self.codes = self.units.between(code_of(int(self.numbers[part.first])), code_of(int(self.numbers[last - 1])))
        self.stretch = part.first, last
