"""Synthetic households that obey the edit rules, clustered by neighbourhood. Nobody in them is real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.census.tables import household_domain
from foregone.dataset import Dataset

# Shares are rounded from the 2010 national profile; rows are normalised when drawn from.
TYPE_SHARE = np.array([48.4, 5.0, 13.1, 11.9, 3.9, 14.8, 3.0])  # HHT 1..7
DETAIL_SHARE = np.array(  # HHT2 1..12 given HHT 1..7
    [
        [42, 58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 16, 8, 0, 0, 0, 0, 0, 40, 36, 0],
        [0, 0, 10, 4, 0, 48, 38, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0],
        [0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0, 44],
        [0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 52, 0, 0, 0, 48, 0, 0, 0, 0],
    ],
    dtype=float,
)
SIZE_SHARE = np.array(  # HHSIZE 1..7 given HHT2 1..12
    [
        [0, 0, 27, 41, 20, 8, 4],
        [0, 72, 16, 7, 3, 1, 1],
        [0, 0, 36, 32, 18, 9, 5],
        [0, 80, 12, 5, 2, 1, 0],
        [100, 0, 0, 0, 0, 0, 0],
        [0, 36, 32, 18, 8, 4, 2],
        [0, 55, 25, 11, 5, 2, 2],
        [0, 82, 12, 4, 1, 1, 0],
        [100, 0, 0, 0, 0, 0, 0],
        [0, 42, 30, 16, 7, 3, 2],
        [0, 52, 26, 12, 6, 2, 2],
        [0, 76, 15, 6, 2, 1, 0],
    ],
    dtype=float,
)
AGE_SHARE = np.array(  # THHLDRAGE 1..9 given HHT2 1..12
    [
        [2, 23, 43, 28, 3, 1, 0.4, 0, 0],
        [2, 9, 7, 20, 16, 14, 19, 10, 3],
        [14, 41, 30, 13, 1, 0.5, 0.3, 0, 0],
        [13, 33, 17, 18, 8, 5, 4, 2, 0.5],
        [4, 9, 7, 13, 10, 10, 18, 18, 11],
        [9, 32, 38, 18, 2, 0.7, 0.3, 0, 0],
        [6, 9, 10, 24, 12, 9, 14, 10, 6],
        [31, 29, 11, 12, 6, 4, 4, 2, 1],
        [6, 17, 15, 20, 12, 9, 11, 7, 3],
        [5, 26, 39, 25, 3, 1, 0.6, 0, 0],
        [10, 18, 12, 22, 11, 8, 10, 6, 3],
        [28, 35, 14, 12, 5, 3, 2, 1, 0.3],
    ],
    dtype=float,
)
RACE_SHARE = np.array([76.9, 12.1, 0.8, 4.0, 0.1, 4.2, 1.9])
HISPANIC_SHARE = np.array([0.08, 0.02, 0.15, 0.01, 0.08, 0.93, 0.22])  # given race
OWNER_BY_AGE = np.array([0.17, 0.42, 0.62, 0.72, 0.76, 0.79, 0.81, 0.78, 0.68])
CLEAR_BY_AGE = np.array([0.10, 0.08, 0.11, 0.20, 0.33, 0.43, 0.58, 0.75, 0.80])  # of owners, no mortgage
CHILD_DETAIL = np.array([0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0], dtype=bool)  # HHT2 with own children


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What the households of one neighbourhood have in common: shares of race and type, tilt of tenure and age."""

    race: NDArray[np.float64]
    type: NDArray[np.float64]
    age: NDArray[np.float64]
    owner_tilt: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Neighbourhood:
        """Most neighbourhoods have one dominant race and one dominant tenure; age and type vary more."""
        dominant = rng.choice(7, p=RACE_SHARE / RACE_SHARE.sum())
        race = RACE_SHARE / RACE_SHARE.sum() * 0.12
        race[dominant] += 0.88
        return cls(
            race=rng.dirichlet(race * 25 + 1e-3),
            type=rng.dirichlet(TYPE_SHARE / TYPE_SHARE.sum() * 14 + 1e-3),
            age=rng.dirichlet(np.full(9, 5.0)) * 9,
            owner_tilt=float(rng.normal(0.0, 2.2)),
        )

    def households(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`count` households, one row each, holding codes in the order of the study's ten columns."""
        type_ = _draw(np.tile(self.type, (count, 1)), rng)
        detail = _draw(DETAIL_SHARE[type_ - 1], rng)
        size = _draw(SIZE_SHARE[detail - 1], rng)
        # a cohabiting couple with a relative present (HHT 2 or 3) has at least three people
        size = np.where((detail == 4) & (type_ <= 3), np.maximum(size, 3), size)
        age = _draw(AGE_SHARE[detail - 1] * self.age, rng)
        race = _draw(np.tile(self.race, (count, 1)), rng)
        origin = 1 + (rng.random(count) < HISPANIC_SHARE[race - 1])
        owner_odds = OWNER_BY_AGE[age - 1] / (1 - OWNER_BY_AGE[age - 1]) * np.exp(self.owner_tilt)
        owner = rng.random(count) < owner_odds / (1 + owner_odds)
        clear = rng.random(count) < CLEAR_BY_AGE[age - 1]
        free = rng.random(count) < 0.06
        tenure = np.where(owner, np.where(clear, 2, 1), np.where(free, 4, 3))
        child = CHILD_DETAIL[detail] | ((rng.random(count) < _other_child(detail, size)) & (size > 1))
        elder = (age >= 7) | ((rng.random(count) < _other_elder(detail, size, age)) & (size > 1) & ~((size == 2) & child))
        zero = np.zeros(count, dtype=np.int64)
        return np.stack(
            [tenure, zero, size, type_, detail, origin, age, race, child.astype(np.int64), elder.astype(np.int64)], axis=1
        )


def _other_child(detail: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chance of somebody under 18 who is not the householder's own child."""
    relatives = np.isin(detail, (7, 11))
    base = np.where(relatives, 0.22, np.where(size > 2, 0.18, 0.004))
    return np.where(np.isin(detail, (8, 12)), 0.02, base)


def _other_elder(detail: NDArray[np.int64], size: NDArray[np.int64], age: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chance of somebody else aged 65 or over."""
    couple = np.isin(detail, (1, 2, 3, 4))
    near = np.select([age == 6, age == 5, age >= 3], [0.28, 0.08, 0.02], 0.005)
    return np.where(couple, near, np.where(np.isin(detail, (7, 11)), 0.22, 0.03)) + np.where(size >= 4, 0.03, 0.0)


def _draw(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """One draw from 1, 2, ... per row of weights."""
    total = np.cumsum(weights, axis=1)
    passed = rng.random(len(weights))[:, None] * total[:, -1:] >= total
    return np.asarray(passed.sum(axis=1) + 1, dtype=np.int64)


def block(households: int, seed: int) -> Dataset:
    """A synthetic block: the same size and seed always give the same households."""
    rng = np.random.default_rng([seed, households])
    rows = Neighbourhood.draw(rng).households(households, rng)
    return Dataset.of(household_domain(), [tuple(map(str, row)) for row in rows.tolist()])
