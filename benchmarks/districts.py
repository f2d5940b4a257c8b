"""A release that falls into independent parts: school districts, each with a table by race and a table by grade.

No number ties one district to another: the state's totals, where they are published too, are sums of exact numbers of the
districts. So everything should cost as much as one district, times their number. A process for each measurement; times are
processor time.

    python benchmarks/districts.py                    1, 30 and 210 districts
    python benchmarks/districts.py 210 explain
    python benchmarks/districts.py 210 write FOLDER   the release, as a folder
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from time import process_time
from typing import Any

SIZES = (1, 30, 210)
RACES = ("Asian", "Black", "Hawaiian", "Hispanic", "Native", "Several", "White")
GRADES = ("K", *(str(grade) for grade in range(1, 13)), "Other")
LIMIT = 200.0  # seconds for a protection; by the clock, so much less is enough on a machine that does nothing else
QUESTIONS = ("audit", "verify", "bounds", "explain", "primary", "stars", "default")


def districts(number: int, state: bool = True, stars: bool = False) -> Any:
    """Pupils of a state by district, race and grade. Few districts are large and many small; few races are common.

    With `stars` counts of 1 to 4 pupils are not shown.
    """
    from foregone import Domain, Predicate, Release, Statistic

    rng = random.Random(7)
    names = [f"D{d:03}" for d in range(number)]
    domain = Domain.of({"DISTRICT": names, "RACE": list(RACES), "GRADE": list(GRADES)}, record="pupil")
    counts: Counter[tuple[str, ...]] = Counter()
    totals = dict.fromkeys(names, 0)
    for d, name in enumerate(names):
        totals[name] = 25 + 4000 // (d + 1) + rng.randrange(60)
        shares = [rng.random() ** 4 + (0.0 if r < len(RACES) - 2 else 0.3) for r in range(len(RACES))]
        for _ in range(totals[name]):
            race = rng.choices(RACES, shares)[0]
            grade = rng.choices(GRADES, [1.0] * (len(GRADES) - 1) + [0.02])[0]
            counts["race", name, race] += 1
            counts["grade", name, grade] += 1
            counts["all races", race] += 1
            counts["all grades", grade] += 1
    stated = []

    def state_it(table: str, count: int, **values: str) -> None:
        exact = Statistic.exact(Predicate.of(values), count, ".".join((table, *values.values())), table)
        stated.append(replace(exact, low=1, high=4, withheld=True, mark="*") if stars and 1 <= count <= 4 else exact)

    for name in names:
        state_it("districts", totals[name], DISTRICT=name)
        for race in RACES:
            state_it("by_race", counts["race", name, race], DISTRICT=name, RACE=race)
        for grade in GRADES:
            state_it("by_grade", counts["grade", name, grade], DISTRICT=name, GRADE=grade)
    if state:
        state_it("state", sum(totals.values()))
        for race in RACES:
            state_it("state_race", counts["all races", race], RACE=race)
        for grade in GRADES:
            state_it("state_grade", counts["all grades", grade], GRADE=grade)
    return Release(domain, stated)


def claim(release: Any) -> tuple[Any, int]:
    """The smallest number of pupils of a race in a district, the first such."""
    count = min((count for count in release.statistics if count.table == "by_race" and count.low), key=lambda count: count.low)
    return count.predicate, count.low


def measure(number: int, question: str, state: bool = True) -> str:
    """One question, in this process: processor time and what came out."""
    import foregone as fg

    release = districts(number, state)
    predicate, count = claim(release)
    if question in ("primary", "stars", "default"):  # what may be withheld ties districts to the state's totals, if there are any
        release = districts(number, "state" in sys.argv, stars=question == "stars")
    begin = process_time()
    match question:
        case "audit":
            found = fg.audit(release)
            told = f"{len(found.facts):,} facts, {len(found.open)} open"
        case "verify":
            told = fg.verify(release, predicate, count).verdict.value
        case "bounds":
            told = str(fg.bounds(release, fg.Predicate.of({"RACE": "Black", "GRADE": "3"})))
        case "explain":
            why = fg.explain(release, predicate, count)
            told = f"{len(why.ways.sets)} explanations, complete: {why.ways.complete}, withhold {len(why.ways.withhold)}"
        case _:
            policies = {"primary": fg.Policy(primary=fg.Primary(1, 4)), "stars": fg.Policy(stars=2), "default": None}
            kept = fg.protect(release, policies[question], time_limit=LIMIT)
            told = f"withheld {len(kept.cells):,} of {len(release.statistics):,}, cost {kept.lower_bound} to {kept.cost}"
            told += f"; {kept.reason or 'proved'}"
    return f"{number:4} {question:8} {process_time() - begin:8.2f} s   {told}"


def main(arguments: list[str]) -> None:
    if len(arguments) >= 2 and arguments[1] == "write":
        districts(int(arguments[0])).write(arguments[2])
    elif len(arguments) >= 2:
        print(measure(int(arguments[0]), arguments[1], "alone" not in arguments[2:]), flush=True)
    else:
        for number in SIZES:
            for question in QUESTIONS:
                subprocess.run([sys.executable, __file__, str(number), question, *arguments], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
