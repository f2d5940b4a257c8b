"""Sentences about singled-out records, like the paper's first table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone.census.geography import describe, place_of
from foregone.census.kind import Kind
from foregone.model.domain import Domain
from foregone.study.baseline import Floats
from foregone.study.tables import AllClaims

NUMBER = 12


@dataclass(frozen=True, slots=True, order=True)
class Example:
    """A claim about exactly one record of a block, in words; `chance` is how likely it was, by the block's tract."""

    block: str
    columns: int
    words: str
    chance: float


def examples(claims: AllClaims, chances: Floats, kind: Kind, domain: Domain) -> list[Example]:
    """In each state the singleton that names most columns and was least to be expected."""
    best: dict[str, tuple[tuple[int, float, str, int], int]] = {}
    for i in np.flatnonzero(claims.count == 1).tolist():
        block = str(claims.block[i])
        rank = (-int(claims.columns[i]), float(chances[i]), block, i)
        state = place_of(block, "state")
        if state not in best or rank < best[state][0]:
            best[state] = rank, i
    told = [i for _, i in sorted(best.values())[:NUMBER]]
    return sorted(
        Example(
            str(claims.block[i]),
            int(claims.columns[i]),
            sentence(int(claims.mask[i]), int(claims.value[i]), kind, domain),
            float(chances[i]),
        )
        for i in told
    )


def sentence(mask: int, value: int, kind: Kind, domain: Domain) -> str:
    """A packed claim in words."""
    packing, texts = kind.packing, kind.texts(domain)
    named = [i for i in range(len(domain.columns)) if packing.value_at(mask, i)]
    return kind.sentence({domain.columns[i].name: frozenset([texts[i][packing.value_at(value, i)]]) for i in named})


def markdown(found: list[Example], kind: Kind, synthetic: bool) -> str:
    lines = [f"# {kind.counted.capitalize()} singled out by published tables", ""]
    if synthetic:
        lines += ["**The file is synthetic: nobody described here is real.**", ""]
    lines += [
        f"Each line describes exactly one {kind.name} of its block, in every dataset that matches the block's published tables.",
        "",
        "| place | columns | what is certain |",
        "|---|---|---|",
        *(f"| {describe(one.block)} | {one.columns} | {one.words} |" for one in found),
    ]
    return "\n".join(lines) + "\n"
