"""The tracts of a file as the source of a run: each one is asked about as a whole, with all its blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from foregone.batch.contents import NamedRelease
from foregone.batch.determined import Determined
from foregone.batch.plan import Part, cost_of, partition
from foregone.batch.source import RunSource
from foregone.census.block_source import RunOptions
from foregone.census.geography import place_of
from foregone.census.kinds import kind_of
from foregone.census.packing import Ints
from foregone.census.publish import publisher
from foregone.census.unit_files.units import open_units
from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.model.release import Release

SLOWER = 10.0  # times as long as a block with so many records


@dataclass(frozen=True, slots=True)
class TractRecords:
    """Tracts: for each one the packed records of its blocks."""

    ids: tuple[str, ...]
    records: tuple[dict[str, Ints], ...]
    published: tuple[str, str, str, bool]

    @property
    def counted(self) -> str:
        return kind_of(self.published[0]).counted

    @property
    def names(self) -> tuple[str, ...]:
        return publisher(*self.published).domain.names

    def single(self, index: int) -> TractRecords:
        return replace(self, ids=(self.ids[index],), records=(self.records[index],))

    def releases(self) -> Iterator[NamedRelease]:
        """Of each tract the tables that a block has: they tell how many records there are."""
        tables = publisher(*self.published)
        for tract, records in zip(self.ids, self.records, strict=True):
            codes = np.concatenate(list(records.values()))
            yield tract, tables.release(codes), tables.positions(codes)

    def determined(self, release: str, published: Release, time_limit: float | None) -> Determined:  # noqa: ARG002
        known = kind_of(self.published[0]).tract
        assert known is not None
        found = known.settle(publisher(*self.published), self.records[self.ids.index(release)], time_limit)
        answers = {found.answer(i) for i in range(len(found.blocks))}
        unique = "true" if answers == {"true"} else "false" if "false" in answers else "undecided"
        apart = 0.0 if unique == "true" else None  # how far apart two datasets of a tract can be is not asked
        return Determined(unique, apart, apart, json.dumps(found.content, separators=(",", ":")))


@contextmanager
def open_tracts(path: Path, options: RunOptions) -> Iterator[RunSource]:
    """`--limit` is a number of tracts here."""
    regular_file(path)
    kind = kind_of(options.subject)
    with open_units(path, options.variant, options.units, kind) as units:
        found: dict[str, list[str]] = {}
        sizes: dict[str, int] = {}
        for block, size in zip(*units.sizes(), strict=True):
            tract = place_of(block, "tract")
            if options.state in (None, place_of(block, "state")):
                found.setdefault(tract, []).append(block)
                sizes[tract] = sizes.get(tract, 0) + int(size)
        tracts = sorted(found)[: options.limit]
        if not tracts:
            raise InputError(f"{path}: there is no tract with records in state {options.state}; check the file and --state")
        states = [place_of(tract, "state") for tract in tracts]
        groups = [(state, states.index(state), states.index(state) + states.count(state)) for state in dict.fromkeys(states)]
        costs = SLOWER * cost_of(np.array([sizes[tract] for tract in tracts]))
        published = options.subject, options.variant, options.units, options.rules == "edit"

        def read(part: Part) -> TractRecords:
            here = tracts[part.first : part.last]
            return TractRecords(tuple(here), tuple(units.records(found[tract]) for tract in here), published)

        names = kind.domain(options.variant, options.units).names
        yield RunSource("tract", len(tracts), tuple(partition(groups, costs)), read, names, units.synthetic)
