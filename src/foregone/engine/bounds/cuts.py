"""Derived rows: rows times multipliers, added up, divided and rounded down, that the relaxed point does not keep.

At a corner each broken count is singled out by a combination of tight rows. Only its fractional part matters: whole
multiples of rows round to themselves. What is left, rounded down on both sides, holds for whole counts and fails at the
corner. The floats of the corner only suggest multipliers; the row is made from whole numbers, and is true however they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foregone.engine.bounds.certify import LARGEST_SUM, evaluate, made_of
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.trees import Certificate, Form, Lemma, TreeLeaf
from foregone.model.statement import Limits
from foregone.solvers.answer import NO_LIMIT, Feasible
from foregone.solvers.arrays import Bools, Floats, Ints

BROKEN = 1e-5
FRACTIONS = 60  # largest denominator of multipliers
TRIED = 300  # broken counts of a corner that are looked at
KEPT = 100  # cuts of one corner
VIOLATED = 0.02  # by this much at least
HEAVIEST = 1 << 20  # weights of a cut stay below


def separate(known: SystemKnowledge, answer: Feasible) -> list[Lemma]:
    """Cuts that the last corner, which must be this one, does not keep; the most violated ones."""
    system, forms = known.system, known.scope({}).forms
    point = np.zeros(system.buckets)
    point[answer.buckets] = answer.counts
    gap = np.abs(answer.counts - np.rint(answer.counts))
    broken = answer.buckets[np.argsort(-gap, kind="stable")[: min(TRIED, int((gap > BROKEN).sum()))]]
    lows, highs = (np.concatenate([side, [_or(limits[k], none) for _, limits in forms]])
                   for k, side, none in ((0, system.low.astype(float), -NO_LIMIT), (1, system.high.astype(float), NO_LIMIT)))
    sums = np.concatenate([_sums(known, answer), [float(point[form.buckets] @ form.weights) for form, _ in forms]])
    low, high = np.abs(sums - lows) < BROKEN, np.abs(sums - highs) < BROKEN
    found: dict[bytes, tuple[float, Lemma]] = {}
    for suggestion in known.relaxation.tableau(broken):
        whole = _fraction(suggestion, low, high)
        lemma = None if whole is None else _rounded(known, forms, *whole)
        if lemma is not None:
            form = lemma.form
            excess = float(point[form.buckets] @ form.weights) - lemma.at_most
            if excess > VIOLATED:
                found.setdefault(form.buckets.tobytes() + form.weights.tobytes(), (excess, lemma))
    best = sorted(found.values(), key=lambda entry: -entry[0])
    return [lemma for _, lemma in best[:KEPT]]


def divided(known: SystemKnowledge) -> list[Lemma]:
    """Rows whose weights have a common divisor that does not divide their limits: divided, these become tighter."""
    system, found = known.system, list[Lemma]()
    if system.weights is None:
        return found
    divisors = np.zeros(system.rows, dtype=np.int64)
    np.gcd.at(divisors, system.members, system.weights)
    for row in np.flatnonzero(divisors > 1).tolist():
        divisor = int(divisors[row])
        for sign, limit in ((1, int(system.high[row])), (-1, -int(system.low[row]))):
            if limit != NO_LIMIT and limit % divisor:
                multipliers = np.zeros(system.rows, dtype=np.int64)
                multipliers[row] = sign
                lemma = _rounded(known, (), multipliers, divisor)
                found += [] if lemma is None else [lemma]
    return found


def _or(limit: int | None, none: int) -> float:
    return float(none if limit is None else limit)


def _sums(known: SystemKnowledge, answer: Feasible) -> Floats:
    """The rows at a relaxed point."""
    system = known.system
    at, sizes = system.members_of(answer.buckets)
    values = np.repeat(answer.counts, sizes) * (1 if system.weights is None else system.weights[at])
    return np.asarray(np.bincount(system.members[at], values, system.rows), dtype=np.float64)


def _fraction(suggestion: Floats, low: Bools, high: Bools) -> tuple[Ints, int] | None:
    """The fractional parts of multipliers, as whole numbers over a small denominator, with signs that the tight sides allow."""
    part = suggestion - np.rint(suggestion)
    part = np.where(high & ~low & (part < -BROKEN), part + 1, np.where(low & ~high & (part > BROKEN), part - 1, part))
    part = np.where(low | high, part, 0.0)
    used = np.flatnonzero(np.abs(part) > BROKEN)
    if not len(used):
        return None
    scaled = np.arange(1, FRACTIONS + 1)[:, None] * part[used]
    fits = np.flatnonzero((np.abs(scaled - np.rint(scaled)) < BROKEN).all(axis=1))
    if not len(fits):
        return None
    whole = np.zeros(len(suggestion), dtype=np.int64)
    whole[used] = np.rint(scaled[fits[0]]).astype(np.int64)
    return whole, int(fits[0]) + 1


def _rounded(known: SystemKnowledge, forms: Sequence[tuple[Form, Limits]], multipliers: Ints, denominator: int) -> Lemma | None:
    """The row that these multipliers of rows and forms give, divided and rounded down; None if its numbers are too large."""
    system = known.system
    rows, total, further = multipliers[: system.rows], 0, list[tuple[Form, int]]()
    for place in np.flatnonzero(multipliers[system.rows :]).tolist():
        (form, limits), times = forms[place], int(multipliers[system.rows + place])
        limit = limits[times > 0]
        if limit is None:
            return None
        total += times * limit
        further.append((form, times))
    deepest = system.heaviest + sum(form.largest for form, _ in further)
    if float(np.abs(multipliers).max(initial=0)) * deepest > LARGEST_SUM:
        return None
    certificate = Certificate(rows, denominator, total + evaluate(system, rows), tuple(further))
    weights = made_of(system, certificate) // denominator
    weights[known.empty] = 0
    if int(np.abs(weights).max(initial=0)) > HEAVIEST:
        return None
    return Lemma(Form.of(weights), certificate.limit, TreeLeaf(certificate))
