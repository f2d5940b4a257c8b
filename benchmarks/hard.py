"""Releases that whole numbers make hard, and CP-SAT asked the same questions in the same run; one core, a process for each.

Dense margins leave few zeros, withheld, starred and rounded counts leave ranges, odd cycles mislead every linear
relaxation. The audit settles all claims of a release. CP-SAT is asked, for a sample of the facts that the audit found,
whether a dataset that fits has another count; its mean time, times the number of facts, is what all of them would take. It is
asked the same about some claims that the audit refuted, for rounded tables often make nothing certain; the mean time of one is
told. It does not look for the claims, and gives no proofs. An answer that differs from ours ends the run with an error. Times
are processor time.

    python benchmarks/hard.py --quick
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from time import process_time
from typing import Any

LIMIT = 300.0  # seconds for an audit
ASKED = 10  # facts that CP-SAT is asked about
REFUTED = 3  # and refuted claims
EACH = 10.0  # seconds for each of these questions


def shown(count: int, style: str, rng: random.Random) -> tuple[int, int]:
    """What a reader knows of a count that is published in a style."""
    match style:
        case "starred":
            return (1, 4) if 1 <= count <= 4 else (count, count)
        case "zeros starred":
            return (0, 4) if count <= 4 else (count, count)
        case "rounded to 5":
            near = (count + 2) // 5 * 5
            return max(0, near - 2), near + 2
        case "randomly rounded to 3":
            near = count - count % 3 + 3 * (3 * rng.random() < count % 3)
            return max(0, near - 2), near + 2
    return count, count


def margins(records: int, columns: int, ways: int = 2, below: int = 0, noise: float = 0.15, style: str = "exact") -> Any:
    """All margins over so many columns at a time; counts `below` a number, zeros too, are published as a range.

    Columns depend on each other, as real ones do; the less `noise`, the more. In another style than "exact", `shown` tells what
    every number says.
    """
    from foregone import Domain, Predicate, Release, Statistic

    rng = random.Random(1)
    widths = [2 + (3 * c) % 5 for c in range(columns)]
    names = [f"C{c:02}" for c in range(columns)]
    domain = Domain.of({name: [str(v) for v in range(width)] for name, width in zip(names, widths, strict=True)})
    rows = []
    for _ in range(records):
        kind = rng.random()
        rows.append(tuple(str(min(w - 1, int(w * abs(rng.gauss(kind, noise))))) for w in widths))
    numbers = [Statistic(Predicate(), *shown(records, style, rng))]
    for chosen in combinations(range(columns), ways):
        counts = Counter(tuple(row[c] for c in chosen) for row in rows)
        for codes in product(*(domain.columns[c].codes for c in chosen)):
            predicate, count = Predicate.of({names[c]: code for c, code in zip(chosen, codes, strict=True)}), counts[codes]
            limits = (0, below - 1) if count < below else shown(count, style, rng)
            numbers.append(Statistic(predicate, *limits))
    return Release(domain, tuple(numbers))


def cycles(number: int) -> Any:
    """Triangles of values, any two of a triangle together at most once, and one record more than there are triangles."""
    from foregone import Domain, Predicate, Release, Statistic

    corners = [[f"{corner}{t}" for corner in "abc"] for t in range(number)]
    domain = Domain.of({"V": [*(corner for triangle in corners for corner in triangle), "rest"]})
    numbers = [Statistic.exact(Predicate(), number + 1), Statistic(Predicate.of({"V": "rest"}), 0, 1)]
    for a, b, c in corners:
        numbers += [Statistic(Predicate.of({"V": list(pair)}), 0, 1) for pair in ((a, b), (b, c), (a, c))]
    return Release(domain, tuple(numbers))


CASES: dict[str, Callable[[], Any]] = {
    "margins of 60 records, 8 columns": lambda: margins(60, 8),
    "margins of 100 records, 8 columns": lambda: margins(100, 8),
    "margins of 150 records, 8 columns": lambda: margins(150, 8),
    "margins of 300 records, 8 columns": lambda: margins(300, 8),
    "margins of 100 records, 12 columns": lambda: margins(100, 12, noise=0.08),
    "margins of 300 records, 16 columns": lambda: margins(300, 16, noise=0.04),
    "three-way margins of 60 records, 6 columns": lambda: margins(60, 6, ways=3),
    "three-way margins of 150 records, 7 columns": lambda: margins(150, 7, ways=3),
    "margins below 5 withheld, 60 records, 4 columns": lambda: margins(60, 4, below=5),
    "margins below 5 withheld, 80 records, 5 columns": lambda: margins(80, 5, below=5),
    "margins starred, 60 records, 6 columns": lambda: margins(60, 6, style="starred"),
    "margins starred, 100 records, 8 columns": lambda: margins(100, 8, style="starred"),
    "margins starred, 150 records, 8 columns": lambda: margins(150, 8, style="starred"),
    "margins starred, 100 records, 12 columns": lambda: margins(100, 12, style="starred", noise=0.08),
    "margins with zeros starred, 60 records, 6 columns": lambda: margins(60, 6, style="zeros starred"),
    "margins with zeros starred, 60 records, 8 columns": lambda: margins(60, 8, style="zeros starred"),
    "margins rounded to 5, 60 records, 6 columns": lambda: margins(60, 6, style="rounded to 5"),
    "margins rounded to 5, 100 records, 6 columns": lambda: margins(100, 6, style="rounded to 5"),
    "margins rounded to 5, 60 records, 8 columns": lambda: margins(60, 8, style="rounded to 5"),
    "margins rounded to 5, 100 records, 8 columns": lambda: margins(100, 8, style="rounded to 5"),
    "margins randomly rounded to 3, 60 records, 8 columns": lambda: margins(60, 8, style="randomly rounded to 3"),
    "8 odd cycles": lambda: cycles(8),
    "50 odd cycles": lambda: cycles(50),
    "200 odd cycles": lambda: cycles(200),
}
SMALLEST = (
    "margins of 60",
    "three-way margins of 60",
    "margins below 5 withheld, 60",
    "margins rounded to 5, 60 records, 6",
    "8 odd",
)
QUICK = [name for name in CASES if name.startswith(SMALLEST)]
HEADER = (
    "| release | buckets | rows | audit s | linear programs | nodes | derived rows | facts | undecided"
    " | CP-SAT s, all facts | its questions open | CP-SAT s, a refuted claim | of these open |"
)


def ours(name: str) -> dict[str, Any]:
    """The audit, and what it took."""
    from foregone.engine import Evidence, start
    from foregone.engine.claims.audit_loop import find_facts
    from foregone.model.errors import UndecidedError
    from foregone.model.families import Groups

    release = CASES[name]()
    begin = process_time()
    try:
        session = start(release, LIMIT)
    except UndecidedError:
        return {"facts": [], "refuted": [], "seconds": process_time() - begin}
    found = find_facts(session, groups=Groups.NONE)
    seconds = process_time() - begin
    prover = session.prover
    evidence = Evidence(session.system, tuple(found.facts), tuple(found.lemmas), tuple(session.pool), Groups.NONE)
    facts = [[fact.predicate.text(), fact.count] for fact in evidence.stated(evidence.certain)]
    derived = sum(not len(lemma.buckets) for lemma in prover.lemmas)
    return {
        "cells": session.system.buckets,
        "rows": session.system.rows,
        "seconds": seconds,
        "programs": prover.relaxation.solves,
        "nodes": prover.nodes,
        "derived": derived,
        "facts": facts,
        "refuted": refuted(session.system, session.pool.witnesses),
        "open": len(evidence.open),
    }


def refuted(system: Any, datasets: list[Any]) -> list[list[Any]]:
    """Some claims that a record fits, with their counts in the first dataset, which other datasets refute."""
    from foregone import Predicate
    from foregone.engine.system.decode import records_of

    rng, names, found = random.Random(0), system.release.domain.names, list[list[Any]]()
    for _ in range(100 * REFUTED):
        record = next(records_of(system, rng.choice(datasets[0].spread().tolist())))
        chosen = sorted(rng.sample(range(len(names)), min(3, len(names))))
        claim = Predicate.of({names[c]: record[c] for c in chosen})
        inside, touching = system.footprint(claim)
        counts = [dataset.value(inside.astype(int)) for dataset in datasets]
        entry = [claim.text(), counts[0]]
        if (inside == touching).all() and min(counts) < max(counts) and entry not in found:
            found.append(entry)
        if len(found) == REFUTED:
            break
    return found


def theirs(name: str, facts: list[tuple[str, int]], refuted: list[tuple[str, int]]) -> dict[str, Any]:
    """CP-SAT about some facts and some refuted claims: is there a dataset with fewer, or with more, such records?"""
    import numpy as np

    from foregone import Predicate
    from foregone.engine.system.linear import compile_release
    from foregone.solvers.ip.outcome import NoPoint, Point, ask
    from foregone.solvers.ip.program import Draft
    from foregone.solvers.ip.registry import load

    release = CASES[name]()
    system = compile_release(release)
    draft = Draft()
    assert system.largest is not None
    draft.variables(system.buckets, 0, system.largest)
    members: list[list[int]] = [[] for _ in range(system.rows)]
    for bucket in range(system.buckets):
        for row in system.members[system.starts[bucket] : system.starts[bucket + 1]].tolist():
            members[row].append(bucket)
    for row, low, high in zip(members, system.low.tolist(), system.high.tolist(), strict=True):
        draft.row(((bucket, 1) for bucket in row), low, high)
    program, adapter = draft.program(), load("cpsat")
    ask(adapter, program, EACH)  # a first time, so that loading it is not measured

    def about(text: str, count: int) -> tuple[list[Any], float]:
        inside = np.flatnonzero(system.footprint(Predicate.parse(text, release.domain))[0]).tolist()
        outcomes, begin = [], process_time()
        for low, high in ((None, count - 1), (count + 1, None)):
            more = Draft(program)
            more.row(((bucket, 1) for bucket in inside), low, high)
            outcomes.append(ask(adapter, more.program(), EACH))
            if isinstance(outcomes[-1], Point):
                break
        return outcomes, process_time() - begin

    seconds, open_ = [0.0, 0.0], [0, 0]
    for text, count in facts:
        outcomes, took = about(text, count)
        if isinstance(outcomes[-1], Point):
            raise SystemExit(f"{name}: CP-SAT has a dataset with another count than {count} of {text}")
        seconds[0] += took
        open_[0] += sum(not isinstance(outcome, NoPoint) for outcome in outcomes)
    for text, count in refuted:
        outcomes, took = about(text, count)
        if all(isinstance(outcome, NoPoint) for outcome in outcomes):
            raise SystemExit(f"{name}: CP-SAT has no dataset with another count than {count} of {text}")
        seconds[1] += took
        open_[1] += not isinstance(outcomes[-1], Point)
    return {"seconds": seconds, "open": open_}


def child(*arguments: str) -> dict[str, Any]:
    """One measurement in a process of its own."""
    run = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    made: dict[str, Any] = json.loads(run.stdout)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the smallest of each kind")
    parser.add_argument("--only", metavar="WORDS", default="", help="cases whose names have these words")
    parser.add_argument("--ours", help=argparse.SUPPRESS)
    parser.add_argument("--theirs", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        print(json.dumps(ours(options.ours)))
        return
    if options.theirs:
        print(json.dumps(theirs(options.theirs[0], *(json.loads(claims) for claims in options.theirs[1:]))))
        return
    from foregone.solvers.ip.registry import installed

    compare = installed("cpsat")
    print(HEADER)
    print("|---" * HEADER.count(" | ") + "|---|")
    for name in QUICK if options.quick else CASES:
        if options.only not in name:
            continue
        made = child("--ours", name)
        facts, wrong = made.pop("facts"), made.pop("refuted")
        other = ["", "", "", ""]
        if compare and (facts or wrong):
            asked = random.Random(0).sample(facts, min(ASKED, len(facts)))
            answer = child("--theirs", name, json.dumps(asked), json.dumps(wrong))
            (sure, other_s), (open_sure, open_wrong) = answer["seconds"], answer["open"]
            if asked:
                other[:2] = f"{sure * len(facts) / len(asked):,.1f}", f"{open_sure} of {2 * len(asked)}"
            if wrong:
                other[2:] = f"{other_s / len(wrong):,.1f}", f"{open_wrong} of {len(wrong)}"
        if "open" not in made:
            print(f"| {name} | no dataset found in {made['seconds']:.0f} s |", flush=True)
            continue
        figures = [made[key] for key in ("cells", "rows")] + [round(made["seconds"], 1)]
        figures += [made[key] for key in ("programs", "nodes", "derived")] + [len(facts), made["open"]]
        print(f"| {name} | {' | '.join(f'{value:,}' for value in figures)} | {' | '.join(other)} |", flush=True)


if __name__ == "__main__":
    main()
