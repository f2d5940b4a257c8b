"""How often cover datasets are found for a reader who knows the rule, and how many cells that costs, in random two-way tables.

    python -m benchmarks.covers [--sizes 6x4,10x5] [--tables 10] [--policy default] [--kinds mean8,ones]

Tables have their margins and nothing is kept. `mean8`: Poisson counts of mean 8, times row and column effects of 0.6 on the log
scale. `mean2`, `mean1`, `ones`: Poisson counts of mean 2, 1 and 0.5. `zeros`: half of the cells are 0, the others have mean 2.5.
`shown` are tables of which covers were found, `proved` those of which the certificate is accepted without anybody's word (with
`--check`). Cells are those withheld by default and by the rule, over all tables.
"""

from __future__ import annotations

import argparse
from math import exp
from random import Random
from time import process_time

from foregone import Dataset, Domain, Policy, Predicate, Primary, Release, Statistic, check, protect
from foregone.model.policy import DEFAULT
from foregone.model.protection import Protection

POLICIES = {"default": DEFAULT, "primary": Policy(primary=Primary(1, 3))}
MEANS = {"mean8": 8.0, "mean2": 2.0, "mean1": 1.0, "ones": 0.5, "zeros": 2.5}


def poisson(rng: Random, mean: float) -> int:
    count, term, drawn = 0, exp(-mean), rng.random()
    below = term
    while drawn > below and count < 1_000:
        count += 1
        term *= mean / count
        below += term
    return count


def random_table(kind: str, rows: int, columns: int, seed: int) -> Release:
    rng = Random(f"{kind} {rows} {columns} {seed}")
    spread = 0.6 if kind == "mean8" else 0.0
    effects = [[exp(rng.gauss(0, spread)) for _ in range(length)] for length in (rows, columns)]
    domain = Domain.of({"R": [f"r{i}" for i in range(rows)], "C": [f"c{j}" for j in range(columns)]})
    counts: dict[tuple[str, ...], int] = {}
    for i, a in enumerate(effects[0]):
        for j, b in enumerate(effects[1]):
            empty = kind == "zeros" and rng.random() < 0.5
            counts[f"r{i}", f"c{j}"] = 0 if empty else poisson(rng, MEANS[kind] * a * b)
    truth = Dataset.of_kinds(domain, counts)
    sides = [[None, *(column.codes)] for column in domain.columns]
    made = []
    for r in sides[0]:
        for c in sides[1]:
            where = {name: code for name, code in (("R", r), ("C", c)) if code is not None}
            predicate = Predicate.of(where)
            made.append(Statistic.exact(predicate, truth.count(predicate), f"T.{' '.join(where.values()) or 'all'}", "T"))
    return Release(domain, made)


def withheld(found: Protection) -> int:
    return 0 if found.release is None else sum(s.hidden for s in found.release.statistics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="4x4,6x5,10x6")
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--policy", choices=POLICIES, default="default")
    parser.add_argument("--kinds", default=",".join(MEANS))
    parser.add_argument("--check", action="store_true", help="also write certificates and check them")
    parser.add_argument("--time-limit", type=float, default=60.0)
    options = parser.parse_args()
    policy, limit = POLICIES[options.policy], options.time_limit
    print("| table | counts | shown | proved | cells by default | by the rule | seconds for one |")
    print("|---|---|---|---|---|---|---|")
    for size in options.sizes.split(","):
        rows, columns = map(int, size.split("x"))
        for kind in options.kinds.split(","):
            shown = proved = least = more = 0
            begin = process_time()
            for seed in range(options.tables):
                release = random_table(kind, rows, columns, seed)
                found = protect(release, policy, reader="knows-the-rule", time_limit=limit, proofs=options.check)
                shown += found.reader == "shown"
                if found.certificate is not None:
                    result = check(release, found.certificate)
                    assert not result.rejected, result.rejected
                    proved += not result.reason
                least += withheld(protect(release, policy, time_limit=limit))
                more += withheld(found)
            told = [size, kind, f"{shown} of {options.tables}", proved if options.check else "-", least, more]
            print(f"| {' | '.join(map(str, told))} | {(process_time() - begin) / options.tables:.1f} |", flush=True)


if __name__ == "__main__":
    main()
