"""Small random releases that hold everything at once, and brute force over what they say, read off the rows by the book.

Counts shown, given as ranges, withheld, or printed as marks with gaps; sums, means, medians and percentages, withheld ones too;
groups that only one of these names; declared groups; rules; weighted sums. A seed makes the same release always.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random

from foregone import Domain, Predicate, Release, Statistic
from foregone.model.figure import Figure, Measure
from foregone.model.marks import Ranges, gaps_of
from foregone.model.statement import Either, Statement
from tests import oracle
from tests.oracle import Record

MOST = 7  # records, where there are few kinds of them
FEW = 4  # kinds
FEWER = 3  # records, where there are up to
KINDS = 12  # kinds
NUMBERS = [tuple(line.split()) for line in ("0 1", "1 2 4", "0 1 2", "1 1.0 3", "-1 0 2 x", "0 0.0 2", "1 2 x 7")]
MARKS: dict[str, Ranges] = {
    "*": ((1, 4),),
    "[c]": ((0, 0), (2, None)),
    "z": ((0, 0),),
    ":": ((0, 1), (3, 3)),
    "..": ((0, 0), (5, None)),
    "few": ((0, 0), (2, 2), (4, 9)),
}


@dataclass(frozen=True)
class Mixed:
    """A release, what it was made from, every dataset that fits it, and how many records these can have."""

    release: Release
    truth: tuple[Record, ...]
    datasets: tuple[tuple[Record, ...], ...]
    most: int


def mixed(seed: int, written: bool = False) -> Mixed:
    """A release and all that fits it; with `written`, nothing in it that a file has no room for."""
    made = _Maker(Random(seed))
    release = made.release(written)
    datasets = tuple(fitting(release, made.most))
    assert made.truth in datasets
    return Mixed(release, made.truth, datasets, made.most)


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        numbers = random.choice(NUMBERS)
        columns: dict[str, tuple[str, ...]] = {}
        for name in random.sample("AB", random.randint(0, 2)):
            columns[name] = tuple(f"{name.lower()}{i}" for i in range(random.choice([1, 2, 2, 3, 3, 4])))
        places = [*columns]
        places.insert(random.randint(0, len(places)), "N")
        columns["N"] = numbers
        while _size(columns) > KINDS:
            widest = max((name for name in columns if name != "N"), key=lambda name: len(columns[name]))
            columns[widest] = columns[widest][:-1]
        columns = {name: columns[name] for name in places}
        groups = {name: {f"g{i}": self.some(codes) for i in range(random.choice([0, 0, 1, 2]))} for name, codes in columns.items()}
        given = {"N": {"x": Fraction(9, 2)}} if "x" in numbers else {}
        self.domain = Domain.of(columns, numbers=given, groups=groups, marks=MARKS)
        kinds = list(product(*columns.values()))
        self.most = MOST if len(kinds) <= FEW else FEWER
        self.truth = tuple(sorted(random.choices(kinds, k=random.randint(0, self.most)), key=kinds.index))

    def some(self, codes: tuple[str, ...]) -> list[str]:
        return self.random.sample(codes, self.random.randint(1, len(codes)))

    def predicate(self, least: int = 0) -> Predicate:
        names = self.random.sample(self.domain.names, self.random.randint(least, len(self.domain.names)))
        return Predicate.of({name: self.some(self.domain.column(name).codes) for name in names})

    def count(self, predicate: Predicate) -> int:
        return sum(oracle.matches(record, predicate, self.domain.names) for record in self.truth)

    def release(self, written: bool) -> Release:
        random = self.random
        counts = [self.whole(), *(self.statistic(self.predicate(1), f"t.{i}") for i in range(random.randint(0, 4)))]
        random.shuffle(counts)
        figures = [figure for i in range(random.randint(0, 3)) if (figure := self.figure(counts, f"f.{i}"))]
        rules = [rule for rule in [self.predicate(1)] if random.random() < 0.3 and not self.count(rule)]
        sums, eithers = list[Statement](), list[Either]()
        if not written and random.random() < 0.15:
            sums.append(self.statement(True))
        if not written and random.random() < 0.15:
            left, right = self.statement(True, one_sided=True), self.statement(False, one_sided=True)
            eithers.append(Either(left, right, "either"))
        return Release(self.domain, counts, rules, sums, eithers, figures)

    def whole(self) -> Statistic:
        """At most so many records, whatever else is said: brute force has to end."""
        size, kind = len(self.truth), self.random.choice(["exact", "exact", "range", "withheld"])
        if kind == "exact":
            return Statistic.exact(Predicate(), size, "all")
        return Statistic(Predicate(), self.random.choice([0, size]), self.most, "all", withheld=kind == "withheld")

    def statistic(self, predicate: Predicate, name: str) -> Statistic:
        random, count = self.random, self.count(predicate)
        kind = random.choice(["exact", "exact", "range", "open", "withheld", "limited", "mark", "mark", "limited mark"])
        near = max(0, count - random.randint(0, 1)), count + random.randint(0, 2)
        if kind == "exact":
            return Statistic.exact(predicate, count, name)
        if kind in ("range", "limited"):
            return Statistic(predicate, *near, name, withheld=kind == "limited")
        if kind == "limited mark":
            return Statistic(predicate, *near, name, withheld=random.random() < 0.5, mark=random.choice([*MARKS, "unsaid"]))
        meant = [(mark, ranges) for mark, ranges in MARKS.items() if _among(ranges, count)]
        if kind == "mark":
            mark, ranges = random.choice(meant)
            hidden = random.random() < 0.3
            return Statistic(predicate, ranges[0][0], ranges[-1][1], name, "", hidden, mark, gaps_of(ranges))
        return Statistic(predicate, 0 if kind == "withheld" else near[0], None, name, withheld=kind == "withheld")

    def statement(self, holds: bool, one_sided: bool = False) -> Statement:
        terms = tuple((self.random.choice([-2, -1, 1, 2, 3]), self.predicate()) for _ in range(self.random.randint(1, 2)))
        value = sum(weight * self.count(predicate) for weight, predicate in terms)
        if not holds:
            value += self.random.randint(-2, 2)
        low, high = value - self.random.randint(0, 1), value + self.random.randint(0, 1)
        if one_sided or self.random.random() < 0.5:
            return Statement(terms, low, None) if self.random.random() < 0.5 else Statement(terms, None, high)
        return Statement(terms, low, high)

    def figure(self, counts: list[Statistic], name: str) -> Figure | None:
        """One that the truth has, withheld or shown in some way; None if it would be shown of nobody."""
        random, measure = self.random, self.random.choice(list(Measure))
        predicate = self.predicate()
        of = random.choice(["", *(s.name for s in counts)]) if measure is Measure.PERCENT else "N"
        asked = Figure(measure, of, predicate, None, None, name, withheld=True)
        value = oracle.measure(self.truth, Release(self.domain, counts), asked)
        kind = random.choice(["withheld", "withheld", "limited", "printed", "exact", "low", "high"])
        if value is None:
            if kind == "limited" and measure is Measure.PERCENT:  # of nobody, so that the limits say nothing
                return Figure(measure, of, predicate, Fraction(20), Fraction(40), name, withheld=True)
            return asked if kind in ("withheld", "limited") else None
        less, more = random.choice([Fraction(0), Fraction(1, 2)]), random.choice([Fraction(0), Fraction(1, 2), Fraction(20)])
        low, high = value - less, value + more
        if kind == "withheld":
            return asked
        if kind == "printed":
            return Figure.printed(measure, of, predicate, f"{float(value):.{random.randint(0, 2)}f}", name)
        if kind == "exact":
            low = high = value
        ends = {"low": (low, None), "high": (None, high)}.get(kind, (low, high))
        return Figure(measure, of, predicate, *ends, name, withheld=kind == "limited")


def _size(columns: dict[str, tuple[str, ...]]) -> int:
    size = 1
    for codes in columns.values():
        size *= len(codes)
    return size


def fitting(release: Release, largest: int) -> list[tuple[Record, ...]]:
    """Every dataset that has what the rows say, each by its own definition: no translation of figures or marks is used."""
    names = release.domain.names
    kinds = oracle.valid_records(release)
    counted = [[oracle.matches(kind, s.predicate, names) for kind in kinds] for s in release.statistics]
    found = []
    for size in range(largest + 1):
        for chosen in combinations_with_replacement(range(len(kinds)), size):
            counts = [sum(row[k] for k in chosen) for row in counted]
            if all(_meant(s, count) for s, count in zip(release.statistics, counts, strict=True)):
                records = tuple(kinds[k] for k in chosen)
                stated = all(any(_holds(side, records, names) for side in s.sides) for s in release.own)
                if stated and oracle.has_figures(records, release):
                    found.append(records)
    return found


def _meant(statistic: Statistic, count: int) -> bool:
    """By the text of the mark where it alone tells, else by the limits."""
    inside = statistic.low <= count and (statistic.high is None or count <= statistic.high)
    return inside and (not statistic.gaps or _among(MARKS[statistic.mark], count))


def _among(ranges: Ranges, count: int) -> bool:
    return any(low <= count and (high is None or count <= high) for low, high in ranges)


def _holds(statement: Statement, records: tuple[Record, ...], names: tuple[str, ...]) -> bool:
    total = sum(weight for record in records for weight, p in statement.terms if oracle.matches(record, p, names))
    return (statement.low is None or statement.low <= total) and (statement.high is None or total <= statement.high)
