"""Labels that add up to another one, found among all sets of them."""

from __future__ import annotations

import random
from itertools import combinations

from foregone.tables.reading.levels import adding_up


def test_sets_that_add_up_are_those_that_trying_all_finds() -> None:
    rng = random.Random(5)
    found = 0
    for _ in range(300):
        labels = [f"L{i}" for i in range(rng.randrange(3, 8))]
        lines = [{label: rng.randrange(0, 1000) for label in labels} for _ in range(4)]
        some = rng.sample(labels, rng.randrange(2, len(labels))) if rng.random() < 0.7 else []
        for line in lines:
            line["all"] = sum(line[label] for label in some) if some else rng.randrange(500, 2000)
        sets = [
            one
            for n in range(2, len(labels))
            for one in combinations(labels, n)
            if all(line["all"] == sum(line[label] for label in one) for line in lines)
        ]
        got = adding_up(lines, "all", labels)
        assert (got in sets) if sets else got == ()
        found += bool(got)
    assert found > 150


def test_few_numbers_prove_nothing() -> None:
    assert adding_up([{"all": 5, "a": 2, "b": 3, "c": 4}], "all", ["a", "b", "c"]) == ()
