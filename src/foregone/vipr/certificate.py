"""The VIPR format, version 1.0: a certificate about an integer program that other programs check in exact arithmetic.

Kevin K. H. Cheung, Ambros Gleixner and Daniel E. Steffy, Verifying Integer Programming Results, IPCO 2017. Constraints are numbered
from 0, those of the program first and then those derived; a derivation cites earlier numbers with multipliers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

Coefficients = Mapping[int, int]  # of unknowns, by their numbers
Number = int | Fraction
Citations = Mapping[int, Number]  # numbers of constraints, with multipliers

AT_MOST, AT_LEAST, EQUAL = "L", "G", "E"


@dataclass(slots=True)
class ViprCertificate:
    """A certificate while it is written. All unknowns are whole numbers.

    `goal`: the sum of these unknowns is at most 0, and is 0 in a listed solution, if any is listed; None: no solution exists.
    """

    goal: tuple[int, ...] | None
    comments: list[str] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    equalities: set[int] = field(default_factory=set)
    bounds: int = 0
    solutions: list[str] = field(default_factory=list)
    derived: list[str] = field(default_factory=list)

    def unknown(self, name: str) -> int:
        self.unknowns.append(name)
        return len(self.unknowns) - 1

    def bound(self, name: str, unknown: int) -> int:
        """An unknown that is not negative; such constraints come before all others."""
        self.bounds += 1
        return self.constraint(name, AT_LEAST, 0, {unknown: 1})

    def constraint(self, name: str, sense: str, right: int, coefficients: Coefficients) -> int:
        if sense == EQUAL:
            self.equalities.add(len(self.constraints))
        self.constraints.append(f"{name} {sense} {right} {_sparse(coefficients)}")
        return len(self.constraints) - 1

    def solution(self, name: str, values: Coefficients) -> None:
        self.solutions.append(f"{name} {_sparse(values)}")

    def assume(self, sense: str, right: int, coefficients: Coefficients) -> int:
        return self._derive(sense, right, coefficients, "asm")

    def combine(self, right: int, coefficients: Coefficients, citations: Citations, sum_of: Number) -> int:
        """At most `right`, because a sum of constraints says at most `sum_of`, which is rounded down where that is needed."""
        cited = {number: times for number, times in sorted(citations.items()) if times}
        if sum_of > right and cited.keys() <= self.equalities:  # an equation cannot be rounded, what follows from it can
            cited = {self._derive(AT_MOST, sum_of, coefficients, f"lin {_sparse(cited)}"): 1}
        return self._derive(AT_MOST, right, coefficients, f"{'rnd' if sum_of > right else 'lin'} {_sparse(cited)}")

    def conclude(self, citations: Citations) -> int:
        """The objective is at most 0, as a sum of constraints; said by its keyword, which some checkers look for."""
        return self._add(f"L 0 OBJ {{ lin {_sparse(citations)} }}")

    def absurd(self, citations: Citations) -> int:
        """A sum of constraints whose left side is 0 and whose right side is below 0."""
        return self.combine(-1, {}, citations, -1)

    def either(self, right: int, coefficients: Coefficients, branches: tuple[tuple[int, int], tuple[int, int]]) -> int:
        """It follows from an assumption and from its opposite: pairs of what was derived, and what was assumed for it."""
        (one, this), (other, that) = branches
        return self._derive(AT_MOST, right, coefficients, f"uns {one} {this} {other} {that}")

    def _derive(self, sense: str, right: Number, coefficients: Coefficients, reason: str) -> int:
        return self._add(f"{sense} {right} {_sparse(coefficients)} {{ {reason} }}")

    def _add(self, said: str) -> int:
        number = len(self.constraints) + len(self.derived)
        self.derived.append(f"d{number} {said} -1")
        return number

    def lines(self) -> Iterator[str]:
        """The file. Everything about one constraint is on one line: some checkers read line by line."""
        yield from (f"% {comment}" for comment in self.comments)
        number = len(self.unknowns)
        yield from ("VER 1.0", f"VAR {number}", " ".join(self.unknowns), f"INT {number}", " ".join(map(str, range(number))))
        yield from ("OBJ max", _sparse(dict.fromkeys(self.goal or (), 1)), f"CON {len(self.constraints)} {self.bounds}")
        yield from self.constraints
        yield "RTP infeas" if self.goal is None else f"RTP range {0 if self.solutions else '-inf'} 0"
        yield f"SOL {len(self.solutions)}"
        yield from self.solutions
        yield f"DER {len(self.derived)}"
        yield from self.derived


def _sparse(values: Mapping[int, Number]) -> str:
    """How many there are, and then numbers and values by turns."""
    some = [f"{number} {value}" for number, value in values.items() if value]
    return " ".join([str(len(some)), *some])


def added(parts: Iterable[tuple[Mapping[int, Number], Number]]) -> dict[int, Number]:
    """Sums of numbered values, each a number of times."""
    made = dict[int, Number]()
    for values, times in parts:
        for number, value in values.items():
            made[number] = made.get(number, 0) + times * value
    return made
