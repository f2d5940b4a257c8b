"""The blocks of a unit file as releases: planned from their sizes, read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from foregone.batch.part import Households
from foregone.batch.plan import Part, cost_of, partition
from foregone.batch.source import Input, Options
from foregone.census.household.tables import household_domain
from foregone.census.unit_files.units import Ints, Units, open_units
from foregone.model.errors import InputError

NOUN = "block"
STRETCH = 100_000  # records read at once
STATE = 10**13  # a block number divided by this is its state


class Blocks:
    """Codes and sizes of the blocks; the records stay in the file until their turn."""

    def __init__(self, units: Units, options: Options) -> None:
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

    def read(self, part: Part) -> Households:
        if not self.stretch[0] <= part.first < part.last <= self.stretch[1]:
            self._fetch(part)
        wanted = self.numbers[part.first : part.last]
        first, last = np.searchsorted(self.blocks, wanted[0]), np.searchsorted(self.blocks, wanted[-1], side="right")
        starts = np.searchsorted(self.blocks[first:last], wanted)
        ids = tuple(map(_code, wanted.tolist()))
        edit = self.options.rules == "edit"
        return Households(ids, self.codes[first:last].copy(), starts, self.options.variant, self.options.units, edit)

    def _fetch(self, part: Part) -> None:
        """The records of the part and of what follows it: a file is quickly read only in large pieces."""
        ahead = np.cumsum(self.sizes[part.first : part.first + STRETCH])
        last = max(part.last, part.first + int(np.searchsorted(ahead, STRETCH)))
        last = min(last, len(self.numbers))
        self.blocks, self.codes = self.units.between(_code(int(self.numbers[part.first])), _code(int(self.numbers[last - 1])))
        self.stretch = part.first, last


def _code(number: int) -> str:
    return f"{number:015d}"


def _states(numbers: Ints) -> list[tuple[str, int, int]]:
    states = numbers // STATE
    starts = np.flatnonzero(np.concatenate([[True], states[1:] != states[:-1]])).tolist()
    ends = [*starts[1:], len(numbers)]
    return [(f"{states[a]:02d}", a, b) for a, b in zip(starts, ends, strict=True)]


@contextmanager
def open_blocks(path: Path, options: Options) -> Iterator[Input]:
    with open_units(path, options.variant, options.units) as units:
        blocks = Blocks(units, options)
        names = household_domain(options.variant, options.units).names
        yield Input(NOUN, len(blocks.numbers), tuple(blocks.parts), blocks.read, names, units.synthetic)
