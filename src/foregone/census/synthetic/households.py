"""Synthetic households that obey the edit rules and are alike inside a neighbourhood. Nobody in them is real.

Likeness comes from copying: going through a block, each household takes its stage of life (or its race, or its
tenure) over from a random earlier household of the block, or draws it afresh, the latter less often the
more neighbours there are. A block so ends up with a few kinds of household in very unequal shares, while every
single household still has the shares of its tract, and over all tracts the national ones.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from foregone.batch.plan import Floats, Ints
from foregone.census.household.kind import household_domain
from foregone.model.dataset import Dataset

Bools = NDArray[np.bool_]

_TEXT = files("foregone.census.synthetic").joinpath("shares.toml").read_text("utf-8")
SHARES = {name: np.array(values, dtype=float) for name, values in tomllib.loads(_TEXT).items()}

# How often something is drawn afresh instead of copied: a weight against that of all neighbours, and a plain share.
# These numbers were searched for such that what the study finds here is near what its paper prints (docs/census.md says how near).
FRESH = {"stage": (0.54, 0.26), "race": (0.17, 0.09), "tenure": (0.08, 0.08)}
NEW_SIZE = 0.8
TRACT_LIKENESS = {"race": 1.6, "type": 20.0}  # concentration of a tract's shares around those of the nation
TENURE_SPREAD = 1.2
STRETCH = (1 + TENURE_SPREAD**2 * np.pi / 9) ** 0.5  # of log odds, so that their spread over tracts leaves the mean where it was


@dataclass(frozen=True, slots=True)
class Tracts:
    """What the blocks of each tract have in common: shares of race and type, and how far tenure leans to owning."""

    race: Floats
    type: Floats
    owner_tilt: Floats

    @classmethod
    def draw(cls, count: int, rng: np.random.Generator) -> Tracts:
        race, type_ = (
            _dirichlet(SHARES[name] / SHARES[name].sum() * likeness, count, rng) for name, likeness in TRACT_LIKENESS.items()
        )
        return cls(race, type_, rng.normal(0.0, TENURE_SPREAD, count))


def households(tracts: Tracts, tract: Ints, block: Ints, rng: np.random.Generator) -> dict[str, Ints]:
    """A household for each entry of `tract` and `block`: columns with codes as in a unit file. Blocks are runs of equal numbers."""
    count = len(block)
    place = _place_in_block(block)
    stage = _source(place, *FRESH["stage"], rng)
    type_ = draw(tracts.type[tract], rng)[stage]
    detail = draw(SHARES["detail"][type_ - 1], rng)[stage]
    age = draw(SHARES["age"][detail - 1], rng)[stage]
    # sizes are copied only among households at the same stage, of which a copied size is always one
    size = draw(SHARES["size"][detail - 1], rng)
    same = rng.random(count) < 1 - NEW_SIZE
    size = np.where(same, size[stage], size)
    # a cohabiting couple with a relative present (HHT 2 or 3) has at least three people
    size = np.where((detail == 4) & (type_ <= 3), np.maximum(size, 3), size)
    kin = _source(place, *FRESH["race"], rng)
    race = draw(tracts.race[tract], rng)[kin]
    origin = (1 + (rng.random(count) < SHARES["hispanic"][race - 1]))[kin]
    home = _source(place, *FRESH["tenure"], rng)
    luck = rng.random(count)[home]
    owning = SHARES["owner"][age - 1]
    odds = (owning / (1 - owning)) ** STRETCH * np.exp(tracts.owner_tilt[tract])
    owner = luck < odds / (1 + odds)
    clear = rng.random(count)[stage] < SHARES["clear"][age - 1]
    free = rng.random(count) < 0.06
    tenure = np.where(owner, np.where(clear, 2, 1), np.where(free, 4, 3))
    columns = {"TEN": tenure, "HHSIZE": size, "HHT": type_, "HHT2": detail, "THHLDRAGE": age, "THHSPAN": origin, "THHRACE": race}
    return {**columns, **_members(size, type_, detail, age, stage, rng)}


def _members(size: Ints, type_: Ints, detail: Ints, age: Ints, stage: Ints, rng: np.random.Generator) -> dict[str, Ints]:
    """Who else lives there: couples, children and older people, as far as the household has room for them."""
    count = len(size)
    couple = detail <= 4
    male = np.where(type_ == 1, rng.random(count) < 0.75, np.isin(type_, (2, 4, 5)))
    alike = rng.random(count) < 0.01
    pair = np.where(couple, np.where(detail <= 2, 1, 3) + alike, np.where(size > 1, 5, 0))
    partner = np.select([(detail > 2) & couple & male, (detail > 2) & couple], [2 - alike, 4 - alike], np.where(size > 1, 5, 0))

    room = size - 1 - couple  # people besides the householder and a partner
    chance = rng.random(count)[stage]
    own = np.where(chance < 0.22, 1, np.where(chance < 0.78, 2, 3))
    older = (~male & (age >= 6)) | (male & (age >= 8))
    own = np.where(older | (own == 3) & (room < 2), 2, own)
    own = np.where(SHARES["child"][detail] > 0, own, 4)
    chance = rng.random(count)
    other = (chance < _other_child(detail, size)) & (room > 0) & (own == 4)
    mixed = (own <= 2) & (room >= 2) & (chance < 0.05)
    kind = np.where(chance * 7 % 1 < 0.3, 1, 2)
    children = np.where(mixed, 3, np.where(other, kind, own))
    child = children != 4
    spouse_minor = (age == 1) & (chance > 0.9985)  # a householder of 15 to 17, or so young a partner

    adults = room - np.where(children == 3, 2, np.where(child, 1, 0))  # room for older people who are not the partner
    level = np.select([age >= 8, age == 7, age == 6], [3, 2, 1], 0)
    chance = rng.random(count)[stage]
    spouse = np.where(couple, _spouse_level(age, chance), 0)
    parent = (adults > 0) & (rng.random(count) < _other_elder(detail, size))
    level = np.maximum(level, np.maximum(spouse, np.where(parent & ~spouse_minor, 2 + (chance < 0.55), 0)))
    generations = (size > 2 + couple) & (rng.random(count) < np.where(child & parent, 0.6, 0.02))
    return {
        "HHSEX": np.where(male, 1, 2),
        "CPLT": pair.astype(np.int64),
        "UPART": partner.astype(np.int64),
        "MULTG": np.where(size > 2, 1 + generations, 0),
        "PAOC": own,
        "PAC": children,
        "TP18": (child | (spouse_minor & (size == 1))).astype(np.int64),
        "TP60": (level >= 1).astype(np.int64),
        "TP65": (level >= 2).astype(np.int64),
        "TP75": (level >= 3).astype(np.int64),
    }


def _other_child(detail: Ints, size: Ints) -> Floats:
    """Chance of somebody under 18 who is not the householder's own child."""
    base = np.where(np.isin(detail, (7, 11)), 0.22, np.where(size > 2, 0.18, 0.0))
    return np.where(np.isin(detail, (8, 12)), 0.02, base)


