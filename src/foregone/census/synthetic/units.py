"""The housing units of some synthetic blocks: occupied, vacant, and group quarters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foregone.census.household.layout import UNIT_COLUMNS, WIDTHS
from foregone.census.synthetic.households import Ints, Tracts, draw, households
from foregone.census.synthetic.rows import coded_table, place_columns
from foregone.census.synthetic.shares import QUARTERS, QUARTERS_SHARE, VACANCY_SHARE, VACANT_SHARE

if TYPE_CHECKING:
    import pyarrow as pa


def unit_rows(
    state: int, codes: Ints, sizes: Ints, tract: Ints, shared: Tracts, rng: np.random.Generator
) -> tuple[pa.Table, dict[str, int]]:
    """Occupied, vacant and group-quarters rows of some blocks, in the order of the blocks."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    made = households(shared, tract[of], of, rng)
    rate = np.clip(rng.gamma(2.0, VACANT_SHARE / 2.0, len(sizes)), 0, 0.6)
    vacant = rng.binomial(np.maximum(1, np.rint(sizes * 1.25).astype(np.int64)), rate)
    quarters = (rng.random(len(sizes)) < 0.008).astype(np.int64)
    block = np.concatenate([of, np.repeat(np.arange(len(sizes)), vacant), np.repeat(np.arange(len(sizes)), quarters)])
    order = np.argsort(block, kind="stable")
    counts = np.array([len(of), vacant.sum(), quarters.sum()])
    kinds = np.repeat([0, 1, 2], counts)
    columns = place_columns(UNIT_COLUMNS, state, codes[block])
    columns["RTYPE"] = np.where(kinds == 2, 4, 2)
    for name, values in made.columns.items():
        columns[name][: len(of)] = values
    columns["VACS"][kinds == 1] = draw(np.tile(VACANCY_SHARE, (int(counts[1]), 1)), rng)
    columns["GQTYPE"][kinds == 2] = np.array(QUARTERS)[draw(np.tile(QUARTERS_SHARE, (int(counts[2]), 1)), rng) - 1]
    table = coded_table(UNIT_COLUMNS, columns, order, WIDTHS, "MUD")
    return table, dict(zip(("households", "vacant", "quarters"), counts.tolist(), strict=True))
