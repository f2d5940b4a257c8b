"""The numbers that a question is about, where most of a release is about other places: districts, years, plants.

Take a column, and the values H of it that the question names. Numbers about values of H alone are its *own*; numbers about other
values alone say nothing about it. A number T about both, such as a total of all districts, ties them. If numbers about other
values that are exact and share no record have all records of T outside H between them, then T less their sum is a number T' about
H, and says there all that T says. If not, H grows by the values of T.

*What can be said.* As long as the numbers about other values are all known, what follows about H from some own numbers and some
totals follows from the own numbers and the T' of these totals, and the other way round: datasets put together from one that fits
those in H and one that fits the others outside are those that fit both. So for whatever own numbers and totals are withheld, the
answer is the same as in the small release of own numbers and T'. And if a set of numbers is enough for an answer, its own numbers
and the T' of its totals are: every explanation holds one of the small release, in which T' stands for T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate, within
from foregone.model.release import Release
from foregone.model.statement import Statistic

Masks = dict[int, int]

MANY = 100  # numbers of a release that is looked at in this way
WORK = 5_000_000  # pairs of numbers that may be compared for it


@dataclass(frozen=True, slots=True)
class OwnPart:
    """Two small releases that answer for a large one: the counts of `release` are `numbers` of that; the last ones, `totals` many,
    are what is left of totals, and `own` does without them.
    """

    own: Release
    release: Release
    numbers: tuple[int, ...]
    totals: int

    @property
    def left_of_totals(self) -> int:
        """What is left of totals, as a set: a bit for each count."""
        return (1 << len(self.numbers)) - (1 << len(self.numbers) - self.totals)


def own_part(release: Release, predicates: Sequence[Predicate]) -> OwnPart | None:
    """The part of a release of counts that some predicates are about; None where it would be most of it."""
    if not MANY <= len(release.statistics) == len(release.statements):
        return None
    asked = [predicate.masks(release.domain) for predicate in predicates]
    found = [
        part for c in range(len(release.domain.columns)) if all(c in masks for masks in asked) if (part := _by(release, c, asked))
    ]
    best = min(found, key=lambda part: len(part.numbers), default=None)
    return best if best is not None and 2 * len(best.numbers) <= len(release.statistics) else None


def _by(release: Release, c: int, asked: Sequence[Masks]) -> OwnPart | None:
    full = release.domain.columns[c].full
    sides = [masks.get(c, full) for masks in release.masks]
    inside = 0
    for masks in asked:
        inside |= masks[c]
    left: dict[int, int] = {}  # what the numbers about other values have of each total
    while True:
        exact = [i for i, side in enumerate(sides) if not side & inside and release.low[i] == release.high[i]]
        exact.sort(key=lambda i: -_volume(release.domain, release.masks[i]))
        left, grown, work = {}, inside, 0
        for i, side in enumerate(sides):
            if side & inside and side & ~inside:
                work += len(exact)
                outside = None if work > WORK else _outside(release, c, i, inside, exact)
                if outside is None:
                    grown |= side
                    break
                left[i] = outside
        if grown == full:
            return None
        if grown == inside:
            break
        inside = grown
    own = [i for i, side in enumerate(sides) if not side & ~inside]
    counts = [release.statistics[i] for i in own]
    alone = Release(release.domain, counts, release.rules)
    for i, outside in left.items():
        total = release.statistics[i]
        high = None if total.high is None else total.high - outside
        if high is not None and high < 0:
            return None  # the release contradicts itself
        rest = _within(release.domain, c, total, inside)
        counts.append(replace(total, predicate=rest, low=max(0, total.low - outside), high=high))
    return OwnPart(alone, Release(release.domain, counts, release.rules), (*own, *left), len(left))


def _outside(release: Release, c: int, total: int, inside: int, exact: Sequence[int]) -> int | None:
    """How many records of a total have other values, if exact numbers about these, large ones first, add up to it."""
    if release.statistics[total].gaps:
        return None
    masks, domain = release.masks[total], release.domain
    column = domain.columns[c]
    open_ = _volume(domain, {**masks, c: masks.get(c, column.full) & ~inside})
    chosen, amount = list[Masks](), 0
    for i in exact:
        some = release.masks[i]
        if within(some, masks) and not any(_meet(some, other) for other in chosen):
            chosen.append(some)
            amount += release.low[i]
            open_ -= _volume(domain, some)
            if not open_:
                return amount
    return None


def _volume(domain: Domain, masks: Masks) -> int:
    """How many combinations of values a box holds."""
    return prod(masks.get(c, column.full).bit_count() for c, column in enumerate(domain.columns))


def _meet(one: Masks, other: Masks) -> bool:
    return all(mask & other.get(c, mask) for c, mask in one.items())


def _within(domain: Domain, c: int, total: Statistic, inside: int) -> Predicate:
    column = domain.columns[c]
    mask = total.predicate.masks(domain).get(c, column.full) & inside
    return Predicate.of({**dict(total.predicate.allowed), column.name: column.codes_of(mask)})
