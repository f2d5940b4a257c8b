"""A reader and checker of VIPR 1.0 certificates, written from the published description of the format: the judge in these tests.

It shares nothing with what writes them. Numbers are fractions; every line has to hold, and the last one has to say what was to be
proved. `read` gives the parts of a file and `accepted` says what they prove.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

Exact = int | Fraction
Row = dict[int, Exact]


class NotAccepted(Exception):
    """The file is not a certificate, or proves something else."""


@dataclass(frozen=True)
class Line:
    """A constraint: coefficients, sense (E, L or G) and right side."""

    name: str
    sense: str
    right: Exact
    row: Row

    @property
    def sign(self) -> int:
        return {"G": 1, "E": 0, "L": -1}[self.sense]

    @property
    def absurd(self) -> bool:
        wrong = {"G": self.right > 0, "L": self.right < 0, "E": self.right != 0}[self.sense]
        return not self.row and wrong

    def dominates(self, other: Line) -> bool:
        if self.absurd:
            return True
        if self.row != other.row:
            return False
        if other.sense == "E":
            return self.sense == "E" and self.right == other.right
        if self.sense not in ("E", other.sense):
            return False
        return self.right >= other.right if other.sense == "G" else self.right <= other.right

    def holds(self, values: Row) -> bool:
        left = sum(value * values.get(i, 0) for i, value in self.row.items())
        return {"G": left >= self.right, "L": left <= self.right, "E": left == self.right}[self.sense]


@dataclass
class Parsed:
    """A file taken apart."""

    names: list[str] = field(default_factory=list)
    whole: set[int] = field(default_factory=set)
    largest: bool = False
    objective: Row = field(default_factory=dict)
    constraints: list[Line] = field(default_factory=list)
    bounds: int = 0
    infeasible: bool = False
    low: Fraction | None = None
    high: Fraction | None = None
    solutions: list[Row] = field(default_factory=list)
    derived: list[tuple[Line, list[str]]] = field(default_factory=list)


class Words:
    """The words of a file, one after the other."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        while lines and lines[0].startswith("%"):
            lines.pop(0)
        self.words, self.at = "\n".join(lines).split(), 0

    def next(self) -> str:
        if self.at == len(self.words):
            raise NotAccepted("the file ends too early")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, *words: str) -> None:
        for word in words:
            if (found := self.next()) != word:
                raise NotAccepted(f"expected {word}, found {found}")

    def whole(self, least: int = 0) -> int:
        word = self.next()
        try:
            number = int(word)
        except ValueError:
            raise NotAccepted(f"{word} is no whole number") from None
        if number < least:
            raise NotAccepted(f"{number} is too small")
        return number

    def value(self) -> Exact:
        word = self.next()
        try:
            return Fraction(word) if "/" in word or "." in word else int(word)
        except (ValueError, ZeroDivisionError):
            raise NotAccepted(f"{word} is no number") from None

    def row(self, below: int, number: int | None = None) -> Row:
        made = Row()
        for _ in range(self.whole() if number is None else number):
            i = self.whole()
            if i >= below or i in made:
                raise NotAccepted(f"number {i} is given twice, or too large")
            made[i] = self.value()
        return {i: value for i, value in made.items() if value}


def read(text: str) -> Parsed:
    words, found = Words(text), Parsed()
    words.expect("VER", "1.0", "VAR")
    found.names = [words.next() for _ in range(words.whole())]
    count = len(found.names)
    words.expect("INT")
    found.whole = {words.whole() for _ in range(words.whole())}
    if len(set(found.names)) < count or max(found.whole, default=-1) >= count:
        raise NotAccepted("unknowns")
    words.expect("OBJ")
    found.largest = {"min": False, "max": True}[words.next()]
    found.objective = words.row(count)
    words.expect("CON")
    number, found.bounds = words.whole(), words.whole()
    found.constraints = [_line(words, found) for _ in range(number)]
    if any(len(line.row) != 1 for line in found.constraints[: found.bounds]):
        raise NotAccepted("a bound has other than one unknown")
    words.expect("RTP")
    match words.next():
        case "infeas":
            found.infeasible = True
        case "range":
            low, high = words.next(), words.next()
            found.low = None if low == "-inf" else Fraction(low)
            found.high = None if high == "inf" else Fraction(high)
        case other:
            raise NotAccepted(f"RTP {other}")
    words.expect("SOL")
    for _ in range(words.whole()):
        words.next()
        found.solutions.append(words.row(count))
    words.expect("DER")
    for _ in range(words.whole()):
        line, reason = _line(words, found), list[str]()
        words.expect("{")
        while (word := words.next()) != "}":
            reason.append(word)
        words.whole(-1)
        found.derived.append((line, reason))
    if words.at < len(words.words):
        raise NotAccepted("there is more after the derivations")
    return found


