"""The paper's one-hot method against the cells engine, on the same seeded census blocks, in one run, in time of one core.

The cells engine audits the whole block; where the compiled loop is built, what is spent inside it is what the ratio is taken of,
and the whole of `fg.audit`, which makes Python objects of it, is given beside it.
The one-hot engine is timed on its generate step (K datasets, or as many as come
within a limit) and on a random sample of its candidates; sample mean times number of candidates is the estimate for
the verify step. A claim that runs into the limit counts with the limit, and a generate step that was cut short with
the time it took and with only the certain claims as candidates (any list has at least those), so the ratios are lower
limits wherever a limit was met. HiGHS runs without the second opinion that the
audit asks it for, so that our own caution does not make it look slow.

Every sampled claim, and half as many claims of the first dataset that are no candidates, must get the verdict that the
cells engine gives; a disagreement ends the run with an error.

    python benchmarks/paper.py --households 5 10 --blocks 2 --claims 4 --solvers cpsat     # a short run
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np

from foregone import Claim, Dataset, Predicate, Release, Verdict
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.engine.native.library import Status
from foregone.engine.native.plan import plan_of
from foregone.model.errors import UndecidedError
from foregone.model.families import Groups
from foregone.onehot.generate import candidates, generate
from foregone.onehot.model import encode
from foregone.onehot.verify import check
from foregone.questions.ask import audit
from foregone.solvers.ip.highs import HighsSolver
from foregone.solvers.ip.outcome import Adapter
from foregone.solvers.ip.program import IntegerProgram
from foregone.solvers.ip.registry import SOLVERS, installed, load

HEADER = (
    "| households | solver | datasets | generate s | candidates | s per claim | whole block, estimated | cells, whole block"
    " | in its loop | ratio, median (range) | timed out | verdicts compared |"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One block with one solver; times in seconds."""

    datasets: int
    generate: float
    candidates: int
    per_claim: float
    cells: float
    loop: float  # of these; all of them where there is no compiled loop
    timed_out: int
    compared: int

    @property
    def whole(self) -> float:
        return self.generate + self.candidates * self.per_claim

    @property
    def ratio(self) -> float:
        return self.whole / self.loop


def adapter_of(name: str) -> Adapter:
    return HighsSolver(confirm=False) if name == "highs" else load(name)


def too_large(program: IntegerProgram) -> str:
    return f"{program.variables:,} variables and {program.rows:,} rows are more than the free licence allows"


def time_cells(release: Release) -> tuple[float, set[Claim]]:
    """The best of three whole audits, and what they verified."""
    seconds = []
    for _ in range(3):
        begin = process_time()
        result = audit(release, groups="none")  # the paper's claims name single codes
        seconds.append(process_time() - begin)
    names = release.domain.names
    return min(seconds), {claim_of(names, row.values, row.count) for row in result.all_rows()}


def time_loop(release: Release) -> float | None:
    """The best of three runs of the compiled loop alone; None where it is not built or falls back."""
    plan = plan_of(release.workload, Groups.NONE)
    if plan is None:
        return None
    counts = np.repeat(np.array([release.low]), 3, axis=0)
    found = plan.run(counts)
    return float(found.line("nanoseconds").min()) / 1e9 if set(found.statuses) == {Status.DONE} else None


def claim_of(names: tuple[str, ...], values: tuple[str | None, ...], count: int) -> Claim:
    return Claim(Predicate.of({n: v for n, v in zip(names, values, strict=True) if v is not None}), count)


