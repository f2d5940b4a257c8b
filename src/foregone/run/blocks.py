"""The blocks of a unit file as releases: planned from their sizes, read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from foregone.census.tables import household_domain
from foregone.census.units import Ints, Units, open_units
from foregone.errors import InputError
from foregone.run.input import Input, Options
from foregone.run.plan import Part, cost_of, partition
from foregone.run.work import Households

NOUN = "block"
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
        self.parts = partition(_states(numbers), cost_of(sizes))

    def read(self, part: Part) -> Households:
        wanted = self.numbers[part.first : part.last]
        ids = [f"{number:015d}" for number in wanted.tolist()]
        blocks, codes = self.units.between(ids[0], ids[-1])
        starts = np.searchsorted(blocks, wanted)
        return Households(tuple(ids), codes, starts, self.options.variant, self.options.units, self.options.rules == "edit")


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