def _line(words: Words, found: Parsed) -> Line:
    name, sense, right = words.next(), words.next(), words.value()
    if sense not in ("E", "L", "G"):
        raise NotAccepted(f"sense {sense}")
    if words.words[words.at] == "OBJ":
        words.next()
        return Line(name, sense, right, dict(found.objective))
    return Line(name, sense, right, words.row(len(found.names)))


def accepted(text: str) -> str:
    """What the file proves: "infeasible", or the range of the objective; or it is not accepted, and this raises."""
    found = read(text)
    for values in found.solutions:
        broken = [line.name for line in found.constraints if not line.holds(values)]
        if broken or any(values[i].denominator > 1 for i in values if i in found.whole):
            raise NotAccepted(f"a solution breaks {broken}")
    lines = list(found.constraints)
    assumed = [frozenset[int]() for _ in lines]
    for line, reason in found.derived:
        assumed.append(_derived(found, lines, assumed, line, reason))
        lines.append(line)
    if found.infeasible:
        if found.solutions or not lines[-1].absurd or assumed[-1]:
            raise NotAccepted("it is not shown that nothing fits")
        return "infeasible"
    primal, dual = (found.low, found.high) if found.largest else (found.high, found.low)
    if primal is not None:
        reached = [sum(c * s.get(i, 0) for i, c in found.objective.items()) for s in found.solutions]
        if not any(value >= primal if found.largest else value <= primal for value in reached):
            raise NotAccepted("no solution is good enough")
    if dual is not None:
        wanted = Line("", "L" if found.largest else "G", dual, found.objective)
        if not lines[-1].dominates(wanted) or assumed[-1]:
            raise NotAccepted("the last constraint does not bound the objective")
    return f"{found.low} to {found.high}"


def _derived(found: Parsed, lines: list[Line], assumed: list[frozenset[int]], line: Line, reason: list[str]) -> frozenset[int]:
    """What a derived constraint rests on, if its reason is one."""
    words = Words(" ".join([*reason, "end"]))
    kind = words.next()
    if kind == "asm":
        words.expect("end")
        return frozenset([len(lines)])
    if kind in ("lin", "rnd"):
        cited = words.row(len(lines))
        words.expect("end")
        made = _combined(lines, cited)
        if kind == "rnd":
            if made.sense == "E" or any(i not in found.whole or value.denominator > 1 for i, value in made.row.items()):
                raise NotAccepted(f"{line.name}: cannot be rounded")
            rounded = floor(made.right) if made.sense == "L" else ceil(made.right)
            made = Line("", made.sense, rounded, made.row)
        if not made.dominates(line):
            raise NotAccepted(f"{line.name}: does not follow from the sum")
        return frozenset().union(*(assumed[i] for i in cited))
    if kind == "uns":
        one, this, other, that = numbers = [words.whole() for _ in range(4)]
        words.expect("end")
        if max(numbers) >= len(lines) or not (lines[one].dominates(line) and lines[other].dominates(line)):
            raise NotAccepted(f"{line.name}: a branch shows something else")
        low, high = sorted((lines[this], lines[that]), key=lambda side: side.sign)
        exact = all(i in found.whole and value.denominator == 1 for i, value in low.row.items()) and low.right.denominator == 1
        if (low.sense, high.sense) != ("L", "G") or low.row != high.row or high.right != low.right + 1 or not exact:
            raise NotAccepted(f"{line.name}: the branches do not cover everything")
        return (assumed[one] - {this}) | (assumed[other] - {that})
    raise NotAccepted(f"{line.name}: {kind} is no reason")


def _combined(lines: list[Line], cited: Row) -> Line:
    """A sum of constraints, all of which point in the same direction."""
    signs = {lines[i].sign * (1 if times > 0 else -1) for i, times in cited.items()} - {0}
    if len(signs) > 1:
        raise NotAccepted("a sum of constraints that point in different directions")
    row = Row()
    right: Exact = 0
    for i, times in cited.items():
        right += times * lines[i].right
        for j, value in lines[i].row.items():
            row[j] = row.get(j, 0) + times * value
    return Line("", {1: "G", -1: "L"}.get(next(iter(signs), 0), "E"), right, {j: value for j, value in row.items() if value})
