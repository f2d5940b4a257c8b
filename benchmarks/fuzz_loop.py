"""Throws random releases, and counts that fit nothing, at the compiled loop for some processor time, and compares with pure Python.

    python -m benchmarks.fuzz_loop [--seconds 600] [--seed 1]

Every release of `tests/engine/native/comparing.py`, some with ranges, is audited by both loops, which have to tell the same. Then
some of its counts are changed at random: what fits nothing must not be answered. With a library built with sanitizers (`python
src/foregone/engine/native/build.py --check --out FOLDER`, and FOREGONE_LOOP_LIBRARY) anything wrong in memory shows as well.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from time import process_time

import numpy as np

from foregone import Case, Release
from foregone.engine import audit
from foregone.engine.native.audit import Fell, audit_natively
from foregone.engine.native.plan import plan_of
from foregone.model.errors import InputError
from foregone.model.families import Groups
from tests.engine.native.comparing import blocks, random_releases, told, with_ranges

CHANGES = 8  # rows of counts made from each release
OUTLANDISH = (0, 1, 2, 7, 255, 20_000, 1 << 31, 1 << 40, (1 << 53) + 1)


def changed(release: Release, rng: random.Random) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The counts of a release, some of them others."""
    rows = np.repeat(np.array([release.low], dtype=np.int64), CHANGES, axis=0)
    for row in rows:
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(row))
            row[at] = max(0, int(row[at]) + rng.randint(-1, 1)) if rng.random() < 0.8 else rng.choice(OUTLANDISH)
    return rows


def differences(release: Release, groups: Groups, seen: Counter[str], seconds: dict[str, float]) -> list[str]:
    """What the two loops do not agree about."""
    begin = process_time()
    natively = audit_natively(release, groups)
    middle = process_time()
    if natively is None or isinstance(natively, Fell):
        seen["left to Python: " + ("no such workload" if natively is None else str(natively))] += 1
        return []
    try:
        pure = audit(Case(release), groups=groups)
    except InputError as error:
        return [f"the compiled loop tells facts, and the Python engine says: {error}"]
    seconds["native"] += middle - begin
    seconds["pure"] += process_time() - middle
    seen["compared"] += 1
    return [] if told(natively) == told(pure) else ["they tell different facts"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="of processor time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    end, seed, found = process_time() + options.seconds, options.seed, 0
    seen, seconds = Counter[str](), {"native": 0.0, "pure": 0.0}
    while process_time() < end:
        rng = random.Random(seed)
        small = next(random_releases(1, seed)) if seed % 10 else next(blocks(1, (1, 15), seed))
        if rng.random() < 0.4:
            small = with_ranges(small, rng)
        groups = rng.choice(list(Groups))
        for problem in differences(small, groups, seen, seconds):
            found += 1
            print(f"seed {seed}: {problem}", flush=True)
        plan = plan_of(small.workload, groups)
        if plan is not None:
            rows = changed(small, rng)
            answered = plan.run(rows, forms=True, datasets=True).statuses
            highs = rows + np.array([[rng.randint(0, 3) for _ in row] for row in rows])
            plan.run(rows, highs, forms=True, datasets=True)
            seen["changed counts"] += len(rows)
            for row, status in zip(rows.tolist(), answered, strict=True):
                if status == 0 and rng.random() < 0.3:
                    for problem in differences(Release.of(small.workload, row, row), groups, seen, seconds):
                        found += 1
                        print(f"seed {seed}, counts {row}: {problem}", flush=True)
        seed += 1
    for what, number in seen.most_common():
        print(f"{number:8,}  {what}")
    print(f"{found} differences; processor seconds of what was compared: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()))
    if found:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
