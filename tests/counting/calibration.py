"""How often claims with a given share are true, for every prior: `python -m tests.counting.calibration UNITS.parquet STATE BLOCKS`.

Blocks of a synthetic country that are small enough to be counted. For each block and prior, the claims that `fg.likely` proposes
and that are not certain; whether they are true is looked up in the records that the tables were made from, which the shares
never see.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean

from foregone import Case
from foregone.census.kinds import KINDS, publisher
from foregone.census.unit_files.units import open_units
from foregone.counting.counted import count_out
from foregone.counting.graph import TooMuchWork
from foregone.counting.prior import as_prior
from foregone.counting.ranking import likely_claims, likely_records
from foregone.solvers.deadline import Deadline

PRIORS = ("uniform", "histograms", "polya:10")
EDGES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
SIZES = range(5, 16)  # households
SAMPLES, CLAIMS = 200, 15  # for each block and prior


def measured(path: Path, state: str, most: int) -> tuple[int, dict[str, list[tuple[float, bool]]]]:
    """The number of blocks that were counted, and for each prior the shares of claims with whether they are true."""
    kind = KINDS["household"]
    with open_units(path, "official", kind.units, kind) as units:
        records = units.records(sorted(units.within(state)))
    tables = publisher("household", "official", kind.units, True)
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in PRIORS}
    blocks = 0
    for codes in records.values():
        if len(codes) not in SIZES or blocks == most:
            continue
        release, truth = tables.release(codes), tables.dataset(codes)
        try:
            counted = count_out(Case(release), Deadline.after(2.0))
        except TooMuchWork:
            continue
        blocks += 1
        for name in PRIORS:
            prior = as_prior(name, release.domain)
            samples = counted.datasets_of(prior, SAMPLES, Random(blocks))
            around = likely_records(samples, 10)
            for claim in [*around, *likely_claims(samples, around, CLAIMS)]:
                share = counted.distribution(prior, claim.predicate, claim.count)[claim.count]
                if share < 1:  # the rest is certain, and true
                    found[name].append((float(share), truth.count(claim.predicate) == claim.count))
    return blocks, found


def main() -> None:
    path, state, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    blocks, found = measured(path, state, most)
    print(f"{blocks} blocks of {SIZES[0]} to {SIZES[-1]} households")
    for name, claims in found.items():
        for low, high in pairwise(EDGES):
            inside = [(share, true) for share, true in claims if low < share <= high]
            if inside:
                mean, right = fmean(share for share, _ in inside), fmean(true for _, true in inside)
                print(f"{name:<12}{low:.2f} to {high:.2f}  {len(inside):>5} claims  mean share {mean:.2f}  true {right:.2f}")


if __name__ == "__main__":
    main()
