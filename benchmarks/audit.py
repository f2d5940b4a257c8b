"""How the cells engine grows: synthetic census blocks with all block-level tables, one process and one core each.

Every row is the median over several seeded blocks, in processor time with the pure loop and, where it is built, with the compiled
one; the phases are those of the pure loop. Times on a shared machine vary by a factor of two, so a fixed
pure-Python loop is timed in the same run and given as a yardstick.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median
from time import perf_counter, process_time

SIZES = {10: 12, 20: 6, 40: 4, 80: 3, 160: 2, 320: 2, 1000: 1}
PHASES = ("start", "linear", "witnesses", "candidates", "moves", "bounds", "verdicts", "total")


def measure(households: int, seed: int) -> dict[str, float]:
    """Audit one block after a warm-up, in this process."""
    import resource

    from foregone.census.household.kind import household_release
    from foregone.census.synthetic.households import block
    from foregone.engine import start
    from foregone.engine.claims.audit_loop import find_facts
    from foregone.loop import CHOICE, NATIVE, PURE, chosen_loop
    from foregone.questions.ask import audit

    spent, results = dict[str, float](), []
    release = household_release(block(households, seed))
    for loop in (PURE, NATIVE) if chosen_loop().name == NATIVE else (PURE,):
        os.environ[CHOICE] = loop
        audit(household_release(block(5, 0)))
        begin = process_time()
        results.append(audit(release))
        spent[f"CPU ms {loop}"] = 1000 * (process_time() - begin)
    result = results[0]
    assert results[-1] == result
    session = start(release)  # once more, to look inside
    find_facts(session)
    prover = session.prover
    return {
        "live": result.kinds or 0,
        "cells": result.cells or 0,
        "rank": session.rowspace.rank,
        "witnesses": len(prover.pool),
        "LPs": prover.relaxation.solves,
        "integer": prover.integer_solves + prover.nodes,
        "facts": len(result),
        "claims": sum(result.claims_by_columns().values()),
        "open": len(result.open),
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **spent,
        **{f"ms {phase}": 1000 * result.seconds.get(phase, 0.0) for phase in PHASES},
    }


def yardstick() -> float:
    begin = perf_counter()
    total = 0
    for i in range(2_000_000):
        total += i
    return 1000 * (perf_counter() - begin)


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
        return
    print(f"yardstick: 2,000,000 additions in a Python loop take {min(yardstick() for _ in range(3)):.0f} ms here")
    header: list[str] = []
    for households, blocks in SIZES.items():
        rows = []
        for seed in range(1, blocks + 1):
            command = [sys.executable, __file__, str(households), str(seed)]
            rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        if not header:
            header = ["households", *rows[0]]
            print("  ".join(f"{name:>13}" for name in header))
        values = [median(row[name] for row in rows) for name in header[1:]]
        print("  ".join(f"{value:>13,.0f}" for value in [households, *values]), flush=True)


if __name__ == "__main__":
    main()
