"""Random small releases made of two or three places whose numbers say nothing about each other, and some with numbers that do."""

from __future__ import annotations

from itertools import product
from random import Random

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.model.statement import Either, Statement


def glued(
    rng: Random, ties: bool = True, places: int = 0, ranges: bool = True, sums: bool = True, narrow: bool = True
) -> tuple[Release, Dataset]:
    """A release about a few places, and the truth. With `ties` totals of all places may be published, weighted sums and either-ors
    over several: exact totals follow from exact numbers of the places, others do not. Not `narrow`: no column has a single value.
    """
    places = places or rng.choice([2, 2, 3])
    names = [f"p{i}" for i in range(places)]
    widths = {"A": 2, "B": max(rng.choice([1, 2]) if places == 3 else rng.choice([1, 2, 2, 3]), 1 if narrow else 2)}
    codes = {"PLACE": names, **{c: [f"{c.lower()}{i}" for i in range(width)] for c, width in widths.items()}}
    domain = Domain.of(codes)
    everything = list(product(*codes.values()))
    truth = Dataset.of(domain, [rng.choice(everything) for _ in range(rng.randint(1, 5))])
    stated: list[Statistic] = []

    def state(table: str, blur: bool, **values: str) -> None:
        predicate = Predicate.of(values)
        count = truth.count(predicate)
        low, withheld = count, False
        high: int | None = count
        if ranges and blur and rng.random() < 0.25:
            low, high = max(0, count - rng.randint(0, 1)), count + rng.randint(0, 1)
        elif ranges and blur and rng.random() < 0.1:
            low, high, withheld = 0, None, True
        stated.append(Statistic(predicate, low, high, ".".join([table, *values.values()]), table, withheld))

    blur = rng.random() < 0.6
    for name in names:
        some = rng.sample(["total", "A", "B", "AB"], rng.randint(1, 3))
        if "total" in some or not {"A", "B", "AB"} & set(some):
            state("total", blur, PLACE=name)
        for c in ("A", "B"):
            if c in some:
                for code in codes[c]:
                    state(c, blur, PLACE=name, **{c: code})
        if "AB" in some:
            for a, b in product(codes["A"], codes["B"]):
                if rng.random() < 0.7:
                    state("AB", blur, PLACE=name, A=a, B=b)
    further: list[Statement] = []
    choices: list[Either] = []
    if ties and rng.random() < 0.7:
        kinds = rng.sample(["all", "A", "B", "some"], rng.randint(1, 2))
        if "all" in kinds:
            state("all", rng.random() < 0.2)
        for c in ("A", "B"):
            if c in kinds:
                for code in codes[c]:
                    state(f"all_{c}", rng.random() < 0.2, **{c: code})
        if "some" in kinds:
            one, other = Predicate.of({"PLACE": names[0], "A": "a0"}), Predicate.of({"PLACE": names[1]})
            terms = ((1, one), (rng.choice([-1, 1, 2]), other))
            value = truth.value(terms)
            if sums and rng.random() < 0.5:
                further.append(Statement(terms, value - rng.randint(0, 1), value + rng.randint(0, 1), "sum", "sums"))
            elif sums:
                left = Statement(terms, None, value)
                right = Statement(((1, Predicate.of({"PLACE": names[-1], "B": "b0"})),), rng.randint(0, 2), None)
                choices.append(Either(left, right, "choice", "choices"))
    rng.shuffle(stated)
    return Release(domain, stated, (), further, choices), truth
