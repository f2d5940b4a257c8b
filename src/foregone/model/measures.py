"""What a published figure says about counts: limits on weighted sums, and for medians either-ors. docs/soundness.md has the proofs.

A sum is a weighted count. A mean between low and high of n records says low x n <= sum <= high x n; where n itself is published
the sum has plain limits. A percentage is the same with one weight for the part and one for the whole. A median is the
middle between the lower and the upper one of the two middle values, and whether one of these is at most or at least a
number is a matter of counting who is on which side of it.

The checker has a translation of its own (checker/encode/figures.py). Both say the same in the same order: fingerprints compare it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from foregone.model.domain import Column, Domain, unknown_column
from foregone.model.errors import InputError, refuse
from foregone.model.figure import Figure, Measure, number_text
from foregone.model.predicate import Predicate
from foregone.model.shown import shown
from foregone.model.statement import HEAVIEST, LARGEST, Either, Statement, Statistic, Terms

Weighted = list[tuple[Fraction, Predicate]]
Masks = tuple[tuple[int, int], ...]

HUNDRED = Fraction(100)
MOST_NUMBERS = 2_000  # different ones in a column that a median is published of: each may need an either-or


Problem = tuple[int, str, str]
"""What is wrong with a figure: its number, the column of a file that has to be corrected, and a sentence."""


def said_by(domain: Domain, statistics: Sequence[Statistic], figures: Sequence[Figure]) -> list[Statement | Either]:
    """All that the figures of a release say, beside its counts, in order; every problem at once."""
    said, problems = _said(domain, statistics, figures)
    if problems:
        raise InputError([f"{figures[i].label}: {problem}" for i, _, problem in problems])
    return said


def figure_problems(domain: Domain, statistics: Sequence[Statistic], figures: Sequence[Figure]) -> list[Problem]:
    """All that is wrong with figures."""
    return _said(domain, statistics, figures)[1]


def _said(
    domain: Domain, statistics: Sequence[Statistic], figures: Sequence[Figure]
) -> tuple[list[Statement | Either], list[Problem]]:
    known: dict[Masks, int] = {}
    for statistic in statistics if figures else ():
        if statistic.low == statistic.high:
            known.setdefault(_masks(statistic.predicate, domain), statistic.low)
    said: list[Statement | Either] = []
    problems: list[Problem] = []
    for i, figure in enumerate(figures):
        column = "of"
        try:
            made = _Translation(domain, statistics, known, figure)
            column = "value" if figure.value else "low" if figure.low is not None else "high"
            made.say()
        except InputError as error:
            problems += [(i, column, problem) for problem in error.problems]
        else:
            said += [*made.statements, *made.alternatives]
    return said, problems


def base_of(figure: Figure, statistics: Iterable[Statistic]) -> Predicate:
    """Of which records a figure is taken: those that match; for a percentage those of the statistic that it names."""
    if figure.measure is not Measure.PERCENT:
        return figure.predicate
    if not figure.of:
        return Predicate()
    found = [statistic.predicate for statistic in statistics if statistic.name == figure.of]
    if len(found) != 1:
        what = "no count has that name" if not found else f"{len(found)} counts have that name"
        raise InputError(f"the percentage is of {shown(figure.of)}, but {what}; name one count, or leave 'of' blank for all")
    return found[0]


def numbers_of(figure: Figure, domain: Domain) -> tuple[tuple[Fraction, tuple[str, ...]], ...]:
    """The numbers that records of a figure can have in its column, smallest first, each with the codes that mean it."""
    if figure.of not in domain.index:
        raise InputError(unknown_column(figure.of, domain.names))
    column = domain.column(figure.of)
    allowed = dict(figure.predicate.allowed).get(figure.of, frozenset(column.codes))
    found: dict[Fraction, tuple[str, ...]] = {}
    for code in column.codes:
        if code in allowed:
            number = column.number_of(code)
            found[number] = (*found.get(number, ()), code)
    return tuple(sorted(found.items()))


def part_of(predicate: Predicate, column: Column, codes: Iterable[str]) -> Predicate:
    """The records of a predicate that have one of these codes."""
    return Predicate.of({**dict(predicate.allowed), column.name: frozenset(codes)})


def _masks(predicate: Predicate, domain: Domain) -> Masks:
    return tuple(sorted(predicate.masks(domain).items()))


class _Translation:
    """One figure, as what it says about counts."""

    def __init__(self, domain: Domain, statistics: Sequence[Statistic], known: dict[Masks, int], figure: Figure) -> None:
        self.domain, self.figure = domain, figure
        wrong = figure.problems()
        refuse(wrong)
        figure.predicate.masks(domain)
        self.base = base_of(figure, statistics)
        self.numbers = () if figure.measure is Measure.PERCENT else numbers_of(figure, domain)
        self.count = known.get(_masks(self.base, domain))
        self.statements: list[Statement] = []
        self.alternatives: list[Either] = []

    def say(self) -> None:
        figure = self.figure
        if figure.needs_base and self.count == 0:
            raise InputError(f"a {figure.measure} of nobody is published: its base has a count of 0; correct one of the two")
        if figure.needs_base and self.count is None:
            self.statements.append(self._named(((1, self.base),), 1, None))
        if figure.measure is Measure.MEDIAN:
            self._median()
        elif figure.measure is Measure.PERCENT:
            self._ratio([(HUNDRED, figure.predicate)])
        else:
            column = self.domain.column(figure.of)
            summed = [(number, part_of(figure.predicate, column, codes)) for number, codes in self.numbers]
            if figure.measure is Measure.SUM:
                self._limit(summed, figure.low, figure.high)
            else:
                self._reachable()
                self._ratio(summed)

    def _ratio(self, summed: Weighted) -> None:
        """low <= sum / number of records of the base <= high."""
        low, high, n = self.figure.low, self.figure.high, self.count
        if self.figure.measure is Measure.PERCENT and self.figure.withheld and not n:
            if n is None:
                self._ratio_of_some(summed)
        elif n is not None:
            self._limit(summed, None if low is None else low * n, None if high is None else high * n)
        elif low == high and low is not None:
            self._limit(self._less(summed, low), Fraction(0), Fraction(0))
        else:
            for ratio, ends in self._ends():
                self._limit(self._less(summed, ratio), *ends)

    def _ratio_of_some(self, summed: Weighted) -> None:
        """A percentage where there may be nobody to take it of: a part that lies outside the base is then not limited."""
        nobody = self._named(((1, self.base),), None, 0)
        for ratio, ends in self._ends():
            self._limit(self._less(summed, ratio), *ends)
            self.alternatives.append(self._either(nobody, self.statements.pop()))

    def _ends(self) -> list[tuple[Fraction, tuple[Fraction | None, Fraction | None]]]:
        """The ratios that are limits, and between what a sum less so much for each record then lies: from 0 up, or up to 0."""
        ends = (self.figure.low, (Fraction(0), None)), (self.figure.high, (None, Fraction(0)))
        return [(ratio, limits) for ratio, limits in ends if ratio is not None]

    def _less(self, summed: Weighted, ratio: Fraction) -> Weighted:
        """The sum less so much for each record of the base."""
        if self.figure.measure is Measure.PERCENT:
            return [*summed, (-ratio, self.base)]
        return [(number - ratio, predicate) for number, predicate in summed]

    def _limit(self, weighted: Weighted, low: Fraction | None, high: Fraction | None) -> None:
        """Limits on a weighted sum, in whole numbers without a common factor: so they can be rounded to what is possible."""
        used = [(weight, predicate) for weight, predicate in weighted if weight]
        if not used:  # the sum is 0 whatever the records are
            if not (low or 0) <= 0 <= (high or 0):
                raise InputError(f"no records give {self.figure.range_text}; correct it")
            return
        times = lcm(*(weight.denominator for weight, _ in used))
        factor = Fraction(times, gcd(*(int(weight * times) for weight, _ in used)))
        terms = tuple((int(weight * factor), predicate) for weight, predicate in used)
        if max(abs(weight) for weight, _ in terms) > HEAVIEST:
            raise InputError(f"the numbers of {shown(self.figure.of)} need weights above {HEAVIEST:,}; give them fewer digits")
        least = None if low is None else ceil(low * factor)
        most = None if high is None else floor(high * factor)
        if least is not None and most is not None and least > most:
            count = "" if self.count is None else f" of {self.count}"
            raise InputError(f"no data have {self.figure.range_text} as a {self.figure.measure}{count}; correct one of the two")
        if max(abs(least or 0), abs(most or 0)) > LARGEST:
            raise InputError(f"{self.figure.range_text} is more than any table holds; correct it")
        self.statements.append(self._named(terms, least, most))

    def _reachable(self) -> None:
        low, high = self.figure.low, self.figure.high
        least, most = self.numbers[0][0], self.numbers[-1][0]
        if (low is not None and low > most) or (high is not None and high < least):
            ends = f"{number_text(least)} to {number_text(most)}"
            raise InputError(f"{self.figure.range_text} is outside what {shown(self.figure.of)} can be here, {ends}; correct it")

    def _median(self) -> None:
        """Counts on either side of the median, and of the lower and the upper one of the two middle values.

        Of n records the lower middle value is at most v exactly when twice as many as there are up to v are at least n, and
        the upper one at least w likewise. Their middle is at least L exactly when for each v below L the lower one is above
        v or the upper one at least 2L - v; at most U, the same mirrored.
        """
        self._reachable()
        if len(self.numbers) > MOST_NUMBERS:
            several = f"{len(self.numbers):,} different numbers are more than the {MOST_NUMBERS:,} that a median can be read with"
            raise InputError(f"{several}; group the values of {self.figure.of}")
        if self.count == 0:  # withheld, and nobody has a median
            return
        for sign, bound in ((1, self.figure.low), (-1, self.figure.high)):
            if bound is None:
                continue
            mirrored = sorted((sign * number, codes) for number, codes in self.numbers)
            self.statements.append(self._half(tuple(c for v, codes in mirrored if v >= sign * bound for c in codes)))
            if self.count is not None and self.count % 2:
                continue  # the two middle values are one and the same
            pairs: dict[tuple[str, ...], tuple[str, ...]] = {}  # of several v with the same other side the last says most
            values = [v for v, _ in mirrored]
            for place in range(bisect_left(values, sign * bound)):
                above = bisect_left(values, 2 * sign * bound - values[place])
                other = tuple(c for _, codes in mirrored[above:] for c in codes)
                pairs[other] = tuple(c for _, codes in mirrored[: place + 1] for c in codes)
            for other, beyond in pairs.items():
                fewer = self._half(beyond, fewer=True)
                if other or (self.count is None and self.figure.withheld):
                    nobody = self._named(((1, self.base),), None, 0)  # where there is nobody, nothing is said
                    right = self._half(other) if other else nobody
                    self.alternatives.append(self._either(fewer, right))
                else:
                    self.statements.append(fewer)

    def _half(self, codes: tuple[str, ...], fewer: bool = False) -> Statement:
        """At least half of the records have one of these codes; or fewer than half."""
        part = part_of(self.base, self.domain.column(self.figure.of), codes)
        terms: Terms = ((2, part), (-1, self.base)) if self.count is None else ((1, part),)
        least = 0 if self.count is None else (self.count + 1) // 2
        return self._named(terms, None, least - 1) if fewer else self._named(terms, least, None)

    def _named(self, terms: Terms, low: int | None, high: int | None) -> Statement:
        return Statement(terms, low, high, self.figure.label, self.figure.table, self.figure)

    def _either(self, left: Statement, right: Statement) -> Either:
        return Either(left, right, self.figure.label, self.figure.table, self.figure)
