"""What a release says, in one form: statements.

A *statement* limits a weighted sum of counts: low <= weight x (records that match) + ... <= high. Whatever was printed says one
or more of them, and each of them knows what was printed, its *source*:

- a count (`Statistic`) says one: one predicate with weight 1. A mark that cannot stand for some counts in between says for each
  such gap that the count is below it *or* above it;
- a sum, mean, median or percentage (`Figure`) says what `model/measures.py` finds: statements, and either-ors for medians;
- a program can state something itself. Such a statement has no source: it is what was published.

An either-or (`Either`) is two statements, its *sides*, of which at least one holds; a plain statement has one side, itself. So
whoever asks whether data keep to something looks at its sides, whatever it is. `Release.statements` has them all, in the
order in which proofs and explanations number them, and `Release.published` has what was printed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from foregone.model.marks import Ranges, range_text, ranges_between, ranges_words
from foregone.model.predicate import Predicate
from foregone.model.shown import shown

if TYPE_CHECKING:
    from foregone.model.figure import Figure

LARGEST = 1 << 62  # more than any table counts; sums of such numbers are made in Python's own integers
LARGEST_BASE = 1_000_000_000  # that counts are rounded to; wider ranges are no tables
HEAVIEST = 1 << 31  # of a weight

Terms = tuple[tuple[int, Predicate], ...]
"""A weighted sum of counts: whole weights, negative ones too, each with what is counted."""

Limits = tuple[int | None, int | None]
"""The least and the greatest number; None where there is no limit."""


@dataclass(frozen=True, slots=True)
class Statement:
    """low <= sum of weight x matching records <= high in every dataset that fits; None leaves an end open.

    `source` is the published count or figure that says so; None: it was published as it is.

    >>> women, men = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"})
    >>> Statement(((1, women), (-1, men)), 0, None).label
    'SEX=F - SEX=M'
    """

    terms: Terms
    low: int | None
    high: int | None
    name: str = ""
    table: str = ""
    source: Statistic | Figure | None = field(default=None, compare=False, repr=False)

    @property
    def printed(self) -> Statistic | Figure | Statement:
        """What was published: its source, or itself."""
        return self.source or self

    @property
    def sides(self) -> tuple[Statement, ...]:
        """Statements of which at least one holds: this one."""
        return (self,)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What it is about."""
        return tuple(predicate for _, predicate in self.terms)

    def holds(self, value: int) -> bool:
        """Does this value keep to its limits?"""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    @property
    def label(self) -> str:
        """Its name, or what it is about when it has none."""
        return self.name or terms_text(self.terms)

    @property
    def range_text(self) -> str:
        """Its limits in words."""
        return range_text(self.low, self.high)

    def problems(self) -> list[str]:
        """What is wrong with its numbers, one sentence each."""
        if not self.terms:
            return ["it adds up nothing; give at least one weight with a predicate"]
        for weight, _ in self.terms:
            if not _whole(weight) or not 0 < abs(weight) <= HEAVIEST:
                return [f"the weight {shown(weight)} is not a whole number other than 0 and up to {HEAVIEST:,}; change it"]
        return _limit_problems(self.low, self.high)


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of two statements holds in every dataset that fits; each of them limits its sum on one side only.

    >>> women, men = Statement(((1, Predicate.of({"SEX": "F"})),), 1, None), Statement(((1, Predicate.of({"SEX": "M"})),), None, 0)
    >>> Either(women, men).range_text
    'SEX=F at least 1, or SEX=M at most 0'
    """

    left: Statement
    right: Statement
    name: str = ""
    table: str = ""
    source: Statistic | Figure | None = field(default=None, compare=False, repr=False)

    low = high = None  # as a whole it limits no sum

    @property
    def printed(self) -> Statistic | Figure | Either:
        """What was published: its source, or itself."""
        return self.source or self

    @property
    def sides(self) -> tuple[Statement, Statement]:
        """Statements of which at least one holds."""
        return self.left, self.right

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What it is about."""
        return self.left.predicates + self.right.predicates

    @property
    def label(self) -> str:
        """Its name, or what it is about when it has none."""
        return self.name or f"{self.left.label} or {self.right.label}"

    @property
    def range_text(self) -> str:
        return ", or ".join(f"{terms_text(side.terms)} {side.range_text}" for side in self.sides)

    def problems(self) -> list[str]:
        """What is wrong with its numbers, one sentence each."""
        open_ends = "each side of an either-or has a low or a high and not both; split it in two"
        return [
            problem
            for side in self.sides
            for problem in (side.problems() if (side.low is None) != (side.high is None) else [open_ends])
        ]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A published count: at least `low` and at most `high` records match `predicate` (None: no upper limit).

    >>> Statistic.exact(Predicate.of({"SEX": "F"}), 3).high
    3
    """

    predicate: Predicate
    low: int
    high: int | None
    name: str = ""
    table: str = ""
    withheld: bool = False  # the cell exists and is not shown
    mark: str = ""  # what is printed in place of the number
    gaps: tuple[tuple[int, int], ...] = ()  # counts between low and high that a mark cannot stand for: from one to another

    @classmethod
    def exact(cls, predicate: Predicate, count: int, name: str = "", table: str = "") -> Statistic:
        """A count that is published as it is."""
        return cls(predicate, count, count, name, table)

    @property
    def statement(self) -> Statement:
        """The count as a weighted sum, one predicate with weight 1; `either_ors` has what the gaps add to it."""
        return Statement(((1, self.predicate),), self.low, self.high, self.name, self.table, self)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What it is about."""
        return (self.predicate,)

    @property
    def either_ors(self) -> tuple[Either, ...]:
        """For each gap: the count is below it or above."""
        terms = ((1, self.predicate),)
        return tuple(
            Either(Statement(terms, None, first - 1), Statement(terms, last + 1, None), self.name, self.table, self)
            for first, last in self.gaps
        )

    @property
    def hidden(self) -> bool:
        """Is the number not shown, but a mark or nothing in its place? A rounded or top-coded number is shown."""
        return self.withheld or bool(self.mark)

    @property
    def open(self) -> bool:
        """Is something else printed than one number, so that it is a question what the count is?"""
        return self.hidden or self.low != self.high

    @property
    def ranges(self) -> Ranges:
        """The counts that it can be, as far as it says itself."""
        return ranges_between(self.low, self.high, self.gaps)

    def known(self, low: int, high: int | None, withheld: bool = True) -> Statistic:
        """The cell with nothing shown or known of it but these limits."""
        return replace(self, low=low, high=high, withheld=withheld, mark="", gaps=())

    def problems(self) -> list[str]:
        """What is wrong with its numbers, one sentence each."""
        most = self.low if self.high is None else self.high
        if type(self.low) is int and type(most) is int and 0 <= self.low <= most <= LARGEST:  # as nearly all are
            return [] if not self.gaps or self._gaps_fit() else [f"the gaps {self.gaps} do not lie in order between low and high"]
        if _whole(self.low) and self.low < 0:
            return [f"the count {shown(self.low)} is negative; counts are whole numbers from 0 up"]
        if not _whole(self.low):
            return [f"the count {shown(self.low)} is not a whole number; counts are whole numbers from 0 up"]
        return _limit_problems(self.low, self.high)

    def _gaps_fit(self) -> bool:
        ends = [end for gap in self.gaps for end in gap]
        after = all(high + 1 < low for (_, high), (low, _) in pairwise(self.gaps))
        inside = ends == sorted(ends) and self.low < ends[0] and (self.high is None or ends[-1] < self.high)
        return after and inside

    def holds(self, count: int) -> bool:
        """Can this count stand behind what is published?"""
        inside = self.low <= count and (self.high is None or count <= self.high)
        return inside and not any(first <= count <= last for first, last in self.gaps)

    @property
    def label(self) -> str:
        """Its name, or what it is about when it has none."""
        return self.name or self.predicate.text() or "number of records"

    @property
    def range_text(self) -> str:
        """Its limits in words."""
        if self.withheld and not self.low and self.high is None:
            return "withheld"
        return ranges_words(self.ranges) if self.gaps else range_text(self.low, self.high)


def terms_text(terms: Terms) -> str:
    """
    >>> terms_text(((2, Predicate.of({"SEX": "F"})), (-1, Predicate())))
    '2 x SEX=F - records'
    """
    parts = []
    for weight, predicate in terms:
        size = "" if abs(weight) == 1 else f"{abs(weight)} x "
        parts.append(f"{'-' if weight < 0 else '+'} {size}{predicate.text() or 'records'}")
    return " ".join(parts).removeprefix("+ ")


def _limit_problems(low: int | None, high: int | None) -> list[str]:
    numbers = [number for number in (low, high) if number is not None]
    if not all(map(_whole, numbers)):
        return [f"the count {shown(low)}..{shown(high)} is not a whole number; counts are whole numbers from 0 up"]
    if low is not None and high is not None and low > high:
        return [f"low {shown(low)} is above high {shown(high)}; swap or correct them"]
    if any(abs(number) > LARGEST for number in numbers):
        return [f"the count {shown(max(numbers, key=abs))} is above {LARGEST}, more than any table counts; correct it"]
    return []


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
