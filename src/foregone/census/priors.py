"""What somebody would guess who knows the tract or the state but not the tables: records of a block, and claims about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import comb

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Floats, Ints
from foregone.census.geography import code_of, place_of
from foregone.census.unit_files.units import UnitFile

PRIORS = ("tract", "state")


class Guesses:
    """How often each kind of record occurs in every tract and state, counted once.

    A guess is right about as many records of a kind as the block and the guess both have. The prior is the whole tract or
    state, the block itself included, as in the study of households.
    """

    def __init__(self, units: UnitFile) -> None:
        self.base = units.base
        for prior in PRIORS:
            self.base.execute(
                f"CREATE OR REPLACE TEMP TABLE kinds_{prior} AS SELECT place, code, n / sum(n) OVER (PARTITION BY place) AS share"
                f" FROM (SELECT {prior} AS place, code, count(*) AS n FROM units GROUP BY ALL)"
            )

    def shares(self, numbers: Ints) -> dict[str, Floats]:
        """For each block (a number, in order) the share of its records that a guess gets right, on average."""
        own = (
            "WITH found AS (SELECT state, tract, block, code, count(*) AS n FROM units WHERE block BETWEEN ? AND ? GROUP BY ALL),"
            " guessed AS (SELECT *, sum(n) OVER (PARTITION BY block) AS size FROM found)"
        )
        ends = [code_of(int(numbers[0])), code_of(int(numbers[-1]))]
        made = {}
        for prior in PRIORS:
            found = self.base.execute(
                f"{own} SELECT CAST(g.block AS BIGINT) AS block, g.n AS own, g.size, k.share FROM guessed g"
                f" JOIN kinds_{prior} k ON k.place = g.{prior} AND k.code = g.code ORDER BY g.block, g.code",
                ends,
            ).fetchnumpy()
            block, here, size = (np.asarray(found[name], dtype=np.int64) for name in ("block", "own", "size"))
            right = expected_matches(here, size, np.asarray(found["share"], dtype=np.float64)) / size
            at = np.searchsorted(numbers, block)
            listed = numbers[np.minimum(at, len(numbers) - 1)] == block
            made[prior] = np.bincount(at[listed], right[listed], len(numbers)).astype(np.float64)
        return made


def expected_matches(own: Ints, size: Ints, share: Floats) -> Floats:
    """The mean of min(own, X) where X of `size` draws are of a kind that has this share of all.

    >>> expected_matches(np.array([1, 2]), np.array([1, 2]), np.array([0.25, 0.5])).tolist()
    [0.25, 1.0]
    """
    left = np.maximum(1.0 - share, 0.0)
    chance = left**size  # of X = 0, then 1, 2, ...
    odds = np.divide(share, left, out=np.zeros_like(share), where=left > 0)
    mean: Floats = own.astype(np.float64)
    for number in range(int(own.max(initial=0))):
        below = number < own
        mean[below] -= ((own - number) * chance)[below]
        chance = np.asarray(chance * odds * (size - number) / (number + 1))
    return np.where(left > 0, mean, np.minimum(own, size).astype(np.float64))


@dataclass(frozen=True, slots=True)
class PackedClaims:
    """Claims in packed form, one entry each: `count` records of a block match when record & mask == value."""

    mask: Ints
    value: Ints
    count: Ints
    columns: Ints
    ground: Ints

    def matches(self, codes: Ints) -> NDArray[np.bool_]:
        """Which records (columns) each claim (row) describes."""
        return np.asarray((codes[None, :] & self.mask[:, None]) == self.value[:, None])

    def some(self, chosen: NDArray[np.bool_]) -> PackedClaims:
        """Those that are chosen."""
        return PackedClaims(*(getattr(self, f.name)[chosen] for f in fields(PackedClaims)))


@dataclass(frozen=True, slots=True)
class ClaimsOfBlocks(PackedClaims):
    """The claims of every block of every set of blocks, with the number of records of the block."""

    set: NDArray[np.str_]
    block: NDArray[np.str_]
    size: Ints

    def chosen(self, which: str, kind: str) -> NDArray[np.bool_]:
        return np.asarray((self.set == which) & ((self.count == 1) | (kind == "all")))

    def singletons(self, columns: int) -> Ints:
        """The masks of claims about one record with so many columns."""
        return np.asarray(self.mask[(self.count == 1) & (self.columns == columns)])


def claims_of_blocks(parts: Iterable[tuple[str, str, int, PackedClaims]]) -> ClaimsOfBlocks:
    """The claims of many blocks behind each other; each block comes with its set and how many records it has."""
    rows = list(parts)
    none = np.zeros(0, dtype=np.int64)
    joined = {f.name: np.concatenate([none, *(getattr(row[3], f.name) for row in rows)]) for f in fields(PackedClaims)}
    each = [len(claims.mask) for *_, claims in rows]
    sets, blocks = (np.repeat(np.array([row[i] for row in rows], dtype=str), each) for i in (0, 1))
    sizes = np.repeat(np.array([size for _, _, size, _ in rows], dtype=np.int64), each)
    return ClaimsOfBlocks(**joined, set=sets, block=blocks, size=sizes)


@dataclass(frozen=True, slots=True)
class GuessedClaims:
    """What guessers who know a place would get, for each claim: the chance of the claim if the block's records were drawn from the
    place, and the same with the block itself left out of it (`without_own`); the share of the proportional guesser; and whether the
    modal guesser, who names the most frequent values, names these."""

    chance: Floats
    without_own: Floats
    guess: Floats
    modal: NDArray[np.bool_]


def guessed_claims(units: UnitFile, asked: ClaimsOfBlocks) -> dict[str, GuessedClaims]:
    """For those who know the tract, and for those who know the state; the chance is Binomial(N, p) at m, p being the share. With
    the block left out a claim's own records are not among those that match, nor the block's among all."""
    made = {}
    for prior in PRIORS:
        matching, whole, modal = shares(units, asked, prior)
        others = (matching - asked.count) / np.maximum(whole - asked.size, 1)
        with_own, without = (binomial(asked.size, asked.count, share) for share in (matching / whole, others))
        made[prior] = GuessedClaims(with_own, without, matching / whole, modal)
    return made


def shares(units: UnitFile, asked: ClaimsOfBlocks, prior: str) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """How many of the place's records match each claim, and how many it has, counted by DuckDB over the whole file; and whether no
    other values of the same columns are more frequent there.

    The file is first reduced to how often each different record occurs in each place; then one query for each
    different set of columns answers all claims over it.
    """
    import pandas as pd

    if not len(asked.block):  # few tables may make nothing certain
        return np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool)
    base = units.base
    places = [place_of(block, prior) for block in asked.block.tolist()]
    asking = pd.DataFrame({"place": places, "mask": asked.mask, "value": asked.value})
    base.register("asking", asking)
    base.execute("CREATE OR REPLACE TEMP TABLE asked AS SELECT DISTINCT place, mask, value FROM asking")
    base.execute(
        f"CREATE OR REPLACE TEMP TABLE kinds AS SELECT {prior} AS place, code, count(*) AS n FROM units"
        f" WHERE {prior} IN (SELECT place FROM asked) GROUP BY ALL"
    )
    base.execute("CREATE OR REPLACE TEMP TABLE found (place VARCHAR, mask BIGINT, value BIGINT, n BIGINT, most BIGINT)")
    for (mask,) in base.execute("SELECT DISTINCT mask FROM asked ORDER BY mask").fetchall():
        base.execute(
            f"INSERT INTO found WITH a AS (SELECT * FROM asked WHERE mask = {mask}),"
            f" k AS (SELECT place, code & {mask} AS value, sum(n) AS n FROM kinds SEMI JOIN a USING (place) GROUP BY ALL),"
            " m AS (SELECT place, max(n) AS most FROM k GROUP BY place)"
            " SELECT a.place, a.mask, a.value, k.n, m.most FROM a JOIN k USING (place, value) JOIN m USING (place)"
        )
    total = dict(base.execute("SELECT place, sum(n) FROM kinds GROUP BY place").fetchall())
    found = base.execute("SELECT place, mask, value, n, n = most AS modal FROM found").fetch_df()
    base.unregister("asking")
    joined = asking.merge(found, how="left", on=["place", "mask", "value"])
    whole = asking["place"].map(total).to_numpy(dtype=np.float64)
    modal = np.asarray(joined["modal"].eq(True).to_numpy(dtype=bool))
    return joined["n"].fillna(0).to_numpy(dtype=np.float64), whole, modal


def binomial(size: Ints, count: Ints, share: Floats) -> Floats:
    """
    >>> binomial(np.array([10]), np.array([1]), np.array([0.1])).round(4).tolist()
    [0.3874]
    """
    pairs, at = np.unique(np.stack([size, count], axis=1), axis=0, return_inverse=True)
    ways = np.array([float(comb(int(n), int(m))) for n, m in pairs], dtype=np.float64)[at.reshape(-1)]
    return np.asarray(ways * share**count * (1.0 - share) ** (size - count), dtype=np.float64)
