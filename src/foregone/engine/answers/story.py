"""A claim worked out the way a person would: one small conclusion after another, each from a few numbers.

An explanation names all the numbers that force a claim; sixteen of them at once convince nobody. A *story* gets there in steps.
Each step concludes that exactly so many records have some values, from published numbers that stand in one *line* (they count the
same records but for one column: a row with its total, a column of a table, June and July) and from conclusions of earlier steps.
Every step is tested exactly, by itself: the numbers that it names leave no other answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from foregone.engine.answers.audit import audit_release
from foregone.engine.answers.verify import verify
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.case import Case
from foregone.engine.explain.switches import published_numbers
from foregone.model.claim import Claim, Verdict
from foregone.model.errors import ForegoneError
from foregone.model.figure import Figure, Measure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statement, Statistic
from foregone.solvers.deadline import Deadline

MOST_NUMBERS = 80  # published numbers that a story is looked for among
MOST_LINE = 16  # numbers of one line
MOST_TESTS = 1_500  # releases of a few numbers that are looked at for one story
TEST_SECONDS = 5.0
ROUNDS = 6  # of conclusions that rest on conclusions

Item = int
"""What a step rests on: the place of a published number or, counted after these, of a conclusion."""

Sums = tuple[tuple[int, Fraction], ...]
"""Numbers, each with what it is multiplied by before they are added up."""


@dataclass(frozen=True, slots=True)
class StoryStep:
    """Exactly `count` records match, because of these published numbers (numbered as in `Release.statements`) and `earlier` steps.

    `sums` is the addition that a reader can follow, where there is one: it comes to the count or, where ages are added up, to the
    age of the record in question.
    """

    predicate: Predicate
    count: int
    statistics: tuple[int, ...]
    earlier: tuple[int, ...] = ()
    sums: Sums = ()

    @property
    def size(self) -> int:
        """How many numbers a reader has to hold in mind."""
        return len(self.statistics) + len(self.earlier)

    @property
    def comes_to(self) -> Fraction:
        return sum((value * times for value, times in self.sums), Fraction())


@dataclass(frozen=True, slots=True)
class Conclusion:
    predicate: Predicate
    count: int
    items: tuple[Item, ...]

    @property
    def claim(self) -> tuple[Predicate, int]:
        return self.predicate, self.count


class Teller:
    """The published numbers, what has been concluded so far, and how many tests may still be made."""

    def __init__(self, release: Release, deadline: Deadline | None = None) -> None:
        self.release, self.deadline, self.tests = release, deadline or Deadline(), MOST_TESTS
        items = published_numbers(release)
        self.rows: tuple[Statistic | Figure, ...] = (*release.statistics, *(release.figures[i] for i in items.figures))
        self.numbers = items.named
        self.told: list[Conclusion] = []

    @property
    def conclusions(self) -> list[Item]:
        return list(range(len(self.rows), len(self.rows) + len(self.told)))

    def lines(self) -> list[tuple[Item, ...]]:
        """Published counts that differ in one column only, short lines first; what is withheld without limits says nothing."""
        made: dict[tuple[tuple[tuple[int, int], ...], int], list[Item]] = {}
        for i, row in enumerate(self.release.statistics):
            if (row.low, row.high) != (0, None):
                masks = self.release.masks[i]
                for column in range(len(self.release.domain.columns)):
                    rest = tuple(sorted((at, mask) for at, mask in masks.items() if at != column))
                    made.setdefault((rest, column), []).append(i)
        lines = {tuple(line) for line in made.values() if 1 < len(line) <= MOST_LINE}
        return sorted(lines, key=lambda line: (len(line), line))

    def some(self, items: Sequence[Item]) -> Release:
        """A release of some published numbers and conclusions, and nothing else."""
        rows = [self.rows[i] for i in items if i < len(self.rows)]
        counts, figures = [row for row in rows if isinstance(row, Statistic)], [row for row in rows if isinstance(row, Figure)]
        told = (self.told[i - len(self.rows)] for i in items if i >= len(self.rows))
        known = [Statistic(conclusion.predicate, conclusion.count, conclusion.count) for conclusion in told]
        return Release(self.release.domain, [*counts, *known], self.release.rules, figures=figures)

    def forced(self, items: Sequence[Item], predicate: Predicate, count: int) -> bool:
        """Do these alone leave no other answer? What is not decided is no."""
        self.tests -= 1
        if self.spent or not items:
            return False
        try:
            case = Case(self.some(items), self.deadline.sooner(TEST_SECONDS))
            return verify(case, Claim(predicate, count)).verdict is Verdict.VERIFIED
        except ForegoneError:
            return False

    @property
    def spent(self) -> bool:
        return self.tests <= 0 or self.deadline.passed()

    def fewest(self, items: Sequence[Item], predicate: Predicate, count: int) -> tuple[Item, ...] | None:
        """As few of these as leaving out one after another comes to, from either end; None where they are not enough."""
        if not self.forced(items, predicate, count):
            return None
        best = tuple(items)
        for order in (items, [*reversed(items)]):
            kept = list(items)
            for item in order:
                without = [i for i in kept if i != item]
                if self.forced(without, predicate, count):
                    kept = without
            best = min(best, tuple(kept), key=len)
        return best

    def conclude(self, line: Sequence[Item], asked: tuple[Predicate, int], alone: bool) -> bool:
        """Add what follows from a line, alone or with earlier conclusions, what needs the fewest numbers first; did anything?"""
        self.tests -= 1
        if self.spent:
            return False
        start = len(self.told) if alone else 0
        try:
            found = audit_release(self.some([*line, *self.conclusions[start:]]), self.deadline.sooner(TEST_SECONDS)).facts
        except ForegoneError:
            return False
        known = {conclusion.claim for conclusion in self.told}
        claims = [(fact.predicate, fact.count) for fact in found if fact.predicate.allowed]
        if asked not in claims and any(count == asked[1] and p.within(asked[0]) for p, count in claims):
            claims.append(asked)
        waiting = [claim for claim in claims if claim not in known and not self._printed(*claim)]
        while waiting:
            pool = [*line, *self.conclusions[start:]]
            ways = [(way, claim) for claim in waiting if (way := self.fewest(pool, *claim)) is not None]
            if not ways:
                break
            way, claim = min(ways, key=lambda one: len(one[0]))
            self.told.append(Conclusion(*claim, way))
            waiting.remove(claim)
        return len(self.told) > len(known)

    def _printed(self, predicate: Predicate, count: int) -> bool:
        """Does one published number say so already, perhaps in other words?"""
        counts = enumerate(self.release.statistics)
        same = [i for i, row in counts if row.low == row.high == count and predicate.within(row.predicate)]
        return any(self.forced([i], predicate, count) for i in same)

    def ended(self, predicate: Predicate, count: int) -> int | None:
        """Which conclusion is the claim, if need be a last one from all others; None where they do not come to it."""
        if (predicate, count) not in [conclusion.claim for conclusion in self.told]:
            last = self.fewest(self.conclusions, predicate, count)
            if last is None:
                return None
            self.told.append(Conclusion(predicate, count, last))
        return [conclusion.claim for conclusion in self.told].index((predicate, count))

    def story(self, last: int) -> tuple[StoryStep, ...]:
        """A conclusion and those that it rests on, itself or through others, in the order in which they were made."""
        rows, needed = len(self.rows), {last}
        for at in reversed(range(len(self.told))):
            if at in needed:
                needed |= {i - rows for i in self.told[at].items if i >= rows}
        place = {at: k for k, at in enumerate(sorted(needed))}
        return tuple(
            StoryStep(
                *self.told[at].claim,
                tuple(self.numbers[i] for i in sorted(self.told[at].items) if i < rows),
                tuple(place[i - rows] for i in sorted(self.told[at].items) if i >= rows),
                self._sums(self.told[at]),
            )
            for at in place
        )

    def _sums(self, step: Conclusion) -> Sums:
        """The addition behind a conclusion: of counts that make it up or, among figures, of sums that differ by one record."""
        part = self.some(step.items)
        if part.figures:
            return self._of_figures(part, step)
        system = Case(part).system
        whole, some = system.footprint(step.predicate)
        made = None if (whole != some).any() else RowSpace(system, np.ones(system.buckets, dtype=bool)).express(whole)
        if made is None:
            return ()
        used = [(int(i), Fraction(int(made.multipliers[i]), made.denominator)) for i in np.flatnonzero(made.multipliers)]
        terms = [(part.statistics[int(system.low_source[i])], times) for i, times in used]
        if len(terms) < 2 or any(count.low != count.high for count, _ in terms):
            return ()
        sums = tuple((count.low, times) for count, times in sorted(terms, key=lambda term: term[1] < 0))
        return sums if sum((value * times for value, times in sums), Fraction()) == step.count else ()

    def _of_figures(self, part: Release, step: Conclusion) -> Sums:
        """194 - 110 = 84, where the ages of two groups add up to these and one record is in the larger group alone."""
        of = next((figure.of for figure in part.figures if figure.measure in (Measure.SUM, Measure.MEAN)), "")
        codes = dict(step.predicate.allowed).get(of, frozenset())
        if step.count != 1 or len(codes) != 1:
            return ()
        column = self.release.domain.column(of)
        exact = [
            stated.low
            for stated in part.statements
            if isinstance(stated, Statement)
            and isinstance(stated.source, Figure)
            and stated.low is not None
            and stated.low == stated.high
            and all(column.number_of(next(iter(dict(p.allowed)[of]))) == weight for weight, p in stated.terms)
        ]
        earlier = [self.told[i - len(self.rows)] for i in step.items if i >= len(self.rows)]
        ages = [dict(known.predicate.allowed).get(of, frozenset()) for known in earlier if known.count == 1]
        numbers = [int(column.number_of(next(iter(some)))) for some in ages if len(some) == 1]
        sought = column.number_of(next(iter(codes)))
        for most in range(1, 4):
            for first in exact:
                for less in combinations([*(n for n in exact if n != first), *numbers], most):
                    if first - sum(less) == sought:
                        return ((first, Fraction(1)), *((n, Fraction(-1)) for n in less))
        return ()


def story_of(
    release: Release, predicate: Predicate, count: int, most: int, deadline: Deadline | None = None
) -> tuple[StoryStep, ...]:
    """Steps that end in the claim, each with fewer than `most` numbers; none where no such way was found.

    The search is small and not complete: that there is no story does not say that nobody could tell one. Means and medians are left
    to those who know what to look for.
    """
    hard = any(figure.measure is not Measure.PERCENT for figure in release.figures)
    if hard or release.own or len(release.published) > MOST_NUMBERS:
        return ()
    teller = Teller(release, deadline)
    lines = teller.lines()
    for number in range(ROUNDS):
        added = [line for line in lines if teller.conclude(line, (predicate, count), number == 0)]
        last = teller.ended(predicate, count)
        if last is not None:
            steps = teller.story(last)
            return steps if max(step.size for step in steps) < most else ()
        if not added:
            return ()
    return ()
