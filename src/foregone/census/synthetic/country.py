"""A synthetic country as a file of units or persons: states, counties, tracts, blocks of realistic sizes. Nobody in it is real."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foregone.census.geography import FIFTY
from foregone.census.household.file import UNIT_COLUMNS
from foregone.census.synthetic.households import Ints, Tracts
from foregone.census.synthetic.rows import PERSON_COLUMNS, person_rows, unit_rows
from foregone.formats.extras import need
from foregone.formats.outputs import check_outputs, write_file
from foregone.model.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

MEDIAN = 10  # households in the median block of the country
SPREAD = 1.1  # of the logarithm of block sizes: the mean is then nearly twice the median
LARGEST_BLOCK = 700
ENOUGH = 6  # blocks of the median size that every state of some size has
CHUNK = 200_000  # households made in one go
MOST_BLOCKS = 9_000  # blocks of a tract that four digits can number with a group digit in front


Rows = Callable[[int, Ints, Ints, Ints, Tracts, np.random.Generator], "tuple[pa.Table, dict[str, int]]"]
"""State, places, households and tract of some blocks, what tracts have in common, and chance: their rows, and how many of what."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a synthetic file holds."""

    states: int
    blocks: int
    households: int
    vacant: int = 0
    quarters: int = 0
    persons: int = 0


ROWS = {"household": (UNIT_COLUMNS, unit_rows), "person": (PERSON_COLUMNS, person_rows)}
"""By subject: the columns of a file, and what makes the rows of some blocks."""


def write_country(
    path: Path, states: int = 50, tracts: int = 4, blocks: int = 25, seed: int = 0, subject: str = "household"
) -> Made:
    """Write a file in the full layout of the subject; the same numbers and seed always give the same bytes.

    The persons of a country are those who live in its households.
    """
    if not 1 <= states <= len(FIFTY):
        raise InputError(f"--states {states}: there are 1 to {len(FIFTY)} states to make")
    if blocks > MOST_BLOCKS or tracts > 9_000:
        raise InputError(f"--tracts {tracts} --blocks {blocks}: at most 9,000 of each fit the codes; make more of the other")
    need("pyarrow")
    check_outputs([], {"--out": path})
    names, rows = ROWS[subject]
    made: Counter[str] = Counter()

    def write(draft: Path) -> None:
        import gzip

        import pyarrow.csv as csv

        options = csv.WriteOptions(include_header=False, quoting_style="none")
        with gzip.GzipFile(draft, "wb", mtime=0) if path.suffix == ".gz" else draft.open("wb") as out:
            out.write((",".join(names) + "\n").encode())
            for table, counts in _chunks(rows, states, tracts, blocks, seed):
                csv.write_csv(table, out, options)
                made.update(counts)

    write_file(path, write)
    return Made(states, states * tracts * blocks, **made)


def block_sizes(states: int, per_state: int, rng: np.random.Generator) -> Ints:
    """Households of every block, one row per state: a long tail, small-block and large-block states, national median 10."""
    centre = np.exp(rng.normal(0.0, 0.35, (states, 1)))
    raw = centre * np.exp(rng.normal(0.0, SPREAD, (states, per_state)))
    sizes: Ints = np.clip(np.rint(raw * (MEDIAN / np.median(raw))), 1, LARGEST_BLOCK).astype(np.int64)
    # A study looks for blocks of exactly the median sizes; in a small country a few blocks are moved to them.
    want = min(ENOUGH, per_state // 10)
    for row in sizes:
        _gather(row, MEDIAN, want, keep=-1)
        _gather(row, int(np.sort(row)[(per_state - 1) // 2]), want, keep=MEDIAN)
    return sizes


def _gather(row: Ints, size: int, want: int, keep: int) -> None:
    """Set the blocks nearest to `size` to it until there are enough, never touching those of size `keep`."""
    missing = want - int((row == size).sum())
    if missing > 0:
        away = np.where((row == size) | (row == keep), LARGEST_BLOCK, np.abs(row - size))
        row[np.argsort(away, kind="stable")[:missing]] = size


def _chunks(rows: Rows, states: int, tracts: int, blocks: int, seed: int) -> Iterator[tuple[pa.Table, dict[str, int]]]:
    rng = np.random.default_rng([seed, states, tracts, blocks])
    sizes = block_sizes(states, tracts * blocks, rng)
    codes = _geography(tracts, blocks)
    for state, row in enumerate(sizes):
        own = np.random.default_rng([seed, states, tracts, blocks, state])
        shared = Tracts.draw(tracts, own)
        ends = np.searchsorted(np.cumsum(row), np.arange(CHUNK, row.sum() + CHUNK, CHUNK), side="right")
        for first, last in zip([0, *ends[:-1]], ends, strict=True):
            last = max(last, first + 1) if first < len(row) else last
            if last > first:
                yield rows(int(FIFTY[state]), codes[first:last], row[first:last], np.arange(first, last) // blocks, shared, own)


def _geography(tracts: int, blocks: int) -> Ints:
    """County, tract, group and block number of each block of a state."""
    tract = np.repeat(np.arange(tracts), blocks)
    number = np.tile(np.arange(blocks), tracts)
    groups = min(4, blocks) if blocks <= 4_000 else 9
    group = 1 + number * groups // blocks
    return np.stack([1 + 2 * (tract // 8 % 500), 100 * (tract + 1) + (tract % 3 == 2), group, group * 1000 + number], axis=1)
