"""How likely each verified claim was to begin with, for somebody who knows the tract or the state but not the tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from foregone.census.geography import place_of
from foregone.census.packing import Ints
from foregone.census.unit_files.units import UnitFile

Floats = NDArray[np.float64]
PRIORS = ("tract", "state")


@dataclass(frozen=True, slots=True)
class AskedClaims:
    """Claims of all blocks, one entry each."""

    block: NDArray[np.str_]
    size: Ints
    mask: Ints
    value: Ints
    count: Ints


def probabilities(units: UnitFile, asked: AskedClaims) -> dict[str, Floats]:
    """Binomial(N, p) at m for every claim, p being the share of records in the tract, or the state, that match it."""
    return {prior: binomial(asked.size, asked.count, shares(units, asked, prior)) for prior in PRIORS}


def shares(units: UnitFile, asked: AskedClaims, prior: str) -> Floats:
    """The share of the place's records that match each claim, counted by DuckDB over the whole file.

    The file is first reduced to how often each different record occurs in each place; then one query for each
    different set of columns answers all claims over it.
    """
    import pandas as pd

    if not len(asked.block):  # few tables may make nothing certain
        return np.zeros(0)
    base = units.base
    places = [place_of(block, prior) for block in asked.block.tolist()]
    asking = pd.DataFrame({"place": places, "mask": asked.mask, "value": asked.value})
    base.register("asking", asking)
    base.execute("CREATE OR REPLACE TEMP TABLE asked AS SELECT DISTINCT place, mask, value FROM asking")
    base.execute(
        f"CREATE OR REPLACE TEMP TABLE kinds AS SELECT {prior} AS place, code, count(*) AS n FROM units"
        f" WHERE {prior} IN (SELECT place FROM asked) GROUP BY ALL"
    )
    base.execute("CREATE OR REPLACE TEMP TABLE found (place VARCHAR, mask BIGINT, value BIGINT, n BIGINT)")
    for (mask,) in base.execute("SELECT DISTINCT mask FROM asked ORDER BY mask").fetchall():
        base.execute(
            f"INSERT INTO found SELECT a.place, a.mask, a.value, sum(k.n) FROM (SELECT * FROM asked WHERE mask = {mask}) a"
            f" JOIN kinds k ON k.place = a.place AND k.code & {mask} = a.value GROUP BY ALL"
        )
    total = dict(base.execute("SELECT place, sum(n) FROM kinds GROUP BY place").fetchall())
    found = base.execute("SELECT place, mask, value, n FROM found").fetch_df()
    base.unregister("asking")
    joined = asking.merge(found, how="left", on=["place", "mask", "value"])
    whole = asking["place"].map(total).to_numpy(dtype=np.float64)
    return np.asarray(joined["n"].fillna(0).to_numpy(dtype=np.float64) / whole)


def binomial(size: Ints, count: Ints, share: Floats) -> Floats:
    """
    >>> binomial(np.array([10]), np.array([1]), np.array([0.1])).round(4).tolist()
    [0.3874]
    """
    pairs, at = np.unique(np.stack([size, count], axis=1), axis=0, return_inverse=True)
    ways = np.array([float(comb(int(n), int(m))) for n, m in pairs], dtype=np.float64)[at.reshape(-1)]
    return np.asarray(ways * share**count * (1.0 - share) ** (size - count), dtype=np.float64)
