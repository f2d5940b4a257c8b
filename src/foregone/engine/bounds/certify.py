"""Step 7: floats never decide. Turn suggested multipliers into a bound that holds in exact integer arithmetic.

For any whole numbers u (one per row), v (one per further form) and D > 0, a dataset x that fits the release has
    D * f(x) = sum_i u_i * (row_i of x) + sum_k v_k * (form_k of x) + sum_j (D * f_j - what u and v make of bucket j) * x_j
and each part on the right can be bounded above: rows and forms lie between their limits, buckets that are held lie between
their bounds, and whatever is left over on the other buckets is at most `worst` per record, of which there are at most
`largest` many. However wrong the suggestion, the bound is true; a good suggestion makes it tight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from foregone.engine.bounds.trees import Certificate, Form
from foregone.engine.system.linear import LinearSystem
from foregone.model.statement import Limits
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Floats, Ints
from foregone.solvers.exact import exact_multipliers

DENOMINATORS = (1, 2, 6, 12, 60, 2520, 1 << 20, 1 << 30)  # small ones first: they make proofs people can read
LARGEST_SUM = float(1 << 60)
MOST_BUCKETS = 5_000  # of a system whose multipliers are worked out in fractions
SLIGHT = 1e-9  # multipliers below, relative to the largest, are noise


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known beyond the rows of the system, in one part of a search: nothing, unless given."""

    empty: Bools | None = None  # buckets that hold nothing
    buckets: Mapping[int, tuple[Form, Limits]] = field(default_factory=dict)  # buckets that are held, and the forms that say so
    forms: Sequence[tuple[Form, Limits]] = ()  # in the order in which the suggestion names them after the rows


NOTHING = Scope()


def certify(
    system: LinearSystem, objective: Ints, suggestion: Floats, target: int, scope: Scope = NOTHING, scale: bool = False
) -> Certificate | None:
    """An exact proof that the objective is at most `target` on every dataset of the scope, or None.

    The objective is one integer per bucket; the suggestion is one multiplier per row and then one per form of the scope.
    With `scale` only the direction of the suggestion counts, and its smallest number is taken for a unit.
    """
    low = np.concatenate([system.low == -NO_LIMIT, [limits[0] is None for _, limits in scope.forms]]).astype(bool)
    high = np.concatenate([system.high == NO_LIMIT, [limits[1] is None for _, limits in scope.forms]]).astype(bool)
    clipped = np.where((high & (suggestion > 0)) | (low & (suggestion < 0)), 0.0, suggestion)
    size = np.abs(clipped)
    if not np.isfinite(clipped).all():
        return None
    if scale and size.any():
        clipped = clipped / size[size > SLIGHT * size.max()].min()
        size = np.abs(clipped)
    used = np.flatnonzero(size[system.rows :] > SLIGHT).tolist()
    # sums over a bucket's rows must stay far inside 64 bits, or they would wrap around and mean nothing
    deepest = system.heaviest + 1 + sum(scope.forms[k][0].largest for k in used)
    for denominator in DENOMINATORS:
        if max((size.max(initial=0.0) + 1) * deepest, float(np.abs(objective).max(initial=0))) * denominator > LARGEST_SUM:
            return None
        whole = np.rint(clipped * denominator).astype(np.int64)
        further = [(k, int(whole[system.rows + k])) for k in used if whole[system.rows + k]]
        certificate = dominate(system, objective, whole[: system.rows], denominator, scope, further)
        if certificate is not None and certificate.limit <= target:
            return certificate
    return None if system.covered.all() else _unrounded(system, objective, clipped, target, scope, scale)