def _spouse_level(age: Ints, chance: Floats) -> Ints:
    """0 for a partner under 60, 1 under 65, 2 under 75, 3 above; near the householder's own age."""
    return np.select(
        [age >= 8, age == 7, age == 6, age == 5, (age >= 3) & (chance < 0.02)],
        [
            np.where(chance < 0.7, 3, 2),
            np.where(chance < 0.2, 3, np.where(chance < 0.8, 2, 1)),
            np.where(chance < 0.28, 2, np.where(chance < 0.8, 1, 0)),
            np.where(chance < 0.08, 2, np.where(chance < 0.3, 1, 0)),
            1,
        ],
        0,
    )


def _other_elder(detail: Ints, size: Ints) -> Floats:
    """Chance of a parent or another older person who is not the partner."""
    return np.where(np.isin(detail, (7, 11)), 0.22, 0.03) + np.where(size >= 4, 0.02, 0.0)


def _place_in_block(block: Ints) -> Ints:
    """0, 1, 2, ... within each run of equal numbers."""
    starts = np.flatnonzero(np.concatenate([[True], block[1:] != block[:-1]])) if len(block) else np.zeros(0, dtype=np.int64)
    lengths = np.diff(np.append(starts, len(block)))
    return np.arange(len(block)) - np.repeat(starts, lengths)


def _source(place: Ints, fresh: float, odd: float, rng: np.random.Generator) -> Ints:
    """For each household the one it takes something over from: itself, or a random earlier one of its block."""
    at = np.arange(len(place))
    copied = (rng.random(len(place)) * (place + fresh) >= fresh) & (rng.random(len(place)) >= odd)
    back = 1 + np.floor(rng.random(len(place)) * np.maximum(place, 1)).astype(np.int64)
    source = np.where(copied & (place > 0), at - back, at)
    while True:  # follow copies of copies to their origin
        further = source[source]
        if (further == source).all():
            return source
        source = further


def _dirichlet(weights: Floats, count: int, rng: np.random.Generator) -> Floats:
    drawn = rng.gamma(weights, size=(count, len(weights))) + 1e-9
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def draw(weights: Floats, rng: np.random.Generator) -> Ints:
    """One draw from 1, 2, ... per row of weights."""
    total = np.cumsum(weights, axis=1)
    passed = rng.random(len(weights))[:, None] * total[:, -1:] >= total
    return np.asarray(np.minimum(passed.sum(axis=1), weights.shape[1] - 1) + 1, dtype=np.int64)


def block(households_: int, seed: int) -> Dataset:
    """A synthetic block: the same size and seed always give the same households."""
    rng = np.random.default_rng([seed, households_])
    zeros = np.zeros(households_, dtype=np.int64)
    made = households(Tracts.draw(1, rng), zeros, zeros, rng)
    domain = household_domain()
    rows = np.stack([made[name] if name != "VACS" else zeros for name in domain.names], axis=1)
    return Dataset.of(domain, [tuple(map(str, row)) for row in rows.tolist()])
