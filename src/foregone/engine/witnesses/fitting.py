"""How many records each bucket has on average, if nothing but the published numbers is known: where datasets are likely to be.

Weights are scaled to one group of rows after another, again and again (iterative proportional fitting). What comes out lies deep
inside the relaxation, far from its corners: buckets with a large weight can have a record in very many datasets. Floats only
suggest where to look.
"""

from __future__ import annotations

import numpy as np

from foregone.engine.system.linear import LinearSystem
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Floats, Ints, order_of

SWEEPS = 300  # over all rows
NEARLY = 0.02  # records that a row may miss
MANY = 50_000  # buckets; of more than that, those with next to no records are left out once it shows which these are
SHOWN = 20  # sweeps until then, each time
SHARE = 0.99  # of all records that the others have
NOTHING = 1e-200  # what is less is left as it is: where nothing possible is left of a row, no factor mends it


def fitted(system: LinearSystem, possible: Bools) -> Floats:
    """A weight for each bucket, none for those that are not possible, such that the rows of counts are kept, or nearly."""
    groups = _side_by_side(system)
    low = np.append(np.where(system.low == -NO_LIMIT, 0, system.low), 0).astype(float)
    high = np.append(np.where(system.high == NO_LIMIT, np.inf, system.high), np.inf).astype(float)
    some = np.flatnonzero(possible)
    made, groups = np.ones(len(some)), [row_of[some] for row_of in groups]
    for sweep in range(1, SWEEPS + 1):
        missed = 0.0
        for row_of in groups:
            sums = np.bincount(row_of, made, system.rows + 1)
            some_left = sums > NOTHING  # of rows of this group: those of others have no buckets in it
            some_left[-1] = False  # buckets that no row of the group touches stay as they are
            wanted = np.clip(sums, low, high)
            missed = max(missed, float(np.abs(wanted - sums).max(initial=0.0, where=some_left)))
            made *= np.divide(wanted, sums, out=np.ones_like(sums), where=some_left)[row_of]
        if missed < NEARLY:
            break
        if sweep % SHOWN == 0 and len(some) > MANY:
            heavy = _heaviest(made)
            some, made, groups = some[heavy], made[heavy], [row_of[heavy] for row_of in groups]
    weights = np.zeros(system.buckets)
    weights[some] = made
    return weights


def _heaviest(weights: Floats) -> Ints:
    """The fewest places that have nearly all of the weight, but no fewer than are not many."""
    order = np.argsort(-weights, kind="stable")
    enough = int(np.searchsorted(np.cumsum(weights[order]), SHARE * weights.sum())) + 1
    return np.sort(order[: max(MANY, enough)])


def _side_by_side(system: LinearSystem) -> list[Ints]:
    """Rows of counts in groups, within which no two touch a bucket: of each group the row of each bucket, or no row."""
    order = order_of(system.members)
    ends = np.cumsum(np.bincount(system.members, minlength=system.rows)).tolist()
    buckets = system.bucket_of_member[order]
    weighted = set() if system.weights is None else set(system.members[system.weights != 1].tolist())
    groups = list[Ints]()
    for row, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        mine = buckets[start:end]
        if row in weighted or not len(mine):
            continue
        group = next((group for group in groups if (group[mine] == system.rows).all()), None)
        if group is None:
            group = np.full(system.buckets, system.rows)
            groups.append(group)
        group[mine] = row
    return groups