def _unrounded(
    system: LinearSystem, objective: Ints, suggestion: Floats, target: int, scope: Scope, scale: bool
) -> Certificate | None:
    """A certificate from multipliers in fractions, needed where buckets that nothing bounds must not be missed."""
    size = np.abs(suggestion)
    used = np.flatnonzero(size > SLIGHT * size.max(initial=0.0))
    within = np.ones(system.buckets, dtype=bool) if scope.empty is None else ~scope.empty
    within[list(scope.buckets)] = False  # buckets that are held make up for what is missed
    buckets = np.flatnonzero(within)
    if not len(buckets) or len(buckets) > MOST_BUCKETS:
        return None
    rows = np.zeros((len(used), system.buckets), dtype=np.int64)
    columns = system.columns(buckets)
    for made, i in zip(rows, used.tolist(), strict=True):
        if i < system.rows:
            made[buckets] = columns[i]
        else:
            form = scope.forms[i - system.rows][0]
            made[form.buckets] = form.weights
    found = exact_multipliers(rows[:, buckets], objective[buckets], suggestion[used], scale)
    if found is None:
        return None
    whole, denominator = found
    heaviest = system.heaviest + 1 + sum(scope.forms[i - system.rows][0].largest for i in used.tolist() if i >= system.rows)
    if max(*map(abs, whole), denominator * (1 + int(np.abs(objective).max(initial=0)))) * heaviest > LARGEST_SUM:
        return None
    multipliers, further = np.zeros(system.rows, dtype=np.int64), list[tuple[int, int]]()
    for i, times in zip(used.tolist(), whole, strict=True):
        if i < system.rows:
            multipliers[i] = times
        elif times:
            further.append((i - system.rows, times))
    # a sign that came out the other way would need a limit that is not there
    limits = [(system.low[i] == -NO_LIMIT, system.high[i] == NO_LIMIT) for i in range(system.rows)]
    open_ends = [*limits, *((low is None, high is None) for _, (low, high) in scope.forms)]
    if any(open_ends[i][times > 0] for i, times in zip(used.tolist(), whole, strict=True) if times):
        return None
    certificate = dominate(system, objective, multipliers, denominator, scope, further)
    return certificate if certificate is not None and certificate.limit <= target else None


def dominate(
    system: LinearSystem,
    objective: Ints,
    multipliers: Ints,
    denominator: int,
    scope: Scope = NOTHING,
    further: Sequence[tuple[int, int]] = (),
) -> Certificate | None:
    """The exact bound that these whole multipliers of rows and of forms of the scope (by place) give.

    None where they miss a bucket that nothing else bounds.
    """
    rest = objective.astype(np.int64) * denominator - system.combine(multipliers)
    total, used = 0, list[tuple[Form, int]]()
    for place, times in further:
        form, limits = scope.forms[place]
        limit = limits[times > 0]
        assert limit is not None
        rest[form.buckets] -= times * form.weights
        total += times * limit
        used.append((form, times))
    if scope.empty is not None:
        rest[scope.empty] = 0
    for bucket, (form, (least, most)) in scope.buckets.items():
        left = int(rest[bucket])
        limit = most if left > 0 else least
        if left and limit is not None:
            total += left * limit
            rest[bucket] = 0
            used.append((form, left))
    worst = int(rest.max(initial=0))
    if worst > 0:  # the cover's rows touch every bucket covered, so adding this much to them dominates there
        if (rest[~system.covered] > 0).any():
            return None
        multipliers = multipliers.copy()
        multipliers[system.cover] += worst
    return Certificate(multipliers, denominator, total + evaluate(system, multipliers), tuple(used))


def evaluate(system: LinearSystem, multipliers: Ints) -> int:
    """The most that the combination of rows can be, in Python integers, which do not overflow."""
    used = np.flatnonzero(multipliers)
    limits = np.where(multipliers[used] > 0, system.high[used], system.low[used])
    return sum(u * limit for u, limit in zip(multipliers[used].tolist(), limits.tolist(), strict=True))


def made_of(system: LinearSystem, certificate: Certificate) -> Ints:
    """For each bucket, what the rows and forms of a certificate add up to."""
    made = system.combine(certificate.multipliers)
    for form, times in certificate.further:
        made[form.buckets] += times * form.weights
    return made
