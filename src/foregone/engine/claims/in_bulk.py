"""Where tables are dense: which sets bounds alone settle, asked of many at once, before datasets are looked for that break them.

Most claims that survive a few datasets of dense tables are true, and a relaxed bound from above and one from below show it in
milliseconds. Directions that lead to new datasets are then about the others alone, and only go where bounds leave room.
"""

from __future__ import annotations

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Between
from foregone.solvers.arrays import Ints

MOST = 150  # sets, asked about at once: while there are more, a new dataset costs less and breaks many


def between_bounds(prover: Prover, sets: list[tuple[Ints, int]]) -> dict[bytes, Between]:
    """Sets of buckets, by their bytes, whose count bounds show to be always this one; of others it is noted where it may go."""
    known, reaching = prover.known, prover.reaching
    proofs = dict[bytes, Between]()
    if reaching is None or not reaching.fits():
        return proofs
    reaching.forget()
    new = [(buckets, count) for buckets, count in sets if buckets.tobytes() not in reaching.ways]
    for buckets, count in new if len(new) <= MOST else ():
        if prover.deadline.passed():
            break
        inside, key = prover.system.count_in(buckets), buckets.tobytes()
        upper, highest = known.settle(inside, count)
        lower, lowest = known.settle(-inside, -count)
        if upper is not None and lower is not None:
            proofs[key] = Between(upper, lower)
            continue
        reaching.ways[key] = tuple(way for way, leaf in ((1, upper), (-1, lower)) if leaf is None)
        known.take(highest)
        known.take(lowest)
    return proofs
