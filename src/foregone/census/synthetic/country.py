"""A synthetic country as a unit file: states, counties, tracts and blocks of realistic sizes. Nobody in it is real."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foregone.census.geography import FIFTY
from foregone.census.synthetic.households import Ints, Tracts, draw, households
from foregone.census.synthetic.shares import QUARTERS, QUARTERS_SHARE, VACANCY_SHARE, VACANT_SHARE
from foregone.census.unit_files.layout import SYNTHETIC, UNIT_COLUMNS, WIDTHS
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


@dataclass(frozen=True, slots=True)
class Made:
    """What a synthetic file holds."""

    states: int
    blocks: int
    households: int
    vacant: int
    quarters: int


def write_country(path: Path, states: int = 50, tracts: int = 4, blocks: int = 25, seed: int = 0) -> Made:
    """Write a unit file in the full 27-column layout; the same numbers and seed always give the same bytes."""
    if not 1 <= states <= len(FIFTY):
        raise InputError(f"--states {states}: there are 1 to {len(FIFTY)} states to make")
    if blocks > MOST_BLOCKS or tracts > 9_000:
        raise InputError(f"--tracts {tracts} --blocks {blocks}: at most 9,000 of each fit the codes; make more of the other")
    need("pyarrow")
    check_outputs([], {"--out": path})
    made = np.zeros(3, dtype=np.int64)

    def write(draft: Path) -> None:
        import gzip

        import pyarrow.csv as csv

        options = csv.WriteOptions(include_header=False, quoting_style="none")
        with gzip.GzipFile(draft, "wb", mtime=0) if path.suffix == ".gz" else draft.open("wb") as out:
            out.write((",".join(UNIT_COLUMNS) + "\n").encode())
            for table, counts in _chunks(states, tracts, blocks, seed):
                csv.write_csv(table, out, options)
                made[:] += counts

    write_file(path, write)
    return Made(states, states * tracts * blocks, *(int(n) for n in made))


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


def _chunks(states: int, tracts: int, blocks: int, seed: int) -> Iterator[tuple[pa.Table, Ints]]:
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
                yield _units(int(FIFTY[state]), codes[first:last], row[first:last], np.arange(first, last) // blocks, shared, own)


def _geography(tracts: int, blocks: int) -> Ints:
    """County, tract, group and block number of each block of a state."""
    tract = np.repeat(np.arange(tracts), blocks)
    number = np.tile(np.arange(blocks), tracts)
    groups = min(4, blocks) if blocks <= 4_000 else 9
    group = 1 + number * groups // blocks
    return np.stack([1 + 2 * (tract // 8 % 500), 100 * (tract + 1) + (tract % 3 == 2), group, group * 1000 + number], axis=1)


def _units(state: int, codes: Ints, sizes: Ints, tract: Ints, shared: Tracts, rng: np.random.Generator) -> tuple[pa.Table, Ints]:
    """Occupied, vacant and group-quarters rows of some blocks, in the order of the blocks."""
    import pyarrow as pa

    of = np.repeat(np.arange(len(sizes)), sizes)
    made = households(shared, tract[of], of, rng)
    rate = np.clip(rng.gamma(2.0, VACANT_SHARE / 2.0, len(sizes)), 0, 0.6)
    vacant = rng.binomial(np.maximum(1, np.rint(sizes * 1.25).astype(np.int64)), rate)
    quarters = (rng.random(len(sizes)) < 0.008).astype(np.int64)
    block = np.concatenate([of, np.repeat(np.arange(len(sizes)), vacant), np.repeat(np.arange(len(sizes)), quarters)])
    order = np.argsort(block, kind="stable")
    counts = np.array([len(of), vacant.sum(), quarters.sum()])
    kinds = np.repeat([0, 1, 2], counts)
    columns = {name: np.zeros(len(block), dtype=np.int64) for name in UNIT_COLUMNS[2:]}
    columns["TABBLKST"][:] = state
    for i, name in enumerate(("TABBLKCOU", "TABTRACTCE", "TABBLKGRPCE", "TABBLK")):
        columns[name] = codes[block, i]
    columns["RTYPE"] = np.where(kinds == 2, 4, 2)
    for name, values in made.columns.items():
        columns[name][: len(of)] = values
    columns["VACS"][kinds == 1] = draw(np.tile(VACANCY_SHARE, (int(counts[1]), 1)), rng)
    columns["GQTYPE"][kinds == 2] = np.array(QUARTERS)[draw(np.tile(QUARTERS_SHARE, (int(counts[2]), 1)), rng) - 1]
    arrays = [_text(columns[name][order], WIDTHS.get(name, 1)) for name in UNIT_COLUMNS[2:]]
    fixed = [pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(block), dtype=np.int8)), [text]) for text in ("MUD", SYNTHETIC)]
    table = pa.table([*(array.cast(pa.string()) for array in fixed), *arrays], names=list(UNIT_COLUMNS))
    return table, counts


def _text(values: NDArray[np.int64], width: int) -> pa.Array:
    """Codes as text with leading zeros; each different code is spelled once."""
    import pyarrow as pa

    seen, at = np.unique(values, return_inverse=True)
    words = pa.array([f"{value:0{width}d}" for value in seen.tolist()])
    return pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), words).cast(pa.string())