def measure(release: Release, name: str, seed: int, options: argparse.Namespace) -> Measured:
    cells, verified = time_cells(release)
    loop = time_loop(release) or cells
    adapter = adapter_of(name)
    begin = process_time()
    model = encode(release)
    datasets: tuple[Dataset, ...] = ()
    try:
        datasets = generate(model, adapter, options.solutions, options.generate_limit).datasets
        proposed = candidates(release.domain, datasets)
    except UndecidedError:  # not one dataset in time: any list of candidates has at least the claims that are certain
        proposed = sorted(verified, key=lambda claim: claim.predicate.text(release.domain))
    generated = process_time() - begin
    rng = np.random.default_rng(seed)
    sample = [proposed[i] for i in rng.choice(len(proposed), min(options.claims, len(proposed)), replace=False)]
    known = set(proposed)
    rest = [claim for claim in candidates(release.domain, datasets[:1]) if claim not in known]
    others = [rest[i] for i in rng.choice(len(rest), min(options.claims // 2, len(rest)), replace=False)]
    seconds, timed_out, compared = 0.0, 0, 0
    for claim in sample + others:
        begin = process_time()
        finding = check(model, claim, adapter, options.time_limit)
        if claim in known:
            seconds += process_time() - begin
            timed_out += finding.verdict == Verdict.UNDECIDED
        if finding.verdict != Verdict.UNDECIDED:
            compared += 1
            if (finding.verdict == Verdict.VERIFIED) != (claim in verified):
                raise SystemExit(f"the engines disagree on {claim}: {name} says {finding.verdict}")
    # fewer datasets than K leave more candidates than K would; then count only those that no dataset can remove
    number = len(proposed) if len(datasets) >= options.solutions else min(len(proposed), len(verified))
    return Measured(len(datasets), generated, number, seconds / len(sample), cells, loop, timed_out, compared)


def row(households: int, name: str, measured: list[Measured], options: argparse.Namespace) -> str:
    def middle(field: str) -> float:
        return float(median(getattr(m, field) for m in measured))

    ratios = sorted(m.ratio for m in measured)
    timed_out = sum(m.timed_out for m in measured)
    cut = "≥ " if timed_out or any(m.datasets < options.solutions for m in measured) else ""
    return (
        f"| {households} | {name} | {middle('datasets'):.0f} | {middle('generate'):.1f} | {middle('candidates'):,.0f}"
        f" | {middle('per_claim'):.2f} | {cut}{middle('whole'):,.0f} s | {1000 * middle('cells'):.1f} ms"
        f" | {1000 * middle('loop'):.2f} ms | {cut}{median(ratios):,.0f} ({ratios[0]:,.0f} to {ratios[-1]:,.0f})"
        f" | {timed_out} of {len(measured) * options.claims} | {sum(m.compared for m in measured)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--households", type=int, nargs="+", default=[5, 10, 20], help="block sizes")
    parser.add_argument("--blocks", type=int, default=3, help="seeded blocks of each size")
    parser.add_argument("--solvers", nargs="+", choices=list(SOLVERS), default=[n for n in SOLVERS if installed(n)])
    parser.add_argument("--solutions", type=int, default=100, help="datasets to generate (K)")
    parser.add_argument("--claims", type=int, default=20, help="candidates to time in each block")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for a claim")
    parser.add_argument("--generate-limit", type=float, default=300.0, help="seconds for the generate step")
    parser.add_argument("--core", type=int, default=0, help="which core to use")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # one core for everything that is compared
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[options.core]})
    audit(household_release(block(5, 0)))  # warm up
    print(f"K = {options.solutions}, generate at most {options.generate_limit:g} s; {options.blocks} blocks of each size;")
    print(f"{options.claims} candidates of each block timed, at most {options.time_limit:g} s each; medians over blocks; one core.")
    print(HEADER)
    print("|" + "---|" * (HEADER.count("|") - 1), flush=True)
    for households in options.households:
        releases = [household_release(block(households, seed)) for seed in range(1, options.blocks + 1)]
        for name in options.solvers:
            program = encode(releases[0]).program
            free = load(name).abilities.free_limit
            if free is not None and max(program.variables, program.rows) > free and load(name).licence() != "full":
                print(f"| {households} | {name} | {too_large(program)} |", flush=True)
                continue
            measured = [measure(release, name, seed, options) for seed, release in enumerate(releases, start=1)]
            print(row(households, name, measured, options), flush=True)


if __name__ == "__main__":
    main()
