"""Sentences about singled-out households, like the paper's first table."""

from __future__ import annotations

import numpy as np

from foregone.census.geography import describe, place_of
from foregone.census.household.sentences import household
from foregone.census.packing import code_at
from foregone.study.baseline import Floats
from foregone.study.tables import AllClaims

NUMBER = 12
YES_NO = ("TP18", "TP65")


def examples(claims: AllClaims, chances: Floats, names: tuple[str, ...]) -> list[tuple[str, int, str]]:
    """(block, columns, sentence): in each state the singleton that names most columns and was least to be expected."""
    best: dict[str, tuple[tuple[int, float, str, int], int]] = {}
    for i in np.flatnonzero(claims.count == 1).tolist():
        block = str(claims.block[i])
        rank = (-int(claims.columns[i]), float(chances[i]), block, i)
        state = place_of(block, "state")
        if state not in best or rank < best[state][0]:
            best[state] = rank, i
    told = sorted(best.values())[:NUMBER]
    return sorted(
        (str(claims.block[i]), int(claims.columns[i]), sentence(int(claims.mask[i]), int(claims.value[i]), names)) for _, i in told
    )


def sentence(mask: int, value: int, names: tuple[str, ...]) -> str:
    """A packed claim in words; a vacant unit has 0 in every column that says something about people."""
    codes = {name: str(code_at(value, i)) for i, name in enumerate(names) if code_at(mask, i)}
    if codes.get("VACS", "0") != "0" or any(code == "0" for name, code in codes.items() if name not in (*YES_NO, "VACS")):
        return "A vacant housing unit."
    return household(codes)


def markdown(found: list[tuple[str, int, str]], synthetic: bool) -> str:
    lines = ["# Households singled out by published tables", ""]
    if synthetic:
        lines += ["**The unit file is synthetic: nobody described here is real.**", ""]
    lines += [
        "Each line describes exactly one household of its block, in every dataset that matches the block's published tables.",
        "",
        "| place | columns | what is certain |",
        "|---|---|---|",
        *(f"| {describe(block)} | {columns} | {words} |" for block, columns, words in found),
    ]
    return "\n".join(lines) + "\n"
