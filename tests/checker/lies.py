"""Lies: steps and trees that show nothing, in place of what would make a false claim certain."""

from __future__ import annotations

import random
from typing import Any

from tests.checker.cases import Case, Json, Where
from tests.checker.documents import first_free


def lie_about(rng: random.Random, case: Case, form: list[Any], bound: int) -> tuple[str, list[Json]]:
    """A derived row 'form <= bound' with a proof that does not hold."""
    free, rows = first_free(case.release), range(first_free(case.release) + 3)
    some = [[row, rng.choice([1, 1, 2, 10**30])] for row in rng.sample(rows, min(len(rows), rng.randint(0, 3)))]
    lows = [[2 * k + 1, 1] for k, s in enumerate(case.release.statistics) if s.low]
    highs = [[2 * k, 1] for k, s in enumerate(case.release.statistics)]
    below = {"terms": [[free, 1]], "over": 1}
    kind, tree = rng.choice(
        [
            ("no terms", {"terms": [], "over": 1}),
            ("random terms", {"terms": some, "over": rng.choice([1, 2, 10**9])}),
            ("divided away", {"terms": rng.sample(highs, min(len(highs), rng.randint(1, 3))), "over": 10**9}),
            ("own row", {"terms": [[free, 1]], "over": 1}),
            ("nothing fits", {"terms": rng.sample(lows, min(len(lows), 2)), "nothing": True}),
            ("negative multiplier", {"terms": [[row, -1] for row, _ in highs[:2]], "over": 1}),
            ("multiplier zero", {"terms": [[row, 0] for row, _ in highs[:2]], "over": 1}),
            ("negative over", {"terms": highs[:1], "over": -1}),
            ("over zero", {"terms": highs[:1], "over": 0}),
            ("half a split", {"split": form, "at": bound, "below": below, "above": below}),
            ("other branch", {"split": form, "at": bound, "below": below, "above": {"terms": [[free, 1]], "nothing": True}}),
            ("gap", {"split": form, "at": bound, "below": below, "above": {"terms": [[free, 1], [2 * len(highs), 1]], "over": 1}}),
            ("split row outside", {"terms": [[free, 1], [free + 1, 1]], "nothing": True}),
            ("high and low swapped", {"terms": [[row ^ 1, 1] for row, _ in highs[:2]], "over": 1}),
        ]
    )
    return kind, [{"bound": form, "at_most": bound, "proof": tree}]


def lie_that_empty(rng: random.Random, case: Case, where: Where) -> tuple[str, list[Json], int]:
    """Steps after which no record of a box is possible; none of them is justified."""
    column = rng.choice(list(where))
    codes = case.release.domain.column(column).codes
    rest = [code for code in codes if code not in where[column]]
    cut = [{"columns": name, "sets": [[c] for c in case.release.domain.column(name).codes]} for name in where]
    free = first_free(case.release)
    statistics = range(len(case.release.statistics))
    choice = rng.randrange(6)
    if choice == 0 and rest:
        return "sets that do not cover", [{"columns": column, "sets": rng.choice([[rest], [[code] for code in rest]])}], 0
    if choice == 1:
        some = rng.sample(statistics, min(len(statistics), 2))
        terms = [[rng.choice([2 * k, 2 * k, 2 * k + 1]), rng.choice([1, 1, 2])] for k in some]
        return "prune by a count that is not 0", [*cut, {"prune": terms}], 0
    if choice == 2:  # container less parts that overlap, stick out, or are dead and counted several times
        parts = rng.sample(statistics, min(len(statistics), rng.randint(1, 4)))
        terms = [[2 * rng.choice(statistics), 1], *([2 * k + 1, rng.choice([1, 1, 2, 3])] for k in parts)]
        return "container with wrong parts", [*cut, {"prune": terms}], 0
    if choice == 3:
        return "row that is not there", [*cut, {"prune": [[rng.choice([free, free + 1, 10**6, -1]), 1]]}], 0
    if choice == 4:
        return "not refined", [{"prune": [[rng.choice(range(free)), 1] for _ in range(1)]}], 0
    kind, steps = lie_about(rng, case, [[1, where]], 0)
    return f"empty: {kind}", [*steps, *cut, {"prune": [[free, 1]]}], 1
