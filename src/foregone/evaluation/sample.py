"""What a study can be asked for.

Which blocks a study looks at: some of the median size of their state, some of the national median size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import FIFTY, place_of
from foregone.model.errors import InputError, option


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The defaults are the paper's setting."""

    per_state: int = 5
    min_columns: int = 6
    engine: str = "cells"
    variant: str = "621"
    rules: str = "none"
    units: str = "households"
    seed: int = 0
    workers: int = 1
    time_limit: float | None = None
    solver: str = "highs"
    subject: str = "household"
    protect: bool = False  # also find what could still be published; takes minutes
    likely: bool = False  # also look beyond what is certain; takes seconds for each block
    also: tuple[str, ...] = ()  # further readings of the tables, for the same blocks
    territories: bool = False  # draw from the District of Columbia and the territories, too
    solutions: int | None = None  # datasets that the one-hot method generates first
    big_m: bool = False  # the paper's own form of "not equal"
    experiments: int = 0  # national-median blocks for the experiments on what differs from the paper; none by default
    farthest: bool = True  # also how far apart two datasets can be


STATE, NATION = "state-median", "national-median"
SETS = (STATE, NATION)


@dataclass(frozen=True, slots=True)
class ChosenBlocks:
    """(set, block, size) in order of set and block; per state its median and number of blocks; the national median."""

    blocks: tuple[tuple[str, str, int], ...]
    medians: tuple[tuple[str, int, int], ...]
    median: int

    def of(self, which: str) -> list[str]:
        return [block for name, block, _ in self.blocks if name == which]


def choose_blocks(blocks: list[str], sizes: Ints, per_state: int, seed: int, territories: bool = False) -> ChosenBlocks:
    """Draw `per_state` blocks of each kind in every state, or as many as there are.

    The country are the fifty states; with `territories`, the District of Columbia and the territories belong to it.
    """
    states = np.array([place_of(block, "state") for block in blocks])
    asked = np.flatnonzero(np.isin(states, FIFTY) | territories)
    if not len(asked):
        raise InputError(
            "no block of the file lies in one of the fifty states; to draw from the District of Columbia and the territories,"
            f" set {option('territories')}"
        )
    nation = lower_median(sizes[asked])
    medians, chosen = [], []
    for code in np.unique(states[asked]).tolist():
        here = np.flatnonzero(states == code)
        median = lower_median(sizes[here])
        medians.append((str(code), median, len(here)))
        for kind, (name, size) in enumerate(((STATE, median), (NATION, nation))):
            fitting = here[sizes[here] == size]
            rng = np.random.default_rng([seed, int(code), kind])
            drawn = rng.choice(fitting, min(per_state, len(fitting)), replace=False)
            chosen += [(name, blocks[i], size) for i in drawn.tolist()]
    return ChosenBlocks(tuple(sorted(chosen, key=lambda c: (SETS.index(c[0]), c[1]))), tuple(medians), nation)


def drawn_of_size(blocks: list[str], sizes: Ints, size: int, most: int, seed: int, territories: bool = False) -> list[str]:
    """Up to `most` blocks of one size, drawn from the whole country, in the order of their codes."""
    fitting = [
        block
        for block, records in zip(blocks, sizes.tolist(), strict=True)
        if records == size and (territories or place_of(block, "state") in FIFTY)
    ]
    drawn = np.random.default_rng([seed, size]).choice(len(fitting), min(most, len(fitting)), replace=False)
    return [fitting[i] for i in sorted(drawn.tolist())]


def lower_median(sizes: Ints) -> int:
    """The median, taken to be a size that occurs when the number of blocks is even.

    >>> lower_median(np.array([4, 1, 9, 5]))
    4
    """
    return int(np.sort(sizes)[(len(sizes) - 1) // 2])
